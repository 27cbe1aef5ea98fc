"""Run one function over many jobs in several processes, and survive the death of any of them.

Rules    `Processes` answers in the order in which jobs are done, `Workers` in the order of its paths, each as soon as
         those before it are out.
         A process that dies, or needs too long for one job, costs that job; another one takes its place.
         A process that dies before it is ready is not replaced: the others go on without it.
         Processes are spawned, not forked, so the same happens on every system and with every library.
Limits   `make` must be picklable and is called once in each process; it returns the function.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import connection
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar, final

from analysis.ir.record import record

Job = TypeVar("Job")
Result = TypeVar("Result")
Work = Callable[[str], Result]


@final
@record
class Died:
    """Instead of a result: why its process ended."""

    reason: str


@final
@dataclass(slots=True)
class _Worker:
    """A process, our end of its pipe, and the number of the job it works on; not `ready` until it has said so."""

    process: BaseProcess
    pipe: Connection[Any, Any]
    ready: bool = False
    number: int | None = None
    since: float = 0.0
    overdue: bool = False


class WorkersCannotStart(Exception):
    """All processes died before they were ready for a job."""


@final
class Processes(Generic[Job, Result]):
    """Jobs are numbered from 0 as they are submitted; processes start when there is something to do."""

    def __init__(self, make: Callable[[], Callable[[Job], Result]], count: int, seconds_per_job: float) -> None:
        self._make = make
        self._count = count
        self._limit = seconds_per_job
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_Worker] = []
        self._waiting: deque[int] = deque()
        self._jobs: dict[int, Job] = {}
        self._submitted = 0

    @property
    def is_idle(self) -> bool:
        """Whether all that was submitted is answered."""
        return not self._jobs

    @property
    def ids(self) -> Sequence[int]:
        """Of the processes, for who wants to see one die."""
        return [worker.process.pid or 0 for worker in self._workers]

    def submit(self, job: Job) -> int:
        """Its number."""
        number = self._submitted
        self._submitted += 1
        self._jobs[number] = job
        self._waiting.append(number)
        return number

    def answers(self) -> Sequence[tuple[int, Result | Died]]:
        """What has come in, by number; nothing after a second without any.  Raises `WorkersCannotStart`."""
        self._start_missing()
        self._hand_out()
        found = list(self._wait())
        for number, _ in found:
            del self._jobs[number]
        self._hand_out()
        return found

    def close(self) -> None:
        """Ends all processes, whatever they do."""
        for worker in self._workers:
            worker.pipe.close()
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join(timeout=5)
        self._workers.clear()

    def _start_missing(self) -> None:
        idle = sum(worker.number is None for worker in self._workers)
        for _ in range(min(self._count - len(self._workers), len(self._waiting) - idle)):
            ours, theirs = self._context.Pipe()
            process = self._context.Process(target=_serve, args=(theirs, self._make), daemon=True)
            with _interrupts_held_back():
                process.start()
            theirs.close()
            self._workers.append(_Worker(process, ours))

    def _wait(self) -> Iterator[tuple[int, Result | Died]]:
        ready = connection.wait([worker.pipe for worker in self._workers], timeout=1.0)
        self._kill_overdue()
        for worker in [worker for worker in self._workers if worker.pipe in ready]:
            number = worker.number
            try:
                message = worker.pipe.recv()
            except (EOFError, ConnectionError):
                reason = self._bury(worker)
                if not worker.ready:
                    self._do_without(reason)
                if number is not None:
                    yield number, Died(reason)
                continue
            if not worker.ready:
                worker.ready = True
            elif number is not None:
                worker.number = None
                yield number, message

    def _hand_out(self) -> None:
        for worker in self._workers:
            if self._waiting and worker.ready and worker.number is None:
                worker.number, worker.since = self._waiting.popleft(), time.monotonic()
                # A worker that died while idle is noticed by `_wait`, which answers for the job.
                with suppress(BrokenPipeError, ConnectionError):
                    worker.pipe.send(self._jobs[worker.number])

    def _kill_overdue(self) -> None:
        """Their pipes close, so `_wait` finds them dead."""
        for worker in self._workers:
            if worker.number is not None and time.monotonic() - worker.since > self._limit:
                worker.overdue = True
                worker.process.kill()

    def _bury(self, worker: _Worker) -> str:
        """Take a dead process off the list; why it died."""
        self._workers.remove(worker)
        worker.pipe.close()
        worker.process.join(timeout=5)
        if worker.overdue:
            return f"the worker process was stopped after {self._limit:g} seconds"
        return f"the worker process ended with status {worker.process.exitcode}"

    def _do_without(self, reason: str) -> None:
        """One place fewer: whatever ended a process at its start is likely to end the next one too."""
        self._count -= 1
        if self._count == 0:
            raise WorkersCannotStart(f"at its start {reason}")


@final
class Workers(Generic[Result]):
    """`died` makes the result of a path whose process ended, from the path and the reason."""

    def __init__(
        self,
        make: Callable[[], Work[Result]],
        count: int,
        died: Callable[[str, str], Result],
        seconds_per_path: float = 120.0,
    ) -> None:
        self._processes = Processes[str, Result](make, count, seconds_per_path)
        self._died = died

    def run(self, paths: Sequence[str]) -> Generator[Result]:
        """One result per path, in order."""
        for path in paths:
            self._processes.submit(path)
        done: dict[int, Result] = {}
        wanted = 0
        try:
            while wanted < len(paths):
                for number, answer in self._processes.answers():
                    done[number] = self._died(paths[number], answer.reason) if isinstance(answer, Died) else answer
                while wanted in done:
                    yield done.pop(wanted)
                    wanted += 1
        finally:
            self._processes.close()


@contextmanager
def _interrupts_held_back() -> Generator[None]:
    """Ctrl-C reaches the whole group, and the parent decides: a child that starts in here does not hear the signal."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection[Any, Any], make: Callable[[], Callable[[Any], Any]]) -> None:
    """The life of a worker: say hello, then answer jobs until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where a child cannot inherit that
    try:
        work = make()
        pipe.send(None)
        while True:
            pipe.send(work(pipe.recv()))
    except (EOFError, BrokenPipeError, ConnectionError):
        pass  # the parent is gone or needs us no more
