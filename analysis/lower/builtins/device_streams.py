"""Streams and events that device code makes for kernels which it launches.

Rules    What is made is an object of the device's heap, so that each thread has its own and none is null.  To record an
         event, to wait for one in a stream, and to destroy either changes nothing for the thread that does it.
Source   CUDA C++ Programming Guide, "Device-side API": streams and events.
Limits   They never fail.
"""

from __future__ import annotations

from typing import Final

from analysis.ir.ids import ValueId
from analysis.ir.memory import Allocate
from analysis.ir.types import S32, U64, VOID, HandleType, MemorySpace, PointerType
from analysis.lower.builtins.core import BoundCall, Table, opaque_bound

_SUCCESS: Final = 0
_BYTES: Final = 8


def _make(call: BoundCall) -> ValueId | None:
    kept = call.type_of(0)
    if not isinstance(kept, PointerType) or not isinstance(kept.element, HandleType | PointerType):
        return opaque_bound(call)
    made = call.builder.value(PointerType(VOID, MemorySpace.GENERIC))
    call.builder.emit(Allocate(made, call.builder.constant(_BYTES, U64, call.span), call.span))
    call.builder.store(call.arguments[0], call.builder.bitcast(made, kept.element, call.span), call.span)
    return _succeed(call)


def _succeed(call: BoundCall) -> ValueId:
    return call.builder.constant(_SUCCESS, S32, call.span)


TABLE: Final[Table] = {
    "cudaStreamCreateWithFlags": (_make, "s32(any, u32)"),
    "cudaStreamDestroy": (_succeed, "s32(any)"),
    "cudaStreamWaitEvent": (_succeed, "s32(any, any, u32)"),
    "cudaEventCreateWithFlags": (_make, "s32(any, u32)"),
    "cudaEventRecord": (_succeed, "s32(any, any)"),
    "cudaEventDestroy": (_succeed, "s32(any)"),
}
