"""Operators that CUDA's and HIP's headers overload: on complex numbers, pairs of halves, and vectors.

HIP declares the arithmetic of vectors; a CUDA program takes it from `helper_math.h`, member by member alike.

A compound assignment is the operator and a store to its first operand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.operators import BinaryOperator, UnaryOperator
from analysis.ir.types import BF16, F16, BooleanType, FloatType, IntegerType, Type, VectorType
from analysis.lower.builtins import complex, half
from analysis.lower.builtins.core import BoundCall, BuiltinFunction, Lowering, Table, opaque_bound
from analysis.lower.builtins.operations import emit_operator

_PAIRS: Final[Mapping[tuple[str, int], str]] = {
    ("+", 2): "__hadd2",
    ("-", 2): "__hsub2",
    ("*", 2): "__hmul2",
    ("/", 2): "__h2div",
    ("-", 1): "__hneg2",
    ("==", 2): "__hbeq2",
    ("!=", 2): "__hbne2",
    ("<", 2): "__hblt2",
    ("<=", 2): "__hble2",
    (">", 2): "__hbgt2",
    (">=", 2): "__hbge2",
}
_VECTORS: Final[Mapping[tuple[str, int], BinaryOperator | UnaryOperator]] = {
    ("+", 2): BinaryOperator.ADD,
    ("-", 2): BinaryOperator.SUBTRACT,
    ("*", 2): BinaryOperator.MULTIPLY,
    ("/", 2): BinaryOperator.DIVIDE,
    ("-", 1): UnaryOperator.NEGATE,
}
_COMPOUND: Final = {f"{symbol}=": symbol for symbol in ("+", "-", "*", "/")}


def builtin_operator(symbol: str, operands: tuple[Type, ...]) -> BuiltinFunction | None:
    """What `symbol` means on operands of these types (one or two), where a CUDA header overloads it."""
    name = f"operator{symbol}"
    plain = _operator(_COMPOUND.get(symbol, symbol), operands)
    if plain is None:
        return None
    if symbol in _COMPOUND:
        return BuiltinFunction(name, _assigned(plain), "any(any&, any)")
    return plain


def _operator(symbol: str, operands: tuple[Type, ...]) -> BuiltinFunction | None:
    if any(complex.is_complex(type) for type in operands):
        lowering = complex.OPERATORS.get((symbol, len(operands)))
        return None if lowering is None else BuiltinFunction(f"operator{symbol}", lowering, "any(any, any?)")
    if operands and all(_is_pair(type) for type in operands):
        name = _PAIRS.get((symbol, len(operands)))
        return None if name is None else BuiltinFunction(name, *half.TABLE[name])
    vectors = [type for type in operands if isinstance(type, VectorType)]
    operator = _VECTORS.get((symbol, len(operands)))
    if not vectors or operator is None or any(type != vectors[0] and not _is_number(type) for type in operands):
        return None
    return BuiltinFunction(f"operator{symbol}", _by_member(operator, vectors[0]), "any(any, any?)")


def _by_member(operator: BinaryOperator | UnaryOperator, type: VectorType) -> Lowering:
    """On each member; a scalar takes part in all of them."""

    def lower(call: BoundCall) -> ValueId:
        values = tuple(
            value if call.builder.type_of(value) == type else call.builder.convert(value, type.element, call.span)
            for value in call.arguments
        )
        return emit_operator(call.builder, operator, values, type, call.span)

    return lower


def _is_number(type: Type) -> bool:
    return isinstance(type, IntegerType | FloatType | BooleanType)


def _is_pair(type: Type) -> bool:
    return isinstance(type, VectorType) and type.length == 2 and type.element in (F16, BF16)


def _assigned(function: BuiltinFunction) -> Lowering:
    def lower(call: BoundCall) -> ValueId | None:
        value = function.lower(call.call)
        if value is None:
            return opaque_bound(call)
        call.builder.store(call.arguments[0], value, call.span)
        return value

    return lower


def _by_operands(symbol: str) -> Lowering:
    """The operator, chosen by the types that the call has."""

    def lower(call: BoundCall) -> ValueId | None:
        types = tuple(call.builder.type_of(value) for value in call.arguments)
        function = builtin_operator(symbol, types)
        return opaque_bound(call, may_contain_barrier=True) if function is None else function.lower(call.call)

    return lower


_SYMBOLS: Final = ("+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">=", *_COMPOUND)

TABLE: Final[Table] = {f"operator{symbol}": (_by_operands(symbol), "any(any, any?)") for symbol in _SYMBOLS}
