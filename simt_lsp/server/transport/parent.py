"""End with the editor that started the server, should its end of our standard input outlive it in another process.

The protocol asks for it: "if the parent process is not alive then the server should exit".
Rules    Only the process that the client names and that really started us is watched: a number from inside another
         container, or from the far side of a tunnel, would say nothing here.  All others end us by closing the input.
         Whoever loses its parent gets another one at once; no signal and no process table is needed to see that.
         Not on Windows, which does not tell a process that its parent is gone.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from threading import Thread
from typing import Final

SECONDS_BETWEEN_LOOKS: Final = 2.0


def _end() -> None:
    os._exit(1)  # without `shutdown`, as the protocol wants; the simulating process ends with our end of its input


def watch_parent(claimed: object, end: Callable[[], None] = _end) -> bool:
    """Call `end`, on a thread, when the process `claimed` is gone; whether it is one that can be watched."""
    if sys.platform == "win32" or claimed != os.getppid():
        return False

    def look() -> None:
        while os.getppid() == claimed:
            time.sleep(SECONDS_BETWEEN_LOOKS)
        end()

    Thread(target=look, name="parent", daemon=True).start()
    return True
