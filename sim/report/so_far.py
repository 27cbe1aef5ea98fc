"""How a report calls a run that goes on, and how it does once the run was stopped: the report stays, its words change.

A process that was stopped makes no other report, so who has its last one swaps these words in it.
"""

from __future__ import annotations

from typing import Final

SO_FAR: Final = "so far, after "
STILL_RUNNING: Final = "still running: this is what was counted in "

_STOPPED: Final = {
    SO_FAR: "in part, stopped after ",
    STILL_RUNNING: "stopped before its end: this is what was counted in ",
}


def stopped_words(text: str) -> str:
    """A report, or a part of one, that was made while the run went on, when nothing goes on any more."""
    for running, stopped in _STOPPED.items():
        text = text.replace(running, stopped)
    return text
