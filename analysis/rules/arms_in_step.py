"""Branches on which threads disagree and in both of whose arms they wait, equally often.

Whoever counts arrivals lets both arms go on together; so such barriers are one finding for each two (SYN105), and none
of those that say that threads miss them (SYN101).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import final

from tree_sitter import Node

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import BarrierScope, Location
from analysis.ir.function import SourceBranchKind
from analysis.ir.record import record
from analysis.rules.barrier_survey import UnsafeBarrier
from analysis.verdict.barriers import BarrierReason


@final
@record
class Pair:
    """A barrier of the first arm and the one of the second arm at which the others wait meanwhile."""

    first: UnsafeBarrier
    second: UnsafeBarrier


def pairs_in_step(analysis: FileAnalysis, barriers: Iterable[UnsafeBarrier]) -> Iterator[Pair]:
    """In the order of the text; of barriers that stand straight in the arms of the branch that parts threads."""
    for branch, found in _by_branch(analysis, barriers).items():
        arms = [
            [one for one in found if _stands_in(analysis, one.record.barrier, arm)] for arm in _arms(analysis, branch)
        ]
        if len(arms) == 2 and len(arms[0]) == len(arms[1]) and sum(map(len, arms)) == len(found):
            ordered = (sorted(arm, key=lambda one: one.record.barrier.start) for arm in arms)
            yield from (Pair(*pair) for pair in zip(*ordered, strict=True))


def _by_branch(analysis: FileAnalysis, barriers: Iterable[UnsafeBarrier]) -> Mapping[Location, Sequence[UnsafeBarrier]]:
    """Block barriers of this file by the innermost branch that parts threads; only those of an `if`."""
    found: dict[Location, list[UnsafeBarrier]] = {}
    for one in barriers:
        guard, place = one.record.guards[0], one.record.barrier
        is_plain = one.reason is BarrierReason.GUARD and one.record.scope is BarrierScope.BLOCK
        if is_plain and guard.kind is SourceBranchKind.IF and place.path == guard.branch.path == analysis.facts.path:
            found.setdefault(guard.branch, []).append(one)
    return {branch: those for branch, those in found.items() if len(those) > 1}


def _arms(analysis: FileAnalysis, branch: Location) -> Sequence[Node]:
    """Both arms of the `if` whose keyword stands there; none where there is one only."""
    node = _node_at(analysis, branch)
    while node is not None and node.type != "if_statement":
        node = node.parent
    if node is None or node.start_byte != branch.start:
        return ()
    taken, other = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
    inner = None if other is None else next((one for one in other.named_children if one.type != "comment"), None)
    return () if taken is None or inner is None else (taken, inner)


def _stands_in(analysis: FileAnalysis, barrier: Location, arm: Node) -> bool:
    """As a statement of the arm itself, or as all of it."""
    node = _node_at(analysis, barrier)
    while node is not None and node.type != "expression_statement":
        node = node.parent
    return node is not None and (node == arm or (node.parent == arm and arm.type == "compound_statement"))


def _node_at(analysis: FileAnalysis, place: Location) -> Node | None:
    tree = analysis.document.tree
    return None if tree is None else tree.root_node.descendant_for_byte_range(place.start, place.end)
