"""Half and bfloat16 arithmetic, one value or two in a vector.

Every function exists for both formats: the tables are written for `h` (one value) and `p` (a pair).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from analysis.ir.ids import ValueId
from analysis.ir.operators import BinaryOperator, CompareOperator, MathFunction, UnaryOperator
from analysis.ir.types import BOOLEAN, U32, IntegerType, VectorType
from analysis.lower.builtins.core import BoundCall, Lowering, Operation, Table
from analysis.lower.builtins.operations import Move, build_aggregate, emit_operator, emit_select, vector_elements

_M, _B, _C = MathFunction, BinaryOperator, CompareOperator


def _saturated(operator: BinaryOperator | MathFunction) -> Lowering:
    def lower(call: BoundCall) -> ValueId:
        value = emit_operator(call.builder, operator, call.arguments, call.result, call.span)
        return emit_operator(call.builder, _M.SATURATE, (value,), call.result, call.span)

    return lower


_OnScalars: TypeAlias = Callable[[BoundCall, tuple[ValueId, ...]], ValueId]
"""What happens to one value, or to each member of pairs."""


def _each(operation: _OnScalars) -> Lowering:
    def lower(call: BoundCall) -> ValueId:
        if not isinstance(call.result, VectorType):
            return operation(call, call.arguments)
        columns = [vector_elements(call.builder, argument, call.span) for argument in call.arguments]
        members = tuple(operation(call, members) for members in zip(*columns, strict=True))
        return build_aggregate(call.builder, members, call.result, call.span)

    return lower


def _unless_nan(call: BoundCall, operands: tuple[ValueId, ...], value: ValueId) -> ValueId:
    """`value`, but NaN where an operand is."""
    builder, span = call.builder, call.span
    for operand in operands:
        is_nan = builder.math(_M.IS_NAN, (operand,), BOOLEAN, span)
        value = emit_select(builder, is_nan, operand, value, span)
    return value


def _relu(operator: MathFunction) -> Lowering:
    """Not below zero, but NaN where the result is."""

    def one(call: BoundCall, operands: tuple[ValueId, ...]) -> ValueId:
        builder, span = call.builder, call.span
        type = builder.type_of(operands[0])
        value = builder.math(operator, operands, type, span)
        positive = builder.math(_M.MAXIMUM, (value, builder.constant(0.0, type, span)), type, span)
        return _unless_nan(call, (value,), positive)

    return _each(one)


def _with_nan(operator: MathFunction) -> Lowering:
    """`__hmax_nan`: NaN where one operand is."""

    def one(call: BoundCall, operands: tuple[ValueId, ...]) -> ValueId:
        type = call.builder.type_of(operands[0])
        return _unless_nan(call, operands, call.builder.math(operator, operands, type, call.span))

    return _each(one)


def _compared(name: str) -> _OnScalars:
    """`eq`, or `equ`, which is true of NaN as well; of the plain ones C's `!=` alone is true of NaN, `ne` is not."""
    inverse = {"ltu": _C.GREATER_EQUAL, "leu": _C.GREATER, "gtu": _C.LESS_EQUAL, "geu": _C.LESS}

    def one(call: BoundCall, operands: tuple[ValueId, ...]) -> ValueId:
        builder, span, (a, b) = call.builder, call.span, operands
        if name in inverse:
            return _not(call, builder.compare(inverse[name], a, b, span))
        if name in ("ne", "equ"):
            less, greater = builder.compare(_C.LESS, a, b, span), builder.compare(_C.GREATER, a, b, span)
            differs = builder.binary(_B.LOGICAL_OR, less, greater, BOOLEAN, span)
            return differs if name == "ne" else _not(call, differs)
        return builder.compare(_COMPARISONS[name.removesuffix("u")], a, b, span)

    return one


def _not(call: BoundCall, value: ValueId) -> ValueId:
    return call.builder.unary(UnaryOperator.LOGICAL_NOT, value, BOOLEAN, call.span)


def _relation(operation: _OnScalars) -> Lowering:
    """`__heq`, and `__heq2`, whose members are 1.0 or 0.0."""

    def one(call: BoundCall, operands: tuple[ValueId, ...]) -> ValueId:
        holds = operation(call, operands)
        if not isinstance(call.result, VectorType):
            return holds
        return call.builder.convert(holds, call.result.element, call.span)

    return _each(one)


def _is_infinite(call: BoundCall) -> ValueId:
    """-1 or 1 for an infinity of that sign, else 0."""
    builder, span, (value,) = call.builder, call.span, call.arguments
    one, minus_one, zero = (builder.constant(number, call.result, span) for number in (1, -1, 0))
    sign = emit_select(builder, builder.math(_M.SIGN_BIT, (value,), BOOLEAN, span), minus_one, one, span)
    return emit_select(builder, builder.math(_M.IS_INFINITE, (value,), BOOLEAN, span), sign, zero, span)


def _both(operation: _OnScalars) -> Lowering:
    """`__hbeq2`: true where both members compare true."""

    def lower(call: BoundCall) -> ValueId:
        builder, span = call.builder, call.span
        left, right = (vector_elements(builder, argument, span) for argument in call.arguments)
        low, high = (operation(call, pair) for pair in zip(left, right, strict=True))
        return builder.binary(_B.LOGICAL_AND, low, high, BOOLEAN, span)

    return lower


def _mask(operation: _OnScalars) -> Lowering:
    """`__heq2_mask`: 0xFFFF in each half of the word whose members compare true."""

    def lower(call: BoundCall) -> ValueId:
        builder, span = call.builder, call.span
        left, right = (vector_elements(builder, argument, span) for argument in call.arguments)
        zero = builder.constant(0, U32, span)
        parts: list[ValueId] = []
        for a, b, bits in zip(left, right, (0xFFFF, 0xFFFF0000), strict=True):
            holds = operation(call, (a, b))
            parts.append(emit_select(builder, holds, builder.constant(bits, U32, span), zero, span))
        return builder.binary(_B.OR, parts[0], parts[1], U32, span)

    return lower


def _pick(*positions: int) -> Lowering:
    """Members of the arguments' vectors laid end to end; one position gives a scalar."""

    def lower(call: BoundCall) -> ValueId:
        builder, span = call.builder, call.span
        members = [member for argument in call.arguments for member in vector_elements(builder, argument, span)]
        chosen = tuple(members[position] for position in positions)
        if len(chosen) == 1:
            return builder.convert(chosen[0], call.result, span)
        if isinstance(call.result, VectorType):
            chosen = tuple(builder.convert(value, call.result.element, span) for value in chosen)
        return build_aggregate(builder, chosen, call.result, span)

    return lower


def _three_way(function: MathFunction) -> Lowering:
    def lower(call: BoundCall) -> ValueId:
        value = emit_operator(call.builder, function, call.arguments[:2], call.result, call.span)
        return emit_operator(call.builder, function, (value, call.arguments[2]), call.result, call.span)

    return lower


def _complex_multiply_add(call: BoundCall) -> ValueId:
    """`__hcmadd(a, b, c)`: complex `a * b + c`."""
    builder, span = call.builder, call.span
    (a, b), (c, d), (e, f) = (vector_elements(builder, argument, span) for argument in call.arguments)
    type = builder.type_of(a)
    negated = builder.unary(UnaryOperator.NEGATE, b, type, span)
    real = builder.math(
        _M.FUSED_MULTIPLY_ADD, (negated, d, builder.math(_M.FUSED_MULTIPLY_ADD, (a, c, e), type, span)), type, span
    )
    imaginary = builder.math(
        _M.FUSED_MULTIPLY_ADD, (b, c, builder.math(_M.FUSED_MULTIPLY_ADD, (a, d, f), type, span)), type, span
    )
    return build_aggregate(builder, (real, imaginary), call.result, span)


def _add(call: BoundCall) -> ValueId:
    """`__hadd` of halves adds; of integers (another header, the same name) it averages."""
    operator = _M.HALVING_ADD if isinstance(call.result, IntegerType) else _B.ADD
    return emit_operator(call.builder, operator, call.arguments, call.result, call.span)


# stem → operation, parameters; `__hadd` on one value, `__hadd2` on pairs
_ARITHMETIC: Final[Mapping[str, tuple[Operation, int]]] = {
    "__hadd": (_add, 2),
    "__hsub": (_B.SUBTRACT, 2),
    "__hmul": (_B.MULTIPLY, 2),
    "__hdiv": (_B.DIVIDE, 2),
    "__hfma": (_M.FUSED_MULTIPLY_ADD, 3),
    "__hneg": (UnaryOperator.NEGATE, 1),
    "__habs": (_M.ABSOLUTE, 1),
    "__hmax": (_M.MAXIMUM, 2),
    "__hmin": (_M.MINIMUM, 2),
    "__hadd_sat": (_saturated(_B.ADD), 2),
    "__hsub_sat": (_saturated(_B.SUBTRACT), 2),
    "__hmul_sat": (_saturated(_B.MULTIPLY), 2),
    "__hfma_sat": (_saturated(_M.FUSED_MULTIPLY_ADD), 3),
    "__hfma_relu": (_relu(_M.FUSED_MULTIPLY_ADD), 3),
    "__hadd_rn": (_B.ADD, 2),
    "__hsub_rn": (_B.SUBTRACT, 2),
    "__hmul_rn": (_B.MULTIPLY, 2),
    "__hmax_nan": (_with_nan(_M.MAXIMUM), 2),
    "__hmin_nan": (_with_nan(_M.MINIMUM), 2),
}

_LIBRARY: Final = {
    "sqrt": _M.SQRT,
    "rsqrt": _M.RSQRT,
    "rcp": _M.RECIPROCAL,
    "exp": _M.EXP,
    "exp2": _M.EXP2,
    "exp10": _M.EXP10,
    "log": _M.LOG,
    "log2": _M.LOG2,
    "log10": _M.LOG10,
    "sin": _M.SIN,
    "cos": _M.COS,
    "tanh": _M.TANH,
    "tanh_approx": _M.TANH,
    "floor": _M.FLOOR,
    "ceil": _M.CEIL,
    "trunc": _M.TRUNC,
    "rint": _M.RINT,
}

_COMPARISONS: Final = {
    "eq": _C.EQUAL,
    "ne": _C.NOT_EQUAL,
    "lt": _C.LESS,
    "le": _C.LESS_EQUAL,
    "gt": _C.GREATER,
    "ge": _C.GREATER_EQUAL,
}


def _pairwise(name: str) -> str:
    """`__hadd` → `__hadd2`, `__hadd_sat` → `__hadd2_sat`; `__h2div` alone has the 2 elsewhere."""
    if name == "__hdiv":
        return "__h2div"
    stem, underscore, rest = name[2:].partition("_")
    return f"__{stem}2{underscore}{rest}"


def _arithmetic() -> Table:
    table: dict[str, tuple[Operation, str]] = {}
    for name, (operation, count) in _ARITHMETIC.items():
        table[name] = (operation, f"h({', '.join('h' * count)})")
        table[_pairwise(name)] = (operation, f"p({', '.join('p' * count)})")
    for name, function in _LIBRARY.items():
        table[f"h{name}"] = (function, "h(h)")
        table[f"h2{name}"] = (function, "p(p)")
    for name in (f"{stem}{unordered}" for stem in _COMPARISONS for unordered in ("", "u")):
        operation = _compared(name)
        table[f"__h{name}"] = (_relation(operation), "bool(h, h)")
        table[f"__h{name}2"] = (_relation(operation), "p(p, p)")
        table[f"__hb{name}2"] = (_both(operation), "bool(p, p)")
        table[f"__h{name}2_mask"] = (_mask(operation), "u32(p, p)")
    return table


# `h` is one value, `p` a pair, `@` the word for the format in names (`half`, `bfloat16`)
_PAIRS: Final[Table] = {
    "__halves2@2": (_pick(0, 1), "p(h, h)"),
    "__@2@2": (_pick(0, 0), "p(h)"),
    "__low2@": (_pick(0), "h(p)"),
    "__high2@": (_pick(1), "h(p)"),
    "__low2@2": (_pick(0, 0), "p(p)"),
    "__high2@2": (_pick(1, 1), "p(p)"),
    "__lows2@2": (_pick(0, 2), "p(p, p)"),
    "__highs2@2": (_pick(1, 3), "p(p, p)"),
    "__float22@2_rn": (Move.CONVERT, "p(float2)"),
    "__@22float2": (Move.CONVERT, "float2(p)"),
    "__floats2@2_rn": (_pick(0, 1), "p(f32, f32)"),
    "__float2@2_rn": (_pick(0, 0), "p(f32)"),
    "make_@2": (Move.BUILD, "p(h, h)"),
}

# functions overloaded over both formats
_OVERLOADED: Final[Table] = {
    "__lowhigh2highlow": (_pick(1, 0), "p(p)"),
    "__low2float": (_pick(0), "f32(p)"),
    "__high2float": (_pick(1), "f32(p)"),
    "__hisnan": (_M.IS_NAN, "bool(h)"),
    "__hisinf": (_is_infinite, "s32(h)"),
    "__hisnan2": (_M.IS_NAN, "p(p)"),
    "__hcmadd": (_complex_multiply_add, "p(p, p, p)"),
    "__hmax3": (_three_way(_M.MAXIMUM), "h(h, h, h)"),
    "__hmin3": (_three_way(_M.MINIMUM), "h(h, h, h)"),
    **_arithmetic(),
}

_FORMATS: Final = {"half": ("f16", "half2"), "bfloat16": ("bf16", "__nv_bfloat162")}
_WORD: Final = re.compile(r"\b[hp]\b")


def _spelled(declared: str, scalar: str, pair: str) -> str:
    return _WORD.sub(lambda match: scalar if match[0] == "h" else pair, declared)


TABLE: Final[Table] = {
    **{
        name.replace("@", word): (operation, _spelled(declared, scalar, pair))
        for word, (scalar, pair) in _FORMATS.items()
        for name, (operation, declared) in _PAIRS.items()
    },
    **{
        name: (operation, " | ".join(_spelled(declared, *words) for words in _FORMATS.values()))
        for name, (operation, declared) in _OVERLOADED.items()
    },
    "make_bfloat162": (Move.BUILD, "__nv_bfloat162(bf16, bf16)"),
    "__hadd": (_add, "f16(f16, f16) | bf16(bf16, bf16) | s32(s32, s32)"),
}
