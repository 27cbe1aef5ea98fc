"""Does a launch that is said to part threads at a barrier do so?

Each barrier becomes a counter of the thread's own: those who are said to arrive count further than those who are said
not to.  A witness names numbers alone; where it also assumes what data decide, nothing is asked.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from analysis.facts.barrier_records import BarrierRecord
from analysis.verdict.barriers import Tier
from analysis.verdict.witness import Witness
from sim.specification import Budget
from tests.missed_barriers.kernels import THREADS, Kernel
from tests.missed_barriers.referee import analyzed
from tests.sim.running import run

_BARRIER = "__syncthreads();"


def refuted(kernel: Kernel) -> tuple[list[str], int]:
    """What a run contradicts, and how many witnesses were asked."""
    asked = list(_asked(kernel))
    wrong = [f"{witness}\n{kernel.faulty}" for place, witness in asked if not parts(kernel, place, witness)]
    return wrong, len(asked)


def _asked(kernel: Kernel) -> Iterator[tuple[int, Witness]]:
    """Witnesses, each with the place of its barrier in the text."""
    analysis = analyzed(kernel.faulty.encode())
    for record in analysis.barrier_records(analysis.facts.functions[0], lambda _site, _evidence: True):
        witness = _witness(record)
        if witness is not None and {name for name, _ in witness.arguments} <= {"n"}:
            yield record.barrier.start, witness


def _witness(record: BarrierRecord) -> Witness | None:
    witness = record.witness
    return None if witness is None or witness.assumed or record.tier is not Tier.PROVEN else witness


def parts(kernel: Kernel, place: int, witness: Witness) -> bool:
    """Do the threads that arrive at the barrier at `place` come there more often than those that are missing?"""
    counted = kernel.faulty[:place] + "c[t]++;" + kernel.faulty[place + len(_BARRIER) :]
    text = counted.replace(_BARRIER, "").replace("int n) {", "int n, int *c) {", 1)
    draw = np.random.default_rng(5)
    arguments = {
        "x": draw.integers(0, 99, THREADS).astype(np.int32),
        "y": draw.integers(0, 6, THREADS).astype(np.int32),
        "n": dict(witness.arguments).get("n", THREADS),
        "c": np.zeros(THREADS, np.int32),
    }
    result = run(text, arguments, block=THREADS, budget=Budget(max_steps=200_000))
    counts = result.arrays["c"]
    arriving, missing = (
        [counts[thread] for first, last in side for thread in range(first, last + 1)]
        for side in (witness.arriving, witness.missing)
    )
    return min(arriving) > max(missing)
