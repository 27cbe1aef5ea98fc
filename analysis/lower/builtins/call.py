"""A call of a builtin, as the lowering hands it over."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, final

from analysis.ir.ids import ValueId
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import Type
from analysis.lower.builder import FunctionBuilder

TemplateArgumentValue: TypeAlias = Type | int | None
Literal: TypeAlias = int | float | bool | str | None


def no_literal(_argument: int) -> None:
    """Nothing is known of the arguments."""


@final
@record
class BuiltinCall:
    """`arguments` are rvalues; `addresses[i]` is the address of argument `i` where it is an lvalue, else None.

    `literal(i)` is the value of argument `i` where it is a literal or a constant expression (the format of a printf,
    the size of a memcpy), None for any other; callers may leave it out and lose only precision.
    A method finds its object in `receiver`, and the object's address in `receiver_address`.
    `apply(i, values)` calls argument `i`, a lambda or an object with `operator()` that the file declares; None where
    it cannot be called.
    """

    builder: FunctionBuilder
    name: str
    arguments: tuple[ValueId, ...]
    addresses: tuple[ValueId | None, ...]
    template_arguments: tuple[TemplateArgumentValue, ...]
    receiver: ValueId | None
    receiver_address: ValueId | None
    span: Span
    warp_size: int = 32
    literal: Callable[[int], Literal] = no_literal
    apply: Callable[[int, tuple[ValueId, ...]], ValueId | None] | None = None
