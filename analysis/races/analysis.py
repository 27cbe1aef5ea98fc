"""Races: two threads of a block use the same bytes, at least one writes, and no barrier stands between.

Question   Which pairs of accesses of a kernel to shared memory may race, and which surely do?
Rules      A pair is out of the question if no interval between barriers holds both (`intervals.py`), or if linear
           forms show that no two threads meet (`disjoint.py`).  Atomics do not race with each other, nor do volatile
           accesses.  Of what is left a search looks for two threads (`search.py`).
Tiers      PROVEN    two threads meet, whatever the scalars are, in every block that the kernel is made for; behind
                     a decision of memory that is the same in the whole block only if the block goes on there, which
                     the witness says (`RaceWitness.assumed`).
           POSSIBLE  they meet in some of these blocks only, or write what may be the same; also where some threads miss
                     a barrier of the kernel.  And an atomic whose address comes from memory beside a plain write
                     (`scattered.py`).
           ASSUMED   not ruled out, and nothing found.
Limits     A device function whose callers are not known is not looked at: they decide what its pointers point to.
Cost       Nothing without shared memory; O(intervals x accesses^2) for the pairs; the search is bounded.
Source     Li and Gopalakrishnan, "Scalable SMT-based verification of GPU kernel functions", FSE 2010 (two threads, one
           interval); Betts et al., "GPUVerify", OOPSLA 2012.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Final

from analysis.access.model import AccessKind
from analysis.affine.result import AffineResult
from analysis.ir.function import FunctionKind
from analysis.races.disjoint import Disjoint
from analysis.races.intervals import Interval, intervals, orders_block
from analysis.races.model import MemoryUse, Race, RaceKind
from analysis.races.program import Program
from analysis.races.program_builder import build_program
from analysis.races.scattered import is_scattered_over
from analysis.races.search import Pair, Sighting, find_sightings
from analysis.races.uses import MemoryUses, is_guess, is_strong
from analysis.verdict.barriers import BarrierSite, BarrierVerdict, Tier

MAX_USES: Final = 200
"""A function with more is not looked at: what a generator or a compiler unrolled."""
MAX_PAIRS: Final = 4_000
"""Pairs of one function that are compared, those that come first."""


def find_races(known: MemoryUses, barriers: Sequence[BarrierSite]) -> tuple[Race, ...]:
    """All pairs that are not ruled out, in the order of the program."""
    if known.function.kind is not FunctionKind.KERNEL:
        return ()
    uses = known.of_shared_memory()
    if not uses or len(uses) > MAX_USES:
        return ()
    pairs = open_pairs(uses, intervals(known.control, barriers, uses), known.disjoint)
    if not pairs:
        return ()
    pairs = [(one, other) for one, other in pairs if not is_guess(known.divergence, uses[one], uses[other])]
    program = build_program(known.function, known.control, known.divergence, uses, goes_on=True, launch=known.launch)
    visible = [program.can_be_seen(use) for use in uses]
    followed = [(one, other) for one, other in pairs if visible[one] and visible[other]]
    sightings: Mapping[Pair, Sighting] = find_sightings(program, known.launch, followed) if followed else {}
    surest = Tier.POSSIBLE if misses_barriers(barriers) else Tier.PROVEN
    return tuple(
        _race(known.affine, uses[one], uses[other], sightings.get((one, other)), surest)
        if visible[one] and visible[other]
        else _open_race(known, program, uses[one], uses[other])
        for one, other in pairs
    )


def misses_barriers(barriers: Sequence[BarrierSite]) -> bool:
    """Threads that miss a barrier race behind it: the barrier is what has to be mended, and has its own finding."""
    return any(site.verdict is BarrierVerdict.DIVERGENT and orders_block(site.instruction) for site in barriers)


def _open_race(known: MemoryUses, program: Program, one: MemoryUse, other: MemoryUse) -> Race:
    """Of a pair to one of which no thread could be followed."""
    tier = Tier.POSSIBLE if is_scattered_over(known.control, program, one, other) else Tier.ASSUMED
    return Race(_kind(known.affine, one, other), tier, one, other, None, is_open=True)


def _race(affine: AffineResult, one: MemoryUse, other: MemoryUse, sighting: Sighting | None, surest: Tier) -> Race:
    """Of a pair that threads were followed to."""
    kind = _kind(affine, one, other)
    if sighting is None:
        return Race(kind, Tier.ASSUMED, one, other, None, is_open=False)
    if sighting.witness.is_reversed:
        one, other = other, one
    return Race(kind, surest if sighting.is_proven else Tier.POSSIBLE, one, other, sighting.witness, is_open=False)


def open_pairs(uses: Sequence[MemoryUse], found: Sequence[Interval], disjoint: Disjoint) -> list[Pair]:
    """The pairs that may race."""
    compared: dict[Pair, bool] = {}
    # What `conflict` says, of each use once and not of each pair.
    loads = {use.number for use in uses if use.kind is AccessKind.LOAD}
    strong = {use.number for use in uses if is_strong(use)}
    for interval in found:
        numbers = sorted(interval)
        changing, weak = ([number for number in numbers if number not in kind] for kind in (loads, strong))
        for first in numbers:
            rivals = changing if first in loads else weak if first in strong else numbers
            for second in rivals[bisect_left(rivals, first) :]:
                if first in strong and second in strong:
                    continue
                if (first, second) not in compared:
                    if len(compared) >= MAX_PAIRS:
                        return [pair for pair, is_open in sorted(compared.items()) if is_open]
                    compared[first, second] = not disjoint.never_meet(uses[first], uses[second])
    return [pair for pair, is_open in sorted(compared.items()) if is_open]


def _kind(affine: AffineResult, one: MemoryUse, other: MemoryUse) -> RaceKind:
    if one.number != other.number or one.kind is not AccessKind.STORE:
        return RaceKind.SHARED
    form = affine.form_at(one.address, one.block)
    return RaceKind.ONE_ADDRESS if form is not None and form.is_uniform else RaceKind.SHARED
