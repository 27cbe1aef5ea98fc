"""What is computed once and kept between versions of files, as long as it is worth its memory.

Question  Which results of earlier versions are still there when the next version of a file is analysed?
Rules     A result that the newest version of some file asked for is *in use* and stays.
          Others are *spare*: undo, and going back to a file, ask for them again.  Each table keeps spare results up to
          a weight of its own; the one that was asked for longest ago goes first.
          A version that was cancelled adds to what is in use and takes nothing away: nobody knows what it would have
          asked for.
          A file that is closed takes along what no other file uses, and what was spare because of it.
          A version may begin while another one is worked on, and ends before that goes on.
         Nothing depends on the order in which files are analysed, except what is spare.
Cost      one look into a dictionary for each question.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Generator, Hashable
from contextlib import contextmanager
from typing import Any, Final, Generic, TypeVar, cast, final

from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.store.freeing import free_in_turns

HEAVY: Final = 10_000
"""A result of more weight is freed a part at a time."""
OF_FREEING: Final = 20
"""Rounds that it takes to free a result."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
File = str


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
class Table(Generic[Key, Value]):
    """Results of one kind by their keys; made by `Store.table`.  Belongs to one thread."""

    def __init__(self, name: str, weigh: Callable[[Value], int], spare: int) -> None:
        self._name = name
        self._weigh = weigh
        self._limit = spare
        self._values: dict[Key, Value] = {}
        self._users: Counter[Key] = Counter()
        self._used: dict[File, set[Key]] = {}
        self._asked_now: set[Key] = set()
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
        self._asked_now.add(key)
        return value

    def begin_version(self) -> set[Key]:
        """What another version has asked for, which goes on when the one that begins has ended."""
        outer, self._asked_now = self._asked_now, set()
        return outer

    def go_on(self, outer: set[Key]) -> None:
        """The version goes on that was interrupted."""
        self._asked_now = outer

    def end_version(self, file: File, *, is_complete: bool) -> None:
        """What was asked for since the last call is what this version of `file` uses."""
        before = self._used.get(file, set[Key]())
        now, self._asked_now = self._asked_now, set()
        gone = [key for key in now if key not in self._values]  # while another version was worked on inside this one
        now.difference_update(gone)
        self._used[file] = now if is_complete else before | now
        for key in now - before:
            self._users[key] += 1
            self._take_from_spare(key)
        if is_complete:
            self._let_go(before - now, file)

    def release(self, file: File) -> None:
        """Nobody looks at `file` any more.  Others have their turn meanwhile, and may open it again."""
        for key in paced(self._used.pop(file, set[Key]()), OF_FREEING):
            self._users[key] -= 1
            if self._users[key] == 0:
                del self._users[key]
                self._free(key)
        for key in paced([key for key, (_, last) in self._spare.items() if last == file], OF_FREEING):
            if self._spare.get(key, (0, ""))[1] == file:
                self._take_from_spare(key)
                self._free(key)

    def _free(self, key: Key) -> None:
        last: list[object] = [self._values.pop(key)]
        if self._weigh(cast("Value", last[0])) > HEAVY:
            free_in_turns(last)

    def statistics(self) -> TableStatistics:
        weight = sum(self._weigh(value) for value in self._values.values())
        return TableStatistics(self._name, self._asked, self._found, len(self._values), weight)

    def _take_from_spare(self, key: Key) -> None:
        weight, _ = self._spare.pop(key, (0, ""))
        self._spare_weight -= weight

    def _let_go(self, keys: set[Key], file: File) -> None:
        for key in keys:
            self._users[key] -= 1
            if self._users[key] == 0:
                del self._users[key]
                weight = self._weigh(self._values[key])
                self._spare[key] = weight, file
                self._spare_weight += weight
        while self._spare_weight > self._limit:
            key, (weight, _) = self._spare.popitem(last=False)
            self._spare_weight -= weight
            del self._values[key]


@final
class Store:
    """All tables of one analyzer: they learn together which version asks, and what was closed."""

    def __init__(self) -> None:
        self._tables: list[Table[Any, Any]] = []

    def table(self, name: str, weigh: Callable[[Value], int], spare: int) -> Table[Any, Value]:
        """A new table that keeps spare results up to a weight of `spare`."""
        made: Table[Any, Value] = Table(name, weigh, spare)
        self._tables.append(made)
        return made

    @contextmanager
    def version_of(self, file: File) -> Generator[None]:
        """What is asked for inside is in use by `file`, and what only its version before asked for is not."""
        is_complete = False
        outer = [table.begin_version() for table in self._tables]
        try:
            yield
            is_complete = True
        finally:
            for table, asked in zip(self._tables, outer, strict=True):
                table.end_version(file, is_complete=is_complete)
                table.go_on(asked)

    def release(self, file: File) -> None:
        for table in self._tables:
            table.release(file)

    def statistics(self) -> tuple[TableStatistics, ...]:
        return tuple(table.statistics() for table in self._tables)
