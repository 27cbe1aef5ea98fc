"""Operations of warps: what the rules say of a kernel, and what a run of it does.

The run is the referee: what a rule has proven happens in it under some policy, and what no rule reports in no run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from analysis.facts.settings import AnalysisSettings
from analysis.rules.check import check
from analysis.rules.diagnostic import Diagnostic
from analysis.rules.settings import RuleSettings
from analysis.verdict.barriers import Tier
from sim.faults import DataRace, Fault
from sim.observers.races import RaceObserver
from sim.policies.ipdom import Ipdom
from sim.policies.protocol import PolicyFactory
from sim.policies.round_robin import RoundRobin
from sim.specification import Budget
from tests.rules.fixture import analyze, check_fixture
from tests.sim.running import run

KERNEL: Final = """
__global__ void k(float *x, int *y, int n) {
  int t = threadIdx.x, lane = threadIdx.x % 32;
  float v = x[t];
  STATEMENT
  x[t] = v;
}
void host(float *x, int *y) { k<<<1, 64>>>(x, y, 64); }
"""
POLICIES: Final[Sequence[PolicyFactory]] = (Ipdom, RoundRobin)


def settings_for(code: str, *, surely: bool = True) -> RuleSettings:
    """The rule alone; `surely`: only what is proven."""
    tiers = frozenset({Tier.PROVEN}) if surely else frozenset(Tier)
    return RuleSettings(select=frozenset({code}), tiers=tiers)


def reported(statement: str, code: str, slug: str, *, surely: bool = True, kernel: str = KERNEL) -> Diagnostic:
    """The one finding of this rule, at the statement."""
    text = kernel.replace("STATEMENT", f"{statement}  //~ {slug}")
    (found,) = check_fixture(text, settings_for(code, surely=surely))
    return found


def silent(statement: str, code: str, *, surely: bool = True, kernel: str = KERNEL) -> None:
    check_fixture(kernel.replace("STATEMENT", statement), settings_for(code, surely=surely))


def faults(statement: str, *, kernel: str = KERNEL, block: int = 64, n: int = 64) -> list[Fault]:
    """All that runs of the kernel find under two policies, data races of shared memory among it."""
    text = kernel.replace("STATEMENT", statement)
    found: list[Fault] = []
    for policy in POLICIES:
        races = RaceObserver()
        arrays = {"x": np.arange(64, dtype=np.float32), "y": np.zeros(64, np.int32), "n": n}
        result = run(text, arrays, block=block, policy=policy, observers=(races,), budget=Budget(max_steps=20_000))
        found += result.faults
        found += [race for race in races.faults() if isinstance(race, DataRace) and race.is_shared]
    return found


def diagnostics_of(statement: str, code: str, *, warp_size: int, kernel: str = KERNEL) -> tuple[Diagnostic, ...]:
    """What the rule has proven of the kernel, where warps have another size."""
    analysis = analyze(kernel.replace("STATEMENT", statement), AnalysisSettings(warp_size=warp_size))
    return check(analysis, settings_for(code))
