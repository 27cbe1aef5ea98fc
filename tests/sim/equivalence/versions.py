"""Two texts of one kernel, compared; a `/*branch*/` in the first stands before the branch in question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analysis.ir.index3 import Index3
from analysis.lower.program import LowerSettings, Program
from analysis.pipeline import unit_of_text
from sim.equivalence.allowance import Progress
from sim.equivalence.compare import compare
from sim.equivalence.model import BranchPlace, Comparison, Goal
from sim.equivalence.runs import Version
from sim.launch.request import Request
from sim.policies.protocol import PolicyFactory
from sim.policies.registry import POLICIES
from sim.specification import Budget

MARK = b"/*branch*/"


def version(text: str, name: str = "k", warp_size: int = 32) -> Version:
    unit = unit_of_text(text)
    program = Program(unit, LowerSettings(warp_size))
    (wanted,) = (found for found in program.device_functions() if found.item.name == name)
    return Version(program, wanted)


def compared(
    before: str,
    after: str,
    *,
    goal: Goal = Goal.SAME_RESULTS,
    arguments: Mapping[str, str] | None = None,
    block: Index3 | None = None,
    seconds: float = 60.0,
    max_steps: int = 2_000_000_000,
    policies: Sequence[PolicyFactory] = tuple(POLICIES.values()),
    progress: Progress | None = None,
) -> Comparison:
    requests = [Request(block=block, arguments=dict(arguments or {}))]
    budget = Budget(max_steps=max_steps, seconds=seconds)
    return compare(
        version(before),
        version(after),
        requests,
        goal=goal,
        branch=branch_in(before.encode()),
        policies=policies,
        budget=budget,
        progress=progress,
    )


def branch_in(text: bytes) -> BranchPlace | None:
    at = text.find(MARK)
    if at < 0:
        return None
    return BranchPlace("a.cu", at + len(MARK), at + len(MARK), len(text))
