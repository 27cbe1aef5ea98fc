"""How many expressions are read for one answer about host code, and what was read before.

Rules    `int b = a + a; int c = b + b;` doubles the expressions with every line, so an answer ends at a bound.
         What was asked before counts as many expressions as it did then, and is asked again where too few are left:
         what is remembered makes answers faster, and changes none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias, final

from analysis.launches.file_constants import Number
from analysis.launches.host_paths import Guards

MAX_DEPTH: Final = 40
MAX_STEPS: Final = 2_000
"""Expressions that are read for one answer."""
Question: TypeAlias = "tuple[str, str, int, Guards, tuple[str, int] | None, tuple[tuple[int, Number], ...]]"
"""A variable and a path to a member of it, the place that asks, what is assumed there, and the rounds around it."""
_Known: TypeAlias = "tuple[Number | None, int, int]"
"""The answer, how many expressions were read for it, and how deep they stood in each other."""


@final
class HostSteps:
    """Of one function, seen with the same numbers."""

    def __init__(self) -> None:
        self.depth = 0
        """Of the expressions that are being read."""
        self._steps = 0
        self._deepest = 0
        self._cuts = 0
        """How often an expression was not read, because there were too many."""
        self._known: dict[Question, _Known] = {}

    def is_spent(self) -> bool:
        """Counts one more expression."""
        depth = self.depth
        self._steps = 0 if depth == 0 else self._steps + 1
        self._deepest = max(self._deepest, depth)
        is_spent = depth > MAX_DEPTH or self._steps > MAX_STEPS
        self._cuts += is_spent
        return is_spent

    def recalled(self, question: Question, ask: Callable[[], Number | None]) -> Number | None:
        """The answer to a question, asked once: many expressions name the same variable at the same place."""
        if self.depth == 0:  # counting starts anew with each expression there
            return ask()
        known = self._known.get(question)
        if known is not None:
            value, steps, height = known
            if self._steps + steps <= MAX_STEPS and self.depth + height <= MAX_DEPTH:
                self._steps += steps
                self._deepest = max(self._deepest, self.depth + height)
                return value
        cuts, steps, deepest = self._cuts, self._steps, self._deepest
        self._deepest = self.depth
        try:
            value = ask()
            if cuts == self._cuts:
                self._known[question] = value, self._steps - steps, self._deepest - self.depth
        finally:
            self._deepest = max(self._deepest, deepest)
        return value
