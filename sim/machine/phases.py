"""The memory barriers of a run: how arrivals change their words, and whose phase is complete.

Order    Arrivals of one operation count one after the other, by row and lane; a token is the word that a thread found.
Faulty   A word that nothing initialised stays as it is, so its phase never ends.  An arrival of more threads than the
         phase waits for ends it and is not carried over.
"""

from __future__ import annotations

from typing import assert_never, final

import numpy as np

from analysis.ir.barrier_word import COUNT_MASK, PARITY_BIT, BarrierState
from analysis.ir.operators import BarrierOperator
from analysis.ir.source import Span
from sim.arrays import Lanes, Rows, Values, lane_sets
from sim.events import ArrivalEvent, Observers
from sim.faults import PhaseState, StuckBarrier
from sim.memory.arena import Arena

_WORD = 8


@final
class Phases:
    """Shared by generated code, which updates words, and by who waits."""

    def __init__(self, arena: Arena, observers: Observers) -> None:
        self._arena = arena
        self._observers = observers
        self.has_completed = False
        """Whether a phase became complete since those who wait were last looked at."""
        self.is_forced = False
        """Whether those who wait are told that their phase is complete, since nobody else can go on."""

    def update(
        self,
        operator: str,
        wave_rows: Rows,
        lanes: Lanes,
        addresses: Values,
        counts: Values,
    ) -> Values:
        """The words before; all arrays are (rows, lanes), and the words zero where a lane takes no part."""
        words = self._arena.u8
        kind = BarrierOperator(operator)
        old = np.zeros(lanes.shape, np.uint64)
        found: list[int] = []
        for address, count in zip(addresses[lanes].tolist(), counts[lanes].tolist(), strict=True):
            before = int(words[address // _WORD])
            after = updated(before, kind, count)
            words[address // _WORD] = after
            self.has_completed |= (before ^ after) >> PARITY_BIT != 0
            found.append(before)
        old[lanes] = found
        if self._observers and kind is not BarrierOperator.EXPECT:
            some = lanes.any(axis=1)
            arrived = ArrivalEvent(
                wave_rows[some], lane_sets(lanes[some]), addresses[some], old[some] >> np.uint64(PARITY_BIT)
            )
            for observer in self._observers:
                observer.arrival(arrived)
        return old

    def complete(self, addresses: Values, parities: Values) -> Lanes:
        """Where the phase of that parity is complete; an address outside of memory has none."""
        inside = (addresses >= 0) & (addresses < self._arena.size)
        words = self._arena.u8[np.where(inside, addresses, 0) // _WORD]
        return inside & (words >> np.uint64(PARITY_BIT) != parities)

    def answer(self, addresses: Values, parities: Values) -> Lanes:
        """What a thread is told that asks."""
        found = self.complete(addresses, parities)
        return np.ones_like(found) if self.is_forced else found

    def stuck(self, span: Span, address: int, asked: int) -> StuckBarrier:
        """The barrier as the report on a deadlock shows it to a thread that waits for the parity `asked`."""
        found = self._arena.find(address)
        state = BarrierState.of(0 if found is None else int(self._arena.u8[address // _WORD]))
        phase = PhaseState(state.parity, asked, state.bytes, state.is_valid)
        name = f"address {address:#x}"
        if found is not None:
            region, _, offset = found
            name = region.name if region.size == _WORD else f"{region.name} + {offset} bytes"
        return StuckBarrier(span, name, state.expected - state.pending, state.expected, phase)


def updated(word: int, operator: BarrierOperator, count: int) -> int:
    """The word after one update."""
    state = BarrierState.of(word)
    if not state.is_valid:
        return word
    pending, expected, bytes = state.pending, state.expected, state.bytes
    match operator:
        case BarrierOperator.ARRIVE:
            pending = max(pending - count, 0)
        case BarrierOperator.DROP:
            pending, expected = max(pending - count, 0), max(expected - count, 0)
        case BarrierOperator.EXPECT:
            bytes += count
        case BarrierOperator.COMPLETE:
            bytes -= count
        case _:
            assert_never(operator)
    if pending or bytes:
        return BarrierState(True, state.parity, pending, expected & COUNT_MASK, bytes).word
    return BarrierState(True, 1 - state.parity, expected, expected, 0).word
