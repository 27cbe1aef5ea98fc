"""A host function's text without the statements that its launches cannot depend on.

Question  Which statements of a host function say which kernels are launched, with which shape, under which guards?
Rules     A simple statement ends with `;` and has no brace outside parentheses.  It becomes blank, so that nothing
          moves, unless it launches, controls others (`if`, `for` ...), or touches a wanted name.
          Touched   given a value (`x = 1`, `x.y = 1`, `dim3 x(1)`), declared, counted up or down, its address taken.
          Wanted    named in the configuration of a launch, or in a statement that gives a wanted name its value.
          A macro counts for all that it can expand to.
Why       Around a launch host code allocates, copies, checks and prints: two fifths of all the text that would have to
          be expanded and parsed for the files of real projects.
Limits    A function that defines macros, or uses one that pastes names or leaves a bracket open, is kept as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias, final

from analysis.syntax.lexing import DIRECTIVE, HIDDEN, WORD, identifiers
from analysis.syntax.macros import MacroDefinition, MacroLookup
from analysis.syntax.regions import blank


class _Expansion(NamedTuple):
    """What a macro can bring into a statement, directly or through other macros."""

    words: frozenset[bytes]
    touched: frozenset[bytes] | None
    """Names that it touches, but for its arguments; None where it may touch those too."""


_Expansions: TypeAlias = Mapping[bytes, _Expansion]


def launch_text(text: bytes, names: frozenset[bytes], macros: MacroLookup, launching: frozenset[bytes]) -> bytes:
    """`text`, the definition of a host function, with blanks for what cannot matter to its launches.

    `names` holds all names of macros in `text`; `launching` the names of functions and macros that launch kernels.
    """
    expansions = _expansions(names, macros)
    if expansions is None or _DEFINES.search(text) is not None:
        return text
    statements = list(_statements(HIDDEN.sub(lambda match: blank(match[0]), text), expansions))
    wanted = _wanted(statements, expansions, launching)
    parts: list[bytes] = []
    copied = 0
    for statement in statements:
        if not _is_structure(statement, launching) and (
            wanted.isdisjoint(statement.words) or wanted.isdisjoint(statement.touched)
        ):
            parts += text[copied : statement.start], blank(text[statement.start : statement.end])
            copied = statement.end
    return b"".join((*parts, text[copied:]))


# -- statements -------------------------------------------------------------------------------------------------------


@final
@dataclass(eq=False)
class _Statement:
    """A statement, the head of a block, or a part of a value in braces, with the `;`, `{` or `}` at its end."""

    start: int
    end: int
    text: bytes
    words: frozenset[bytes]
    """With those of its macros."""
    macros: tuple[_Expansion, ...]
    is_simple: bool
    is_value: bool

    @cached_property
    def given_values(self) -> frozenset[bytes]:
        return self._with_macros(_given_values(self.text))

    @cached_property
    def touched(self) -> frozenset[bytes]:
        return self._with_macros(_touched(self.text))

    def _with_macros(self, names: list[bytes]) -> frozenset[bytes]:
        found = frozenset(names)
        for macro in self.macros:
            if macro.touched is None:
                return self.words
            found |= macro.touched
        return found


def _statements(text: bytes, expansions: _Expansions) -> Iterator[_Statement]:
    """The statements of a text without comments and strings."""
    start = depth = 0
    is_fixed = False  # a directive stands in the statement, or it goes on behind a brace
    blocks: list[bool] = []  # for each open brace, whether statements stand in it
    for match in _MARK.finditer(text):
        mark, end = match[0][:1], match.end()
        if mark == b"#":
            if not text[start : match.start()].strip():
                start = end
            is_fixed |= start != end
        elif mark == b"(":
            depth += len(match[0]) == 1
        elif mark == b")":
            depth = max(depth - 1, 0)
        elif not depth:
            part = text[start:end]
            in_block = not blocks or blocks[-1]
            words = identifiers(part)
            macros = tuple(expansions[word] for word in words & expansions.keys())
            words = words.union(*(macro.words for macro in macros)) if macros else words
            is_value = is_fixed or (mark == b"{" and not in_block) or (mark == b"}" and bool(words))
            yield _Statement(start, end, part, words, macros, mark == b";" and not is_fixed, is_value)
            start, is_fixed = end, False
            if mark == b"{":
                blocks.append(in_block and _BLOCK_HEAD.search(part) is not None)
            elif mark == b"}":
                was_block = blocks.pop() if blocks else False
                is_fixed = not was_block or _STARTS_STATEMENT.match(text, end) is None


def _is_structure(statement: _Statement, launching: frozenset[bytes]) -> bool:
    """Whether the statement stays, whatever it names."""
    return (
        not statement.is_simple
        or b"<<<" in statement.text
        or not launching.isdisjoint(statement.words)
        or not _CONTROL.isdisjoint(statement.words)
    )


def _wanted(statements: list[_Statement], expansions: _Expansions, launching: frozenset[bytes]) -> set[bytes]:
    """The names that the configuration of a launch may depend on."""
    wanted: set[bytes] = set()
    for statement in statements:
        if statement.is_value or not launching.isdisjoint(statement.words):
            wanted |= statement.words
        for configuration in _CONFIGURATION.findall(statement.text):
            named = identifiers(configuration)
            wanted |= named.union(*(expansions[name].words for name in named & expansions.keys()))
    wanted -= _NO_VARIABLES
    size = -1
    while len(wanted) > size:
        size = len(wanted)
        for statement in statements:
            if not (wanted.isdisjoint(statement.words) or wanted.isdisjoint(statement.given_values)):
                wanted |= statement.words - _NO_VARIABLES
    return wanted


def _given_values(text: bytes) -> list[bytes]:
    assigned = _ASSIGNED.findall(text) if b"=" in text else []
    return assigned + _INITIALISED.findall(_GROUP.sub(b"()", text))


def _touched(text: bytes) -> list[bytes]:
    found = _given_values(text) + _DECLARED.findall(_GROUP.sub(b"()", text))
    if b"&" in text:
        found += _ADDRESS.findall(text)
    if b"++" in text or b"--" in text:
        found += _COUNTED.findall(text) + _COUNTED_AFTER.findall(text)
    return found


# -- macros -----------------------------------------------------------------------------------------------------------


def _expansions(names: frozenset[bytes], macros: MacroLookup) -> _Expansions | None:
    """What the macros can expand to; None where they may make names or structure of their own."""
    found: dict[bytes, _Expansion] = {}
    for name in names:
        definition = macros.get(name)
        if definition is not None:
            expansion = _expansion(definition, macros)
            if expansion is None:
                return None
            found[name] = expansion
    return found


def _expansion(macro: MacroDefinition, macros: MacroLookup) -> _Expansion | None:
    words: set[bytes] = set()
    touched: set[bytes] = set()
    parameters: set[bytes] = set()
    pending = [macro]
    while pending:
        definition = pending.pop()
        body = HIDDEN.sub(b" ", definition.body)
        if _PASTES.search(body) is not None or any(body.count(one) != body.count(other) for one, other in _PAIRS):
            return None
        fresh = identifiers(body) - words
        if body.lstrip().startswith((b"do", b"{")):
            fresh -= _CONTROL  # a whole statement, which controls nothing behind it
        words |= fresh
        touched.update(_touched(body))
        parameters.update(definition.parameters or ())
        pending += [inner for name in fresh if (inner := macros.get(name)) is not None]
    return _Expansion(frozenset(words), frozenset(touched) if touched.isdisjoint(parameters) else None)


def _nested(depth: int) -> bytes:
    """A pattern for balanced parentheses without statements in them, so many levels deep."""
    inside = rb"[^(){};#]++"
    return rb"\((?:" + inside + (rb"|" + _nested(depth - 1) if depth > 1 else b"") + rb")*+\)"


_GROUP: Final = re.compile(_nested(5))
_MARK: Final = re.compile(_GROUP.pattern + rb"|[;{}()]|" + DIRECTIVE.pattern, re.DOTALL)
_BLOCK_HEAD: Final = re.compile(rb"(?:\)|\b(?:else|do|try|const|noexcept)|(?:\A|:))\s*\{\Z")
_STARTS_STATEMENT: Final = re.compile(rb"\s*(?:[\w$};{#]|\Z)")
_CONFIGURATION: Final = re.compile(rb"<<<(?:.*>>>|.*)", re.DOTALL)
_MEMBERS: Final = rb"[\s\\)]*+(?:(?:\.|->)\s*+\w++[\s\\)]*+)*+"
_ASSIGNED: Final = re.compile(rb"\b(" + WORD + rb")" + _MEMBERS + rb"(?:[-+*/%&|^]|<<|>>)?=")
_DECLARATOR: Final = rb"[\w)}\]>,][\s*&>,]*+\b(" + WORD + rb")\b"
_INITIALISED: Final = re.compile(_DECLARATOR + rb"(?=\s*+[({])")
_DECLARED: Final = re.compile(_DECLARATOR + rb"(?=[\s\\]*+[;,:\[])")
_ADDRESS: Final = re.compile(rb"(?<!&)&(?!&)[\s(]*+(" + WORD + rb")")
_COUNTED: Final = re.compile(rb"(?:\+\+|--)[\s(]*+(" + WORD + rb")")
_COUNTED_AFTER: Final = re.compile(rb"\b(" + WORD + rb")" + _MEMBERS + rb"(?:\+\+|--)")
_DEFINES: Final = re.compile(rb"#[ \t]*(?:define|undef)\b")
_PASTES: Final = re.compile(rb"##(?!\s*__VA_ARGS__)")
_PAIRS: Final = ((b"(", b")"), (b"{", b"}"))
_CONTROL: Final = frozenset((b"if", b"else", b"for", b"while", b"do", b"switch"))
_NO_VARIABLES: Final = _CONTROL.union(
    b"auto bool char const constexpr dim3 double float int long short signed size_t sizeof static static_cast uint3"
    b" unsigned void".split()
)
