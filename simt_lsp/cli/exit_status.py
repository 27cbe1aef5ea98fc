"""What the shell sees when a command ends."""

from __future__ import annotations

from enum import IntEnum


class ExitStatus(IntEnum):
    """The first three are the contract of `check`; `simulate` adds what can become of a run; the last two are what a
    shell expects after a signal."""

    CLEAN = 0
    FOUND = 1
    USAGE = 2
    REFUSED = 3
    TRUNCATED = 4
    INTERRUPTED = 130
    BROKEN_PIPE = 141


class UsageError(Exception):
    """The user asked for something that cannot be done; the message names the place and what to do."""
