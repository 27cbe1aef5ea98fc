"""Races inside a block in global memory: two threads use one element, at least one writes, no barrier stands between.

Question  Which pairs of accesses through one pointer surely race?
Rules     Those of shared memory (`analysis.py`): intervals between barriers and linear forms rule pairs out, and two
          threads that are followed are the proof.
Silent    Kernels in which threads may wait for each other or hand work on by other means than barriers (`blocks.py`);
          writes of one value; flags; addresses that were loaded; what is not proven.
Limits    Two pointers are taken to lead to different objects.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from analysis.ir.function import FunctionKind
from analysis.ir.instructions import Atomic, Load, Store
from analysis.races.analysis import misses_barriers, open_pairs
from analysis.races.block_pairs import numbered, pairs_of
from analysis.races.blocks import may_hand_on
from analysis.races.intervals import intervals
from analysis.races.model import MemoryUse, Race, RaceKind, RaceWitness
from analysis.races.program_builder import build_program
from analysis.races.search import Pair, find_sightings
from analysis.races.uses import MemoryUses
from analysis.verdict.barriers import BarrierSite, Tier


def find_global_races(known: MemoryUses, barriers: Sequence[BarrierSite], told: Collection[Race]) -> tuple[Race, ...]:
    """Those that are proven, in the order of the program, without pairs that race between blocks as well (`told`)."""
    function, divergence = known.function, known.divergence
    if function.kind is not FunctionKind.KERNEL or misses_barriers(barriers) or may_hand_on(known):
        return ()
    uses = numbered(use for group in known.written_in_global_memory for use in group)
    if not uses:
        return ()
    left = {
        pair
        for pair in set(pairs_of(function, divergence, uses)) - _pairs_told(uses, told)
        if not known.lone_threads.are_one_thread(*(uses[number].block for number in pair))
    }
    pairs = left and left.intersection(open_pairs(uses, intervals(known.control, barriers, uses), known.disjoint))
    if not pairs:
        return ()
    program = build_program(function, known.control, divergence, uses, goes_on=True, launch=known.launch)
    followed = sorted(pair for pair in pairs if all(program.can_be_seen(uses[number]) for number in pair))
    if not followed:
        return ()
    found = find_sightings(program, known.launch, followed)
    return tuple(_race(uses, pair, found[pair].witness) for pair in followed if pair in found and found[pair].is_proven)


def _race(uses: Sequence[MemoryUse], pair: Pair, witness: RaceWitness) -> Race:
    first, second = (uses[number] for number in (reversed(pair) if witness.is_reversed else pair))
    return Race(RaceKind.GLOBAL, Tier.PROVEN, first, second, witness, is_open=False)


def _pairs_told(uses: Sequence[MemoryUse], told: Collection[Race]) -> set[Pair]:
    numbers = {id(use.instruction): use.number for use in uses}
    races = ((_number(numbers, race.first.instruction), _number(numbers, race.second.instruction)) for race in told)
    return {(min(pair), max(pair)) for pair in races}


def _number(numbers: Mapping[int, int], instruction: Load | Store | Atomic) -> int:
    return numbers.get(id(instruction), -1)
