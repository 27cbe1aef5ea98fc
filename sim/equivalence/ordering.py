"""Does a change order the lanes of a warp, and nothing else?

Rules     What the author meant is what lanes do that run in step: the version before under the reference policy.  The
          version after leaves that memory under every policy, with no fault that the version before has not.
          No two lanes of a warp race in shared memory after the change, volatile accesses included.  Races are looked
          for by an observer that asks for barriers and not for the schedule, so one that did no harm in a run is seen
          as well.
          Some lanes of a warp have to race before the change: else no run shows what it mends.
Not races Two lanes in one instruction: no barrier is between them.  Writes of one value.
"""

from __future__ import annotations

from collections.abc import Iterator

from analysis.ir.index3 import Index3
from sim.equivalence.differences import first_difference
from sim.equivalence.model import Confirmed, FewerBlocks, Gap, NewFault, NotChecked, Refuted, StillRaces, Verdict
from sim.equivalence.pairs import OtherPairs, Pair, Pairs
from sim.equivalence.runs import Observed
from sim.faults import DataRace


def ordering_verdict(reference: Pair, launch: Pairs, others: OtherPairs, fewer: FewerBlocks | None) -> Verdict:
    """`launch` is what the pairs after the reference ran; `fewer` says how it is smaller."""
    for pair in (reference, *others.pairs):
        smaller = None if pair is reference else fewer
        race = next(_warp_races(launch, pair.after), None)
        if race is not None:
            place = launch.places.place(race.evidence.function, race.evidence.span)
            return Refuted(pair.policy, StillRaces("two lanes of a warp still race", place), smaller)
        if isinstance(pair.difference, NewFault):
            return Refuted(pair.policy, pair.difference, smaller)
    if reference.difference is not None:
        return Refuted(reference.policy, reference.difference)
    for pair in others.pairs:
        if _differs(launch, pair):
            message = f"after the change as well what is left depends on the order of threads: under {pair.policy}"
            return NotChecked(Gap.ORDER_DEPENDENT, message)
    races = max(sum(1 for _ in _warp_races(launch, pair.before)) for pair in (reference, *others.pairs))
    if not races:
        return NotChecked(Gap.NO_RACE, "no two lanes of a warp race with the inputs that were chosen")
    names = tuple(pair.policy for pair in (reference, *others.pairs))
    return Confirmed(names, others.left_out, too_long=others.too_long, fewer=fewer, races=races)


def _differs(launch: Pairs, pair: Pair) -> bool:
    """From what lanes did that ran in step."""
    first, after = launch.first.result, pair.after.result
    if first.memory_digest != after.memory_digest:
        return True
    found = first_difference(first, after, launch.places)
    return found is not None and not isinstance(found, NewFault)  # those are compared policy by policy


def _warp_races(launch: Pairs, run: Observed) -> Iterator[DataRace]:
    for fault in run.result.faults:
        if isinstance(fault, DataRace) and fault.is_shared and not fault.same_value:
            one, other = fault.evidence, fault.other
            is_apart = fault.sites[0] != fault.sites[1]
            if is_apart and one.block == other.block and warp_of(launch, one.thread) == warp_of(launch, other.thread):
                yield fault


def warp_of(launch: Pairs, thread: Index3) -> int:
    """Its number in the block."""
    width, height, _ = launch.block
    x, y, z = thread
    return (x + width * (y + height * z)) // launch.warp_size
