"""How often does a thread run a loop that only counts?

A loop counts when it has one way in and one way out, and leaves by comparing two numbers whose difference is a linear
function of the thread index and of the round, with known numbers: `for (i = threadIdx.x; i < 256; i += blockDim.x)` in
a block of known shape.  Nothing else may end it, so every thread that comes to it runs all of its rounds.
"""

from __future__ import annotations

from typing import TypeAlias, final

from analysis.affine.arithmetic import subtract
from analysis.affine.atoms import Axis, IterationAtom, RegisterAtom
from analysis.affine.linear_form import LinearForm
from analysis.affine.polynomial import Monomial, Polynomial
from analysis.affine.result import AffineResult
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle, CycleId
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import Branch, Compare
from analysis.ir.operators import CompareOperator, SpecialRegister
from analysis.ir.record import record

Shape: TypeAlias = tuple[int, int, int]

_EXTENT_OF = {SpecialRegister.BLOCK_DIM_X: 0, SpecialRegister.BLOCK_DIM_Y: 1, SpecialRegister.BLOCK_DIM_Z: 2}
_AXES = (Axis.THREAD_X, Axis.THREAD_Y, Axis.THREAD_Z)
_OPPOSITE = {
    CompareOperator.LESS: CompareOperator.GREATER_EQUAL,
    CompareOperator.LESS_EQUAL: CompareOperator.GREATER,
    CompareOperator.GREATER: CompareOperator.LESS_EQUAL,
    CompareOperator.GREATER_EQUAL: CompareOperator.LESS,
    CompareOperator.EQUAL: CompareOperator.NOT_EQUAL,
    CompareOperator.NOT_EQUAL: CompareOperator.EQUAL,
}


@final
@record
class CountingLoop:
    """It goes on while `difference operator 0`, looked at in the block `exit` once in every round."""

    cycle: Cycle
    exit: BasicBlockId
    operator: CompareOperator
    difference: LinearForm
    is_tested_last: bool
    """The round ends with the test."""

    def rounds(self, block: BasicBlockId, shape: Shape, control: ControlFlow) -> Rounds | None:
        """How often threads run `block`, if they run it in every round that comes to it; None if not known."""
        is_behind = block != self.exit and control.dominates(self.exit, block)
        if not (is_behind or block == self.exit or self.is_tested_last):
            return None
        split = by_round(self.difference.base, shape)
        x, y, z = (number_of(self.difference.coefficient(axis), shape) for axis in _AXES)
        if split is None or self.difference.coefficient(Axis.LANE).terms or split.keys() - {None, self.cycle.id}:
            return None
        if x is None or y is None or z is None:
            return None
        step = split.get(self.cycle.id, 0)
        return Rounds(self.operator, split.get(None, 0), (x, y, z), step, 0 if is_behind else 1)


@final
@record
class Rounds:
    """One loop in blocks of one shape: it goes on while `first + factors * thread + step * round operator 0`."""

    operator: CompareOperator
    first: int
    factors: tuple[int, int, int]
    step: int
    more: int
    """Rounds that are begun and do not pass the test, but come to the block."""

    def of(self, x: int, y: int, z: int) -> int | None:
        """The rounds of one thread; None if they do not end."""
        a, b, c = self.factors
        passed = _rounds_while(self.operator, self.first + a * x + b * y + c * z, self.step)
        return None if passed is None else passed + self.more


def _rounds_while(operator: CompareOperator, first: int, step: int) -> int | None:
    """The least k for which `first + k * step operator 0` is false; None if there is none."""
    match operator:
        case CompareOperator.LESS:
            pass
        case CompareOperator.LESS_EQUAL:
            first -= 1
        case CompareOperator.GREATER:
            first, step = -first, -step
        case CompareOperator.GREATER_EQUAL:
            first, step = -first - 1, -step
        case CompareOperator.NOT_EQUAL:
            if first == 0:
                return 0
            return -first // step if step and first % step == 0 and -first // step > 0 else None
        case CompareOperator.EQUAL:
            return 0 if first else 1 if step else None
    if first >= 0:
        return 0
    return -(first // step) if step > 0 else None


def number_of(polynomial: Polynomial, shape: Shape) -> int | None:
    """What it is in a block of that shape; None if it is not the same everywhere."""
    split = by_round(polynomial, shape)
    return None if split is None or split.keys() - {None} else split.get(None, 0)


def by_round(polynomial: Polynomial, shape: Shape) -> dict[CycleId | None, int] | None:
    """`{None: a, cycle: b}` for `a + b * round of the cycle`, in a block of that shape; None for anything else."""
    found: dict[CycleId | None, int] = {}
    for monomial, coefficient in polynomial.terms:
        term = _term(monomial, shape)
        if term is None:
            return None
        cycle, factor = term
        found[cycle] = found.get(cycle, 0) + coefficient * factor
    return found


def _term(monomial: Monomial, shape: Shape) -> tuple[CycleId | None, int] | None:
    cycle: CycleId | None = None
    factor = 1
    for atom in monomial:
        match atom:
            case RegisterAtom(register) if register in _EXTENT_OF:
                factor *= shape[_EXTENT_OF[register]]
            case IterationAtom(counted) if cycle is None:
                cycle = counted
            case _:
                return None
    return cycle, factor


@final
class CountingLoops:
    """Those of one function, found when first asked for."""

    def __init__(
        self, function: Function, control: ControlFlow, divergence: DivergenceResult, affine: AffineResult
    ) -> None:
        self._function = function
        self._control = control
        self._divergence = divergence
        self._affine = affine
        self._known: dict[CycleId, CountingLoop | None] = {}

    def around(self, block: BasicBlockId) -> tuple[CountingLoop, ...] | None:
        """The loops around a block; None if one of them does not count."""
        found = [self._of(cycle) for cycle in self._control.cycles_around(block)]
        known = tuple(loop for loop in found if loop is not None)
        return known if len(known) == len(found) else None

    def _of(self, cycle: Cycle) -> CountingLoop | None:
        if cycle.id not in self._known:
            self._known[cycle.id] = self._find(cycle)
        return self._known[cycle.id]

    def _find(self, cycle: Cycle) -> CountingLoop | None:
        exits = self._control.exit_branches(cycle)
        if not cycle.reducible or len(exits) != 1:
            return None
        (block,) = exits
        innermost = self._control.innermost_cycle(block)
        branch = self._function.blocks[block].terminator
        if innermost is None or innermost.id != cycle.id or not isinstance(branch, Branch):
            return None
        compare = self._divergence.definition(branch.condition)
        if not isinstance(compare, Compare):
            return None
        home = self._divergence.home(branch.condition)
        left, right = (self._affine.form_at(side, home) for side in (compare.left, compare.right))
        integral = self._affine.is_integral(compare.left) and self._affine.is_integral(compare.right)
        if left is None or right is None or not integral or home not in cycle.blocks:
            return None
        stays = branch.if_true in cycle.blocks
        operator = compare.operator if stays else _OPPOSITE[compare.operator]
        staying = branch.if_true if stays else branch.if_false
        difference = subtract(left, right)
        return CountingLoop(cycle, block, operator, difference, staying == cycle.header)
