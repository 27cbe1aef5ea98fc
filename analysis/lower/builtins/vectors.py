"""Constructors of CUDA's vector types and arithmetic on `cuComplex`, which is a vector too."""

from __future__ import annotations

from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.operators import BinaryOperator, MathFunction, UnaryOperator
from analysis.ir.types import U32, HandleType, PointerType, StructType, VectorType
from analysis.lower.builtins.core import BoundCall, Lowering, Table, opaque_bound
from analysis.lower.builtins.operations import Move, build_aggregate, vector_elements
from analysis.lower.builtins.spelling import spelling
from analysis.lower.builtins.type_names import VECTORS

_B = BinaryOperator


def constructor(type: VectorType) -> Lowering:
    """`float4(x, y, z, w)`: one scalar fills all members (HIP), a vector is copied, nothing is zero.

    What is missing of three unsigned integers is 1: `dim3` is the only such type that is built from fewer.
    """

    def lower(call: BoundCall) -> ValueId | None:
        builder, span = call.builder, call.span
        if not call.arguments and type != VECTORS["dim3"]:
            return build_aggregate(builder, (builder.constant(0, type.element, span),) * type.length, type, span)
        if call.arguments and isinstance(call.type_of(0), VectorType):
            return call.arguments[0]
        elements = tuple(builder.convert(argument, type.element, span) for argument in call.arguments)
        if type == VECTORS["dim3"]:
            elements += tuple(builder.constant(1, U32, span) for _ in range(3 - len(elements)))
        elif len(elements) == 1:
            elements *= type.length
        if len(elements) != type.length:
            return opaque_bound(call)
        return build_aggregate(builder, elements, type, span)

    return lower


def _assembled(type: VectorType) -> Lowering:
    """`make_float4(x, y, z, w)`; with `helper_math.h`, also from a shorter or longer vector or one scalar for all."""

    def lower(call: BoundCall) -> ValueId | None:
        builder, span = call.builder, call.span
        members = [member for argument in call.arguments for member in vector_elements(builder, argument, span)]
        if any(isinstance(builder.type_of(member), StructType | HandleType | PointerType) for member in members):
            return opaque_bound(call)
        if len(call.arguments) == len(members) == 1:
            members *= type.length
        is_copy = len(call.arguments) == 1 and len(members) > type.length
        if len(members) != type.length and not is_copy:
            return opaque_bound(call)
        elements = tuple(builder.convert(member, type.element, span) for member in members[: type.length])
        return build_aggregate(builder, elements, type, span)

    return lower


def complex_parts(call: BoundCall) -> tuple[tuple[ValueId, ...], ...]:
    return tuple(vector_elements(call.builder, argument, call.span) for argument in call.arguments)


def _complex_multiply(call: BoundCall) -> ValueId:
    builder, span = call.builder, call.span
    (a, b), (c, d) = complex_parts(call)
    type = builder.type_of(a)

    def product(left: ValueId, right: ValueId) -> ValueId:
        return builder.binary(_B.MULTIPLY, left, right, type, span)

    real = builder.binary(_B.SUBTRACT, product(a, c), product(b, d), type, span)
    imaginary = builder.binary(_B.ADD, product(a, d), product(b, c), type, span)
    return build_aggregate(builder, (real, imaginary), call.result, span)


def _complex_divide(call: BoundCall) -> ValueId:
    builder, span = call.builder, call.span
    (a, b), (c, d) = complex_parts(call)
    type = builder.type_of(a)

    def binary(operator: BinaryOperator, left: ValueId, right: ValueId) -> ValueId:
        return builder.binary(operator, left, right, type, span)

    def product(left: ValueId, right: ValueId) -> ValueId:
        return binary(_B.MULTIPLY, left, right)

    norm = binary(_B.ADD, product(c, c), product(d, d))
    real = binary(_B.DIVIDE, binary(_B.ADD, product(a, c), product(b, d)), norm)
    imaginary = binary(_B.DIVIDE, binary(_B.SUBTRACT, product(b, c), product(a, d)), norm)
    return build_aggregate(builder, (real, imaginary), call.result, span)


def _complex_multiply_add(call: BoundCall) -> ValueId:
    builder, span = call.builder, call.span
    first_two = BoundCall(call.call, builder, call.arguments[:2], call.result, span)
    product = vector_elements(builder, _complex_multiply(first_two), span)
    addend = vector_elements(builder, call.arguments[2], span)
    type = builder.type_of(product[0])
    sums = tuple(builder.binary(_B.ADD, left, right, type, span) for left, right in zip(product, addend, strict=True))
    return build_aggregate(builder, sums, call.result, span)


def _conjugate(call: BoundCall) -> ValueId:
    builder, span, ((real, imaginary),) = call.builder, call.span, complex_parts(call)
    negated = builder.unary(UnaryOperator.NEGATE, imaginary, builder.type_of(imaginary), span)
    return build_aggregate(builder, (real, negated), call.result, span)


def _complex_absolute(call: BoundCall) -> ValueId:
    ((real, imaginary),) = complex_parts(call)
    return call.builder.math(MathFunction.HYPOT, (real, imaginary), call.result, call.span)


def _part(index: int) -> Lowering:
    def lower(call: BoundCall) -> ValueId:
        return call.builder.extract(call.arguments[0], index, call.result, call.span)

    return lower


# stem → operation, signature over `C` (the complex type) and `S` (its scalar)
_COMPLEX: Final[Table] = {
    "cuCreal": (_part(0), "S(C)"),
    "cuCimag": (_part(1), "S(C)"),
    "cuConj": (_conjugate, "C(C)"),
    "cuCadd": (_B.ADD, "C(C, C)"),
    "cuCsub": (_B.SUBTRACT, "C(C, C)"),
    "cuCmul": (_complex_multiply, "C(C, C)"),
    "cuCdiv": (_complex_divide, "C(C, C)"),
    "cuCabs": (_complex_absolute, "S(C)"),
    "cuCfma": (_complex_multiply_add, "C(C, C, C)"),
}


# cuCmulf over float2, cuCmul over double2, and HIP's names
_COMPLEX_FUNCTIONS: Final[Table] = {
    f"{stem.replace('cu', library, 1)}{suffix}": (operation, declared.replace("C", vector).replace("S", scalar))
    for library in ("cu", "hip")
    for suffix, vector, scalar in (("f", "float2", "f32"), ("", "double2", "f64"))
    for stem, (operation, declared) in _COMPLEX.items()
}


def _forms(name: str, type: VectorType) -> str:
    """From all members; from one vector or scalar; from a vector shorter by one and the last member."""
    scalar = spelling(type.element)
    forms = [f"{name}({', '.join([scalar] * type.length)})", f"{name}(any)"]
    if type.length > 2:
        forms.append(f"{name}({name[:-1]}{type.length - 1}, {scalar})")
    return " | ".join(forms)


TABLE: Final[Table] = {
    **{
        f"make_{name}": (_assembled(type), _forms(name, type))
        for name, type in VECTORS.items()
        if name[-1] in "1234" and not name.startswith("_") and "half" not in name and "bf" not in name
    },
    "dim3": (constructor(VECTORS["dim3"]), "dim3(u32?, u32?, u32?)"),
    "make_dim3": (constructor(VECTORS["dim3"]), "dim3(u32?, u32?, u32?)"),
    **{
        name: (
            constructor(type),
            f"{name}() | {name}({name}) | {name}({spelling(type.element)})"
            + (f" | {name}({', '.join([spelling(type.element)] * type.length)})" if type.length > 1 else ""),
        )
        for name, type in VECTORS.items()
        if name != "dim3"
    },
    **_COMPLEX_FUNCTIONS,
    "make_cuComplex": (Move.BUILD, "float2(f32, f32)"),
    "make_cuFloatComplex": (Move.BUILD, "float2(f32, f32)"),
    "make_hipFloatComplex": (Move.BUILD, "float2(f32, f32)"),
    "make_hipComplex": (Move.BUILD, "float2(f32, f32)"),
    "make_cuDoubleComplex": (Move.BUILD, "double2(f64, f64)"),
    "make_hipDoubleComplex": (Move.BUILD, "double2(f64, f64)"),
    "cuComplexFloatToDouble": (Move.CONVERT, "double2(float2)"),
    "cuComplexDoubleToFloat": (Move.CONVERT, "float2(double2)"),
}
