"""Remove from an item what its inner conditionals leave out, without moving anything.

Rules    Directives and regions that are not taken become spaces; line ends stay.  So every offset stays what it was.
         An `#else` or `#elif` without its `#if` means that the item begins in the branch before it: what follows up to
         its `#endif` is left out.  An `#endif` alone is ignored (see rule 3 of `skeleton`).
         `#define` and `#undef` inside the item count from their line on.
"""

import re
from collections.abc import Callable
from typing import Final, final

from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.syntax import directives
from analysis.syntax.conditions import evaluate
from analysis.syntax.directives import Conditional, Define, Opening, Undefine, parse_directive
from analysis.syntax.lexing import DIRECTIVE, HIDDEN, starts_line
from analysis.syntax.macros import MacroDefinition, MacroLookup, is_defined


@final
@record
class ItemText:
    """An item's text without directives, the macros that it defines itself, and its pragmas by offset."""

    text: bytes
    local: "LocalMacros"
    pragmas: tuple[tuple[int, bytes], ...]
    unreadable: tuple[Span, ...]


@final
class LocalMacros:
    """The macros of the surroundings, changed by the definitions inside an item up to `position`."""

    def __init__(self, outer: MacroLookup) -> None:
        self._outer = outer
        self._events: dict[bytes, list[tuple[int, MacroDefinition | None]]] = {}
        self.position: int | None = None

    def get(self, name: bytes) -> MacroDefinition | None:
        events = self._events.get(name)
        if events is not None:
            for at, definition in reversed(events):
                if self.position is None or at <= self.position:
                    return definition
        return self._outer.get(name)

    def set(self, name: bytes, definition: MacroDefinition | None, position: int) -> None:
        self._events.setdefault(name, []).append((position, definition))

    @property
    def names(self) -> "frozenset[bytes]":
        return frozenset(self._events)


def select_regions(
    text: bytes, macros: MacroLookup, path: str, has_include: Callable[[bytes], bool] = lambda _: False
) -> ItemText:
    """Blank the directives of `text` and all that they leave out."""
    local = LocalMacros(macros)
    pragmas: list[tuple[int, bytes]] = []
    unreadable: list[Span] = []
    blanks: list[tuple[int, int]] = []
    branches: list[tuple[bool, bool]] = []  # (outer was active, some branch was taken)
    active = True
    cut = 0
    for start, end in _directive_spans(text):
        directive = parse_directive(text[start:end])
        was_active = active
        match directive:
            case Opening() | directives.Alternative() | directives.Else():
                if isinstance(directive, Opening):
                    outer, taken = active, False
                else:
                    outer, taken = branches.pop() if branches else (True, True)
                active = outer and not taken
                if active and not isinstance(directive, directives.Else):
                    value = _holds(directive, local, has_include)
                    if value is None:
                        unreadable.append(Span(start, end))
                    active = bool(value)
                branches.append((outer, taken or active))
            case directives.EndIf():
                active = branches.pop()[0] if branches else active
            case Define() if active:
                definition = MacroDefinition(
                    directive.name, directive.parameters, directive.variadic, directive.body, path, Span(start, end)
                )
                local.set(directive.name, definition, end)
            case Undefine() if active:
                local.set(directive.name, None, end)
            case directives.Pragma() if active:
                pragmas.append((start, directive.text))
            case _:
                pass
        blanks.append((start if was_active else cut, end))
        cut = end
    if not active:
        blanks.append((cut, len(text)))
    return ItemText(_blanked(text, blanks), local, tuple(pragmas), tuple(unreadable))


def _holds(
    directive: Opening | directives.Alternative, macros: MacroLookup, has_include: Callable[[bytes], bool]
) -> bool | None:
    match directive.kind:
        case Conditional.IFDEF | Conditional.ELIFDEF:
            return is_defined(directive.condition.split(b" ")[0], macros)
        case Conditional.IFNDEF | Conditional.ELIFNDEF:
            return not is_defined(directive.condition.split(b" ")[0], macros)
        case Conditional.IF | Conditional.ELIF:
            return evaluate(directive.condition, macros, has_include)


def _directive_spans(text: bytes) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    position = 0
    while (match := _HASH.search(text, position)) is not None:
        position = match.end()
        if match[0] == b"#" and starts_line(text, match.start()):
            directive = DIRECTIVE.match(text, match.start())
            position = directive.end() if directive else position
            spans.append((match.start(), position))
    return spans


def _blanked(text: bytes, ranges: list[tuple[int, int]]) -> bytes:
    parts: list[bytes] = []
    position = 0
    for start, end in ranges:
        parts.append(text[position:start])
        parts.append(blank(text[start:end]))
        position = end
    parts.append(text[position:])
    return b"".join(parts)


def blank(text: bytes) -> bytes:
    """Spaces of the same length; line ends stay."""
    return text.translate(_BLANK)


_BLANK: Final = bytes(byte if byte in b"\n\r" else 0x20 for byte in range(256))
_HASH: Final = re.compile(rb"#|" + HIDDEN.pattern, re.DOTALL)
