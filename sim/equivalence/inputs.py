"""A launch under which a branch matters: some warp splits at it, and each of its arms has a thread.

Rules     First what a simulation without options would run.  Then the same with other values for one choice at a time:
          numbers that the condition depends on (two thirds of them, so that no warp boundary is met; one more; twice),
          other random contents, numbers that decide who comes to the branch, and other blocks.
          What the user, the file or the settings say stays.
Limits    At most `MAX_OTHERS` other launches, as long as there is time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final, TypeAlias

from analysis.inputs.dependence import Dependences
from analysis.ir.ids import BasicBlockId
from analysis.ir.index3 import Index3
from analysis.ir.instructions import Branch, Switch
from analysis.ir.types import IntegerType
from analysis.lower.program import Program
from sim.equivalence.allowance import Allowance
from sim.equivalence.model import BranchPlace, Goal
from sim.equivalence.runs import Observed, Version, observed
from sim.launch.adapt import run_adapted
from sim.launch.planner import Plan, Planner
from sim.launch.request import Request
from sim.policies.protocol import PolicyFactory
from sim.refusals import LaunchError, Refusal
from sim.report.places import SourcePlaces
from sim.result import Result
from sim.specification import Budget

MAX_OTHERS: Final = 8
OTHER_SEEDS: Final = (2, 3)
_OTHER_BLOCKS: Final[dict[int, tuple[Index3, ...]]] = {
    1: ((1024, 1, 1), (96, 1, 1)),
    2: ((32, 8, 1), (8, 8, 1)),
    3: ((16, 4, 4), (4, 4, 4)),
}
_WHY: Final = "chosen so that both arms are reached"

Planned: TypeAlias = tuple[Planner, Plan, Observed]


def best_launch(
    planner: Planner,
    before: Version,
    requests: Sequence[Request],
    policy: PolicyFactory,
    budget: Budget,
    allowance: Allowance,
    branch: BranchPlace | None,
    goal: Goal,
) -> Planned:
    """The first launch that exercises the branch, else the one that comes nearest; `planner` is for `requests` alone.

    Raises what planning and `simulate` raise for the launch without other choices.
    """
    best = _adapted(planner, before.program, policy, budget, allowance, branch, goal)
    if branch is None or _is_enough(best):
        return best
    for other in islice(_other_requests(best, branch, SourcePlaces(before.program, best[0].kernel)), MAX_OTHERS):
        if allowance.is_over:
            break
        try:
            in_turn = goal is Goal.MET
            others = Planner(before.program, before.kernel, (*requests, other), budget=budget, barriers_in_turn=in_turn)
            tried = _adapted(others, before.program, policy, budget, allowance.part(0.5), branch, goal)
        except (LaunchError, Refusal):
            continue
        best = max(best, tried, key=_worth)
        if _is_enough(best):
            break
    return best


def _is_enough(planned: Planned) -> bool:
    return planned[2].is_exercised and planned[2].result.truncated is None


def _worth(planned: Planned) -> tuple[bool, bool, bool, int]:
    run = planned[2]
    return run.result.truncated is None, run.stop is None, run.is_exercised, run.arms.reached


def _adapted(
    planner: Planner,
    program: Program,
    policy: PolicyFactory,
    budget: Budget,
    allowance: Allowance,
    branch: BranchPlace | None,
    goal: Goal,
) -> Planned:
    """As a simulation adapts what it chose; `budget.seconds` are those of one run."""
    places = SourcePlaces(program, planner.kernel)
    runs: dict[int, Observed] = {}

    def run(plan: Plan) -> Result:
        if allowance.is_over:
            raise LaunchError("the time budget is used up")
        launch = plan.specification
        one = observed(plan.kernel, launch, policy, budget.seconds, allowance, places=places, branch=branch, goal=goal)
        runs[id(one.result)] = one
        return one.result

    plan, result = run_adapted(planner, run)
    return planner, plan, runs[id(result)]


def _other_requests(planned: Planned, branch: BranchPlace, places: SourcePlaces) -> Iterator[Request]:
    planner, plan, _ = planned
    dependences = Dependences(planner.flow)
    blocks = list(_deciding_blocks(planner, branch, places))
    function = planner.kernel.function
    own = dependences.of([value for block in blocks for value in function.blocks[block].terminator.operands])
    guards = dependences.guards(blocks)
    chosen = {
        choice.name: int(choice.value)
        for choice in plan.choices
        if choice.is_chosen and isinstance(planner.flow.leaves.get(choice.name), IntegerType)
    }
    yield from _numbers({name: now for name, now in chosen.items() if name in own.numbers})
    for seed in OTHER_SEEDS:
        yield Request(_WHY, seed=seed)
    yield from _numbers({name: now for name, now in chosen.items() if name in guards.numbers - own.numbers})
    if plan.block.is_chosen:
        for block in _OTHER_BLOCKS[plan.evidence.thread_axes]:
            yield Request(_WHY, block=block)


def _deciding_blocks(planner: Planner, branch: BranchPlace, places: SourcePlaces) -> Iterator[BasicBlockId]:
    """Those that the branch's condition ends."""
    function = planner.kernel.function
    for number, block in enumerate(function.blocks):
        ending = block.terminator
        if isinstance(ending, Branch | Switch) and ending.branch is not None:
            found = places.stretch(str(function.id), function.branches[ending.branch].keyword)
            if found is not None and found[:2] == (branch.path, branch.keyword):
                yield BasicBlockId(number)


def _numbers(chosen: dict[str, int]) -> Iterator[Request]:
    changes: Sequence[Callable[[int], int]] = (lambda now: now - now // 3, lambda now: now + 1, lambda now: now * 2)
    for change in changes:
        for name, now in chosen.items():
            if change(now) != now:
                yield Request(_WHY, arguments={name: str(change(now))}, is_general=True)
