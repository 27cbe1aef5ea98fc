"""What was written for warps of 32 lanes, in code that runs with warps of 64.

NARROWED    a set of lanes (a ballot, a match, the active mask) of 64 bits is kept in 32: lanes 32 to 63 are lost.  Not
            where the program also shifts the set to the right, which is how it reaches the upper half, or cuts out of
            it what fits.
OF_32       a number of a thread or of a block's threads is divided by 32 or masked with 31, in a function whose lanes
            exchange something: for 64 lanes this is neither the lane nor the warp.
            Also a sequence of shuffles over the distances 16, 8, 4, ... that never goes over 32: it covers half of the
            warp, unless a width says that this is meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, final

from analysis.affine.atoms import Axis
from analysis.affine.result import AffineResult
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Convert, Instruction, Match, Phi, ReadSpecial, Select, Shuffle, Unary, Vote
from analysis.ir.operators import BinaryOperator, ShuffleMode, SpecialRegister, VoteKind
from analysis.ir.types import IntegerType
from analysis.verdict.barriers import Tier
from analysis.warp.model import WARP_OPERATIONS, WarpProblem, WarpProblemKind

CUDA_WARP: Final = 32
_ALL_OF_CUDA: Final = (1 << CUDA_WARP) - 1
_DIVISIONS: Final = {
    (BinaryOperator.AND, CUDA_WARP - 1),
    (BinaryOperator.REMAINDER, CUDA_WARP),
    (BinaryOperator.DIVIDE, CUDA_WARP),
    (BinaryOperator.SHIFT_RIGHT, CUDA_WARP.bit_length() - 1),
}
_SET_OPERATIONS: Final = (BinaryOperator.AND, BinaryOperator.OR, BinaryOperator.XOR, BinaryOperator.SHIFT_LEFT)


def find_wide_warp_problems(
    function: Function, control: ControlFlow, divergence: DivergenceResult, affine: AffineResult
) -> Iterator[WarpProblem]:
    """For warps of more than 32 lanes; in the order of the blocks."""
    finder = _Finder(function, control, divergence, affine)
    reductions = finder.half_reductions()
    lanes_meet = any(
        isinstance(item, WARP_OPERATIONS) for block in control.order for item in function.blocks[block].instructions
    )
    for block in control.order:
        for item in function.blocks[block].instructions:
            match item:
                case Vote(kind=VoteKind.BALLOT) | Match() | ReadSpecial(register=SpecialRegister.ACTIVE_MASK):
                    if (narrowed := finder.narrowed(item.result)) is not None:
                        kind = WarpProblemKind.NARROWED
                        yield WarpProblem(kind, block, item, Tier.PROVEN, None, (), other=narrowed.span)
                case Binary() if lanes_meet and finder.divides_threads(item, block):
                    yield WarpProblem(WarpProblemKind.OF_32, block, item, None, None, ())
                case Shuffle() if item in reductions:
                    yield WarpProblem(WarpProblemKind.OF_32, block, item, None, None, ())
                case _:
                    pass


@final
class _Finder:
    def __init__(
        self, function: Function, control: ControlFlow, divergence: DivergenceResult, affine: AffineResult
    ) -> None:
        self._function = function
        self._control = control
        self._divergence = divergence
        self._affine = affine

    # -- sets of lanes ----------------------------------------------------------------------------------------------

    def narrowed(self, lanes: ValueId) -> Convert | None:
        """Where a set of lanes loses its upper half; None where it does not, or the upper half is used as well."""
        found: Convert | None = None
        seen: set[ValueId] = set()
        waiting = [lanes]
        while waiting:
            current = waiting.pop()
            if current in seen:
                continue
            seen.add(current)
            for user in self._users.get(current, ()):
                match user:
                    case Convert() if self._bits(user.result) == CUDA_WARP:
                        found = found or user
                    case Binary(operator=BinaryOperator.SHIFT_RIGHT, left=left) if left == current:
                        return None
                    case Binary(operator=operator) if operator in _SET_OPERATIONS and not self._is_cut(user):
                        waiting.append(user.result)
                    case Unary() | Convert() | Phi() | Select():
                        waiting.append(user.result)
                    case _:
                        pass
        return found

    def _is_cut(self, item: Binary) -> bool:
        """It keeps lanes below 32 only, in so many words."""
        constants = (self._constant(item.left), self._constant(item.right))
        is_low = any(number is not None and 0 <= number <= _ALL_OF_CUDA for number in constants)
        return item.operator is BinaryOperator.AND and is_low

    def _bits(self, value: ValueId) -> int | None:
        kind = self._function.types[value]
        return kind.bits if isinstance(kind, IntegerType) else None

    @cached_property
    def _users(self) -> dict[ValueId, list[Instruction | Phi]]:
        users: dict[ValueId, list[Instruction | Phi]] = {}
        for block in self._control.order:
            body = self._function.blocks[block]
            for item in (*body.phis, *body.instructions):
                for operand in item.operands:
                    users.setdefault(operand, []).append(item)
        return users

    # -- numbers of lanes and warps ---------------------------------------------------------------------------------

    def divides_threads(self, item: Binary, block: BasicBlockId) -> bool:
        """`threadIdx.x & 31`, `lane % 32`, `blockDim.x / 32`."""
        by, of = self._constant(item.right), item.left
        if by is None and item.operator is BinaryOperator.AND:
            by, of = self._constant(item.left), item.right
        return by is not None and (item.operator, by) in _DIVISIONS and self._counts_threads(of, block)

    def _counts_threads(self, value: ValueId, block: BasicBlockId) -> bool:
        form = self._affine.form_at(value, block)
        if form is not None and any(form.coefficient(axis).constant == 1 for axis in (Axis.THREAD_X, Axis.LANE)):
            return True
        item = self._divergence.definition(value)
        while isinstance(item, Convert):
            item = self._divergence.definition(item.operand)
        return isinstance(item, ReadSpecial) and item.register is SpecialRegister.BLOCK_DIM_X

    # -- sequences of shuffles --------------------------------------------------------------------------------------

    def half_reductions(self) -> Sequence[Shuffle]:
        """The shuffles over a distance of 16, of each sequence that goes on to smaller ones and over no larger one."""
        distances: dict[ShuffleMode, dict[int, Shuffle]] = {}
        halving: list[Shuffle] = []
        for block in self._control.order:
            for item in self._function.blocks[block].instructions:
                if not isinstance(item, Shuffle) or item.mode is ShuffleMode.INDEX or self._is_of_32(item):
                    continue
                number = self._constant(item.lane)
                if number is not None:
                    distances.setdefault(item.mode, {}).setdefault(number, item)
                elif self._largest(item.lane) == CUDA_WARP // 2:
                    halving.append(item)
        for of_mode in distances.values():
            if {16, 8, 4, 2, 1} <= of_mode.keys() and CUDA_WARP not in of_mode:
                halving += (of_mode[CUDA_WARP // 2],)
        return halving

    def _is_of_32(self, item: Shuffle) -> bool:
        width = None if item.width is None else self._constant(item.width)
        return width is not None and width <= CUDA_WARP

    def _largest(self, distance: ValueId) -> int | None:
        """What a distance starts with that a loop halves."""
        item = self._divergence.definition(distance)
        while isinstance(item, Convert):
            item = self._divergence.definition(item.operand)
        if not isinstance(item, Phi):
            return None
        numbers = {number for value in item.operands if (number := self._constant(value)) is not None}
        halved = any(self._is_half(value, item.result) for value in item.operands)
        return max(numbers) if numbers and halved else None

    def _is_half(self, value: ValueId, of: ValueId) -> bool:
        match self._divergence.definition(value):
            case Binary(operator=BinaryOperator.SHIFT_RIGHT, left=left, right=right):
                return left == of and self._constant(right) == 1
            case Binary(operator=BinaryOperator.DIVIDE, left=left, right=right):
                return left == of and self._constant(right) == 2
            case _:
                return False

    def _constant(self, value: ValueId) -> int | None:
        known = self._affine.range(value)
        return known.low if known.low == known.high else None
