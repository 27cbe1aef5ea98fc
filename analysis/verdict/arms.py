"""The arms of a source branch: what runs on one side only, in one round of the loops around.

An *arm* is the blocks from where one side begins up to the place where the paths meet again; of `a || b` what evaluates
`b` belongs to no arm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.ids import BasicBlockId, SourceBranchId


def deciders_of(control: ControlFlow, divergence: DivergenceResult, branch: SourceBranchId) -> tuple[BasicBlockId, ...]:
    """The blocks that end in a decision of the branch, in their order; none where all of them select values."""
    found = (block for block, condition in divergence.branch_sites(branch) if condition is None)
    return tuple(sorted(found, key=control.rank.__getitem__))


def arms_of(control: ControlFlow, deciders: Sequence[BasicBlockId]) -> Mapping[BasicBlockId, frozenset[BasicBlockId]]:
    """The blocks of each arm by where it begins; a block that two arms lead to is in both."""
    first = deciders[0]
    ends = {cycle.header for cycle in control.cycles_around(first)}
    meet = control.immediate_post_dominator(first)
    if meet is not None:
        ends.add(meet)
    inside = set(deciders)
    arms: dict[BasicBlockId, frozenset[BasicBlockId]] = {}
    for decider in deciders:
        for begin in control.successors[decider]:
            if begin in arms or begin in inside:
                continue
            arm = _reach(control, begin, ends, inside)
            if arm is not None:
                arms[begin] = arm
    return arms


def _reach(
    control: ControlFlow, begin: BasicBlockId, ends: set[BasicBlockId], deciders: set[BasicBlockId]
) -> frozenset[BasicBlockId] | None:
    """What runs from `begin` to the ends; None if another decision of the same branch follows."""
    found: set[BasicBlockId] = set()
    waiting = [begin]
    while waiting:
        block = waiting.pop()
        if block in deciders:
            return None
        if block not in found and block not in ends and not control.doomed[block]:
            found.add(block)
            waiting.extend(control.successors[block])
    control.spend(len(found))
    return frozenset(found)
