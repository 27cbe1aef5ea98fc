"""Which instructions of two corresponding blocks become one?  Alignments of their sequences, one per method.

Published   Smith-Waterman over compatible instructions; a pair scores its published latency, a gap costs what the
            settings say.
Frugal      the same, but a pair scores what it saves: its issue slots less the selects that its operands will need.  An
            operand needs none where both sides read the same value, or what the aligned instructions before it define.
Tail        equal instructions at the end of both, and nothing else: operands are the same value, what the tail itself
            defines, or what each side computes before its tail.
Sources     (constants, addresses of variables) take no part: they stand before everything else.
Cost        O(left x right) comparisons of keys; more than `MAX_CELLS` of them are not made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from analysis.ir.ids import ValueId
from analysis.meld.alignment import align
from analysis.meld.compatibility import SpaceOf, instruction_key, is_source, source_key
from analysis.meld.draft import BlockIndex, FlowDraft, PricedInstruction
from analysis.meld.profitability import published_latency
from analysis.meld.settings import MeldSettings

Column: TypeAlias = tuple[PricedInstruction | None, PricedInstruction | None]
"""An aligned pair of instructions, or one of one side alone."""
Columns: TypeAlias = tuple[Column, ...]
Aligner: TypeAlias = Callable[[FlowDraft, Sequence[PricedInstruction], Sequence[PricedInstruction]], Columns]

MAX_CELLS: Final = 250_000
"""Two blocks of 500 instructions: a quarter of a second."""
_FRUGAL_GAP: Final = 0.5
"""A guard costs a slot, and a gap is seldom alone."""


def aligned_steps(draft: FlowDraft, block: BlockIndex | None) -> tuple[PricedInstruction, ...]:
    """The instructions of a block that take part in an alignment."""
    if block is None:
        return ()
    return tuple(step for step in draft.blocks[block].steps if not is_source(step.instruction))


def published_aligner(settings: MeldSettings, space_of: SpaceOf) -> Aligner:
    """The alignment of the paper."""

    def aligned(draft: FlowDraft, left: Sequence[PricedInstruction], right: Sequence[PricedInstruction]) -> Columns:
        keys = _keys(draft, left, space_of), _keys(draft, right, space_of)
        worth = [published_latency(step.instruction, settings.latencies) for step in left]

        def score(one: int, other: int) -> float | None:
            return worth[one] if keys[0][one] is not None and keys[0][one] == keys[1][other] else None

        return _columns(left, right, score, settings.instruction_gap)

    return aligned


def frugal_aligner(space_of: SpaceOf) -> Aligner:
    """The alignment that saves most issue slots, by an estimate of the selects."""

    def aligned(draft: FlowDraft, left: Sequence[PricedInstruction], right: Sequence[PricedInstruction]) -> Columns:
        keys = _keys(draft, left, space_of), _keys(draft, right, space_of)
        sources = _sources(draft)
        made = tuple(
            {step.instruction.result: key for step, key in zip(steps, found, strict=True)}
            for steps, found in zip((left, right), keys, strict=True)
        )

        def needs_select(one: ValueId, other: ValueId) -> bool:
            one, other = draft.find(one), draft.find(other)
            if one == other or (one in sources and sources[one] == sources.get(other)):
                return False
            key = made[0].get(one)
            return key is None or key != made[1].get(other)

        def score(one: int, other: int) -> float | None:
            if keys[0][one] is None or keys[0][one] != keys[1][other]:
                return None
            operands = left[one].instruction.operands, right[other].instruction.operands
            selects = {pair for pair in zip(*operands, strict=True) if needs_select(*pair)}
            saved = min(left[one].slots, right[other].slots) - len(selects)
            return saved if saved > 0 else None

        return _columns(left, right, score, _FRUGAL_GAP)

    return aligned


def tail_aligner(space_of: SpaceOf) -> Aligner:
    """Tail merging: the longest common end."""

    def aligned(draft: FlowDraft, left: Sequence[PricedInstruction], right: Sequence[PricedInstruction]) -> Columns:
        keys = _keys(draft, left, space_of), _keys(draft, right, space_of)
        sources = _sources(draft)
        place = tuple(
            {step.instruction.result: -at for at, step in enumerate(reversed(steps))} for steps in (left, right)
        )

        def is_equal(one: ValueId, other: ValueId, length: int) -> bool:
            one, other = draft.find(one), draft.find(other)
            if one == other or (one in sources and sources[one] == sources.get(other)):
                return True
            first, second = place[0].get(one), place[1].get(other)
            if first is None or second is None:
                return False
            return first == second or max(first, second) < -length

        length = 0
        for one, other in zip(range(len(left) - 1, -1, -1), range(len(right) - 1, -1, -1), strict=False):
            if keys[0][one] is None or keys[0][one] != keys[1][other]:
                break
            length += 1
        while length and not all(
            is_equal(one, other, length - 1)
            for at in range(1, length + 1)
            for one, other in zip(left[-at].instruction.operands, right[-at].instruction.operands, strict=True)
        ):
            length -= 1
        heads = left[: len(left) - length], right[: len(right) - length]
        tails = left[len(left) - length :], right[len(right) - length :]
        return (
            *((step, None) for step in heads[0]),
            *((None, step) for step in heads[1]),
            *zip(*tails, strict=True),
        )

    return aligned


def _keys(draft: FlowDraft, steps: Sequence[PricedInstruction], space_of: SpaceOf) -> list[object]:
    return [instruction_key(step.instruction, draft.types, space_of) for step in steps]


def _sources(draft: FlowDraft) -> dict[ValueId, object]:
    """What each constant and variable address is."""
    return {
        step.instruction.result: source_key(step.instruction, draft.types)
        for block in draft.blocks
        for step in block.steps
        if is_source(step.instruction) and step.instruction.result is not None
    }


def _columns(
    left: Sequence[PricedInstruction],
    right: Sequence[PricedInstruction],
    score: Callable[[int, int], float | None],
    gap: float,
) -> Columns:
    found = align(range(len(left)), range(len(right)), score, gap)
    return tuple(
        (
            None if column.left is None else left[column.left],
            None if column.right is None else right[column.right],
        )
        for column in found.columns
    )
