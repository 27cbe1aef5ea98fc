"""What kind of varying branch is this?  "Depends on threadIdx" alone is not a warning.

Grades    ALIGNED         depends on the thread index, but is provably constant inside each warp.
          BOUNDARY        comparisons of a monotone function of the thread index with a uniform value, joined by and,
                          or, not: `i < n`, `tid == 0`, grid-stride loops, 2-D bounds.  One warp per row splits.
          STRUCTURED      a function of thread indices, constants, template arguments and the block shape only, so that
                          the splitting warps can be counted.
          DATA_DEPENDENT  everything else: loads, atomics, opaques.
Contract  None for a branch that is at most block-uniform, and for one that is warp-uniform without depending on a
          thread index (a vote).  Several decisions of one source branch: the worst grade.
Cost      the expression of the condition, once per branch.
Gives up  at values that went through memory or through joins of varying branches: DATA_DEPENDENT.
"""

from __future__ import annotations

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
from analysis.ir.types import BooleanType


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
        self._definition: dict[ValueId, Instruction | Phi] = {}
        self._home: dict[ValueId, BasicBlockId] = {}
        for block in control.order:
            for item in (*function.blocks[block].phis, *function.blocks[block].instructions):
                if item.result is not None:
                    self._definition[item.result] = item
                    self._home[item.result] = block

    def grade(self, condition: ValueId, block: BasicBlockId, level: Level) -> Grade | None:
        if level < Level.WARP:
            return None
        if level is Level.WARP:
            return Grade.ALIGNED if self._mentions_index(condition, set()) else None
        if self._divergence.level(condition) is Level.VARYING and self._is_bounds_check(condition, block):
            return Grade.BOUNDARY
        return Grade.STRUCTURED if self._is_structured(condition, set()) else Grade.DATA_DEPENDENT

    # -- aligned ----------------------------------------------------------------------------------------------------

    def _mentions_index(self, value: ValueId, seen: set[ValueId]) -> bool:
        if value in seen:
            return False
        seen.add(value)
        match self._definition.get(value):
            case ReadSpecial(register=register):
                return register in THREAD_INDICES or register is SpecialRegister.WARP_INDEX
            case Binary() | Compare() | Unary() | Convert() | Select() | Math() | Phi() as item:
                return any(self._mentions_index(operand, seen) for operand in item.operands)
            case _:
                return False

    # -- boundary ---------------------------------------------------------------------------------------------------

    def _is_bounds_check(self, condition: ValueId, block: BasicBlockId) -> bool:
        if self._divergence.use_level(condition, block) <= Level.WARP:
            return True
        logical = {BinaryOperator.LOGICAL_AND, BinaryOperator.LOGICAL_OR, BinaryOperator.AND, BinaryOperator.OR}
        match self._definition.get(condition):
            case Compare(left=left, right=right):
                forms = {self._form(left, block, frozenset()), self._form(right, block, frozenset())}
                return forms == {_Form.UNIFORM, _Form.MONOTONE}
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
        if value in around:
            return _Form.MONOTONE
        if self._divergence.use_level(value, block) <= Level.WARP:
            return _Form.UNIFORM
        match self._definition.get(value):
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

    def _is_header(self, phi: ValueId) -> bool:
        home = self._home[phi]
        cycle = self._control.innermost_cycle(home)
        return cycle is not None and cycle.header == home

    # -- structured -------------------------------------------------------------------------------------------------

    def _is_structured(self, value: ValueId, seen: set[ValueId]) -> bool:
        if value in seen:
            return True
        seen.add(value)
        match self._definition.get(value):
            case Constant() | TemplateArgument():
                return True
            case ReadSpecial(register=register):
                return register in STRUCTURE_REGISTERS
            case Binary() | Compare() | Unary() | Convert() | Select() | Math() as item:
                return all(self._is_structured(operand, seen) for operand in item.operands)
            case Phi() as phi:
                # A uniform induction variable of constants (`for (s = 1; s < 32; s *= 2)`), not a varying join.
                uniform = self._divergence.level(phi.result) <= Level.WARP
                return uniform and all(self._is_structured(operand, seen) for operand in phi.operands)
            case _:
                return False
