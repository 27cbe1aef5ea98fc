"""Does a change put an end to the races between the warps of a block, and to what they leave to chance?

Rules     What the author meant cannot be read from the version before: what it leaves depends on which warp is first.
          The version after leaves the same memory and prints the same lines under every policy, with no fault that the
          version before has not.
          No two warps of a block race in shared memory after the change.  Where lanes of one warp still do, nothing is
          claimed: what they race for is for another barrier to order (`ordering.py`).
          Some threads of a block have to race before the change: else no run shows what it mends.  Which warps they
          are of does not count there, for of many pairs of threads at one place one is remembered.
Not races Two lanes in one instruction: no barrier is between them.  Writes of one value.
"""

from __future__ import annotations

from collections.abc import Iterator

from sim.equivalence.differences import first_difference
from sim.equivalence.model import Confirmed, FewerBlocks, Gap, NewFault, NotChecked, Refuted, StillRaces, Verdict
from sim.equivalence.ordering import warp_of
from sim.equivalence.pairs import OtherPairs, Pair, Pairs
from sim.equivalence.runs import Observed
from sim.faults import DataRace


def race_free_verdict(reference: Pair, launch: Pairs, others: OtherPairs, fewer: FewerBlocks | None) -> Verdict:
    """`launch` is what the pairs after the reference ran; `fewer` says how it is smaller."""
    for pair in (reference, *others.pairs):
        smaller = None if pair is reference else fewer
        races = sorted(_races(launch, pair.after), key=lambda race: _is_inside_warp(launch, race))
        if races:
            evidence = races[0].evidence
            place = launch.places.place(evidence.function, evidence.span)
            if _is_inside_warp(launch, races[0]):
                return NotChecked(Gap.ORDER_DEPENDENT, "lanes of one warp still race after the change", place)
            return Refuted(pair.policy, StillRaces("two threads of a block still race", place), smaller)
        if isinstance(pair.difference, NewFault):
            return Refuted(pair.policy, pair.difference, smaller)
    for pair in others.pairs:
        if _differs(launch, others.pairs[0] if fewer is not None else reference, pair):
            message = f"after the change as well what is left depends on the order of threads: under {pair.policy}"
            return NotChecked(Gap.ORDER_DEPENDENT, message)
    gone = max(sum(1 for _ in _races(launch, pair.before)) for pair in (reference, *others.pairs))
    if not gone:
        return NotChecked(Gap.NO_RACE, "no two threads of a block race with the inputs that were chosen")
    names = tuple(pair.policy for pair in (reference, *others.pairs))
    return Confirmed(names, others.left_out, too_long=others.too_long, fewer=fewer, races=gone)


def _differs(launch: Pairs, first: Pair, pair: Pair) -> bool:
    """Do two runs of the version after leave different memory or lines?"""
    if first.after.result.memory_digest != pair.after.result.memory_digest:
        return True
    found = first_difference(first.after.result, pair.after.result, launch.places)
    return found is not None and not isinstance(found, NewFault)  # those are compared policy by policy


def _races(launch: Pairs, run: Observed) -> Iterator[DataRace]:
    for fault in run.result.faults:
        if isinstance(fault, DataRace) and fault.is_shared and not fault.same_value:
            is_one_access = fault.sites[0] == fault.sites[1]
            if not (is_one_access and _is_inside_warp(launch, fault)):
                yield fault


def _is_inside_warp(launch: Pairs, race: DataRace) -> bool:
    return warp_of(launch, race.evidence.thread) == warp_of(launch, race.other.thread)
