"""What is proven of the operations of warps happens in some run; what was planted is found.

A kernel runs with several arguments and contents under two policies.  A proven finding that no run shows is a failure;
planted masks that nothing reports are counted, for the analysis and for the simulator.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

import numpy as np

from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from analysis.verdict.barriers import Tier
from analysis.warp.model import WarpProblemKind
from sim.faults import DataRace, IllegalShuffleWidth, IllegalWarpMask, InactiveLaneRead
from sim.observers.races import RaceObserver
from sim.policies.ipdom import Ipdom
from sim.policies.round_robin import RoundRobin
from sim.specification import Budget
from tests.masks.kernels import RandomKernel
from tests.sim.running import run

SHOWN_BY: Final = {
    WarpProblemKind.CALLER: IllegalWarpMask,
    WarpProblemKind.ABSENT: IllegalWarpMask,
    WarpProblemKind.DIFFER: IllegalWarpMask,
    WarpProblemKind.WIDTH: IllegalShuffleWidth,
    WarpProblemKind.SOURCE: InactiveLaneRead,
    WarpProblemKind.UNORDERED: DataRace,
}
CONTENTS: Final = (None, 0, 9, None, None, None)
"""Of the arrays that conditions read: at random, or the same everywhere."""


def proven(kernel: RandomKernel) -> set[tuple[WarpProblemKind, int]]:
    """Kind and line of each."""
    analysis = Analyzer().analyze("a.cu", Document.open(kernel.text.encode()), DictLoader(), AnalysisSettings())
    return {
        (kind, kernel.text.encode().count(b"\n", 0, record.operation.start) + 1)
        for function in analysis.facts.functions
        for kind in SHOWN_BY
        for record in analysis.warp_records(function, kind)
        if record.problem.tier is Tier.PROVEN
    }


def runs(kernel: RandomKernel) -> Iterator[set[tuple[type, int]]]:
    """For each run what went wrong, and in which lines."""
    near = sorted({number + more for number in kernel.numbers for more in (-1, 0, 1, 40)})
    draw = np.random.default_rng(7)
    for contents in CONTENTS:
        for n in (0, 33, 1000, *near[:6]):
            for policy in (Ipdom, RoundRobin):
                y = draw.integers(0, 5, 64) if contents is None else np.full(64, contents)
                z = draw.choice((0, 9), 64) if contents is None else np.full(64, contents)
                races = RaceObserver()
                given = {"x": np.arange(64, dtype=np.int32), "y": y.astype(np.int32), "z": z.astype(np.int32), "n": n}
                budget = Budget(max_steps=20_000)
                result = run(kernel.text, given, block=64, policy=policy, observers=(races,), budget=budget)
                yield {
                    (type(fault), kernel.text.count("\n", 0, fault.evidence.span.start) + 1)
                    for fault in (*result.faults, *races.faults())
                }


def referee(kernel: RandomKernel) -> tuple[list[str], Counter[str]]:
    """What is proven and never happens, and how much of what was planted was found by whom."""
    claims = proven(kernel)
    open_claims = {(SHOWN_BY[kind], line, kind) for kind, line in claims}
    counts: Counter[str] = Counter(kind.value for kind, _ in claims)
    seen: set[int] = set()
    for happened in runs(kernel):
        seen |= {line for fault, line in happened if fault is IllegalWarpMask}
        open_claims = {claim for claim in open_claims if claim[:2] not in happened}
        if not open_claims and seen >= kernel.planted.keys():
            break
    by_analysis = {line for kind, line in claims if SHOWN_BY[kind] is IllegalWarpMask}
    # A planted mask that does no harm (the bit of a lane that has exited) is no defect: the runs say which are.
    wrong = kernel.planted.keys() & seen
    counts["planted"] += len(wrong)
    counts["planted, lanes known"] += len(wrong - kernel.by_data)
    counts["planted, lanes known, proven"] += len((wrong - kernel.by_data) & by_analysis)
    return [f"line {line}: {kind.value} is proven and happens in no run" for _, line, kind in open_claims], counts
