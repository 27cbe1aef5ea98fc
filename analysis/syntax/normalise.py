"""Blank what the grammar cannot parse and what carries no meaning for the analysis, without moving anything.

Rules    `__restrict__`, calling conventions, attributes, launch bounds and `__extension__` become spaces.
         What aligns or packs a record or a declaration stays, in the one spelling that the grammar has for it there.
         The arguments of `__launch_bounds__` are returned.
         `friend` goes in front of the specifiers before it: behind them the grammar takes it for a type.
         Specifiers of a conversion operator but `explicit` become spaces: behind two of them the grammar takes
         `operator` for a type.
         A launch that a formatter wrote `<< <n, 32>> >` becomes one of `<<<` and `>>>`.
         `pointer->*member` becomes `pointer .*member`, which the grammar has: before `.*` no pointer stands otherwise.
         What marks an extended lambda (`[=] __device__ (int i)`) becomes spaces.
         `rescue` is tried only on a text that did not parse: statement macros without `;`, and capitalised words of
         unknown macros in the head.
"""

import re
from typing import Final

from analysis.syntax.lexing import HIDDEN, WORD
from analysis.syntax.regions import blank


def normalise(text: bytes) -> tuple[bytes, tuple[bytes, ...] | None]:
    """The text to parse, and the arguments of its launch bounds."""
    text = _LATE_FRIEND.sub(_friend_first, text) if b"friend" in text else text
    if b"operator" in text:
        text = _CONVERSION.sub(_conversion, text)
    if _SPACED_LAUNCH.search(text) is not None:
        text = _SPACED_BRACKETS.sub(_joined, text)
    if any(text.rfind(word) > text.find(b"]") >= 0 for word in _LAMBDA_WORDS):
        text = _EXTENDED_LAMBDA.sub(lambda match: match[1] + blank(match[2]), text)
    if b"->*" in text:
        text = _TO_MEMBER.sub(lambda match: b" .*" if match[0] == b"->*" else match[0], text)
    if not any(word in text for word in _SUSPECTS):
        return text, None
    bounds: list[tuple[bytes, ...]] = []

    def replace(match: re.Match[bytes]) -> bytes:
        word = match["word"]
        if word is None and match["attribute"] is None and match["plain"] is None:
            return match[0]  # a comment or a string
        if word == b"__launch_bounds__" and match["arguments"] is not None:
            bounds.append(_split(match["arguments"][1:-1]))
        kept = _alignment(match) or b""
        return kept + blank(match[0])[len(kept) :]

    fresh = _MEANINGLESS.sub(replace, text)
    return fresh, bounds[0] if bounds else None


def _friend_first(match: re.Match[bytes]) -> bytes:
    before = match["before"]
    return b"friend" + before[-1:] + before[:-1]


def _conversion(match: re.Match[bytes]) -> bytes:
    """Only `explicit` stays, which says more than where the function runs."""
    at = match[0].find(b"explicit")
    if at < 0:
        return blank(match[0])
    end = at + len(b"explicit")
    return blank(match[0][:at]) + match[0][at:end] + blank(match[0][end:])


def _joined(match: re.Match[bytes]) -> bytes:
    """`<<< ` for `<< <`; a comment or a string stays."""
    if match["opened"] is not None:
        return b"<<<" + match["opened"]
    return match[0] if match["closed"] is None else b">>>" + match["closed"]


def rescue(text: bytes, head_end: int, name: bytes) -> bytes:
    """A second version of a text that did not parse."""

    def drop(match: re.Match[bytes]) -> bytes:
        word = match["unknown"]
        return match[0] if word is None or word == name else blank(match[0])

    head = _UNKNOWN_WORD.sub(drop, text[:head_end])
    body = _STATEMENT_MACRO.sub(
        lambda match: match[0] if match["statement"] is None else match["statement"] + b";", text[head_end:]
    )
    return head + body


def _alignment(match: re.Match[bytes]) -> bytes | None:
    """What lays out memory, no longer than it was; None where the grammar has no place for it, or it does not."""
    before = match.string[max(match.start() - _LOOK_BACK, 0) : match.start()]
    match match["word"]:
        case b"__attribute__" | b"__attribute":
            is_layout = b"aligned" in match["arguments"] or b"packed" in match["arguments"]
            return match[0] if is_layout and _RECORD.search(before) is not None else None
        case b"alignas" | b"__align__" | b"__builtin_align__":
            arguments = match["arguments"]
        case b"__declspec":
            aligned = _DECLSPEC_ALIGN.fullmatch(match["arguments"])
            arguments = None if aligned is None else aligned[1]
        case _:
            return None
    return None if arguments is None or _DECLARES.search(before) is None else b"alignas" + arguments


def _split(arguments: bytes) -> tuple[bytes, ...]:
    parts: list[bytes] = []
    depth = 0
    start = 0
    for index, byte in enumerate(arguments):
        if byte in b"([{":
            depth += 1
        elif byte in b")]}":
            depth -= 1
        elif byte == 0x2C and not depth:
            parts.append(arguments[start:index].strip())
            start = index + 1
    parts.append(arguments[start:].strip())
    return tuple(parts)


_SPACED_LAUNCH: Final = re.compile(rb"<<[ \t]+<")
_SPACED_BRACKETS: Final = re.compile(
    HIDDEN.pattern + rb"|<<(?P<opened>[ \t]+)<|>>(?P<closed>[ \t]+)>(?=\s*\()", re.DOTALL
)
_TO_MEMBER: Final = re.compile(HIDDEN.pattern + rb"|(?<!operator)->\*", re.DOTALL)
_LATE_FRIEND: Final = re.compile(
    rb"(?P<before>\b(?:(?:__device__|__host__|__forceinline__|__inline__|__noinline__|inline|constexpr|static)\s+)+)"
    rb"friend(?=\s)"
)
_CONVERSION: Final = re.compile(
    rb"(?<![\w>*&])(?:\b(?:__host__|__device__|__forceinline__|__inline__|inline|constexpr|explicit)\s+){2,}"
    rb"(?=operator\s+[A-Za-z_])"
)
_EXTENDED_LAMBDA: Final = re.compile(rb"(\]\s*)((?:__(?:device|host|forceinline)__\s*)+)(?=[({])")
_LOOK_BACK: Final = 80
"""Bytes in front of an attribute that say whether a declaration begins there."""
_RECORD: Final = re.compile(rb"(?:\b(?:struct|class|union)\s|\})\s*\Z")
_DECLARES: Final = re.compile(
    rb"(?:\b(?:struct|class|union|__shared__|__device__|__constant__|extern|static|const|volatile)\s|[{};]"
    rb"|\balignas\s*\([^()]*\))\s*\Z"
)
_GROUP: Final = rb"\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)"
_LAMBDA_WORDS: Final = (b"__device__", b"__host__", b"__forceinline__")
_SUSPECTS: Final = (
    *(b"__restrict", b"__launch_bounds__", b"__attribute", b"__declspec", b"align", b"[["),
    *(b"__cdecl", b"__stdcall", b"__fastcall", b"__vectorcall"),
    *(b"__extension__", b"__cluster_dims__", b"__maxnreg__", b"__nv_", b"amdgpu_"),
)
"""Without one of these words nothing is meaningless; ten times as fast as one pattern of them."""
_DECLSPEC_ALIGN: Final = re.compile(rb"\(\s*align\s*(" + _GROUP + rb")\s*\)")
_MEANINGLESS: Final = re.compile(
    HIDDEN.pattern
    + rb"|(?P<attribute>\[\[\s*(?:using\s+\w+\s*:)?[A-Za-z_][\w:]*(?:"
    + _GROUP
    + rb")?(?:\s*,[^\[\]]*)?\]\])"
    rb"|\b(?:(?P<word>__launch_bounds__|__attribute__|__attribute|__declspec|__align__|__builtin_align__|alignas"
    rb"|__cluster_dims__|__block_size__|__maxnreg__|amdgpu_\w+)\s*(?P<arguments>" + _GROUP + rb")"
    rb"|(?P<plain>__restrict__|__restrict|__cdecl|__stdcall|__fastcall|__vectorcall|__extension__|__nv_pure__)\b)",
    re.DOTALL,
)
_UNKNOWN_WORD: Final = re.compile(
    rb"(?:" + HIDDEN.pattern + rb")|\b(?P<unknown>[A-Z][A-Z0-9_]{2,})\b(?:\s*" + _GROUP + rb")?", re.DOTALL
)
_STATEMENT_MACRO: Final = re.compile(
    rb"(?:"
    + HIDDEN.pattern
    + rb")|(?<=[;{}\n])(?P<statement>[ \t]*(?!(?:if|for|while|switch|do|else|return|case)\b)"
    + WORD
    + rb"[ \t]*(?:"
    + _GROUP
    + rb")?[ \t]*)\n(?=\s*(?:[A-Za-z_}]))",
    re.DOTALL,
)
