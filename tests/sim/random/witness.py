"""What a run of the simulator shows about each thread: the values it computed and read, in which dynamic instances.

An instance is a block in one iteration of each loop around it (Rosemann et al., POPL 2021): a loop's number is 0 when
it is entered and rises at each return to its header.  Instances are numbered by mixing the iteration numbers of the
loops around the block; threads by *slots*: lanes of all warps of the grid, also lanes that hold no thread.

Each thread has its own local variables and each block its own shared ones; their addresses are shown as if all threads
had the same, as in a program's text.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import ClassVar, Final, Protocol, final

import numpy as np
from numpy.typing import NDArray

from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle, CycleId
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.types import PointerType
from sim.arrays import Lanes, LaneSets, Rows, Values, lanes_of
from sim.observers.protocol import AddressBook, Events, Observer, Run, Segment, SegmentEvent, ValueEvent, Wave
from sim.policies.protocol import EXIT

RADIX: Final = 1 << 11
"""More rounds than any loop of a random kernel makes."""
RECONVERGING: Final = frozenset(("ipdom", "counters", "min-pc", "path-list-depth"))
Codes = NDArray[np.int64]


def keeps_together(run: Run) -> bool:
    """Whether the policy promises that lanes run together wherever the analysis proves that none is missing.

    Others let lanes of different iterations run together, or those of one iteration apart; so does min(PC) where it
    gives lanes turns of their own because others poll.
    """
    return run.policy in RECONVERGING and not (run.policy == "min-pc" and run.graph.polling)


@final
@dataclass(frozen=True, slots=True)
class Sight:
    """Threads in one dynamic instance each: `slots` and `codes` of the instances, one entry per thread."""

    block: BasicBlockId
    slots: Codes
    codes: Codes


class Looker(Protocol):
    """Gets what happened, thread by thread."""

    def defined(self, sight: Sight, value: ValueId, part: int, numbers: Values) -> None: ...

    def used(self, sight: Sight, value: ValueId, part: int, numbers: Values) -> None:
        """Read in another block than the one that defines it."""
        ...

    def left(self, sight: Sight, target: int) -> None:
        """The threads end the block and go to the block `target`; -1: they leave."""
        ...

    def looped(self, cycle: Cycle, slots: Codes, codes: Codes, rounds: Codes) -> None:
        """The threads leave the loop after so many rounds; `codes` are of the loops around it."""
        ...

    def arrived(self, block: BasicBlockId, active: LaneSets, running: LaneSets) -> None:
        """Lanes of warps that execute a block together, among those that have not left; under policies that keep lanes
        together."""
        ...


@final
class Witness(Observer):
    events: ClassVar[Events] = Events.VALUES | Events.SEGMENTS

    def __init__(self, lookers: tuple[Looker, ...]) -> None:
        self._lookers = lookers
        self.keeps_together = False
        self._width = 0
        self._first_slot = 0
        self._addresses: AddressBook | None = None
        self._shown: dict[int, int] = {}
        """By the start of an object: what is added to its addresses."""
        self._symbols: dict[tuple[str, str], int] = {}
        self._segments: tuple[Segment, ...] = ()
        self._own: frozenset[int] = frozenset()
        self._uses: dict[int, tuple[ValueId, ...]] = {}
        self._computed: list[ValueEvent] = []
        self._held: dict[ValueId, list[Values]] = {}
        """By value and part, (rows * lanes,): what each resident thread's register holds."""
        self._rounds: Codes = np.zeros((0, 0), np.int64)
        """(loops, rows * lanes): the iteration number of each thread."""
        self._codes: Codes = np.zeros(0, np.int64)
        self._running: LaneSets = np.zeros(0, np.uint64)

    def held_by(self, value: ValueId, slots: Codes) -> Values | None:
        """What the threads' registers hold; None for a value that no thread computes, or in several parts."""
        held = self._held.get(value)
        return held[0][slots - self._first_slot] if held is not None and len(held) == 1 else None

    def rounds_of(self, cycle: CycleId, slots: Codes) -> Codes:
        return self._rounds[cycle][slots - self._first_slot]

    def begin(self, run: Run, addresses: AddressBook) -> None:
        self.keeps_together = keeps_together(run)
        self._width = run.launch.warp_size
        self._addresses = addresses
        self._segments = run.segments
        self._own = frozenset(n for n, segment in enumerate(run.segments) if segment.function.id == run.kernel.id)
        control = ControlFlow.of(run.kernel)
        self._cycles = control.cycles
        self._around = [tuple(control.cycles_around(BasicBlockId(b)))[::-1] for b in range(len(run.kernel.blocks))]
        self._starts = {n for n in self._own if n == 0 or run.segments[n].block != run.segments[n - 1].block}
        homes = {
            item.result: number
            for number in self._own
            for item in (*run.segments[number].phis, *run.segments[number].instructions)
            if item.result is not None
        }
        home_blocks = {value: run.segments[number].block for value, number in homes.items()}
        reads: defaultdict[int, dict[ValueId, None]] = defaultdict(dict)
        for number in self._own:
            segment = run.segments[number]
            ending = () if segment.terminator is None else segment.terminator.operands
            for operand in (*(o for one in segment.instructions for o in one.operands), *ending):
                if operand in home_blocks and home_blocks[operand] != segment.block:
                    reads[number][operand] = None
        self._uses = {number: tuple(values) for number, values in reads.items()}

    def wave(self, wave: Wave) -> None:
        rows = len(wave.live)
        self._first_slot = wave.first_block * wave.warps_per_block * self._width
        self._held.clear()
        self._shown.clear()
        self._rounds = np.zeros((len(self._cycles), rows * self._width), np.int64)
        self._codes = np.zeros(rows * self._width, np.int64)
        self._running = wave.live.copy()

    def value(self, event: ValueEvent) -> None:
        if event.segment in self._own:
            self._computed.append(event)

    def segment(self, event: SegmentEvent) -> None:
        if event.segment not in self._own:
            return
        segment = self._segments[event.segment]
        block = BasicBlockId(segment.block)
        if self.keeps_together and event.segment in self._starts:
            for looker in self._lookers:
                looker.arrived(block, event.active, self._running[event.rows])
        places = self._places(event.rows, lanes_of(event.active, self._width))
        sight = Sight(block, places + self._first_slot, self._codes[places])
        arriving: list[ValueEvent] = []
        defined = {one.result for one in segment.instructions}
        for computed in self._computed:
            if computed.value in defined:
                self._define(sight, places, computed)
            else:
                arriving.append(computed)
        self._computed.clear()
        self._read(sight, places, event.segment)
        if segment.terminator is not None:
            self._leave(sight, places, event, segment)
        self._arrive(arriving)

    # -- values -----------------------------------------------------------------------------------------------------

    def _places(self, rows: Rows, lanes: Lanes | None) -> Codes:
        """Indices into what is kept per resident thread."""
        every = rows[:, None] * self._width + np.arange(self._width)
        return (every.ravel() if lanes is None else every[lanes]).astype(np.int64)

    def _numbers(self, event: ValueEvent) -> list[Values]:
        """Part by part, of the threads that count."""
        wholes = [np.broadcast_to(part, (len(event.rows), self._width)) for part in event.parts]
        parts = [whole.flatten() if event.lanes is None else whole[event.lanes] for whole in wholes]
        if isinstance(self._segments[event.segment].function.types[event.value], PointerType):
            return [self._as_in_the_text(part) for part in parts]
        return parts

    def _as_in_the_text(self, addresses: Values) -> Values:
        assert self._addresses is not None
        starts = self._addresses.starts(addresses)
        distinct, positions = np.unique(starts, return_inverse=True)
        return addresses + np.array([self._shift(int(start)) for start in distinct])[positions]

    def _shift(self, start: int) -> int:
        known = self._shown.get(start)
        if known is None:
            assert self._addresses is not None
            found = self._addresses.find(start)
            known = 0
            if found is not None and (found.block is not None or found.thread is not None):
                symbol = found.name, found.space
                known = (self._symbols.setdefault(symbol, len(self._symbols)) + 1 << 40) - start
            self._shown[start] = known
        return known

    def _define(self, sight: Sight, places: Codes, event: ValueEvent) -> None:
        parts = self._numbers(event)
        self._hold(event.value, places, parts)
        self._tell(sight, event.value, parts)

    def _tell(self, sight: Sight, value: ValueId, parts: list[Values]) -> None:
        for index, numbers in enumerate(parts):
            for looker in self._lookers:
                looker.defined(sight, value, index, numbers)

    def _hold(self, value: ValueId, places: Codes, parts: list[Values]) -> None:
        held = self._held.get(value)
        if held is None:
            held = self._held[value] = [np.zeros(len(self._codes), numbers.dtype) for numbers in parts]
        for old, numbers in zip(held, parts, strict=True):
            old[places] = numbers

    def _read(self, sight: Sight, places: Codes, segment: int) -> None:
        for value in self._uses.get(segment, ()):
            for index, part in enumerate(self._held.get(value, ())):
                for looker in self._lookers:
                    looker.used(sight, value, index, part[places])

    def _arrive(self, events: list[ValueEvent]) -> None:
        """Phis: defined all at once in the block that the lanes have just gone to."""
        arrived: list[tuple[Sight, ValueId, list[Values]]] = []
        for event in events:
            places, parts = self._places(event.rows, event.lanes), self._numbers(event)
            if len(places):
                sight = Sight(self._block_of_phi(event), places + self._first_slot, self._codes[places])
                self._hold(event.value, places, parts)
                arrived.append((sight, event.value, parts))
        for sight, value, parts in arrived:
            self._tell(sight, value, parts)

    def _block_of_phi(self, event: ValueEvent) -> BasicBlockId:
        function = self._segments[event.segment].function
        terminator = self._segments[event.segment].terminator
        assert terminator is not None
        return next(
            target
            for target in terminator.successors
            if any(phi.result == event.value for phi in function.blocks[target].phis)
        )

    # -- control flow -----------------------------------------------------------------------------------------------

    def _leave(self, sight: Sight, places: Codes, event: SegmentEvent, segment: Segment) -> None:
        for target, lanes in event.split:
            going = self._places(event.rows, lanes_of(lanes, self._width))
            if not len(going):
                continue
            block = -1 if target == EXIT else self._segments[target].block
            seen = Sight(sight.block, going + self._first_slot, self._codes[going])
            for looker in self._lookers:
                looker.left(seen, block)
            self._count_rounds(going, segment.block, block)
            if target == EXIT:
                self._running[event.rows] &= ~lanes

    def _count_rounds(self, places: Codes, source: int, target: int) -> None:
        for depth, cycle in enumerate(self._around[source]):
            if target < 0 or target not in cycle.blocks:
                codes = self._mixed(places, self._around[source][:depth])
                rounds = self._rounds[cycle.id][places]
                for looker in self._lookers:
                    looker.looped(cycle, places + self._first_slot, codes, rounds)
        if target < 0:
            return
        for cycle in self._around[target]:
            if source not in cycle.blocks:
                self._rounds[cycle.id][places] = 0
            elif target == cycle.header:
                self._rounds[cycle.id][places] += 1
        self._codes[places] = self._mixed(places, self._around[target])

    def _mixed(self, places: Codes, cycles: tuple[Cycle, ...]) -> Codes:
        codes = np.zeros(len(places), np.int64)
        for cycle in cycles:
            codes = codes * RADIX + self._rounds[cycle.id][places]
        return codes
