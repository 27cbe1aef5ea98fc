"""Numbers that look random and depend on a seed alone: the same function is always priced alike."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import shake_128
from typing import TypeVar, final

Item = TypeVar("Item")


@final
class Draws:
    """One sequence of numbers; each call goes on in it."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._drawn = 0

    def bits(self, count: int) -> int:
        """A number of `count` bits."""
        self._drawn += 1
        found = shake_128(b"%d %d" % (self._seed, self._drawn)).digest((count + 7) // 8)
        return int.from_bytes(found, "little") & (1 << count) - 1

    def below(self, bound: int) -> int:
        """From 0 to `bound` - 1; `bound` is far below 2^32, so that all are equally likely."""
        return self.bits(32) * bound >> 32

    def pick(self, items: Sequence[Item]) -> Item:
        return items[self.below(len(items))]
