"""Phis and terminators: how values and threads travel between basic blocks."""

from __future__ import annotations

from typing import ClassVar, final

from analysis.ir.ids import BasicBlockId, SourceBranchId, ValueId
from analysis.ir.record import record
from analysis.ir.source import Span


@final
@record
class Phi:
    """The value that arrives over the edge the thread came by; one entry per predecessor block."""

    result: ValueId
    incoming: tuple[tuple[BasicBlockId, ValueId], ...]
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return tuple(value for _, value in self.incoming)


@final
@record
class Jump:
    """Goes on at `target`."""

    target: BasicBlockId
    span: Span

    operands: ClassVar[tuple[ValueId, ...]] = ()

    @property
    def successors(self) -> tuple[BasicBlockId, ...]:
        return (self.target,)


@final
@record
class Branch:
    """Two-way branch; several may belong to one source branch (`if (a && p[i])`)."""

    condition: ValueId
    if_true: BasicBlockId
    if_false: BasicBlockId
    branch: SourceBranchId | None
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.condition,)

    @property
    def successors(self) -> tuple[BasicBlockId, ...]:
        return (self.if_true, self.if_false)


@final
@record
class SwitchCase:
    """One label; `value` is None where the constant is not known (a template argument)."""

    value: int | None
    target: BasicBlockId


@final
@record
class Switch:
    """Goes to the case whose value equals `value`, else to `default`."""

    value: ValueId
    cases: tuple[SwitchCase, ...]
    default: BasicBlockId
    branch: SourceBranchId | None
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.value,)

    @property
    def successors(self) -> tuple[BasicBlockId, ...]:
        """Distinct targets, in order of first mention, the default last."""
        return tuple(dict.fromkeys([*(case.target for case in self.cases), self.default]))


@final
@record
class Return:
    """The thread leaves the function."""

    value: ValueId | None
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return () if self.value is None else (self.value,)

    successors: ClassVar[tuple[BasicBlockId, ...]] = ()


@final
@record
class Trap:
    """The kernel ends with an error (`__trap()`, `asm("trap;")`)."""

    span: Span

    operands: ClassVar[tuple[ValueId, ...]] = ()

    successors: ClassVar[tuple[BasicBlockId, ...]] = ()
