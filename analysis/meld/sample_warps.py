"""Warps that might run a function, and what each of their lanes answers to the function's conditions.

Question  How many warps pass a block, and in how many of them do lanes part?  The price of a function depends on that:
          a warp whose lanes agree runs one arm of a branch, and saves nothing where arms are melded.
Samples   blocks of threads, of the shapes that the launch is known to have or of likely ones, in `GROUPS` groups.  A
          set of lanes, over all blocks, is one integer with a bit for each; the lanes of a warp stand together.
Answers   a function of the thread index alone: exact.  Other conditions are drawn, each block anew:
          - uniform in the block or the warp: one answer for all its lanes,
          - a bounds check (`verdict/bounds_check.py`): one cut through the threads of the block, or none,
          - everything else: each lane on its own, rarely or often.
          An equality is less likely to hold than not (Ball and Larus, PLDI 1993), except of bits and remainders.
Repeated  draws depend on nothing but the function: the same function always gets the same lanes.
Limits    conditions that depend on each other are drawn as if they did not, unless both are functions of the thread
          index or one is made of the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

from analysis.divergence.launch_shape import BlockShape
from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.divergence.thread_index import Expression, registers_of, structured_expressions, thread_values
from analysis.ir.function import Function
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Binary, Compare, ReadSpecial
from analysis.ir.operators import BinaryOperator, CompareOperator, SpecialRegister
from analysis.meld.draws import Draws
from analysis.verdict.bounds_check import BoundsChecks

GROUPS: Final = 16
"""What differs from group to group says how far a mean over all of them can be trusted."""
_BLOCKS_IN_GROUP: Final = 4
"""Of one block per group, rare ways through a function would be missed or counted too often."""
_OTHER_AXES: Final = (SpecialRegister.THREAD_Y, SpecialRegister.THREAD_Z)
_ROWS: Final = (BlockShape(256),)
_PLANES: Final = (BlockShape(16, 16), BlockShape(32, 8))
"""Likely shapes of blocks, by whether a function asks for a second index."""
_MAX_SHAPES: Final = 4
_SHARES: Final = (16, 16, 16, 8, 24, 4, 28, 2)
"""For how many lanes of `_OF` a condition holds."""
_SHARES_OF_A_PART: Final = (16, 16, 16, 8, 24, 2, 0, 31)
"""The same of a condition that only a part of the warp asks: what it guards may be done long ago, or not begun."""
_SHARES_OF_EQUALITIES: Final = (16, 8, 4, 4, 1, 1, 1, 24)
_OF: Final = 32
_ALL: Final = (1.0,) * GROUPS


@final
class SampleWarps:
    """Lanes of one function's sample."""

    def __init__(self, function: Function, divergence: DivergenceResult, checks: BoundsChecks) -> None:
        launch = divergence.launch
        self._function = function
        self._divergence = divergence
        self._checks = checks
        self._warp_size = launch.warp_size
        self._shapes = (launch.shapes or _likely_shapes(function))[:_MAX_SHAPES]
        self._expressions = structured_expressions(function, divergence.control)
        self._drawn: dict[ValueId, int] = {}
        self._blocks: list[tuple[BlockShape, int]] = []
        self._groups: list[tuple[int, int]] = []
        at = 0
        for group in range(GROUPS):
            start = at
            for number in range(_BLOCKS_IN_GROUP):
                shape = self._shapes[(group + number) % len(self._shapes)]
                self._blocks.append((shape, at))
                at += -(-shape.threads // self._warp_size) * self._warp_size
            self._groups.append((start, at - start))
        self.everyone: Final = sum(((1 << shape.threads) - 1) << start for shape, start in self._blocks)
        self._first_lanes = sum(1 << lane for lane in range(0, at, self._warp_size))

    def passing(self, lanes: int) -> tuple[float, ...]:
        """Of each group, the share of warps that have one of the lanes or more."""
        first = self._warps_of(lanes)
        if first == self._first_lanes:
            return _ALL
        return tuple(
            [(first >> start & (1 << width) - 1).bit_count() * self._warp_size / width for start, width in self._groups]
        )

    def parting(self, some: int, others: int) -> float:
        """The share of all warps that have lanes of both sets."""
        return (self._warps_of(some) & self._warps_of(others)).bit_count() / self._first_lanes.bit_count()

    def _warps_of(self, lanes: int) -> int:
        """The first lane of each warp that has one of the lanes or more."""
        covered = 1  # Each bit stands for its lane and for so many less one above it.
        while covered < self._warp_size:
            shift = min(covered, self._warp_size - covered)
            lanes |= lanes >> shift
            covered += shift
        return lanes & self._first_lanes

    def holds(self, value: ValueId) -> int:
        """The lanes for which a boolean of the function holds, or a boolean that was made later and is unknown."""
        known = self._drawn.get(value)
        if known is None:
            known = self._exact(value)
            if known is None:
                known = self._draw(value)
            self._drawn[value] = known
        return known

    def _exact(self, value: ValueId) -> int | None:
        expression = self._expressions.get(value)
        if expression is None or not (isinstance(expression, int) or registers_of(expression)):
            return None
        lanes = {shape: self._lanes(expression, shape) for shape in self._shapes}
        found = 0
        for shape, start in self._blocks:
            one = lanes[shape]
            if one is None:
                return None
            found |= one << start
        return found

    def _lanes(self, expression: Expression, shape: BlockShape) -> int | None:
        """For which threads of one block a boolean expression is true."""
        values = thread_values(expression, (shape.x, shape.y, shape.z), self._warp_size)
        if values is None:
            return None
        if isinstance(values, int):
            return ((1 << shape.threads) - 1) * bool(values)
        return int("".join("1" if value else "0" for value in reversed(values)), 2)

    def _draw(self, value: ValueId) -> int:
        of_block = self._drawing(value, Draws(value))
        return sum(of_block(shape) << start for shape, start in self._blocks)

    def _drawing(self, value: ValueId, draws: Draws) -> Callable[[BlockShape], int]:
        """What draws the lanes of one block."""
        is_known = value < len(self._function.types)
        item = self._divergence.definition(value) if is_known else None
        level = self._divergence.level(value) if is_known else Level.VARYING
        is_of_a_part = is_known and self._divergence.convergence(self._divergence.home(value)) is Level.VARYING
        shares = _SHARES_OF_A_PART if is_of_a_part else _SHARES
        is_inverse = isinstance(item, Compare) and item.operator is CompareOperator.NOT_EQUAL
        if isinstance(item, Compare) and self._is_rare_equality(item):
            shares = _SHARES_OF_EQUALITIES

        def turned(lanes: int, shape: BlockShape) -> int:
            return lanes ^ ((1 << shape.threads) - 1) if is_inverse else lanes

        def uniform(shape: BlockShape) -> int:
            size = shape.threads if level <= Level.BLOCK else self._warp_size
            lanes = sum(
                (draws.below(_OF) < draws.pick(shares)) * ((1 << min(size, shape.threads - start)) - 1) << start
                for start in range(0, shape.threads, size)
            )
            return turned(lanes, shape)

        def cut(shape: BlockShape) -> int:
            kind = draws.below(4)
            if kind < 2:
                return ((1 << shape.threads) - 1) * kind
            width = shape.threads if kind == 2 else shape.x
            place = draws.below(width + 1)
            row = 1 << min(place, width - 1) if shares is _SHARES_OF_EQUALITIES else (1 << place) - 1
            return turned(sum(row << start for start in range(0, shape.threads, width)), shape)

        def scattered(shape: BlockShape) -> int:
            share, lanes, bit = draws.pick(shares), 0, 1
            while bit < _OF:
                other = draws.bits(shape.threads)
                lanes = lanes | other if share & bit else lanes & other
                bit *= 2
            return turned(lanes, shape)

        if level <= Level.WARP:
            return uniform
        is_check = item is not None and self._checks.changes(value, self._divergence.home(value)) is not None
        return cut if is_check else scattered

    def _is_rare_equality(self, item: Compare) -> bool:
        """Of two numbers that may be anything; a bit or a remainder has few values."""
        sides = map(self._divergence.definition, (item.left, item.right))
        return item.operator in (CompareOperator.EQUAL, CompareOperator.NOT_EQUAL) and not any(
            isinstance(side, Binary) and side.operator in (BinaryOperator.AND, BinaryOperator.REMAINDER)
            for side in sides
        )


def _likely_shapes(function: Function) -> tuple[BlockShape, ...]:
    is_plane = any(
        isinstance(item, ReadSpecial) and item.register in _OTHER_AXES for _, item in function.instructions()
    )
    return _PLANES if is_plane else _ROWS
