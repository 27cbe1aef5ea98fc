"""Verdicts read as sentences."""

from __future__ import annotations

import pytest

from sim.equivalence.model import (
    BrokenText,
    Confirmed,
    Gap,
    MemoryDiffers,
    NewFault,
    NotChecked,
    NotFewer,
    PrintedDiffers,
    Refuted,
    Verdict,
)
from sim.equivalence.words import verdict_words
from sim.report.model import SourcePlace

PLACE = SourcePlace("a.cu", 12, 3)


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (Confirmed(("ipdom",)), "equal results under 1 policy"),
        (
            Confirmed(("ipdom", "min-pc"), ("counters",), is_order_dependent=True, unexecuted=2, instructions=10),
            "equal results under 2 policies; the kernel has a race, so that policies differ from each other before and"
            " after alike; threads wait for ever under counters, before the change already;"
            " 2 of 10 instructions of the branch never ran",
        ),
        (Refuted("ipdom", MemoryDiffers("x", (3, 1), "1", "2", 1)), "x[3][1] becomes 2 instead of 1 under ipdom"),
        (
            Refuted("min-pc", MemoryDiffers("x", (), "1", "2", 2)),
            "x becomes 2 instead of 1, and 1 more element differs under min-pc",
        ),
        (
            Refuted("min-pc", MemoryDiffers("x", (0,), "1", "2", 3)),
            "x[0] becomes 2 instead of 1, and 2 more elements differ under min-pc",
        ),
        (Refuted("ipdom", PrintedDiffers("a\n", 2, 1)), "prints 'a' 1 time instead of 2 under ipdom"),
        (Refuted("ipdom", NewFault("trap", "the kernel traps", PLACE)), "new fault: the kernel traps, in line 12"),
        (Refuted("ipdom", NotFewer(1000, 1001)), "the kernel then issues 1,001 instructions instead of 1,000"),
        (Refuted(None, BrokenText("it has a syntax error", PLACE)), "it has a syntax error, in line 12"),
        (NotChecked(Gap.TRUNCATED, "the time budget is used up", PLACE), "the time budget is used up, in line 12"),
        (NotChecked(Gap.NO_KERNEL, "no kernel of this file runs it"), "no kernel of this file runs it"),
    ],
)
def test_words(verdict: Verdict, words: str) -> None:
    assert verdict_words(verdict) == words
