"""What does the head of a declaration declare?

The *head* is the text before the `{` or `;` that ends it.  It is read as a flat list of tokens in which each group
of brackets is one token, so that no grammar is needed and unknown macros do no harm.

Rules    A function's name is the word before its parameter list: the first `word (...)` that is not an attribute.  When
         a capitalised one is followed by another (`LAUNCH_BOUNDS(256) name(...)`), it was a macro and the next counts.
Limits   Declarators in parentheses (`int (*f)(int)`) are variables named by the word inside.  Only the first
         `_MAX_HEAD` bytes of a head are read.
"""

import re
from functools import lru_cache
from typing import Final, final

from analysis.ir.enumeration import Enumeration
from analysis.ir.record import record
from analysis.syntax.lexing import DIRECTIVE, WORD, starts_line, without_comments


class Opened(Enumeration):
    """What kind of thing a head declares."""

    NAMESPACE = "namespace"
    EXTERN = 'extern "C"'
    RECORD = "record"
    ENUM = "enum"
    FUNCTION = "function"
    ALIAS = "alias"
    USING = "using"
    VARIABLE = "variable"
    OTHER = "other"


@final
@record
class Head:
    """What a head says; `words` are its words outside brackets, qualifiers among them."""

    opened: Opened
    name: str = ""
    scope: tuple[str, ...] = ()
    words: frozenset[bytes] = frozenset()
    is_template: bool = False
    others: tuple[str, ...] = ()
    """Further names declared by the same head: `int a, b[3];`."""


@final
@record
class ExpandedHead:
    """A head with macros, read; valid while each looked-up name has the same definition (by digest)."""

    looked_up: tuple[tuple[bytes, bytes | None], ...]
    head: Head
    standalone: tuple[tuple[int, int, bytes], ...]
    """Where leading macro uses that are declarations of their own begin and end, and their expansions."""


@lru_cache(maxsize=1 << 14)
def read_head(text: bytes, braced: bool) -> Head:
    """The meaning of a head; `braced` tells that `{` ends it."""
    tokens, is_template = _without_template(_tokens(_clean(text[:_MAX_HEAD])))
    words = frozenset(token for token in tokens if token[0] in _WORD_START)
    if not tokens:
        return Head(Opened.OTHER, words=words)
    special = _special(tokens, words, braced, is_template)
    if special is not None:
        return special
    return _function_or_variable(tokens, words, braced, is_template)


def _special(tokens: list[bytes], words: frozenset[bytes], braced: bool, is_template: bool) -> Head | None:
    if b"namespace" in words and b"using" not in words and b"=" not in tokens:
        after = tokens[tokens.index(b"namespace") + 1 :]
        names = tuple(token.decode() for token in after if token[0] in _WORD_START and token != b"inline")
        return Head(Opened.NAMESPACE, "::".join(names), names, words)
    if tokens[0] == b"extern" and len(tokens) > 1 and tokens[1][:1] == b'"' and (len(tokens) == 2) and braced:
        return Head(Opened.EXTERN)
    if b"using" in words or (b"namespace" in words and b"=" in tokens):
        return _using(tokens, words, is_template)
    if b"typedef" in words and not braced:
        return _typedef(tokens, words)
    for keyword in _RECORD_WORDS:
        if keyword in words:
            head = _record(tokens, tokens.index(keyword), words, braced, is_template)
            if head is not None:
                return head
    return None


def _using(tokens: list[bytes], words: frozenset[bytes], is_template: bool) -> Head:
    if b"=" in tokens and b"namespace" not in words:
        name = tokens[tokens.index(b"=") - 1]
        return Head(Opened.ALIAS, _decode(name), words=words, is_template=is_template)
    return Head(Opened.USING, _decode(_last_word(tokens)), words=words)


def _typedef(tokens: list[bytes], words: frozenset[bytes]) -> Head:
    names: list[str] = []
    for part in _split(tokens, b","):
        grouped = [token for token in part if _POINTER.match(token)]
        name = _inner_name(grouped[0]) if grouped else _last_word(part)
        names.append(_decode(name))
    return Head(Opened.ALIAS, names[0], words=words, others=tuple(names[1:]))


def _record(tokens: list[bytes], at: int, words: frozenset[bytes], braced: bool, is_template: bool) -> Head | None:
    """A record or enum, unless the keyword only begins the type of something else."""
    opened = Opened.ENUM if tokens[at] == b"enum" else Opened.RECORD
    names: list[bytes] = []
    index = at + 1
    while index < len(tokens):
        token = tokens[index]
        if token in (b"final", b"class", b"struct"):
            pass
        elif token[0] in _WORD_START:
            if tokens[index + 1 : index + 2] and tokens[index + 1][:1] == b"(":
                if token not in _ATTRIBUTES and not (token.isupper() and index == at + 1):
                    return None  # `struct S f(...)`: a function
                index += 1
            else:
                names.append(token)
        elif token == b":" or token[:1] in (b"<",):
            break
        elif token == b"::":
            names.clear()
        elif token[:1] == b"[":
            pass
        else:
            return None  # `struct S *p`, `struct S x = ...`
        index += 1
    if not braced and len(names) != 1:
        return None  # `struct S x;`
    name = _decode(names[-1]) if names else ""
    if braced and index < len(tokens) and tokens[index][:1] not in (b":", b"<"):
        return None
    return Head(opened, name, words=words, is_template=is_template)


def _function_or_variable(tokens: list[bytes], words: frozenset[bytes], braced: bool, is_template: bool) -> Head:
    at = _parameter_list(tokens)
    equals = tokens.index(b"=") if b"=" in tokens and b"operator" not in words else len(tokens)
    if at is not None and at < equals:
        name, first = _function_name(tokens, at)
        if name:
            scope = _scope(tokens, first)
            return Head(Opened.FUNCTION, name, scope, words, is_template)
    names = [_declared(part) for part in _split(tokens, b",")]
    names = [name for name in names if name]
    if not names or (braced and equals == len(tokens) and len(tokens) == 1):
        return Head(Opened.OTHER, words=words)
    return Head(Opened.VARIABLE, names[0], _scope_of_declared(tokens), words, is_template, tuple(names[1:]))


def _parameter_list(tokens: list[bytes]) -> int | None:
    """The index of the group that holds a function's parameters."""
    found: int | None = None
    for index in range(1, len(tokens)):
        token = tokens[index]
        if token in (b":", b"->"):
            break
        if token[:1] != b"(":
            continue
        before = tokens[index - 1]
        if token[:2] in (b"(*", b"(&") and tokens[index + 1 : index + 2] and tokens[index + 1][:1] in (b"(", b"["):
            return None  # `int (*f)(int)`
        if before == b"operator" and tokens[index + 1 : index + 2] and tokens[index + 1][:1] == b"(":
            return index + 1
        if before in _ATTRIBUTES:
            continue
        is_name = before[0] in _WORD_START or before[:1] == b"<" or b"operator" in tokens[max(index - 4, 0) : index]
        if is_name and (found is None or (tokens[found - 1].isupper() and not before.isupper())):
            found = index
    return found


def _function_name(tokens: list[bytes], at: int) -> tuple[str, int]:
    """The name before the parameter list and the index of its first token."""
    for first in range(at - 1, max(at - 6, -1), -1):
        if tokens[first] == b"operator":
            spelled = b"".join(b" " + token if token[0] in _WORD_START else token for token in tokens[first + 1 : at])
            return "operator" + spelled.decode("utf-8", "replace"), first
    first = at - 1
    if tokens[first][:1] == b"<":
        first -= 1
    if first < 0 or tokens[first][0] not in _WORD_START:
        return "", first
    if first and tokens[first - 1] == b"~":
        return "~" + _decode(tokens[first]), first - 1
    return _decode(tokens[first]), first


def _scope_of_declared(tokens: list[bytes]) -> tuple[str, ...]:
    """Where the variables of a head are members: `int S::a, S::b;`."""
    end = next((index for index, token in enumerate(tokens) if token in (b"=", b",", b":")), len(tokens))
    return _scope(tokens, max(_last_word_index(tokens[:end]), 0))


def _scope(tokens: list[bytes], first: int) -> tuple[str, ...]:
    """The words before `first` that are joined to it by `::`."""
    names: list[str] = []
    index = first - 1
    while index > 0 and tokens[index] == b"::":
        index -= 1
        if tokens[index][:1] == b"<":
            index -= 1
        if index < 0 or tokens[index][0] not in _WORD_START:
            break
        names.append(_decode(tokens[index]))
        index -= 1
    return tuple(reversed(names))


def _declared(part: list[bytes]) -> str:
    """The name that one declarator declares."""
    if b"=" in part:
        part = part[: part.index(b"=")]
    if b":" in part:
        part = part[: part.index(b":")]
    for token in part:
        if token[:1] == b"(" and (b"*" in token[:3] or b"&" in token[:3]):
            return _decode(_inner_name(token))
    return _decode(_last_word(part))


def _last_word(tokens: list[bytes]) -> bytes:
    index = _last_word_index(tokens)
    return b"" if index < 0 else tokens[index]


def _last_word_index(tokens: list[bytes]) -> int:
    """-1 where there is none."""
    for index in range(len(tokens) - 1, -1, -1):
        if tokens[index][0] in _WORD_START and tokens[index] not in _ATTRIBUTES:
            return index
    return -1


def _inner_name(group: bytes) -> bytes:
    match = _INNER.search(group)
    return match[1] if match else b""


def _split(tokens: list[bytes], separator: bytes) -> list[list[bytes]]:
    parts: list[list[bytes]] = [[]]
    for token in tokens:
        if token == separator:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _without_template(tokens: list[bytes]) -> tuple[list[bytes], bool]:
    is_template = False
    while len(tokens) > 1 and tokens[0] == b"template" and tokens[1][:1] == b"<":
        tokens = tokens[2:]
        is_template = True
    # Words of a macro may stand before the header: keep them, they can be qualifiers.
    if not is_template and b"template" in tokens[:4]:
        at = tokens.index(b"template")
        if tokens[at + 1 : at + 2] and tokens[at + 1][:1] == b"<":
            return tokens[:at] + _without_template(tokens[at:])[0], True
    if tokens[:1] == [b"requires"] and len(tokens) > 1:
        tokens = tokens[2:]
    return tokens, is_template


def _clean(text: bytes) -> bytes:
    text = without_comments(text)
    if b"#" in text:
        text = DIRECTIVE.sub(lambda match: b"" if starts_line(text, match.start()) else match[0], text)
    return text


def _tokens(text: bytes) -> list[bytes]:
    """The tokens outside brackets; a bracketed group is one token, its text."""
    tokens: list[bytes] = []
    position = 0
    angles = _MAX_ANGLES
    while True:
        match = _TOKEN.search(text, position)
        if match is None:
            return tokens
        token = match[0]
        position = match.end()
        if token in (b"(", b"[", b"{") or (token == b"<" and tokens and tokens[-1][0] in _WORD_START):
            if token == b"<" and (tokens[-1] == b"operator" or not angles):
                tokens.append(token)
                continue
            end = _group_end(text, match.start(), token == b"<")
            if end:
                token = text[match.start() : end]
                position = end
            elif token != b"<":
                token = text[match.start() :]
                position = len(text)
            else:
                angles -= 1
        tokens.append(token)


def _group_end(text: bytes, start: int, angle: bool) -> int:
    """The offset after the bracket that closes the one at `start`, or 0."""
    pattern = _ANGLE if angle else _BRACKET
    depth = 0
    stack: list[int] = []
    for match in pattern.finditer(text, start):
        byte = text[match.start()]
        if byte in b"([{":
            stack.append(byte)
        elif byte in b")]}":
            if not stack:
                return 0
            stack.pop()
        elif byte == 0x3C and not stack:
            depth += 1
        elif byte == 0x3E and not stack:
            depth -= 1
        elif byte == 0x3B and angle:
            return 0
        if depth <= 0 and not stack:
            return match.end() if byte != 0x22 else 0
    return 0


def _decode(name: bytes) -> str:
    return name.decode("utf-8", "replace")


_MAX_HEAD: Final = 20_000
_MAX_ANGLES: Final = 8
"""How many `<` that nothing closes are looked at, so that a head costs its length and no more."""
_WORD_START: Final = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$")
_RECORD_WORDS: Final = (b"enum", b"struct", b"class", b"union")
_ATTRIBUTES: Final = frozenset(
    b"__launch_bounds__ __attribute__ __attribute __declspec alignas __align__ __builtin_align__ decltype typeof "
    b"__typeof__ noexcept throw requires explicit asm __asm__ __cluster_dims__ __block_size__ __maxnreg__ "
    b"amdgpu_waves_per_eu amdgpu_flat_work_group_size".split()
)
_TOKEN: Final = re.compile(WORD + rb"|::|->|\"[^\"\n]*\"|[^\s\w]")
_POINTER: Final = re.compile(rb"\(\s*(?:" + WORD + rb"\s*::\s*)*\*")
"""What a pointer to a function or a method is declared in."""
_INNER: Final = re.compile(rb"(" + WORD + rb")\s*(?:\[|\)|\()")
_BRACKET: Final = re.compile(rb"[()\[\]{}]|\"[^\"\n]*\"|'[^'\n]*'")
_ANGLE: Final = re.compile(rb"[()\[\]{}<>;]|\"[^\"\n]*\"|'[^'\n]*'")
