"""By how many rounds do threads leave a loop apart?

Question  Do the lanes of a warp leave within one round of each other, whatever the bound is?  Along a row (threads that
          differ in `threadIdx.x` alone), at how many places can the number of rounds change?
Rules     An exit compares linear forms whose difference moves towards the bound by the same `step` in every round
          (`for (i = t; i < n; i += step)`).  The last thread passes the bound at most one round after the first one if
          the first values lie no further apart than `step`: of a warp (`warpSize`), of a row (`blockDim.x`), of those
          threads of a row that a guard lets in, of a block or a grid, where ranks cancel with sizes as polynomials.
          What agrees in the group may let it leave at any time.  Values that come out of such a loop are linear in
          pieces, so the loop for what an unrolled loop left over has few pieces, too.
Proof     Differences of polynomials that have no negative coefficient once each atom counts from its least value.
          Every exit that threads may take apart must be tested in every round, against a bound that stays.
Assumes   index arithmetic does not wrap (`docs/limitations.md`); where the block shape is not known, that a warp lies
          in a row; what `steady.py` assumes.
Gives up  at irreducible loops, at equalities, at steps and bounds that change from round to round.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import chain
from typing import Final, final

from analysis.affine.atoms import Atom, Axis, IterationAtom, RegisterAtom, ResidualAtom, SymbolAtom, ValueAtom
from analysis.affine.linear_form import LinearForm
from analysis.affine.polynomial import ONE, ZERO, Polynomial, number, variable
from analysis.affine.result import AffineResult
from analysis.divergence.launch_shape import MAX_BLOCK_THREADS, BlockShape
from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Branch, Compare, Convert, Phi, ReadSpecial, Unary
from analysis.ir.operators import BinaryOperator, CompareOperator, SpecialRegister, UnaryOperator
from analysis.ir.pace import paced, spend
from analysis.ir.record import record
from analysis.ir.types import IntegerType, PointerType
from analysis.verdict.cancelling import Cancelling
from analysis.verdict.lane_rounds import Schedule
from analysis.verdict.steady import Steadiness
from analysis.verdict.trend import Trends

RISING: Final = frozenset({CompareOperator.LESS, CompareOperator.LESS_EQUAL})
"""A loop that stays while one of these holds is left when the left side has risen to the right one."""
FALLING: Final = frozenset({CompareOperator.GREATER, CompareOperator.GREATER_EQUAL})
WITH_EQUAL: Final = frozenset({CompareOperator.LESS_EQUAL, CompareOperator.GREATER_EQUAL})
EXTENTS: Final = (SpecialRegister.BLOCK_DIM_X, SpecialRegister.BLOCK_DIM_Y, SpecialRegister.BLOCK_DIM_Z)
GRID_EXTENTS: Final = (SpecialRegister.GRID_DIM_X, SpecialRegister.GRID_DIM_Y, SpecialRegister.GRID_DIM_Z)
ADDITIVE: Final = frozenset({BinaryOperator.ADD, BinaryOperator.SUBTRACT})
JOINED_BY: Final = {
    True: frozenset({BinaryOperator.LOGICAL_AND, BinaryOperator.AND}),
    False: frozenset({BinaryOperator.LOGICAL_OR, BinaryOperator.OR}),
}
"""What holds (or not) only if both sides do."""
MAX_STEPS: Final = 16
"""Operations between a comparison and the counter of its loop."""


@final
@record
class Test:
    """A thread goes on while `low` is below `high`, or is equal to it, where `home` compares them."""

    low: ValueId
    high: ValueId
    home: BasicBlockId
    or_equal: bool


@final
@record
class Approach:
    """The difference that an exit compares with 0, signed so that it rises: by `step` in each round.

    `pieces`: into how many intervals a row falls in each of which the difference is linear.  `spread`: by how much
    threads differ beside the form, where only the range of the first value is known (`threadIdx.x % 32`).
    """

    form: LinearForm
    step: Polynomial
    pieces: int
    spread: int = 0


@final
class Rounds:
    """Answers about the loops of one function."""

    def __init__(
        self, function: Function, control: ControlFlow, divergence: DivergenceResult, affine: AffineResult
    ) -> None:
        self._function = function
        self._control = control
        self._divergence = divergence
        self._affine = affine
        self._steady = Steadiness(function, divergence)
        self._trends = Trends(function, control, divergence, affine)
        self._cancelling = Cancelling(control, divergence)
        self._breaks: dict[int, int | None] = {}
        self._splitting_once: dict[tuple[int, BasicBlockId], bool] = {}
        self._varying: dict[tuple[int, Level], list[BasicBlockId] | None] = {}
        self._schedules: dict[int, list[Schedule] | None] = {}
        self._approaches: dict[tuple[int, Test], Approach | None] = {}
        self._asked_about = 0
        """How many loops `breaks` is looking at."""

    # -- whole loops ------------------------------------------------------------------------------------------------

    def is_together(self, cycle: Cycle) -> bool:
        """Do the lanes of a warp leave within one round of each other?"""
        exits = self._varying_exits(cycle, Level.WARP)
        return exits is not None and all(self.splits_once(cycle, block) for block in exits)

    def rests_on_step(self, cycle: Cycle) -> bool:
        """Would its lanes leave within one round, if steps that are not known (`i += stride`) were long enough?"""
        exits = self._varying_exits(cycle, Level.WARP)
        return exits is not None and all(
            self.splits_once(cycle, block) or self._may_split_once(cycle, block) for block in exits
        )

    def _may_split_once(self, cycle: Cycle, block: BasicBlockId) -> bool:
        return all(
            test is not None and (self._is_passed_together(cycle, test) or self._has_unknown_step(cycle, test))
            for test in self._tests(cycle, block, Level.WARP) or (None,)
        )

    def _has_unknown_step(self, cycle: Cycle, test: Test) -> bool:
        approach = self._approach(cycle, test) or self._approach_of_range(cycle, test)
        return approach is not None and any(map(self._is_unknown, approach.step.atoms()))

    def _is_unknown(self, atom: Atom) -> bool:
        """The size of the grid, or what comes from outside; a block's other extents are often short."""
        match atom:
            case ValueAtom(value):
                known = self._affine.range(value)
            case RegisterAtom(register) if register in GRID_EXTENTS:
                known = self._affine.atom_range(atom)
            case RegisterAtom() | SymbolAtom() | IterationAtom() | ResidualAtom():
                return False
        return known.low != known.high

    def breaks(self, cycle: Cycle) -> int | None:
        """At how many places of a row the number of rounds can change; None where that is not known."""
        if cycle.id not in self._breaks:
            self._breaks[cycle.id] = None  # for a loop that is asked about while it is looked at
            exits = self._varying_exits(cycle, Level.BLOCK)
            self._asked_about += 1
            found = None if exits is None else [self.breaks_of_exit(cycle, block) for block in exits]
            self._asked_about -= 1
            if found is not None and None not in found:
                self._breaks[cycle.id] = sum(places for places in found if places is not None)
        return self._breaks[cycle.id]

    def schedules(self, cycle: Cycle) -> list[Schedule] | None:
        """When threads leave, of each exit that lanes may take apart; None where that does not follow from known
        numbers and the thread index."""
        if cycle.id not in self._schedules:
            self._schedules[cycle.id] = self._find_schedules(cycle)
        return self._schedules[cycle.id]

    def _find_schedules(self, cycle: Cycle) -> list[Schedule] | None:
        found: list[Schedule] = []
        for block in self._varying_exits(cycle, Level.WARP) or ():
            for test in self._tests(cycle, block, Level.WARP) or (None,):
                schedule = None if test is None else self._schedule(cycle, test, block)
                if schedule is None:
                    return None
                found.append(schedule)
        return found or None

    def _schedule(self, cycle: Cycle, test: Test, block: BasicBlockId) -> Schedule | None:
        approach = self._approach(cycle, test)
        if approach is None or approach.pieces > 1 or approach.spread:
            return None
        step = approach.step.constant
        base = (approach.form.base - approach.step * variable(IterationAtom(cycle.id))).constant
        x, y, z, lane = (approach.form.coefficient(axis).constant for axis in Axis)
        if step is None or step <= 0 or base is None or x is None or y is None or z is None or lane is None:
            return None
        return Schedule(base - test.or_equal, step, (x, y, z, lane), block == cycle.header)

    def _varying_exits(self, cycle: Cycle, group: Level) -> list[BasicBlockId] | None:
        """The exits that threads of the group may take apart, if each is tested in every round."""
        key = cycle.id, group
        if key not in self._varying:
            self._varying[key] = self._find_varying_exits(cycle, group)
        return self._varying[key]

    def _find_varying_exits(self, cycle: Cycle, group: Level) -> list[BasicBlockId] | None:
        if not cycle.reducible:
            return None
        control, header = self._control, cycle.header
        latches = [BasicBlockId(block) for block in control.predecessors[header] if block in cycle.blocks]
        exits = control.exit_branches(cycle)
        found: list[BasicBlockId] = []
        for block in paced(sorted(control.exit_influences(cycle)), 2):
            if self._divergence.terminator_level(block) <= group:
                continue
            spend(len(latches) // 4)
            if block not in exits or not all(control.dominates(block, latch) for latch in latches):
                return None
            found.append(block)
        return found

    # -- exits ------------------------------------------------------------------------------------------------------

    def left_at(self, block: BasicBlockId) -> Cycle | None:
        """The innermost loop that the decision at the end of the block can leave."""
        return next((c for c in self._control.cycles_around(block) if block in self._control.exit_branches(c)), None)

    def splits_once(self, cycle: Cycle, block: BasicBlockId) -> bool:
        """Does this exit split each warp in at most one round?"""
        key = cycle.id, block
        known = self._splitting_once.get(key)
        if known is None:
            tests = self._tests(cycle, block, Level.WARP) or (None,)
            known = self._splitting_once[key] = all(self._is_passed_together(cycle, test) for test in tests)
        return known

    def _is_passed_together(self, cycle: Cycle, test: Test | None) -> bool:
        if test is None:
            return False
        if self._cancelling.agrees(test.low, test.high, test.home):
            return True
        approach = self._approach(cycle, test) or self._approach_of_range(cycle, test)
        if approach is None or approach.pieces > 1:
            return False
        spans = chain(self._spans_of_warp(approach.form), self._spans_of_guarded(approach.form, cycle))
        return any(self._is_at_least(approach.step, span + number(approach.spread)) for span in spans)

    def breaks_of_exit(self, cycle: Cycle, block: BasicBlockId) -> int | None:
        """At how many places of a row the round changes in which this exit is taken."""
        tests = self._tests(cycle, block, Level.BLOCK)
        found = None if tests is None else [self._breaks_of_test(cycle, test) for test in tests]
        return None if found is None or None in found else sum(places for places in found if places is not None)

    def _breaks_of_test(self, cycle: Cycle, test: Test) -> int | None:
        approach = self._approach(cycle, test)
        if approach is None or not self._trends.is_of_row(approach.form, test.home):
            return None
        span = self._axis_span(Axis.THREAD_X, approach.form.coefficient(Axis.THREAD_X))
        if span is None or not self._is_at_least(approach.step, span):
            return None
        return 2 * approach.pieces - 1

    def changes(self, item: Compare, block: BasicBlockId) -> int | None:
        """At how many places of a row a comparison changes that reads what loops before it have left over."""
        cycle = self._control.innermost_cycle(block)
        left, right = self._side(item.left, block, cycle), self._side(item.right, block, cycle)
        if left is None or right is None or item.operator not in RISING | FALLING:
            return None
        pieces = left[1] + right[1] - 1
        of_row = all(self._trends.is_of_row(form, block) for form, _ in (left, right))
        return 2 * pieces - 1 if pieces > 1 and of_row else None

    # -- approaches -------------------------------------------------------------------------------------------------

    def _tests(self, cycle: Cycle, block: BasicBlockId, group: Level) -> list[Test] | None:
        """The comparisons that must all hold for a thread to go on, without those on which the group agrees."""
        terminator = self._function.blocks[block].terminator
        if not isinstance(terminator, Branch):
            return None
        goes_on, also = terminator.if_true in cycle.blocks, terminator.if_false in cycle.blocks
        if goes_on == also:
            return None
        found: list[Test] = []
        waiting = [(terminator.condition, block, goes_on)]
        for _ in range(MAX_STEPS):
            if not waiting:
                return found
            value, reader, wanted = waiting.pop()
            if self._divergence.use_level(value, reader) <= group:
                continue
            home = self._divergence.home(value)
            match self._divergence.definition(value):
                case Unary(operator=UnaryOperator.LOGICAL_NOT, operand=operand):
                    waiting.append((operand, home, not wanted))
                case Binary(operator=operator, left=left, right=right) if operator in JOINED_BY[wanted]:
                    waiting += [(left, home, wanted), (right, home, wanted)]
                case Compare(operator=operator, left=left, right=right) if operator in RISING | FALLING:
                    rises, or_equal = (operator in RISING) == wanted, (operator in WITH_EQUAL) == wanted
                    low, high = (left, right) if rises else (right, left)
                    found.append(Test(low, high, home, or_equal))
                case _:
                    return None
        return None

    def _approach(self, cycle: Cycle, test: Test) -> Approach | None:
        if self._asked_about:  # an answer that leaves out a loop holds for this question alone
            return self._find_approach(cycle, test)
        key = cycle.id, test
        if key not in self._approaches:
            self._approaches[key] = self._find_approach(cycle, test)
        return self._approaches[key]

    def _find_approach(self, cycle: Cycle, test: Test) -> Approach | None:
        low, high = self._side(test.low, test.home, cycle), self._side(test.high, test.home, cycle)
        if low is None or high is None:
            return None
        base, coefficients = low[0].base - high[0].base, _differences(low[0], high[0])
        step = _coefficient_of(IterationAtom(cycle.id), base)
        polynomials = (base, *(coefficient for _, coefficient in coefficients))
        if step is None or not all(self._stays(atom, cycle) for one in polynomials for atom in one.atoms()):
            return None
        return Approach(LinearForm(low[0].bits, base, coefficients), step, low[1] + high[1] - 1)

    def _approach_of_range(self, cycle: Cycle, test: Test) -> Approach | None:
        """A counter that starts somewhere in a known range, and a bound that stays and agrees in the warp."""
        rises = True
        counted, bound = self._counted(test.low, cycle), test.high
        if counted is None:
            rises, counted, bound = False, self._counted(test.high, cycle), test.low
        if counted is None or self._divergence.use_level(bound, test.home) > Level.WARP:
            return None
        start, step = counted
        if not self._steady.is_steady(bound, cycle) or not all(self._stays(atom, cycle) for atom in step.atoms()):
            return None
        type_, first = self._function.types[start], self._affine.range_at(start, cycle.header)
        if not isinstance(type_, IntegerType) or first.high - first.low >= 1 << type_.bits - 1:
            return None
        form = LinearForm(type_.bits, ZERO)
        return Approach(form, step if rises else -step, 1, first.high - first.low)

    def _stays(self, atom: Atom, cycle: Cycle) -> bool:
        match atom:
            case RegisterAtom() | SymbolAtom():
                return True
            case IterationAtom(other):
                return other == cycle.id or self._control.cycles[other].header not in cycle.blocks
            case ResidualAtom(value):
                return self._divergence.home(value) not in cycle.blocks
            case ValueAtom(value):
                return self._steady.is_steady(value, cycle)

    def _side(self, value: ValueId, block: BasicBlockId, cycle: Cycle | None) -> tuple[LinearForm, int] | None:
        """The form of one side of a comparison and into how many pieces a row falls."""
        form = self._affine.form_at(value, block) or self._agreed(value, block)
        if form is not None and (cycle is None or all(self._stays(atom, cycle) for atom in form.base.atoms())):
            return (form, 1) if self._is_unwrapped(value, form) else None
        counted = None if cycle is None else self._counted(value, cycle)
        if counted is None or cycle is None:
            return self._left_over(value, block) if form is None else None
        start, step = counted
        first = self._affine.form_at(start, cycle.header)
        found = self._left_over(start, cycle.header) if first is None else (first, 1)
        if found is None or not self._is_unwrapped(start, found[0]):
            return None
        form, pieces = found
        base = form.base + step * variable(IterationAtom(cycle.id))
        return LinearForm(form.bits, base, form.coefficients, form.exact), pieces

    def _agreed(self, value: ValueId, block: BasicBlockId) -> LinearForm | None:
        """What has no form because unknown callers may pass anything, while it is asked what holds if they agree."""
        type_ = self._function.types[value]
        if not isinstance(type_, IntegerType) or self._divergence.use_level(value, block) > Level.WARP:
            return None
        return LinearForm(type_.bits, variable(ValueAtom(value)))

    def _left_over(self, value: ValueId, block: BasicBlockId) -> tuple[LinearForm, int] | None:
        """A value that comes out of a loop whose number of rounds changes at few places of a row."""
        form = self._affine.form(value)
        if form is None or not self._is_unwrapped(value, form):
            return None
        home = self._divergence.home(value)
        breaks: int | None = None
        for cycle in self._control.cycles_around(home):
            if block in cycle.blocks:
                break
            if self._divergence.loop_level(cycle) > Level.BLOCK:
                if breaks is not None or not self._trends.is_of_row(form, home):
                    return None
                breaks = self.breaks(cycle)
                if breaks is None:
                    return None
        return None if breaks is None else (form, breaks + 1)

    def _counted(self, value: ValueId, cycle: Cycle) -> tuple[ValueId, Polynomial] | None:
        """What a value is in the first round of the loop, and what each round adds, if nothing else is added."""
        for _ in range(MAX_STEPS):
            item = self._divergence.definition(value)
            if isinstance(item, Convert) and self._is_renamed(item):
                value = item.operand
                continue
            if not isinstance(item, Phi) or self._divergence.home(value) != cycle.header:
                return None
            starts = {incoming for source, incoming in item.incoming if source not in cycle.blocks}
            backs = {incoming for source, incoming in item.incoming if source in cycle.blocks}
            if len(starts) != 1 or len(backs) != 1:
                return None
            step = self._added(backs.pop(), value)
            return None if step is None else (starts.pop(), step)
        return None

    def _added(self, value: ValueId, phi: ValueId) -> Polynomial | None:
        """What was added to the phi, if it is a sum that agrees in the block."""
        total = ZERO
        for _ in range(MAX_STEPS):
            if value == phi:
                return total
            match self._divergence.definition(value):
                case Convert() as item if self._is_renamed(item):
                    value = item.operand
                case Binary(operator=operator, left=left, right=right) if operator in ADDITIVE:
                    home = self._divergence.home(value)
                    if operator is BinaryOperator.ADD and self._divergence.use_level(left, home) <= Level.BLOCK:
                        left, right = right, left
                    form = self._affine.form_at(right, home)
                    if form is None or not form.is_uniform:
                        return None
                    total += form.base if operator is BinaryOperator.ADD else -form.base
                    value = left
                case _:
                    return None
        return None

    def _is_renamed(self, item: Convert) -> bool:
        """Between integers of one width, which keeps all bits."""
        source, target = self._function.types[item.operand], self._function.types[item.result]
        return isinstance(source, IntegerType) and isinstance(target, IntegerType) and source.bits == target.bits

    def _is_unwrapped(self, value: ValueId, form: LinearForm) -> bool:
        """Whether nothing known says that the number is not its form: `threadIdx.x - 5u` begins at the other end."""
        type_ = self._function.types[value]
        if isinstance(type_, PointerType):
            return True
        if not isinstance(type_, IntegerType) or type_.bits < 16:
            return False
        for _, coefficient in form.coefficients:
            step = coefficient.constant
            if step is not None and abs(step) * MAX_BLOCK_THREADS >= 1 << type_.bits - 1:
                return False
        if type_.signed or not form.coefficients:
            return True
        polynomials = (form.base, *(coefficient for _, coefficient in form.coefficients))
        return all(factor >= 0 for polynomial in polynomials for _, factor in polynomial.terms)

    # -- spans ------------------------------------------------------------------------------------------------------

    def _spans_of_warp(self, form: LinearForm) -> list[Polynomial]:
        """Bounds on how much the lanes of a warp differ; each of them holds."""
        found: list[Polynomial] = []
        launch = self._divergence.launch
        factors = [(axis, coefficient.constant) for axis, coefficient in form.coefficients]
        numbers = {axis: factor for axis, factor in factors if factor is not None}
        if len(numbers) == len(factors):
            if launch.shapes:
                factors_of_axes = tuple(numbers.get(axis, 0) for axis in Axis)
                found.append(number(max(_widest(factors_of_axes, shape, launch.warp_size) for shape in launch.shapes)))
            elif numbers.keys() <= {Axis.THREAD_X, Axis.LANE}:
                found.append(number(sum(map(abs, numbers.values())) * (launch.warp_size - 1)))
        spans = [self._axis_span(axis, coefficient) for axis, coefficient in form.coefficients]
        known = [span for span in spans if span is not None]
        if len(known) == len(spans):
            found.append(sum(known, ZERO))
        return found

    def _spans_of_guarded(self, form: LinearForm, cycle: Cycle) -> Iterator[Polynomial]:
        """The same along a row for the threads that come to a loop: `if (threadIdx.x < 8) for (…)`."""
        if [axis for axis, _ in form.coefficients] != [Axis.THREAD_X]:
            return
        known = [self._affine.range_at(value, cycle.header) for value in self._row_indices]
        width = min((one.high - one.low for one in known), default=MAX_BLOCK_THREADS)
        span = self._over(form.coefficient(Axis.THREAD_X), number(width))
        if span is not None:
            yield span

    @cached_property
    def _row_indices(self) -> list[ValueId]:
        items = (item for block in self._function.blocks for item in block.instructions)
        return [
            item.result for item in items if isinstance(item, ReadSpecial) and item.register is SpecialRegister.THREAD_X
        ]

    def _axis_span(self, axis: Axis, coefficient: Polynomial) -> Polynomial | None:
        """By how much threads of the block differ along one axis at most."""
        most = number(self._divergence.launch.warp_size - 1) if axis is Axis.LANE else self._extent(axis) - ONE
        return self._over(coefficient, most)

    def _over(self, coefficient: Polynomial, most: Polynomial) -> Polynomial | None:
        if self._is_at_least(coefficient, ZERO):
            return coefficient * most
        return -coefficient * most if self._is_at_least(ZERO, coefficient) else None

    def _extent(self, axis: Axis) -> Polynomial:
        shapes = self._divergence.launch.shapes
        lengths = {(shape.x, shape.y, shape.z)[axis] for shape in shapes}
        if not shapes and axis is not Axis.THREAD_X and self._divergence.launch.one_dimensional:
            return ONE
        return number(lengths.pop()) if len(lengths) == 1 else variable(RegisterAtom(EXTENTS[axis]))

    def _is_at_least(self, larger: Polynomial, smaller: Polynomial) -> bool:
        """Is the difference a sum of products that are not negative, each atom counted from its least value?"""
        difference = larger - smaller
        if self._affine.polynomial_range(difference).low >= 0:
            return True
        total = ZERO
        for monomial, factor in difference.terms:
            product = number(factor)
            for atom in monomial:
                product *= variable(atom) + number(self._affine.atom_range(atom).low)
            total += product
        return all(factor >= 0 for _, factor in total.terms)


def _differences(left: LinearForm, right: LinearForm) -> tuple[tuple[Axis, Polynomial], ...]:
    found = ((axis, left.coefficient(axis) - right.coefficient(axis)) for axis in Axis)
    return tuple((axis, coefficient) for axis, coefficient in found if not coefficient.is_zero)


def _coefficient_of(counter: IterationAtom, base: Polynomial) -> Polynomial | None:
    """What one round adds; None where rounds add different numbers."""
    total = ZERO
    for monomial, factor in base.terms:
        if counter in monomial:
            rest = list(monomial)
            rest.remove(counter)
            if counter in rest:
                return None
            total += Polynomial(((tuple(rest), factor),))
    return total


@lru_cache(maxsize=1024)
def _widest(factors: tuple[int, ...], shape: BlockShape, warp: int) -> int:
    """The largest difference within one warp of the block, by what a step along each axis adds."""
    x, y, z, lane = factors
    values = [
        x * (thread % shape.x)
        + y * (thread // shape.x % shape.y)
        + z * (thread // (shape.x * shape.y))
        + lane * (thread % warp)
        for thread in range(shape.threads)
    ]
    warps = (values[start : start + warp] for start in range(0, len(values), warp))
    return max(max(numbers) - min(numbers) for numbers in warps)
