"""Instructions in which threads meet: barriers, fences, shuffles, votes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from analysis.ir.ids import ValueId
from analysis.ir.operators import AtomicOperator, BarrierReduction, FenceScope, MatchKind, ShuffleMode, VoteKind
from analysis.ir.record import record
from analysis.ir.source import Span


@final
@record
class BlockBarrier:
    """`__syncthreads()` and its `_count`, `_and`, `_or` forms, which take a predicate and define a value."""

    result: ValueId | None
    reduction: BarrierReduction
    predicate: ValueId | None
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return () if self.predicate is None else (self.predicate,)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> BlockBarrier:
        return BlockBarrier(result, self.reduction, operands[0] if operands else None, span)


@final
@record
class NamedBarrier:
    """PTX `bar.sync`/`bar.arrive` on a numbered barrier; `count` in threads, None for the whole block."""

    barrier: ValueId
    count: ValueId | None
    arrive_only: bool
    span: Span

    @property
    def result(self) -> None:
        return None

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.barrier,) if self.count is None else (self.barrier, self.count)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> NamedBarrier:
        return NamedBarrier(operands[0], operands[1] if len(operands) > 1 else None, self.arrive_only, span)


@final
@record
class WarpBarrier:
    """`__syncwarp(mask)`, and `sync()` of groups no larger than a warp."""

    mask: ValueId
    span: Span

    @property
    def result(self) -> None:
        return None

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.mask,)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> WarpBarrier:
        return WarpBarrier(operands[0], span)


@final
@record
class GridBarrier:
    """`grid.sync()`: all blocks of a cooperative launch."""

    span: Span

    @property
    def result(self) -> None:
        return None

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return ()

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> GridBarrier:
        return GridBarrier(span)


@final
@record
class Fence:
    """`__threadfence*()`: orders memory, does not wait."""

    scope: FenceScope
    span: Span

    @property
    def result(self) -> None:
        return None

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return ()

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Fence:
        return Fence(self.scope, span)


@final
@record
class Shuffle:
    """A warp shuffle; `mask` is None for the legacy forms without `_sync`; `lane` is the lane, delta or xor mask."""

    result: ValueId
    mode: ShuffleMode
    mask: ValueId | None
    value: ValueId
    lane: ValueId
    width: ValueId | None
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        optional = (self.mask, self.width)
        return (self.value, self.lane, *(value for value in optional if value is not None))

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Shuffle:
        assert result is not None
        rest = list(operands[2:])
        mask = rest.pop(0) if self.mask is not None else None
        width = rest.pop(0) if self.width is not None else None
        return Shuffle(result, self.mode, mask, operands[0], operands[1], width, span)


@final
@record
class Vote:
    """A warp vote over a predicate; `mask` is None for the legacy forms."""

    result: ValueId
    kind: VoteKind
    mask: ValueId | None
    predicate: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.predicate,) if self.mask is None else (self.predicate, self.mask)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Vote:
        assert result is not None
        return Vote(result, self.kind, operands[1] if len(operands) > 1 else None, operands[0], span)


@final
@record
class Match:
    """`__match_any_sync`, `__match_all_sync`: the mask of the lanes with an equal value."""

    result: ValueId
    kind: MatchKind
    mask: ValueId
    value: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.value, self.mask)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Match:
        assert result is not None
        return Match(result, self.kind, operands[1], operands[0], span)


@final
@record
class WarpReduce:
    """`__reduce_*_sync` and `cooperative_groups::reduce`: the same value in every participating lane."""

    result: ValueId
    operator: AtomicOperator
    mask: ValueId
    value: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.value, self.mask)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> WarpReduce:
        assert result is not None
        return WarpReduce(result, self.operator, operands[1], operands[0], span)
