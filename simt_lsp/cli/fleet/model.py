"""Where jobs run: one interface for processes of this machine and for a cluster.

Jobs are submitted a few at a time (`run_in_windows`), so that a run can decide what comes next by what it has seen, and
a scheduler never holds more than it needs.  A fleet answers each job once, in any order, with its result or with
`Died`: its process ended, as often as that fleet tries again.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Final, Protocol, TypeVar

from simt_lsp.cli.workers import Died

Job = TypeVar("Job")
Result = TypeVar("Result")
JobOf = TypeVar("JobOf", contravariant=True)
ResultOf = TypeVar("ResultOf", covariant=True)

PER_WORKER: Final = 2
"""Jobs in flight for each worker: one that runs, one that waits for it."""


class FleetLost(Exception):
    """Nobody is left who runs jobs; the text says why and what to do."""


class Fleet(Protocol[JobOf, ResultOf]):
    """Runs jobs with one function, made once in each process."""

    @property
    def workers(self) -> int:
        """How many jobs run at a time, now; at least 1."""
        ...

    def submit(self, job: JobOf) -> int:
        """Its number, counted from 0."""
        ...

    def answers(self) -> Sequence[tuple[int, ResultOf | Died]]:
        """What has come in since the last call; waits a second at most.  Raises `FleetLost`."""
        ...

    def close(self) -> None: ...


def run_in_windows(
    fleet: Fleet[Job, Result], following: Callable[[int], Job | None]
) -> Generator[tuple[Job, Result | Died]]:
    """Each job with what became of it, as they come; `following` makes the next one, for so many workers, None where
    there is none now: it is asked again after each answer."""
    open_jobs: dict[int, Job] = {}
    while True:
        workers = fleet.workers
        while len(open_jobs) < PER_WORKER * workers:
            job = following(workers)
            if job is None:
                break
            open_jobs[fleet.submit(job)] = job
        if not open_jobs:
            return
        for number, answer in fleet.answers():
            yield open_jobs.pop(number), answer
