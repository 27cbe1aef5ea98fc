"""CUDA's mathematical functions: the C library in double and single precision, fast intrinsics, rounding modes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.operators import BinaryOperator, CompareOperator, MathFunction, Rounding, UnaryOperator
from analysis.ir.types import BOOLEAN, F64, S32, FloatType
from analysis.lower.builtins.core import BoundCall, Operation, Table
from analysis.lower.builtins.operations import emit_select

_M = MathFunction

# name in double precision → operation, signature with `F` for the floating-point type
_LIBRARY: Final[Table] = {
    "sqrt": (_M.SQRT, "F(F)"),
    "rsqrt": (_M.RSQRT, "F(F)"),
    "cbrt": (_M.CBRT, "F(F)"),
    "rcbrt": (_M.RCBRT, "F(F)"),
    "exp": (_M.EXP, "F(F)"),
    "exp2": (_M.EXP2, "F(F)"),
    "exp10": (_M.EXP10, "F(F)"),
    "expm1": (_M.EXPM1, "F(F)"),
    "log": (_M.LOG, "F(F)"),
    "log2": (_M.LOG2, "F(F)"),
    "log10": (_M.LOG10, "F(F)"),
    "log1p": (_M.LOG1P, "F(F)"),
    "logb": (_M.LOGB, "F(F)"),
    "ilogb": (_M.ILOGB, "s32(F)"),
    "sin": (_M.SIN, "F(F)"),
    "cos": (_M.COS, "F(F)"),
    "tan": (_M.TAN, "F(F)"),
    "sinpi": (_M.SINPI, "F(F)"),
    "cospi": (_M.COSPI, "F(F)"),
    "asin": (_M.ASIN, "F(F)"),
    "acos": (_M.ACOS, "F(F)"),
    "atan": (_M.ATAN, "F(F)"),
    "sinh": (_M.SINH, "F(F)"),
    "cosh": (_M.COSH, "F(F)"),
    "tanh": (_M.TANH, "F(F)"),
    "asinh": (_M.ASINH, "F(F)"),
    "acosh": (_M.ACOSH, "F(F)"),
    "atanh": (_M.ATANH, "F(F)"),
    "erf": (_M.ERF, "F(F)"),
    "erfc": (_M.ERFC, "F(F)"),
    "erfinv": (_M.ERFINV, "F(F)"),
    "erfcinv": (_M.ERFCINV, "F(F)"),
    "erfcx": (_M.ERFCX, "F(F)"),
    "normcdf": (_M.NORMCDF, "F(F)"),
    "normcdfinv": (_M.NORMCDFINV, "F(F)"),
    "lgamma": (_M.LGAMMA, "F(F)"),
    "tgamma": (_M.TGAMMA, "F(F)"),
    "j0": (_M.BESSEL_J0, "F(F)"),
    "j1": (_M.BESSEL_J1, "F(F)"),
    "jn": (_M.BESSEL_JN, "F(s32, F)"),
    "y0": (_M.BESSEL_Y0, "F(F)"),
    "y1": (_M.BESSEL_Y1, "F(F)"),
    "yn": (_M.BESSEL_YN, "F(s32, F)"),
    "cyl_bessel_i0": (_M.CYL_BESSEL_I0, "F(F)"),
    "cyl_bessel_i1": (_M.CYL_BESSEL_I1, "F(F)"),
    "fabs": (_M.ABSOLUTE, "F(F)"),
    "floor": (_M.FLOOR, "F(F)"),
    "ceil": (_M.CEIL, "F(F)"),
    "trunc": (_M.TRUNC, "F(F)"),
    "round": (_M.ROUND, "F(F)"),
    "rint": (_M.RINT, "F(F)"),
    "nearbyint": (_M.RINT, "F(F)"),
    "pow": (_M.POWER, "F(F, F)"),
    "atan2": (_M.ATAN2, "F(F, F)"),
    "fmod": (_M.FMOD, "F(F, F)"),
    "remainder": (_M.IEEE_REMAINDER, "F(F, F)"),
    "copysign": (_M.COPYSIGN, "F(F, F)"),
    "hypot": (_M.HYPOT, "F(F, F)"),
    "rhypot": (_M.RECIPROCAL_HYPOT, "F(F, F)"),
    "norm3d": (_M.NORM3, "F(F, F, F)"),
    "rnorm3d": (_M.RECIPROCAL_NORM3, "F(F, F, F)"),
    "norm4d": (_M.NORM4, "F(F, F, F, F)"),
    "rnorm4d": (_M.RECIPROCAL_NORM4, "F(F, F, F, F)"),
    "fdim": (_M.DIM, "F(F, F)"),
    "fmax": (_M.MAXIMUM, "F(F, F)"),
    "fmin": (_M.MINIMUM, "F(F, F)"),
    "fma": (_M.FUSED_MULTIPLY_ADD, "F(F, F, F)"),
    "nextafter": (_M.NEXT_AFTER, "F(F, F)"),
    "ldexp": (_M.LDEXP, "F(F, s32)"),
    "scalbn": (_M.LDEXP, "F(F, s32)"),
    "scalbln": (_M.LDEXP, "F(F, s64)"),
}

_OVERLOADED_ONLY: Final[Table] = {
    "isnan": (_M.IS_NAN, "bool(F)"),
    "isinf": (_M.IS_INFINITE, "bool(F)"),
    "isfinite": (_M.IS_FINITE, "bool(F)"),
    "signbit": (_M.SIGN_BIT, "bool(F)"),
    "powi": (_M.POWER, "f64(f64, s32)"),
    "powif": (_M.POWER, "f32(f32, s32)"),
    "max": (_M.MAXIMUM, "T(T, T)"),
    "min": (_M.MINIMUM, "T(T, T)"),
    "abs": (_M.ABSOLUTE, "T(T)"),
    "labs": (_M.ABSOLUTE, "s64(s64)"),
    "llabs": (_M.ABSOLUTE, "s64(s64)"),
    "umin": (_M.MINIMUM, "u32(u32, u32)"),
    "umax": (_M.MAXIMUM, "u32(u32, u32)"),
    "llmin": (_M.MINIMUM, "s64(s64, s64)"),
    "llmax": (_M.MAXIMUM, "s64(s64, s64)"),
    "ullmin": (_M.MINIMUM, "u64(u64, u64)"),
    "ullmax": (_M.MAXIMUM, "u64(u64, u64)"),
    "fdividef": (_M.FAST_DIVIDE, "f32(f32, f32)"),
    "fdivide": (BinaryOperator.DIVIDE, "F(F, F)"),
    **{
        f"__{prefix}{name}{suffix}": (function, f"s32(f{64 if suffix in ('d', '') else 32})")
        for name, function in (
            ("isnan", _M.IS_NAN),
            ("isinf", _M.IS_INFINITE),
            ("finite", _M.IS_FINITE),
            ("signbit", _M.SIGN_BIT),
        )
        for prefix, suffix in (("", ""), ("", "f"), ("", "d"))
    },
}

_ROUNDINGS: Final = {"rz": Rounding.ZERO, "ru": Rounding.UP, "rd": Rounding.DOWN}

# stem of the intrinsic → operation to nearest, signature; one entry per rounding mode
_ROUNDED: Final[Table] = {
    "__fadd": (BinaryOperator.ADD, "f32(f32, f32)"),
    "__fsub": (BinaryOperator.SUBTRACT, "f32(f32, f32)"),
    "__fmul": (BinaryOperator.MULTIPLY, "f32(f32, f32)"),
    "__fdiv": (BinaryOperator.DIVIDE, "f32(f32, f32)"),
    "__fmaf": (_M.FUSED_MULTIPLY_ADD, "f32(f32, f32, f32)"),
    "__fmaf_ieee": (_M.FUSED_MULTIPLY_ADD, "f32(f32, f32, f32)"),
    "__fsqrt": (_M.SQRT, "f32(f32)"),
    "__frsqrt": (_M.RSQRT, "f32(f32)"),
    "__frcp": (_M.RECIPROCAL, "f32(f32)"),
    "__dadd": (BinaryOperator.ADD, "f64(f64, f64)"),
    "__dsub": (BinaryOperator.SUBTRACT, "f64(f64, f64)"),
    "__dmul": (BinaryOperator.MULTIPLY, "f64(f64, f64)"),
    "__ddiv": (BinaryOperator.DIVIDE, "f64(f64, f64)"),
    "__fma": (_M.FUSED_MULTIPLY_ADD, "f64(f64, f64, f64)"),
    "__dsqrt": (_M.SQRT, "f64(f64)"),
    "__drcp": (_M.RECIPROCAL, "f64(f64)"),
}

_DIRECTED: Final[Mapping[Operation, MathFunction]] = {
    BinaryOperator.ADD: _M.DIRECTED_ADD,
    BinaryOperator.SUBTRACT: _M.DIRECTED_ADD,
    BinaryOperator.MULTIPLY: _M.DIRECTED_MULTIPLY,
    BinaryOperator.DIVIDE: _M.DIRECTED_DIVIDE,
    _M.RECIPROCAL: _M.DIRECTED_DIVIDE,
    _M.SQRT: _M.DIRECTED_SQRT,
    _M.FUSED_MULTIPLY_ADD: _M.DIRECTED_FUSED_MULTIPLY_ADD,
}


def _directed(operation: Operation, rounding: Rounding) -> Operation:
    """`__fsub_ru` adds the negative, `__frcp_rd` divides 1."""

    def lower(call: BoundCall) -> ValueId:
        builder, span, type = call.builder, call.span, call.result
        operands = call.arguments
        if operation is BinaryOperator.SUBTRACT:
            operands = (operands[0], builder.unary(UnaryOperator.NEGATE, operands[1], type, span))
        if operation is _M.RECIPROCAL:
            operands = (builder.constant(1.0, type, span), *operands)
        mode = builder.constant(int(rounding), S32, span)
        return builder.math(_DIRECTED[operation], (*operands, mode), type, span)

    return lower


def _in_all_modes(table: Table) -> Table:
    """`__fadd_rn`, `__fadd_rz`, ...; a reciprocal square root has the mode rn alone."""
    found: dict[str, tuple[Operation, str]] = {}
    for stem, (operation, declared) in table.items():
        found[f"{stem}_rn"] = (operation, declared)
        if operation in _DIRECTED:
            found |= {
                f"{stem}_{mode}": (_directed(operation, rounding), declared) for mode, rounding in _ROUNDINGS.items()
            }
    return found


def _fast_power(call: BoundCall) -> ValueId:
    """`exp2(y * log2(x))`, as the Programming Guide defines it: a negative base gives NaN, whatever the exponent."""
    base, exponent = call.arguments
    builder, span, type = call.builder, call.span, call.result
    logarithm = builder.math(_M.LOG2, (base,), type, span)
    return builder.math(
        _M.EXP2, (builder.binary(BinaryOperator.MULTIPLY, exponent, logarithm, type, span),), type, span
    )


_FAST: Final[Table] = {
    "__expf": (_M.EXP, "f32(f32)"),
    "__exp10f": (_M.EXP10, "f32(f32)"),
    "__logf": (_M.LOG, "f32(f32)"),
    "__log2f": (_M.LOG2, "f32(f32)"),
    "__log10f": (_M.LOG10, "f32(f32)"),
    "__sinf": (_M.SIN, "f32(f32)"),
    "__cosf": (_M.COS, "f32(f32)"),
    "__tanf": (_M.TAN, "f32(f32)"),
    "__tanhf": (_M.TANH, "f32(f32)"),
    "__powf": (_fast_power, "f32(f32, f32)"),
    "__fdividef": (_M.FAST_DIVIDE, "f32(f32, f32)"),
    "__saturatef": (_M.SATURATE, "f32(f32)"),
    "saturate": (_M.SATURATE, "f32(f32)"),
    "__frcp_approx": (_M.RECIPROCAL, "f32(f32)"),
    "__nv_fast_tanhf": (_M.TANH, "f32(f32)"),
}


# -- functions with more than one result ---------------------------------------------------------------------------


def _sincos(sine: MathFunction, cosine: MathFunction) -> Operation:
    def lower(call: BoundCall) -> None:
        angle, sine_to, cosine_to = call.arguments
        type = call.type_of(0)
        call.builder.store(sine_to, call.builder.math(sine, (angle,), type, call.span), call.span)
        call.builder.store(cosine_to, call.builder.math(cosine, (angle,), type, call.span), call.span)

    return lower


def _modf(call: BoundCall) -> ValueId:
    """Both parts have the number's sign; of infinity the fraction is 0."""
    number, whole_to = call.arguments
    builder, span, type = call.builder, call.span, call.result
    whole = builder.math(_M.TRUNC, (number,), type, span)
    builder.store(whole_to, whole, span)
    rest = builder.binary(BinaryOperator.SUBTRACT, number, whole, type, span)
    infinite = builder.math(_M.IS_INFINITE, (number,), BOOLEAN, span)
    rest = emit_select(builder, infinite, builder.constant(0.0, type, span), rest, span)
    return builder.math(_M.COPYSIGN, (rest, number), type, span)


def _frexp(call: BoundCall) -> ValueId:
    """`m` and `e` with `x = m * 2^e` and `0.5 <= |m| < 1`; zero, infinity and NaN are kept, with 0 for `e`."""
    builder, span, (number, exponent_to) = call.builder, call.span, call.arguments
    one = builder.constant(1, S32, span)
    zero = builder.constant(0, S32, span)
    exponent = builder.binary(BinaryOperator.ADD, builder.math(_M.ILOGB, (number,), S32, span), one, S32, span)
    is_zero = builder.compare(CompareOperator.EQUAL, number, builder.constant(0.0, call.result, span), span)
    exponent = emit_select(builder, is_zero, zero, exponent, span)
    is_finite = builder.math(_M.IS_FINITE, (number,), BOOLEAN, span)
    exponent = emit_select(builder, is_finite, exponent, zero, span)
    builder.store(exponent_to, exponent, span)
    back = builder.unary(UnaryOperator.NEGATE, exponent, S32, span)
    return builder.math(_M.LDEXP, (number, back), call.result, span)


def _remquo(call: BoundCall) -> ValueId:
    """The remainder, and of the quotient the sign and three bits: multiples of eight times the divisor go first."""
    builder, span, (left, right, quotient_to) = call.builder, call.span, call.arguments
    type = call.result
    rest = builder.math(_M.IEEE_REMAINDER, (left, right), type, span)
    size, unit = (builder.math(_M.ABSOLUTE, (number,), type, span) for number in (left, right))
    eight = builder.binary(BinaryOperator.MULTIPLY, unit, builder.constant(8.0, type, span), type, span)
    small = builder.math(_M.FMOD, (size, eight), type, span)
    exact = builder.binary(
        BinaryOperator.SUBTRACT, small, builder.math(_M.IEEE_REMAINDER, (size, unit), type, span), type, span
    )
    number = builder.math(
        _M.CONVERT_ROUND, (builder.binary(BinaryOperator.DIVIDE, exact, unit, type, span),), S32, span
    )
    bits = builder.binary(BinaryOperator.AND, number, builder.constant(7, S32, span), S32, span)
    left_sign, right_sign = (builder.math(_M.SIGN_BIT, (side,), BOOLEAN, span) for side in (left, right))
    differ = builder.compare(CompareOperator.NOT_EQUAL, left_sign, right_sign, span)
    negated = builder.unary(UnaryOperator.NEGATE, bits, S32, span)
    builder.store(quotient_to, emit_select(builder, differ, negated, bits, span), span)
    return rest


def _rounded_to(function: MathFunction) -> Operation:
    """`lround`, `llrint`: to an integer, by the rounding function of the same name."""

    def lower(call: BoundCall) -> ValueId:
        rounded = call.builder.math(function, call.arguments, call.type_of(0), call.span)
        return call.builder.convert(rounded, call.result, call.span)

    return lower


def _not_a_number(call: BoundCall) -> ValueId:
    type = call.result if isinstance(call.result, FloatType) else F64
    return call.builder.constant(float("nan"), type, call.span)


_SEVERAL_RESULTS: Final[Table] = {
    "sincos": (_sincos(_M.SIN, _M.COS), "void(F, F*, F*)"),
    "sincospi": (_sincos(_M.SINPI, _M.COSPI), "void(F, F*, F*)"),
    "modf": (_modf, "F(F, F*)"),
    "frexp": (_frexp, "F(F, s32*)"),
    "remquo": (_remquo, "F(F, F, s32*)"),
    "lround": (_rounded_to(_M.ROUND), "s64(F)"),
    "llround": (_rounded_to(_M.ROUND), "s64(F)"),
    "lrint": (_rounded_to(_M.RINT), "s64(F)"),
    "llrint": (_rounded_to(_M.RINT), "s64(F)"),
}


def _single(table: Table) -> Table:
    """The float forms: `sin` is `F(F)`, `sinf` is `f32(f32)`."""
    return {f"{name}f": (operation, declared.replace("F", "f32")) for name, (operation, declared) in table.items()}


TABLE: Final[Table] = {
    **_LIBRARY,
    **_single(_LIBRARY),
    **_OVERLOADED_ONLY,
    **_in_all_modes(_ROUNDED),
    **_FAST,
    **_SEVERAL_RESULTS,
    **_single(_SEVERAL_RESULTS),
    "__sincosf": (_sincos(_M.SIN, _M.COS), "void(f32, f32*, f32*)"),
    "nan": (_not_a_number, "f64(any)"),
    "nanf": (_not_a_number, "f32(any)"),
}
