"""Long loops let others have a turn: each counts its rounds, and calls a checkpoint of the analysis every so many.

What is analysed says once what its checkpoint is (`with pace(checkpoint)`); passes say where their time goes, with
`paced(blocks)` in place of `blocks`.  Work is counted, never timed.  A checkpoint may raise, as a cancelled analysis
does: a loop that is paced must not leave anything half done that outlives the analysis.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, TypeVar

ROUNDS: Final = 500
"""Between two checkpoints of one loop; a round takes a microsecond in most, a hundred in few."""

Item = TypeVar("Item")


def no_pace() -> None:
    """Nobody waits for what is not an analysis of a file."""


_CHECKPOINT: Final[ContextVar[Callable[[], None]]] = ContextVar("checkpoint", default=no_pace)


@contextmanager
def pace(checkpoint: Callable[[], None]) -> Generator[None]:
    """Inside, paced loops call `checkpoint`."""
    outer = _CHECKPOINT.set(checkpoint)
    try:
        yield
    finally:
        _CHECKPOINT.reset(outer)


def paced(items: Iterable[Item], rounds: int = ROUNDS) -> Iterator[Item]:
    """The items, with a checkpoint every so many `rounds`; a loop whose rounds are long names a smaller number."""
    left = rounds
    for item in items:
        left -= 1
        if not left:
            left = rounds
            _CHECKPOINT.get()()
        yield item
