"""When Python looks for cycles: never while somebody may be waiting.

What an analysis leaves is freed by reference counts (`Program.close`, tests/facts/test_freed_at_once.py).  Cycles are
left by little things, mostly exceptions with their traces, and most of them are young.  A collection of all that is
kept of five files takes half a second, in which nobody gets an answer.

Rules    Young objects are looked at as always: 50,000 of them take some 20 ms.  Older ones are not while there is work.
         When there was none for a while, what was made since the last rest is looked at once, and then never again:
         it is frozen, and reference counts free it.
         All objects are looked at when the last document was closed, and after some hours of typing in a long rest.
         What functions remember of what they were asked is of no use then either, and is forgotten.
         Then the memory that is free goes back to the system; glibc keeps it otherwise.
Threads  Called on the worker's thread; a collection stops all of them.
"""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress
from functools import lru_cache
from typing import Final, final

COLLECTOR_THRESHOLDS: Final = (50_000, 1_000_000, 1_000_000)
"""An analysis makes some hundred thousand objects that live on; the default looks at them after every 700."""
LONG_RESTS: Final = 1_000
"""After so many rests that followed some work, one looks at everything."""


@final
class Collector:
    """See the top of the file."""

    def __init__(self) -> None:
        self._rests = 0

    def begin(self) -> None:
        """Everything that a process needs is loaded: nothing of it is ever free."""
        gc.freeze()
        gc.set_threshold(*COLLECTOR_THRESHOLDS)
        gc.enable()

    def rest(self, *, all_closed: bool) -> None:
        """There was work, and then none for a while."""
        self._rests += 1
        if all_closed or self._rests >= LONG_RESTS:
            self._rests = 0
            gc.unfreeze()
        if all_closed:
            _forget()
        gc.collect()
        gc.freeze()
        _give_back()


def _forget() -> None:
    """Heads and words of thousands of declarations would stay, each in a megabyte that is free otherwise."""
    remembering = type(lru_cache(_give_back))
    for one in gc.get_objects():
        if isinstance(one, remembering) and one.__module__.startswith("analysis."):
            one.cache_clear()


def _give_back() -> None:
    """Free memory goes back to the system where the C library has a word for it (2 ms for some hundred megabytes)."""
    with suppress(OSError, AttributeError):  # not glibc
        ctypes.CDLL(None).malloc_trim(0)
