"""A fleet on a Dask cluster, whatever started its scheduler and workers.

Rules    A worker that dies loses nothing: Dask runs its jobs elsewhere.  Only a job that several workers died with is
         answered with `Died`.
         A scheduler that goes takes everything with it that it was told.  So this side keeps every job that has no
         answer, connects again, waiting longer each time, and submits them once more.  An answer is taken once: what
         an older connection still says of a job is not heard.
         One process runs one job at a time, however many threads it has: analyses share caches.
         The function is made once in each process and kept for as long as this run lasts.
Limits   Workers need the same simt-lsp and the same files under the same paths; one that has no simt-lsp, or another
         version, ends the run: it would spoil one job after the other.
Source   distributed's own client cancels all futures when it loses the scheduler and never submits again
         (`Client._reconnect`).
"""

from __future__ import annotations

import hashlib
import logging
import pickle
import sys
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final, Generic, TypeVar, final

from simt_lsp.cli.exit_status import UsageError
from simt_lsp.cli.fleet.model import FleetLost
from simt_lsp.cli.version import version
from simt_lsp.cli.workers import Died

Job = TypeVar("Job")
Result = TypeVar("Result")

PATIENCE: Final = 600.0
"""Seconds to wait for a scheduler that was there before."""
FIRST_CONNECTION: Final = 15.0
LONGEST_PAUSE: Final = 30.0
PATIENCE_ALONE: Final = 20.0
"""Seconds after which it is said that there are no workers."""
POLL: Final = 0.05
LOST: Final = ("cancelled", "lost")
"""States of futures that nobody works on any more."""
SECONDS_TO_FETCH: Final = 60.0


@final
class DaskCluster(Generic[Job, Result]):
    """Connects at once; raises `UsageError` where there is no scheduler, or no distributed."""

    def __init__(
        self, address: str, make: Callable[[], Callable[[Job], Result]], *, patience: float = PATIENCE
    ) -> None:
        self._distributed = _distributed()
        self._address = address
        self._patience = patience
        self._make = pickle.dumps(make)
        self._run = uuid.uuid4().hex[:12]
        self._jobs: dict[int, Job] = {}
        """Those without an answer."""
        self._futures: dict[int, Any] = {}
        self._submitted = 0
        self._sent = 0
        self._alone_since: float | None = None
        self._said_alone = False
        try:
            self._client = self._connected(FIRST_CONNECTION)
        except (OSError, TimeoutError, ValueError) as error:
            raise UsageError(f"--dask {address}: no scheduler answers there: {error}") from error

    @property
    def workers(self) -> int:
        """Those that the scheduler knows; more may come while a run goes on."""
        try:
            count = len(self._client.nthreads())
        except Exception:  # whatever a lost connection raises here, `answers` finds it out
            return 1
        self._say_if_alone(count)
        return max(1, count)

    def submit(self, job: Job) -> int:
        number = self._submitted
        self._submitted += 1
        self._jobs[number] = job
        self._send(number)
        return number

    def answers(self) -> Sequence[tuple[int, Result | Died]]:
        until = time.monotonic() + 1.0
        while True:
            found = [(number, answer) for number in list(self._futures) for answer in self._answer(number)]
            if self._is_lost:
                self._connect_again()
            if found or time.monotonic() >= until or not self._jobs:
                return found
            time.sleep(POLL)

    def close(self) -> None:
        """The scheduler forgets what nobody waits for."""
        self._futures.clear()
        _close(self._client)

    # -- one job ----------------------------------------------------------------------------------------------------

    def _send(self, number: int) -> None:
        """A connection that is lost is noticed by `answers`, which sends everything again."""
        self._sent += 1
        try:
            self._futures[number] = self._client.submit(
                run_job,
                self._make,
                pickle.dumps(self._jobs[number]),
                version(),
                key=f"simt-lsp-{self._run}-{self._sent}",
                pure=False,
            )
        except Exception as error:
            _log.info("job %d could not be submitted: %s", number, error)

    def _answer(self, number: int) -> Sequence[Result | Died]:
        """One, or none while there is none."""
        future = self._futures[number]
        match future.status:
            case "finished":
                try:
                    result: Result = pickle.loads(future.result(timeout=SECONDS_TO_FETCH))
                except Exception as error:
                    # The worker that held it died, or the scheduler did: either way somebody runs it again.
                    _log.info("the result of job %d is lost: %s", number, error)
                    del self._futures[number]
                    if not self._is_lost:
                        self._send(number)
                    return ()
                self._forget(number)
                return (result,)
            case "error":
                error = future.exception()
                if isinstance(error, OtherVersion | ImportError):
                    raise FleetLost(f"a worker of {self._address} cannot run tasks: {error}")
                self._forget(number)
                return (Died(f"{type(error).__name__}: {error}"),)
            case _:
                return ()

    def _forget(self, number: int) -> None:
        del self._futures[number]
        del self._jobs[number]

    def _say_if_alone(self, workers: int) -> None:
        """Once, where nobody has been there to work for a while."""
        now = time.monotonic()
        if workers:
            self._alone_since, self._said_alone = None, False
        elif self._alone_since is None:
            self._alone_since = now
        elif not self._said_alone and now - self._alone_since > PATIENCE_ALONE:
            self._said_alone = True
            print(f"simt-lsp: the scheduler at {self._address} has no workers; waiting for them", file=sys.stderr)

    # -- the connection ---------------------------------------------------------------------------------------------

    @property
    def _is_lost(self) -> bool:
        if self._client.status != "running":
            return True
        return len(self._futures) < len(self._jobs) or any(one.status in LOST for one in self._futures.values())

    def _connect_again(self) -> None:
        """Raises `FleetLost` where nobody answers in time."""
        _close(self._client)
        self._futures.clear()
        print(f"simt-lsp: the scheduler at {self._address} is gone; connecting again", file=sys.stderr)
        until, pause = time.monotonic() + self._patience, 1.0
        while True:
            try:
                self._client = self._connected(min(LONGEST_PAUSE, max(1.0, until - time.monotonic())))
                break
            except Exception as error:  # of many kinds while a scheduler starts
                if time.monotonic() + pause > until:
                    raise FleetLost(
                        f"the scheduler at {self._address} did not come back within {self._patience:g} seconds; the"
                        f" same command goes on where this one stood ({error})"
                    ) from error
                time.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
        for number in self._jobs:
            self._send(number)
        print(f"simt-lsp: connected; {len(self._jobs)} open tasks were submitted again", file=sys.stderr)

    def _connected(self, seconds: float) -> Any:
        return self._distributed.Client(self._address, timeout=seconds, set_as_default=False)


_log = logging.getLogger("simt_lsp.fleet")


def _close(client: Any) -> None:
    try:
        client.close(timeout=2)
    except Exception as error:  # of a scheduler that is gone; nothing depends on it
        _log.info("closing the connection: %s", error)


def _distributed() -> Any:
    """The library, which is large and asked for by few."""
    try:
        found = import_module("distributed")
    except ModuleNotFoundError as missing:
        raise UsageError(
            f"--dask needs Dask's distributed, which is not installed here ({missing.name}):"
            f' "{sys.executable}" -m pip install "simt-lsp[cluster]"'
        ) from None
    for name in ("distributed", "distributed.client", "distributed.comm.tcp"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # a lost scheduler is said once, by us
    return found


# -- on the worker -----------------------------------------------------------------------------------------------------

_alone: Final = threading.Lock()
_made: Final[dict[bytes, Callable[[Any], Any]]] = {}


class OtherVersion(Exception):
    """The worker has another simt-lsp than who asks."""


def run_job(make: bytes, job: bytes, wanted: str) -> bytes:
    """What a worker does; the function of the last run is kept."""
    if version() != wanted:
        raise OtherVersion(f"the worker has simt-lsp {version()}, the job is from {wanted}")
    with _alone:
        name = hashlib.sha256(make).digest()
        if name not in _made:
            _made.clear()
            _made[name] = pickle.loads(make)()
        return pickle.dumps(_made[name](pickle.loads(job)))
