"""Which class an object with virtual functions is of: a number where compilers put a pointer to a table.

Rules   Every constructor stores the number of its class behind those of the bases, and every destructor at its start,
        into all such places of the object: so the object is of each base in turn while that is made, and again while
        it ends.  A copy has the class of what is made, not of what is copied; an assignment leaves it as it is.
        The number is made of the name of the class: the same whoever asks, and no valid address.
Source  C++20 standard, [class.cdtor]; Itanium C++ ABI, "Virtual Table Layout".
"""

from __future__ import annotations

from collections.abc import Sequence

from analysis.ir.ids import FunctionId, ValueId
from analysis.ir.source import Span
from analysis.ir.types import CLASS_NUMBER, StructType
from analysis.lower.context import LoweringContext, LValue
from analysis.lower.function_values import number_of
from analysis.lower.names import Record


def number_of_class(record: Record) -> int:
    """What objects of just that class hold."""
    return number_of_named_class(record.name)


def number_of_named_class(name: str) -> int:
    """The same, by the name that its layout has."""
    return number_of(FunctionId(f"class {name}"))


def set_class(ctx: LoweringContext, object: LValue, record: Record, span: Span) -> None:
    """From here on `object` is a whole `record`."""
    for address in _places(ctx, object, record, span):
        ctx.builder.store(address, ctx.builder.constant(number_of_class(record), CLASS_NUMBER, span), span)


def class_of(ctx: LoweringContext, object: LValue, record: Record, span: Span) -> ValueId | None:
    """The number of the class of what `object`, seen as a `record`, is; None where that has none."""
    places = _places(ctx, object, record, span)
    return ctx.builder.load(places[0], CLASS_NUMBER, span) if places else None


def classes_in(ctx: LoweringContext, object: LValue, span: Span) -> list[tuple[ValueId, ValueId]]:
    """Where the object says its class and that of its bases, and what stands there."""
    record = ctx.program.records.get(object.type.name) if isinstance(object.type, StructType) else None
    places = () if record is None else _places(ctx, object, record, span)
    return [(address, ctx.builder.load(address, CLASS_NUMBER, span)) for address in places]


def _places(ctx: LoweringContext, object: LValue, record: Record, span: Span) -> Sequence[ValueId]:
    return [
        ctx.builder.field_address(object.address, index, CLASS_NUMBER, span)
        for index, field in enumerate(record.fields)
        if field.is_class_number
    ]
