"""Races between blocks: two of them use one element of global memory, at least one writes, and nothing orders them.

Question  Which pairs of accesses through one pointer surely race between blocks 0 and 1 of a grid?
Rules     A few threads of both blocks are followed (`trace.py`).  Two that use a common byte are a race if they meet
          whatever the scalars are: in every launch that is tried in which both come there.  Of unknown block shapes all
          that the kernel is made for have to agree.
Silent    Kernels in which blocks may wait for each other, or hand work on: fences, grid barriers, volatile accesses,
          atomics whose result is used (tickets, locks), calls and constructs that are not understood.  Writes of one
          value, and flags: a write of what is the same in all threads, where another block reads.  Grids of one block,
          and grids of which nothing is known for kernels that never ask for their block.
Limits    Two pointers are taken to lead to different objects.  Blocks are told apart by `blockIdx.x` alone.
Cost      Little where each thread or block has its own elements of whatever is written (`block_pairs.py`); the search
          is bounded (`block_search.py`).
"""

from __future__ import annotations

from analysis.access.model import AccessKind
from analysis.ir.function import Function, FunctionKind
from analysis.ir.ids import ValueId
from analysis.ir.instructions import (
    Atomic,
    Call,
    DeviceLaunch,
    Fence,
    GridBarrier,
    Load,
    NamedBarrier,
    Opaque,
    PhaseWait,
    Store,
)
from analysis.ir.operators import SpecialRegister
from analysis.races.block_pairs import pairs_of, watched_uses
from analysis.races.block_search import find_witnesses
from analysis.races.disjoint import registers_read
from analysis.races.model import MemoryUse, Race, RaceKind
from analysis.races.program_builder import build_program
from analysis.races.stored_values import StoredKinds
from analysis.races.uses import MemoryUses
from analysis.verdict.barriers import Tier


def find_block_races(known: MemoryUses) -> tuple[Race, ...]:
    """Those that are proven, in the order of the program."""
    function, divergence, launch = known.function, known.divergence, known.launch
    if function.kind is not FunctionKind.KERNEL or launch.has_several_blocks is False:
        return ()
    if not _asks_for_several_blocks(known) or may_hand_on(known):
        return ()
    uses = watched_uses(known)
    kinds = StoredKinds(known.control, divergence)
    pairs = pairs_of(function, divergence, uses, in_two_blocks=True)
    pairs = [
        pair
        for pair in pairs
        if not known.lone_threads.are_one_block(*(uses[number].block for number in pair))
        and _may_matter(kinds, *(uses[number] for number in pair))
    ]
    if not pairs:
        return ()
    program = build_program(function, known.control, divergence, uses, launch=launch)
    visible = [program.can_be_seen(use) for use in uses]
    pairs = [(one, other) for one, other in pairs if visible[one] and visible[other]]
    if not any(visible):
        return ()
    found = find_witnesses(program, launch, pairs)
    return tuple(
        Race(RaceKind.BLOCKS, Tier.PROVEN, uses[one], uses[other], found[one, other], is_open=False)
        for one, other in pairs
        if (one, other) in found
    )


def _may_matter(kinds: StoredKinds, *pair: MemoryUse) -> bool:
    """Two writes do if it can be told what they write."""
    return any(use.kind is not AccessKind.STORE for use in pair) or all(map(kinds.may_be_told, pair))


def _asks_for_several_blocks(known: MemoryUses) -> bool:
    return bool(known.launch.has_several_blocks) or SpecialRegister.BLOCK_X in registers_read(known.control)


def may_hand_on(known: MemoryUses) -> bool:
    """May threads wait for others, or hand work on, by other means than barriers of the block?"""
    if known.control.placed(Fence, GridBarrier, NamedBarrier, PhaseWait, Call, DeviceLaunch, Opaque):
        return True
    if any(item.volatile for _, _, item in known.control.placed(Load, Store)):
        return True
    results = [item.result for _, _, item in known.control.placed(Atomic)]
    return bool(results) and not _used(known.function).isdisjoint(results)


def _used(function: Function) -> set[ValueId]:
    found = {operand for _, item in function.instructions() for operand in item.operands}
    for block in function.blocks:
        found.update(operand for phi in block.phis for operand in phi.operands)
        found.update(block.terminator.operands)
    return found
