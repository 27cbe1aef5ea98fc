"""`std::min`, `std::max` and `std::clamp`: they give back one of their arguments, not a copy of it.

Rules   Of numbers and pointers the result is a value, and a reference to it names the argument that was chosen:
        `const int &least = std::min(a, b); a = 7;` changes `least` where `a` was the smaller one.
        Of classes the object is chosen by the `<` of the class.
Limits  A comparison of the caller's own, and lists, are not understood.
Source  C++ standard, "Minimum and maximum", "Bounded value".
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.operators import CompareOperator
from analysis.ir.types import PointerType, StructType, Type
from analysis.lower.builtins import BuiltinFunction
from analysis.lower.builtins.types import canonical
from analysis.lower.calls import call_builtin, unknown_call
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.conversions import is_arithmetic
from analysis.lower.convert import implicit
from analysis.lower.expressions.conditions import boolean
from analysis.lower.expressions.dispatch import load, selected_object
from analysis.lower.names import Closure, TemplateArgument, TypeName
from analysis.lower.operators import try_overload
from analysis.syntax.tree import Node

_COUNTS: Final = {"min": 2, "max": 2, "clamp": 3}


def least_or_greatest(
    ctx: LoweringContext,
    builtin: BuiltinFunction,
    explicit: tuple[TemplateArgument, ...],
    operands: Sequence[Operand],
    node: Node,
) -> Operand:
    """What the call gives; None for any other function."""
    space, name = canonical(builtin.name)
    if space != "std" or _COUNTS.get(name) != len(operands) or any(isinstance(each, Closure) for each in operands):
        return None
    span = ctx.span(node)
    wanted = explicit[0].declared.type if explicit and isinstance(explicit[0], TypeName) else None
    types = {ctx.type_of(each) for each in operands}
    if any(isinstance(type, StructType) for type in types):
        if len(types) != 1 or wanted not in (None, *types) or not all(isinstance(each, LValue) for each in operands):
            return unknown_call(ctx, f"call of {builtin.name} with classes", operands, span)
        return _of_class(ctx, name, operands, node)
    values = [load(ctx, each, span) for each in operands]
    if wanted is not None and is_arithmetic(wanted):
        values = [implicit(ctx, value, wanted, span) for value in values]
    result = call_builtin(ctx, builtin, values, explicit, span)
    if isinstance(result, int) and _is_ordered(ctx.builder.types[result]):
        type = ctx.builder.types[result]
        if all(_is_alike(ctx.builder.types[value], type) for value in values):
            # A converted argument is a value of its own, to which no name refers.
            pairs = zip(operands, values, strict=True)
            objects = [each if _is_alike(ctx.type_of(each), type) else value for each, value in pairs]
            ctx.objects[result] = partial(_object, ctx, name, objects, values, node)
    return result


def _is_ordered(type: Type) -> bool:
    return is_arithmetic(type) or isinstance(type, PointerType)


def _is_alike(type: Type | None, wanted: Type) -> bool:
    """Whether a reference to `wanted` is to an object of this type itself; pointers differ in what is known of them."""
    return type == wanted or (isinstance(type, PointerType) and isinstance(wanted, PointerType))


def _object(
    ctx: LoweringContext, name: str, objects: Sequence[Operand], values: Sequence[ValueId], node: Node
) -> LValue:
    """The chosen one of the objects that held these values when the call was made."""
    span = ctx.span(node)

    def is_less(left: int, right: int) -> ValueId:
        return ctx.builder.compare(CompareOperator.LESS, values[left], values[right], span)

    if name == "min":
        return selected_object(ctx, is_less(1, 0), objects[1], objects[0], span)
    if name == "max":
        return selected_object(ctx, is_less(0, 1), objects[1], objects[0], span)
    upper = selected_object(ctx, is_less(2, 0), objects[2], objects[0], span)
    return selected_object(ctx, is_less(0, 1), objects[1], upper, span)


def _of_class(ctx: LoweringContext, name: str, operands: Sequence[Operand], node: Node) -> Operand:
    span = ctx.span(node)

    def is_less(left: int, right: int) -> ValueId | None:
        is_known, result = try_overload(ctx, "<", (operands[left], operands[right]), node)
        return boolean(ctx, result, span) if is_known else None

    tests = [is_less(1, 0)] if name == "min" else [is_less(0, 1)] if name == "max" else [is_less(0, 1), is_less(2, 0)]
    known = [test for test in tests if test is not None]
    if len(known) < len(tests):
        return unknown_call(ctx, f"call of std::{name} with classes", operands, span)
    if name == "clamp":
        upper = selected_object(ctx, known[1], operands[2], operands[0], span)
        return selected_object(ctx, known[0], operands[1], upper, span)
    return selected_object(ctx, known[0], operands[1], operands[0], span)
