"""`std::`, `cuda::std::` and `thrust::` functions that device code uses, and the functor objects."""

from __future__ import annotations

from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.operators import BinaryOperator, CompareOperator, MathFunction
from analysis.ir.types import FloatFormat, FloatType, HandleType, IntegerType, PointerType, Type, UnknownType
from analysis.lower.builtins.constants import largest, smallest
from analysis.lower.builtins.core import BoundCall, Lowering, Table, opaque_bound, opaque_call
from analysis.lower.builtins.memory import same_value
from analysis.lower.builtins.operations import Operator, emit_operator

_M = MathFunction


def _exchange_contents(call: BoundCall) -> ValueId | None:
    builder, span, (left, right) = call.builder, call.span, call.arguments
    pointer = builder.type_of(left)
    if not isinstance(pointer, PointerType):
        return opaque_bound(call)
    first = builder.load(left, pointer.element, span)
    second = builder.load(right, pointer.element, span)
    builder.store(left, second, span)
    builder.store(right, first, span)
    return None


def _exchange(call: BoundCall) -> ValueId:
    """`std::exchange(object, value)`."""
    builder, span, (to, value) = call.builder, call.span, call.arguments
    pointer = builder.type_of(to)
    assert isinstance(pointer, PointerType)
    old = builder.load(to, pointer.element, span)
    builder.store(to, builder.convert(value, pointer.element, span), span)
    return old


def _wrapped_reference(call: BoundCall) -> ValueId | None:
    """`std::ref(object)`: what reads it may find another value, what writes it changes the object."""
    return opaque_call(call.call, UnknownType("std::reference_wrapper"))


def _clamp(call: BoundCall) -> ValueId:
    return call.builder.math(_M.CLAMP, call.arguments, call.result, call.span)


def _midpoint(call: BoundCall) -> ValueId:
    builder, span, (left, right) = call.builder, call.span, call.arguments
    return builder.math(_M.HALVING_ADD, (left, right), call.result, span)


def _linear(call: BoundCall) -> ValueId:
    """`lerp(a, b, t)`: `a + t * (b - a)`."""
    builder, span, (start, end, time) = call.builder, call.span, call.arguments
    way = builder.binary(BinaryOperator.SUBTRACT, end, start, call.result, span)
    return builder.math(_M.FUSED_MULTIPLY_ADD, (time, way, start), call.result, span)


# -- numeric_limits<T> ---------------------------------------------------------------------------------------------

_FLOAT_LIMITS: Final = {
    FloatFormat.HALF: {"max": 65504.0, "min": 2.0**-14, "epsilon": 2.0**-10, "denorm_min": 2.0**-24, "digits": 11},
    FloatFormat.BFLOAT16: {
        "max": 3.3895313892515355e38,
        "min": 2.0**-126,
        "epsilon": 2.0**-7,
        "denorm_min": 2.0**-133,
        "digits": 8,
    },
    FloatFormat.SINGLE: {
        "max": 3.4028234663852886e38,
        "min": 2.0**-126,
        "epsilon": 2.0**-23,
        "denorm_min": 2.0**-149,
        "digits": 24,
    },
    FloatFormat.DOUBLE: {
        "max": 1.7976931348623157e308,
        "min": 2.0**-1022,
        "epsilon": 2.0**-52,
        "denorm_min": 5e-324,
        "digits": 53,
    },
}


def _limit(name: str) -> Lowering:
    """One member of `numeric_limits<T>`; a dependent `T` gives "some constant"."""

    def lower(call: BoundCall) -> ValueId:
        return call.builder.constant(_limit_value(name, call.result), call.result, call.span)

    return lower


def limit_of_type(name: str, type: Type) -> Lowering:
    """The same where the name says the type: `std::numeric_limits<float>::max`."""

    def lower(call: BoundCall) -> ValueId:
        return call.builder.constant(_limit_value(name, type), type, call.span)

    return lower


def _limit_value(name: str, type: Type) -> int | float | None:
    if isinstance(type, IntegerType):
        return {"max": largest(type), "min": smallest(type), "lowest": smallest(type)}.get(name, 0)
    if not isinstance(type, FloatType):
        return None
    if name in ("infinity", "quiet_NaN", "signaling_NaN"):
        return float("inf") if name == "infinity" else float("nan")
    limits = _FLOAT_LIMITS[type.format]
    return -limits["max"] if name == "lowest" else limits.get(name, 0.5)


NUMERIC_LIMITS: Final[Table] = {
    name: (_limit(name), "R()")
    for name in [
        "max",
        "min",
        "lowest",
        "epsilon",
        "infinity",
        "quiet_NaN",
        "signaling_NaN",
        "denorm_min",
        "round_error",
    ]
}


# -- functors ------------------------------------------------------------------------------------------------------

FUNCTOR_OPERATORS: Final[dict[str, Operator]] = {
    "plus": BinaryOperator.ADD,
    "minus": BinaryOperator.SUBTRACT,
    "multiplies": BinaryOperator.MULTIPLY,
    "divides": BinaryOperator.DIVIDE,
    "modulus": BinaryOperator.REMAINDER,
    "bit_and": BinaryOperator.AND,
    "bit_or": BinaryOperator.OR,
    "bit_xor": BinaryOperator.XOR,
    "maximum": _M.MAXIMUM,
    "minimum": _M.MINIMUM,
    "Sum": BinaryOperator.ADD,
    "Max": _M.MAXIMUM,
    "Min": _M.MINIMUM,
    "less": CompareOperator.LESS,
    "greater": CompareOperator.GREATER,
    "less_equal": CompareOperator.LESS_EQUAL,
    "greater_equal": CompareOperator.GREATER_EQUAL,
    "equal_to": CompareOperator.EQUAL,
    "not_equal_to": CompareOperator.NOT_EQUAL,
}
"""Function objects of the standard library and cub, by the last word of their type."""


def functor_operator(type: object) -> Operator | None:
    """What a function object computes; None for anything else (a lambda, a user's functor)."""
    if not isinstance(type, HandleType):
        return None
    name = type.name.partition("<")[0]
    if name.startswith("cooperative_groups::") and name.endswith(("less", "greater")):
        return _M.MINIMUM if name.endswith("less") else _M.MAXIMUM
    return FUNCTOR_OPERATORS.get(name.rpartition("::")[2])


def _apply(call: BoundCall) -> ValueId:
    """`functor(a, b)`."""
    receiver = call.call.receiver
    operator = functor_operator(call.builder.type_of(receiver)) if receiver is not None else None
    assert operator is not None  # `builtin_method` finds this entry for functors only
    type = call.type_of(0)
    return emit_operator(call.builder, operator, call.arguments, type, call.span)


FUNCTOR_METHODS: Final[Table] = {"operator()": (_apply, "T(T, T)")}


TABLE: Final[Table] = {
    "swap": (_exchange_contents, "void(any&, any&)"),
    "iter_swap": (_exchange_contents, "void(any*, any*)"),
    "exchange": (_exchange, "E(E&, any)"),
    "move": (same_value, "V(V)"),
    "forward": (same_value, "V(V)"),
    "as_const": (same_value, "V(V)"),
    "ref": (_wrapped_reference, "any(any&)"),
    "cref": (_wrapped_reference, "any(any&)"),
    "raw_pointer_cast": (same_value, "P(P)"),
    "clamp": (_clamp, "T(T, T, T)"),
    "midpoint": (_midpoint, "T(T, T)"),
    "lerp": (_linear, "F(F, F, F)"),
}

# `std::` forms that differ from CUDA's overloads of the same name: no promotion
STANDARD_TABLE: Final[Table] = {
    "min": (_M.MINIMUM, "V(V, V)"),
    "max": (_M.MAXIMUM, "V(V, V)"),
    "clamp": (_clamp, "V(V, V, V)"),
}
