"""Loads that may see another thread's progress although the program is free of races.

Question  A load from one address gives one value to all threads of a dynamic instance if nobody may write in between.
          Race freedom grants that as long as threads are ordered by block and grid barriers alone.  A thread that
          *waits* in another way (spins on a flag, takes a lock) may read after a write that another thread of the same
          instance reads before, and both are ordered: no race, two values.  Which loads are that?
Words     Observers are values through which a thread learns what others did: results of atomics, volatile loads,
          results of opaque code.  Knowledge flows as divergence does: through data, into phis behind branches, out of
          loops.
          A branch on such a value makes its dependent blocks *informed* (they run because something was seen: a lock
          was taken), and a loop whose exit depends on one is a *wait*.
Rules     informed   a load in an informed block is VARYING.
          waited     so is a load that a wait reaches without a block barrier in between.  Named barriers, calls and
                     opaque code that may contain a barrier are waits too, and a warp barrier in code that is not
                     convergent for the warp.
          barrier    a block barrier before the load, in the block or on every path from the wait, lowers both to BLOCK:
                     all threads of the block then know what any of them knew; a grid barrier lowers them to GRID.
          block      loads from shared memory and reductions at a barrier are observations of a whole block: they
                     inform at BLOCK, in functions that have an observer at all, and a loop with a barrier in it may
                     wait for them.
Exempt    constant memory and memory of the thread itself.
Why enough  Without a branch on what was observed, a thread cannot make its next load wait for it.  After a branch is
          joined again without a wait, threads that did not see the write have no order with it, so reading what it
          wrote would be a race.
Cost      nothing without observers; else one more fixpoint over the same nodes and a forward data flow over blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import final

from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.levels import LEVELS, Level
from analysis.divergence.nodes import NodeGraph
from analysis.divergence.options import DivergenceOptions
from analysis.divergence.solver import Rule, Solver
from analysis.graph.cycles import Cycle, CycleId
from analysis.ir.function import ENTRY, BasicBlock
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    BlockBarrier,
    Call,
    GridBarrier,
    Instruction,
    Load,
    NamedBarrier,
    Opaque,
    Texture,
    WarpBarrier,
)
from analysis.ir.operators import TextureOperation
from analysis.ir.pace import paced
from analysis.ir.types import MemorySpace, PointerType

VARYING = int(Level.VARYING)
BLOCK = int(Level.BLOCK)

LOADS = frozenset({Load, Texture})
EVENTS = frozenset({BlockBarrier, GridBarrier, NamedBarrier, Call, Opaque, WarpBarrier, *LOADS})
"""The instructions that wait, end a wait, or may see what was waited for."""


def has_waits(graph: NodeGraph) -> bool:
    """Can any wait exist, whatever the levels are?"""
    return graph.waits or bool(graph.observers)


def waiting_loads(graph: NodeGraph, launch: LaunchKnowledge, loose: frozenset[int]) -> dict[int, Level]:
    """The least level of each load (by result) that may see another thread's progress.

    `loose`: the blocks that are not convergent for the warp and hold a warp barrier.
    """
    knowledge = _knowledge(graph, launch)
    events = {block: _events(graph.function.blocks[block]) for block in graph.control.order}
    arriving = _arriving(graph, knowledge, events, loose)
    found: dict[int, Level] = {}
    for block, happening in events.items():
        waited, informed = arriving[block], knowledge[graph.convergence_node(block)]
        for event in happening:
            if isinstance(event, Load | Texture):
                level = max(waited, informed)
                if level and event.result is not None and not _is_exempt(graph, event):
                    found[event.result] = LEVELS[level]
            else:
                waited = _after(event, waited, block in loose)
                if isinstance(event, BlockBarrier | GridBarrier):
                    informed = _after(event, informed, False)
    return found


@final
class Waits:
    """Of one result, for who calls a function from its blocks."""

    def __init__(self, graph: NodeGraph, launch: LaunchKnowledge, loose: frozenset[int]) -> None:
        self._graph = graph
        self._loose = loose
        self._knowledge = _knowledge(graph, launch)
        self._events = {block: _events(graph.function.blocks[block]) for block in graph.control.order}
        self._arriving = _arriving(graph, self._knowledge, self._events, loose)

    def at(self, block: BasicBlockId) -> Level:
        """The most at which threads may know, anywhere in the block, what others did."""
        level = max(self._arriving[block], self._knowledge[self._graph.convergence_node(block)])
        for event in self._events[block]:
            level = max(level, _after(event, level, block in self._loose))
        return LEVELS[level]

    def is_observed(self, value: ValueId) -> bool:
        """May a thread learn from the value what others did?"""
        return self._knowledge[value] > Level.GRID


def _events(block: BasicBlock) -> list[Instruction]:
    return [instruction for instruction in block.instructions if type(instruction) in EVENTS]


def _arriving(
    graph: NodeGraph,
    knowledge: Sequence[int],
    events: Mapping[BasicBlockId, Sequence[Instruction]],
    loose: frozenset[int],
) -> dict[int, int]:
    """The level at which a wait holds at the start of each block."""
    control = graph.control
    pauses = {block: [one for one in happening if type(one) not in LOADS] for block, happening in events.items()}
    waits = {cycle.id: _wait_of(graph, cycle, knowledge[graph.loop_node(cycle.id)]) for cycle in control.cycles}
    arriving: dict[int, int] = dict.fromkeys(control.order, 0)
    arriving[ENTRY] = graph.waited
    changed = True
    while changed:
        changed = False
        for block in paced(control.order):
            leaving = arriving[block]
            for event in pauses[block]:
                leaving = _after(event, leaving, block in loose)
            for target in control.successors[block]:
                new = max(leaving, _left(control.cycles_around(block), target, waits))
                if new > arriving[target]:
                    arriving[target] = new
                    changed = True
    return arriving


def _after(event: Instruction, waited: int, loose: bool) -> int:
    """The level at which a wait holds behind the instruction, where it held at `waited` before."""
    match event:
        case BlockBarrier():
            return min(waited, BLOCK)
        case GridBarrier():
            return 0
        case NamedBarrier(arrive_only=False) | Call() | Opaque(may_contain_barrier=True):
            return VARYING
        case WarpBarrier():
            return VARYING if loose else waited
        case _:
            return waited


def _knowledge(graph: NodeGraph, launch: LaunchKnowledge) -> list[int]:
    """The level at which each node may depend on an observation."""
    solver = Solver(graph, DivergenceOptions(), launch, joins_only=True)
    for value in graph.observers:
        solver.lift(value, VARYING, Rule.SEED, 0)
    if has_waits(graph):
        for value in graph.shared_reads:
            solver.lift(value, BLOCK, Rule.SEED, 0)
    solver.run()
    return solver.level


def _wait_of(graph: NodeGraph, cycle: Cycle, level: int) -> int:
    """What a whole block learns changes only at a barrier, so a loop without one does not wait for it."""
    if level == BLOCK and cycle.blocks.isdisjoint(graph.barrier_blocks):
        return 0
    return level


def _left(around: Iterable[Cycle], target: BasicBlockId, waits: Mapping[CycleId, int]) -> int:
    """The strongest wait that the edge to `target` leaves."""
    level = 0
    for cycle in around:
        if target in cycle.blocks:
            break
        level = max(level, waits[cycle.id])
    return level


def _is_exempt(graph: NodeGraph, instruction: Instruction) -> bool:
    if isinstance(instruction, Texture):
        return instruction.operation is not TextureOperation.SURFACE_READ
    assert isinstance(instruction, Load)
    if instruction.address in graph.memory.targets:
        return True
    type_ = graph.function.types[instruction.address]
    return isinstance(type_, PointerType) and type_.space in (MemorySpace.CONSTANT, MemorySpace.LOCAL)
