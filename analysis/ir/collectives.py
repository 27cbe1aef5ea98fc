"""Instructions in which threads meet: barriers, fences, shuffles, votes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

from analysis.ir.ids import ValueId
from analysis.ir.operators import (
    AtomicOperator,
    BarrierReduction,
    MatchKind,
    MemoryScope,
    PhaseQuestion,
    ShuffleMode,
    VoteKind,
)
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

    def renamed(self, names: Sequence[ValueId], span: Span) -> BlockBarrier:
        return BlockBarrier(
            None if self.result is None else names[self.result],
            self.reduction,
            None if self.predicate is None else names[self.predicate],
            span,
        )


@final
@record
class NamedBarrier:
    """PTX `bar.sync`/`bar.arrive` on a numbered barrier; `count` in threads, None for the whole block."""

    barrier: ValueId
    count: ValueId | None
    arrive_only: bool
    span: Span

    result: ClassVar[None] = None

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.barrier,) if self.count is None else (self.barrier, self.count)

    def renamed(self, names: Sequence[ValueId], span: Span) -> NamedBarrier:
        return NamedBarrier(
            names[self.barrier],
            None if self.count is None else names[self.count],
            self.arrive_only,
            span,
        )


@final
@record
class PhaseWait:
    """`wait`, `try_wait` and `test_wait` on the memory barrier at `address`, for its phase of that parity (a boolean).

    The result is whether that phase is complete; after `PhaseQuestion.WAIT` it is.
    """

    result: ValueId
    question: PhaseQuestion
    address: ValueId
    parity: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.address, self.parity)

    def renamed(self, names: Sequence[ValueId], span: Span) -> PhaseWait:
        return PhaseWait(names[self.result], self.question, names[self.address], names[self.parity], span)


@final
@record
class WarpBarrier:
    """`__syncwarp(mask)`, and `sync()` of groups no larger than a warp."""

    mask: ValueId
    span: Span

    result: ClassVar[None] = None

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.mask,)

    def renamed(self, names: Sequence[ValueId], span: Span) -> WarpBarrier:
        return WarpBarrier(names[self.mask], span)


@final
@record
class GridBarrier:
    """`grid.sync()`: all blocks of a cooperative launch."""

    span: Span

    result: ClassVar[None] = None

    operands: ClassVar[tuple[ValueId, ...]] = ()

    def renamed(self, names: Sequence[ValueId], span: Span) -> GridBarrier:
        return GridBarrier(span)


@final
@record
class Fence:
    """`__threadfence*()`: orders memory, does not wait."""

    scope: MemoryScope
    span: Span

    result: ClassVar[None] = None

    operands: ClassVar[tuple[ValueId, ...]] = ()

    def renamed(self, names: Sequence[ValueId], span: Span) -> Fence:
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

    def renamed(self, names: Sequence[ValueId], span: Span) -> Shuffle:
        return Shuffle(
            names[self.result],
            self.mode,
            None if self.mask is None else names[self.mask],
            names[self.value],
            names[self.lane],
            None if self.width is None else names[self.width],
            span,
        )


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

    def renamed(self, names: Sequence[ValueId], span: Span) -> Vote:
        return Vote(
            names[self.result],
            self.kind,
            None if self.mask is None else names[self.mask],
            names[self.predicate],
            span,
        )


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

    def renamed(self, names: Sequence[ValueId], span: Span) -> Match:
        return Match(names[self.result], self.kind, names[self.mask], names[self.value], span)


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

    def renamed(self, names: Sequence[ValueId], span: Span) -> WarpReduce:
        return WarpReduce(names[self.result], self.operator, names[self.mask], names[self.value], span)
