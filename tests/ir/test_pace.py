"""Paced loops reach the checkpoint of the analysis around them, and none outside."""

from __future__ import annotations

import pytest

from analysis.ir.pace import SHORT, TURN, no_pace, pace, paced, popped, spend


def test_every_so_many_rounds_the_checkpoint_is_called() -> None:
    calls: list[int] = []
    seen: list[int] = []
    with pace(lambda: calls.append(len(seen))):
        for item in paced(range(10), TURN // 3):
            seen += [item]
    assert (seen, calls) == (list(range(10)), [3, 7])


def test_what_is_popped_counts_like_any_round_and_more_may_be_pushed() -> None:
    calls: list[int] = []
    stack = [3]
    with pace(lambda: calls.append(len(stack))):
        for item in popped(stack, TURN):
            stack += range(item)
    assert stack == []
    assert len(calls) == 8


def test_short_loops_inside_a_long_one_count_together() -> None:
    calls: list[int] = []
    with pace(lambda: calls.append(0)):
        for _ in range(TURN // SHORT):
            assert list(paced(list(range(SHORT)))) == list(range(SHORT))
    assert len(calls) == 1


def test_what_is_no_loop_says_how_much_it_does() -> None:
    calls: list[int] = []
    with pace(lambda: calls.append(0)):
        spend(TURN - 1)
        assert calls == []
        spend(1)
    assert len(calls) == 1


def test_outside_of_an_analysis_and_inside_of_an_answer_nothing_is_called() -> None:
    calls: list[str] = []
    list(paced(range(10), TURN))
    with pace(lambda: calls.append("outer")), pace(no_pace):
        list(paced(range(10), TURN))
    assert calls == []


def test_what_the_checkpoint_raises_ends_the_loop() -> None:
    def stop() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError), pace(stop):
        list(paced(range(10), TURN))
