"""The way of one thread through a kernel, as far as it can be told: what it uses, in which interval.

Prefix    A thread is followed until a decision cannot be told, or until its share of the work is spent.  What it did
          until then it does in every run of that launch, so a race between two such beginnings is a race.
Skips     Where data decides between ways that lead to no barrier and to no lock, the thread goes on behind them; what
          they use is not seen.
Going on  Where memory decides, alike for the whole block, whether a loop goes on (`while (!done)`) or the kernel ends
          (`if (count[0] == 0) return;`), the thread goes on: `MAX_ROUNDS` times at each such decision, at `MAX_ASSUMED`
          of them.  What it does from there on it does if the block goes on.
Loops     Of a long loop without barriers the first rounds and the last one are followed (`long_loops.py`).
Epochs    Two threads are in the same interval if they came by the same barriers in the same order.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, final

from analysis.ir.function import ENTRY
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Branch, Switch, Trap
from analysis.ir.record import record
from analysis.races.long_loops import FOLLOWED_ROUNDS, skip_rounds
from analysis.races.program import REGION_BITS, Given, OutOfBounds, Program, Step, StepKind, offset_in
from analysis.verdict.evaluation import LaunchedBlock
from analysis.verdict.thread_walk import target_of

FIRST_EPOCH: Final = 0
MAX_ASSUMED: Final = 3
MAX_ROUNDS: Final = 2
"""Into a loop, and around it once."""


@final
@record
class Event:
    """One use of memory by one thread.

    `epoch` names the interval; `meetings`: how often the thread met others of its warp in it; `rounds`: how often it
    went back to the header of each loop before; `assumed`: the blocks at whose ends it is taken to go on.
    """

    use: int
    thread: int
    block: int
    address: int
    epoch: int
    meetings: int
    rounds: Mapping[BasicBlockId, int]
    assumed: tuple[BasicBlockId, ...] = ()


@final
@dataclass(slots=True)
class Trace:
    events: list[Event] = field(default_factory=list[Event])
    operations: int = 0


def trace(program: Program, launch: LaunchedBlock, thread: int, budget: int, wanted: Collection[int]) -> Trace:
    """What the thread does, for at most `budget` operations; of what it uses the `wanted` uses.

    Raises `OutOfBounds` where it leaves an array or ends the kernel with an error.
    """
    return _Tracer(program, launch, thread, budget, wanted).run()


def values_at(program: Program, launch: LaunchedBlock, event: Event, budget: int) -> dict[ValueId, int] | None:
    """What is known where the thread does this; None if it does not come there for that budget."""
    tracer = _Tracer(program, launch, event.thread, budget, (event.use,), event)
    tracer.run()
    return tracer.seen


def may_assume(assumed: Sequence[BasicBlockId], block: BasicBlockId) -> bool:
    """Once more, that threads go on at the end of the block?"""
    return assumed.count(block) < MAX_ROUNDS and len({*assumed, block}) <= MAX_ASSUMED


@final
class _Tracer:
    def __init__(
        self,
        program: Program,
        launch: LaunchedBlock,
        thread: int,
        budget: int,
        wanted: Collection[int],
        sought: Event | None = None,
    ) -> None:
        self._program = program
        self._launch = launch
        self._wanted = wanted
        self._sought = sought
        self.seen: dict[ValueId, int] | None = None
        """The values at the first event that is like the one that is sought."""
        self._thread = thread
        self._budget = budget
        self._values: dict[ValueId, int] = dict(launch.scalars)
        self._found = Trace()
        self._epoch = FIRST_EPOCH
        self._meetings = 0
        self._rounds: Mapping[BasicBlockId, int] = {}
        self._assumed: tuple[BasicBlockId, ...] = ()
        self._back: dict[BasicBlockId, int] = {}
        """How often each long loop went into another round since the last barrier."""

    def run(self) -> Trace:
        program, found = self._program, self._found
        rank, phis, marks = program.control.rank, program.phis, program.marks
        block: BasicBlockId = ENTRY
        source: BasicBlockId | None = None
        while found.operations < self._budget:
            found.operations += 1
            if block in phis:
                self._take(program.given(block, source))
                if block in self._back and self._back[block] >= FOLLOWED_ROUNDS:
                    self._go_back(block, skip_rounds(program.long_loops[block], self._values))
            if block in marks:
                steps = program.body(block)
                found.operations += len(steps)
                if not self._run(steps):
                    return found
            branch = program.ways[block]
            if branch is None:
                self._end(block)
                return found
            condition, if_true, if_false = branch
            decided = 1 if condition is None else self._values.get(condition)
            if decided is not None:
                source, target = block, if_true if decided else if_false
            else:
                way = self._leave(block)
                if way is None:
                    return found
                target, source = way
            if rank[target] <= rank[block]:
                self._go_back(target, 1)
                if target in program.long_loops:
                    self._back[target] = self._back.get(target, 0) + 1
            block = target
        return found

    def _go_back(self, header: BasicBlockId, times: int) -> None:
        self._rounds = {**self._rounds, header: self._rounds.get(header, 0) + times}

    def _take(self, given: Given) -> None:
        """The phis, all at once."""
        values = self._values
        self._found.operations += len(given)
        new = [(result, None if value is None else values.get(value)) for result, value in given]
        for result, number in new:
            if number is None:
                values.pop(result, None)
            else:
                values[result] = number

    def _run(self, steps: Sequence[Step]) -> bool:
        """Does the thread go on behind them?"""
        values, launch, thread = self._values, self._launch, self._thread
        for kind, item, evaluate, _ in steps:
            if evaluate is not None:
                value = evaluate(values, launch, thread)
                if value is None:
                    values.pop(ValueId(item), None)
                else:
                    values[ValueId(item)] = value
            elif kind is StepKind.USE:
                self._use(item)
            elif kind is StepKind.BLOCK_BARRIER:
                self._epoch = hash((self._epoch, item))
                self._meetings = 0
                self._back.clear()
            elif kind is StepKind.WARP_BARRIER:
                self._meetings += 1
            elif kind is StepKind.ASSERT:
                if values.get(ValueId(item)) == 0:
                    raise OutOfBounds
            else:
                return False
        return True

    def _end(self, block: BasicBlockId) -> None:
        if isinstance(self._program.function.blocks[block].terminator, Trap):
            raise OutOfBounds

    def _use(self, number: int) -> None:
        use = self._program.uses[number]
        address = self._values.get(use.address)
        if address is None:
            return
        size = self._program.sizes.get(address >> REGION_BITS)
        if size is not None and not 0 <= offset_in(address) <= size - use.width:
            raise OutOfBounds
        if number not in self._wanted:
            return
        event = Event(
            number,
            self._thread,
            self._launch.block,
            address,
            self._epoch,
            self._meetings,
            self._rounds,
            self._assumed,
        )
        self._found.events.append(event)
        if self.seen is None and event == self._sought:
            self.seen = dict(self._values)

    def _leave(self, block: BasicBlockId) -> tuple[BasicBlockId, BasicBlockId | None] | None:
        """The next block and the one it is entered from (None: from somewhere), where that is no plain branch."""
        program = self._program
        if block not in program.deciders:
            after = program.control.immediate_post_dominator(block)
            return None if after is None else (after, None)
        terminator = program.function.blocks[block].terminator
        assert isinstance(terminator, Branch | Switch)
        decided = self._values.get(terminator.operands[0])
        target = None if decided is None else target_of(terminator, decided)
        if target is not None:
            return target, block
        return self._going_on(block) or self._skip(block)

    def _going_on(self, block: BasicBlockId) -> tuple[BasicBlockId, BasicBlockId] | None:
        target = self._program.assumed_way(block)
        if target is None or not may_assume(self._assumed, block):
            return None
        self._assumed = (*self._assumed, block)
        return target, block

    def _skip(self, block: BasicBlockId) -> tuple[BasicBlockId, None] | None:
        skipped = self._program.skip(block)
        if skipped is None or skipped.after is None:
            return None
        for value in skipped.forgotten:
            self._values.pop(value, None)
        return skipped.after, None
