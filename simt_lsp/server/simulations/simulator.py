"""Which process simulates what: turns, a process that is ready for the next job, and the end of those in the way.

Rules    At most `MAX_RUNNING` jobs at a time; others wait their turn.  Who stops waiting (a cancelled task, `stopped`,
         the end of the server) kills the process at once: there is nothing in it to tidy up.
         One process is kept ready: to start one and to import everything takes longer than most kernels run.  It takes
         job after job; where one was killed the next is started.  It ends after `IDLE_SECONDS` without a job.
Threads  Everything runs on the event loop; it only ever waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, final

from simt_lsp.run_check import RunCheck
from simt_lsp.server.simulations.child import Answer, Child, Gone, Listener
from simt_lsp.server.simulations.confirm_outcome import ConfirmOutcome
from simt_lsp.server.simulations.edit_outcome import CheckedEdit, EditOutcome
from simt_lsp.server.simulations.job import ConfirmJob, EditJob, Job, SimulationJob
from simt_lsp.server.simulations.outcome import Failed, Finished, Outcome, Stopped

MAX_RUNNING: Final = 2
GRACE_SECONDS: Final = 15.0
"""For the start, the analysis and the report, beyond twice the time of the job; then the process is killed."""
START_DELAY: Final = 0.5
"""Seconds that a process which nobody waits for is started later: the first look at a document goes first."""
IDLE_SECONDS: Final = 900.0


@final
class Simulator:
    """All simulation processes of one server.

    `unavailable` says why nothing can be simulated, once that is known; `changed()` is called when a process became
    ready, or turned out not to.
    """

    def __init__(self, changed: Callable[[], None] = lambda: None) -> None:
        self.unavailable: str | None = None
        self._changed = changed
        self._turns: asyncio.Semaphore | None = None
        self._children: set[Child] = set()
        self._spare: Child | None = None
        self._starting: asyncio.Task[None] | None = None
        self._start_later: asyncio.TimerHandle | None = None
        self._end_later: asyncio.TimerHandle | None = None
        self._stopped = False

    @property
    def is_ready(self) -> bool:
        """Whether a process waits for a job."""
        return self._spare is not None and self._starting is None

    def prepare(self, delay: float = START_DELAY) -> None:
        """Have a process ready for the next job, unless one is (or none can be)."""
        nothing_comes = self._spare is None and self._starting is None and self._start_later is None
        if nothing_comes and self.unavailable is None and not self._stopped:
            self._start_later = asyncio.get_running_loop().call_later(delay, self._start_spare)

    async def simulate(self, job: SimulationJob, listener: Listener, stopped: asyncio.Event, *, keep: bool) -> Outcome:
        """`keep`: whether a process is kept ready for the next job."""
        answer = await self._run(job, listener, stopped, keep=keep)
        return _confused(job) if isinstance(answer, CheckedEdit | RunCheck) else answer

    async def check(self, job: EditJob, listener: Listener, stopped: asyncio.Event, *, keep: bool) -> EditOutcome:
        """The same, to check an edit."""
        answer = await self._run(job, listener, stopped, keep=keep)
        return _confused(job) if isinstance(answer, Finished | RunCheck) else answer

    async def confirm(
        self, job: ConfirmJob, listener: Listener, stopped: asyncio.Event, *, keep: bool
    ) -> ConfirmOutcome:
        """The same, to hold a finding against runs."""
        answer = await self._run(job, listener, stopped, keep=keep)
        return _confused(job) if isinstance(answer, Finished | CheckedEdit) else answer

    async def _run(self, job: Job, listener: Listener, stopped: asyncio.Event, *, keep: bool) -> Answer:
        work = asyncio.ensure_future(self._in_turn(job, listener, keep=keep))
        waiter = asyncio.ensure_future(stopped.wait())
        try:
            await asyncio.wait({work, waiter}, return_when=asyncio.FIRST_COMPLETED)
            return work.result() if work.done() else Stopped()
        finally:
            waiter.cancel()
            work.cancel()

    def stop(self) -> None:
        """The server ends."""
        self._stopped = True
        if self._start_later is not None:
            self._start_later.cancel()
        for child in tuple(self._children):
            child.kill()

    # -- one job -------------------------------------------------------------------------------------------------------

    async def _in_turn(self, job: Job, listener: Listener, *, keep: bool) -> Answer:
        if self._turns is None:
            self._turns = asyncio.Semaphore(MAX_RUNNING)
        async with self._turns:
            seconds = 2 * job.seconds + GRACE_SECONDS
            try:
                return await asyncio.wait_for(self._work(job, listener, keep=keep), seconds)
            except TimeoutError:
                return Failed(f"{job.task} was stopped after {seconds:g} seconds")

    async def _work(self, job: Job, listener: Listener, *, keep: bool) -> Answer:
        waiting = self._waiting()
        if waiting is not None:
            try:
                return await self._work_in(waiting, job, listener, keep=keep)
            except Gone:  # it died while it waited, or as it began: another one finds out which
                pass
        try:
            child = await self._started()
        except OSError as error:
            return Failed(f"cannot start a process that simulates: {error.strerror or error}")
        try:
            return await self._work_in(child, job, listener, keep=keep)
        except Gone:
            if keep:
                self.prepare(0.0)
            return Failed(f"{job.task} failed: {await child.death()}")

    async def _work_in(self, child: Child, job: Job, listener: Listener, *, keep: bool) -> Answer:
        """Raises `Gone`."""
        try:
            problem = await child.ready()
            self.unavailable = child.unavailable
            if problem is not None:
                return Failed(problem)
            return await child.work(job, listener)
        except Gone:
            keep = False  # who is told of it decides what comes next
            raise
        finally:
            self._give_back(child, keep=keep)

    def _waiting(self) -> Child | None:
        """The process that is ready or about to be; nobody's spare from now on."""
        if self._start_later is not None:
            self._start_later.cancel()
            self._start_later = None
        spare = self._spare
        if spare is not None:
            self._leave(spare)
        return spare

    async def _started(self) -> Child:
        """A new one.  Raises `OSError`."""
        child = await Child.start()
        self._children.add(child)
        return child

    def _give_back(self, child: Child, *, keep: bool) -> None:
        if keep and child.serving and child.alive and self._spare is None and not self._stopped:
            self._keep(child)
            return
        self._end(child)
        if keep:
            self.prepare(0.0)

    # -- the process that waits ----------------------------------------------------------------------------------------

    def _start_spare(self) -> None:
        self._start_later = None
        self._starting = asyncio.ensure_future(self._begin_spare())

    async def _begin_spare(self) -> None:
        """Starts it and waits until it is ready, or somebody else took it to wait for that."""
        try:
            child = await self._started()
            self._keep(child)
            problem = await child.ready()
        except OSError:  # said when a job finds that out
            return
        finally:
            self._starting = None
        self.unavailable = child.unavailable
        if problem is not None and self._spare is child:
            self._end_spare()
        self._changed()

    def _keep(self, child: Child) -> None:
        self._spare = child
        self._end_later = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._end_spare)

    def _leave(self, child: Child) -> None:
        """It is nobody's spare any more."""
        if self._spare is child:
            self._spare = None
        if self._end_later is not None:
            self._end_later.cancel()
            self._end_later = None

    def _end_spare(self) -> None:
        spare = self._spare
        if spare is not None:
            self._leave(spare)
            self._end(spare)

    def _end(self, child: Child) -> None:
        self._children.discard(child)
        child.kill()


def _confused(job: Job) -> Failed:
    return Failed(f"{job.task} failed: the process answered another question")
