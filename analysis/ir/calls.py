"""Instructions that leave the function: calls, launches, output, assertions, and whatever is not understood."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, final

from analysis.ir.ids import FunctionId, ValueId
from analysis.ir.record import record
from analysis.ir.source import Span


@final
@record
class Call:
    """A call of a device function whose body is known; the inliner replaces it where its budget allows.

    A by-value aggregate is passed as a value, a reference as an address, `this` as the first argument.
    """

    result: ValueId | None
    callee: FunctionId
    arguments: tuple[ValueId, ...]
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return self.arguments

    def renamed(self, names: Sequence[ValueId], span: Span) -> Call:
        return Call(
            None if self.result is None else names[self.result],
            self.callee,
            tuple([names[value] for value in self.arguments]),
            span,
        )


@final
@record
class DeviceLaunch:
    """A kernel launch from the device: another grid, which reads and writes memory beside this one from here on.

    `values`: what stands between `<<<` and `>>>` and then the arguments, all by value.  The thread does not wait.
    """

    values: tuple[ValueId, ...]
    span: Span

    result: ClassVar[None] = None

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return self.values

    def renamed(self, names: Sequence[ValueId], span: Span) -> DeviceLaunch:
        return DeviceLaunch(tuple([names[value] for value in self.values]), span)


@final
@record
class Print:
    """Device `printf`; `format` is None where it is not a literal."""

    result: ValueId | None
    format: str | None
    arguments: tuple[ValueId, ...]
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return self.arguments

    def renamed(self, names: Sequence[ValueId], span: Span) -> Print:
        return Print(
            None if self.result is None else names[self.result],
            self.format,
            tuple([names[value] for value in self.arguments]),
            span,
        )


@final
@record
class Assert:
    """Device `assert(condition)`: a thread for which it fails ends the kernel.

    `of_callee`: that a call which is decided at run time is of a function that there is.
    """

    condition: ValueId
    span: Span
    of_callee: bool = False

    result: ClassVar[None] = None

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.condition,)

    def renamed(self, names: Sequence[ValueId], span: Span) -> Assert:
        return Assert(names[self.condition], span, self.of_callee)


@final
@record
class Opaque:
    """Something that is not understood: the result is VARYING, any reachable memory may be read and written.

    `construct` says what it was, for `facts`, hovers and counts.  `may_contain_barrier` is set for unknown callees.
    """

    result: ValueId | None
    construct: str
    arguments: tuple[ValueId, ...]
    may_contain_barrier: bool
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return self.arguments

    def renamed(self, names: Sequence[ValueId], span: Span) -> Opaque:
        return Opaque(
            None if self.result is None else names[self.result],
            self.construct,
            tuple([names[value] for value in self.arguments]),
            self.may_contain_barrier,
            span,
        )
