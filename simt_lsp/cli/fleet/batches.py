"""Items that share tasks of some seconds: how many together follows what was measured of those before.

Rules    While nothing is known, an item is a task.  A task ends after the item with which `USUAL` seconds are over;
         what it did not come to is put back.  So is each half of a task that nobody survived, until the item that does
         it is alone.
         Items of one task have the same `group`, where that makes a difference.
         Towards the end tasks get smaller, so that all workers end together.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Final, Generic, TypeVar, final

Item = TypeVar("Item")

SHORTEST: Final = 5.0
USUAL: Final = 10.0
"""Seconds of a task; with an item that begins just before and takes its time, twice or three times as long."""
MOST: Final = 500


@final
class Batches(Generic[Item]):
    def __init__(self, items: Iterable[Item], group: Callable[[Item], Hashable] = lambda _: None) -> None:
        self._waiting: deque[Item] = deque(items)
        self._again: deque[Sequence[Item]] = deque()
        self._group = group
        self._seconds = 0.0
        self._known = 0.0

    def take(self, workers: int) -> tuple[Item, ...] | None:
        """The next task; None where nothing is left now."""
        if self._again:
            return tuple(self._again.popleft())
        if not self._waiting:
            return None
        taken = [self._waiting.popleft()]
        group, most = self._group(taken[0]), self._size(workers)
        while self._waiting and len(taken) < most and self._group(self._waiting[0]) == group:
            taken.append(self._waiting.popleft())
        return tuple(taken)

    def learn(self, items: int, seconds: float) -> None:
        """What came last says most of what comes next: the costliest are first."""
        self._known = self._known / 2 + items
        self._seconds = self._seconds / 2 + seconds

    def put_back(self, items: Sequence[Item]) -> None:
        """They are what is taken next but for what came back before, in tasks of their own."""
        self._waiting.extendleft(reversed(items))

    def halve(self, items: Sequence[Item]) -> bool:
        """After a task that nobody survived; False where it is one item, which then is to blame."""
        middle = len(items) // 2
        self._again.extend(part for part in (items[:middle], items[middle:]) if middle)
        return middle > 0

    def _size(self, workers: int) -> int:
        if not self._known:
            return 1
        each = max(self._seconds / self._known, USUAL / MOST)
        left = (len(self._waiting) + 1) * each
        target = min(USUAL, max(SHORTEST, left / (2 * workers)))
        return max(1, round(target / each))
