"""Run one function over many paths in several processes, in order, and survive the death of any of them.

Rules    Results come out in the order of the paths, each as soon as those before it are out.
         A process that dies, or needs too long for one path, costs that path; another one takes its place.
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

Result = TypeVar("Result")
Work = Callable[[str], Result]


@final
@dataclass(slots=True)
class _Worker:
    """A process, our end of its pipe, and the index it works on; not `ready` until it has said so."""

    process: BaseProcess
    pipe: Connection[Any, Any]
    ready: bool = False
    index: int | None = None
    since: float = 0.0
    overdue: bool = False


class WorkersCannotStart(Exception):
    """All processes died before they were ready for a path."""


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
        self._make = make
        self._count = count
        self._died = died
        self._limit = seconds_per_path
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_Worker] = []

    def run(self, paths: Sequence[str]) -> Generator[Result]:
        """One result per path, in order."""
        waiting = deque(range(len(paths)))
        done: dict[int, Result] = {}
        wanted = 0
        try:
            while wanted < len(paths):
                self._start_missing(len(waiting))
                done.update(self._wait(paths))
                self._hand_out(waiting, paths)
                while wanted in done:
                    yield done.pop(wanted)
                    wanted += 1
        finally:
            self._stop()

    def _start_missing(self, paths_left: int) -> None:
        idle = sum(worker.index is None for worker in self._workers)
        for _ in range(min(self._count - len(self._workers), paths_left - idle)):
            ours, theirs = self._context.Pipe()
            process = self._context.Process(target=_serve, args=(theirs, self._make), daemon=True)
            with _interrupts_held_back():
                process.start()
            theirs.close()
            self._workers.append(_Worker(process, ours))

    def _wait(self, paths: Sequence[str]) -> Iterator[tuple[int, Result]]:
        """The results that have come in; none after a second without any."""
        ready = connection.wait([worker.pipe for worker in self._workers], timeout=1.0)
        self._kill_overdue()
        for worker in [worker for worker in self._workers if worker.pipe in ready]:
            index = worker.index
            try:
                message = worker.pipe.recv()
            except (EOFError, ConnectionError):
                reason = self._bury(worker)
                if not worker.ready:
                    self._do_without(reason)
                if index is not None:
                    yield index, self._died(paths[index], reason)
                continue
            if not worker.ready:
                worker.ready = True
            elif index is not None:
                worker.index = None
                yield index, message

    def _hand_out(self, waiting: deque[int], paths: Sequence[str]) -> None:
        for worker in self._workers:
            if waiting and worker.ready and worker.index is None:
                worker.index, worker.since = waiting.popleft(), time.monotonic()
                # A worker that died while idle is noticed by `_wait`, which answers for the path.
                with suppress(BrokenPipeError, ConnectionError):
                    worker.pipe.send(paths[worker.index])

    def _kill_overdue(self) -> None:
        """Their pipes close, so `_wait` finds them dead."""
        for worker in self._workers:
            if worker.index is not None and time.monotonic() - worker.since > self._limit:
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

    def _stop(self) -> None:
        for worker in self._workers:
            worker.pipe.close()
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join(timeout=5)
        self._workers.clear()


@contextmanager
def _interrupts_held_back() -> Generator[None]:
    """Ctrl-C reaches the whole group, and the parent decides: a child that starts in here inherits deaf ears."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection[Any, Any], make: Callable[[], Work[Any]]) -> None:
    """The life of a worker: say hello, then answer paths until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where a child cannot inherit that
    try:
        work = make()
        pipe.send(None)
        while True:
            pipe.send(work(pipe.recv()))
    except (EOFError, BrokenPipeError, ConnectionError):
        pass  # the parent is gone or needs us no more
