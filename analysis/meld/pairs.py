"""Which subgraphs of the two arms can be melded, block by block?  Definition 6.

Region-region   both have several blocks and the same shape: walking both from their entries in lockstep, terminators
                are of one kind and successors correspond in order.
Block-region    a single block takes a place in a copy of the other side's region (region replication): the place with
                the highest MP_B.  On the way through the copy every condition is made concrete, so that the block runs
                exactly once; so the way must not pass a block twice with different ends.
Block-block     both have more than one instruction.
Answer          pairs of blocks, in an order in which definitions come before their uses, and the pair's MP_S; for
                block-region the MP_B of the place, as in the published artifact.
Source          Saumya et al., CGO 2022, section IV-C; artifact, `RegionAnalyzer`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import final

from analysis.ir.instructions import Branch, Jump, Switch, Terminator
from analysis.ir.record import record
from analysis.meld.draft import BlockIndex, FlowDraft
from analysis.meld.model import PairKind
from analysis.meld.profitability import BlockProfile, block_profitability, subgraph_profitability
from analysis.meld.subgraphs import Subgraph


@final
@record
class BlockPair:
    """Corresponding blocks; None for a place of a replicated region where the other side has no block.

    `way` is the successor that the side without a region takes at the end of the block, by its position among the
    distinct successors of the other side's terminator; None where it never comes here, or where both sides decide.
    """

    left: BlockIndex | None
    right: BlockIndex | None
    way: int | None = None


@final
@record
class SubgraphPair:
    """What is melded with what; `pairs` begins with the entries and contains the exits."""

    kind: PairKind
    left: Subgraph
    right: Subgraph
    pairs: tuple[BlockPair, ...]
    profitability: float

    @property
    def exit(self) -> BlockIndex:
        """The exit of the side that has the shape of the result."""
        return self.right.exit if self.left.is_block else self.left.exit


def meldable_pair(
    draft: FlowDraft, left: Subgraph, right: Subgraph, profiles: Mapping[BlockIndex, BlockProfile]
) -> SubgraphPair | None:
    """The pair of subgraphs with its blocks paired up; None where definition 6 does not hold."""
    if left.is_block and right.is_block:
        if min(profiles[left.entry].instructions, profiles[right.entry].instructions) < 2:
            return None
        score = block_profitability(profiles[left.entry], profiles[right.entry])
        return SubgraphPair(PairKind.BLOCK_BLOCK, left, right, (BlockPair(left.entry, right.entry),), score)
    if left.is_block or right.is_block:
        return _replicated(draft, left, right, profiles)
    found = corresponding_blocks(draft, left, right)
    if found is None:
        return None
    score = subgraph_profitability((profiles[one], profiles[other]) for one, other in found)
    pairs = tuple(BlockPair(one, other) for one, other in found)
    return SubgraphPair(PairKind.REGION_REGION, left, right, pairs, score)


def corresponding_blocks(
    draft: FlowDraft, left: Subgraph, right: Subgraph
) -> tuple[tuple[BlockIndex, BlockIndex], ...] | None:
    """The blocks of two subgraphs that are isomorphic, in preorder; None where they are not."""
    if len(left.blocks) != len(right.blocks):
        return None
    partner = {left.entry: right.entry}
    taken = {right.entry}
    waiting = [left.entry]
    while waiting:
        one = waiting.pop()
        other = partner[one]
        if (one == left.exit) != (other == right.exit):
            return None
        if one == left.exit:
            continue
        if not _same_kind(draft, draft.blocks[one].terminator, draft.blocks[other].terminator):
            return None
        targets, others = draft.blocks[one].terminator.successors, draft.blocks[other].terminator.successors
        if len(targets) != len(others):
            return None
        for target, match in zip(targets, others, strict=True):
            if target not in partner and match not in taken:
                partner[target] = match
                taken.add(match)
                waiting.append(target)
            elif partner.get(target) != match:
                return None
    return tuple((block, partner[block]) for block in left.blocks)


def _same_kind(draft: FlowDraft, left: Terminator, right: Terminator) -> bool:
    if isinstance(left, Switch) and isinstance(right, Switch):
        targets = left.successors, right.successors
        is_one_type = draft.types[left.value] == draft.types[right.value]
        return is_one_type and _labels(left, targets[0]) == _labels(right, targets[1])
    return type(left) is type(right) and isinstance(left, Jump | Branch)


def _labels(switch: Switch, targets: Sequence[BlockIndex]) -> tuple[object, ...]:
    return (
        *((case.value, targets.index(case.target)) for case in switch.cases),
        targets.index(switch.default),
    )


# -- region replication ---------------------------------------------------------------------------------------------


def _replicated(
    draft: FlowDraft, left: Subgraph, right: Subgraph, profiles: Mapping[BlockIndex, BlockProfile]
) -> SubgraphPair | None:
    single, region = (left, right) if left.is_block else (right, left)
    own = profiles[single.entry]
    if own.instructions < 2:
        return None
    places = sorted(region.blocks, key=lambda block: -block_profitability(own, profiles[block]))
    for place in places:
        score = block_profitability(own, profiles[place])
        if score == 0.0:
            return None
        ways = _way_through(draft, region, place)
        if ways is None:
            continue
        pairs: list[BlockPair] = []
        for block in region.blocks:
            mine = single.entry if block == place else None
            way = ways.get(block)
            pairs.append(BlockPair(mine, block, way) if single is left else BlockPair(block, mine, way))
        return SubgraphPair(PairKind.BLOCK_REGION, left, right, tuple(pairs), score)
    return None


def _way_through(draft: FlowDraft, region: Subgraph, place: BlockIndex) -> Mapping[BlockIndex, int] | None:
    """For each block on a way from entry over `place` to exit, which successor it takes; the way passes none twice."""
    onward = _shortest(draft, region, place, region.exit, frozenset())
    if onward is None:
        return None
    toward = _shortest(draft, region, region.entry, place, frozenset(onward[1:]))
    if toward is None:
        return None
    way = [*toward, *onward[1:]]
    ways: dict[BlockIndex, int] = {}
    for block, following in pairwise(way):
        terminator = draft.blocks[block].terminator
        if isinstance(terminator, Switch) and any(case.value is None for case in terminator.cases):
            return None
        ways[block] = draft.successors(block).index(following)
    return ways


def _shortest(
    draft: FlowDraft, region: Subgraph, start: BlockIndex, end: BlockIndex, without: frozenset[BlockIndex]
) -> list[BlockIndex] | None:
    """The shortest way inside the region; None where there is none."""
    if start in without or end in without:
        return None
    inside = frozenset(region.blocks) - without
    came_from: dict[BlockIndex, BlockIndex] = {start: start}
    waiting = [start]
    for block in waiting:
        for target in draft.successors(block) if block != end else ():
            if target in inside and target not in came_from:
                came_from[target] = block
                waiting.append(target)
    if end not in came_from:
        return None
    way = [end]
    while way[-1] != start:
        way.append(came_from[way[-1]])
    return way[::-1]
