"""What a store keeps: everything in use, and spare results up to their weight."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

import analysis.ir.pace as pace_module
from analysis.ir.pace import pace
from analysis.store.kept import Store, Table


def number_table(spare: int) -> tuple[Store, Table[int, int]]:
    """A table of numbers that weigh as much as they say."""
    store = Store()
    return store, store.table("numbers", lambda number: number, spare)


def ask(table: Table[int, int], numbers: Iterable[int]) -> list[int]:
    """Asks for the numbers and says which of them had to be computed."""
    computed: list[int] = []

    def compute(number: int) -> int:
        computed.append(number)
        return number

    for number in numbers:
        assert table.get_or_compute(number, lambda number=number: compute(number)) == number
    return computed


def version(store: Store, table: Table[int, int], file: str, numbers: Iterable[int]) -> list[int]:
    with store.version_of(file):
        return ask(table, numbers)


def test_what_the_newest_version_uses_stays_whatever_it_weighs() -> None:
    store, table = number_table(spare=0)
    assert version(store, table, "a.cu", [100, 200]) == [100, 200]
    assert version(store, table, "b.cu", [300]) == [300]
    assert version(store, table, "a.cu", [100, 200]) == []


def test_what_it_no_longer_uses_is_spare_and_goes_by_weight_the_oldest_first() -> None:
    store, table = number_table(spare=30)
    version(store, table, "a.cu", [10, 20])
    version(store, table, "a.cu", [20])
    version(store, table, "a.cu", [5])
    assert version(store, table, "a.cu", [20]) == []
    version(store, table, "a.cu", [7])
    assert version(store, table, "a.cu", [10]) == [10]


def test_a_result_that_two_files_use_stays_until_both_let_it_go() -> None:
    store, table = number_table(spare=0)
    version(store, table, "a.cu", [10])
    assert version(store, table, "b.cu", [10]) == []
    store.release("a.cu")
    assert version(store, table, "b.cu", [10]) == []
    store.release("b.cu")
    assert version(store, table, "b.cu", [10]) == [10]


def test_a_closed_file_takes_along_what_was_spare_because_of_it() -> None:
    store, table = number_table(spare=1000)
    version(store, table, "a.cu", [10, 20])
    version(store, table, "b.cu", [20, 30])
    version(store, table, "a.cu", [20])
    version(store, table, "b.cu", [20])
    store.release("a.cu")
    assert (store.statistics()[0].entries, store.statistics()[0].weight) == (2, 50)
    assert version(store, table, "b.cu", [20, 30]) == []
    assert version(store, table, "a.cu", [10]) == [10]


def test_a_cancelled_version_takes_nothing_away() -> None:
    store, table = number_table(spare=0)
    version(store, table, "a.cu", [10, 20])

    def cancelled() -> int:
        ask(table, [30])
        raise TimeoutError

    with pytest.raises(TimeoutError), store.version_of("a.cu"):
        table.get_or_compute(40, cancelled)
    assert version(store, table, "a.cu", [10, 20, 30]) == []


def test_what_could_not_be_computed_is_not_kept() -> None:
    store, table = number_table(spare=0)

    def fail() -> int:
        raise ZeroDivisionError

    with store.version_of("a.cu"), pytest.raises(ZeroDivisionError):
        table.get_or_compute(1, fail)
    store.release("a.cu")
    assert version(store, table, "a.cu", [1]) == [1]


def test_statistics_count_questions_answers_and_weight() -> None:
    store, table = number_table(spare=100)
    version(store, table, "a.cu", [10, 20])
    version(store, table, "a.cu", [20])
    (found,) = store.statistics()
    assert (found.name, found.asked, found.found, found.entries, found.weight) == ("numbers", 3, 1, 2, 30)


def test_a_version_may_begin_while_another_is_worked_on() -> None:
    store = Store()
    table: Table[str, int] = store.table("numbers", lambda value: value, 0)
    with store.version_of("outer"):
        table.get_or_compute("before", lambda: 1)
        with store.version_of("inner"):
            table.get_or_compute("inside", lambda: 2)
        table.get_or_compute("after", lambda: 3)
    store.release("inner")
    assert [table.get_or_compute(key, lambda: 0) for key in ("before", "inside", "after")] == [1, 0, 3]


def test_what_went_while_another_version_was_worked_on_is_not_in_use() -> None:
    store, table = number_table(spare=0)
    with store.version_of("outer"):
        ask(table, [10])
        version(store, table, "inner", [10])
        version(store, table, "inner", [])
    store.release("outer")
    assert version(store, table, "outer", [10]) == [10]


def test_what_is_asked_for_while_no_version_is_worked_on_is_spare() -> None:
    store, table = number_table(spare=30)
    version(store, table, "a.cu", [100])
    assert ask(table, [100, 10, 20]) == [10, 20]
    assert ask(table, [10, 20]) == []
    assert ask(table, [15, 10, 15]) == [15, 10], "both others went, the oldest first"
    assert version(store, table, "a.cu", [15, 100]) == []


def test_a_version_that_is_worked_on_holds_what_it_asked_for() -> None:
    store, table = number_table(spare=0)
    with store.version_of("outer"):
        ask(table, [10])
        version(store, table, "inner", [10])
        version(store, table, "inner", [])
        assert ask(table, [10]) == []


def test_a_later_version_of_a_file_may_end_while_an_earlier_one_is_worked_on() -> None:
    store, table = number_table(spare=0)
    version(store, table, "a.cu", [1, 2])
    with store.version_of("a.cu"):
        ask(table, [2, 3])
        version(store, table, "a.cu", [3, 4])
        assert ask(table, [1, 4]) == [1]
    assert version(store, table, "a.cu", [1, 3, 4]) == []
    assert store.statistics()[0].entries == 3


def test_what_a_file_asks_for_after_it_was_closed_is_not_in_use() -> None:
    store, table = number_table(spare=0)
    with store.version_of("a.cu"):
        ask(table, [1, 2])
        store.release("a.cu")
        ask(table, [2, 3])
    assert store.statistics()[0].entries == 0


class Stopped(Exception):
    pass


@pytest.mark.parametrize("spare", [0, 40, 10_000])
def test_wherever_a_turn_ends_the_work_it_can_go_on_later(spare: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace_module, "TURN", 1)
    first, second, other = range(1, 20), range(10, 30), range(5, 15)

    def play(stop: int) -> tuple[Store, Table[int, int], bool]:
        """Two versions of a file beside another file, which is closed; checkpoint number `stop` ends a step."""
        store, table = number_table(spare)
        left = stop

        def checkpoint() -> None:
            nonlocal left
            left -= 1
            if left == 0:
                raise Stopped

        version(store, table, "a.cu", first)
        version(store, table, "b.cu", other)
        stopped = False
        for step in (lambda: version(store, table, "a.cu", second), lambda: store.release("b.cu")):
            try:
                with pace(checkpoint):
                    step()
            except Stopped:
                stopped = True
        return store, table, stopped

    stop = 1
    while True:
        store, table, stopped = play(stop)
        assert version(store, table, "a.cu", second) == [], "what is in use stays"
        store.release("b.cu")
        entries, weight = store.statistics()[0].entries, store.statistics()[0].weight
        assert weight <= sum(second) + spare
        if spare == 0:
            assert entries == len(second)
        store.release("a.cu")
        assert store.statistics()[0].entries == 0
        if not stopped:
            break
        stop += 1
    assert stop >= 15


def test_others_may_open_and_close_files_at_each_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace_module, "TURN", 1)
    store, table = number_table(spare=0)
    numbers = iter(range(1_000_000))
    is_inside = False

    def checkpoint() -> None:
        nonlocal is_inside
        if is_inside:
            return
        is_inside = True
        turn = next(numbers)
        version(store, table, "ab"[turn % 2], range(turn % 7, turn % 7 + 5))
        if turn % 3 == 0:
            store.release("abc"[turn % 9 // 3])
        is_inside = False

    with pace(checkpoint):
        for start in range(60):
            version(store, table, "c", range(start % 11, start % 11 + 8))
            store.release("b")
    for file in "ab":
        version(store, table, file, range(3))
    assert version(store, table, "c", range(5)) == [3, 4] or store.statistics()[0].entries == 5
    for file in "abc":
        store.release(file)
    assert store.statistics()[0].entries == 0


def test_large_results_are_handed_over_and_nobody_waits_until_they_are_free() -> None:
    handed: list[object] = []

    def let_go(last: list[object]) -> None:
        handed.extend(last)
        last.clear()

    store = Store(let_go)
    table: Table[int, int] = store.table("numbers", lambda number: number, 20_000)
    version(store, table, "a.cu", [15_000, 7])
    version(store, table, "a.cu", [1])
    assert handed == []
    version(store, table, "b.cu", [16_000])
    version(store, table, "b.cu", [2])
    assert handed == [15_000]
    store.release("b.cu")
    assert handed == [15_000, 16_000]
