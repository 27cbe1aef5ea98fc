"""Which bodies of functions say nothing to host code?

Question  What of a text can be edited without a change of any launch, and of what host functions are passed?
Rules     A body is out of sight if only the device runs it, it launches nothing, its directives say nothing about what
          follows, and it names none of some words (`seen_words`): those of the host code around, and kernels that are
          asked about.  Device code that launches, and what calls it, counts as host code.
          The body of a host function says nothing either if it names none of these, nor a function that launches, nor
          one from which such a function is reached (`launching_words`), and is no single `return`, which callers
          compute.  Its head is seen, which says whether it may write to its arguments.
          Only what an item's own text and the macros of its unit say is asked, so that bodies that are out of sight
          in two versions of a text may be exchanged.
Cost      One look at the identifiers of an item, and two searches in its text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import Final, final

from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.launches.model import Launch
from analysis.syntax.evaluated_bodies import does_more_than_return
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.lexing import IDENTIFIER, LAUNCH, stretches, without_hidden
from analysis.syntax.macros import MacroTable
from analysis.syntax.translation_unit import TranslationUnit

# launch functions → positions of grid, block and shared memory size among their arguments; the kernel comes first
LAUNCH_CALLS: Final[Mapping[bytes, tuple[int, int, int]]] = {
    b"hipLaunchKernelGGL": (1, 2, 3),
    b"hipLaunchKernel": (1, 2, 4),
    b"hipLaunchCooperativeKernel": (1, 2, 4),
    b"cudaLaunchKernel": (1, 2, 4),
    b"cudaLaunchCooperativeKernel": (1, 2, 4),
}

_LAUNCHES: Final = re.compile(LAUNCH.pattern + b"|" + b"|".join(LAUNCH_CALLS))
_PASTES_OR_SAYS_HOST: Final = re.compile(rb"##|__host__")
_DIRECTIVE: Final = re.compile(
    rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif|pragma(?=[ \t]+(?!once\b)))\b", re.MULTILINE
)
_OPENING: Final = frozenset({b"if", b"ifdef", b"ifndef"})
_LOCAL_RECORDS: Final = frozenset({b"struct", b"class", b"union"})
"""The constants of a record's members are read wherever they stand in it."""


@final
@record
class SeenBy:
    """The words by which bodies are seen that only the device runs, and those by which host bodies are."""

    device: frozenset[bytes]
    host: frozenset[bytes]
    bodies: frozenset[bytes] = frozenset()
    """Host functions whose own bodies are seen, whatever they name."""

    def with_bodies(self, names: Iterable[str]) -> SeenBy:
        """These, and the bodies of host functions that callers compute with."""
        bodies = self.bodies.union(name.encode("utf-8", "replace") for name in names)
        return self if bodies == self.bodies else SeenBy(self.device, self.host, bodies)

    def with_functions(self, names: frozenset[bytes]) -> SeenBy:
        """These, and host functions that are asked about."""
        return self if names <= self.host else SeenBy(self.device, self.host | names, self.bodies)

    def with_kernels(self, names: frozenset[bytes]) -> SeenBy:
        """These, and kernels that are asked about."""
        return SeenBy(self.device | names, self.host | names, self.bodies)


@final
@record
class Outline:
    """The text of a file without the bodies that are out of sight: the parts between them, and where each begins."""

    parts: tuple[bytes, ...]
    starts: tuple[int, ...]

    def moved(self, launch: Launch, now: Outline) -> Launch:
        """A launch of this text, where it stands in another one of the same outline."""
        index = bisect_right(self.starts, launch.span.start) - 1
        distance = now.starts[index] - self.starts[index]
        return launch if distance == 0 else launch.moved(distance)


def outline(path: str, unit: TranslationUnit, words: SeenBy) -> Outline:
    """That of a file that was read for a unit; `words` are those that bodies are seen by."""
    text = unit.text_of(path) or b""
    items = unit.items if path == unit.path else unit.included_items
    bodies = [item for item in paced(items, 2) if item.path == path and says_nothing(item, words, unit.macros)]
    parts: list[bytes] = []
    starts = [0]
    for item in sorted(bodies, key=lambda item: item.span.start):
        brace = item.text.find(b"{")
        if brace >= 0 and item.span.start >= starts[-1]:
            parts.append(text[starts[-1] : item.span.start + brace])
            starts.append(item.span.end)
    parts.append(text[starts[-1] :])
    return Outline(tuple(parts), tuple(starts))


def says_nothing(item: Item, words: SeenBy, macros: MacroTable) -> bool:
    """Whether no launch, and nothing that a launching function is passed, depends on the body, whoever runs it."""
    if item.name.encode("utf-8", "replace") in words.bodies:
        return False
    if item.is_device:
        return is_out_of_sight(item, words.device)
    is_plain = not item.in_class and item.name != "main" and _is_out_of_sight(item, words.host)
    return is_plain and does_more_than_return(item, macros)


def is_out_of_sight(item: Item, words: frozenset[bytes]) -> bool:
    """Whether only the device runs the body, and it says nothing to host code that is read by `words`."""
    return item.is_device and _is_out_of_sight(item, words)


def _is_out_of_sight(item: Item, words: frozenset[bytes]) -> bool:
    is_body = item.kind is ItemKind.FUNCTION and item.is_definition and item.active
    if not is_body or item.is_constexpr or item.from_macro:
        return False
    if item.in_class and not _LOCAL_RECORDS.isdisjoint(item.identifiers):
        return False
    if _has_launch(item):
        return False
    own = item.name.encode("utf-8", "replace")
    named = words & item.identifiers
    if b"#" not in item.text and (not named or (named == frozenset({own}) and item.text.count(own) == 1)):
        return True
    shown = without_hidden(item.text)
    every = (word for start, end in stretches(shown) for word in IDENTIFIER.findall(shown, start, end))
    found = [word for word in every if word in words]
    return found in ([], [own]) and _keeps_to_itself(shown)


def _keeps_to_itself(text: bytes) -> bool:
    """Whether its directives, if there are any, say nothing about the text behind it."""
    directives = _DIRECTIVE.findall(text) if b"#" in text else []
    if len(directives) != text.count(b"#"):
        return False
    depth = 0
    for name in directives:
        depth += name in _OPENING
        if depth == 0 and name != b"pragma":
            return False
        depth -= name == b"endif"
    return depth == 0


def seen_words(unit: TranslationUnit) -> frozenset[bytes]:
    """The words by which host code sees the body of a device function, whatever kernels are asked about."""
    macros = launching_macros(unit)
    others = macros_that(unit, _PASTES_OR_SAYS_HOST)
    words = frozenset((*LAUNCH_CALLS, *macros, *others, b"__host__"))
    functions = [
        item
        for item in paced((*unit.items, *unit.included_items))
        if item.is_device and item.kind is ItemKind.FUNCTION and item.active and item.is_definition
    ]
    launching = [item for item in paced(functions) if mentions_launch(item, macros)]
    while more := names_of(launching) - words:
        words |= more
        launching = [item for item in paced(functions) if not more.isdisjoint(item.identifiers)]
    return words


def launching_words(items: Iterable[Item], launching: Iterable[Item]) -> frozenset[bytes]:
    """The names of functions that launch, and of those from which they are reached by name."""
    functions = [one for one in paced(items) if one.kind is ItemKind.FUNCTION and one.active and one.is_definition]
    words = frozenset[bytes]()
    named = names_of(launching)
    while more := named - words:
        words |= more
        named = names_of(one for one in paced(functions) if not more.isdisjoint(one.identifiers))
    return words


def launching_macros(unit: TranslationUnit) -> frozenset[bytes]:
    """Macros whose replacement launches something."""
    return macros_that(unit, _LAUNCHES)


def macros_that(unit: TranslationUnit, says: re.Pattern[bytes]) -> frozenset[bytes]:
    """Macros in whose replacement that is found, and those that use them."""
    bodies = [
        (name, definition.body)
        for name, history in paced(unit.macros.names.items())
        for _, definition in history
        if definition is not None
    ]
    found: set[bytes] = set()
    if says.search(b"\n".join([body for _, body in bodies])) is None:
        return frozenset()
    new = {name for name, body in paced(bodies) if says.search(body) is not None}
    while new:
        found |= new
        uses = re.compile(rb"(?<![\w$])(?:%s)(?![\w$])" % b"|".join(map(re.escape, sorted(new))))
        new = {name for name, body in paced(bodies) if name not in found and uses.search(body) is not None}
    return frozenset(found)


def mentions_launch(item: Item, macros: frozenset[bytes]) -> bool:
    """Whether the text of a function, or a macro that it uses, may launch something."""
    words = item.identifiers
    return _has_launch(item) or not words.isdisjoint(LAUNCH_CALLS) or not words.isdisjoint(macros)


def _has_launch(item: Item) -> bool:
    """Whether `<<<` stands in a text, but for comments and strings (`">>> ... <<<"`)."""
    return LAUNCH.search(item.text) is not None and LAUNCH.search(without_hidden(item.text)) is not None


def names_of(items: Iterable[Item]) -> frozenset[bytes]:
    """What they define, as words."""
    return frozenset(item.name.encode("utf-8", "replace") for item in paced(items))
