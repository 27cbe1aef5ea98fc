"""What the processes of a fleet do in tests; a module of its own, so that workers of a cluster can import it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path


def make() -> Callable[[str], str]:
    """A function that does what the word says: `sleep`, `die`, `die-once PATH`, `raise`; else it shouts."""

    def work(text: str) -> str:
        word, _, path = text.partition(" ")
        if word == "sleep":
            time.sleep(0.3)
        if word == "raise":
            raise ValueError("not today")
        if word == "die" or (word == "die-once" and _is_first(Path(path))):
            os._exit(7)
        return text.upper()

    return work


def _is_first(marker: Path) -> bool:
    try:
        marker.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True
