"""Something large is let go a part at a time."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Sequence

from analysis.ir.pace import pace
from analysis.store.freeing import free_in_turns


class Part:
    def __init__(self, *parts: Part) -> None:
        self.parts = parts


def test_all_of_it_is_freed_with_turns_for_others() -> None:
    whole = Part(*(Part(Part(), Part()) for _ in range(1_000)))
    used = whole.parts[3]
    parts = [weakref.ref(part) for part in (whole, *whole.parts)]
    last: list[object] = [whole]
    del whole
    alive: list[int] = []
    with pace(lambda: alive.append(sum(part() is not None for part in parts))):
        free_in_turns(last)
    assert last == []
    assert [part() for part in parts if part() is not None] == [used]
    assert any(1 < count < 1_000 for count in alive)


def test_what_others_use_is_not_looked_into() -> None:
    used = Part(*(Part() for _ in range(10_000)))
    turns: list[None] = []
    with pace(lambda: turns.append(None)):
        free_in_turns([Part(used, Part())])
    assert turns == []
    assert len(used.parts) == 10_000


class Ring:
    """Its parts know each other, so none of them goes by itself."""

    def __init__(self, count: int) -> None:
        self.parts = [Part() for _ in range(count)]
        for part in self.parts:
            part.parts = (*self.parts,)

    def take_apart(self) -> Sequence[object]:
        for part in self.parts:
            part.parts = ()
        return [self.parts]


def test_what_holds_cycles_takes_itself_apart() -> None:
    ring = Ring(3)
    parts = [weakref.ref(part) for part in ring.parts]
    last: list[object] = [ring]
    del ring
    gc.disable()
    try:
        free_in_turns(last)
        assert [part() for part in parts] == [None, None, None]
    finally:
        gc.enable()
