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

from analysis.divergence.levels import Level
from analysis.divergence.nodes import NodeGraph
from analysis.divergence.options import DivergenceOptions
from analysis.divergence.solver import Rule, Solver
from analysis.graph.cycles import Cycle, CycleId
from analysis.ir.ids import BasicBlockId
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
from analysis.ir.types import MemorySpace, PointerType

VARYING = int(Level.VARYING)
BLOCK = int(Level.BLOCK)

EVENTS = frozenset({BlockBarrier, GridBarrier, NamedBarrier, Call, Opaque, WarpBarrier, Load, Texture})
"""The instructions that wait, end a wait, or may see what was waited for."""


def has_waits(graph: NodeGraph) -> bool:
    """Can any wait exist, whatever the levels are?"""
    return graph.waits or bool(graph.observers)


def waiting_loads(graph: NodeGraph, warp_size: int, loose: frozenset[int]) -> dict[int, Level]:
    """The least level of each load (by result) that may see another thread's progress.

    `loose`: the blocks that are not convergent for the warp and hold a warp barrier.
    """
    knowledge = _knowledge(graph, warp_size)
    control = graph.control
    events = [[event for event in block.instructions if type(event) in EVENTS] for block in graph.function.blocks]
    arriving: dict[int, int] = dict.fromkeys(control.order, 0)
    found: dict[int, Level] = {}
    waits = {cycle.id: _wait_of(graph, cycle, knowledge[graph.loop_node(cycle.id)]) for cycle in control.cycles}
    changed = True
    while changed:
        changed = False
        for block in control.order:
            informed = knowledge[graph.convergence_node(block)]
            leaving = _through(graph, events[block], arriving[block], informed, block in loose, found)
            for target in control.successors[block]:
                new = max(leaving, _left(control.cycles_around(block), target, waits))
                if new > arriving[target]:
                    arriving[target] = new
                    changed = True
    return {load: level for load, level in found.items() if level > Level.GRID}


def _knowledge(graph: NodeGraph, warp_size: int) -> list[int]:
    """The level at which each node may depend on an observation."""
    solver = Solver(graph, DivergenceOptions(), warp_size, joins_only=True)
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


def _through(
    graph: NodeGraph,
    events: Sequence[Instruction],
    waited: int,
    informed: int,
    loose: bool,
    found: dict[int, Level],
) -> int:
    """Records the loads of a block; the level at which a wait holds at its end."""
    for instruction in events:
        match instruction:
            case BlockBarrier():
                waited, informed = min(waited, BLOCK), min(informed, BLOCK)
            case GridBarrier():
                waited = informed = 0
            case NamedBarrier(arrive_only=False) | Call() | Opaque(may_contain_barrier=True):
                waited = VARYING
            case WarpBarrier():
                waited = VARYING if loose else waited
            case Load() | Texture():
                level = Level(max(waited, informed))
                if instruction.result is not None and not _is_exempt(graph, instruction):
                    found[instruction.result] = max(level, found.get(instruction.result, Level.GRID))
            case _:
                pass
    return waited


def _is_exempt(graph: NodeGraph, instruction: Instruction) -> bool:
    if isinstance(instruction, Texture):
        return instruction.operation is not TextureOperation.SURFACE_READ
    assert isinstance(instruction, Load)
    if instruction.address in graph.memory.targets:
        return True
    type_ = graph.function.types[instruction.address]
    return isinstance(type_, PointerType) and type_.space in (MemorySpace.CONSTANT, MemorySpace.LOCAL)
