"""Do two threads that write the same place write different values?

Known     numbers that decide nothing else, constants, what is read from different places of an argument that the kernel
          only reads, and what is computed from these by the same or another formula.  Two different formulas are taken
          to have different values for some contents of the arguments.
Unknown   what comes from other memory, from loops over floating-point numbers, from comparisons.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from analysis.divergence.launch_shape import BlockShape
from analysis.divergence.result import DivergenceResult
from analysis.ir.function import Function
from analysis.ir.ids import ValueId
from analysis.ir.instructions import (
    Atomic,
    Binary,
    Bitcast,
    Constant,
    Convert,
    ExtractElement,
    Load,
    Math,
    Store,
    Unary,
)
from analysis.ir.types import BooleanType
from analysis.memory.roots import pointer_root
from analysis.races.launches import launch
from analysis.races.program import OutOfBounds, Program
from analysis.races.program_builder import build_program
from analysis.races.trace import Event, values_at

Formula: TypeAlias = tuple[object, ...]

_COMPUTED: Final = (Unary, Binary, Convert, Math, Bitcast, ExtractElement)
_MAX_DEPTH: Final = 24


def values_differ(
    program: Program, shape: BlockShape, warp_size: int, assignment: int, one: Event, other: Event, budget: int
) -> bool | None:
    """Surely, for some contents of the arguments; None if it is not known."""
    sites = [program.uses[event.use] for event in (one, other)]
    stored = [site.value for site in sites if site.value is not None]
    if len(stored) < 2:
        return None
    wider = build_program(
        program.function, program.control, program.divergence, program.uses, _inputs(program.divergence, stored)
    )
    formulas: list[Formula] = []
    written = _written_roots(program.function, program.divergence)
    for event, value in zip((one, other), stored, strict=True):
        here = launch(wider, shape, warp_size, assignment, event.block)
        try:
            values = values_at(wider, here, event, 4 * budget)
        except OutOfBounds:
            return None
        formula = None if values is None else _formula(program, values, value, written, 0)
        if formula is None:
            return None
        formulas.append(formula)
    return formulas[0] != formulas[1]


def _inputs(divergence: DivergenceResult, stored: Iterable[ValueId]) -> list[ValueId]:
    """Everything that the values are computed from, addresses of loads included."""
    found: dict[ValueId, None] = {}
    waiting = list(stored)
    while waiting:
        value = waiting.pop()
        if value in found:
            continue
        found[value] = None
        item = divergence.definition(value)
        if isinstance(item, (Load, *_COMPUTED)):
            waiting.extend(item.operands)
    return list(found)


def _formula(
    program: Program, values: Mapping[ValueId, int], value: ValueId, written: set[ValueId], depth: int
) -> Formula | None:
    if isinstance(program.function.types[value], BooleanType) or depth > _MAX_DEPTH:
        return None
    known = values.get(value)
    if known is not None:
        return ("number", known)
    item = program.divergence.definition(value)
    match item:
        case None:
            return ("argument", value)
        case Constant(value=constant):
            return None if constant is None else ("constant", constant)
        case Load(address=address):
            place, root = values.get(address), pointer_root(program.divergence, address)
            is_argument = program.divergence.definition(root) is None
            return ("contents", place) if place is not None and is_argument and root not in written else None
        case Unary() | Binary() | Convert() | Math() | Bitcast() | ExtractElement():
            parts: list[Formula] = []
            for operand in item.operands:
                part = _formula(program, values, operand, written, depth + 1)
                if part is None:
                    return None
                parts.append(part)
            return (_operator(item), *parts)
        case _:
            return None


def _operator(item: Unary | Binary | Convert | Math | Bitcast | ExtractElement) -> object:
    match item:
        case Unary(operator=operator) | Binary(operator=operator):
            return operator
        case Math(function=function):
            return function
        case ExtractElement(index=index):
            return "member", index
        case Convert() | Bitcast():
            return "converted"


def _written_roots(function: Function, divergence: DivergenceResult) -> set[ValueId]:
    """The pointers through which the kernel writes."""
    return {
        pointer_root(divergence, instruction.address)
        for _, instruction in function.instructions()
        if isinstance(instruction, Store | Atomic)
    }
