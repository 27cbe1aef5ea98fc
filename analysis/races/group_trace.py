"""The ways of several threads through a kernel, followed together as long as they go the same way.

Answer    For each thread exactly what `trace` gives for it, so it does not matter who was followed together.
Method    Threads at one place, in one interval, are a group.  What is the same for all of them is computed once, the
          rest as columns (`verdict/columns.py`).  A decision on which they differ parts them; who is behind goes
          on first, and groups that meet at a block, in the same interval and rounds, become one again.
Alone     Who leaves an array is not followed here: whether that matters depends on those that come before.
Cost      A dozen threads that go the same way cost what two or three do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, final

from analysis.ir.function import ENTRY
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Branch, Switch, Trap
from analysis.races.long_loops import FOLLOWED_ROUNDS, LongLoop, skip_rounds
from analysis.races.program import REGION_BITS, OutOfBounds, Program, StepKind, offset_in
from analysis.races.program_columns import SomeOutOfBounds, column_of
from analysis.races.trace import FIRST_EPOCH, Event, Trace, may_assume
from analysis.verdict.columns import Column
from analysis.verdict.evaluation import LaunchedBlock
from analysis.verdict.thread_walk import target_of

Target: TypeAlias = tuple[BasicBlockId, BasicBlockId | None]
"""The next block, and the one it is entered from (None: from somewhere)."""


def trace_together(
    program: Program, launch: LaunchedBlock, threads: Sequence[int], budget: int, wanted: Collection[int]
) -> list[Trace | None]:
    """For each thread what it does, for at most `budget` operations; None for those that were not followed."""
    return _Tracer(program, launch, threads, budget, wanted).run()


@final
@dataclass(slots=True)
class _Group:
    """Threads that are about to run `block`, by their places among all; state as in `trace.py`, `turns`: all rounds.

    `values`: the same for all of them; `columns`: for each of them.  `spent`: operations since they are together,
    `more` those of each before that.
    """

    places: list[int]
    numbers: list[int]
    more: list[int]
    values: dict[ValueId, int]
    columns: dict[ValueId, Column] = field(default_factory=dict[ValueId, Column])
    block: BasicBlockId = ENTRY
    epoch: int = FIRST_EPOCH
    meetings: int = 0
    rounds: Mapping[BasicBlockId, int] = field(default_factory=dict[BasicBlockId, int])
    assumed: tuple[BasicBlockId, ...] = ()
    back: dict[BasicBlockId, int] = field(default_factory=dict[BasicBlockId, int])
    turns: int = 0
    spent: int = 0

    def part(self, at: Sequence[int]) -> _Group:
        """Those at some positions in it, that go on alone."""
        return _Group(
            [self.places[one] for one in at],
            [self.numbers[one] for one in at],
            [self.more[one] for one in at],
            dict(self.values),
            {value: [column[one] for one in at] for value, column in self.columns.items()},
            self.block,
            self.epoch,
            self.meetings,
            self.rounds,
            self.assumed,
            dict(self.back),
            self.turns,
            self.spent,
        )

    def keep(self, at: Sequence[int]) -> None:
        """Only those at some positions in it go on."""
        for of_each in (self.places, self.numbers, self.more):
            of_each[:] = [of_each[one] for one in at]
        for value, column in self.columns.items():
            self.columns[value] = [column[one] for one in at]

    def put(self, result: ValueId, value: int | None) -> None:
        """The same for all."""
        if result in self.columns:
            del self.columns[result]
        if value is None:
            self.values.pop(result, None)
        else:
            self.values[result] = value

    def put_column(self, result: ValueId, column: Column | None) -> None:
        if result in self.values:
            del self.values[result]
        if column is None:
            self.columns.pop(result, None)
        else:
            self.columns[result] = column

    def column(self, value: ValueId) -> Column:
        return self.columns.get(value) or [self.values.get(value)] * len(self.places)

    def go_back(self, header: BasicBlockId, times: int) -> None:
        self.rounds = {**self.rounds, header: self.rounds.get(header, 0) + times}
        self.turns += times

    def merge(self, other: _Group) -> bool:
        """Takes the others in if they are in the same interval, at the same point of all loops."""
        mine, theirs = self, other
        if (mine.epoch, mine.meetings, mine.rounds, mine.assumed, mine.back) != (
            theirs.epoch,
            theirs.meetings,
            theirs.rounds,
            theirs.assumed,
            theirs.back,
        ):
            return False
        differing = {value for value, _ in mine.values.items() ^ theirs.values.items()}
        columns = {
            value: mine.column(value) + theirs.column(value)
            for value in differing | mine.columns.keys() | theirs.columns.keys()
        }
        for value in columns:
            mine.values.pop(value, None)
        mine.columns = columns
        mine.more = [one + mine.spent for one in mine.more] + [one + theirs.spent for one in theirs.more]
        mine.spent = 0
        mine.places = mine.places + theirs.places
        mine.numbers = mine.numbers + theirs.numbers
        return True


@final
class _Tracer:
    def __init__(
        self, program: Program, launch: LaunchedBlock, threads: Sequence[int], budget: int, wanted: Collection[int]
    ) -> None:
        self._program = program
        self._launch = launch
        self._threads = threads
        self._budget = budget
        self._wanted = wanted
        self._traces: list[Trace | None] = [Trace() for _ in threads]
        self._waiting: list[_Group] = []

    def run(self) -> list[Trace | None]:
        count = len(self._threads)
        everyone = _Group(list(range(count)), list(self._threads), [0] * count, dict(self._launch.scalars))
        self._arrive(everyone, None)
        while self._waiting:
            group = self._furthest_behind()
            try:
                self._step(group)
            except OutOfBounds:
                for place in group.places:
                    self._traces[place] = None
        return self._traces

    def _furthest_behind(self) -> _Group:
        waiting = self._waiting
        if len(waiting) == 1:
            return waiting.pop()
        rank = self._program.control.rank
        return waiting.pop(min(range(len(waiting)), key=lambda at: (waiting[at].turns, rank[waiting[at].block])))

    def _end(self, group: _Group) -> None:
        for place, more in zip(group.places, group.more, strict=True):
            trace = self._traces[place]
            if trace is not None:
                trace.operations = group.spent + more

    # -- blocks -------------------------------------------------------------------------------------------------------

    def _arrive(self, group: _Group, source: BasicBlockId | None) -> None:
        """Phis, and rounds that are left out; then the group waits, as part of one that is there if it can."""
        going = self._within_budget(group)
        if going is None:
            return
        going.spent += 1
        if going.block in self._program.phis:
            self._take(going, source)
            loop = self._program.long_loops.get(going.block)
            if loop is not None and going.back.get(going.block, 0) >= FOLLOWED_ROUNDS:
                for part in _skip_rounds(going, loop):
                    self._wait(part)
                return
        self._wait(going)

    def _within_budget(self, group: _Group) -> _Group | None:
        """Those that may go on."""
        left = self._budget - group.spent
        if max(group.more) < left:
            return group
        at = [place for place, more in enumerate(group.more) if more < left]
        self._end(group)
        return group.part(at) if at else None

    def _wait(self, group: _Group) -> None:
        if not any(other.block == group.block and other.merge(group) for other in self._waiting):
            self._waiting.append(group)

    def _take(self, group: _Group, source: BasicBlockId | None) -> None:
        """The phis, all at once."""
        given = self._program.given(group.block, source)
        group.spent += len(given)
        taken: list[tuple[ValueId, int | None, Column | None]] = [
            (phi, None, None) if value is None else (phi, group.values.get(value), group.columns.get(value))
            for phi, value in given
        ]
        for phi, number, column in taken:
            if column is None:
                group.put(phi, number)
            else:
                group.put_column(phi, column)

    def _step(self, group: _Group) -> None:
        """Runs the block, and sends the threads on."""
        program, block = self._program, group.block
        if block in program.marks:
            group.spent += len(program.body(block))
            if not self._run(group):
                self._end(group)
                return
        way = program.ways[block]
        if way is None:
            if isinstance(program.function.blocks[block].terminator, Trap):
                raise OutOfBounds
            self._end(group)
            return
        condition, if_true, if_false = way
        if condition is None:
            self._go(group, (if_true, block))
            return
        for part, decided in _decided(group, condition):
            if decided is not None:
                self._go(part, (if_true if decided else if_false, block))
            else:
                self._leave(part)

    def _leave(self, group: _Group) -> None:
        """Where that is no plain branch, or cannot be told."""
        program, block = self._program, group.block
        if block not in program.deciders:
            after = program.control.immediate_post_dominator(block)
            self._go(group, None if after is None else (after, None))
            return
        terminator = program.function.blocks[block].terminator
        assert isinstance(terminator, Branch | Switch)
        for part, decided in _decided(group, terminator.operands[0]):
            target = None if decided is None else target_of(terminator, decided)
            way = self._going_on(part) or self._skip(part) if target is None else (target, block)
            self._go(part, way)

    def _going_on(self, group: _Group) -> Target | None:
        block = group.block
        target = self._program.assumed_way(block)
        if target is None or not may_assume(group.assumed, block):
            return None
        group.assumed = (*group.assumed, block)
        return target, block

    def _skip(self, group: _Group) -> Target | None:
        skipped = self._program.skip(group.block)
        if skipped is None or skipped.after is None:
            return None
        for value in skipped.forgotten:
            group.put(value, None)
        return skipped.after, None

    def _go(self, group: _Group, target: Target | None) -> None:
        """None: no further."""
        if target is None:
            self._end(group)
            return
        program, (block, source) = self._program, target
        rank = program.control.rank
        if rank[block] <= rank[group.block]:
            group.go_back(block, 1)
            if block in program.long_loops:
                group.back[block] = group.back.get(block, 0) + 1
        group.block = block
        self._arrive(group, source)

    # -- steps --------------------------------------------------------------------------------------------------------

    def _run(self, group: _Group) -> bool:
        """Do the threads go on behind the steps of the block?"""
        values, columns, launch, numbers = group.values, group.columns, self._launch, group.numbers
        differing = columns.keys()
        for kind, item, evaluate, operands in self._program.body(group.block):
            if evaluate is not None:
                result = ValueId(item)
                if operands and differing.isdisjoint(operands):
                    group.put(result, evaluate(values, launch, numbers[0]))
                else:
                    evaluate_column = column_of(self._program, result)
                    try:
                        column = evaluate_column(columns, values, launch, numbers)
                    except SomeOutOfBounds as some:
                        self._let_go(group, some.positions)
                        column = evaluate_column(columns, values, launch, numbers)
                    group.put_column(result, column)
            elif kind is StepKind.USE:
                self._use(group, item)
            elif kind is StepKind.BLOCK_BARRIER:
                group.epoch = hash((group.epoch, item))
                group.meetings = 0
                group.back.clear()
            elif kind is StepKind.WARP_BARRIER:
                group.meetings += 1
            elif kind is StepKind.ASSERT:
                self._let_go(group, [at for at, value in enumerate(group.column(ValueId(item))) if value == 0])
            else:
                return False
        return True

    def _use(self, group: _Group, number: int) -> None:
        program, use = self._program, self._program.uses[number]
        column = group.columns.get(use.address)
        shared = group.values.get(use.address)
        if column is None and shared is None:
            return
        addresses = [shared] * len(group.places) if column is None else column
        traces, sizes, block, outside = self._traces, program.sizes, self._launch.block, list[int]()
        is_wanted = number in self._wanted
        for at, address in enumerate(addresses):
            if address is None:
                continue
            size = sizes.get(address >> REGION_BITS)
            if size is not None and not 0 <= offset_in(address) <= size - use.width:
                outside.append(at)
            elif is_wanted and (trace := traces[group.places[at]]) is not None:
                thread = group.numbers[at]
                trace.events.append(
                    Event(number, thread, block, address, group.epoch, group.meetings, group.rounds, group.assumed)
                )
        self._let_go(group, outside)

    def _let_go(self, group: _Group, positions: Sequence[int]) -> None:
        """Those at these positions leave an array, or show otherwise that the launch is not meant."""
        if not positions:
            return
        if len(positions) == len(group.places):
            raise OutOfBounds
        for at in positions:
            self._traces[group.places[at]] = None
        group.keep([at for at in range(len(group.places)) if at not in positions])


def _decided(group: _Group, condition: ValueId) -> Iterable[tuple[_Group, int | None]]:
    """The group, in parts where the threads differ."""
    column = group.columns.get(condition)
    if column is None:
        return ((group, group.values.get(condition)),)
    alike: dict[int | None, list[int]] = {}
    for at, decided in enumerate(column):
        alike.setdefault(decided, []).append(at)
    if len(alike) == 1:
        return ((group, column[0]),)
    return [(group.part(at), decided) for decided, at in alike.items()]


def _skip_rounds(group: _Group, loop: LongLoop) -> Sequence[_Group]:
    """The group in the last round of the loop; in parts where the threads leave out different numbers of rounds."""
    moving = {loop.counter, *(one.value for one in loop.stepped), *loop.forgotten}
    read = {*moving, loop.bound, *(one.by for one in loop.stepped)}
    if group.columns.keys().isdisjoint(read):
        group.go_back(group.block, skip_rounds(loop, group.values))
        return (group,)
    alike: dict[int, list[int]] = {}
    found: list[dict[ValueId, int]] = []
    columns = {value: group.column(value) for value in read}
    for at in range(len(group.places)):
        values = {value: number for value, column in columns.items() if (number := column[at]) is not None}
        alike.setdefault(skip_rounds(loop, values), []).append(at)
        found.append(values)
    for value in moving:
        group.put_column(value, [values.get(value) for values in found])
    parts = [(left_out, group.part(at)) for left_out, at in alike.items()] if len(alike) > 1 else [(*alike, group)]
    for left_out, part in parts:
        part.go_back(part.block, left_out)
    return [part for _, part in parts]
