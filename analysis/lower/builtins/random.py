"""cuRAND's device functions, and hipRAND's under their own names.

A draw loads the state, computes a number from it and stores the advanced state, so that the number is as uniform as the
state, and a state is as uniform as the seed and sequence it was made from.  All of it is plain data flow.

MTGP32 differs: the threads of a block share one state.  Each draws the number of its own rank; all of them meet, the
first thread advances the state, and they meet again.
Source   cuRAND, "Device API Overview", on MTGP32; `curand_kernel.h`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from analysis.ir.collectives import BlockBarrier
from analysis.ir.ids import ValueId
from analysis.ir.operators import BarrierReduction, CompareOperator, MathFunction
from analysis.ir.types import HandleType, PointerType, Type, VectorType
from analysis.lower.builtins.core import BoundCall, Lowering, Table
from analysis.lower.builtins.emitter import Emitter
from analysis.lower.builtins.groups.group import block_size, linear_index
from analysis.lower.builtins.guards_and_loops import guarded
from analysis.lower.builtins.operations import build_aggregate

_M = MathFunction
_STATE: Final = HandleType("curandState")
_SHARED_BY_BLOCK: Final = HandleType("curandStateMtgp32")


def _state_type(call: BoundCall, address: ValueId) -> Type:
    pointer = call.builder.type_of(address)
    return pointer.element if isinstance(pointer, PointerType) else _STATE


def _initialize(call: BoundCall) -> None:
    """`curand_init(seed, sequence, offset, state)`; the generators differ in what the first two are called."""
    builder, span, (*seeds, state) = call.builder, call.span, call.arguments
    value = builder.math(_M.RANDOM_SEED, tuple(seeds), _state_type(call, state), span)
    builder.store(state, value, span)


def _skip(call: BoundCall) -> None:
    builder, span, (count, address) = call.builder, call.span, call.arguments
    type = _state_type(call, address)
    state = builder.load(address, type, span)
    builder.store(address, builder.math(_M.RANDOM_ADVANCE, (state, count), type, span), span)


def _draw(function: MathFunction) -> Lowering:
    """One number, or one for each member of a vector; parameters of the distribution follow the state."""

    def lower(call: BoundCall) -> ValueId:
        type = call.result
        if not isinstance(type, VectorType):
            return _draw_one(call, function, type)
        elements = tuple(_draw_one(call, function, type.element) for _ in range(type.length))
        return build_aggregate(call.builder, elements, type, call.span)

    return lower


def _draw_one(call: BoundCall, function: MathFunction, type: Type) -> ValueId:
    builder, span, (address, *parameters) = call.builder, call.span, call.arguments
    state_type = _state_type(call, address)
    state = builder.load(address, state_type, span)
    if state_type == _SHARED_BY_BLOCK:
        return _draw_of_block(call, function, type, state)
    number = builder.math(function, (state, *parameters), type, span)
    builder.store(address, builder.math(_M.RANDOM_ADVANCE, (state,), state_type, span), span)
    return number


def _draw_of_block(call: BoundCall, function: MathFunction, type: Type, state: ValueId) -> ValueId:
    """A draw of all threads of the block; `curand_mtgp32_specific` is told their ranks and number."""
    builder, span, (address, *parameters) = call.builder, call.span, call.arguments
    emit = Emitter(builder, span)
    if "specific" in call.call.name:
        rank, count = parameters
        parameters = []
    else:
        rank, count = linear_index(emit), block_size(emit)
    own = builder.math(_M.RANDOM_ADVANCE, (state, rank), _SHARED_BY_BLOCK, span)
    number = builder.math(function, (own, *parameters), type, span)
    advanced = builder.math(_M.RANDOM_ADVANCE, (state, count), _SHARED_BY_BLOCK, span)
    builder.emit(BlockBarrier(None, BarrierReduction.NONE, None, span))
    is_first = emit.compare(CompareOperator.EQUAL, rank, emit.number(0, rank))
    guarded(emit, is_first, lambda: builder.store(address, advanced, span))
    builder.emit(BlockBarrier(None, BarrierReduction.NONE, None, span))
    return number


# name after `curand` → what is drawn, its declared form
_DRAWS: Final[Mapping[str, tuple[MathFunction, str]]] = {
    "": (_M.RANDOM_BITS, "u32(any*)"),
    "4": (_M.RANDOM_BITS, "uint4(any*)"),
    "_uniform": (_M.RANDOM_UNIFORM, "f32(any*)"),
    "_uniform2": (_M.RANDOM_UNIFORM, "float2(any*)"),
    "_uniform4": (_M.RANDOM_UNIFORM, "float4(any*)"),
    "_uniform_double": (_M.RANDOM_UNIFORM, "f64(any*)"),
    "_uniform2_double": (_M.RANDOM_UNIFORM, "double2(any*)"),
    "_uniform4_double": (_M.RANDOM_UNIFORM, "double4(any*)"),
    "_normal": (_M.RANDOM_NORMAL, "f32(any*)"),
    "_normal2": (_M.RANDOM_NORMAL, "float2(any*)"),
    "_normal4": (_M.RANDOM_NORMAL, "float4(any*)"),
    "_normal_double": (_M.RANDOM_NORMAL, "f64(any*)"),
    "_normal2_double": (_M.RANDOM_NORMAL, "double2(any*)"),
    "_normal4_double": (_M.RANDOM_NORMAL, "double4(any*)"),
    "_log_normal": (_M.RANDOM_LOG_NORMAL, "f32(any*, f32, f32)"),
    "_log_normal2": (_M.RANDOM_LOG_NORMAL, "float2(any*, f32, f32)"),
    "_log_normal4": (_M.RANDOM_LOG_NORMAL, "float4(any*, f32, f32)"),
    "_log_normal_double": (_M.RANDOM_LOG_NORMAL, "f64(any*, f64, f64)"),
    "_log_normal2_double": (_M.RANDOM_LOG_NORMAL, "double2(any*, f64, f64)"),
    "_log_normal4_double": (_M.RANDOM_LOG_NORMAL, "double4(any*, f64, f64)"),
    "_poisson": (_M.RANDOM_POISSON, "u32(any*, f64)"),
    "_poisson4": (_M.RANDOM_POISSON, "uint4(any*, f64)"),
    "_discrete": (_M.RANDOM_DISCRETE, "u32(any*, any)"),
    "_discrete4": (_M.RANDOM_DISCRETE, "uint4(any*, any)"),
    "_mtgp32_specific": (_M.RANDOM_BITS, "u32(any*, u32, u32)"),
}

_OTHERS: Final[Table] = {
    "_init": (
        _initialize,
        "void(u64, u64, u64, any*) | void(any, u64, u64, any*) | void(any, any, u64, any*) | void(any, u64, any*)",
    ),
    "skipahead": (_skip, "void(u64, any*)"),
    "skipahead_sequence": (_skip, "void(u64, any*)"),
    "skipahead_subsequence": (_skip, "void(u64, any*)"),
}

TABLE: Final[Table] = {
    f"{library}{name}" if not name.startswith("skip") else name: (operation, declared)
    for library in ("curand", "hiprand")
    for name, (operation, declared) in {
        **{name: (_draw(function), declared) for name, (function, declared) in _DRAWS.items()},
        **_OTHERS,
    }.items()
}
