"""Where random kernels come from: a sequence of choices, for long runs, for hypothesis and for shrinking alike.

Fewer choices and smaller ones make smaller kernels; every sequence of numbers is a valid one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Protocol, TypeVar, final

Item = TypeVar("Item")


class Source(Protocol):
    def below(self, limit: int) -> int:
        """A number in [0, limit)."""
        ...


@final
class Seeded:
    """Draws from a seed and remembers what was drawn."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self.drawn: list[int] = []

    def below(self, limit: int) -> int:
        self.drawn.append(self._random.randrange(limit))
        return self.drawn[-1]


@final
class Replayed:
    """Repeats choices, each cut to what is asked for; zeros after the last."""

    def __init__(self, choices: Sequence[int]) -> None:
        self._choices = choices
        self._next = 0

    def below(self, limit: int) -> int:
        self._next += 1
        return self._choices[self._next - 1] % limit if self._next <= len(self._choices) else 0


@final
class Choices:
    """What generators ask a source for."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def below(self, limit: int) -> int:
        return self._source.below(limit)

    def between(self, low: int, high: int) -> int:
        return low + self._source.below(high - low + 1)

    def pick(self, items: Sequence[Item]) -> Item:
        return items[self._source.below(len(items))]

    def chance(self, one_in: int) -> bool:
        """True once in so many times; False is the smaller choice."""
        return self._source.below(one_in) == one_in - 1


def shrunken(choices: Sequence[int], fails: Callable[[Sequence[int]], bool], budget: int) -> Sequence[int]:
    """Fewer, smaller choices that still fail; `fails` is asked at most `budget` times."""
    best = list(choices)
    step = len(best) // 2
    while step and budget > 0:
        start = 0
        while start < len(best) and budget > 0:
            part = best[start : start + step]
            for replacement in ([], [0] * len(part)):
                candidate = best[:start] + replacement + best[start + step :]
                budget -= 1
                if candidate != best and fails(candidate):
                    best = candidate
                    break
            else:
                start += step
                continue
            start += len(replacement)
        step //= 2
    return best
