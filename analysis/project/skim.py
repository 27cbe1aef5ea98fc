"""What one file says at a glance, without parsing: what it includes, defines, may declare, launches and names.

Question  Which files are worth reading to know who launches a kernel, or who calls a host function?
Rules     Comments and strings aside, every word of the text counts, in every branch of `#if` and in macros.
          `outer` are the words before parentheses outside of bodies and records: the functions that a file declares are
          among them; what a macro may declare (`DECLARE(kernel)`), `extern` declarations in bodies, and the words of
          `extern` variables are added.
          `defined` are the names before the parentheses of a head that a body follows.
          So each set is too large rather than too small: who is asked for too much reads one file more.
          `pastes` says that `##` may make names which the text does not show.
          `quoted` are the names that strings hold which are a name and nothing else (`"kernel"`, `"ns::kernel<float>"`,
          `"_Z6kernelPf"`): what is looked up by name when the program runs.
Cost      Some passes of patterns over the text, with turns for others between them.  What no pattern finds without a
          word is looked for by that word first: that is 10 times as fast.
Limits    Where `#if` splits braces, each branch starts at the depth of the first.  What ends below or above the depth
          it began with is `unsure`: it may define and declare whatever it names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from sys import intern
from typing import Final, final

from analysis.ir.pace import paced, spend
from analysis.ir.record import record
from analysis.syntax.lexing import (
    BYTES_OF_A_ROUND,
    HIDDEN,
    IDENTIFIER,
    LAUNCH,
    STRETCH,
    WORD,
    replaced,
    starts_line,
    stretches,
)
from analysis.syntax.system_headers import is_system_header

VERSION: Final = 4
"""Of what a skim holds: one that was saved under another version says something else."""


@final
@record
class Skim:
    """See the top of the file; names are the last words of qualified ones."""

    includes: tuple[str, ...]
    kernels: tuple[tuple[str, int], ...]
    """Kernels with a body, each with the offset of its name."""
    defined: frozenset[str]
    outer: frozenset[str]
    launched: frozenset[str]
    words: frozenset[str]
    in_macros: frozenset[str] = frozenset()
    """The words of its `#define` lines: what they name is used where they are."""
    pastes: bool = False
    unsure: bool = False
    quoted: frozenset[str] = frozenset()
    functions: tuple[tuple[str, int], ...] = ()
    """Device functions with a body, as `kernels`."""

    @property
    def mentioned(self) -> frozenset[str]:
        """The names for which one of the questions below may be answered with yes, unless it pastes."""
        return self.words | self.outer | self.defined | self.in_macros

    def may_name(self, name: str) -> bool:
        """Whether a use of `name` may stand in the text."""
        return self.pastes or name in self.words

    def may_name_elsewhere(self, name: str) -> bool:
        """Whether a macro of the text may name it where the macro is used."""
        return self.pastes or self.unsure or name in self.in_macros

    def may_declare(self, name: str) -> bool:
        """Whether the text may declare a function `name`, with a body or without."""
        return name in self.outer or (self.unsure and name in self.words)

    def may_define(self, name: str) -> bool:
        """Whether the text may hold the body of a function `name`."""
        return name in self.defined or (self.unsure and name in self.words)


def skim(text: bytes) -> Skim:
    """The skim of a file with that text."""
    includes = project_includes(text)
    strings: set[bytes] = set()

    def blank(hidden: re.Match[bytes]) -> bytes:
        """As long as what is hidden, so that offsets stay."""
        piece = hidden[0]
        if piece[0] == _QUOTE and len(piece) <= _LONGEST_NAME:
            strings.add(piece)
        return b" " * len(piece)

    def turn_taken() -> bytes:
        """What is shown, for the next pass."""
        spend(len(text) // BYTES_OF_A_ROUND)
        return shown

    shown = replaced(HIDDEN, blank, text)
    outer, is_balanced = _outside_of_bodies(turn_taken())
    extern = [found[0] for found in _behind(_NO_WORD, b"extern", _EXTERN, turn_taken())]
    defines = [found[1] for found in _beginning_lines(_DIRECTIVE_DEFINE, turn_taken())]
    declared, defined = _heads_of([*outer, *extern])
    return Skim(
        includes,
        tuple(_with_bodies(turn_taken(), _KERNEL)) if b"__global__" in shown else (),
        defined,
        declared | frozenset(_declared_variables(extern)),
        frozenset(_launched(turn_taken())),
        _words(turn_taken()),
        _words(b"\n".join(defines)),
        b"##" in shown and _PASTED.search(turn_taken()) is not None,
        not is_balanced,
        frozenset(_quoted(strings)),
        functions=tuple(_device_functions(turn_taken())) if b"__device__" in shown else (),
    )


def project_includes(text: bytes) -> tuple[str, ...]:
    """The names that `text` includes, but those of system headers."""
    if b"include" not in text and b"import" not in text:
        return ()
    found = ((match[1] or match[2], match[2] is not None) for match in _beginning_lines(_INCLUDE, text))
    names = ((name.decode("utf-8", "surrogateescape").replace("\\", "/"), bracketed) for name, bracketed in found)
    return tuple(dict.fromkeys(name for name, bracketed in names if not (bracketed and is_system_header(name))))


def _outside_of_bodies(text: bytes) -> tuple[list[bytes], bool]:
    """The stretches of text between bodies, each up to the brace that ends it; and whether braces are balanced."""
    outer: list[bytes] = []
    inside: list[bool] = []
    """For each open brace whether it is a body: what is inside is not told from there on."""
    branches: list[list[bool]] = []
    begin, closed, bodies, head = 0, 0, 0, 0
    for found in _structure(text):
        token = found[0]
        if token == b"{":
            start = max(begin, head)
            is_body = bodies > 0 or _opens_body(text, max(start, text.rfind(b";", start, found.start()) + 1), found)
            if is_body and not bodies:
                outer.append(text[begin : found.end()])
            inside.append(is_body)
            bodies += is_body
            head = found.end()
        elif token == b"}":
            head = found.end()
            if not inside:
                closed += 1
            elif inside.pop():
                bodies -= 1
                begin = begin if bodies else found.end()
        elif found[1] in (b"if", b"ifdef", b"ifndef"):
            branches.append(inside.copy())
        elif found[1] == b"endif":
            if branches:
                branches.pop()
        elif branches and inside != branches[-1]:
            if bodies and True not in branches[-1]:
                begin = found.end()
            inside = branches[-1].copy()
            bodies = inside.count(True)
    if not bodies:
        outer.append(text[begin:])
    return outer, not inside and not closed


def _structure(text: bytes) -> Iterator[re.Match[bytes]]:
    """Braces and the directives of conditionals."""
    for found in paced(_BRACE_OR_HASH.finditer(text), 3):
        if found[0] != b"#":
            yield found
        elif (directive := _CONDITIONAL.match(text, found.start())) is not None and starts_line(text, found.start()):
            yield directive


def _opens_body(text: bytes, begin: int, brace: re.Match[bytes]) -> bool:
    """Whether the brace opens something else than a namespace or a linkage: a function, a record, a value."""
    return _TRANSPARENT.search(text[begin : brace.start()]) is None


def _with_bodies(text: bytes, marked: re.Pattern[bytes]) -> list[tuple[str, int]]:
    """Functions with a body behind a mark: a name with its parameters, and a brace before the next semicolon."""
    found: list[tuple[str, int]] = []
    for start in paced(marked.finditer(text), 5):
        if _WORD_BEFORE.search(text, max(0, start.start() - 1), start.start()) is not None:
            continue
        end = min((at for at in (text.find(b"{", start.end()), text.find(b";", start.end())) if at >= 0), default=-1)
        if end < 0 or text[end : end + 1] != b"{":
            continue
        names = [head for head in _HEAD.finditer(text, start.end(), end) if head[1] not in _NO_NAMES]
        if names:
            found.append((_name(names[0][1]), names[0].start(1)))
    return list(dict.fromkeys(found))


def _device_functions(text: bytes) -> Iterator[tuple[str, int]]:
    """What a macro calls `__device__` is seen where the macro is written alone: the next body is not its own."""
    written = replaced(_DEFINE, lambda line: b" " * len(line[0]), text) if b"define" in text else text  # offsets stay
    return (one for one in _with_bodies(written, _DEVICE) if one[0] != "operator")


def _heads_of(stretches: list[bytes]) -> tuple[frozenset[str], frozenset[str]]:
    """The words before parentheses, with those that a macro is given; and of them those of heads that a body follows,
    as a brace at the end of their stretch says."""
    declared: set[bytes] = set()
    defined: set[bytes] = set()
    for stretch in paced(stretches, 4):
        has_body = stretch.endswith(b"{")
        is_plain = b"define" not in stretch
        head = stretch.rfind(b";") + 1 if has_body and is_plain else len(stretch)
        for found in _heads(_HEAD, stretch):
            word = found[1]
            declared.add(word)
            if found.start() >= head:
                defined.add(word)
            if (given := _MACRO_LINE.match(stretch, found.start())) and starts_line(stretch, found.start()):
                declared.update(IDENTIFIER.findall(given[1]))
        if has_body and not is_plain:
            without = replaced(_DEFINE, lambda _: b"", stretch).rpartition(b";")[2]
            defined.update(found[1] for found in _heads(_HEAD, without))
    return frozenset(map(_name, declared)), frozenset(map(_name, defined - _NO_NAMES))


def _declared_variables(extern: list[bytes]) -> Iterator[str]:
    """All words of what is `extern` and no function."""
    for stretch in paced(extern, 2):
        if b"(" not in stretch:
            yield from map(_name, IDENTIFIER.findall(stretch))


def _heads(pattern: re.Pattern[bytes], text: bytes) -> Iterator[re.Match[bytes]]:
    """What begins with a name before a parenthesis, by a pattern that goes across no `;`, `{` or `}`.

    Where there is none of these for long, pieces overlap by the length of the longest head.
    """
    start = 0
    while (opened := text.find(b"(", start)) >= 0:
        start = max(start, opened - _LONGEST_HEAD)
        cut = _HEAD_END.search(text, start + STRETCH, start + 2 * STRETCH)
        end = min(start + 2 * STRETCH, len(text)) if cut is None else cut.end()
        yield from paced(pattern.finditer(text, start, end))
        spend((end - start) // BYTES_OF_A_ROUND)
        start = end if cut is not None or end == len(text) else end - _LONGEST_HEAD


def _launched(text: bytes) -> Iterator[str]:
    """The words before `<<<`, and those that launch functions get first."""
    for opened in paced(LAUNCH.finditer(text), 5) if b"<<" in text else ():
        at = opened.start()
        before = _BEFORE_LAUNCH.search(text[max(0, at - _LONGEST_NAME) : at])
        if before is not None:
            yield _name(before[1])
    for call in _behind(_RUNTIME, b"Launch", _LAUNCH_CALL, text):
        words = IDENTIFIER.findall(call[1].partition(b"<")[0])
        if words:
            yield _name(words[-1])


def _beginning_lines(directive: re.Pattern[bytes], text: bytes) -> Iterator[re.Match[bytes]]:
    """A pattern that begins with `#`, where only blanks stand before it in its line: one that begins with the line is
    tried at each byte."""
    for found in paced(directive.finditer(text)):
        at = found.start()
        if not text[text.rfind(b"\n", 0, at) + 1 : at].strip(b" \t"):
            yield found


def _behind(
    before: re.Pattern[bytes], word: bytes, pattern: re.Pattern[bytes], text: bytes
) -> Iterator[re.Match[bytes]]:
    """A pattern that begins with a word, where some other ends before it."""
    at = text.find(word)
    while at >= 0:
        spend(1)
        found = pattern.match(text, at) if before.search(text, max(0, at - _LONGEST_PREFIX), at) is not None else None
        if found is not None:
            yield found
        at = text.find(word, at + 1 if found is None else found.end())


def _quoted(strings: Iterable[bytes]) -> Iterator[str]:
    """The words of strings that are names; of mangled names the names in them."""
    for string in paced(strings, 2):
        name = _QUOTED_NAME.fullmatch(string)
        for word in () if name is None else IDENTIFIER.findall(name[1]):
            yield _name(word)
            if word.startswith(b"_Z"):
                for size in _SIZE.finditer(word):
                    yield _name(word[size.end() : size.end() + int(size[0])])


def _words(text: bytes) -> frozenset[str]:
    found = set[str]()
    for start, end in stretches(text):
        found.update(_WORD.findall(text[start:end].decode("latin-1")))  # one string for many words
    return frozenset(map(intern, found))


def _name(word: bytes) -> str:
    return intern(word.decode("utf-8", "replace"))


_WORD: Final = re.compile(WORD.decode())
_INCLUDE: Final = re.compile(rb'#[ \t]*(?:include|import)[ \t]*(?:"([^"\r\n]+)"|<([^>\r\n]+)>)')
_DIRECTIVE_DEFINE: Final = re.compile(rb"#[ \t]*define[ \t]([^\n\\]*(?:\\\r?\n[^\n\\]*|\\[^\n\\]*)*)")
_DEFINE: Final = re.compile(rb"^[ \t]*" + _DIRECTIVE_DEFINE.pattern, re.MULTILINE)
_PASTED: Final = re.compile(rb"[\w$]\s*##\s*[\w$]")
_BRACE_OR_HASH: Final = re.compile(rb"[{}#]")
_CONDITIONAL: Final = re.compile(rb"#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b")
_HEAD_END: Final = re.compile(rb"[;{}]")
_WORD_BEFORE: Final = re.compile(rb"\w")
_TRANSPARENT: Final = re.compile(rb"\b(?:namespace\b[\w\s:]*|extern\s+)\Z")
_EXTERN: Final = re.compile(rb"extern\b[^;{}]*;")
_TEMPLATE_ARGUMENTS: Final = rb"(?:\s*<(?!<)[^(){};]*>)?"
_HEAD: Final = re.compile(rb"(?<![A-Za-z_$])([A-Za-z_$][\w$]*+)" + _TEMPLATE_ARGUMENTS + rb"\s*\(")
"""A word is tried once, as a whole: a word in front of something else would be tried from each of its letters."""
_MACRO_LINE: Final = re.compile(rb"[A-Za-z_$][\w$]*+[ \t]*+\(([^(){};]*+)\)")
"""From its name on, where that begins a line."""
_KERNEL: Final = re.compile(rb"__global__\b")
_DEVICE: Final = re.compile(rb"__device__\b")
_QUOTED_NAME: Final = re.compile(rb'"[ &]*([A-Za-z_$][\w$:]*(?:[ \t]*<[\w$:,.<>*& -]*>)?)[ ]*"')
_QUOTE: Final = ord('"')
_SIZE: Final = re.compile(rb"[1-9][0-9]{0,2}")
_NO_NAMES: Final = frozenset({b"__launch_bounds__", b"__attribute__", b"__declspec", b"alignas", b"__maxnreg__"})
_LONGEST_NAME: Final = 400
_LONGEST_HEAD: Final = 10_000
_BEFORE_LAUNCH: Final = re.compile(rb"([A-Za-z_$][\w$]*)" + _TEMPLATE_ARGUMENTS + rb"\s*\Z")
_LAUNCH_CALL: Final = re.compile(rb"Launch\w*Kernel\w*\s*\(([^,;{}]*)")
_RUNTIME: Final = re.compile(rb"\b(?:hip|cuda)\Z")
_NO_WORD: Final = re.compile(rb"(?<!\w)\Z")
_LONGEST_PREFIX: Final = 5
