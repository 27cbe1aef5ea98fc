"""The way of threads through a function, as far as integers decide it: how often do they come to certain blocks?

Method    Threads at one place are followed together: what does not depend on the number of a thread is computed once
          for all of them.  A branch that they decide differently parts them; who is further behind goes on first
          (`ControlFlow.layout`), and groups that meet at a block with the same values become one again.
Cost      A warp in step costs little more than one thread, and so does one whose lanes part and meet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import repeat
from typing import TypeAlias, TypeVar, final

from analysis.divergence.levels import Level
from analysis.ir.function import ENTRY
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Branch,
    Jump,
    Return,
    Switch,
    Trap,
)
from analysis.ir.pace import spend
from analysis.verdict.columns import Column
from analysis.verdict.evaluation import LaunchedBlock
from analysis.verdict.slice import Given, Slice

Value = TypeVar("Value")

Visit: TypeAlias = tuple[BasicBlockId, tuple[int | None, ...]]
"""A watched block that the thread ran, and the values that were asked for; None for those that cannot be told."""


class Stop(Enum):
    """Why threads are not followed further."""

    UNKNOWN = "a decision that cannot be told"
    END = "nothing more that matters"


@final
@dataclass(slots=True)
class WalkedThread:
    """One thread.

    `arrivals`: how often it ran the target blocks, or at least ran them where it was not followed to its end.
    `visits`: the watched blocks that it ran, in its order.
    """

    number: int
    visits: list[Visit] = field(default_factory=list[Visit])
    arrivals: int = 0
    is_followed: bool = False
    """To its end, or until it had arrived often enough."""


@final
@dataclass(slots=True)
class _Group:
    """Threads at one place with the same values: at `block`, entered from `source` (None: from somewhere).

    `values`: what does not depend on the number of a thread; `columns`: what does, for each of them.  What is missing
    is unknown.  `rounds`: how often each decision was assumed.  `arrivals`: since they are together.  `spent`:
    operations of the one that needed most.
    """

    threads: list[WalkedThread]
    numbers: list[int]
    values: dict[ValueId, int]
    columns: dict[ValueId, Column]
    block: BasicBlockId = ENTRY
    source: BasicBlockId | None = None
    rounds: dict[BasicBlockId, int] = field(default_factory=dict[BasicBlockId, int])
    arrivals: int = 0
    spent: int = 0

    def part(self, places: Sequence[int]) -> _Group:
        """Those at some places among them, that go on alone."""
        return _Group(
            [self.threads[place] for place in places],
            [self.numbers[place] for place in places],
            dict(self.values),
            {value: [column[place] for place in places] for value, column in self.columns.items()},
            self.block,
            self.source,
            dict(self.rounds),
            self.arrivals,
            self.spent,
        )

    def forget(self, results: Iterable[ValueId]) -> None:
        for result in results:
            self.values.pop(result, None)
            self.columns.pop(result, None)


@final
class Walk:
    """Follows threads of one block together, as long as they go the same way.

    `budget` bounds the operations of all, where what is the same for a group counts once; `longest` those of a thread.
    `enough`: nobody is followed who has arrived so often.
    """

    def __init__(
        self,
        slice_: Slice,
        launch: LaunchedBlock,
        threads: Iterable[int],
        budget: int,
        longest: int,
        enough: int | None = None,
    ) -> None:
        self._slice = slice_
        self._launch = launch
        self._longest = longest
        self._enough = enough
        self.threads = [WalkedThread(number) for number in threads]
        self.budget = budget
        self.assumed = False
        self.is_unfinished = False
        """Some thread ran out of operations."""
        self._some_are_lost = False
        """Of the group that decided last."""

    def follow(self) -> bool:
        """Can it be told for all threads how often they run the target blocks?  Gives up at the first that cannot."""
        return all(self._groups())

    def follow_each(self) -> bool:
        """The same, and follows the other threads where one cannot be followed."""
        return all(list(self._groups()))

    def _groups(self) -> Iterator[bool]:
        """For each group whose way ends somewhere, whether it was followed to its end."""
        waiting: list[_Group] = []
        numbers = [thread.number for thread in self.threads]
        self._arrive(_Group(self.threads, numbers, dict(self._launch.scalars), {}), waiting)
        while waiting:
            spend(20 + len(waiting))
            group = self._furthest_behind(waiting)
            self._run(group)
            if self._enough is not None and group.arrivals >= self._enough:
                yield _end(group, is_followed=True)
            elif self.budget <= 0 or group.spent >= self._longest:
                self.is_unfinished = True
                yield _end(group, is_followed=False)
            else:
                parts = self._leave(group)
                if isinstance(parts, Stop):
                    yield _end(group, is_followed=parts is Stop.END)
                    parts = ()
                if self._some_are_lost:
                    self._some_are_lost = False
                    yield False
                for part in parts:
                    self._arrive(part, waiting)
            if self.budget <= 0:
                for other in waiting:
                    _end(other, is_followed=False)
                waiting.clear()

    def _furthest_behind(self, waiting: list[_Group]) -> _Group:
        """Taken out; those ahead wait where ways meet."""
        if len(waiting) == 1:
            return waiting.pop()
        layout = self._slice.control.layout
        return waiting.pop(min(range(len(waiting)), key=lambda number: layout[waiting[number].block]))

    def _arrive(self, group: _Group, waiting: list[_Group]) -> None:
        """Phis all at once, unknown without a source; then the group waits, as part of one that is there if it can."""
        phis = self._phis(group.block, group.source)
        if phis:
            self._take(group, phis)
            self.budget -= len(phis)
            group.spent += len(phis)
        if not any(other.block == group.block and self._merge(other, group) for other in waiting):
            waiting.append(group)

    def _take(self, group: _Group, phis: Given) -> None:
        values, columns, of_thread = group.values, group.columns, self._slice.of_thread
        taken: list[tuple[ValueId, int | None, Column | None]] = [
            (phi, None, None) if given is None else (phi, values.get(given), columns.get(given)) for phi, given in phis
        ]
        for phi, value, column in taken:
            if phi not in of_thread:
                _put(values, phi, value)
            elif column is None and value is not None:
                columns[phi] = [value] * len(group.threads)
            else:
                _put(columns, phi, column)

    def _merge(self, group: _Group, other: _Group) -> bool:
        """Takes the other threads in, if from here on both read the same of what all threads share.

        What differs is forgotten, so it is unknown afterwards and never wrong.  Nothing is lost by that where no block
        above this one defines it: every way to a use passes the definition again.
        """
        if group.rounds != other.rounds or (self._enough is not None and group.arrivals != other.arrivals):
            return False
        differing = {value for value, _ in group.values.items() ^ other.values.items()}
        if any(self._slice.is_defined_above(value, group.block) for value in differing):
            return False
        are_even = group.arrivals == other.arrivals
        for one in (group, other):
            if not are_even:
                _flush(one)
            for value in differing:
                one.values.pop(value, None)
        mine: Column = [None] * len(group.threads)
        theirs: Column = [None] * len(other.threads)
        group.columns = {
            value: group.columns.get(value, mine) + other.columns.get(value, theirs)
            for value in group.columns.keys() | other.columns.keys()
        }
        group.threads = group.threads + other.threads
        group.numbers = group.numbers + other.numbers
        group.spent = max(group.spent, other.spent)
        return True

    def _run(self, group: _Group) -> None:
        """The instructions of the slice in the block."""
        slice_, launch, numbers, block = self._slice, self._launch, group.numbers, group.block
        values, columns, of_thread = group.values, group.columns, slice_.of_thread
        work = 0
        body = slice_.bodies.get(block, ())
        for result, evaluate, evaluate_column in body:
            if result in of_thread:
                _put(columns, result, evaluate_column(columns, values, launch, numbers))
                work += len(numbers)
            else:
                _put(values, result, evaluate(values, launch, numbers[0]))
                work += 1
        group.arrivals += block in slice_.targets
        group.spent += 1 + len(body)
        self.budget -= 1 + work
        watched = slice_.watched.get(block)
        if watched is not None:
            self._note(group, watched)

    def _note(self, group: _Group, watched: tuple[ValueId, ...]) -> None:
        values, columns = group.values, group.columns
        seen = zip(*(columns.get(value) or repeat(values.get(value)) for value in watched), strict=False)
        for thread, known in zip(group.threads, seen if watched else repeat(()), strict=False):
            thread.visits.append((group.block, known))

    def _phis(self, block: BasicBlockId, source: BasicBlockId | None) -> Given:
        """What each phi of the block takes when it is entered from `source`."""
        known = self._slice.given.get((block, source))
        if known is None:
            known = tuple(
                (phi.result, next((value for edge, value in phi.incoming if edge == source), None))
                for phi in self._slice.function.blocks[block].phis
                if phi.result in self._slice.definitions
            )
            self._slice.given[block, source] = known
        return known

    # -- ways -------------------------------------------------------------------------------------------------------

    def _leave(self, group: _Group) -> Sequence[_Group] | Stop:
        """The groups that go on, each about to enter a block."""
        match self._slice.function.blocks[group.block].terminator:
            case Return() | Trap():
                return Stop.END
            case Jump(target=target):
                group.block, group.source = target, group.block
                return (group,)
            case Branch() | Switch() as terminator:
                return self._decide(group, terminator)

    def _decide(self, group: _Group, terminator: Branch | Switch) -> Sequence[_Group] | Stop:
        slice_, block, condition = self._slice, group.block, terminator.operands[0]
        if block not in slice_.deciders:
            return self._skip(group)
        if condition not in slice_.of_thread:
            return self._go(group, terminator, group.values.get(condition))
        column = group.columns.get(condition)
        if column is None or column.count(column[0]) == len(column):
            return self._go(group, terminator, None if column is None else column[0])
        alike: dict[int | None, list[int]] = {}
        for place, decided in enumerate(column):
            alike.setdefault(decided, []).append(place)
        parts: list[_Group] = []
        for decided, places in alike.items():
            part = group.part(places)
            went = self._go(part, terminator, decided)
            if isinstance(went, Stop):
                self._some_are_lost |= not _end(part, is_followed=went is Stop.END)
            else:
                parts.extend(went)
        return parts

    def _go(self, group: _Group, terminator: Branch | Switch, decided: int | None) -> Sequence[_Group] | Stop:
        """On with a group for which the decision is the same."""
        slice_, block = self._slice, group.block
        if decided is not None:
            target = target_of(terminator, decided)
            if target is None:
                return Stop.UNKNOWN
            group.block, group.source = target, block
            return (group,)
        if len(slice_.control.successors[block]) == 1:
            group.block, group.source = slice_.control.successors[block][0], block
            return (group,)
        if block not in slice_.controllers:
            return self._skip(group)
        if slice_.divergence.terminator_level(block) > Level.BLOCK:
            return Stop.UNKNOWN
        return self._assume(group, terminator)

    def _skip(self, group: _Group) -> Sequence[_Group] | Stop:
        """Goes on behind what cannot be followed; forgets what loops that are left this way have computed."""
        control = self._slice.control
        after = control.immediate_post_dominator(group.block)
        if after is None:
            return Stop.END
        for cycle in control.cycles_around(group.block):
            if after in cycle.blocks:
                break
            computed = self._slice.computed_in(cycle)
            self.budget -= len(computed) // 16
            group.forget(computed)
        group.block, group.source = after, None
        return (group,)

    def _assume(self, group: _Group, terminator: Branch | Switch) -> Sequence[_Group] | Stop:
        """A uniform decision that is not known: towards the target first, out of its loop in later rounds."""
        slice_, block = self._slice, group.block
        rounds = group.rounds[block] = group.rounds.get(block, 0) + 1
        control = slice_.control
        around = [cycle for cycle in control.cycles_around(block) if slice_.targets & cycle.blocks]
        leaving = [t for t in control.successors[block] if around and t not in around[0].blocks]
        if leaving:
            staying = [t for t in control.successors[block] if t not in leaving]
            chosen = leaving[0] if rounds > 1 or not staying else staying[0]
        else:
            towards = [t for t in control.successors[block] if self._leads_to_target(t, block)]
            if len(towards) != 1:
                return Stop.UNKNOWN
            chosen = towards[0]
        self.assumed = True
        if isinstance(terminator, Branch) and not leaving:
            condition, is_true = terminator.condition, int(chosen == terminator.if_true)
            if condition in slice_.of_thread:
                group.columns[condition] = [is_true] * len(group.threads)
            else:
                group.values[condition] = is_true
        group.block, group.source = chosen, block
        return (group,)

    def _leads_to_target(self, start: BasicBlockId, without: BasicBlockId) -> bool:
        seen = {without}
        waiting = [start]
        while waiting:
            block = waiting.pop()
            if block in self._slice.targets:
                return True
            if block not in seen:
                seen.add(block)
                waiting.extend(self._slice.control.successors[block])
        return False


def _flush(group: _Group) -> None:
    """Notes with each thread how often it arrived so far."""
    for thread in group.threads:
        thread.arrivals += group.arrivals
    group.arrivals = 0


def _end(group: _Group, *, is_followed: bool) -> bool:
    _flush(group)
    for thread in group.threads:
        thread.is_followed = is_followed
    return is_followed


def _put(values: dict[ValueId, Value], result: ValueId, value: Value | None) -> None:
    if value is None:
        values.pop(result, None)
    else:
        values[result] = value


def target_of(terminator: Branch | Switch, decided: int) -> BasicBlockId | None:
    if isinstance(terminator, Branch):
        return terminator.if_true if decided else terminator.if_false
    for case in terminator.cases:
        if case.value is None:
            return None
        if case.value == decided:
            return case.target
    return terminator.default
