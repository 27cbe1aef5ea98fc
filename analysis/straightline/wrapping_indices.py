"""Addresses that are computed anew although they differ by constants, because their indices may wrap.

Question  sums of unsigned 32-bit integers wrap by definition, so `a[t + 1]` is not `a[t]` and four bytes to a compiler.
          Which addresses would be offsets of another one, if their indices were signed or had 64 bits?
Compilers nvcc 13.0 computes each of them anew, also under `if (t < n)`, and folds those of signed indices.  What
          follows from the limits of the hardware (`threadIdx.x + 1`) is known to it (`KnownToCompilers`).
Shared    addresses of shared memory have 32 bits and wrap as the index does, so they are folded.
Cost      `frames_with_unsigned_steps` is one look at each instruction; the rest, two passes over the function, is for
          those that have some.
Source    Wu et al., CGO 2016, section 3.4.1, for what is saved; PTX of nvcc 13.0 for what compilers do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, TypeAlias, final

from analysis.affine import interval_rules
from analysis.affine.interval import Interval
from analysis.affine.launch_bounds import (
    BLOCK_EXTENTS,
    BLOCK_INDICES,
    GRID_EXTENTS,
    MAX_GRID_X,
    MAX_GRID_YZ,
    LaunchBounds,
)
from analysis.affine.ranges import whole_range
from analysis.divergence.launch_shape import MAX_BLOCK_THREADS, LaunchKnowledge
from analysis.graph.cycles import CycleId
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Constant, Convert, ElementAddress, ReadSpecial
from analysis.ir.operators import BinaryOperator
from analysis.ir.record import record
from analysis.ir.source import FrameId, Span
from analysis.ir.types import IntegerType, MemorySpace
from analysis.memory.spaces import SpaceResult
from analysis.straightline.code import Code
from analysis.straightline.exactness import Exactness
from analysis.straightline.fold import fold
from analysis.straightline.sums import Address, Sums, Terms

SLOTS_OF_STEP: Final = 2
"""A sum and a widening product for each address that is not an offset of another one."""
_MAX_DEPTH: Final = 10
_SUMS: Final = frozenset({BinaryOperator.ADD, BinaryOperator.SUBTRACT})

_Group: TypeAlias = tuple[ValueId, object, Terms]


@final
@record
class HeldBack:
    """One address that is computed anew; `slots` are what it takes, each time, in its innermost loop."""

    span: Span
    cycle: CycleId | None
    slots: int


@final
@record
class WrappingIndex:
    """Addresses whose indices differ by constants from that of `first`, which dominates them."""

    first: Span
    again: tuple[HeldBack, ...]


def frames_with_unsigned_steps(function: Function, spaces: SpaceResult) -> frozenset[FrameId]:
    """Frames in whose text an address has a sum of 32 unsigned bits with a constant in it as its index.

    Cheap, for all that is looked at on an edit.
    """
    constants: set[ValueId] = set()
    sums: set[ValueId] = set()
    frames: set[FrameId] = set()
    for block in function.blocks:
        for one in block.instructions:
            if type(one) is Constant:
                constants.add(one.result)
            elif type(one) is Binary:
                is_sum = one.operator in _SUMS and _is_unsigned_word(function.types, one.result)
                if is_sum and not (constants.isdisjoint(one.operands) and sums.isdisjoint(one.operands)):
                    sums.add(one.result)
            elif type(one) is Convert:
                for known in (constants, sums):
                    if one.operand in known:
                        known.add(one.result)
            elif type(one) is not ElementAddress or one.index not in sums:
                continue
            elif spaces.space(one.result) is not MemorySpace.SHARED:
                frames.add(one.span.frame)
    return frozenset(frames)


def _is_unsigned_word(types: Sequence[object], value: ValueId) -> bool:
    type_ = types[value]
    return isinstance(type_, IntegerType) and type_.bits == 32 and not type_.signed


def wrapping_indices(code: Code, spaces: SpaceResult) -> list[WrappingIndex]:
    """Groups of addresses that would be one address and offsets if nothing wrapped; `code` is a copy that is folded."""
    fold(code)
    known = Exactness(code, KnownToCompilers(code).fits)
    strict, loose = Sums(code, known), Sums(code, Exactness(code, lambda _: True))
    found: dict[Terms, list[tuple[ElementAddress, BasicBlockId, int]]] = defaultdict(list)
    firsts: dict[Terms, ElementAddress] = {}
    bases: dict[_Group, list[tuple[ElementAddress, Address, Address]]] = defaultdict(list)
    for block, one in code.instructions():
        if not isinstance(one, ElementAddress) or spaces.space(one.result) is MemorySpace.SHARED:
            continue
        open_, closed = loose.address(one.result), strict.address(one.result)
        group = bases[open_.root, open_.type, open_.offset.terms]
        above = [base for base in group if code.control.dominates(code.homes[base[0].result], block)]
        group.append((one, open_, closed))
        if not above or not open_.offset.terms:
            continue
        if any(_is_offset(closed, base[2]) or base[1].offset == open_.offset for base in above):
            continue
        terms = open_.offset.terms
        firsts.setdefault(terms, above[0][0])
        found[terms].append((one, block, open_.offset.constant))
    return [
        WrappingIndex(firsts[terms].span, tuple(_step(code, one, block) for one, block, _ in steps))
        for terms, steps in found.items()
    ]


def _is_offset(one: Address, other: Address) -> bool:
    """To a compiler, too."""
    return one.root == other.root and one.offset.terms == other.offset.terms


def _step(code: Code, element: ElementAddress, block: BasicBlockId) -> HeldBack:
    cycle = code.control.innermost_cycle(block)
    return HeldBack(element.span, None if cycle is None else cycle.id, SLOTS_OF_STEP)


@final
class KnownToCompilers:
    """What follows from types, constants and the limits of the hardware: no launches, and no guards."""

    def __init__(self, code: Code) -> None:
        self._code = code
        bounds = LaunchBounds(LaunchKnowledge())
        self._registers = dict(bounds.registers)
        for axis, (index, extent, size) in enumerate(zip(BLOCK_INDICES, GRID_EXTENTS, BLOCK_EXTENTS, strict=True)):
            most = MAX_GRID_YZ if axis else MAX_GRID_X
            self._registers[index] = Interval(0, most - 1)
            self._registers[extent] = Interval(1, most)
            self._registers[size] = Interval(1, MAX_BLOCK_THREADS)
        self._ranges: dict[ValueId, Interval] = {}
        self._fitting: set[ValueId] = set()

    def fits(self, value: ValueId) -> bool:
        """Is it certain that the operation does not wrap?"""
        self.range(value)
        return value in self._fitting

    def range(self, value: ValueId, depth: int = 0) -> Interval:
        known = self._ranges.get(value)
        if known is None:
            whole = whole_range(self._code.types[value])
            exact = None if depth > _MAX_DEPTH else self._exact(value, depth)
            fits = exact is not None and exact.within(whole)
            if fits:
                self._fitting.add(value)
            known = exact if exact is not None and fits else whole
            self._ranges[value] = known
        return known

    def _exact(self, value: ValueId, depth: int) -> Interval | None:
        match self._code.definitions.get(value):
            case Constant(value=bool() | int() as number):
                return Interval(int(number), int(number))
            case ReadSpecial(register=register):
                return self._registers.get(register)
            case Convert(operand=operand) if isinstance(self._code.types[operand], IntegerType):
                return self.range(operand, depth + 1)
            case Binary(operator=operator, left=left, right=right):
                rule = interval_rules.BINARY_RULES[operator]
                return rule(self.range(left, depth + 1), self.range(right, depth + 1))
            case _:
                return None
