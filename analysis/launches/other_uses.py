"""Kernels that host code names without launching them there: somebody may launch them with any shape.

Question  Are the launches that were found all launches of a kernel in this file?
Rules     A kernel whose name stands more often in a function than it is launched there is used in another way: as a
          function pointer, in a graph node, as a template argument.  Queries of its attributes and its occupancy do
          not launch it; comments and strings do not count.  The initialiser of a variable that is a kernel all the time
          (`kernel_pointers.py`) belongs to the launches of the variable.
Cost      Nearly every function names its kernels once per launch, which a search for the name says; only the others
          are looked at more closely.
Limits    Launches in other files are not seen.  A local variable with the kernel's name counts as a use.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, Protocol, TypeAlias

from analysis.launches.model import Launch
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.lexing import IDENTIFIER, occurrences, without_hidden
from analysis.syntax.translation_unit import TranslationUnit

_QUERIES: Final = re.compile(rb"\b(?:cuda|hip)(?:Func|Occupancy)\w*[^;]*;")

_DECLARED: Final = (
    rb"\b(?!(?:return|new|delete|throw|else|case|goto|sizeof|typename|operator|co_return|co_yield|and|or|not)\b)"
    rb"[A-Za-z_]\w*(?:\s*<[^;{}()]*>)?(?:\s*[*&]+\s*|\s+)(?P<name>%s)\b(?=\s*[=;,)\[{:])"
)
_AFTER_DECLARATOR: Final = re.compile(rb"\s*[=;,)\[{:]")
_BRACKET: Final = re.compile(rb"[(){}]")

UseKey: TypeAlias = tuple[str, bytes, frozenset[bytes]]
Uses: TypeAlias = Mapping[bytes, int]


class UseMemo(Protocol):
    """Keeps how often an item uses each of some names, by its name and text and the names."""

    def get_or_compute(self, key: UseKey, compute: Callable[[], Uses], /) -> Uses: ...


def kernels_used_otherwise(
    unit: TranslationUnit, launches: Mapping[str, tuple[Launch, ...]], memo: UseMemo | None = None
) -> frozenset[str]:
    """Of the kernels that are launched, those that may be launched elsewhere too."""
    names = {name.encode("utf-8", "replace"): name for name in launches}
    known = frozenset(names)
    found: set[str] = set()
    for item in (*unit.items, *unit.included_items) if known else ():
        if known.isdisjoint(item.identifiers) or item.kind not in (ItemKind.FUNCTION, ItemKind.VARIABLE):
            continue
        if not (item.active and item.is_definition):
            continue
        launched = {name: _launched(item, launches[names[name]]) for name in item.identifiers & known}
        named = frozenset(name for name, count in launched.items() if _mentions(item, name) > count)
        if not named:
            continue
        if memo is None:
            uses = uses_of_names(item, named)
        else:
            key = item.name, item.text, named
            uses = memo.get_or_compute(key, lambda item=item, named=named: uses_of_names(item, named))
        found.update(names[name] for name, count in uses.items() if count > launched[name])
    return frozenset(found)


def is_named(unit: TranslationUnit, kernel: str) -> bool:
    """Whether anything in the texts of a unit but its own declarations names a kernel, in whatever way; what `#if`
    leaves out counts, since another build may have it."""
    word = kernel.encode("utf-8", "replace")
    return any(
        word in item.identifiers
        and not (item.is_kernel and item.name == kernel)
        and word in IDENTIFIER.findall(without_hidden(item.text))
        for item in (*unit.items, *unit.included_items)
    )


def _mentions(item: Item, name: bytes) -> int:
    """How often the text names it at most: in comments and longer words too, its own declaration aside."""
    return item.text.count(name) - (item.name.encode("utf-8", "replace") == name)


def uses_of_names(item: Item, names: frozenset[bytes]) -> Uses:
    """How often the text itself, not a macro of it, names each, its own declaration aside."""
    own = item.name.encode("utf-8", "replace")
    text = without_hidden(item.text)
    if b"Func" in text or b"Occupancy" in text:
        text = _QUERIES.sub(b"", text)
    counts = {name: occurrences(_without_hidden(text, name), name) - (name == own) for name in names}
    return {name: count for name, count in counts.items() if count > 0}


def _without_hidden(text: bytes, name: bytes) -> bytes:
    """The text without the scopes of variables that have the name."""
    if not _may_be_declared(text, name):
        return text
    declaration = re.compile(_DECLARED % re.escape(name))
    found = declaration.search(text)
    while found is not None:
        start = found.start("name")
        text = text[:start] + text[_end_of_scope(text, start) :]
        found = declaration.search(text, start)
    return text


def _may_be_declared(text: bytes, name: bytes) -> bool:
    """Whether a declarator may end with the name somewhere: a hundredth of the work of looking what stands before."""
    at = text.find(name)
    while at >= 0:
        at += len(name)
        if _AFTER_DECLARATOR.match(text, at) is not None:
            return True
        at = text.find(name, at)
    return False


def _end_of_scope(text: bytes, start: int) -> int:
    """Of a local variable the end of its block; of a parameter, or a variable of a `for`, that of the next block."""
    depth = 0
    brackets = 0
    for found in _BRACKET.finditer(text, start):
        bracket = found[0]
        brackets += (bracket == b"(") - (bracket == b")")
        depth += (bracket == b"{") - (bracket == b"}")
        ends_next_block = brackets < 0 and depth == 0
        if bracket == b"}" and (depth < 0 or ends_next_block):
            return found.start()
    return len(text)


def _launched(item: Item, launches: Iterable[Launch]) -> int:
    return sum(
        launch.names_kernel and launch.path == item.path and item.span.start <= launch.span.start < item.span.end
        for launch in launches
    )
