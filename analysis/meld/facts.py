"""What melding asks about a function before it changes it: divergence, prices, memory spaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Jump, Return
from analysis.ir.record import record
from analysis.ir.types import MemorySpace
from analysis.meld.draft import FlowBlock, FlowDraft, FlowPhi, PricedInstruction
from analysis.meld.sample_warps import SampleWarps
from analysis.memory.spaces import SpaceResult
from analysis.verdict.analysed_function import analyse_function
from analysis.verdict.bounds_check import BoundsChecks
from analysis.verdict.weights import BlockWeights


@final
@record
class MeldFacts:
    """Facts about one function; they stay true for what a draft of it keeps."""

    function: Function
    divergence: DivergenceResult
    weights: BlockWeights
    spaces: SpaceResult
    warps: SampleWarps

    def space(self, value: ValueId) -> MemorySpace:
        """Where a pointer points; GENERIC for values that the function did not have."""
        return self.spaces.space(value) if value < len(self.function.types) else MemorySpace.GENERIC


def meld_facts(function: Function, launch: LaunchKnowledge) -> MeldFacts:
    """The facts, as for the findings."""
    known = analyse_function(function, launch)
    checks = BoundsChecks(function, known.control, known.divergence, known.affine)
    warps = SampleWarps(function, known.divergence, checks)
    return MeldFacts(function, known.divergence, known.weights, known.spaces, warps)


def draft_of(
    facts: MeldFacts, melded: frozenset[BasicBlockId] = frozenset(), rounds: Sequence[int] | None = None
) -> FlowDraft:
    """The function as a draft; several returns become one, so that arms that return meet.

    `rounds` are given for a function that comes from another one: how often a loop with selected bounds runs is not
    seen in it any more.
    """
    blocks: list[FlowBlock] = []
    for index, block in enumerate(facts.function.blocks):
        id = BasicBlockId(index)
        steps = [PricedInstruction(item, facts.weights.instruction(item)) for item in block.instructions]
        phis = [
            FlowPhi(phi.result, {int(source): value for source, value in phi.incoming}, phi.span) for phi in block.phis
        ]
        is_divergent = facts.divergence.terminator_level(id) is Level.VARYING
        often = facts.weights.rounds(id) if rounds is None else rounds[index]
        blocks.append(FlowBlock(phis, steps, block.terminator, often, id in melded, is_divergent))
    draft = FlowDraft(facts.function, blocks, list(facts.function.types))
    draft.drop_unreachable()
    _unite_returns(draft)
    return draft


def _unite_returns(draft: FlowDraft) -> None:
    leaving = [
        (block, terminator)
        for block in draft.order()
        if isinstance(terminator := draft.blocks[block].terminator, Return)
    ]
    if len(leaving) < 2:
        return
    first = leaving[0][1]
    common = draft.block(first, 1)
    values = {block: end.value for block, end in leaving if end.value is not None}
    if values:
        phi = FlowPhi(draft.value(draft.function.return_type), values, first.span)
        draft.blocks[common].phis.append(phi)
        draft.blocks[common].terminator = Return(phi.result, first.span)
    for block, end in leaving:
        draft.blocks[block].terminator = Jump(BasicBlockId(common), end.span)
