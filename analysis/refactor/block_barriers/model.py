"""What a repair of block barriers comes to, and why it sometimes cannot be written."""

from __future__ import annotations

from enum import Enum
from typing import final

from analysis.ir.record import record
from analysis.refactor.edit import Replacement


class RepairStep(Enum):
    """One thing that was done so that all threads come to the barriers, in words for a title."""

    EXIT = "guard the work instead of returning early"
    HOIST = "take the barrier out of the branch"
    MERGE = "merge the barriers of the arms"
    PAD = "give all threads the same rounds"
    VOTE = "go on while any thread has work"


class WhyNotMet(Enum):
    """Why the barriers are left where they are."""

    ARMS = "the arms do not wait in step: one waits more often, or inside of another statement"
    BROKEN = "the text around the barrier cannot be read"
    CALL = "the called function does more than wait, and threads that skip the call now would run that too"
    CONDITION = "the condition cannot be evaluated apart from the branch"
    DECLARATION = (
        "a variable that is declared under the condition is used behind the barrier, and cannot be declared before"
    )
    DESTRUCTOR = "the destructor of an object would run at another place"
    EXIT = "threads leave from inside of another branch or a loop"
    HEAD = "all threads would run the head of a loop that reads memory or what guarded code changes"
    JUMP = "a jump leaves a loop or a branch around the barrier"
    MACRO = "a preprocessor directive stands among the statements, or a macro does more than its use shows"
    NEW_PROBLEM = "the analysis finds another problem in the text after it"
    NOT_UNDERSTOOD = "something in the text after it is not understood"
    PARTICIPANTS = "the barrier names who takes part, counts who comes, or is part of a macro"
    RETURNS_VALUE = "the function returns a value, which threads that wait do not have yet"
    ROUNDS = "nothing in the text says how many rounds all threads would have to make"
    STATEMENT = "a barrier stands in a statement that cannot be split"
    STILL_MISSED = "it is not proven that all threads come to the barriers then"


@final
@record
class Met:
    """`edit` brings all threads to the barriers of one function, in these `steps`.

    `branches`: where the keywords begin of those that kept threads away.
    """

    edit: tuple[Replacement, ...]
    steps: tuple[RepairStep, ...]
    branches: frozenset[int]


def steps_words(steps: tuple[RepairStep, ...]) -> str:
    """`Guard the work instead of returning early, and give all threads the same rounds`."""
    words = ", and ".join(step.value for step in steps)
    return words[0].upper() + words[1:]


@final
@record
class CannotMeet:
    """`place`: the byte offset that shows it, where there is one."""

    reason: WhyNotMet
    place: int | None = None


class Obstacle(Exception):
    """Carries a `CannotMeet` out of the places where it is found; it never leaves the package."""

    def __init__(self, reason: WhyNotMet, place: int | None = None) -> None:
        super().__init__(reason.value)
        self.answer = CannotMeet(reason, place)
