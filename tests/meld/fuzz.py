"""`python -m tests.meld.fuzz COUNT SEED`: melds random kernels, in the intermediate representation and in the source.

Prints what was checked and what failed, each failure with a smaller kernel that fails alike.  Melded texts are compiled
with those they came from, where there is a C++ compiler, and both must compute the same; `nvcc` must accept them too,
where it is installed.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, final

from analysis.meld.settings import MeldMethod, MeldSettings
from tests.meld.random.ir_referee import judge_ir
from tests.meld.random.kernels import RandomKernel, random_kernel
from tests.meld.random.names import NAME
from tests.meld.random.native import NativePair, native_differences
from tests.meld.random.runs import FIRST_POLICY
from tests.meld.random.savings import rank_correlation
from tests.meld.random.source_referee import SourceReferee
from tests.sim.native.compiler import compiler_path
from tests.sim.random.choices import Choices, Replayed, Seeded, shrunken
from tests.sim.random.referee import some_policies
from tests.sim.running import kernel_of
from tests.support.accepted import assert_accepted

_SHRINKING: Final = 150
"""How many smaller kernels are tried for one that fails."""
_TOGETHER: Final = 40
"""Pairs of texts in one program."""
_THRESHOLDS: Final = (0.2, 0.2, 0.0, 0.1, 0.5)
_METHODS: Final = (MeldMethod.BEST, MeldMethod.DARM, MeldMethod.LINEAR, MeldMethod.FUSION, MeldMethod.TAIL)


@final
@dataclass(slots=True)
class Checked:
    """What one kernel or many led to."""

    failures: list[str] = field(default_factory=list[str])
    counts: Counter[str] = field(default_factory=Counter[str])
    source_savings: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    ir_savings: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    pairs: list[NativePair] = field(default_factory=list[NativePair])


def check(choices: Sequence[int] | Seeded, seed: int = 0) -> tuple[RandomKernel, Checked]:
    """The kernel that the choices stand for, and what the referees say."""
    source = choices if isinstance(choices, Seeded) else Replayed(choices)
    decisions = Choices(source)
    policies = (FIRST_POLICY, *(name for name in some_policies(decisions, 2) if name != FIRST_POLICY))
    best = decisions.chance(2)
    method = MeldMethod.BEST if best else decisions.pick(_METHODS)
    settings = MeldSettings(method, decisions.pick(_THRESHOLDS), unpredication=not decisions.chance(3))
    kernel = random_kernel(source)
    checked = Checked()
    for referee in (_check_ir, _check_source):
        try:
            referee(kernel, seed, settings, policies, checked)
        except Exception as problem:
            checked.failures.append(f"{referee.__name__} {type(problem).__name__}: {problem}")
    return kernel, checked


def _check_ir(
    random: RandomKernel, seed: int, settings: MeldSettings, policies: Sequence[str], checked: Checked
) -> None:
    kernel = kernel_of(random.text, NAME, random.launch.warp_size)
    every = [settings, *(replace(settings, method=method) for method in _METHODS if method is not settings.method)]
    findings = judge_ir(kernel, random.launch, every, policies)
    checked.failures += [f"ir: {failure}" for failure in findings.failures]
    checked.counts.update({f"ir: {name}": count for name, count in findings.checked.items()})
    checked.ir_savings += findings.savings


def _check_source(
    kernel: RandomKernel, seed: int, settings: MeldSettings, policies: Sequence[str], checked: Checked
) -> None:
    findings = SourceReferee(kernel.text, kernel.launch, settings, policies).judge()
    checked.failures += [f"source: {failure}" for failure in findings.failures]
    checked.counts.update({f"source: {name}": count for name, count in findings.checked.items()})
    checked.source_savings += findings.savings
    has_lanes = "lanes of an arm" in kernel.features and kernel.launch.warp_size != 32
    if findings.texts and not findings.failures and not has_lanes:
        checked.pairs.append(NativePair(seed, kernel.text, findings.texts[-1], kernel.launch))


def fails_so(choices: Sequence[int], kind: str) -> bool:
    return any(_kind(failure) == kind for failure in check(choices)[1].failures)


def _kind(failure: str) -> str:
    """Its first words, without numbers."""
    return "".join(letter for letter in failure[:40] if not letter.isdigit())


@final
class _LongRun:
    """Many kernels; native code is compared whenever enough pairs have come together."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._programs = 0
        self.all = Checked()
        self.failed = 0
        self.kernels, self.melds, self.failures = Counter[str](), Counter[str](), Counter[str]()
        """Of the kernels with each feature."""

    def one(self, seed: int) -> None:
        source = Seeded(seed)
        kernel, checked = check(source, seed)
        melds = checked.counts["ir: melds"] + checked.counts["source: melds"]
        self.kernels.update(kernel.features)
        self.melds.update(dict.fromkeys(kernel.features, melds))
        self.failures.update(dict.fromkeys(kernel.features, int(bool(checked.failures))))
        self.all.counts.update(checked.counts)
        self.all.source_savings += checked.source_savings
        self.all.ir_savings += checked.ir_savings
        self.all.pairs += checked.pairs
        if checked.failures:
            self.failed += 1
            _report(seed, source.drawn, checked.failures[0])
        if len(self.all.pairs) >= _TOGETHER:
            self.compile()

    def compile(self) -> None:
        """What native code says to the pairs so far; each third program is compiled with checks."""
        pairs, self.all.pairs = self.all.pairs, []
        if not pairs or compiler_path() is None:
            return
        self._programs += 1
        self.all.counts["pairs of texts compiled"] += len(pairs)
        try:
            for seed, line in native_differences(pairs, self._folder, sanitized=self._programs % 3 == 0):
                self.failed += 1
                print(f"seed {seed}: {line}", flush=True)
            assert_accepted({f"seed_{pair.seed}.cu": pair.after for pair in pairs})
        except BaseException as problem:  # pytest.fail is none of the ordinary exceptions
            if isinstance(problem, KeyboardInterrupt):
                raise
            self.failed += 1
            print(f"seeds {[pair.seed for pair in pairs]}: {str(problem)[:3000]}", flush=True)


def _report(seed: int, drawn: Sequence[int], failure: str) -> None:
    kind = _kind(failure)
    smaller = shrunken(drawn, lambda some: fails_so(some, kind), _SHRINKING)
    kernel, left = check(smaller)
    body = kernel.text[kernel.text.index("__global__") :]
    print(f"seed {seed}: {failure}\nshrunken: {left.failures}\n{body}", flush=True)


def main(count: int, first: int) -> int:
    """How many kernels failed; a run that is interrupted says what it has checked."""
    started, done = time.process_time(), 0
    with tempfile.TemporaryDirectory() as folder:
        run = _LongRun(Path(folder))
        try:
            for seed in range(first, first + count):
                run.one(seed)
                done += 1
            run.compile()
        except KeyboardInterrupt:
            print("interrupted")
    seconds = time.process_time() - started
    print("checked: " + ", ".join(f"{name} {number:,}" for name, number in sorted(run.all.counts.items())))
    for feature, kernels in sorted(run.kernels.items()):
        print(f"{feature}: {kernels} kernels, {run.melds[feature]:,} melds, {run.failures[feature]} failed")
    savings = {"ir": run.all.ir_savings, "source": run.all.source_savings}
    found = ", ".join(f"{name} {rank_correlation(pairs)} of {len(pairs)}" for name, pairs in savings.items())
    print(f"rank correlation of predicted and simulated savings: {found}")
    print(f"{done} kernels from seed {first}: {run.failed} failed, {seconds / max(1, done):.3f} s each")
    return run.failed


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)))
