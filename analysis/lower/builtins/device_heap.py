"""The device runtime's `cudaMalloc` and `cudaFree`: the heap of `malloc`, with an error code.

Source   CUDA C++ Programming Guide, "Device-side API": memory of the two is the same heap in device code.
Limits   Nothing is given back: who uses freed memory is not found.
"""

from __future__ import annotations

from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.memory import Allocate
from analysis.ir.operators import CompareOperator
from analysis.ir.types import S32, VOID, MemorySpace, PointerType
from analysis.lower.builtins.core import BoundCall, Table, opaque_bound
from analysis.lower.builtins.emitter import Emitter

SUCCESS: Final = 0
MEMORY_ALLOCATION: Final = 2
"""`cudaErrorMemoryAllocation`."""


def _allocate(call: BoundCall) -> ValueId | None:
    place, size = call.arguments[:2]
    kept = call.type_of(0)
    if not isinstance(kept, PointerType) or not isinstance(kept.element, PointerType):
        return opaque_bound(call)
    pointer = call.builder.value(PointerType(VOID, MemorySpace.GENERIC))
    call.builder.emit(Allocate(pointer, size, call.span))
    call.builder.store(place, call.builder.bitcast(pointer, kept.element, call.span), call.span)
    emit = Emitter(call.builder, call.span)
    null = call.builder.constant(0, call.builder.type_of(pointer), call.span)
    is_full = emit.compare(CompareOperator.EQUAL, pointer, null)
    return emit.select(is_full, emit.constant(MEMORY_ALLOCATION, S32), emit.constant(SUCCESS, S32))


def _free(call: BoundCall) -> ValueId:
    return call.builder.constant(SUCCESS, S32, call.span)


TABLE: Final[Table] = {
    "cudaMalloc": (_allocate, "s32(any, u64)"),
    "cudaFree": (_free, "s32(any)"),
}
