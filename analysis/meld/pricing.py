"""What a draft costs a warp: the blocks that it passes, each as often as loops let it run.

Flow      Lanes of sample warps (`sample_warps.py`) are sent through the graph, from the entry on.  A branch sends those
          for which its condition holds one way and the others the other way; a block costs each warp that has a lane
          there.  Where an edge leaves a loop all lanes take both ways: sooner or later they leave.
Conditions  are looked through as far as they are made of others: `and`, `or`, `not`, selects, and phis by the edge over
          which a lane comes.  An instruction that stands for one of each arm answers as its arm's did
          (`FlowDraft.merged`).  So the same lanes run through the function before and after melding, and what they
          cost there can be compared.
Lives     a value that lives on through code of the other arm takes a register there: `LIVE_VALUES_PER_SLOT` of them
          are charged one issue slot.
Limits    a condition in a loop is the same in each iteration; of a `switch` each way is taken.
Cost      O(instructions) for each price, besides the draws of new conditions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import Final, TypeAlias, final

from analysis.graph.cycles import find_cycles
from analysis.ir.function import ENTRY
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Binary, Branch, Constant, Instruction, Phi, Select, Unary, Undefined
from analysis.ir.operators import BinaryOperator, UnaryOperator
from analysis.ir.record import record
from analysis.ir.types import BOOLEAN
from analysis.meld.draft import BlockIndex, FlowDraft, FlowPhi, MergedValue, Origin
from analysis.meld.facts import MeldFacts
from analysis.meld.regions import DivergentRegion
from analysis.meld.sample_warps import GROUPS
from analysis.meld.tidy import tidy

LIVE_VALUES_PER_SLOT: Final = 4
STANDARD_ERRORS: Final = 3
"""By so many a saving must differ from nothing to be certain: the draws of a sample are no measurements."""

Definition: TypeAlias = Instruction | Phi | FlowPhi | None


@final
@record
class Price:
    """Of one run of a draft by one warp, in the mean over each group of the sample."""

    slots: tuple[float, ...]
    """With the charge for longer live ranges."""
    instructions: tuple[float, ...]


def saving(before: Sequence[float], after: Sequence[float]) -> Saving:
    """What is saved in the mean over the groups, and how much of that does not depend on which warps were drawn."""
    groups = [one - other for one, other in zip(before, after, strict=True)]
    spread = stdev(groups) if len(set(groups)) > 1 else 0.0
    return Saving(fmean(groups), fmean(groups) - STANDARD_ERRORS * spread / sqrt(len(groups)))


@final
@record
class Saving:
    """`certain` is the mean less `STANDARD_ERRORS` of it."""

    mean: float
    certain: float


def total_price(draft: FlowDraft, facts: MeldFacts) -> Price:
    """What running the draft costs, in its simplest form."""
    copy = draft.copy()
    tidy(copy)
    return price(copy, facts)


def price(draft: FlowDraft, facts: MeldFacts) -> Price:
    """What running the draft costs as it stands; it is settled."""
    lanes = passing_lanes(draft, facts)
    undefined = {step.instruction.result for step in draft.blocks[ENTRY].steps if type(step.instruction) is Undefined}
    slots, instructions = [0.0] * GROUPS, [0.0] * GROUPS
    for block, here in lanes.items():
        body = draft.blocks[block]
        lives = sum(not undefined.isdisjoint(phi.incoming.values()) for phi in body.phis)
        cost, issued = body.rounds * (body.slots + lives / LIVE_VALUES_PER_SLOT), body.rounds * body.issued
        if not cost and not issued:
            continue
        for group, share in enumerate(facts.warps.passing(here)):
            slots[group] += share * cost
            instructions[group] += share * issued
    return Price(tuple(slots), tuple(instructions))


def passing_lanes(draft: FlowDraft, facts: MeldFacts) -> Mapping[BlockIndex, int]:
    """Which lanes of the sample pass each block that the entry reaches."""
    return _Flow(draft, facts).lanes()


def most_that_melding_saves(
    draft: FlowDraft, region: DivergentRegion, lanes: Mapping[BlockIndex, int], facts: MeldFacts
) -> float:
    """A bound on the issue slots that a region can save: in warps that run both arms, the arm that costs less.

    `lanes` are those of the draft as it stands.
    """
    starts = int(region.branch.if_true), int(region.branch.if_false)
    parting = facts.warps.parting(lanes[starts[0]], lanes[starts[1]])
    costs = [sum(draft.blocks[block].slots * draft.blocks[block].rounds for block in arm) for arm in region.arms]
    return parting * (min(costs) + draft.blocks[region.entry].rounds)


@final
class _Flow:
    """The lanes that pass each block of a draft."""

    def __init__(self, draft: FlowDraft, facts: MeldFacts) -> None:
        self._draft = draft
        self._facts = facts
        self._everyone = facts.warps.everyone
        self._loops: Mapping[BlockIndex, frozenset[BlockIndex]] = {}
        self._edges: dict[tuple[BlockIndex, BlockIndex], int] = {}
        self._phis: dict[ValueId, FlowPhi] = {}
        self._definitions: dict[ValueId, tuple[BlockIndex, Definition]] = {}
        self._holds: dict[ValueId, int] = {}

    def lanes(self) -> dict[BlockIndex, int]:
        draft = self._draft
        order = draft.order()
        for block in order:
            body = draft.blocks[block]
            for phi in body.phis:
                if draft.types[phi.result] == BOOLEAN:
                    self._definitions[phi.result] = block, phi
            for step in body.steps:
                item = step.instruction
                if item.result is not None and draft.types[item.result] == BOOLEAN:
                    self._definitions[item.result] = block, item
        self._loops = _innermost_loops(draft, order)
        found = dict.fromkeys(order, 0)
        found[ENTRY] = self._everyone
        for block in order:
            for target, lanes in self._leaving(block, found[block]):
                self._edges[block, target] = lanes
                found[target] |= lanes
        return found

    def _leaving(self, block: BlockIndex, here: int) -> list[tuple[BlockIndex, int]]:
        """The lanes that go each way; a block comes after those that lead to it, except around a loop."""
        draft = self._draft
        terminator = draft.blocks[block].terminator
        targets = draft.successors(block)
        loop = self._loops.get(block)
        leaves = loop is not None and not loop.issuperset(targets)
        if not isinstance(terminator, Branch) or len(targets) < 2 or leaves:
            return [(target, here) for target in targets]
        holds = self._answer(terminator.condition)
        return [(int(terminator.if_true), here & holds), (int(terminator.if_false), here & ~holds)]

    def _answer(self, value: ValueId) -> int:
        """The lanes for which a condition holds, among those that ask."""
        known = self._holds.get(value)
        if known is None:
            self._holds[value] = self._facts.warps.holds(value)  # where the condition depends on itself
            known = self._holds[value] = self._made_of(value)
        return known

    def _made_of(self, value: ValueId) -> int:
        block, item = self._definitions.get(value, (None, None))
        if item is None and value < len(self._facts.function.types):
            item = self._facts.divergence.definition(value)
        match item:
            case Constant(value=constant):
                return self._everyone * bool(constant)
            case Undefined():
                return 0
            case Unary(operator=UnaryOperator.LOGICAL_NOT, operand=operand):
                return self._everyone ^ self._answer(operand)
            case Binary(operator=BinaryOperator.LOGICAL_AND, left=left, right=right):
                return self._answer(left) & self._answer(right)
            case Binary(operator=BinaryOperator.LOGICAL_OR, left=left, right=right):
                return self._answer(left) | self._answer(right)
            case Select(condition=condition, if_true=if_true, if_false=if_false):
                chosen = self._answer(condition)
                return chosen & self._answer(if_true) | ~chosen & self._answer(if_false)
            case FlowPhi(incoming=incoming) if block is not None and all(
                (source, block) in self._edges for source in incoming
            ):
                return self._of_phi(block, incoming)
            case _:
                return self._merged(value)

    def _of_phi(self, block: BlockIndex, incoming: dict[BlockIndex, ValueId]) -> int:
        found = 0
        for source, value in incoming.items():
            found |= self._edges[source, block] & self._answer(value)
        return found

    def _merged(self, value: ValueId) -> int:
        """What a condition that is computed from numbers answers."""
        return self._of_origin(self._draft.merged.get(value, value))

    def _of_origin(self, origin: Origin) -> int:
        if not isinstance(origin, MergedValue):
            return self._facts.warps.holds(origin)
        chosen = self._answer(self._draft.current(origin.condition))
        return chosen & self._of_origin(origin.left) | ~chosen & self._of_origin(origin.right)


def _innermost_loops(draft: FlowDraft, order: Sequence[BlockIndex]) -> Mapping[BlockIndex, frozenset[BlockIndex]]:
    """The blocks of the innermost loop around each block that is in one."""
    successors = [draft.successors(block) for block in range(len(draft.blocks))]
    rank = {block: position for position, block in enumerate(order)}
    if all(rank[block] < rank[target] for block in order for target in successors[block]):
        return {}
    found: dict[BlockIndex, frozenset[BlockIndex]] = {}
    for cycle in find_cycles(ENTRY, successors, draft.predecessors(order)):
        blocks = frozenset(map(int, cycle.blocks))
        for block in blocks:
            found.setdefault(block, blocks)
    return found
