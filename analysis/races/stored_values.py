"""Do two threads that write the same place write different values?

Known     numbers that decide nothing else, constants, what is read from different places of an argument that the kernel
          only reads, and what is computed from these by the same or another formula.  Two different formulas are taken
          to have different values for some contents of the arguments.
Unknown   what comes from other memory, from loops over floating-point numbers, from comparisons.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final, TypeAlias, final

from analysis.divergence.launch_shape import BlockShape
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
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
from analysis.ir.types import BooleanType, IntegerType, PointerType
from analysis.memory.roots import pointer_root
from analysis.races.launches import launch
from analysis.races.model import MemoryUse
from analysis.races.program import OutOfBounds, Program
from analysis.races.program_builder import build_program
from analysis.races.trace import Event, values_at

Formula: TypeAlias = tuple[object, ...]

_COMPUTED: Final = (Unary, Binary, Convert, Math, Bitcast, ExtractElement)
_MAX_DEPTH: Final = 24


@final
class StoredKinds:
    """Which stored values might be told at all, as far as it can be seen without following a thread."""

    def __init__(self, control: ControlFlow, divergence: DivergenceResult) -> None:
        self._control = control
        self._function = control.function
        self._divergence = divergence
        self._known: dict[ValueId, bool] = {}

    @cached_property
    def written(self) -> set[ValueId]:
        """The pointers through which the kernel writes."""
        stores = self._control.placed(Store, Atomic)
        return {pointer_root(self._divergence, instruction.address) for _, _, instruction in stores}

    def may_be_told(self, use: MemoryUse) -> bool:
        return use.value is not None and self._may_be_known(use.value, 0)

    def _may_be_known(self, value: ValueId, depth: int) -> bool:
        """May the value have a formula?  Integers and pointers may be known as numbers, whatever they come from."""
        type_ = self._function.types[value]
        if isinstance(type_, BooleanType) or depth > _MAX_DEPTH:
            return False
        if isinstance(type_, IntegerType | PointerType):
            return True
        known = self._known.get(value)
        if known is None:
            known = self._known[value] = self._has_known_kind(value, depth)
        return known

    def _has_known_kind(self, value: ValueId, depth: int) -> bool:
        match self._divergence.definition(value):
            case None:
                return True
            case Constant(value=constant):
                return constant is not None
            case Load(address=address):
                return _unwritten_argument(self._divergence, address, self.written) is not None
            case Unary() | Binary() | Convert() | Math() | Bitcast() | ExtractElement() as item:
                return all(self._may_be_known(operand, depth + 1) for operand in item.operands)
            case _:
                return False


@final
class StoredValues:
    """What the threads of one program write; the program with all that this is computed from is built once."""

    def __init__(self, program: Program, blocks: int = 1) -> None:
        """`blocks`: that a launch has at least."""
        self._program = program
        self._blocks = blocks
        self._kinds = StoredKinds(program.control, program.divergence)

    def differ(
        self, shape: BlockShape, warp_size: int, assignment: int, one: Event, other: Event, budget: int
    ) -> bool | None:
        """Surely, for some contents of the arguments; None if it is not known."""
        if not all(self._kinds.may_be_told(self._program.uses[event.use]) for event in (one, other)):
            return None
        formulas: list[Formula] = []
        for event in (one, other):
            here = launch(self._wider, shape, warp_size, assignment, event.block, self._blocks)
            try:
                values = values_at(self._wider, here, event, 4 * budget)
            except OutOfBounds:
                return None
            value = self._program.uses[event.use].value
            if values is None or value is None:
                return None
            formula = _formula(self._wider, values, value, self._kinds.written, 0)
            if formula is None:
                return None
            formulas.append(formula)
        return formulas[0] != formulas[1]

    @cached_property
    def _wider(self) -> Program:
        """The program with all that stored values are computed from."""
        program = self._program
        stored = [use.value for use in program.uses if use.value is not None]
        inputs = _inputs(program.divergence, stored)
        wider = build_program(
            program.function, program.control, program.divergence, program.uses, inputs, goes_on=program.goes_on
        )
        wider.passed, wider.relations, wider.multiples = program.passed, program.relations, program.multiples
        return wider


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
            place, root = values.get(address), _unwritten_argument(program.divergence, address, written)
            return None if place is None or root is None else ("contents", place)
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


def _unwritten_argument(divergence: DivergenceResult, address: ValueId, written: set[ValueId]) -> ValueId | None:
    """The argument that the address comes from, if the kernel only reads through it."""
    root = pointer_root(divergence, address)
    return root if divergence.definition(root) is None and root not in written else None


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
