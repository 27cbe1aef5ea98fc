"""The loops in which a thread may wait for another one.

    while (atomicCAS(lock, 0, 1) != 0) {}        polls: whether it goes on depends on what others write
    for (i = 0; i < n; ++i) atomicAdd(sum, 1)    does not: the result decides nothing

A loop polls if a branch in it depends on something read in it that another thread may write: the old value of an
atomic, a volatile load, a load in a loop with a fence; or on a call or opaque code.  A plain load does not count: a
compiler may hoist it, so no correct program waits for it.
Policies that promise progress let others go first for a while only where these poll, and without limit elsewhere.
"""

from __future__ import annotations

from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Atomic,
    Branch,
    Call,
    DeviceLaunch,
    Fence,
    Instruction,
    Load,
    Opaque,
    PhaseWait,
    Phi,
    Switch,
)


def polling_blocks(function: Function) -> frozenset[BasicBlockId]:
    """The blocks of the loops that poll, with everything inside these loops."""
    if not any(_may_change(instruction, fenced=True) for _, instruction in function.instructions()):
        return frozenset()
    control = ControlFlow.of(function)
    found: set[BasicBlockId] = set()
    for cycle in control.cycles:
        if _polls(function, control, cycle):
            found |= cycle.blocks
    return frozenset(found)


def _polls(function: Function, control: ControlFlow, cycle: Cycle) -> bool:
    definitions: dict[ValueId, Instruction | Phi] = {}
    conditions: list[ValueId] = []
    fenced = False
    for block in cycle.blocks:
        body = function.blocks[block]
        definitions |= {item.result: item for item in (*body.phis, *body.instructions) if item.result is not None}
        fenced |= any(isinstance(instruction, Fence) for instruction in body.instructions)
        innermost = control.innermost_cycle(block)
        is_own = innermost is not None and innermost.id == cycle.id
        if is_own or not cycle.blocks.issuperset(control.successors[block]):
            terminator = body.terminator
            if isinstance(terminator, Branch):
                conditions.append(terminator.condition)
            elif isinstance(terminator, Switch):
                conditions.append(terminator.value)
    seen: set[ValueId] = set()
    while conditions:
        value = conditions.pop()
        if value in seen or value not in definitions:
            continue
        seen.add(value)
        item = definitions[value]
        if isinstance(item, Phi):
            conditions += [incoming for _, incoming in item.incoming]
        elif _may_change(item, fenced):
            return True
        else:
            conditions += item.operands
    return False


def _may_change(item: Instruction, fenced: bool) -> bool:
    match item:
        case Atomic() | Call() | DeviceLaunch() | Opaque() | PhaseWait():
            return True
        case Load(volatile=volatile):
            return volatile or fenced
        case _:
            return False
