"""What kind of varying branch is this?  "Depends on threadIdx" alone is not a warning.

Grades    ALIGNED         depends on the thread index, but is provably constant inside each warp.
          BOUNDARY        comparisons of a monotone function of the thread index with a uniform value, joined by and,
                          or, not: `i < n`, `tid == 0`, grid-stride loops, 2-D bounds.  One warp per row splits.
                          Also comparisons of sums whose varying terms cancel: `for (i = first; i < first + n; i += m)`.
                          No warp splits there, unless a sum wraps.
          STRUCTURED      a function of thread indices, constants, template arguments and the block shape only, so that
                          the splitting warps can be counted.
          DATA_DEPENDENT  everything else: loads, atomics, opaques.
Contract  None for a branch that is at most block-uniform, and for one that is warp-uniform without depending on a
          thread index (a vote).  Several decisions of one source branch: the worst grade.
Cost      the expression of the condition, once per branch.
Gives up  at values that went through memory or through joins of varying branches: DATA_DEPENDENT.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from enum import Enum, IntEnum
from typing import final

from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, SourceBranchId, ValueId
from analysis.ir.instructions import (
    Binary,
    Bitcast,
    Branch,
    Compare,
    Constant,
    Convert,
    Instruction,
    Math,
    Phi,
    ReadSpecial,
    Select,
    Switch,
    TemplateArgument,
    Unary,
)
from analysis.ir.operators import BinaryOperator, MathFunction, SpecialRegister, UnaryOperator
from analysis.ir.types import BooleanType, IntegerType


class Grade(Enum):
    ALIGNED = "aligned"
    BOUNDARY = "boundary"
    STRUCTURED = "structured"
    DATA_DEPENDENT = "data-dependent"


ORDER = (Grade.ALIGNED, Grade.BOUNDARY, Grade.STRUCTURED, Grade.DATA_DEPENDENT)

THREAD_INDICES = frozenset(
    {SpecialRegister.THREAD_X, SpecialRegister.THREAD_Y, SpecialRegister.THREAD_Z, SpecialRegister.LANE}
)
STRUCTURE_REGISTERS = THREAD_INDICES | {
    SpecialRegister.BLOCK_DIM_X,
    SpecialRegister.BLOCK_DIM_Y,
    SpecialRegister.BLOCK_DIM_Z,
    SpecialRegister.WARP_SIZE,
    SpecialRegister.LANE_MASK_EQUAL,
    SpecialRegister.LANE_MASK_LESS,
    SpecialRegister.LANE_MASK_LESS_EQUAL,
    SpecialRegister.LANE_MASK_GREATER,
    SpecialRegister.LANE_MASK_GREATER_EQUAL,
}

ALIGNING_REGISTERS = THREAD_INDICES | {SpecialRegister.WARP_INDEX}
THROUGH = (Binary, Compare, Unary, Convert, Select, Math, Phi)
MAX_LOOKS = 400
"""How many values of one condition are looked at before it counts as data-dependent."""


def grade_branch(
    function: Function, control: ControlFlow, divergence: DivergenceResult, branch: SourceBranchId
) -> Grade | None:
    if divergence.branch_level(branch) < Level.WARP:
        return None
    grader = _Grader(function, control, divergence)
    worst: Grade | None = None
    for block, condition in divergence.branch_sites(branch):
        if condition is None:
            terminator = function.blocks[block].terminator
            assert isinstance(terminator, Branch | Switch)
            level, condition = divergence.terminator_level(block), terminator.operands[0]
        else:
            level = divergence.use_level(condition, block)
        grade = grader.grade(condition, block, level)
        if grade is not None and (worst is None or ORDER.index(grade) > ORDER.index(worst)):
            worst = grade
    return worst


class _Form(IntEnum):
    """How a value depends on the thread index."""

    UNIFORM = 0
    MONOTONE = 1
    OTHER = 2


@final
class _Grader:
    def __init__(self, function: Function, control: ControlFlow, divergence: DivergenceResult) -> None:
        self._control = control
        self._divergence = divergence
        self._types = function.types
        self._looks = 0

    def grade(self, condition: ValueId, block: BasicBlockId, level: Level) -> Grade | None:
        self._looks = 0
        if level < Level.WARP:
            return None
        if level is Level.WARP:
            return Grade.ALIGNED if self._mentions_index(condition) else None
        if self._divergence.level(condition) is Level.VARYING and self._is_bounds_check(condition, block):
            return Grade.BOUNDARY
        return Grade.STRUCTURED if self._is_structured(condition) else Grade.DATA_DEPENDENT

    # -- aligned ----------------------------------------------------------------------------------------------------

    def _mentions_index(self, condition: ValueId) -> bool:
        for item in self._slice(condition):
            if isinstance(item, ReadSpecial) and item.register in ALIGNING_REGISTERS:
                return True
        return False

    def _slice(self, condition: ValueId) -> Iterator[Instruction | Phi | None]:
        """What the condition is computed from, through arithmetic and phis; None for a parameter."""
        seen = {condition}
        waiting = [condition]
        while waiting:
            item = self._divergence.definition(waiting.pop())
            yield item
            if isinstance(item, THROUGH):
                new = [operand for operand in item.operands if operand not in seen]
                seen.update(new)
                waiting.extend(new)

    # -- boundary ---------------------------------------------------------------------------------------------------

    def _is_bounds_check(self, condition: ValueId, block: BasicBlockId) -> bool:
        self._looks += 1
        if self._looks > MAX_LOOKS:
            return False
        if self._divergence.use_level(condition, block) <= Level.WARP:
            return True
        logical = {BinaryOperator.LOGICAL_AND, BinaryOperator.LOGICAL_OR, BinaryOperator.AND, BinaryOperator.OR}
        match self._divergence.definition(condition):
            case Compare(left=left, right=right):
                forms = {self._form(left, block, frozenset()), self._form(right, block, frozenset())}
                return forms == {_Form.UNIFORM, _Form.MONOTONE} or self._differs_by_one_number(left, right, block)
            case Binary(operator=operator, operands=operands) if operator in logical:
                return isinstance(self._types[condition], BooleanType) and all(
                    self._is_bounds_check(operand, block) for operand in operands
                )
            case Unary(operator=UnaryOperator.LOGICAL_NOT, operand=operand):
                return self._is_bounds_check(operand, block)
            case Convert(operand=operand) if isinstance(self._types[operand], BooleanType):
                return self._is_bounds_check(operand, block)
            case Select(operands=operands) if isinstance(self._types[condition], BooleanType):
                return all(self._is_bounds_check(operand, block) for operand in operands)
            case _:
                return False

    def _form(self, value: ValueId, block: BasicBlockId, around: frozenset[ValueId]) -> _Form:
        """`around`: the phis being looked at, assumed monotone."""
        self._looks += 1
        if self._looks > MAX_LOOKS:
            return _Form.OTHER
        if value in around:
            return _Form.MONOTONE
        if self._divergence.use_level(value, block) <= Level.WARP:
            return _Form.UNIFORM
        match self._divergence.definition(value):
            case ReadSpecial(register=register) if register in THREAD_INDICES:
                return _Form.MONOTONE
            case Convert(operand=operand) | Bitcast(operand=operand):
                return self._form(operand, block, around)
            case Binary(operator=operator, left=left, right=right):
                first, second = self._form(left, block, around), self._form(right, block, around)
                match operator:
                    case BinaryOperator.ADD | BinaryOperator.SUBTRACT:
                        return max(first, second)
                    case BinaryOperator.MULTIPLY:
                        return max(first, second) if _Form.UNIFORM in (first, second) else _Form.OTHER
                    case BinaryOperator.DIVIDE | BinaryOperator.SHIFT_LEFT | BinaryOperator.SHIFT_RIGHT:
                        return first if second is _Form.UNIFORM else _Form.OTHER
                    case _:
                        return _Form.OTHER
            case Math(function=MathFunction.MINIMUM | MathFunction.MAXIMUM, arguments=arguments):
                return max(self._form(argument, block, around) for argument in arguments)
            case Phi(incoming=incoming) if self._is_header(value):
                return max(self._form(operand, block, around | {value}) for _, operand in incoming)
            case _:
                return _Form.OTHER

    def _differs_by_one_number(self, left: ValueId, right: ValueId, block: BasicBlockId) -> bool:
        """Whether all that varies in a warp cancels in `left - right`."""
        if not isinstance(self._types[left], IntegerType):
            return False  # a floating-point number may differ from itself
        terms = self._terms(left, block)
        terms.subtract(self._terms(right, block))
        return not any(terms.values())

    def _terms(self, value: ValueId, block: BasicBlockId) -> Counter[ValueId]:
        """The terms of a sum that vary in a warp, each with its factor."""
        self._looks += 1
        if self._looks > MAX_LOOKS:
            return Counter({value: 1})
        if self._divergence.use_level(value, block) <= Level.WARP:
            return Counter()
        match self._divergence.definition(value):
            case Binary(operator=BinaryOperator.ADD | BinaryOperator.SUBTRACT as operator, left=left, right=right):
                terms = self._terms(left, block)
                combine = terms.update if operator is BinaryOperator.ADD else terms.subtract
                combine(self._terms(right, block))
                return terms
            case Phi() as phi if (start := self._start(phi, block)) is not None:
                return self._terms(start, block)
            case _:
                return Counter({value: 1})

    def _start(self, phi: Phi, block: BasicBlockId) -> ValueId | None:
        """What the loop around `block` counts from with `phi`, if every round adds what agrees in the warp.

        It is defined before the loop, so inside it means the same number all the time.  Behind the loop the phi is of
        different rounds, and on different ways back threads would take different steps.
        """
        home = self._divergence.home(phi.result)
        cycle = self._control.innermost_cycle(home)
        if cycle is None or cycle.header != home or block not in cycle.blocks or not cycle.reducible:
            return None
        back = {value for source, value in phi.incoming if source in cycle.blocks}
        starts = {value for source, value in phi.incoming if source not in cycle.blocks}
        if len(starts) != 1 or len(back) != 1 or not self._is_step(back.pop(), phi.result):
            return None
        return starts.pop()

    def _is_step(self, value: ValueId, phi: ValueId) -> bool:
        """Whether `value` is `phi` plus or minus something that agrees in the warp."""
        match self._divergence.definition(value):
            case Binary(operator=BinaryOperator.ADD | BinaryOperator.SUBTRACT as operator, left=left, right=right):
                if left != phi and operator is BinaryOperator.ADD:
                    left, right = right, left
                return left == phi and self._divergence.use_level(right, self._divergence.home(value)) <= Level.WARP
            case _:
                return False

    def _is_header(self, phi: ValueId) -> bool:
        home = self._divergence.home(phi)
        cycle = self._control.innermost_cycle(home)
        return cycle is not None and cycle.header == home

    # -- structured -------------------------------------------------------------------------------------------------

    def _is_structured(self, condition: ValueId) -> bool:
        return all(item is not None and self._is_structure(item) for item in self._slice(condition))

    def _is_structure(self, item: Instruction | Phi) -> bool:
        match item:
            case ReadSpecial(register=register):
                return register in STRUCTURE_REGISTERS
            case Phi(result=result):
                # A uniform induction variable of constants (`for (s = 1; s < 32; s *= 2)`), not a varying join.
                return self._divergence.level(result) <= Level.WARP
            case _:
                return isinstance(item, (Constant, TemplateArgument, *THROUGH))
