"""Starts simulation processes, listens to them, and ends them.

Rules    At most `MAX_RUNNING` at a time; others wait their turn.  Who stops waiting (a cancelled task, `stopped`, the
         end of the server) kills the process at once: there is nothing in it to tidy up.
         A process that ends without a last word, or does not end, is an outcome and not an exception.
Threads  Everything runs on the event loop; it only ever waits.
"""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

from simt_lsp.server.simulation.frames import LENGTH
from simt_lsp.server.simulation.job import SimulationJob

if TYPE_CHECKING:
    from sim.report.json_report import KernelObject

MAX_RUNNING: Final = 2
GRACE_SECONDS: Final = 15.0
"""For the start, the analysis and the report, beyond twice the time of the job; then the process is killed."""
START: Final = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from simt_lsp.server.simulation.process import main; main()"
)
"""The server's own path: it may have been set up by an editor extension that brings the libraries along."""


@final
@dataclass(frozen=True, slots=True)
class Finished:
    """The kernel ran; `html` is the report as a page, if it was asked for."""

    report: KernelObject
    html: str | None


@final
@dataclass(frozen=True, slots=True)
class Refused:
    """The simulator says why it does not run this kernel; `line` counts from 1."""

    message: str
    line: int | None


@final
@dataclass(frozen=True, slots=True)
class Failed:
    """The process could not do its work; `log` is for those who repair it."""

    message: str
    log: str | None = None


@final
@dataclass(frozen=True, slots=True)
class Stopped:
    """The user wanted no more of it."""


Outcome: TypeAlias = Finished | Refused | Failed | Stopped


@final
class Simulator:
    """All simulation processes of one server."""

    def __init__(self) -> None:
        self._turns: asyncio.Semaphore | None = None
        self._processes: set[Process] = set()

    async def run(self, job: SimulationJob, progress: Callable[[float], None], stopped: asyncio.Event) -> Outcome:
        """`progress` gets the share of the run that is over, a few times per second."""
        work = asyncio.ensure_future(self._in_turn(job, progress))
        waiter = asyncio.ensure_future(stopped.wait())
        try:
            await asyncio.wait({work, waiter}, return_when=asyncio.FIRST_COMPLETED)
            return work.result() if work.done() else Stopped()
        finally:
            waiter.cancel()
            work.cancel()

    def stop(self) -> None:
        """The server ends."""
        for process in tuple(self._processes):
            _kill(process)

    async def _in_turn(self, job: SimulationJob, progress: Callable[[float], None]) -> Outcome:
        if self._turns is None:
            self._turns = asyncio.Semaphore(MAX_RUNNING)
        async with self._turns:
            seconds = 2 * job.overrides.seconds + GRACE_SECONDS
            try:
                return await asyncio.wait_for(self._simulate(job, progress), seconds)
            except TimeoutError:
                return Failed(f"simulating {job.kernel} was stopped after {seconds:g} seconds")

    async def _simulate(self, job: SimulationJob, progress: Callable[[float], None]) -> Outcome:
        try:
            process = await _started()
        except OSError as error:
            return Failed(f"cannot start a process that simulates: {error.strerror or error}")
        self._processes.add(process)
        try:
            await _send(process, job)
            return await _heard(process, job, progress)
        finally:
            self._processes.discard(process)
            _kill(process)


async def _started() -> Process:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = (sys.executable, "-I", "-c", START, json.dumps(sys.path))
    return await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=environment)


async def _send(process: Process, job: SimulationJob) -> None:
    """Standard input stays open: its end would end the process."""
    assert process.stdin is not None
    body = pickle.dumps(job)
    with suppress(ConnectionError):  # it is dead already; `_heard` finds out
        process.stdin.write(LENGTH.pack(len(body)) + body)
        await process.stdin.drain()


async def _heard(process: Process, job: SimulationJob, progress: Callable[[float], None]) -> Outcome:
    assert process.stdout is not None
    while True:
        try:
            (length,) = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))
            message: dict[str, Any] = json.loads(await process.stdout.readexactly(length))
        except (asyncio.IncompleteReadError, ConnectionError):
            return Failed(f"simulating {job.kernel} failed: {_death(await process.wait())}")
        match message:
            case {"progress": float(share) | int(share)}:
                progress(share)
            case {"report": dict(report), "html": html}:  # pyright: ignore[reportUnknownVariableType]
                return Finished(report, html)  # pyright: ignore[reportArgumentType, reportUnknownArgumentType]
            case {"refused": str(text), "line": line}:
                return Refused(text, line)
            case {"failed": str(text), "log": log}:
                return Failed(text, log)
            case _:
                return Failed(f"simulating {job.kernel} failed: the process said something else")


def _death(status: int) -> str:
    if status < 0:
        return f"its process was killed (signal {-status}); it may have needed too much memory"
    return f"its process ended with status {status}"


def _kill(process: Process) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
