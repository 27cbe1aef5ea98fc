"""Paced loops reach the checkpoint of the analysis around them, and none outside."""

from __future__ import annotations

import pytest

from analysis.ir.pace import no_pace, pace, paced


def test_every_so_many_rounds_the_checkpoint_is_called() -> None:
    calls: list[int] = []
    seen: list[int] = []
    with pace(lambda: calls.append(len(seen))):
        for item in paced(range(10), 3):
            seen += [item]
    assert (seen, calls) == (list(range(10)), [2, 5, 8])


def test_outside_of_an_analysis_and_inside_of_an_answer_nothing_is_called() -> None:
    calls: list[str] = []
    list(paced(range(10), 2))
    with pace(lambda: calls.append("outer")), pace(no_pace):
        list(paced(range(10), 2))
    assert calls == []


def test_what_the_checkpoint_raises_ends_the_loop() -> None:
    def stop() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError), pace(stop):
        list(paced(range(10), 2))
