"""The kernel that runs: one function with everything inlined that the budget allows, and the rest it still calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import final

from analysis.ir.function import Function
from analysis.ir.ids import FunctionId
from analysis.ir.inline import InlineBudget
from analysis.ir.instructions import Call
from analysis.ir.promote import promote
from analysis.ir.record import record
from analysis.lower.initial_contents import Contents, initial_contents
from analysis.lower.program import LowerSettings, Program
from analysis.pipeline import unit_of_text, with_calls_inlined

INLINE_BUDGET = InlineBudget()


@final
@record
class Kernel:
    """`callees` are the functions that calls which stayed in place lead to.

    `contents` are the initial contents of variables outside functions that have an initialiser, by name; None where
    they cannot be told.
    """

    function: Function
    callees: Mapping[FunctionId, Function] = field(default_factory=dict[FunctionId, Function])
    contents: Mapping[str, Contents] = field(default_factory=dict[str, Contents])


def kernel_from_source(
    source: str, name: str, *, headers: Mapping[str, str] | None = None, warp_size: int = 32
) -> Kernel:
    """The kernel or device function called `name` of a CUDA text; `headers` are the texts of what it includes, by path.

    Raises KeyError where there is none of that name, or several.
    """
    program = Program(unit_of_text(source, "kernel.cu", headers), LowerSettings(warp_size))
    named = [found.id for found in program.device_functions() if found.item.name == name]
    if len(named) != 1:
        raise KeyError(name)
    return load_kernel(program, named[0])


def load_kernel(program: Program, id: FunctionId) -> Kernel:
    """The function named `id` (a kernel, or an instance of a kernel template), ready to run."""
    bodies: dict[FunctionId, Function | None] = {}

    def resolve(callee: FunctionId) -> Function | None:
        if callee not in bodies:
            try:
                lowered = program.lower(callee)
                bodies[callee] = None if lowered.is_guess and callee != id else promote(lowered.function)
            except KeyError:
                bodies[callee] = None
        return bodies[callee]

    body = resolve(id)
    if body is None:
        raise KeyError(id)
    function = _flatten(body, resolve)
    callees: dict[FunctionId, Function] = {}
    pending = [function]
    while pending:
        for _, instruction in pending.pop().instructions():
            if not isinstance(instruction, Call) or instruction.callee in callees:
                continue
            callee = resolve(instruction.callee)
            if callee is not None:
                callees[instruction.callee] = _flatten(callee, resolve)
                pending.append(callees[instruction.callee])
    used = {symbol.name for one in (function, *callees.values()) for symbol in one.symbols}
    contents = {
        name: found
        for name, declaration in program.variables.items()
        if name in used
        if (found := initial_contents(declaration, program.layouts)) != () or declaration.value is not None
    }
    return Kernel(function, callees, contents)


def _flatten(function: Function, resolve: Callable[[FunctionId], Function | None]) -> Function:
    return with_calls_inlined(function, resolve, INLINE_BUDGET, keep_refused=True).function
