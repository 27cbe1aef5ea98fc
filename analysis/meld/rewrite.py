"""Two subgraphs become one: Algorithm 2.

Blocks      each pair of corresponding blocks becomes one block, with both sides' phis (they are not melded: a select
            cannot stand before a phi; `tidy_values.py` unites those that turn out equal) and their aligned code.
Ends        inside, one terminator with a selected condition; where the other side has no region (*region
            replication*), a constant that leads its threads along the way to their block.  The exit parts the sides
            again: each gets a block of its own, so that phis after it can tell them apart.
Definitions do not dominate their uses afterwards; `repair.py` mends that.
Source      Saumya et al., CGO 2022, section IV-D.
"""

from __future__ import annotations

from collections.abc import Sequence

from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Branch, Jump, Switch, Terminator
from analysis.ir.types import BOOLEAN
from analysis.meld.columns import Aligner, Columns, aligned_steps
from analysis.meld.draft import BlockIndex, FlowDraft, FlowPhi, PricedInstruction, with_targets
from analysis.meld.emission import Emitter
from analysis.meld.pairs import BlockPair, SubgraphPair
from analysis.meld.regions import DivergentRegion
from analysis.meld.repair import repair_dominance
from analysis.meld.subgraphs import Subgraph


def meld_pairs(
    draft: FlowDraft,
    region: DivergentRegion,
    pairs: Sequence[SubgraphPair],
    aligner: Aligner,
    *,
    unpredication: bool,
) -> tuple[int, ...]:
    """Melds the pairs, which are in order and share no subgraph; answers how many instructions each pair melded."""
    counts: list[int] = []
    for pair in pairs:
        emitter = Emitter(
            draft, region.branch.condition, region.branch.branch, region.branch.span, unpredication=unpredication
        )
        _meld(draft, emitter, region, pair, aligner)
        counts.append(emitter.melded)
    draft.settle()
    draft.drop_unreachable()
    repair_dominance(draft)
    return tuple(counts)


def _meld(draft: FlowDraft, emitter: Emitter, region: DivergentRegion, pair: SubgraphPair, aligner: Aligner) -> None:
    columns = [
        aligner(draft, aligned_steps(draft, blocks.left), aligned_steps(draft, blocks.right)) for blocks in pair.pairs
    ]
    for column in (column for found in columns for column in found):
        _unite_results(draft, *column)
    rounds = draft.blocks[region.entry].rounds
    ends = tuple(draft.block(Jump(BasicBlockId(side.after), region.branch.span), rounds) for side in _sides(pair))
    starts: dict[BlockIndex, BlockIndex] = {}
    for blocks in pair.pairs:
        start = draft.block(region.branch, max(draft.blocks[block].rounds for block in _real(blocks)))
        draft.blocks[start].is_melded = len(_real(blocks)) == 2
        starts |= dict.fromkeys(_real(blocks), start)
    lasts: dict[BlockIndex, BlockIndex] = {}
    for blocks, found in zip(pair.pairs, columns, strict=True):
        is_exit = pair.exit in _real(blocks)
        model = None if is_exit else draft.blocks[_model(pair, blocks)].terminator
        last = _emit_block(draft, emitter, blocks, found, model or (ends[0], ends[1]), starts)
        lasts |= dict.fromkeys(_real(blocks), last)
        if is_exit:
            targets = BasicBlockId(ends[0]), BasicBlockId(ends[1])
            branch = region.branch
            draft.blocks[last].terminator = Branch(branch.condition, *targets, branch.branch, branch.span)
    for block, start in starts.items():
        _copy_phis(draft, block, start, lasts)
    _connect(draft, pair, starts, (ends[0], ends[1]))


def _sides(pair: SubgraphPair) -> tuple[Subgraph, Subgraph]:
    return pair.left, pair.right


def _real(blocks: BlockPair) -> list[BlockIndex]:
    return [block for block in (blocks.left, blocks.right) if block is not None]


def _unite_results(draft: FlowDraft, left: PricedInstruction | None, right: PricedInstruction | None) -> None:
    """The melded instruction defines the left one's value, which stands for the right one's, too."""
    if left is not None and right is not None:
        results = left.instruction.result, right.instruction.result
        if results[0] is not None and results[1] is not None:
            draft.replace(results[1], results[0])


def _emit_block(
    draft: FlowDraft,
    emitter: Emitter,
    blocks: BlockPair,
    columns: Columns,
    end: Terminator | tuple[BlockIndex, BlockIndex],
    starts: dict[BlockIndex, BlockIndex],
) -> BlockIndex:
    """Fills the block that a pair becomes; the last of the blocks that it falls apart into.

    `end` is the terminator inside the subgraph, or at its exit the block of each side that follows.
    """
    emitter.open(starts[_real(blocks)[0]])
    emitter.sources(*([] if block is None else draft.blocks[block].steps for block in (blocks.left, blocks.right)))
    if isinstance(end, tuple):
        emitter.columns(columns, end)
    else:
        emitter.columns(columns, None)
        draft.blocks[emitter.block].terminator = _melded_terminator(draft, emitter, blocks, end, starts)
    return emitter.block


def _model(pair: SubgraphPair, blocks: BlockPair) -> BlockIndex:
    """The block whose terminator the melded block has: that of the region where the other side is a lone block."""
    sides = (blocks.right, blocks.left) if pair.left.is_block else (blocks.left, blocks.right)
    return next(block for block in sides if block is not None)


def _melded_terminator(
    draft: FlowDraft, emitter: Emitter, blocks: BlockPair, model: Terminator, starts: dict[BlockIndex, BlockIndex]
) -> Terminator:
    """The terminator inside the melded subgraph, which leads where `model` does."""
    read = [
        None if block is None else _decision(draft.blocks[block].terminator) for block in (blocks.left, blocks.right)
    ]
    if blocks.way is not None:
        made = _leading(draft, emitter, model, blocks.way)
        read = [made if value is None else value for value in read]
    known = [value for value in read if value is not None]
    terminator = with_targets(model, starts)
    if not known:
        return terminator
    value = emitter.choose(known[0], known[-1])
    match terminator:
        case Branch(if_true=if_true, if_false=if_false, branch=branch, span=span):
            return Branch(value, if_true, if_false, branch, span)
        case Switch(cases=cases, default=default, branch=branch, span=span):
            return Switch(value, cases, default, branch, span)
        case _:
            return terminator


def _decision(terminator: Terminator) -> ValueId | None:
    match terminator:
        case Branch(condition=value) | Switch(value=value):
            return value
        case _:
            return None


def _leading(draft: FlowDraft, emitter: Emitter, model: Terminator, way: int) -> ValueId | None:
    """A constant that makes a terminator like `model` take its successor number `way`."""
    match model:
        case Branch():
            return emitter.constant(way == 0, BOOLEAN)
        case Switch(value=value, cases=cases):
            target = tuple(dict.fromkeys(model.successors))[way]
            labels = [case.value for case in cases if case.value is not None]
            leading = [case.value for case in cases if case.target == target and case.value is not None]
            if leading:
                return emitter.constant(leading[0], draft.types[value])
            other = next(number for number in range(len(labels) + 1) if number not in labels)
            return emitter.constant(other, draft.types[value])
        case _:
            return None


def _copy_phis(draft: FlowDraft, block: BlockIndex, start: BlockIndex, lasts: dict[BlockIndex, BlockIndex]) -> None:
    for phi in draft.blocks[block].phis:
        incoming = {lasts[source]: value for source, value in phi.incoming.items()}
        draft.blocks[start].phis.append(FlowPhi(phi.result, incoming, phi.span))


def _connect(
    draft: FlowDraft, pair: SubgraphPair, starts: dict[BlockIndex, BlockIndex], ends: tuple[BlockIndex, BlockIndex]
) -> None:
    """Leads what led to the subgraphs to the melded one, and tells what follows where its threads come from."""
    before = draft.predecessors(draft.order())
    first = starts[_real(pair.pairs[0])[0]]
    for side, end in zip(_sides(pair), ends, strict=True):
        for source in before[side.entry]:
            if source not in side.blocks:
                draft.redirect(source, side.entry, first)
        draft.rename_source(side.after, side.exit, end)
