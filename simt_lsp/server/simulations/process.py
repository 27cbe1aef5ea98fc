"""The process that simulates: takes jobs from standard input, one after the other, and answers each with frames.

Rules    It imports everything before it says that it is ready, so that the first job does not wait for that.
         What one job analysed the next one reuses: an edit costs one function here as in the server.
         It ends when its standard input does, so it cannot outlive the server, and at once when it is killed.
         It takes no other job after a defect of ours, or when it has grown beyond `MAX_RESIDENT_BYTES`.
         Nothing but frames reaches the server's end of standard output.  Its memory is bounded where the system can do
         that; a job that takes long makes it nicer than the server.
"""

from __future__ import annotations

import gc
import os
import pickle
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from simt_lsp.server.simulations.frames import LENGTH, packed
from simt_lsp.server.simulations.job import Job

if TYPE_CHECKING:
    from simt_lsp.server.simulations.work import Worker

MAX_ADDRESS_BYTES: Final = 12 << 30
"""Above the simulator's own budget for buffers, with room for what NumPy reserves."""
MAX_RESIDENT_BYTES: Final = 300 << 20
"""Of a process that waits for the next job; a fresh one has some 55 MB."""
NICENESS: Final = 5
LONG_SECONDS: Final = 1.0
MISSING_NUMPY: Final = (
    "simulating needs NumPy, which is not installed for the server's Python: "
    '"{python}" -m pip install numpy, then simulate again'
)

Say = Callable[[dict[str, Any]], None]


def main() -> None:
    """The life of the process."""
    out = _own_output()

    def say(message: dict[str, Any]) -> None:
        out.write(packed(message))
        out.flush()

    jobs: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, jobs), daemon=True).start()
    _bound_memory()
    worker = _ready(say)
    while worker is not None and _did(worker, pickle.loads(jobs.get()), say):  # from the server, which started this
        pass
    out.close()
    os._exit(0)  # nothing is left to tidy up


def _ready(say: Say) -> Worker | None:
    gc.disable()  # nothing that an import makes is garbage
    try:
        from simt_lsp.server.simulations.work import Worker
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != "numpy":
            raise
        say({"unavailable": MISSING_NUMPY.format(python=sys.executable)})
        return None
    worker = Worker()
    gc.freeze()
    gc.enable()
    say({"ready": True})
    return worker


def _did(worker: Worker, job: Job, say: Say) -> bool:
    """Answers one job; whether there may be another."""
    started = time.monotonic()

    def progress(share: float) -> None:
        say({"progress": share})
        if time.monotonic() - started > LONG_SECONDS:
            _be_nice()

    try:
        answer = worker.answer(job, started, progress, lambda counted: say({"interim": counted}))
        again = _resident_bytes() <= MAX_RESIDENT_BYTES
    except MemoryError:
        answer = {"failed": f"{job.task} needs more memory than it may have", "log": None}
        again = False
    except Exception as error:  # a defect of ours, which costs this simulation
        problem = f"{job.task} failed: {type(error).__name__}: {error}"
        answer = {"failed": problem, "log": traceback.format_exc()}
        again = False
    say({**answer, "again": again})
    return again


def _own_output() -> BinaryIO:
    """Standard output for frames alone; what anybody else writes there goes nowhere."""
    out = os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    return out


def _read(source: BinaryIO, jobs: SimpleQueue[bytes]) -> None:
    """On a thread of its own, so that the end of the input is seen while a kernel runs."""
    with suppress(OSError):
        while len(header := source.read(LENGTH.size)) == LENGTH.size:
            jobs.put(source.read(LENGTH.unpack(header)[0]))
    os._exit(1)


def _resident_bytes() -> int:
    """What the process holds now, where the system says so; else 0."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 0


def _be_nice() -> None:
    """For the rest of the process's life; it stands in nobody's way who waits for a hover."""
    if hasattr(os, "getpriority") and os.getpriority(os.PRIO_PROCESS, 0) < NICENESS:
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, NICENESS)


def _bound_memory() -> None:
    try:
        import resource
    except ImportError:  # not on Windows; the simulator's own budget stays
        return
    with suppress(OSError, ValueError):
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        bound = MAX_ADDRESS_BYTES if most == resource.RLIM_INFINITY else min(most, MAX_ADDRESS_BYTES)
        resource.setrlimit(resource.RLIMIT_AS, (bound, most))
