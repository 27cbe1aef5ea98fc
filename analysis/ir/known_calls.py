"""Calls of functions that were to be chosen at run time, where the choice is known after all.

Question  Which arm of a switch over functions runs, if the pointer is a constant, perhaps since its function was
          inlined into one that passes the name of a function?
Rules     A switch that stands for a call (`SourceBranchKind.CALL`) on a constant becomes a jump, and an assertion on a
          comparison of two constants that holds goes.  No branch of the programmer's is touched.
Cost      O(instructions), only of functions with such calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from analysis.ir.function import BasicBlock, Function, SourceBranchKind
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Assert, Binary, Compare, Constant, Convert, Instruction, Jump, Switch
from analysis.ir.operators import BinaryOperator, CompareOperator


def chooses_calls(function: Function) -> bool:
    """Whether it calls a function that is chosen at run time."""
    return any(branch.kind is SourceBranchKind.CALL for branch in function.branches)


def choices_of_calls(function: Function) -> Iterator[tuple[ValueId, tuple[int, ...]]]:
    """What decides which function a call runs, and the numbers of those that it may run."""
    if not chooses_calls(function):
        return
    defined = {instruction.result: instruction for _, instruction in function.instructions()}
    for block in function.blocks:
        ending = block.terminator
        if isinstance(ending, Switch) and _is_choice(function, ending):
            yield ending.value, tuple(case.value for case in ending.cases if case.value is not None)
        for one in block.instructions:
            for compare in _tests(defined, one.condition) if isinstance(one, Assert) and one.of_callee else ():
                number = _number(defined, compare.right)
                if number is not None:
                    yield compare.left, (number,)


def with_known_calls(function: Function) -> Function:
    """The function without choices that are none; the same object where there are no such."""
    if not chooses_calls(function):
        return function
    defined = {instruction.result: instruction for _, instruction in function.instructions()}
    blocks = tuple(_block(function, block, defined) for block in function.blocks)
    if all(one is other for one, other in zip(blocks, function.blocks, strict=True)):
        return function
    return replace(function, blocks=blocks)


def _block(function: Function, block: BasicBlock, defined: Mapping[ValueId | None, Instruction]) -> BasicBlock:
    ending = block.terminator
    if isinstance(ending, Switch) and _is_choice(function, ending):
        number = _number(defined, ending.value)
        if number is not None:
            target = next((case.target for case in ending.cases if case.value == number), ending.default)
            block = replace(block, terminator=Jump(target, ending.span))
    kept = [one for one in block.instructions if not _is_idle(defined, one)]
    return block if len(kept) == len(block.instructions) else replace(block, instructions=tuple(kept))


def _is_choice(function: Function, switch: Switch) -> bool:
    return switch.branch is not None and function.branches[switch.branch].kind is SourceBranchKind.CALL


def _is_idle(defined: Mapping[ValueId | None, Instruction], instruction: Instruction) -> bool:
    """Whether it asserts of a function that is known that it is that one."""
    if not isinstance(instruction, Assert) or not instruction.of_callee:
        return False
    tests = _tests(defined, instruction.condition)
    pairs = ((_number(defined, test.left), _number(defined, test.right)) for test in tests)
    return any(number is not None and number == other for number, other in pairs)


def _tests(defined: Mapping[ValueId | None, Instruction], condition: ValueId) -> Iterator[Compare]:
    """The tests for equality of which one has to hold."""
    found = defined.get(condition)
    if isinstance(found, Binary) and found.operator is BinaryOperator.LOGICAL_OR:
        yield from _tests(defined, found.left)
        yield from _tests(defined, found.right)
    elif isinstance(found, Compare) and found.operator is CompareOperator.EQUAL:
        yield found


def _number(defined: Mapping[ValueId | None, Instruction], value: ValueId) -> int | None:
    found = defined.get(value)
    if isinstance(found, Convert):
        found = defined.get(found.operand)
    return found.value if isinstance(found, Constant) and type(found.value) is int else None
