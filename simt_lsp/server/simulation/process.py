"""The process that simulates: reads a job from standard input, writes frames to standard output, and is gone.

Rules    It ends when its standard input does, so it cannot outlive the server, and at once when it is killed.
         Nothing but frames reaches the server's end of standard output.  It is nicer than the server, and its memory
         is bounded where the system can do that.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO, Final

from simt_lsp.server.simulation.frames import LENGTH, packed
from simt_lsp.server.simulation.job import SimulationJob

MAX_ADDRESS_BYTES: Final = 12 << 30
"""Above the simulator's own budget for buffers, with room for what NumPy reserves."""
NICENESS: Final = 5
MISSING_NUMPY: Final = (
    "simulating needs NumPy, which is not installed for the server's Python: "
    "\"{python}\" -m pip install 'simt-lsp[sim]', then simulate again"
)


def main() -> None:
    """The life of the process."""
    started = time.monotonic()
    out = _own_output()
    source = sys.stdin.buffer
    (length,) = LENGTH.unpack(source.read(LENGTH.size))
    job: SimulationJob = pickle.loads(source.read(length))  # from the server that started this process
    threading.Thread(target=_end_with, args=(source,), daemon=True).start()
    _be_modest()

    def say(message: dict[str, Any]) -> None:
        out.write(packed(message))
        out.flush()

    say(_answer(job, started, lambda share: say({"progress": share})))
    out.close()
    os._exit(0)  # nothing is left to tidy up


def _answer(job: SimulationJob, started: float, progress: Callable[[float], None]) -> dict[str, Any]:
    try:
        from simt_lsp.server.simulation.work import simulated

        return simulated(job, started, progress)
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != "numpy":
            raise
        return {"failed": MISSING_NUMPY.format(python=sys.executable), "log": None}
    except MemoryError:
        return {"failed": f"simulating {job.kernel} needs more memory than it may have", "log": None}
    except Exception as error:  # a defect of ours, which costs this simulation
        problem = f"simulating {job.kernel} failed: {type(error).__name__}: {error}"
        return {"failed": problem, "log": traceback.format_exc()}


def _own_output() -> BinaryIO:
    """Standard output for frames alone; what anybody else writes there goes nowhere."""
    out = os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    return out


def _end_with(source: BinaryIO) -> None:
    with suppress(OSError):
        source.read()
    os._exit(1)


def _be_modest() -> None:
    if hasattr(os, "nice"):
        with suppress(OSError):
            os.nice(NICENESS)
    try:
        import resource
    except ImportError:  # not on Windows; the simulator's own budget stays
        return
    with suppress(OSError, ValueError):
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        bound = MAX_ADDRESS_BYTES if most == resource.RLIM_INFINITY else min(most, MAX_ADDRESS_BYTES)
        resource.setrlimit(resource.RLIMIT_AS, (bound, most))
