"""A report made by hand: a kernel with a split, a fault, strided memory, a shared array and two policies."""

from __future__ import annotations

from typing import Final

import numpy as np

from analysis.divergence.levels import Level
from sim.launch.choices import Choice
from sim.observers.convergence import Convergence, ConvergenceAnswer, Dispatched
from sim.observers.lane_histogram import LaneHistogram
from sim.observers.oracle_convergence import OracleAnswer
from sim.observers.register_kinds import KindCount, RegisterShares
from sim.observers.requests import RequestCount
from sim.observers.scalar_activity import Executed, ScalarActivity, Source
from sim.observers.timeline import SegmentRun
from sim.observers.work import Work
from sim.report.model import (
    BranchReport,
    FaultReport,
    KernelReport,
    LineReport,
    PolicyReport,
    RelatedPlace,
    SideReport,
    SourcePlace,
    TimelineReport,
    TruncationReport,
)
from sim.report.study import Study
from sim.result import TruncationReason

PATH: Final = "src/<b>gather & sum</b>.cu"

SOURCE: Final = (
    '#include "util.h"',
    "",
    "// Sums what the index list names.",
    "template <typename T>",
    "__global__ void gather(const T *x, const int *index, T *out, int n) {",
    "    __shared__ T tile[256];",
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;",
    "    if (i < n) {",
    "        T sum = 0;",
    "        for (int k = 0; k < index[i]; k++) { /* as many rounds as",
    "            the list says */",
    "            sum += x[i * 32 + k];",
    "        }",
    "        tile[threadIdx.x * 32 % 256] = sum;",
    '        if (sum < T(0)) printf("</script><img src=x onerror=alert(1)>");',
    "        out[i + 1] = sum;",
    "    }",
    "}",
)
_FULL: Final = 0xFFFFFFFF
_NOTHING: Final = RequestCount()


def at(line: int, column: int = 5, path: str = PATH) -> SourcePlace:
    return SourcePlace(path, line, column)


def sample() -> KernelReport:
    return KernelReport(
        path=PATH,
        kernel="gather<float>",
        first_line=5,
        last_line=18,
        source=SOURCE,
        grid=(8, 1, 1),
        block=(16, 16, 1),
        warp_size=32,
        seed=1,
        choices=(
            Choice("block", "16×16", "the launch in line 40"),
            Choice("grid", "8", "chosen"),
            Choice("n", "2,000", "guards of threads"),
            Choice("index", "2,048 × int in [0, 16)", "bounds of a loop & <indices>"),
        ),
        policies=(ipdom(), round_robin()),
        arrays={"out": np.zeros(4, np.float32)},
        files=(),
        study=None,
        seconds=0.0421,
    )


def ipdom() -> PolicyReport:
    return PolicyReport(
        policy="ipdom",
        warp_instructions=6272,
        thread_instructions=122_368,
        simd_efficiency=0.6097,
        branches=branches(),
        accesses=(),
        lines=(
            LineReport(7, Work(256, 8192, 8192), _NOTHING, 64),
            LineReport(8, Work(64, 2048, 2048), _NOTHING, 64),
            LineReport(9, Work(63, 2000, 2016), _NOTHING, 64),
            LineReport(10, Work(2048, 36_864, 65_536), RequestCount(1024, 4096, 4096), 64),
            LineReport(12, Work(3584, 64_512, 114_688), RequestCount(1024, 18_432, 2304), 64),
            LineReport(14, Work(126, 4000, 4032), RequestCount(63, 0, 0, 2016, 1953), 64),
            LineReport(15, Work(63, 2000, 2016), _NOTHING, 64),
            LineReport(16, Work(68, 2752, 2752), RequestCount(63, 315, 252), 64),
        ),
        requests=RequestCount(2174, 22_843, 6652, 2016, 1953),
        histogram=LaneHistogram(
            (0, 40, 60, 90, *(40 + lane * 2 for lane in range(4, 16)), 500, *(20 for _ in range(15)), 4600)
        ),
        timeline=timeline(),
        notes=(
            FaultReport(
                "same-value-write",
                at(9, 9),
                (0, 0, 0),
                (1, 0, 0),
                30,
                "writes byte 0 of out, as others do",
                is_note=True,
                related=(RelatedPlace(at(16, 9), "thread 0,0,0 writes it here"),),
                chosen=("n",),
            ),
        ),
        faults=(
            FaultReport(
                "out-of-bounds", at(16, 9), (7, 0, 0), (15, 12, 0), 1, "writes 4 bytes behind the end of `out`"
            ),
            FaultReport(
                "data-race", at(14, 9), (0, 0, 0), (0, 0, 0), 1792, "two threads write `tile`, no barrier between"
            ),
        ),
        printed=("hello\n",),
        memory_digest="ab" * 32,
        truncated=None,
        seconds=0.031,
    )


def branches() -> tuple[BranchReport, ...]:
    return (
        BranchReport(
            at(8),
            "if (i < n)",
            64,
            1,
            2000,
            Level.VARYING,
            (SideReport(at(9, 11), 2000, 16), SideReport(at(18, 1), 48, 16)),
            at(18, 1),
        ),
        BranchReport(at(10, 9), "for (k < index[i])", 1024, 640, 18_432, Level.VARYING),
        BranchReport(at(15, 9), "if (sum < T(0))", 63, 0, 2000, Level.VARYING),
        BranchReport(at(3, 1, "inc/util.h"), "while (spin)", 64, 0, 2048, Level.GRID, is_select=True),
    )


def round_robin() -> PolicyReport:
    first = ipdom()
    return PolicyReport(
        policy="round-robin",
        warp_instructions=9408,
        thread_instructions=122_368,
        simd_efficiency=0.4065,
        branches=first.branches,
        accesses=(),
        lines=first.lines[:3],
        requests=first.requests,
        histogram=first.histogram,
        timeline=TimelineReport(0, 0, 32, (), (), 0),
        faults=(),
        notes=(),
        printed=(),
        memory_digest="cd" * 32,
        truncated=TruncationReport(TruncationReason.STEPS, at(12)),
        seconds=0.044,
    )


def timeline() -> TimelineReport:
    """Lane i takes i % 5 rounds; the last four lanes have left."""
    running = 0x0FFFFFFF
    places = [(7, _FULL, _FULL), (8, _FULL, _FULL), (9, running, running)]
    for turn in range(5):
        active = sum(1 << lane for lane in range(28) if lane % 5 >= turn)
        places.append((10, active, running))
        if turn < 4:
            going = sum(1 << lane for lane in range(28) if lane % 5 > turn)
            places.append((12, going, running))
    places += [(14, running, running), (15, running, running), (16, running, running)]
    steps = tuple(SegmentRun(line, None, active, alive) for line, active, alive in places)
    return TimelineReport(3, 1, 32, steps, tuple(at(line) for line, _, _ in places), 7)


def study() -> Study:
    """A study whose shares are round."""
    nothing = Executed()
    scalar, together, apart = (
        Executed(10, 10, 5, 5, 2, 2),
        Executed(20, 640, 64, 32, 32, 32),
        Executed(5, 30, 40, 20, 10, 10),
    )
    before = Executed(70, 1360, 218, 114, 88, 88)
    return Study(
        policy="ipdom",
        tags=RegisterShares(KindCount(25, 25, 50, 7), KindCount(0, 20, 30, 7)),
        values=RegisterShares(KindCount(30, 40, 30, 7), KindCount()),
        convergence=ConvergenceAnswer(
            (
                (Convergence.BY_SHAPE, Dispatched(20, 500)),
                (Convergence.BY_VARIANCE, Dispatched(8, 200)),
                (Convergence.BY_EXITS, Dispatched(0, 0)),
                (Convergence.DYNAMIC, Dispatched(4, 100)),
                (Convergence.DIVERGED, Dispatched(20, 200)),
            )
        ),
        oracle=OracleAnswer(1000, 700, 200, 250, 12, 1),
        activity=ScalarActivity(
            {**dict.fromkeys(Source, nothing), Source.STATICALLY_CONVERGED: before},
            {
                Source.SCALAR: scalar,
                Source.STATICALLY_CONVERGED: together,
                Source.DYNAMICALLY_CONVERGED: nothing,
                Source.DIVERGED: apart,
            },
        ),
    )
