"""What is computed once and kept between versions of files, as long as it is worth its memory.

Question  Which results of earlier versions are still there when the next version of a file is analysed?
Rules     A result that the newest version of some file asked for is *in use* and stays.
          Others are *spare*: undo, and going back to a file, ask for them again.  Each table keeps spare results up to
          a weight of its own; the one that was asked for longest ago goes first.
          A version that was cancelled adds to what is in use and takes nothing away: nobody knows what it would have
          asked for.
          A file that is closed takes along what no other file uses, and what was spare because of it.
          A version may begin while another one is worked on, and ends before that goes on.
          What is asked for while no version is worked on is spare, unless a file uses it.
          Nothing depends on the order in which files are analysed, except what is spare.
How       Versions are numbered, and what a file uses stands in the order of the last version that asked for it.  So a
          question says at once that a result is in use, and a version that ends lets go what stands in front and is
          older: one result at a time, with turns for others, and whoever comes next goes on where a turn ended it.
Cost      one or two looks into a dictionary for each question, and nothing else for what a new version uses again.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Generator, Hashable
from contextlib import contextmanager
from itertools import count
from typing import Any, Final, Generic, TypeVar, cast, final

from analysis.ir.pace import spend
from analysis.ir.record import record
from analysis.store.freeing import free_in_turns

HEAVY: Final = 10_000
"""A result of more weight is freed a part at a time."""
OF_FREEING: Final = 20
"""Rounds that it takes to free a result."""
WEIGHT_OF_ROUND: Final = 10
"""And one more for so much of its weight."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
File = str
LetGo = Callable[[list[object]], None]
"""Empties a list that holds the last references, at once or later."""
Uses = OrderedDict[Key, int]
"""What a file uses, each with the number of the last version that asked for it; the oldest of them in front."""


@final
@record
class TableStatistics:
    """Of one table: `found` of `asked` questions were answered from it, `entries` of a total `weight` are kept."""

    name: str
    asked: int
    found: int
    entries: int
    weight: int


@final
@record
class Version:
    """One version of a file, while it is worked on; later ones have greater numbers."""

    file: File
    number: int


@final
class Table(Generic[Key, Value]):
    """Results of one kind by their keys; made by `Store.table`.  Belongs to one thread."""

    def __init__(self, name: str, weigh: Callable[[Value], int], spare: int, let_go: LetGo) -> None:
        self._name = name
        self._let_go = let_go
        self._weigh = weigh
        self._limit = spare
        self._values: dict[Key, Value] = {}
        self._users: Counter[Key] = Counter()
        """How many files use a result."""
        self._used: dict[File, Uses[Key]] = {}
        self._closed: list[Uses[Key]] = []
        """What closed files used, as far as it was not yet let go."""
        self._now: Uses[Key] | None = None
        """What the file uses of which a version is worked on."""
        self._number = 0
        self._spare: OrderedDict[Key, tuple[int, File]] = OrderedDict()
        """What nobody uses: its weight, and the file that used it last."""
        self._spare_weight = 0
        self._asked = self._found = 0

    def get_or_compute(self, key: Key, compute: Callable[[], Value], /) -> Value:
        """The value under `key`; computed and kept where it is missing."""
        self._asked += 1
        try:
            value = self._values[key]
        except KeyError:
            value = self._values[key] = compute()
        else:
            self._found += 1
        now = self._now
        if now is None:
            self._ask_for_nobody(key, value)
        elif now.get(key) != self._number:
            self._use(now, key)
        return value

    def _use(self, now: Uses[Key], key: Key) -> None:
        last = now.get(key)
        if last is None:
            self._users[key] += 1
            self._take_from_spare(key)
        if last is None or last < self._number:  # else a later version of the file was worked on inside this one
            now[key] = self._number
            now.move_to_end(key)

    def _ask_for_nobody(self, key: Key, value: Value) -> None:
        if key in self._spare:
            self._spare.move_to_end(key)
        elif key not in self._users:
            self._make_spare(key, value, "")
            self._free_spare()

    def go_on(self, version: Version | None) -> None:
        """From now on results are asked for by that version."""
        if version is None:
            self._now = None
            return
        self._now = self._used.setdefault(version.file, OrderedDict())
        self._number = version.number

    def end_version(self, version: Version) -> None:
        """What the file uses and `version` did not ask for is spare.  Others have their turn meanwhile."""
        file = version.file
        while (used := self._used.get(file)) and (key := next(iter(used))) and used[key] < version.number:
            del used[key]
            if self._is_unused(key):
                self._make_spare(key, self._values[key], file)
                self._free_spare()
            spend(1)

    def release(self, file: File) -> None:
        """Nobody looks at `file` any more.  Others have their turn meanwhile, and may open it again."""
        used = self._used.pop(file, None)
        if used is not None:
            self._closed.append(used)
            if used is self._now:
                self._now = None
        while self._closed:
            used = self._closed[-1]
            if not used:
                self._closed.pop()
                continue
            key, _ = used.popitem()
            if self._is_unused(key):
                self._free(key)
        for key in [key for key, (_, last) in self._spare.items() if last == file]:
            if self._spare.get(key, (0, ""))[1] == file:
                self._take_from_spare(key)
                self._free(key)

    def statistics(self) -> TableStatistics:
        weight = sum(self._weigh(value) for value in self._values.values())
        return TableStatistics(self._name, self._asked, self._found, len(self._values), weight)

    def _is_unused(self, key: Key) -> bool:
        """After one more file has let it go."""
        self._users[key] -= 1
        if self._users[key] > 0:
            return False
        del self._users[key]
        return True

    def _make_spare(self, key: Key, value: Value, file: File) -> None:
        weight = self._weigh(value)
        self._spare[key] = weight, file
        self._spare_weight += weight

    def _take_from_spare(self, key: Key) -> None:
        weight, _ = self._spare.pop(key, (0, ""))
        self._spare_weight -= weight

    def _free_spare(self) -> None:
        """As much as weighs too much."""
        while self._spare_weight > self._limit:
            key = next(iter(self._spare))
            self._take_from_spare(key)
            self._free(key)

    def _free(self, key: Key) -> None:
        """What nobody uses is gone before others have their turn."""
        last: list[object] = [self._values.pop(key)]
        weight = self._weigh(cast("Value", last[0]))
        if weight > HEAVY:
            self._let_go(last)
        last.clear()
        spend(OF_FREEING + min(weight, HEAVY) // WEIGHT_OF_ROUND)


@final
class Store:
    """All tables of one analyzer: they learn together which version asks, and what was closed."""

    def __init__(self, let_go: LetGo = free_in_turns) -> None:
        """`let_go` is given large results that nobody needs any more."""
        self._let_go = let_go
        self._tables: list[Table[Any, Any]] = []
        self._numbers = count(1)
        self._now: Version | None = None

    def table(self, name: str, weigh: Callable[[Value], int], spare: int) -> Table[Any, Value]:
        """A new table that keeps spare results up to a weight of `spare`."""
        made: Table[Any, Value] = Table(name, weigh, spare, self._let_go)
        self._tables.append(made)
        return made

    @contextmanager
    def version_of(self, file: File) -> Generator[None]:
        """What is asked for inside is in use by `file`, and what only its version before asked for is not.

        At the end others have their turn, which may end it: what was not let go then stays until a later version ends.
        """
        outer, version = self._now, Version(file, next(self._numbers))
        self._go_on(version)
        try:
            yield
        finally:
            self._go_on(outer)
        for table in self._tables:
            table.end_version(version)

    def _go_on(self, version: Version | None) -> None:
        self._now = version
        for table in self._tables:
            table.go_on(version)

    def release(self, file: File) -> None:
        for table in self._tables:
            table.release(file)

    def statistics(self) -> tuple[TableStatistics, ...]:
        return tuple(table.statistics() for table in self._tables)
