"""Random kernels that lose a barrier and get one back; `python -m tests.races.repairs COUNT SEED` counts how many do.

A kernel without a race is the referee: after the repair no threads race, and the results are those of that kernel,
whoever runs first.  The inserted barriers are reached by all threads of the block, and order something.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from analysis.facts.analyzer import Analyzer, FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.refactor.block_order.order import Separated, separate_races
from analysis.refactor.block_order.pairs import wanted
from analysis.refactor.edit import apply_replacements
from analysis.rules.check import check
from analysis.rules.settings import RuleSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from sim.observers.races import RaceObserver
from sim.policies.ipdom import Ipdom
from sim.policies.protocol import PolicyFactory
from sim.policies.round_robin import RoundRobin
from tests.races.kernels import ROUNDS, ExchangeKernel, exchange_kernel, without_barrier
from tests.races.oracle import racing_lines
from tests.races.referee import ELEMENTS
from tests.sim.random.choices import Choices, Seeded
from tests.sim.running import run
from tests.support.seeds import Counts, exit_with, run_seeds


def analyzed(text: bytes) -> FileAnalysis:
    return Analyzer().analyze("a.cu", Document.open(text), DictLoader(), AnalysisSettings())


def repair(seed: int, counts: Counter[str]) -> list[str]:
    """What is wrong with the repair of one kernel; counts what became of it."""
    choices = Choices(Seeded(seed))
    kernel = exchange_kernel(choices)
    broken = without_barrier(kernel, choices)
    counts["kernels"] += 1
    if broken is None or not racing_lines(broken):
        counts["without a race"] += 1
        return []
    counts["racy"] += 1
    text = launched(broken)
    analysis = analyzed(text.encode())
    (function,) = [one for one in analysis.facts.functions if one.name == "k"]
    if not wanted(analysis, function):
        counts["racy, not between warps or not found"] += 1
        return []
    done = separate_races(analysis, function, analyzed)
    if not isinstance(done, Separated):
        counts[f"withheld: {'nothing' if done is None else done.reason.value}"] += 1
        return []
    counts["mended"] += 1
    counts[f"mended with {done.barriers}"] += 1
    after = apply_replacements(text.encode(), done.edit).decode()
    return [f"{problem}\n{after}" for problem in problems(kernel, after)]


def problems(original: ExchangeKernel, after: str) -> list[str]:
    found: list[str] = []
    analysis = analyzed(after.encode())
    said = check(analysis, RuleSettings())
    found += [one.message for one in said if one.code.startswith(("SYN", "RAC")) and one.code != "SYN107"]
    shape = original.width, original.height, 1
    wanted_results, _ = _results(launched(original), shape, Ipdom)
    for policy in (Ipdom, RoundRobin):
        results, races = _results(after, shape, policy)
        if races:
            found.append(f"threads race under {policy.name}")
        if not np.array_equal(results, wanted_results):
            found.append(f"other results under {policy.name}")
    return found


def launched(kernel: ExchangeKernel) -> str:
    shape = f"dim3({kernel.width}, {kernel.height})"
    return f"{kernel.text}void host(float *out, const float *in) {{ k<<<1, {shape}>>>(out, in, {ROUNDS}); }}\n"


def _results(text: str, shape: tuple[int, int, int], policy: PolicyFactory) -> tuple[NDArray[np.float32], int]:
    """What is left in `out`, and how many races in shared memory there are."""
    observer = RaceObserver()
    source = np.random.default_rng(0).random(ELEMENTS).astype(np.float32)
    arguments = {"out": np.zeros(ELEMENTS, np.float32), "in": source, "n": ROUNDS}
    done = run(text, arguments, block=shape, policy=policy, observers=[observer])
    races = [race for race in observer.answer().races if race.is_shared and not race.same_value]
    return done.arrays["out"], len(races)


def _check(seed: int, counts: Counts) -> str | None:
    wrong = repair(seed, counts)
    return wrong[0] if wrong else None


def main(count: int, first: int) -> int:
    return run_seeds(_check, count, first)


if __name__ == "__main__":
    exit_with(main)
