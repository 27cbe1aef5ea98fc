"""Objects made by naming their type: `float4(…)`, `cub::Sum()`, `cuda::atomic_ref<int>(x)`, `complex<float>(…)`."""

from __future__ import annotations

from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.types import HandleType, StructType, Type, VectorType
from analysis.lower.builtins.atomic_objects import held_by_atomic, is_atomic_object, is_atomic_reference
from analysis.lower.builtins.complex import is_complex, make_complex
from analysis.lower.builtins.core import BoundCall, BuiltinFunction, Lowering, opaque_bound
from analysis.lower.builtins.emitter import Emitter
from analysis.lower.builtins.layouts import builtin_layout, declared_in
from analysis.lower.builtins.memory_barriers import is_barrier, word_of_count
from analysis.lower.builtins.operations import build_aggregate
from analysis.lower.builtins.vectors import constructor

_ANY: Final = "any(any?, any?, any?, any?)"


def builtin_constructor(type: Type) -> BuiltinFunction | None:
    """What `type(arguments)` makes, for CUDA's class types; scalars are converted by the caller."""
    match type:
        case VectorType():
            return BuiltinFunction("vector", constructor(type), _ANY)
        case StructType(name=name) if builtin_layout(type) is not None:
            return BuiltinFunction(name, _struct(type), "any(...)")
        case HandleType(name=name):
            # A reference takes the place: to read what stands there would be an access that the program does not make.
            return BuiltinFunction(name, _object(type), "any(any&)" if is_atomic_reference(type) else "any(...)")
        case _:
            return None


def _struct(type: StructType) -> Lowering:
    """Member by member; missing members are zero, a copy is the object itself."""

    def lower(call: BoundCall) -> ValueId | None:
        layout = declared_in(call.builder, type)
        assert layout is not None  # `builtin_constructor` asked before
        if is_complex(type):
            return make_complex(call, layout.fields[0].type)
        if len(call.arguments) == 1 and call.type_of(0) == type:
            return call.arguments[0]
        if not call.arguments:
            return call.builder.undefined(type, call.span)
        if len(call.arguments) != len(layout.fields):
            return opaque_bound(call)
        elements = tuple(
            call.builder.convert(value, field.type, call.span)
            for value, field in zip(call.arguments, layout.fields, strict=True)
        )
        return build_aggregate(call.builder, elements, type, call.span)

    return lower


def _object(type: HandleType) -> Lowering:
    """References hold an address, atomics a value, barriers their state; what other objects hold does not show."""

    def lower(call: BoundCall) -> ValueId:
        builder, span = call.builder, call.span
        given = call.call.addresses[0] if call.call.addresses else None
        if is_atomic_reference(type) and given is not None:
            return builder.bitcast(given, type, span)
        if is_barrier(type) and call.arguments:
            return builder.bitcast(word_of_count(Emitter(builder, span), call.arguments[0]), type, span)
        element = held_by_atomic(type) if is_atomic_object(type) else None
        if element is not None and call.arguments:
            return builder.bitcast(builder.convert(call.arguments[0], element, span), type, span)
        return builder.constant(None, type, span)

    return lower
