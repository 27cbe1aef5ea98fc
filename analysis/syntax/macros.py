"""Macro definitions and what is defined when.

Words    *Order* is a position in the sequence in which a translation unit is preprocessed: file, headers and all.
Rules    A table keeps the whole history of each name, so a question about any order is answered after the fact.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Final, Protocol, final

from analysis.ir.pace import paced, spend
from analysis.ir.record import record
from analysis.ir.source import Span

_QUALIFIER: Final = re.compile(rb"\b__(?:host|device|global)__\b")


@final
@dataclass(frozen=True)
class MacroDefinition:
    """One `#define`; `parameters` is None for an object macro. `span` is absolute in the file `path`."""

    name: bytes
    parameters: tuple[bytes, ...] | None
    variadic: bool
    body: bytes
    path: str
    span: Span

    @cached_property
    def digest(self) -> bytes:
        """Equal for definitions that mean the same, wherever they stand."""
        listed = b"" if self.parameters is None else b"(" + b",".join(self.parameters) + b")"
        return blake2b(
            self.name + listed + (b"..." if self.variadic else b"") + b" " + self.body, digest_size=16
        ).digest()


class MacroLookup(Protocol):
    """Anything that knows what a name means as a macro."""

    def get(self, name: bytes, /) -> MacroDefinition | None: ...


class MacroSet(MacroLookup, Protocol):
    """One that can also be asked for many names at once."""

    def among(self, words: frozenset[bytes], /) -> frozenset[bytes]:
        """Those of the words that are macros."""
        ...


_OF_CUDA: Final = frozenset(
    b"__host__ __device__ __global__ __shared__ __constant__ __managed__ __forceinline__ __launch_bounds__ __align__ "
    b"__grid_constant__".split()
)
"""Keywords here, and macros of the header that CUDA's and HIP's compilers read before the first line."""


def is_defined(name: bytes, macros: MacroLookup) -> bool:
    """What `#ifdef` asks."""
    return name in _OF_CUDA or macros.get(name) is not None


@final
class MacroTable:
    """The history of all macros of a translation unit."""

    def __init__(self) -> None:
        self.current: dict[bytes, MacroDefinition] = {}
        self._history: dict[bytes, list[tuple[int, MacroDefinition | None]]] = {}
        self.left_out: dict[bytes, frozenset[bytes]] = {}
        """Qualifiers of functions in definitions that stand in regions that are left out, by the name of the macro."""

    @property
    def names(self) -> "dict[bytes, list[tuple[int, MacroDefinition | None]]]":
        """Every name that was ever a macro, as the keys of a mapping (for fast intersection)."""
        return self._history

    def define(self, definition: MacroDefinition, order: int) -> None:
        self.current[definition.name] = definition
        self._history.setdefault(definition.name, []).append((order, definition))

    def leave_out(self, name: bytes, body: bytes) -> None:
        """A definition in a region that is left out."""
        qualifiers = frozenset(_QUALIFIER.findall(body))
        if qualifiers:
            self.left_out[name] = self.left_out.get(name, frozenset()) | qualifiers

    def undefine(self, name: bytes, order: int) -> None:
        if self.current.pop(name, None) is not None:
            self._history[name].append((order, None))

    def copy(self) -> "MacroTable":
        """Another table with the same history, which may go on in another way."""
        other = MacroTable()
        other.current, other.left_out = dict(self.current), dict(self.left_out)
        other._history = dict(zip(self._history, map(list, self._history.values()), strict=True))
        return other

    def get(self, name: bytes, order: int) -> MacroDefinition | None:
        """What `name` means just after `order`."""
        history = self._history.get(name)
        if history is None:
            return None
        if len(history) == 1:
            defined, definition = history[0]
            return definition if defined <= order else None
        index = bisect_right(history, order, key=_order_of)
        return history[index - 1][1] if index else None

    def settled_since(self, names: Iterable[bytes]) -> int | None:
        """The order from which on none of these names changes its meaning; None if that is not simply known."""
        since = 0
        for name in names:
            history = self._history.get(name)
            if history is not None:
                if len(history) > 1:
                    return None
                since = max(since, history[0][0])
        return since

    def means_the_same(self, other: "MacroTable") -> bool:
        """Whether each name means the same in both at every order, wherever that was said."""
        own, theirs = self._history, other._history
        if own == theirs:  # as nearly always: of all versions a definition is one object
            return True
        if own.keys() != theirs.keys():
            return False
        spend(len(own) // 10)
        different = [(history, theirs[name]) for name, history in own.items() if history != theirs[name]]
        return all(
            len(history) == len(known) and all(map(_means_the_same, history, known))
            for history, known in paced(different, 3)
        )

    def view(self, order: int) -> "MacroView":
        return MacroView(self, order)


@final
@record
class MacroView:
    """The macros visible at one order."""

    table: MacroTable
    order: int

    def get(self, name: bytes) -> MacroDefinition | None:
        return self.table.get(name, self.order)

    def among(self, words: frozenset[bytes]) -> frozenset[bytes]:
        """Those of the words that are macros."""
        return frozenset([name for name in self.table.names.keys() & words if self.get(name) is not None])


def _means_the_same(one: tuple[int, MacroDefinition | None], other: tuple[int, MacroDefinition | None]) -> bool:
    (order, definition), (other_order, other_definition) = one, other
    if definition is other_definition or definition is None or other_definition is None:
        return order == other_order and definition is other_definition
    return order == other_order and definition.digest == other_definition.digest


def _order_of(entry: tuple[int, MacroDefinition | None]) -> int:
    return entry[0]
