"""One divergent region melded in one way, on a copy: what it would save is read off the result.

Price     issue slots of the whole graph after tidying, before and after, for the same sample of warps (`pricing.py`).
          So selects, guards and everything else that melding adds count as what they are, and a warp that would have
          run one arm alone counts as what it loses.
Certain   with BEST a saving must exceed what the choice of the sample may have made of it.  The number of instructions
          must not rise either: fewer loads can pay for many selects in slots, but "fewer issued instructions" is what a
          person is told, and it holds for any prices.
Landing   a decision of several blocks (`a && b`) gets one branch first (`landing.py`), at which its arms part.
Methods   DARM aligns the subgraphs of both arms, then the instructions of their blocks.  Fusion does so where both arms
          are one block, tail merging only with equal instructions at the end.  Linear does as DARM once both arms are
          straightened (`linear.py`), and only where that changes something.  BEST tries the frugal alignment, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Final, TypeAlias, assert_never, final

from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.meld.alignment import align
from analysis.meld.columns import MAX_CELLS, Aligner, frugal_aligner, published_aligner, tail_aligner
from analysis.meld.draft import BlockIndex, FlowDraft
from analysis.meld.facts import MeldFacts
from analysis.meld.landing import decision_at, with_landing
from analysis.meld.linear import straighten
from analysis.meld.model import MeldedPair, MeldObstacle
from analysis.meld.pairs import SubgraphPair, meldable_pair
from analysis.meld.pricing import Price, Saving, most_that_melding_saves, price, saving
from analysis.meld.profitability import profile
from analysis.meld.regions import DivergentRegion, Illegal, region_at
from analysis.meld.rewrite import meld_pairs
from analysis.meld.settings import MeldMethod, MeldSettings
from analysis.meld.shape import FlowShape
from analysis.meld.subgraphs import Subgraph, simplify_arm
from analysis.meld.tidy import tidy

LEAST_SHARE: Final = 0.001
"""Of the issue slots of a function: what cannot save so much is not tried by BEST."""


@final
@record
class Attempt:
    """The draft with the region melded, and what is saved after all that is charged."""

    draft: FlowDraft
    method: MeldMethod
    pairs: tuple[MeldedPair, ...]
    slots: Saving
    instructions: Saving

    @property
    def is_gain(self) -> bool:
        return self.slots.certain > 0 and self.instructions.certain >= 0


@final
@record
class Failure:
    """Nothing to meld here; the numbers as far as it came."""

    obstacle: MeldObstacle
    place: Span
    profitability: float | None = None
    saved: float | None = None


Answer: TypeAlias = Attempt | Failure


def best_attempt(
    draft: FlowDraft,
    entry: BlockIndex,
    before: Price,
    facts: MeldFacts,
    settings: MeldSettings,
    lanes: Mapping[BlockIndex, int] | None = None,
) -> Answer:
    """The region at `entry`, melded by the method of the settings or by the best one; `before` is the price now.

    `lanes` are those that pass the blocks of the draft: with them BEST looks only at what can be worth something.
    """
    region = region_at(draft, FlowShape(draft), entry)
    if isinstance(region, Illegal) and region.obstacle is MeldObstacle.SHARED_CODE:
        decision = decision_at(draft, FlowShape(draft), entry)
        if decision is not None and decision.exit in decision.arms:
            return Failure(MeldObstacle.ONE_ARM, region.place)
        if decision is not None:
            draft = draft.copy()
            entry = with_landing(draft, decision)
            region = region_at(draft, FlowShape(draft), entry)
    if isinstance(region, Illegal):
        return Failure(region.obstacle, region.place)
    if settings.method is MeldMethod.BEST and lanes is not None:
        most = most_that_melding_saves(draft, region, lanes, facts)
        if most < fmean(before.slots) * LEAST_SHARE:
            return Failure(MeldObstacle.NO_GAIN, region.branch.span)
    answers = [
        _attempt(draft, entry, before, method, aligner, facts, settings) for method, aligner in _ways(settings, facts)
    ]
    attempts = [answer for answer in answers if isinstance(answer, Attempt)]
    if not attempts:
        failures = [answer for answer in answers if isinstance(answer, Failure)]
        return max(failures, key=lambda failure: failure.profitability or 0.0)
    best = max(attempts, key=lambda attempt: (attempt.is_gain, attempt.slots.mean))
    if settings.method is MeldMethod.BEST and not best.is_gain:
        profitability = max(pair.profitability for pair in best.pairs)
        return Failure(MeldObstacle.NO_GAIN, region.branch.span, profitability, best.slots.mean)
    return best


def _ways(settings: MeldSettings, facts: MeldFacts) -> Sequence[tuple[MeldMethod, Aligner]]:
    published = published_aligner(settings, facts.space)
    match settings.method:
        case MeldMethod.DARM | MeldMethod.FUSION | MeldMethod.LINEAR:
            return [(settings.method, published)]
        case MeldMethod.TAIL:
            return [(MeldMethod.TAIL, tail_aligner(facts.space))]
        case MeldMethod.BEST:
            return [
                (MeldMethod.DARM, published),
                (MeldMethod.DARM, frugal_aligner(facts.space)),
                (MeldMethod.TAIL, tail_aligner(facts.space)),
                (MeldMethod.LINEAR, frugal_aligner(facts.space)),
            ]
        case _:
            assert_never(settings.method)


def _attempt(
    given: FlowDraft,
    entry: BlockIndex,
    before: Price,
    method: MeldMethod,
    aligner: Aligner,
    facts: MeldFacts,
    settings: MeldSettings,
) -> Answer:
    draft = given.copy()
    shape = FlowShape(draft)
    region = region_at(draft, shape, entry)
    assert isinstance(region, DivergentRegion)
    span = region.branch.span
    if method is MeldMethod.LINEAR:
        straightened = straighten(draft, shape, region)
        if straightened is None:
            return Failure(MeldObstacle.NOTHING_ALIKE, span)
        shape = FlowShape(draft)
        again = region_at(draft, shape, straightened)
        if isinstance(again, Illegal):
            return Failure(again.obstacle, again.place)
        region = again
    arms = simplify_arm(draft, shape, region, 0), simplify_arm(draft, shape, region, 1)
    draft.settle()
    if method in (MeldMethod.FUSION, MeldMethod.TAIL) and not all(map(_is_one_block, arms)):
        return Failure(MeldObstacle.NOTHING_ALIKE, span)
    pairs = aligned_subgraphs(draft, arms[0], arms[1], settings)
    if not pairs:
        return Failure(MeldObstacle.NOTHING_ALIKE, span)
    best = max(pair.profitability for pair in pairs)
    pairs = tuple(pair for pair in pairs if pair.profitability >= settings.threshold)
    if not pairs:
        return Failure(MeldObstacle.BELOW_THRESHOLD, span, best)
    if _cells(draft, pairs) > MAX_CELLS:
        return Failure(MeldObstacle.TOO_LARGE, span, best)
    counts = meld_pairs(draft, region, pairs, aligner, unpredication=settings.unpredication)
    if not any(counts):
        return Failure(MeldObstacle.NOTHING_ALIKE, span, best)
    tidy(draft)
    after = price(draft, facts)
    described = _described(pairs, counts)
    slots, instructions = saving(before.slots, after.slots), saving(before.instructions, after.instructions)
    return Attempt(draft, method, described, slots, instructions)


def aligned_subgraphs(
    draft: FlowDraft, left: Sequence[Subgraph], right: Sequence[Subgraph], settings: MeldSettings
) -> tuple[SubgraphPair, ...]:
    """The subgraph alignment (definition 7) of both arms."""
    profiles = {block: profile(draft, block, settings.latencies) for graph in (*left, *right) for block in graph.blocks}
    found: dict[tuple[int, int], SubgraphPair] = {}

    def score(one: int, other: int) -> float | None:
        pair = meldable_pair(draft, left[one], right[other], profiles)
        if pair is None:
            return None
        found[one, other] = pair
        return int(100 * pair.profitability)

    alignment = align(range(len(left)), range(len(right)), score, settings.subgraph_gap)
    return tuple(found[pair] for pair in alignment.pairs)


def _cells(draft: FlowDraft, pairs: Sequence[SubgraphPair]) -> int:
    """How many pairs of instructions an alignment looks at."""
    return sum(
        len(draft.blocks[blocks.left].steps) * len(draft.blocks[blocks.right].steps)
        for pair in pairs
        for blocks in pair.pairs
        if blocks.left is not None and blocks.right is not None
    )


def _described(pairs: Sequence[SubgraphPair], counts: Sequence[int]) -> tuple[MeldedPair, ...]:
    return tuple(
        MeldedPair(
            pair.kind,
            sum(blocks.left is not None and blocks.right is not None for blocks in pair.pairs),
            count,
            pair.profitability,
        )
        for pair, count in zip(pairs, counts, strict=True)
    )


def _is_one_block(arm: Sequence[Subgraph]) -> bool:
    return len(arm) == 1 and arm[0].is_block
