"""What a store keeps: everything in use, and spare results up to their weight."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

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
