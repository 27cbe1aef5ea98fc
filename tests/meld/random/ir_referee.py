"""Is the melder of the intermediate representation right?  What it makes of a kernel must verify and run alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, final

from analysis.ir.function import BasicBlock, Function
from analysis.ir.verifier import verify
from analysis.meld.meld import meld_function
from analysis.meld.settings import MeldSettings
from sim.kernel import Kernel
from sim.specification import LaunchSpecification
from tests.meld.random.runs import FIRST_POLICY, Baseline, differences, runs

IrMelder: TypeAlias = Callable[[Function, MeldSettings], "IrMelded"]


@final
@dataclass(frozen=True, slots=True)
class IrMelded:
    """`melds` counts the regions that were melded, `refusals` what was said about the others; `saving` is predicted."""

    function: Function
    melds: int
    refusals: Counter[str]
    saving: float
    was_cut: bool = False


@final
@dataclass(slots=True)
class IrFindings:
    """`savings` are pairs of predicted and simulated shares."""

    failures: list[str] = field(default_factory=list[str])
    checked: Counter[str] = field(default_factory=Counter[str])
    savings: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])


def meld_ir(function: Function, settings: MeldSettings) -> IrMelded:
    """The melder of the project, which may assume nothing of the launch."""
    result = meld_function(function, settings, after_each=_must_verify)
    refusals = Counter(refused.obstacle.value for refused in result.refused)
    saving = sum(region.predicted_saving for region in result.melded)
    return IrMelded(result.function, len(result.melded), refusals, saving, result.is_cut)


def _must_verify(function: Function) -> None:
    """After each single meld, not only after a round."""
    for error in verify(function):
        raise AssertionError(f"melding broke {function.name}: {error}")


def judge_ir(
    kernel: Kernel,
    launch: LaunchSpecification,
    settings: Sequence[MeldSettings],
    policies: Sequence[str],
    melder: IrMelder = meld_ir,
) -> IrFindings:
    """Melds with each of the settings; a version that came out before is not run again."""
    findings = IrFindings()
    baseline = Baseline.of(kernel, launch)
    seen: set[tuple[BasicBlock, ...]] = set()
    for one in settings:
        melded = melder(kernel.function, one)
        findings.checked.update({f"refused: {reason}": count for reason, count in melded.refusals.items()})
        findings.checked["cut off"] += melded.was_cut
        if not melded.melds or melded.function.blocks in seen:
            continue
        seen.add(melded.function.blocks)
        findings.checked["melds"] += melded.melds
        findings.checked[f"melds by {one.method.value}"] += melded.melds
        wrong = list(_wrong(kernel, baseline, melded, policies, findings))
        findings.failures += [f"{problem} ({one.method.value})" for problem in wrong]
    return findings


def _wrong(
    kernel: Kernel, baseline: Baseline, melded: IrMelded, policies: Sequence[str], findings: IrFindings
) -> Iterator[str]:
    for problem in verify(melded.function):
        yield f"not verified: {problem}"
        return
    for result in runs(baseline, replace(kernel, function=melded.function), policies):
        findings.checked[f"runs under {result.policy}"] += 1
        yield from differences(baseline, result)
        if result.policy == FIRST_POLICY:
            findings.savings.append((melded.saving, baseline.saving(result)))
