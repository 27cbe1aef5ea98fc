"""What is known of the indices of a function with everything inlined, whichever frame is asked about.

Found    once for a function, and without a budget: nothing in it depends on who asks first.
Size     where no launch is known, constants that are compared with and multiplied with are the only sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final, final

from analysis.affine.result import AffineResult
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Constant, Convert, Instruction, Phi, ReadSpecial
from analysis.ir.operators import BinaryOperator, SpecialRegister
from analysis.memory.spaces import SpaceResult
from analysis.overflow.candidates import Candidate, IndexFrames, candidates, indices
from analysis.overflow.intervals import IndexIntervals
from analysis.overflow.model import LARGEST_GRID, Admitted, Extents, Launched
from analysis.overflow.thread_values import INDEX_BITS, FunctionFlow

BLOCK_BITS: Final = 10
"""Of the place of a thread in its block."""
MOST_BOUNDS: Final = 3
MOST_FACTORS: Final = 2
"""Of one index."""
_SCALING: Final = frozenset({BinaryOperator.MULTIPLY, BinaryOperator.SHIFT_LEFT})
_OF_GRID: Final = frozenset({SpecialRegister.GRID_DIM_X, SpecialRegister.GRID_DIM_Y, SpecialRegister.GRID_DIM_Z})


@final
class Inlined:
    """A function with everything inlined, of which each frame is asked about."""

    def __init__(
        self, control: ControlFlow, divergence: DivergenceResult, affine: AffineResult, spaces: SpaceResult
    ) -> None:
        self.divergence: Final = divergence
        self.affine: Final = affine
        self.spaces: Final = spaces
        self.function: Final = divergence.function
        self.flow: Final = FunctionFlow(control, divergence, affine)
        self._bounded: dict[Extents, Bounded] = {}

    @cached_property
    def may_be_large(self) -> bool:
        return _may_be_large(self)

    @cached_property
    def indices(self) -> Sequence[tuple[ValueId, BasicBlockId]]:
        """Of global memory, each with the block that uses it first."""
        return tuple(indices(self.flow, self.spaces))

    @cached_property
    def frames(self) -> IndexFrames:
        return IndexFrames(self.flow, [index for index, _ in self.indices])

    def bounded(self, block: Extents) -> Bounded:
        """For blocks of these extents."""
        found = self._bounded.get(block)
        if found is None:
            found = self._bounded[block] = Bounded(self.flow, self.affine, block)
        return found


@final
class Bounded:
    """The indices that overflow in some launch with such blocks, as far as intervals say it, without the size of the
    grid, of which a comparison says nothing, and without what no thread can be told to compute."""

    def __init__(self, flow: FunctionFlow, affine: AffineResult, block: Extents) -> None:
        self.largest: Final = Launched(block, _coverable(block), {}, Admitted.BOUND)
        self._flow = flow
        self._intervals = IndexIntervals(flow, affine, self.largest)
        self._candidates: dict[tuple[ValueId, BasicBlockId], Sequence[Candidate]] = {}

    def candidates(self, index: ValueId, home: BasicBlockId) -> Sequence[Candidate]:
        """What may leave its type on the way to an index that `home` uses."""
        key = index, home
        found = self._candidates.get(key)
        if found is None:
            every = candidates(self._flow, self._intervals, index, home, self._flow.may_be_told)
            found = self._candidates[key] = [one for one in every if not _asks_for_grid(self._flow, one.value)]
        return found


def _may_be_large(inlined: Inlined) -> bool:
    """Do the largest constants that are compared with and multiplied with make a number of 32 bits, with a block's
    threads?  Only these are sizes where no launch is known."""
    definition = inlined.divergence.definition
    others = {other for facts in inlined.affine.ranges.guards.in_block.values() for _, (_, other) in facts}
    bounds = sorted((_bits_of(definition(other)) for other in others), reverse=True)[:MOST_BOUNDS]
    if not any(bounds):
        return False
    room = INDEX_BITS - 1 - BLOCK_BITS - sum(bounds)
    if room <= 0:
        return True
    scaling = [
        item for _, item in inlined.function.instructions() if type(item) is Binary and item.operator in _SCALING
    ]
    factors = [
        _scaled_by(item.operator, constant)
        for item in scaling
        for operand in (item.left, item.right)
        if type(constant := definition(operand)) is Constant
    ]
    factors.sort(reverse=True)
    return sum(factors[:MOST_FACTORS]) >= room


def _bits_of(item: Instruction | Phi | None) -> int:
    return item.value.bit_length() if isinstance(item, Constant) and isinstance(item.value, int) else 0


def _scaled_by(operator: BinaryOperator, constant: Constant) -> int:
    """How many bits longer a product with it is."""
    if operator is BinaryOperator.MULTIPLY or not isinstance(constant.value, int):
        return _bits_of(constant)
    return max(0, constant.value)


def _asks_for_grid(flow: FunctionFlow, value: ValueId) -> bool:
    """Whether a number follows from the size of the grid, of which a comparison says nothing."""
    if flow.registers.isdisjoint(_OF_GRID):
        return False
    seen, waiting = {value}, [value]
    while waiting:
        item = flow.definition(waiting.pop())
        if isinstance(item, ReadSpecial) and item.register in _OF_GRID:
            return True
        new = [one for one in item.operands if one not in seen] if isinstance(item, Binary | Convert | Phi) else []
        seen.update(new)
        waiting.extend(new)
    return False


def _coverable(block: Extents) -> Extents:
    """As many blocks as threads can be counted in 32 bits."""
    x, y, z = (min(most, (1 << 31) // extent) for most, extent in zip(LARGEST_GRID, block, strict=True))
    return x, y, z
