"""A fleet of processes on this machine; none for a single one, which then is this process itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, final

from simt_lsp.cli.fleet.model import FleetLost
from simt_lsp.cli.workers import Died, Processes, WorkersCannotStart

Job = TypeVar("Job")
Result = TypeVar("Result")


@final
class LocalProcesses(Generic[Job, Result]):
    """A process that dies, or needs longer than `seconds_per_job`, costs its job alone, which is tried once again."""

    def __init__(self, make: Callable[[], Callable[[Job], Result]], count: int, seconds_per_job: float) -> None:
        self._processes = Processes(make, count, seconds_per_job)
        self._count = count
        self._jobs: dict[int, tuple[int, Job]] = {}
        """By the number of the process's job: our number, and the job while it may be tried again."""
        self._tried: set[int] = set()
        self._submitted = 0

    @property
    def workers(self) -> int:
        return self._count

    @property
    def ids(self) -> Sequence[int]:
        """Of the processes."""
        return self._processes.ids

    def submit(self, job: Job) -> int:
        number = self._submitted
        self._submitted += 1
        self._jobs[self._processes.submit(job)] = number, job
        return number

    def answers(self) -> Sequence[tuple[int, Result | Died]]:
        found: list[tuple[int, Result | Died]] = []
        try:
            answers = self._processes.answers()
        except WorkersCannotStart as error:
            raise FleetLost(f"{error}; use --jobs 1 to work without them") from error
        for inner, answer in answers:
            number, job = self._jobs.pop(inner)
            if isinstance(answer, Died) and number not in self._tried:
                self._tried.add(number)
                self._jobs[self._processes.submit(job)] = number, job
            else:
                found.append((number, answer))
        return found

    def close(self) -> None:
        self._processes.close()


@final
class ThisProcess(Generic[Job, Result]):
    """One worker without a process of its own: what it does is done when its answer is asked for."""

    def __init__(self, make: Callable[[], Callable[[Job], Result]]) -> None:
        self._work = make()
        self._waiting: deque[tuple[int, Job]] = deque()
        self._submitted = 0

    @property
    def workers(self) -> int:
        return 1

    def submit(self, job: Job) -> int:
        self._waiting.append((self._submitted, job))
        self._submitted += 1
        return self._submitted - 1

    def answers(self) -> Sequence[tuple[int, Result | Died]]:
        number, job = self._waiting.popleft()
        return [(number, self._work(job))]

    def close(self) -> None:
        self._waiting.clear()
