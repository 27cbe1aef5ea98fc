"""The kernels that a file can launch: its own, and those of the files that it includes."""

from __future__ import annotations

from analysis.ir.function import FunctionKind
from analysis.lower.program import DeviceFunction, Program
from analysis.syntax.items import Item, ItemKind


def seen_kernels(program: Program) -> tuple[DeviceFunction, ...]:
    """Those that `#if` leaves in: of the file in text order, then of what it includes."""
    own = [one for one in program.device_functions() if one.kind is FunctionKind.KERNEL and one.item.active]
    included = [
        found
        for item in program.unit.included_items
        if item.is_kernel and (found := program.function_of(item)) is not None
    ]
    return (*own, *included)


def kernel_at(program: Program, path: str, start: int) -> DeviceFunction | None:
    """The kernel whose definition begins there, in the file or in one that it includes."""
    own = (one for one in program.device_functions() if one.kind is FunctionKind.KERNEL)
    known = next((one for one in own if (one.item.path, one.item.span.start) == (path, start)), None)
    if known is not None:
        return known
    included = (item for item in program.unit.included_items if (item.path, item.span.start) == (path, start))
    return next((found for item in included if item.is_kernel and (found := program.function_of(item))), None)


def item_at(program: Program, name: str, path: str, start: int) -> Item | None:
    """The function of that name whose definition or declaration begins there."""
    seen = (item for item in program.unit.lookup(name) if item.kind is ItemKind.FUNCTION)
    return next((item for item in seen if (item.path, item.span.start) == (path, start)), None)
