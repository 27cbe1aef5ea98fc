"""The smallest chain of questions picks what the table says, and is as short as it can be."""

from __future__ import annotations

import random

import pytest

from analysis.refactor.meld.choices import Answer, Chain, Choice, Condition, Joined, length, smallest_choice


def _holds(condition: Condition, answers: int) -> bool:
    match condition:
        case Answer(question=question, negated=negated):
            return bool(answers >> question & 1) != negated
        case Joined(parts=parts, is_all=is_all):
            found = [_holds(part, answers) for part in parts]
            return all(found) if is_all else any(found)


def _picked(choice: Choice, answers: int) -> int:
    match choice:
        case int():
            return choice
        case Chain(condition=condition, picked=picked, rest=rest):
            return _picked(picked if _holds(condition, answers) else rest, answers)


def _spelled(choice: Choice) -> str:
    match choice:
        case int():
            return str(choice)
        case Chain(condition=condition, picked=picked, rest=rest):
            return f"{_condition(condition)} ? {_spelled(picked)} : {_spelled(rest)}"


def _condition(condition: Condition) -> str:
    match condition:
        case Answer(question=question, negated=negated):
            return f"{'!' if negated else ''}{'abcde'[question]}"
        case Joined(parts=parts, is_all=is_all):
            found = [f"({_condition(part)})" if isinstance(part, Joined) else _condition(part) for part in parts]
            return (" && " if is_all else " || ").join(found)


@pytest.mark.parametrize("seed", range(40))
def test_it_picks_what_the_table_says(seed: int) -> None:
    chance = random.Random(seed)
    questions, things = chance.randint(1, 4), chance.randint(1, 3)
    table = [chance.choice([None, *range(things), *range(things)]) for _ in range(1 << questions)]
    table[0] = 0
    found = smallest_choice(questions, table)
    assert found is not None
    assert all(thing is None or _picked(found, answers) == thing for answers, thing in enumerate(table))


@pytest.mark.parametrize(
    ("table", "chain"),
    [
        ([0, 0, 0, 0], "0"),
        ([0, 1, 0, 1], "a ? 1 : 0"),
        ([0, 0, 0, 1], "a && b ? 1 : 0"),
        ([0, 1, 1, 1], "a || b ? 1 : 0"),
        ([0, 0, 1, 0], "b && !a ? 1 : 0"),
        ([0, 1, 2, 1], "a ? 1 : b ? 2 : 0"),
        ([0, 1, 1, None], "a || b ? 1 : 0"),
        ([None, 1, 0, None], "a ? 1 : 0"),
    ],
)
def test_the_chain_is_short(table: list[int | None], chain: str) -> None:
    found = smallest_choice(2, table)
    assert found is not None
    assert _spelled(found) == chain


def test_too_many_questions_have_no_answer() -> None:
    assert smallest_choice(6, [0] * 64) is None


def test_a_question_more_is_longer() -> None:
    one, two = smallest_choice(2, [0, 1, 0, 1]), smallest_choice(2, [0, 0, 0, 1])
    assert one is not None
    assert two is not None
    assert length(one) < length(two)
