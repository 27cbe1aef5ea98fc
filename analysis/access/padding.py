"""Would one more element per row take the bank conflicts out of a shared array?

Method    The array's type is changed in a copy of the function, and its accesses are analysed again.
Refused   where the layout can be seen by something else: an address that is not just loaded from, stored to or updated
          (it is passed on, cast, kept, compared, stepped beyond one element per dimension); an index into a row that
          may leave the row, since `a[0][y * width + x]` reads the array as one line; arrays of one dimension, of
          unknown size; a block that would need more shared memory than every device has.
Helps     if every access that conflicts needs fewer passes than before, and no access needs more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from analysis.access.analysis import analyze_accesses
from analysis.access.model import Access
from analysis.affine.analysis import analyze_affine
from analysis.affine.interval import Interval
from analysis.affine.result import AffineResult
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function, SymbolKind
from analysis.ir.ids import BasicBlockId, SymbolId, ValueId
from analysis.ir.instructions import Atomic, ElementAddress, Instruction, Load, Store, SymbolAddress
from analysis.ir.types import ArrayType, PointerType, Type
from analysis.lower.layouts import size_of
from analysis.memory.spaces import SpaceResult

SHARED_MEMORY_BYTES = 48 * 1024
"""What a block may declare on every device (CUDA C++ Programming Guide, "Technical Specifications")."""


def padding_helps(
    function: Function,
    control: ControlFlow,
    divergence: DivergenceResult,
    spaces: SpaceResult,
    affine: AffineResult,
    accesses: tuple[Access, ...],
    symbol: SymbolId,
) -> bool:
    """Does an inner dimension that is longer by one make all conflicts of the array smaller, and is that safe?"""
    steps = _steps_into(function, control, affine, symbol)
    if not steps:
        return False
    padded = _padded(function, symbol, steps)
    if padded is None or _shared_bytes(padded) > SHARED_MEMORY_BYTES:
        return False
    again = analyze_accesses(padded, control, divergence, spaces, analyze_affine(padded, control, divergence))
    pairs = [(before, after) for before, after in zip(accesses, again, strict=True) if before.variable == symbol]
    return all(_is_better(before, after) for before, after in pairs)


def _is_better(before: Access, after: Access) -> bool:
    if before.request is None or before.request.bank_ways is None:
        return True  # what is not known before is data-dependent: one more element cannot make it worse on the whole
    if after.request is None or after.request.bank_ways is None or not after.request.is_exact:
        return False
    if before.request.bank_ways == 1:
        return after.request.bank_ways == 1
    return after.request.bank_ways < before.request.bank_ways


def _steps_into(
    function: Function, control: ControlFlow, affine: AffineResult, symbol: SymbolId
) -> Mapping[ValueId, int] | None:
    """The addresses into the array with the number of dimensions they have gone down; None if one is used otherwise."""
    array = function.symbols[symbol].type
    if function.symbols[symbol].kind is not SymbolKind.SHARED:
        return None
    depths: dict[ValueId, int] = {}
    dimensions = _dimensions(array)
    if len(dimensions) < 2 or None in dimensions:
        return None
    for block in control.order:
        body = function.blocks[block]
        if any(operand in depths for phi in body.phis for operand in phi.operands):
            return None
        for instruction in body.instructions:
            if type(instruction) is SymbolAddress and instruction.symbol == symbol:
                depths[instruction.result] = 0
            elif any(operand in depths for operand in instruction.operands) and not _goes_down(
                function, affine, depths, dimensions, block, instruction
            ):
                return None
        if any(operand in depths for operand in body.terminator.operands):
            return None
    return depths


def _goes_down(
    function: Function,
    affine: AffineResult,
    depths: dict[ValueId, int],
    dimensions: tuple[int | None, ...],
    block: BasicBlockId,
    instruction: Instruction,
) -> bool:
    """A step from an array to one of its elements, or an access to an element of the last dimension."""
    if type(instruction) is ElementAddress:
        depth = depths.get(instruction.base)
        if depth is None or depth >= len(dimensions):
            return False
        length = dimensions[depth]
        assert length is not None
        depths[instruction.result] = depth + 1
        return depth < len(dimensions) - 1 or _stays_in_row(affine, instruction.index, block, length)
    if type(instruction) is Load or type(instruction) is Store or type(instruction) is Atomic:
        is_kept = any(operand in depths for operand in instruction.operands[1:])
        return not is_kept and depths.get(instruction.address) == len(dimensions)
    return False


def _stays_in_row(affine: AffineResult, index: ValueId, block: BasicBlockId, length: int) -> bool:
    """Is it an index into one row?  The range says so; or, as the block shape may not be known, that it does not grow
    by more than one from thread to thread: what walks over rows (`y * width + x`) does, or has a range."""
    if affine.range_at(index, block).within(Interval(0, length - 1)):
        return True
    form = affine.form_at(index, block)
    if form is None or form.is_uniform:
        return False
    return len(form.coefficients) == 1 and form.coefficients[0][1].constant == 1


def _dimensions(type: Type) -> tuple[int | None, ...]:
    return (type.length, *_dimensions(type.element)) if isinstance(type, ArrayType) else ()


def _padded(function: Function, symbol: SymbolId, depths: Mapping[ValueId, int]) -> Function | None:
    types = list(function.types)
    for value in depths:
        pointer = types[value]
        if not isinstance(pointer, PointerType):
            return None
        types[value] = replace(pointer, element=_longer(pointer.element))
    own = function.symbols[symbol]
    symbols = list(function.symbols)
    symbols[symbol] = replace(own, type=_longer(own.type))
    return replace(function, types=tuple(types), symbols=tuple(symbols))


def _longer(type: Type) -> Type:
    """An array with one more element in its last dimension."""
    if not isinstance(type, ArrayType):
        return type
    if isinstance(type.element, ArrayType):
        return ArrayType(_longer(type.element), type.length)
    return ArrayType(type.element, None if type.length is None else type.length + 1)


def _shared_bytes(function: Function) -> int:
    sizes = [size_of(symbol.type, function.structs) for symbol in function.symbols if symbol.kind is SymbolKind.SHARED]
    return sum(SHARED_MEMORY_BYTES + 1 if size is None else size for size in sizes)
