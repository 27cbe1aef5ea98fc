"""Long loops let others have a turn: all rounds are counted, and every so many the analysis reaches its checkpoint.

What is analysed says once what its checkpoint is (`with pace(checkpoint)`); passes say where their time goes, with
`paced(blocks)` in place of `blocks`.  All loops of one analysis count together, so that many short loops inside a long
one do not keep others waiting.  Work is counted, never timed.  A checkpoint may raise, as a cancelled analysis does: a
loop that is paced must not leave anything half done that outlives the analysis.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain, islice, repeat
from re import finditer
from typing import Any, Final, TypeVar, final

TURN: Final = 1_000
"""Rounds between two checkpoints; a round takes a microsecond or two in most loops, and weighs more in others."""
SHORT: Final = 50
"""A list of so many rounds is counted at once: that is all that short loops can afford."""

_SIZED: Final = (list, tuple)  # `list | tuple` would be made for each call
_AHEAD: Final[tuple[type[Any], ...]] = (type(finditer("", "")), repeat)
"""Matches of a pattern, and what is always the same: to take some more of them ahead changes nothing for who asks."""

Item = TypeVar("Item")


def no_pace() -> None:
    """Nobody waits for what is not an analysis of a file."""


class Cancelled(BaseException):
    """The caller asked to stop; nothing was published.  No failure, so it passes what logs failures."""


@final
class _Turns:
    """What is left of one turn."""

    __slots__ = ("checkpoint", "left")

    def __init__(self, checkpoint: Callable[[], None]) -> None:
        self.checkpoint = checkpoint
        self.left = TURN

    def next(self) -> None:
        self.left = TURN
        self.checkpoint()


_OF_NOBODY: Final = _Turns(no_pace)
_TURNS: Final[ContextVar[_Turns]] = ContextVar("turns", default=_OF_NOBODY)


@contextmanager
def pace(checkpoint: Callable[[], None]) -> Generator[None]:
    """Inside, paced loops call `checkpoint`."""
    outer = _TURNS.set(_Turns(checkpoint))
    try:
        yield
    finally:
        _TURNS.reset(outer)


def paced(items: Iterable[Item], weight: int = 1) -> Iterator[Item]:
    """The items, with checkpoints among them; each counts as `weight` rounds."""
    if isinstance(items, _SIZED):
        rounds = len(items) * weight
        if rounds <= SHORT:
            turns = _TURNS.get()
            turns.left -= rounds
            if turns.left <= 0:
                turns.next()
            return iter(items)
        size = SHORT // weight
        if size > 1:
            return chain.from_iterable(_pieces(items, size, weight))
    elif type(items) in _AHEAD and weight <= SHORT // 2:
        return chain.from_iterable(_batches(items, SHORT // weight, weight))
    return _each(items, weight)


def _pieces(items: Sequence[Item], size: int, weight: int) -> Iterator[Sequence[Item]]:
    """A long list in short ones, each of which is counted at once; it may grow meanwhile."""
    turns = _TURNS.get()
    start = 0
    while piece := items[start : start + size]:
        start += size
        turns.left -= len(piece) * weight
        if turns.left <= 0:
            turns.next()
        yield piece


def _batches(items: Iterable[Item], size: int, weight: int) -> Iterator[Sequence[Item]]:
    turns = _TURNS.get()
    while batch := list(islice(items, size)):
        turns.left -= len(batch) * weight
        if turns.left <= 0:
            turns.next()
        yield batch


def _each(items: Iterable[Item], weight: int) -> Iterator[Item]:
    turns = _TURNS.get()
    for item in items:
        turns.left -= weight
        if turns.left <= 0:
            turns.next()
        yield item


def popped(stack: list[Item], weight: int = 1) -> Iterator[Item]:
    """What is popped until the stack is empty, paced; the loop may push more."""
    turns = _TURNS.get()
    while stack:
        turns.left -= weight
        if turns.left <= 0:
            turns.next()
        yield stack.pop()


def spend(rounds: int) -> None:
    """So many rounds were done, or are about to be: for who cannot say it with a loop."""
    turns = _TURNS.get()
    turns.left -= rounds
    if turns.left <= 0:
        turns.next()


def turn() -> None:
    """The checkpoint, now."""
    _TURNS.get().next()


def ends_when(cancelled: Callable[[], bool]) -> Callable[[], None]:
    """A checkpoint that raises `Cancelled` once the caller says so."""

    def checkpoint() -> None:
        outer = _TURNS.set(_OF_NOBODY)  # what others ask meanwhile is none of this analysis
        try:
            is_cancelled = cancelled()
        finally:
            _TURNS.reset(outer)
        if is_cancelled:
            raise Cancelled

    return checkpoint
