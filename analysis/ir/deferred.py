"""`Deferred`: a frozen sequence that is made when somebody first looks at it.

For records that grow with the program and that few ask for: what each expression of an inlined function is worth is
one record per instruction, and only who points at an expression, or reads a finding about it, wants to know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar, final, overload

Item = TypeVar("Item")


@final
class Deferred(Sequence[Item]):
    """Equal to any sequence of the same items; `make` is called at most once, and must depend on frozen data alone."""

    __slots__ = ("_items", "_make")

    def __init__(self, make: Callable[[], tuple[Item, ...]]) -> None:
        self._make: Callable[[], tuple[Item, ...]] | None = make
        self._items: tuple[Item, ...] = ()

    def _made(self) -> tuple[Item, ...]:
        if self._make is not None:
            self._items = self._make()
            self._make = None
        return self._items

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Item, ...]: ...
    def __getitem__(self, index: int | slice) -> Item | tuple[Item, ...]:
        return self._made()[index]

    def __len__(self) -> int:
        return len(self._made())

    def __iter__(self) -> Iterator[Item]:
        return iter(self._made())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._made() == tuple(other)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __repr__(self) -> str:
        return repr(self._made())
