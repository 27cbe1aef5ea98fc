"""How much work may be spent on one function by the passes whose work grows faster than its text.

One step is about a microsecond.  What real code needs is a small part of `MAX_STEPS`: several thousand branches that
all leave one loop, or all return, are behind it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, final

MAX_STEPS: Final = 2_000_000
STEPS_BETWEEN_CHECKPOINTS: Final = 20_000


class TooMuchWork(Exception):
    """A pass would spend more than it may; whatever it was about to find out stays unknown."""


@final
class Work:
    """What is left to spend."""

    def __init__(self, steps: int = MAX_STEPS, checkpoint: Callable[[], None] = lambda: None) -> None:
        self.left = steps
        self._checkpoint = checkpoint
        self._until_checkpoint = STEPS_BETWEEN_CHECKPOINTS

    def spend(self, steps: int) -> None:
        """Raises `TooMuchWork` once more was spent than there was, and what the checkpoint raises."""
        self.left -= steps
        self._until_checkpoint -= steps
        if self._until_checkpoint < 0:
            self._until_checkpoint = STEPS_BETWEEN_CHECKPOINTS
            self._checkpoint()
        if self.left < 0:
            raise TooMuchWork
