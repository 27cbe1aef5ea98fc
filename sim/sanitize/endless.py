"""Loops that a run which was cut off would not have left.

Question  Threads came to a place from which no path leads out of the function: will the kernel ever end?
Rules     Conditions that are constants decide, and so does what a type cannot be (`unsigned >= 0`).  A thread that is
          in a block from which the end cannot be reached stays there: the fault of the kernel, whatever was chosen.
          Else, a loop that threads went round more than `MANY` times on the average is told as a note: it may be long,
          or have no end (a counter that passes the number that it is compared with).
Cost      O(blocks + edges) for each run that was cut off.
Limits    A loop that ends by leaving the kernel in a function that is called is taken for endless only if that
          function is inlined and has no way out either: a call that stays in place is expected to come back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final

from analysis.ir.function import Function
from analysis.ir.instructions import (
    BasicBlockId,
    Branch,
    Compare,
    Constant,
    Convert,
    Instruction,
    Opaque,
    Return,
    Trap,
    ValueId,
)
from analysis.ir.operators import CompareOperator
from analysis.ir.source import Span
from analysis.ir.types import IntegerType
from sim.kernel import Kernel
from sim.report.model import FaultReport
from sim.report.places import SourcePlaces
from sim.result import InstructionCount, Result

MANY: Final = 10_000
KIND: Final = "livelock"


def endless_loops(kernel: Kernel, result: Result, places: SourcePlaces) -> Iterator[FaultReport]:
    """Of a run that was cut off; one for each function that threads cannot leave, or the busiest loop."""
    proven = list(_proven(kernel, result))
    for count in proven:
        message = "no condition ends this loop: threads that come here never leave it"
        yield _report(count, message, places, is_note=False)
    if not proven and result.instructions:
        most = max(result.instructions, key=lambda one: one.warp_instructions)
        rounds = most.warp_instructions // max(1, _warps(result))
        if rounds > MANY:
            message = f"a loop went round here {rounds:,} times for each warp when the run was cut off: does it end?"
            yield _report(most, message, places, is_note=True)


def never_ends(kernel: Kernel, result: Result) -> bool:
    """Whether that is proven of a run that was cut off."""
    return any(True for _ in _proven(kernel, result))


def _proven(kernel: Kernel, result: Result) -> Iterator[InstructionCount]:
    """The busiest place in each function from which threads cannot come out."""
    ran = {(one.function, one.span): one for one in result.instructions if one.warp_instructions}
    for function in (kernel.function, *kernel.callees.values()):
        busiest = _busiest(function, ran, _without_end(function))
        if busiest is not None:
            yield busiest


def _warps(result: Result) -> int:
    (a, b, c), (x, y, z) = result.grid, result.block
    return a * b * c * -(-x * y * z // result.warp_size)


def _report(count: InstructionCount, message: str, places: SourcePlaces, *, is_note: bool) -> FaultReport:
    return FaultReport(
        kind=KIND,
        place=places.place(count.function, count.span),
        block=(0, 0, 0),
        thread=(0, 0, 0),
        count=count.thread_instructions // max(1, count.warp_instructions),
        message=message,
        is_note=is_note,
    )


def _busiest(
    function: Function, ran: Mapping[tuple[str, Span], InstructionCount], endless: Set[BasicBlockId]
) -> InstructionCount | None:
    """The place that ran most often of those that stand in such blocks alone."""
    inside = {one.span for block in endless for one in function.blocks[block].instructions}
    for number, block in enumerate(function.blocks):
        if number not in endless:
            inside.difference_update(one.span for one in block.instructions)
    found = [ran[key] for span in inside if (key := (str(function.id), span)) in ran]
    return max(found, key=lambda one: (one.warp_instructions, -one.span.start), default=None)


def _without_end(function: Function) -> Set[BasicBlockId]:
    """Blocks that can be reached and from which no end of the function can."""
    after = [_successors(function, BasicBlockId(number)) for number in range(len(function.blocks))]
    before: list[list[int]] = [[] for _ in after]
    for number, others in enumerate(after):
        for other in others:
            before[other].append(number)
    ends = [number for number, block in enumerate(function.blocks) if _may_end(block.terminator, block.instructions)]
    can_end = _reached(ends, before)
    return {BasicBlockId(number) for number in _reached([0], after) if number not in can_end}


def _may_end(terminator: object, instructions: Sequence[Instruction]) -> bool:
    """Assembly may be `exit`; a call of something unknown may trap."""
    return isinstance(terminator, Return | Trap) or any(isinstance(one, Opaque) for one in instructions)


def _reached(starts: Sequence[int], edges: Sequence[Sequence[int]]) -> set[int]:
    found = set(starts)
    pending = list(starts)
    while pending:
        for other in edges[pending.pop()]:
            if other not in found:
                found.add(other)
                pending.append(other)
    return found


def _successors(function: Function, block: BasicBlockId) -> Sequence[BasicBlockId]:
    terminator = function.blocks[block].terminator
    if isinstance(terminator, Branch):
        known = _constant(function, terminator.condition)
        if known is not None:
            return (terminator.if_true if known else terminator.if_false,)
    return terminator.successors


def _constant(function: Function, condition: ValueId) -> bool | None:
    defined = _definition(function, condition)
    match defined:
        case Constant(value=bool() | int() as value):
            return bool(value)
        case Compare(operator=CompareOperator.GREATER_EQUAL, left=left, right=right) if _is_zero(function, right):
            type = function.types[left]
            return True if isinstance(type, IntegerType) and not type.signed else None
        case _:
            return None


def _is_zero(function: Function, value: ValueId) -> bool:
    match _definition(function, value):
        case Constant(value=number):
            return number == 0
        case Convert(operand=operand):
            return _is_zero(function, operand)
        case _:
            return False


def _definition(function: Function, value: ValueId) -> Instruction | None:
    return next((one for _, one in function.instructions() if one.result == value), None)
