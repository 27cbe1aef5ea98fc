"""One simulation process, seen from the server: started, given jobs, listened to, killed.

A process that ends without a last word is an outcome and not an exception.  Everything runs on the event loop.
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
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast, final

from analysis.ir.record import record
from analysis.refactor.edit import Replacement
from simt_lsp.run_check import RunCheck
from simt_lsp.server.simulations.edit_outcome import CheckedEdit, EditOutcome, EditVerdict
from simt_lsp.server.simulations.frames import LENGTH
from simt_lsp.server.simulations.job import Job
from simt_lsp.server.simulations.outcome import (
    Failed,
    FileStamp,
    Finished,
    Outcome,
    Refused,
    RefusedPlace,
    Rendered,
    ReportText,
)

if TYPE_CHECKING:
    from sim.report.json_report import KernelObject

START: Final = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from simt_lsp.server.simulations.process import main; main()"
)
"""The server's own path: it may have been set up by an editor extension that brings the libraries along."""


@final
@record
class Listener:
    """Who hears of a job until it ends: the share of the run that is over, a few times per second, and what a run that
    takes longer has counted so far."""

    progress: Callable[[float], None]
    so_far: Callable[[Finished], None]


Answer: TypeAlias = Outcome | EditOutcome | RunCheck


class Gone(Exception):
    """The process closed its output or was killed."""


@final
class Child:
    """`serving` is False when it takes no other job; `unavailable` says why nothing can be simulated here at all."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._ready = asyncio.ensure_future(self._first_word())
        self.serving = True
        self.unavailable: str | None = None

    @classmethod
    async def start(cls) -> Child:
        """Raises `OSError` where no process can be started."""
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        command = (sys.executable, "-I", "-c", START, json.dumps(sys.path))
        return cls(
            await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=environment)
        )

    @property
    def alive(self) -> bool:
        return self._process.returncode is None

    async def ready(self) -> str | None:
        """Waits until it can work; the sentence that says why it cannot, None if it can."""
        return await asyncio.shield(self._ready)

    async def _first_word(self) -> str | None:
        try:
            message = await self._frame()
        except Gone:
            return f"the process that simulates does not start: {await self.death()}"
        match message:
            case {"ready": True}:
                return None
            case {"unavailable": str(sentence)}:
                self.unavailable = sentence
                return sentence
            case _:
                return "the process that simulates said something else than that it is ready"

    async def work(self, job: Job, listener: Listener) -> Answer:
        """The outcome; who does not wait for it must `kill` the process.  Raises `Gone` if nothing was heard at all."""
        was_serving, self.serving = self.serving, False
        assert was_serving, "one job at a time"
        await self._send(job)
        heard = False
        while True:
            try:
                message = await self._frame()
            except Gone:
                if not heard:
                    raise
                return Failed(f"{job.task} failed: {await self.death()}")
            match message:
                case {"progress": float(share) | int(share)}:
                    heard = True
                    listener.progress(share)
                case {"interim": {"stopped": {"html": str(html), "text": text}, **counted}}:
                    heard = True
                    listener.so_far(replace(_finished(**counted), if_stopped=Rendered(html, text)))
                case {"again": bool(again)}:
                    self.serving = again
                    return _outcome(message, job)
                case _:
                    return Failed(f"{job.task} failed: the process said something else")

    def kill(self) -> None:
        self.serving = False
        if self.alive:
            with suppress(ProcessLookupError):
                self._process.kill()

    async def _send(self, job: Job) -> None:
        """Standard input stays open: its end would end the process."""
        assert self._process.stdin is not None
        body = pickle.dumps(job)
        with suppress(ConnectionError):  # it is dead already; who listens finds out
            self._process.stdin.write(LENGTH.pack(len(body)) + body)
            await self._process.stdin.drain()

    async def _frame(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        try:
            (length,) = LENGTH.unpack(await self._process.stdout.readexactly(LENGTH.size))
            return json.loads(await self._process.stdout.readexactly(length))
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise Gone from error

    async def death(self) -> str:
        """How it ended, in words; waits for that."""
        status = await self._process.wait()
        if status < 0:
            return f"its process was killed (signal {-status}); it may have needed too much memory"
        return f"its process ended with status {status}"


def _finished(report: KernelObject, html: str, text: ReportText, files: list[tuple[str, int, int]]) -> Finished:
    return Finished(report, html, text, tuple(FileStamp(*file) for file in files))


def _edited(said: dict[str, Any]) -> CheckedEdit:
    edits = tuple(Replacement(start, end, text) for start, end, text in said["edits"])
    return CheckedEdit(
        EditVerdict(said["verdict"]),
        said["title"],
        said["message"],
        edits,
        said["before"],
        said["after"],
        said["launch"],
    )


def _outcome(message: dict[str, Any], job: Job) -> Answer:
    match message:
        case {"report": report, "html": str(html), "text": text, "files": files}:
            return _finished(report, html, text, files)
        case {"edited": {**said}}:
            return _edited(cast("dict[str, Any]", said))
        case {"run": {"verdict": str(verdict), "message": str(text), "runs": int(runs), "evidence": evidence}}:
            return RunCheck(verdict, text, runs, evidence)
        case {"refused": str(text), "place": place, "advice": advice}:
            return Refused(text, None if place is None else RefusedPlace(**place), advice)
        case {"failed": str(text), "log": log}:
            return Failed(text, log)
        case _:
            return Failed(f"{job.task} failed: the process said something else")
