"""Where each value of a function lives while it runs.

hoisted     follows from constants, arguments and the launch alone: computed once, a NumPy scalar
recomputed  special registers and addresses of variables: cheap, so every segment that reads them makes them anew
register    used in another segment than the one that defines it: one array per part, all resident warps as rows
local       everything else: a Python variable of the segment's function

Roots       The parameter or variable that a pointer was derived from, where it is one on all paths: an access is then
            checked against this object, and not only against all objects.  The optimistic fixpoint over phis is that
            of `analysis.memory.spaces`, which knows variables but not parameters.
"""

from __future__ import annotations

from math import gcd
from typing import Final, TypeAlias, final

from analysis.ir.function import Function, FunctionKind, SymbolKind
from analysis.ir.ids import SymbolId, ValueId
from analysis.ir.instructions import (
    Binary,
    Bitcast,
    BuildAggregate,
    Compare,
    Constant,
    Convert,
    ElementAddress,
    ExtractElement,
    FieldAddress,
    InsertElement,
    Instruction,
    Math,
    Phi,
    PointerDifference,
    ReadSpecial,
    Select,
    SymbolAddress,
    Unary,
    Undefined,
)
from analysis.ir.operators import COLLECTIVES, SpecialRegister
from analysis.ir.record import record
from analysis.ir.types import PointerType, StructType, VectorType
from analysis.lower.layouts import size_of
from sim.code.segments import SegmentedFunction
from sim.memory.arena import PAGE

_PURE: Final = (
    Unary,
    Binary,
    Compare,
    Select,
    Convert,
    Bitcast,
    Math,
    BuildAggregate,
    ExtractElement,
    InsertElement,
    ElementAddress,
    FieldAddress,
    PointerDifference,
)
_SAME_FOR_ALL: Final = {
    SpecialRegister.BLOCK_DIM_X,
    SpecialRegister.BLOCK_DIM_Y,
    SpecialRegister.BLOCK_DIM_Z,
    SpecialRegister.GRID_DIM_X,
    SpecialRegister.GRID_DIM_Y,
    SpecialRegister.GRID_DIM_Z,
    SpecialRegister.WARP_SIZE,
    SpecialRegister.DYNAMIC_SHARED_SIZE,
    SpecialRegister.GRID_ID,
    SpecialRegister.CLUSTER_RANK,
}
_AT_THE_TIME: Final = {SpecialRegister.CLOCK, SpecialRegister.GLOBAL_TIMER, SpecialRegister.ACTIVE_MASK}
_ONE_OBJECT: Final = (SymbolKind.GLOBAL, SymbolKind.CONSTANT, SymbolKind.TEXTURE)


@final
@record
class ParameterRoot:
    """The buffer that this kernel parameter points to."""

    value: ValueId


@final
@record
class SymbolRoot:
    symbol: SymbolId


Root: TypeAlias = ParameterRoot | SymbolRoot


@final
@record
class Placement:
    hoisted: frozenset[ValueId]
    recomputed: dict[ValueId, ReadSpecial | SymbolAddress]
    in_registers: frozenset[ValueId]
    roots: dict[ValueId, Root]
    alignments: dict[ValueId, int]
    """Pointers with a root: a number of bytes that divides their distance from the object's start, at most 256."""


def place_values(segmented: SegmentedFunction) -> Placement:
    function = segmented.function
    hoisted: set[ValueId] = set()
    recomputed: dict[ValueId, ReadSpecial | SymbolAddress] = {}
    if function.kind is FunctionKind.KERNEL:
        hoisted.update(parameter.value for parameter in function.parameters)
    for segment in segmented.segments:
        for instruction in segment.instructions:
            if instruction.result is None:
                continue
            if _is_hoisted(function, instruction, hoisted):
                hoisted.add(instruction.result)
            elif isinstance(instruction, SymbolAddress) or (
                isinstance(instruction, ReadSpecial) and instruction.register not in _AT_THE_TIME
            ):
                recomputed[instruction.result] = instruction
    in_registers = _registers(segmented, hoisted, recomputed)
    roots = _roots(segmented)
    return Placement(frozenset(hoisted), recomputed, in_registers, roots, _alignments(segmented, roots))


def _is_hoisted(function: Function, instruction: Instruction, hoisted: set[ValueId]) -> bool:
    match instruction:
        case Constant() | Undefined():
            return True
        case ReadSpecial(register=register):
            return register in _SAME_FOR_ALL
        case SymbolAddress(symbol=symbol):
            return function.symbols[symbol].kind in _ONE_OBJECT
        case Math() if instruction.function in COLLECTIVES:
            return False
        case _:
            return isinstance(instruction, _PURE) and hoisted.issuperset(instruction.operands)


def _registers(
    segmented: SegmentedFunction,
    hoisted: set[ValueId],
    recomputed: dict[ValueId, ReadSpecial | SymbolAddress],
) -> frozenset[ValueId]:
    """Values that cross from one segment to another, and phis that anyone reads."""
    last = {segment.block: number for number, segment in enumerate(segmented.segments)}
    home: dict[ValueId, int] = {}
    phis: set[ValueId] = set()
    for number, segment in enumerate(segmented.segments):
        phis.update(phi.result for phi in segment.phis)
        home.update({one.result: number for one in segment.instructions if one.result is not None})
    crossing: set[ValueId] = set()

    def reads(operands: tuple[ValueId, ...], number: int) -> None:
        crossing.update(value for value in operands if home.get(value, -1) != number)

    for number, segment in enumerate(segmented.segments):
        for phi in segment.phis:
            for source, value in phi.incoming:
                if source in last:
                    reads((value,), last[source])
        for instruction in segment.instructions:
            reads(instruction.operands, number)
        if segment.terminator is not None:
            reads(segment.terminator.operands, number)
    return frozenset(crossing - hoisted - recomputed.keys())


# -- provenance -----------------------------------------------------------------------------------------------------


def _roots(segmented: SegmentedFunction) -> dict[ValueId, Root]:
    function = segmented.function
    roots: dict[ValueId, Root | None] = {}
    derived: list[tuple[ValueId, tuple[ValueId, ...]]] = []
    is_kernel = function.kind is FunctionKind.KERNEL
    for parameter in function.parameters:
        if isinstance(function.types[parameter.value], PointerType):
            roots[parameter.value] = ParameterRoot(parameter.value) if is_kernel else None
    for segment in segmented.segments:
        for one in (*segment.phis, *segment.instructions):
            if one.result is None or not isinstance(function.types[one.result], PointerType):
                continue
            match one:
                case SymbolAddress(symbol=symbol):
                    roots[one.result] = SymbolRoot(symbol)
                case ElementAddress(base=base) | FieldAddress(base=base):
                    derived.append((one.result, (base,)))
                case Bitcast(operand=operand) if isinstance(function.types[operand], PointerType):
                    derived.append((one.result, (operand,)))
                case Phi():
                    derived.append((one.result, one.operands))
                case Select(if_true=if_true, if_false=if_false):
                    derived.append((one.result, (if_true, if_false)))
                case _:
                    roots[one.result] = None
    changed = True
    while changed:
        changed = False
        for result, sources in derived:
            known = {roots[source] for source in sources if source in roots}
            if not known:
                continue
            root = known.pop() if len(known) == 1 else None
            if result not in roots or roots[result] != root:
                # A root that was taken back stays back, or two phis could take turns for ever.
                if result in roots and roots[result] is None:
                    continue
                roots[result] = root
                changed = True
    return {value: root for value, root in roots.items() if root is not None}


def _alignments(segmented: SegmentedFunction, roots: dict[ValueId, Root]) -> dict[ValueId, int]:
    """The greatest common divisor of all steps from the object's start; falls until nothing changes."""
    function = segmented.function
    found: dict[ValueId, int] = dict.fromkeys(roots, PAGE)
    changed = True
    while changed:
        changed = False
        for segment in segmented.segments:
            for one in (*segment.phis, *segment.instructions):
                if one.result is None or one.result not in roots or isinstance(one, SymbolAddress):
                    continue
                sources = one.operands[:1] if isinstance(one, ElementAddress | FieldAddress | Bitcast) else one.operands
                step = _step(function, one)
                value = gcd(step, *(found.get(source, PAGE) for source in sources))
                if value != found[one.result]:
                    found[one.result] = value
                    changed = True
    return found


def _step(function: Function, instruction: Instruction | Phi) -> int:
    """A divisor of what the instruction adds to its base."""
    match instruction:
        case ElementAddress(result=result):
            type = function.types[result]
            assert isinstance(type, PointerType)
            return size_of(type.element, function.structs) or 1
        case FieldAddress(base=base, field=field):
            type = function.types[base]
            match type:
                case PointerType(element=StructType(name=name)) if name in function.structs:
                    return function.structs[name].fields[field].offset or PAGE
                case PointerType(element=VectorType(element=element)):
                    return size_of(element, function.structs) or 1
                case _:
                    return 1
        case _:
            return PAGE
