"""Which blocks does no launch reach, because every launch passes the same for an argument?

Question  `if (mask) … else …`, and all launches of the project pass `nullptr`: one arm is never run.
Rules     A parameter holds what all launches pass alike; constants and what is computed from both are followed, and a
          branch on a number goes one way.  Whatever else decides goes all ways.
          It is used for prices alone: the program that passes something else tomorrow must stay correct.
Cost      O(blocks) where some argument is known, and at most `MAX_STEPS` instructions for each branch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, final

from analysis.divergence import integers
from analysis.divergence.launch_shape import BlockShape, MemberNumbers
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import ENTRY, Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Binary,
    Bitcast,
    Branch,
    Compare,
    Constant,
    Convert,
    Instruction,
    Phi,
    Select,
    Switch,
    Unary,
)
from analysis.ir.object_members import numbers_of_members
from analysis.ir.operators import BinaryOperator
from analysis.ir.types import BooleanType, IntegerType, PointerType, Type
from analysis.verdict.evaluation import LaunchedBlock, evaluator

MAX_STEPS: Final = 40
_NOWHERE: Final = LaunchedBlock(BlockShape(1), 0, 1, {})
"""What is followed reads nothing of the launch."""


def unreached_blocks(
    function: Function,
    control: ControlFlow,
    divergence: DivergenceResult,
    passed: Mapping[int, int],
    members: MemberNumbers = (),
) -> frozenset[BasicBlockId]:
    """`passed`: by the position of a parameter what every launch passes; `members`: in the objects that it passes."""
    given = {
        parameter.value: number
        for position, parameter in enumerate(function.parameters)
        if (number := _held(passed.get(position), function.types[parameter.value])) is not None
    }
    given |= numbers_of_members(function, members)
    if not given:
        return frozenset()
    numbers = _Numbers(function, divergence, given)
    seen, waiting = {ENTRY}, [ENTRY]
    while waiting:
        block = waiting.pop()
        for successor in _ways(function, control, block, numbers):
            if successor not in seen:
                seen.add(successor)
                waiting.append(successor)
    return frozenset(block for block in control.order if block not in seen)


def _held(number: int | None, type_: Type) -> int | None:
    """What a parameter of the type holds that is passed a number."""
    match type_:
        case IntegerType() | BooleanType():
            return None if number is None else integers.wrap(number, type_)
        case PointerType():
            return number if number == 0 else None
        case _:
            return None


def _ways(function: Function, control: ControlFlow, block: BasicBlockId, numbers: _Numbers) -> tuple[BasicBlockId, ...]:
    terminator = function.blocks[block].terminator
    match terminator:
        case Branch(condition=condition, if_true=if_true, if_false=if_false):
            number = numbers.of(condition)
            if number is not None:
                return (if_true if number else if_false,)
        case Switch(value=value, cases=cases, default=default) if all(case.value is not None for case in cases):
            number = numbers.of(value)
            if number is not None:
                return (next((case.target for case in cases if case.value == number), default),)
        case _:
            pass
    return tuple(control.successors[block])


@final
class _Numbers:
    """What values are, as far as it follows from the arguments."""

    def __init__(self, function: Function, divergence: DivergenceResult, given: Mapping[ValueId, int]) -> None:
        self._function = function
        self._divergence = divergence
        self._known: dict[ValueId, int | None] = dict(given)
        self._steps = 0

    def of(self, value: ValueId) -> int | None:
        self._steps = 0
        return self._find(value)

    def _find(self, value: ValueId) -> int | None:
        if value not in self._known:
            self._steps += 1
            if self._steps > MAX_STEPS:
                return None
            self._known[value] = self._evaluated(value, self._divergence.definition(value))
        return self._known[value]

    def _evaluated(self, value: ValueId, item: Instruction | Phi | None) -> int | None:
        type_ = self._function.types[value]
        match item:
            case Constant(value=0) if isinstance(type_, PointerType):
                return 0
            case Convert(operand=operand) | Bitcast(operand=operand) if isinstance(type_, PointerType):
                return _held(self._find(operand), type_)
            case Binary(operator=BinaryOperator.LOGICAL_AND | BinaryOperator.LOGICAL_OR, left=left, right=right):
                decides = int(item.operator is BinaryOperator.LOGICAL_OR)
                first, second = self._find(left), self._find(right)
                if decides in (first, second):
                    return decides
                return None if None in (first, second) else 1 - decides
            case Constant() | Binary() | Compare() | Convert() | Select() | Unary() if isinstance(
                type_, IntegerType | BooleanType
            ):
                known = {operand: self._find(operand) for operand in item.operands}
                numbers = {operand: number for operand, number in known.items() if number is not None}
                return evaluator(item, type_)(numbers, _NOWHERE, 0)
            case _:
                return None
