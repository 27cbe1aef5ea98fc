"""Something large is let go a part at a time."""

from __future__ import annotations

import weakref

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
