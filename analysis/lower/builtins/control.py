"""Printing, assertions, traps, clocks, hints to the compiler."""

from __future__ import annotations

from typing import Final

from analysis.ir.calls import Assert, Print
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Return, Trap
from analysis.ir.operators import MathFunction, SpecialRegister
from analysis.lower.builtins.core import BoundCall, Table, does_nothing, opaque_bound
from analysis.lower.builtins.memory import same_value


def _printf(call: BoundCall) -> ValueId:
    literal = call.literal(0)
    result = call.builder.value(call.result)
    text = literal if isinstance(literal, str) else None
    call.builder.emit(Print(result, text, call.arguments[1:], call.span))
    return result


def _assert(call: BoundCall) -> None:
    call.builder.emit(Assert(call.arguments[0], call.span))


def trap(call: BoundCall) -> None:
    call.builder.terminate(Trap(call.span))


def leave(call: BoundCall) -> None:
    """The thread ends: `__exit()`, and what the programmer promised never to reach."""
    call.builder.terminate(Return(None, call.span))


def _false(call: BoundCall) -> ValueId:
    return call.builder.constant(False, call.result, call.span)


def _some_constant(call: BoundCall) -> ValueId:
    return call.builder.constant(None, call.result, call.span)


def _host_call(call: BoundCall) -> ValueId | None:
    """The device runtime (dynamic parallelism): effects on memory, no barrier of this grid."""
    return opaque_bound(call)


TABLE: Final[Table] = {
    "printf": (_printf, "s32(any, ...)"),
    "__builtin_printf": (_printf, "s32(any, ...)"),
    "assert": (_assert, "void(bool)"),
    "__assert_fail": (trap, "void(...)"),
    "__assertfail": (trap, "void(...)"),
    "__trap": (trap, "void()"),
    "__builtin_trap": (trap, "void()"),
    "abort": (trap, "void()"),
    "__builtin_unreachable": (leave, "void()"),
    "unreachable": (leave, "void()"),
    "__exit": (leave, "void()"),
    "__brkpt": (does_nothing, "void(s32?)"),
    "__prof_trigger": (does_nothing, "void(s32)"),
    "__nanosleep": (does_nothing, "void(u32)"),
    "__builtin_assume": (does_nothing, "void(bool)"),
    "__builtin_amdgcn_s_sleep": (does_nothing, "void(s32)"),
    "__assume": (does_nothing, "void(bool)"),
    "__builtin_expect": (same_value, "s64(s64, s64)"),
    "__builtin_expect_with_probability": (same_value, "s64(s64, s64, f64)"),
    "__nv_pure": (does_nothing, "void()"),
    "__builtin_constant_p": (_false, "s32(any)"),
    "__builtin_is_constant_evaluated": (MathFunction.IS_CONSTANT_EVALUATED, "bool()"),
    "is_constant_evaluated": (MathFunction.IS_CONSTANT_EVALUATED, "bool()"),
    "clock": (SpecialRegister.CLOCK, "s64()"),
    "clock64": (SpecialRegister.CLOCK, "s64()"),
    "wall_clock64": (SpecialRegister.GLOBAL_TIMER, "s64()"),
    "__clock": (SpecialRegister.CLOCK, "s64()"),
    "__globaltimer": (SpecialRegister.GLOBAL_TIMER, "u64()"),
    "__nv_globaltimer": (SpecialRegister.GLOBAL_TIMER, "u64()"),
    "cudaGetLastError": (_some_constant, "s32()"),
    "cudaPeekAtLastError": (_some_constant, "s32()"),
    "cudaTriggerProgrammaticLaunchCompletion": (does_nothing, "void()"),
    "cudaGridDependencySynchronize": (does_nothing, "void()"),
    "cudaGraphSetConditional": (does_nothing, "void(any, u32)"),
}

RUNTIME: Final[Table] = {
    name: (_host_call, declared)
    for name, declared in {
        "cudaDeviceSynchronize": "s32()",
        "cudaMemcpyAsync": "s32(any, any, u64, any, any?)",
        "cudaMemcpy": "s32(any, any, u64, any)",
        "cudaMemsetAsync": "s32(any, s32, u64, any?)",
        "cudaMemset": "s32(any, s32, u64)",
        "cudaLaunchDevice": "s32(...)",
        "cudaLaunchDeviceV2": "s32(...)",
        "cudaGetParameterBuffer": "void*(u64, u64)",
        "cudaGetParameterBufferV2": "void*(...)",
        "cudaGetDevice": "s32(any)",
        "cudaGetDeviceCount": "s32(any)",
        "cudaDeviceGetAttribute": "s32(any, any, s32)",
        "cudaGraphLaunch": "s32(any, any)",
        "cudaGetErrorString": "any(any)",
    }.items()
}
"""Calls whose effects are unknown by nature; they stay opaque and say so."""
