"""One launch in execution: memory, generated code, waves of blocks, and what generated code asks for (`m.…`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, final

import numpy as np

from analysis.ir.function import Function, SymbolKind
from analysis.ir.ids import FunctionId, SymbolId
from analysis.ir.instructions import ReadSpecial
from analysis.ir.operators import SpecialRegister
from analysis.ir.types import MemorySpace
from sim.arrays import Lanes, LaneSets, Rows, Values, lane_sets, lanes_of, scalar
from sim.block_sample import blocks_run
from sim.code.generate import Code
from sim.code.placement import ParameterRoot, SymbolRoot
from sim.events import Events, Observers, ValueEvent, Wave
from sim.faults import (
    AccessKind,
    Evidence,
    FailedAssertion,
    Fault,
    IllegalShuffleWidth,
    InactiveLaneRead,
    LeftOutLaunch,
    Livelock,
    StackOverflow,
    Trapped,
)
from sim.kernel import Kernel
from sim.machine.counters import Counters
from sim.machine.engine import Engine
from sim.machine.livelock import LivelockWatch
from sim.machine.phases import Phases
from sim.machine.printf import Printf
from sim.machine.residency import blocks_per_wave, bytes_expected, symbol_bytes
from sim.machine.special_registers import special_register
from sim.machine.waiting import Waiting
from sim.memory.access import Access
from sim.memory.arena import Allocation, Arena
from sim.memory.arguments import Arguments
from sim.memory.elements import Each, Home
from sim.memory.heap import Heap
from sim.memory.textures import Textures
from sim.memory.variables import Variables
from sim.policies.protocol import PolicyFactory
from sim.refusals import LaunchError, Refusal
from sim.result import Extent, TruncationReason
from sim.specification import LaunchSpecification
from sim.state.deadline import Deadline
from sim.state.ending import KernelAborted, OutOfBudget
from sim.state.fault_log import FaultLog
from sim.state.frame import Frame

MAX_DEPTH: Final = 200
"""Nested real calls; a frame is a few hundred bytes on a GPU whose stack is 1 KiB by default."""


@final
class Machine:
    def __init__(
        self,
        kernel: Kernel,
        code: Code,
        launch: LaunchSpecification,
        policy: PolicyFactory,
        observers: Observers,
        progress: Callable[[float], bool] | None,
    ) -> None:
        self._kernel = kernel
        self._code = code
        self.launch = launch
        self._make_policy = policy
        steps = Events.SEGMENTS | Events.BARRIERS
        self._segment_observers = tuple(one for one in observers if one.events & steps)
        self._access_observers = tuple(one for one in observers if Events.ACCESSES in one.events)
        self._value_observers = tuple(one for one in observers if Events.VALUES in one.events)
        self._observers = observers
        self.deadline = Deadline(launch.budget.seconds, progress)
        self.counters = Counters(code.segments, launch.budget.max_steps, self.deadline)
        self.faults = FaultLog[Fault](launch)
        self.left_out = FaultLog[LeftOutLaunch](launch)
        self.extents: dict[str, Extent] = {}
        self.watches = False
        """Whether writes report changes: only while a livelock is suspected."""
        self.changes = 0
        self.arena = Arena(launch.budget.memory_bytes)
        self.arena.reserve(bytes_expected(kernel.function, launch))
        self.phases = Phases(self.arena, self._segment_observers)
        self.printf = Printf(self.arena, self.deadline)
        self._heap = Heap(self.arena, self.deadline)
        self.arguments = Arguments(self.arena, launch, kernel.function.structs, self.deadline)
        self._values = self.arguments.place(kernel.function)
        functions = {kernel.function.id: kernel.function, **kernel.callees}
        self._resident = blocks_per_wave(kernel.function, launch)
        self.variables = Variables(self.arena, launch, self.arguments, kernel.contents, self._resident)
        self.variables.place(functions)
        self.arguments.place_regions()
        self.arguments.link(self.variables.holders())
        self._textures = Textures(self.arguments.textures, self.arena)
        self._random = np.random.default_rng([launch.seed, 0x5EED])
        self._strings: dict[str, Allocation] = {}
        self._depth = 0
        self._frame_bytes = 0
        self._may_repeat = not launch.havoc and not any(
            isinstance(one, ReadSpecial) and one.register in (SpecialRegister.CLOCK, SpecialRegister.GLOBAL_TIMER)
            for function in functions.values()
            for _, one in function.instructions()
        )
        self._names: dict[FunctionId, dict[str, Any]] = {id: {} for id in code.functions}
        self._functions = {id: function.build(self, self._names[id]) for id, function in code.functions.items()}

    def let_go(self) -> None:
        """Of everything, after the last question: a machine and its code know each other, and functions of the code
        each other, and nobody looks for such circles soon enough, which would leave the memory of one run, and what its
        observers noted, beside that of the next."""
        self.arena.let_go()
        for names in self._names.values():
            names.clear()
        vars(self).clear()

    # -- waves --------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """All blocks that are wanted, wave after wave."""
        per_block = self.launch.warps_per_block
        local: dict[int, Allocation] | None = None
        frame: Frame | None = None
        alike: dict[int, dict[Any, Any]] = {}
        """By the number of blocks: patterns of addresses in waves of so many."""
        wanted = blocks_run(self.launch).numbers
        for first in range(0, len(wanted), self._resident):
            blocks = wanted[first : first + self._resident]
            warps = (blocks[:, None] * per_block + np.arange(per_block)).ravel()
            is_alike = frame is not None and len(warps) == frame.rows
            frame = frame.of_blocks(self.launch, warps) if frame and is_alike else Frame(self.launch, warps)
            if local is None:
                local = self._local_memory(self._kernel.function, frame)
            else:
                self.variables.clear_shared()
                for region in local.values():
                    self.arena.clear(region)
            frame.waves = alike.setdefault(len(blocks), {})
            frame.local_bases = {number: region.base for number, region in local.items()}
            for observer in self._observers:
                observer.wave(Wave(blocks, per_block, lane_sets(frame.live)))
            self._run_frame(self._kernel.function.id, frame, np.flatnonzero(frame.live.any(axis=1)))
            self.deadline.finished = (first + len(blocks)) / len(wanted)

    def _run_frame(self, id: FunctionId, frame: Frame, rows: Rows) -> None:
        code = self._code.functions[id]
        functions, named = self._functions[id]
        width = self.launch.warp_size
        if not frame.registers:
            frame.registers = [scalar(np.dtype(part.held).type(0)) for part in code.registers]
        policy = self._make_policy(frame.rows, width, self._code.graph)
        waiting = Waiting(
            code,
            functions,
            named,
            frame,
            policy,
            self.counters,
            self.faults,
            self._segment_observers,
            self.launch.warps_per_block,
            self.phases,
            self._code.graph,
            is_kernel=not self._depth,
            barriers_in_turn=self.launch.barriers_in_turn,
        )
        watch = LivelockWatch(self, frame, policy) if self._may_repeat and not self._depth else None

        def on_livelock(segment: int, rows: Rows, active: LaneSets) -> None:
            self._livelock(segment, frame, rows, active)

        engine = Engine(
            code,
            functions,
            waiting,
            self._code.graph,
            self.counters,
            self._segment_observers,
            frame,
            policy,
            width,
            self.phases,
            watch,
            on_livelock,
            self.launch.warp_order,
            may_widen=not self._access_observers and not self._value_observers,
        )
        engine.run(rows, waiting.live[rows])

    def _local_memory(self, function: Function, frame: Frame) -> dict[int, Allocation]:
        """One object per thread of the frame for each local variable, by symbol."""
        return {
            number: self.arena.allocate(
                symbol.name, MemorySpace.LOCAL, symbol_bytes(function, number), frame.thread_slot.size
            )
            for number, symbol in enumerate(function.symbols)
            if symbol.kind is SymbolKind.LOCAL
        }

    def _livelock(self, segment: int, frame: Frame, rows: Rows, active: LaneSets) -> None:
        """Ends the run where its state repeats."""
        stuck = self._code.segments[segment]
        span = stuck.terminator.span if stuck.terminator is not None else stuck.instructions[-1].span
        wanted = blocks_run(self.launch).numbers
        left = int((wanted > int(frame.warps[-1]) // self.launch.warps_per_block).sum())
        lanes = lanes_of(active, self.launch.warp_size)

        def describe(evidence: Evidence, row: int, lane: int) -> Fault:
            return Livelock(evidence, left)

        self.faults.add("livelock", stuck.function, span, frame, rows, lanes, describe)
        raise KernelAborted

    # -- what generated code takes at the start ---------------------------------------------------------------------

    def special(self, register: str) -> Values:
        return special_register(SpecialRegister(register), self.launch)

    def argument(self, value: int, part: int) -> Values:
        return self._values[value][part]

    def bounds(self, value: int) -> tuple[Values, int]:
        """Start and size in bytes of the buffer that a pointer parameter points into."""
        found = self.arena.find(int(self._values[value][0]))
        return (scalar(np.int64(0)), 0) if found is None else (scalar(np.int64(found[0].base)), found[0].size)

    def symbol(self, function: str, symbol: int) -> tuple[Values, int, Values]:
        """Start, size and stride in bytes of a variable; a local variable starts where its frame says."""
        found = self._function(function)
        declared = found.symbols[symbol]
        if declared.kind is SymbolKind.LOCAL:
            size = symbol_bytes(found, symbol)
            return scalar(np.int64(0)), size, scalar(np.int64(Arena.stride_of(size)))
        region = self.variables.region(found, symbol)
        return scalar(np.int64(region.base)), region.size, scalar(np.int64(region.stride))

    def _function(self, id: str) -> Function:
        return self._code.functions[FunctionId(id)].segmented.function

    def access(self, number: int) -> Access:
        """The checks of one memory instruction, as strict as this launch needs them."""
        planned = self._code.accesses[number]
        function = planned.site.function
        tracked, aligned, read_only = True, planned.aligned, False
        region: Allocation | None = None
        home: Home | None = None
        match planned.root:
            case ParameterRoot(value=value):
                low, size = self.bounds(value)
                first = int(self._values[value][0])
                home = Home(Each.GRID, first, size - (first - int(low)))
                found = self.arena.find(int(low))
                region = None if found is None else found[0]
                tracked = found is None or not self.arena.is_written(found[0])
                aligned = aligned and (first - int(low)) % 16 == 0
            case SymbolRoot(symbol=symbol):
                kind = function.symbols[symbol].kind
                tracked = kind in (SymbolKind.LOCAL, SymbolKind.SHARED, SymbolKind.DYNAMIC_SHARED)
                home = self._home(function, symbol)
                if tracked and kind is not SymbolKind.LOCAL:
                    region = self.variables.region(function, symbol)
                read_only = kind is SymbolKind.CONSTANT and planned.site.kind is not AccessKind.LOAD
            case None:
                pass
        return Access(
            planned.site,
            planned.parts,
            self.arena,
            self.faults,
            self.extents,
            self._access_observers,
            self.deadline,
            region=region,
            home=home,
            tracked=tracked,
            alignment=1 if aligned else planned.alignment,
            read_only=read_only,
        )

    def _home(self, function: Function, symbol: SymbolId) -> Home:
        kind = function.symbols[symbol].kind
        if kind is SymbolKind.LOCAL:
            size = symbol_bytes(function, symbol)
            return Home(Each.THREAD, 0, size, Arena.stride_of(size), symbol)
        region = self.variables.region(function, symbol)
        is_shared = kind in (SymbolKind.SHARED, SymbolKind.DYNAMIC_SHARED)
        return Home(Each.BLOCK if is_shared else Each.GRID, region.base, region.size, region.stride, symbol)

    def string(self, text: str) -> Values:
        """The address of a string literal."""
        if text not in self._strings:
            octets = np.frombuffer(text.encode() + b"\0", np.uint8)
            region = self.arena.allocate("a string literal", MemorySpace.CONSTANT, len(octets), written=True)
            self.arena.contents(region)[:] = octets
            self._strings[text] = region
        return scalar(np.int64(self._strings[text].base))

    # -- what generated code asks for while it runs -------------------------------------------------------------------

    def clock(self) -> int:
        """Warp instructions so far."""
        return self.counters.steps

    def note_change(self, changed: bool) -> None:
        self.changes += changed

    def update_barrier(
        self, operator: str, frame: Frame, rows: Rows | None, address: Values, lanes: Lanes | None, count: Values
    ) -> Values:
        """The words of memory barriers before an update; zero where a lane takes no part."""
        self.deadline.check()
        wave_rows = frame.wave_rows if rows is None else frame.wave_rows[rows]
        shape = (len(wave_rows), self.launch.warp_size)
        present = np.ones(shape, np.bool_) if lanes is None else lanes
        addresses, counts = np.broadcast_to(address, shape), np.broadcast_to(count, shape)
        self.changes += 1
        return self.phases.update(operator, wave_rows, present, addresses, counts)

    def answer(self, address: Values, parity: Values, shape: tuple[int, int]) -> Lanes:
        """Whether the phases of memory barriers are complete."""
        return self.phases.answer(np.broadcast_to(address, shape), np.broadcast_to(parity, shape))

    def refuse(self, place: int) -> None:
        where = self._code.places[place]
        raise Refusal(where.construct, str(where.function.id), where.span)

    def value(
        self, segment: int, value: int, frame: Frame, rows: Rows | None, lanes: Lanes | None, parts: tuple[Values, ...]
    ) -> None:
        wave_rows = frame.wave_rows if rows is None else frame.wave_rows[rows]
        # Generated code passes plain numbers; an identity made of each would cost a call for every value.
        event = ValueEvent(wave_rows, lanes, segment, value, parts)  # pyright: ignore[reportArgumentType]
        for observer in self._value_observers:
            observer.value(event)

    def havoc(self, kind: str, shape: tuple[int, int]) -> Values:
        """Random values: small numbers, as likely to be used as an index as anything."""
        if kind[0] == "f":
            return self._random.uniform(-1.0, 1.0, shape).astype(kind)
        if kind == "b1":
            return self._random.integers(0, 2, shape).astype(np.bool_)
        return self._random.integers(0, 64, shape).astype(kind)

    def heap(self, frame: Frame, rows: Rows | None, lanes: Lanes | None, size: Values) -> Values:
        """Device-side malloc: one object per active thread; null where the heap is full."""
        shape = (frame.rows if rows is None else len(rows), self.launch.warp_size)
        return self._heap.allocate(np.broadcast_to(size, shape), lanes)

    def is_in(self, addresses: Values, space: str) -> Values:
        """Which addresses lie in a memory space."""
        different, place = np.unique(addresses, return_inverse=True)
        found = np.zeros(len(different), np.bool_)
        for index, address in enumerate(different.tolist()):
            self.deadline.check()
            where = self.arena.find(address)
            found[index] = where is not None and where[0].space.value == space
        return found[place].reshape(np.shape(addresses))

    def texture(
        self,
        place: int,
        operation: str,
        frame: Frame,
        rows: Rows | None,
        lanes: Lanes | None,
        arguments: tuple[tuple[Values, ...], ...],
        kinds: tuple[str, ...],
    ) -> tuple[Values, ...]:
        shape = (frame.rows if rows is None else len(rows), self.launch.warp_size)
        found = self._textures.operate(operation, lanes, shape, arguments, kinds)
        if found is None:
            self.refuse(place)
            raise AssertionError
        return found

    def output(
        self, frame: Frame, rows: Rows | None, lanes: Lanes | None, text: str, arguments: tuple[Values, ...]
    ) -> None:
        shape = (frame.rows if rows is None else len(rows), self.launch.warp_size)
        self.printf.print(text, arguments, np.ones(shape, np.bool_) if lanes is None else lanes)

    def check_assertion(
        self, place: int, frame: Frame, rows: Rows | None, lanes: Lanes | None, condition: Values, of_callee: bool
    ) -> None:
        if condition.all():
            return
        shape = (frame.rows if rows is None else len(rows), self.launch.warp_size)
        failed = np.broadcast_to(~condition, shape)
        failed = failed if lanes is None else failed & lanes
        if failed.any():
            self._abort(
                "assertion",
                place,
                frame,
                rows,
                failed,
                lambda evidence, _row, _lane: FailedAssertion(evidence, of_callee),
            )

    def check_width(self, place: int, frame: Frame, rows: Rows | None, lanes: Lanes | None, width: Values) -> None:
        """Shuffles go over segments of a power of two of lanes, up to the whole warp."""
        wide = np.asarray(width).astype(np.int64)
        wrong = (wide < 1) | (wide > self.launch.warp_size) | (wide & (wide - 1) != 0)
        if not wrong.any():
            return
        active = self._active(frame, rows, lanes)
        wide = np.broadcast_to(wide, active.shape)

        def describe(evidence: Evidence, row: int, lane: int) -> Fault:
            return IllegalShuffleWidth(evidence, int(wide[row, lane]))

        where = self._code.places[place]
        self.faults.add("width", where.function, where.span, frame, rows, wrong & active, describe)

    def check_source(self, place: int, frame: Frame, rows: Rows | None, lanes: Lanes | None, source: Values) -> None:
        """What all lanes read from one lane has to come from a lane that takes part."""
        if lanes is None:
            return
        active = self._active(frame, rows, lanes)
        source = np.broadcast_to(source, active.shape)
        first = np.take_along_axis(source, active.argmax(axis=1)[:, None], axis=1)
        is_absent = ~np.take_along_axis(active, first, axis=1)
        is_one = ((source == first) | ~active).all(axis=1, keepdims=True)

        def describe(evidence: Evidence, row: int, lane: int) -> Fault:
            return InactiveLaneRead(evidence, int(source[row, lane]))

        where = self._code.places[place]
        wrong = active & is_absent & is_one
        self.faults.add("inactive-lane", where.function, where.span, frame, rows, wrong, describe)

    def _active(self, frame: Frame, rows: Rows | None, lanes: Lanes | None) -> Lanes:
        shape = (frame.rows if rows is None else len(rows), self.launch.warp_size)
        return np.ones(shape, np.bool_) if lanes is None else lanes

    def leave_out(self, place: int, frame: Frame, rows: Rows | None, lanes: Lanes | None) -> None:
        """A launch that is not run."""

        def describe(evidence: Evidence, row: int, lane: int) -> LeftOutLaunch:
            return LeftOutLaunch(evidence)

        where, active = self._code.places[place], self._active(frame, rows, lanes)
        self.left_out.add("launch", where.function, where.span, frame, rows, active, describe)

    def trap(self, place: int, frame: Frame, rows: Rows | None, lanes: Lanes | None) -> None:
        active = self._active(frame, rows, lanes)
        self._abort("trap", place, frame, rows, active, lambda evidence, _row, _lane: Trapped(evidence))

    def _abort(
        self,
        kind: str,
        place: int,
        frame: Frame,
        rows: Rows | None,
        lanes: Lanes,
        describe: Callable[[Evidence, int, int], Fault],
    ) -> None:
        where = self._code.places[place]
        self.faults.add(kind, where.function, where.span, frame, rows, lanes, describe)
        raise KernelAborted

    def call(
        self,
        place: int,
        callee: str,
        frame: Frame,
        rows: Rows | None,
        lanes: Lanes | None,
        arguments: tuple[Values, ...],
    ) -> tuple[Values, ...]:
        """Runs a function for the calling lanes until all of them have returned."""
        id = FunctionId(callee)
        if id not in self._code.functions:
            where = self._code.places[place]
            raise Refusal(f"a call of {callee}", str(where.function.id), where.span)
        code = self._code.functions[id]
        called = frame.part(np.arange(frame.rows) if rows is None else rows)
        width = self.launch.warp_size
        active = np.ones((called.rows, width), np.bool_) if lanes is None else lanes
        if self._depth >= MAX_DEPTH:
            self._abort(
                "stack", place, frame, rows, active, lambda evidence, _row, _lane: StackOverflow(evidence, MAX_DEPTH)
            )
        called.live = active
        local = self._enter(id, called)
        for register, value in zip(code.parameters, arguments, strict=True):
            if register >= 0:
                held = called.registers[register].dtype
                called.registers[register] = np.array(_rows_of(called, value), held)
        self._run_frame(id, called, np.flatnonzero(active.any(axis=1)))
        self._leave(id, called, local)
        return tuple(called.registers[register] for register in code.returned)

    def _enter(self, id: FunctionId, called: Frame) -> dict[int, Allocation]:
        """Registers and local memory of a call; raises `OutOfBudget` where they do not fit."""
        code = self._code.functions[id]
        needed = self._register_bytes(id, called)
        if self._frame_bytes + needed > self.launch.budget.memory_bytes:
            raise OutOfBudget(TruncationReason.MEMORY, self.deadline.segment)
        called.registers = [scalar(np.dtype(part.held).type(0)) for part in code.registers]
        try:
            local = self._local_memory(code.segmented.function, called)
        except LaunchError:
            raise OutOfBudget(TruncationReason.MEMORY, self.deadline.segment) from None
        called.local_bases = {number: region.base for number, region in local.items()}
        self._frame_bytes += needed
        self._depth += 1
        return local

    def _leave(self, id: FunctionId, called: Frame, local: dict[int, Allocation]) -> None:
        self._depth -= 1
        self._frame_bytes -= self._register_bytes(id, called)
        for region in reversed(local.values()):
            self.arena.release(region)

    def _register_bytes(self, id: FunctionId, called: Frame) -> int:
        """As if every register were as wide as it can be."""
        registers = self._code.functions[id].registers
        return called.rows * called.width * sum(np.dtype(part.held).itemsize for part in registers)


def _rows_of(frame: Frame, value: Values) -> Values:
    """A value with a row for each row of the frame, or none."""
    if not value.ndim or value.shape[0] == frame.rows:
        return value
    return np.broadcast_to(value, (frame.rows, value.shape[1]))
