"""A plain write of one thread and an atomic of another at an address from memory: `h[t] = 0; atomicAdd(&h[in[i]], 1);`.

Nobody can be followed to where memory leads.  But an atomic says that its author expects several threads at one place,
so any thread may come to what another one writes plainly, unless something keeps them apart:

  - they stand on ways of which a thread takes one only (neither is certain to come before or behind the other);
  - each way between them passes `__syncwarp()`: an array may belong to one warp.

Barriers of the block and linear forms are looked at before (`intervals.py`, `disjoint.py`).
"""

from __future__ import annotations

from analysis.access.model import AccessKind
from analysis.graph.control_flow import ControlFlow
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import Instruction, WarpBarrier
from analysis.ir.pace import popped
from analysis.races.model import MemoryUse
from analysis.races.program import Program


def is_scattered_over(control: ControlFlow, program: Program, one: MemoryUse, other: MemoryUse) -> bool:
    """Is one a plain write, the other an atomic that memory leads anywhere in the same array, with nothing between?"""
    write, atomic = (one, other) if one.kind is AccessKind.STORE else (other, one)
    if write.kind is not AccessKind.STORE or atomic.kind is not AccessKind.ATOMIC or write.is_volatile:
        return False
    if write.variable is None or write.variable != atomic.variable:
        return False
    if not program.can_be_seen(write) or not program.is_followed_to(atomic):
        return False
    blocks = write.block, atomic.block
    follow = any(control.dominates(*pair) or control.post_dominates(*pair) for pair in (blocks, blocks[::-1]))
    return follow and (_leads_on(control, write, atomic) or _leads_on(control, atomic, write))


def _leads_on(control: ControlFlow, one: MemoryUse, other: MemoryUse) -> bool:
    """Is there a way from one to the other without `__syncwarp()`?"""
    first = control.function.blocks[one.block].instructions
    if one.block == other.block and one.index < other.index:
        return not _synchronizes(first[one.index : other.index])
    if _synchronizes(first[one.index :]):
        return False
    waiting: list[BasicBlockId] = [*control.successors[one.block]]
    seen = set(waiting)
    for block in popped(waiting):
        instructions = control.function.blocks[block].instructions
        if block == other.block and not _synchronizes(instructions[: other.index]):
            return True
        if not _synchronizes(instructions):
            waiting += [after for after in control.successors[block] if after not in seen]
            seen.update(waiting)
    return False


def _synchronizes(instructions: tuple[Instruction, ...]) -> bool:
    return any(isinstance(instruction, WarpBarrier) for instruction in instructions)
