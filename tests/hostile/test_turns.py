"""While one file is worked on, others get their turn: counted in calls between two checkpoints, not in time.

`python -m benchmarks.turns` measures the same at full size, and says where a stretch is spent.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from analysis.ir.pace import ends_when, pace
from benchmarks.hostile_files import HARMLESS, HOSTILE, Hostile
from benchmarks.turns import everything

LONGEST = 400_000
"""Calls without a checkpoint; so many take some 50 ms."""
SIZES = {
    "conditional expressions": 200,
    "nested loops": 200,
    "else ifs": 200,
    "ifs": 400,
    "lines": 1_500,
    "cases": 1_500,
    "local initialisers": 3_000,
    "local variables": 2_000,
    "barriers": 1_500,
    "shared accesses": 1_000,
    "breaks": 250,
    "parameters": 2_000,
    "functions": 400,
    "overloads": 400,
    "members": 2_000,
    "launches": 1_000,
    "macro definitions": 5_000,
}


def calls_between_turns(text: str) -> tuple[Counter[str], Counter[str]]:
    """By what is done: the most calls between two checkpoints, and all."""
    longest, total = Counter[str](), Counter[str]()
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    def of(name: str, work: Callable[[Callable[[], bool]], Any]) -> Any:
        def end() -> bool:
            nonlocal calls
            longest[name] = max(longest[name], calls)
            total[name] += calls
            calls = 0
            return False

        end()
        sys.setprofile(count)
        try:
            with pace(ends_when(end)):
                return work(end)
        finally:
            sys.setprofile(None)
            end()

    everything(text, of)
    return longest, total


@pytest.mark.parametrize("case", [case for case in HOSTILE if case.name in SIZES], ids=lambda case: case.name)
def test_others_get_their_turn(case: Hostile) -> None:
    everything(HARMLESS, lambda _, work: work(lambda: False))  # what is loaded when it is needed first
    longest, _ = calls_between_turns(case.text(SIZES[case.name]))
    assert {name: calls for name, calls in longest.items() if calls > LONGEST} == {}
