"""The smallest chain of questions that picks the same of several things.

Question    Given is what is picked for each combination of the answers to yes-or-no questions, and which combinations
            can occur at all.  Wanted is `c ? x : d ? y : z` with few questions, each of `c` and `d` one question or a
            few joined by `and` or `or`.
How         Combinations are bits of an integer, sets of them are integers.  The search takes off one condition after
            the other and remembers the best end of the chain for each set that is left.
Cost        At most `MAX_QUESTIONS` questions, and `MAX_SETS` sets; where that is not enough there is no answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from math import inf
from typing import Final, TypeAlias, final

from analysis.ir.record import record

MAX_QUESTIONS: Final = 5
MAX_SETS: Final = 4000
NEGATION: Final = 0.25
"""An opposite is a little harder to read than the question itself."""
OPERAND: Final = 0.75
"""What one more thing in the chain adds to a question."""
NESTING: Final = 1.0
"""A chain inside of another one, in front of its colon, is hard to read."""


@final
@record
class Answer:
    """One question, or its opposite."""

    question: int
    negated: bool = False


@final
@record
class Joined:
    """`is_all`: all of the parts, else any of them."""

    parts: tuple[Condition, ...]
    is_all: bool


Condition: TypeAlias = Answer | Joined


@final
@record
class Chain:
    """`condition ? picked : rest`."""

    condition: Condition
    picked: Choice
    rest: Choice


Choice: TypeAlias = int | Chain
"""Which of the things, or how it is found out."""


def smallest_choice(questions: int, picked: Sequence[int | None]) -> Choice | None:
    """`picked[c]`: what is picked where bit `q` of `c` is the answer to question `q`; None where that cannot occur."""
    if questions > MAX_QUESTIONS:
        return None
    return _Search(questions, picked).choice()


def length(choice: Choice) -> float:
    """How much there is to read."""
    match choice:
        case int():
            return 0
        case Chain(condition=condition, picked=picked, rest=rest):
            nesting = NESTING if isinstance(picked, Chain) else 0
            return _length(condition) + OPERAND + length(picked) + nesting + length(rest)


def _length(condition: Condition) -> float:
    match condition:
        case Answer(negated=negated):
            return 1 + NEGATION * negated
        case Joined(parts=parts):
            return sum(map(_length, parts))


class _TooManyError(Exception):
    """More sets than are looked at."""


@final
class _Search:
    def __init__(self, questions: int, picked: Sequence[int | None]) -> None:
        self._things: dict[int, int] = {}
        for combination, thing in enumerate(picked):
            if thing is not None:
                self._things[thing] = self._things.get(thing, 0) | 1 << combination
        self._possible = sum(self._things.values())
        self._answers = [
            (Answer(question, negated), self._where(len(picked), question, negated))
            for question in range(questions)
            for negated in (False, True)
        ]
        self._conditions = self._distinct(_conditions(questions))
        self._known: dict[int, tuple[float, Choice | None]] = {}
        """The best choice and its cost, or None and a cost below which there is none."""

    def choice(self) -> Choice | None:
        try:
            found = self._best(self._possible, inf)
        except _TooManyError:
            return None
        return None if found is None else found[1]

    def _where(self, size: int, question: int, negated: bool) -> int:
        return sum(1 << each for each in range(size) if (each >> question & 1) != negated)

    def _distinct(self, conditions: Iterator[Condition]) -> list[tuple[float, Condition, int]]:
        """The shortest condition for each set that one describes; short ones first, and among them special cases."""
        known = dict(self._answers)
        found: dict[int, tuple[float, Condition, int]] = {}
        for condition in sorted(conditions, key=_length):
            mask = _mask(condition, known, self._possible)
            if mask not in (0, self._possible):
                found.setdefault(mask, (_length(condition), condition, mask))
        return sorted(found.values(), key=lambda each: (each[0], each[2].bit_count()))

    def _best(self, left: int, budget: float) -> tuple[float, Choice] | None:
        """The cheapest way to pick in the combinations that are left, if it costs less than the budget."""
        known = self._known.get(left)
        if known is None or (known[1] is None and known[0] < budget):
            if len(self._known) > MAX_SETS:
                raise _TooManyError
            found = self._found(left, budget)
            known = self._known[left] = (budget, None) if found is None else found
        cost, choice = known
        return None if choice is None or cost >= budget else (cost, choice)

    def _found(self, left: int, budget: float) -> tuple[float, Choice] | None:
        thing = self._only_thing(left)
        if thing is not None:
            return (0, thing) if budget > 0 else None
        best: tuple[float, Choice] | None = None
        for cost, condition, mask in self._conditions:
            inside, outside = left & mask, left & ~mask
            if not inside or not outside:
                continue
            cost += OPERAND
            if cost >= budget:
                break
            thing = self._only_thing(inside)
            if thing is None:
                if isinstance(condition, Joined):
                    continue
                cost += NESTING
            rest = self._best(outside, budget - cost)
            if rest is None:
                continue
            picked = self._best(inside, budget - cost - rest[0]) if thing is None else (0, thing)
            if picked is None:
                continue
            budget = cost + picked[0] + rest[0]
            best = budget, Chain(condition, picked[1], rest[1])
        return best

    def _only_thing(self, left: int) -> int | None:
        return next((thing for thing, where in self._things.items() if left & ~where == 0), None)


def _mask(condition: Condition, answers: dict[Answer, int], possible: int) -> int:
    match condition:
        case Answer():
            return answers[condition] & possible
        case Joined(parts=parts, is_all=is_all):
            masks = [_mask(part, answers, possible) for part in parts]
            found = possible if is_all else 0
            for mask in masks:
                found = found & mask if is_all else found | mask
            return found


def _conditions(questions: int) -> Iterator[Condition]:
    """Up to three answers, joined."""
    for size in range(1, min(questions, 3) + 1):
        for asked in combinations(range(questions), size):
            for signs in product((False, True), repeat=size):
                answers = [Answer(question, negated) for question, negated in zip(asked, signs, strict=True)]
                answers.sort(key=lambda answer: answer.negated)
                if size == 1:
                    yield answers[0]
                    continue
                yield Joined(tuple(answers), is_all=True)
                yield Joined(tuple(answers), is_all=False)
                if size == 3:
                    for first in range(3):
                        others = tuple(answers[:first] + answers[first + 1 :])
                        for is_all in (False, True):
                            yield Joined((answers[first], Joined(others, is_all=not is_all)), is_all=is_all)
