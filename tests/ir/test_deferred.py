"""A deferred sequence is its items, made once and only for who looks."""

from __future__ import annotations

from analysis.ir.deferred import Deferred


def test_the_items_are_made_at_the_first_look_and_once() -> None:
    made: list[int] = []

    def make() -> tuple[int, ...]:
        made.append(1)
        return 4, 5, 6

    items = Deferred(make)
    assert made == []
    assert list(items) == [4, 5, 6]
    assert (len(items), items[1], items[1:], 5 in items) == (3, 5, (5, 6), True)
    assert made == [1]


def test_it_equals_what_holds_the_same_items() -> None:
    items = Deferred(lambda: (4, 5))
    assert items == (4, 5)
    assert items == Deferred(lambda: (4, 5))
    assert items != (4, 6)
    assert items != 4
