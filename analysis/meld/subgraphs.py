"""The single-entry-single-exit subgraphs of an arm, in order (definitions 1 to 4).

Cuts      the blocks that post-dominate the start of an arm are passed by every thread of the arm, in one order.  They
          cut it into pieces; a loop that reaches over a cut takes the pieces together.
Simple    a piece of several blocks, or with a loop, is made a simple region: it gets an empty block at the front where
          its entry is a loop's header, and an empty block at the end where several edges leave it.  The phis of the
          next piece that tell these edges apart move into that block.  So every subgraph is entered over one edge, its
          entry has no phis, and it is left over one edge.
Cost      O(blocks and edges of the arm).
Source    Saumya et al., CGO 2022, sections IV-A and IV-C.
"""

from __future__ import annotations

from typing import final

from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import Jump
from analysis.ir.record import record
from analysis.meld.draft import BlockIndex, FlowDraft, FlowPhi
from analysis.meld.regions import DivergentRegion
from analysis.meld.shape import FlowShape


@final
@record
class Subgraph:
    """`blocks` in preorder from `entry`; `before` leads to it and `after` follows it."""

    entry: BlockIndex
    exit: BlockIndex
    before: BlockIndex
    after: BlockIndex
    blocks: tuple[BlockIndex, ...]

    @property
    def is_block(self) -> bool:
        return len(self.blocks) == 1


def simplify_arm(draft: FlowDraft, shape: FlowShape, region: DivergentRegion, arm: int) -> tuple[Subgraph, ...]:
    """The subgraphs of one arm (0: where the condition holds); changes the draft so that they are simple regions."""
    start = int((region.branch.if_true, region.branch.if_false)[arm])
    pieces = _pieces(shape, start, region.exit)
    before = region.entry
    found: list[Subgraph] = []
    for number, (entry, blocks) in enumerate(pieces):
        after = pieces[number + 1][0] if number + 1 < len(pieces) else region.exit
        simple = _simplified(draft, entry, blocks, before, after)
        found.append(simple)
        before = simple.exit
    # The next piece may have got a block at its front.
    entries = [subgraph.entry for subgraph in found[1:]]
    return tuple(
        Subgraph(one.entry, one.exit, one.before, after, one.blocks)
        for one, after in zip(found, [*entries, region.exit], strict=True)
    )


def _pieces(shape: FlowShape, start: BlockIndex, end: BlockIndex) -> list[tuple[BlockIndex, set[BlockIndex]]]:
    cuts = [start]
    while (cut := shape.post_dominator(cuts[-1])) != end:
        assert cut is not None, "the exit of the region post-dominates every block of it"
        cuts.append(cut)
    pieces: list[tuple[BlockIndex, set[BlockIndex]]] = []
    for number, cut in enumerate(cuts):
        stop = cuts[number + 1] if number + 1 < len(cuts) else end
        entry, found = cut, _until(shape, cut, stop)
        while pieces and not found.isdisjoint(pieces[-1][1]):  # a loop over several pieces
            entry = pieces.pop()[0]
            found |= _until(shape, entry, stop)
        pieces.append((entry, found))
    return pieces


def _until(shape: FlowShape, start: BlockIndex, stop: BlockIndex) -> set[BlockIndex]:
    """What is reached from `start` without passing `stop`."""
    found: set[BlockIndex] = set()
    waiting = [start]
    while waiting:
        block = waiting.pop()
        if block != stop and block not in found:
            found.add(block)
            waiting += shape.successors[block]
    return found


def _simplified(
    draft: FlowDraft, entry: BlockIndex, blocks: set[BlockIndex], before: BlockIndex, after: BlockIndex
) -> Subgraph:
    """Makes the piece a simple region; `after` is where the next piece begins, as yet."""
    rounds, span = draft.blocks[before].rounds, draft.blocks[before].terminator.span
    inside = [source for source in sorted(blocks) if entry in draft.successors(source)]
    if inside:
        front = draft.block(Jump(BasicBlockId(entry), span), rounds)
        draft.redirect(before, entry, front)
        draft.rename_source(entry, before, front)
        entry = front
    else:
        for phi in draft.blocks[entry].phis:
            draft.replace(phi.result, phi.incoming[before])
        draft.blocks[entry].phis = []
    leaving = [source for source in sorted(blocks) if after in draft.successors(source)]
    exit_ = leaving[0]
    if len(leaving) > 1 or len(draft.successors(exit_)) > 1:
        exit_ = _collect(draft, leaving, after, rounds)
    return Subgraph(entry, exit_, before, after, _preorder(draft, entry, exit_))


def _collect(draft: FlowDraft, leaving: list[BlockIndex], after: BlockIndex, rounds: int) -> BlockIndex:
    """A new block on the edges from `leaving` to `after`, with the part of the phis that is about them."""
    back = draft.block(Jump(BasicBlockId(after), draft.blocks[leaving[0]].terminator.span), rounds)
    for source in leaving:
        draft.redirect(source, after, back)
    for phi in draft.blocks[after].phis:
        moved = {source: phi.incoming.pop(source) for source in leaving}
        values = set(moved.values())
        if len(values) == 1:
            phi.incoming[back] = values.pop()
        else:
            inner = FlowPhi(draft.value(draft.types[phi.result]), moved, phi.span)
            draft.blocks[back].phis.append(inner)
            phi.incoming[back] = inner.result
    return back


def _preorder(draft: FlowDraft, entry: BlockIndex, exit_: BlockIndex) -> tuple[BlockIndex, ...]:
    found: dict[BlockIndex, None] = {}
    waiting = [entry]
    while waiting:
        block = waiting.pop()
        if block not in found:
            found[block] = None
            if block != exit_:
                waiting += reversed(draft.successors(block))
    return tuple(found)
