"""Does a melded kernel compute what it computed before?  Both run in the simulator, with the same inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, final

from sim.kernel import Kernel
from sim.policies.registry import POLICIES
from sim.result import Result
from sim.simulate import simulate
from sim.specification import Budget, LaunchSpecification

FIRST_POLICY: Final = "ipdom"
"""The one under which instructions are counted: what an editor shows is counted under it, too."""


@final
@dataclass(frozen=True, slots=True)
class Baseline:
    """What the kernel did as it was written."""

    launch: LaunchSpecification
    result: Result

    @classmethod
    def of(cls, kernel: Kernel, launch: LaunchSpecification) -> Baseline:
        return cls(launch, simulate(kernel, launch, POLICIES[FIRST_POLICY]))

    def saving(self, result: Result) -> float:
        """The share of the issued warp instructions that the other version does without."""
        return 1.0 - result.warp_instructions / max(self.result.warp_instructions, 1)


def differences(baseline: Baseline, result: Result) -> Iterator[str]:
    """What the other version does differently, but for the number of its instructions."""
    for fault in result.faults[:2]:
        yield f"new fault under {result.policy}: {fault}"
    if result.truncated is not None:
        yield f"does not end under {result.policy}: {result.truncated.reason.value}"
    elif result.memory_digest != baseline.result.memory_digest:
        expected = baseline.result.arrays
        arrays = [name for name, array in result.arrays.items() if array.tobytes() != expected[name].tobytes()]
        yield f"other memory under {result.policy}: {', '.join(arrays)}"


def runs(baseline: Baseline, kernel: Kernel, policies: Sequence[str]) -> Iterator[Result]:
    """The other version, under each policy; a run ends where it issues many times as much."""
    budget = Budget(max_steps=1000 + 50 * baseline.result.warp_instructions, seconds=60.0)
    launch = replace(baseline.launch, budget=budget)
    for name in policies:
        yield simulate(kernel, launch, POLICIES[name])
