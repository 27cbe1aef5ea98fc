"""Speculative execution: cheap instructions without effects leave conditional blocks for the branch in front of them.

Why       what only one side of a branch computes dominates nothing behind the join; in front of the branch it does, and
          the other transformations find it.  What is left in the block may be short enough for predicates.
Moves     out of a block that only one branch leads to, in the same loop, all that cannot fail: no memory, no divisions.
Limit     `MOST` instructions' worth for each block, as LLVM has it: who skips the block pays for them.
Source    Wu et al., CGO 2016, section 3.5; LLVM, SpeculativeExecution.cpp.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import (
    Binary,
    Bitcast,
    Branch,
    Compare,
    Convert,
    ElementAddress,
    FieldAddress,
    Instruction,
    Select,
    Switch,
    Unary,
)
from analysis.ir.operators import BinaryOperator
from analysis.straightline.code import Code

MOST: Final = 7
_CHEAP: Final = (Bitcast, Compare, Convert, ElementAddress, FieldAddress, Unary)


def speculate(code: Code, price: Callable[[Instruction], int]) -> bool:
    """Moves what may be moved; whether anything was."""
    found = False
    for block in code.preorder:
        above = _only_branch_before(code, block)
        if above is None:
            continue
        moved = _movable(code, block, above, price)
        if moved:
            found = True
            results = {one.result for one in moved}
            code.blocks[above] += moved
            code.blocks[block] = [one for one in code.blocks[block] if one.result not in results]
            for one in moved:
                code.define(one, above)
    return found


def _only_branch_before(code: Code, block: BasicBlockId) -> BasicBlockId | None:
    before = code.control.predecessors[block]
    if len(before) != 1 or code.phis[block]:
        return None
    above = BasicBlockId(before[0])
    inner, outer = code.control.innermost_cycle(block), code.control.innermost_cycle(above)
    is_same_loop = (None if inner is None else inner.id) == (None if outer is None else outer.id)
    return above if is_same_loop and isinstance(code.terminators[above], Branch | Switch) else None


def _movable(
    code: Code, block: BasicBlockId, above: BasicBlockId, price: Callable[[Instruction], int]
) -> list[Instruction]:
    """In order, until the limit is reached; what reads something that stays, stays."""
    moved: list[Instruction] = []
    staying = {one.result for one in code.blocks[block] if one.result is not None}
    spent = 0
    for instruction in code.blocks[block]:
        if instruction.result is None or not _cannot_fail(instruction) or not staying.isdisjoint(instruction.operands):
            continue
        cost = price(instruction)
        if spent + cost > MOST:
            continue
        spent += cost
        moved.append(instruction)
        staying.discard(instruction.result)
    return moved


def _cannot_fail(instruction: Instruction) -> bool:
    match instruction:
        case Binary(operator=operator):
            return operator not in (BinaryOperator.DIVIDE, BinaryOperator.REMAINDER)
        case Select(branch=branch):
            return branch is None
        case _:
            return isinstance(instruction, _CHEAP)
