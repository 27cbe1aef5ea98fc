from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from simt_lsp.cli.workers import Workers, WorkersCannotStart


def make() -> Callable[[str], str]:
    """A function that does what its argument says; module level, so that it can travel."""

    def work(text: str) -> str:
        if text.startswith("sleep"):
            time.sleep(0.2)
        if text.startswith("hang"):
            time.sleep(60)
        if text.startswith("die"):
            os._exit(7)
        return text.upper()

    return work


def make_nothing() -> Callable[[str], str]:
    os._exit(3)


def make_but_not_first(marker: Path) -> Callable[[str], str]:
    """The first process that gets here ends; the marker's file tells the others that they are not it."""
    try:
        marker.touch(exist_ok=False)
    except FileExistsError:
        return make()
    os._exit(3)


def died(path: str, reason: str) -> str:
    return f"{path}: {reason.removeprefix('the worker process ')}"


def test_results_come_in_the_order_of_the_paths() -> None:
    paths = ["sleep", *(f"p{number}" for number in range(20))]
    assert list(Workers(make, 3, died).run(paths)) == [path.upper() for path in paths]


@pytest.mark.parametrize("count", [1, 2])
def test_a_process_that_dies_costs_its_path_only(count: int) -> None:
    paths = ["a", "die1", "b", "die2", "die3", "c"]
    assert list(Workers(make, count, died).run(paths)) == [
        "A",
        "die1: ended with status 7",
        "B",
        "die2: ended with status 7",
        "die3: ended with status 7",
        "C",
    ]


def test_a_process_that_hangs_costs_its_path_only() -> None:
    paths = ["a", "hang", "b", "c"]
    results = list(Workers(make, 2, died, seconds_per_path=0.5).run(paths))
    assert results == ["A", "hang: was stopped after 0.5 seconds", "B", "C"]


def test_a_process_that_cannot_start_is_an_error_not_a_loop() -> None:
    with pytest.raises(WorkersCannotStart, match="status 3"):
        list(Workers(make_nothing, 2, died).run(["a", "b"]))


def test_a_process_that_dies_at_its_start_leaves_the_paths_to_the_others(tmp_path: Path) -> None:
    workers = Workers(partial(make_but_not_first, tmp_path / "marker"), 2, died)
    assert list(workers.run(["a", "b", "c"])) == ["A", "B", "C"]


def test_a_reader_that_stops_early_leaves_no_process_behind() -> None:
    before = set(multiprocessing.active_children())
    results = Workers(make, 2, died).run(["a", "sleep", "b"])
    assert next(results) == "A"
    assert set(multiprocessing.active_children()) > before
    results.close()
    assert set(multiprocessing.active_children()) == before


def test_no_paths_start_no_process() -> None:
    assert list(Workers(make, 2, died).run([])) == []
