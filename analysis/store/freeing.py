"""Something large is let go a part at a time, with turns for others.

Reason   The last reference to what is known of a function of 100,000 lines frees millions of objects in one go.
How      As reference counts do it, but step by step: of what nobody else refers to, the parts are held, then it is let
         go, which frees it alone; then its parts have their turn.  What others refer to stays, and is not looked into.
         What knows its parts in cycles takes itself apart first (`TakenApart`).
Memory   What is not freed yet of the whole, and a list of those parts that come next.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from sys import getrefcount
from typing import Final, Protocol, runtime_checkable

from analysis.ir.pace import spend

_PIECE: Final = 1_000
"""So many parts of one whole are looked at in a turn."""


@runtime_checkable
class TakenApart(Protocol):
    """What would not be freed by reference counts alone, or all at once."""

    def take_apart(self) -> Sequence[object]:
        """Ends all cycles, with turns for others; what is still to be freed."""
        ...


def free_in_turns(last: list[object]) -> None:
    """Empties a list that holds the last references."""
    held = last.copy()
    last.clear()
    takes_apart: dict[type, bool] = {}
    while held:
        spend(1)
        part = held.pop()
        if getrefcount(part) > _ALONE:
            continue
        kind = type(part)
        is_taken_apart = takes_apart.get(kind)
        if is_taken_apart is None:
            is_taken_apart = takes_apart[kind] = issubclass(kind, TakenApart)
        if is_taken_apart:
            assert isinstance(part, TakenApart)
            held.extend(part.take_apart())
        inner = gc.get_referents(part)
        part = None
        for start in range(0, len(inner), _PIECE):
            piece = inner[start : start + _PIECE]
            spend(len(piece) // _LOOKED_AT_IN_A_ROUND)
            held += [one for one in piece if gc.is_tracked(one)]
        inner = piece = None


_LOOKED_AT_IN_A_ROUND: Final = 10


def _references_to_one_that_is_held_by_a_variable() -> int:
    """As the interpreter counts them; not all versions count those of variables."""
    held: list[object] = [object()]
    part = held.pop()
    return getrefcount(part)


_ALONE: Final = _references_to_one_that_is_held_by_a_variable()
