"""`std::complex`, `thrust::complex` and `cuda::std::complex`; pairs and tuples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.operators import BinaryOperator, CompareOperator, MathFunction, UnaryOperator
from analysis.ir.types import BOOLEAN, F64, FloatType, StructType, Type
from analysis.lower.builtins.arithmetic import common_floating
from analysis.lower.builtins.core import BoundCall, Lowering, Table, opaque_bound
from analysis.lower.builtins.emitter import Emitter
from analysis.lower.builtins.layouts import declared_in
from analysis.lower.builtins.operations import build_aggregate
from analysis.lower.builtins.spelling import with_arguments

_B, _M = BinaryOperator, MathFunction


def is_complex(type: Type) -> bool:
    return isinstance(type, StructType) and type.name.startswith("std::complex<")


def _element(call: BoundCall) -> Type:
    """The scalar type of the first complex argument, else of the scalars."""
    for value in call.arguments:
        layout = declared_in(call.builder, call.builder.type_of(value))
        if layout is not None and len(layout.fields) == 2:
            return layout.fields[0].type
    floats = [type for value in call.arguments if isinstance(type := call.builder.type_of(value), FloatType)]
    return common_floating(floats) if floats else F64


def _parts(call: BoundCall, value: ValueId, element: Type) -> tuple[ValueId, ValueId]:
    """Real and imaginary part; a scalar has none but zero."""
    type = call.builder.type_of(value)
    if is_complex(type):
        declared_in(call.builder, type)
        real, imaginary = (call.builder.extract(value, index, element, call.span) for index in (0, 1))
        return real, imaginary
    return call.builder.convert(value, element, call.span), call.builder.constant(0.0, element, call.span)


def _build(call: BoundCall, real: ValueId, imaginary: ValueId) -> ValueId:
    type = StructType(with_arguments("std::complex", (call.builder.type_of(real),)))
    declared_in(call.builder, type)
    return build_aggregate(call.builder, (real, imaginary), type, call.span)


def make_complex(call: BoundCall, element: Type) -> ValueId:
    """`complex<T>(re = 0, im = 0)`, or a copy."""
    parts = [_parts(call, value, element) for value in call.arguments[:2]]
    zero = call.builder.constant(0.0, element, call.span)
    if len(call.arguments) == 1:
        return _build(call, *parts[0])
    return _build(call, parts[0][0], parts[1][0]) if parts else _build(call, zero, zero)


def _part(index: int) -> Lowering:
    """`z.real()` and `real(z)`."""

    def lower(call: BoundCall) -> ValueId:
        value = call.call.receiver if call.call.receiver is not None else call.arguments[0]
        layout = declared_in(call.builder, call.builder.type_of(value))
        element = layout.fields[0].type if layout is not None else _element(call)
        return _parts(call, value, element)[index]

    return lower


def _elementwise(operator: BinaryOperator) -> Lowering:
    def lower(call: BoundCall) -> ValueId:
        emit, element = Emitter(call.builder, call.span), _element(call)
        left, right = (_parts(call, value, element) for value in call.arguments)
        return _build(call, emit.binary(operator, left[0], right[0]), emit.binary(operator, left[1], right[1]))

    return lower


def _scaled(call: BoundCall, operator: BinaryOperator) -> ValueId:
    """A complex number times or over a scalar: each part by itself."""
    emit, element = Emitter(call.builder, call.span), _element(call)
    number, scalar = call.arguments
    if is_complex(emit.type_of(scalar)):
        number, scalar = scalar, number
    factor = emit.convert(scalar, element)
    real, imaginary = (emit.binary(operator, part, factor) for part in _parts(call, number, element))
    return _build(call, real, imaginary)


def _multiply(call: BoundCall) -> ValueId:
    if not all(is_complex(call.builder.type_of(value)) for value in call.arguments):
        return _scaled(call, _B.MULTIPLY)
    emit, element = Emitter(call.builder, call.span), _element(call)
    (a, b), (c, d) = (_parts(call, value, element) for value in call.arguments)
    real = emit.subtract(emit.multiply(a, c), emit.multiply(b, d))
    return _build(call, real, emit.add(emit.multiply(a, d), emit.multiply(b, c)))


def _divide(call: BoundCall) -> ValueId:
    if not is_complex(call.type_of(1)):
        return _scaled(call, _B.DIVIDE)
    emit, element = Emitter(call.builder, call.span), _element(call)
    (a, b), (c, d) = (_parts(call, value, element) for value in call.arguments)
    norm = emit.add(emit.multiply(c, c), emit.multiply(d, d))
    real = emit.divide(emit.add(emit.multiply(a, c), emit.multiply(b, d)), norm)
    return _build(call, real, emit.divide(emit.subtract(emit.multiply(b, c), emit.multiply(a, d)), norm))


def _compare(call: BoundCall) -> ValueId:
    emit, element = Emitter(call.builder, call.span), _element(call)
    (a, b), (c, d) = (_parts(call, value, element) for value in call.arguments)
    real = emit.compare(CompareOperator.EQUAL, a, c)
    both = emit.binary(_B.LOGICAL_AND, real, emit.compare(CompareOperator.EQUAL, b, d))
    if call.call.name.endswith("!="):
        return call.builder.unary(UnaryOperator.LOGICAL_NOT, both, BOOLEAN, call.span)
    return both


def _negate(call: BoundCall) -> ValueId:
    element = _element(call)
    real, imaginary = (
        call.builder.unary(UnaryOperator.NEGATE, part, element, call.span)
        for part in _parts(call, call.arguments[0], element)
    )
    return _build(call, real, imaginary)


def _conjugate(call: BoundCall) -> ValueId:
    element = _element(call)
    real, imaginary = _parts(call, call.arguments[0], element)
    return _build(call, real, call.builder.unary(UnaryOperator.NEGATE, imaginary, element, call.span))


def _norm(call: BoundCall) -> ValueId:
    emit, element = Emitter(call.builder, call.span), _element(call)
    real, imaginary = _parts(call, call.arguments[0], element)
    return emit.add(emit.multiply(real, real), emit.multiply(imaginary, imaginary))


def _of_parts(function: MathFunction, *, imaginary_first: bool = False) -> Lowering:
    def lower(call: BoundCall) -> ValueId:
        element = _element(call)
        real, imaginary = _parts(call, call.arguments[0], element)
        parts = (imaginary, real) if imaginary_first else (real, imaginary)
        return call.builder.math(function, parts, element, call.span)

    return lower


def _polar(call: BoundCall) -> ValueId:
    emit, element = Emitter(call.builder, call.span), _element(call)
    radius = emit.convert(call.arguments[0], element)
    angle = emit.convert(call.arguments[1], element)
    real = emit.multiply(radius, emit.math(_M.COS, angle))
    return _build(call, real, emit.multiply(radius, emit.math(_M.SIN, angle)))


def _exponential(call: BoundCall) -> ValueId:
    emit, element = Emitter(call.builder, call.span), _element(call)
    real, imaginary = _parts(call, call.arguments[0], element)
    radius = emit.math(_M.EXP, real)
    cosine = emit.multiply(radius, emit.math(_M.COS, imaginary))
    return _build(call, cosine, emit.multiply(radius, emit.math(_M.SIN, imaginary)))


# -- pairs and tuples -------------------------------------------------------------------------------------------------


def _make(template: str) -> Lowering:
    def lower(call: BoundCall) -> ValueId:
        type = StructType(with_arguments(template, tuple(call.builder.type_of(value) for value in call.arguments)))
        declared_in(call.builder, type)
        return build_aggregate(call.builder, call.arguments, type, call.span)

    return lower


def _get(call: BoundCall) -> ValueId | None:
    """`get<i>(tuple)`."""
    index = next((argument for argument in call.call.template_arguments if isinstance(argument, int)), None)
    layout = declared_in(call.builder, call.type_of(0))
    if layout is None or index is None or not 0 <= index < len(layout.fields):
        return opaque_bound(call)
    return call.builder.extract(call.arguments[0], index, layout.fields[index].type, call.span)


TABLE: Final[Table] = {
    "real": (_part(0), "any(any)"),
    "imag": (_part(1), "any(any)"),
    "conj": (_conjugate, "any(any)"),
    "norm": (_norm, "any(any)"),
    "arg": (_of_parts(_M.ATAN2, imaginary_first=True), "any(any)"),
    "polar": (_polar, "any(any, any)"),
    "make_pair": (_make("std::pair"), "any(V, W)"),
    "make_tuple": (_make("std::tuple"), "any(...)"),
    "tie": (_make("std::tuple"), "any(...)"),
    "get": (_get, "any(any)"),
}

METHODS: Final[Table] = {"real": (_part(0), "any()"), "imag": (_part(1), "any()")}

OPERATORS: Final[Mapping[tuple[str, int], Lowering]] = {
    ("+", 2): _elementwise(_B.ADD),
    ("-", 2): _elementwise(_B.SUBTRACT),
    ("*", 2): _multiply,
    ("/", 2): _divide,
    ("==", 2): _compare,
    ("!=", 2): _compare,
    ("-", 1): _negate,
}
"""By spelling and number of operands."""


def _also_for_numbers(function: MathFunction, of_complex: Lowering) -> Lowering:
    """`std::abs` and `std::exp` mean something else for complex numbers."""

    def lower(call: BoundCall) -> ValueId | None:
        if is_complex(call.type_of(0)):
            return of_complex(call)
        return call.builder.math(function, call.arguments, call.result, call.span)

    return lower


OVERLOADED: Final[Table] = {
    "abs": (_also_for_numbers(_M.ABSOLUTE, _of_parts(_M.HYPOT)), "T(T) | any(any)"),
    "exp": (_also_for_numbers(_M.EXP, _exponential), "F(F) | any(any)"),
}
