"""Where random kernels come from: a sequence of choices, for long runs, for hypothesis and for shrinking alike.

Fewer choices and smaller ones make smaller kernels; every sequence of numbers is a valid one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
    improved = True
    while improved:
        improved = False
        for candidate in _smaller(best):
            if budget <= 0:
                return best
            budget -= 1
            if fails(candidate):
                best = candidate
                improved = True
                break
    return best


def _smaller(choices: list[int]) -> Iterator[list[int]]:
    size = len(choices)
    step = size // 2
    while step:
        for start in range(0, size, step):
            yield choices[:start] + choices[start + step :]
        step //= 2
    step = size // 2
    while step:
        for start in range(0, size, step):
            if any(choices[start : start + step]):
                part = [0] * len(choices[start : start + step])
                yield choices[:start] + part + choices[start + step :]
        step //= 2
