"""Which points are run next, and how many together: tasks of 5 to 30 seconds, cut by what was measured so far.

Rules    A task has launches of one kernel and one size of warps, since these share an analysis.
         What a launch takes is estimated from launches of the same kernel: of the same size, else of the nearest size,
         in proportion to the threads where there are more.  While nothing is known of a kernel, its tasks are small.
         An estimate may be wrong: a task that takes longer than `LONGEST` ends after the launch it is at.
         A launch that would take too long alone is split by policies.
         What a task did not come to in its time, and halves of one that nobody survived, are put back (`put_back`).
         Towards the end tasks get smaller, so that all workers end together, but not below `SHORTEST` seconds.
Cost     The product of the axes is walked, not stored: what is kept is one unit per open task.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Set
from dataclasses import replace
from typing import Final, final

from analysis.ir.record import record
from sim.sweep.estimates import Estimates
from sim.sweep.model import Unit, digest_of, points_of

SHORTEST: Final = 5.0
USUAL: Final = 12.0
LONGEST: Final = 30.0
"""Seconds of a task."""
MOST_UNITS: Final = 2_000
"""Launches of a task, however short they are: its rows are lost with it."""


@final
@record
class Task:
    """Units of one kernel and one size of warps; `first_policy` is the one under which launches are planned."""

    units: tuple[Unit, ...]
    first_policy: str

    @property
    def id(self) -> str:
        """Of its content."""
        return digest_of([point.id for unit in self.units for point in points_of(unit)])

    @property
    def runs(self) -> int:
        return sum(unit.runs for unit in self.units)

    @property
    def halves(self) -> tuple[Task, ...]:
        """None where it is one unit."""
        middle = len(self.units) // 2
        return tuple(Task(part, self.first_policy) for part in (self.units[:middle], self.units[middle:]) if middle)


@final
class Backlog:
    """The units of a sweep that no task has yet; those whose points are all among `done` are left out."""

    def __init__(self, units: Iterable[Unit], first_policy: str, total: int, done: Set[str] = frozenset()) -> None:
        """`total` runs are in `units`."""
        self._units = _open(units, done)
        self._waiting: deque[Unit] = deque()
        self._again: deque[Task] = deque()
        self._first_policy = first_policy
        self._runs_left = total - len(done)
        self.estimates: Final = Estimates()

    def put_back(self, *tasks: Task) -> None:
        """Tasks that are run next, as they are; one without units is none."""
        self._again.extend(task for task in tasks if task.units)

    def take(self, workers: int) -> Task | None:
        """The next task; None where nothing is left."""
        if self._again:
            return self._again.popleft()
        first = self._peek()
        if first is None:
            return None
        target = self._target(workers) if self.estimates.knows(first) else SHORTEST
        taken: list[Unit] = []
        seconds = 0.0
        while (unit := self._peek()) is not None and len(taken) < MOST_UNITS:
            if (unit.kernel, unit.warp_size) != (first.kernel, first.warp_size):
                break
            estimate = self.estimates.seconds(unit)
            if taken and seconds + estimate / 2 > target:
                break
            self._waiting.popleft()
            if estimate > LONGEST and unit.runs > 1:
                unit, *others = _split(unit, estimate)
                self._waiting.extendleft(reversed(others))
                estimate *= unit.runs / (unit.runs + sum(other.runs for other in others))
            taken.append(unit)
            seconds += estimate
        self._runs_left -= sum(unit.runs for unit in taken)
        return Task(tuple(taken), self._first_policy)

    def _target(self, workers: int) -> float:
        left = self._runs_left * self.estimates.mean_run
        return min(USUAL, max(SHORTEST, left / (2 * workers)))

    def _peek(self) -> Unit | None:
        if not self._waiting:
            following = next(self._units, None)
            if following is None:
                return None
            self._waiting.append(following)
        return self._waiting[0]


def _open(units: Iterable[Unit], done: Set[str]) -> Iterator[Unit]:
    for unit in units:
        if done and any(point.id in done for point in points_of(unit)):
            yield from _missing(unit, done)
        else:
            yield unit


def _missing(unit: Unit, done: Set[str]) -> Iterator[Unit]:
    """What is left of a unit, some of whose points have rows."""
    for form in unit.forms:
        one = replace(unit, forms=(form,))
        policies = tuple(point.policy for point in points_of(one) if point.id not in done)
        if policies:
            yield replace(one, policies=policies)


def _split(unit: Unit, seconds: float) -> list[Unit]:
    """Parts of at most `LONGEST` seconds, or of one policy."""
    each = max(1, int(len(unit.policies) * LONGEST / seconds))
    return [replace(unit, policies=unit.policies[at : at + each]) for at in range(0, len(unit.policies), each)]
