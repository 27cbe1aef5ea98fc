"""What has to be ordered between threads, in bytes of the file, and why it sometimes cannot be.

A barrier is for the lanes of a warp (this package), or for all threads of a block (`analysis.refactor.block_order`).
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias, final

from analysis.ir.record import record
from analysis.refactor.edit import Replacement


@final
@record
class Site:
    """One access, or the call that leads to it: its text, from `start` to `end`."""

    start: int
    end: int
    is_store: bool


class Group(Enum):
    """Whom a barrier waits for."""

    WARP = "warp"
    BLOCK = "block"


@final
@record
class Rounds:
    """Of the loop whose keyword begins at a byte offset."""

    keyword: int


@final
@record
class Calls:
    """Of the function whose definition begins at a byte offset."""

    start: int


Repeated: TypeAlias = Rounds | Calls


@final
@record
class Separation:
    """A barrier has to stand on every way from `first` to `second`.

    `repeated`: the two belong to a round or a call and to a later one; None in one pass.
    `accesses`: where the accesses of this file begin, be it in what the sites call.
    """

    first: Site
    second: Site
    repeated: Repeated | None
    accesses: tuple[int, ...]


class WhyNotOrdered(Enum):
    """Why the barriers are not inserted."""

    NOT_FOLLOWED = "data decide which lanes come there, or which elements they use"
    OTHER_FILE = "one of the accesses stands in another file"
    NO_TEXT = "one of the accesses has no text of its own: a macro or a library wrote it"
    LOOP = "the accesses meet in different rounds of a loop whose end cannot be told from its text"
    ONE_STATEMENT = "lanes read and write in one statement that cannot be taken apart into a read and a write"
    EFFECTS = "the statement has to be taken apart, and its left side must not be evaluated twice"
    ARMS = "the accesses stand in two arms of one branch, and lanes in different arms cannot wait for each other"
    CASE = "one of the statements is a case of a `switch`"
    BROKEN = "the text around the accesses cannot be read"
    DIVERGENT = "not all lanes of a warp come there, and those that do cannot be named before they part"
    CONDITION = "not all lanes of a warp come there, and the condition that parts them must not be evaluated twice"
    CALLERS = "the callers of the function are not known: one may call it with some lanes of a warp only"
    NOT_TOGETHER = "it is not proven that the lanes named by the masks come together there"
    STILL_THERE = "a barrier where the text allows one does not order all of the accesses"
    ONE_ACCESS = "several threads use one element by one access, which no barrier takes apart"
    THREADS = "not all threads of the block come there"
    WARP_SIZE = "not all lanes of a warp come there, and masks are written for warps of 32 lanes only"


@final
@record
class Ordered:
    """`edit` puts `barriers` in, `masked` of them with a mask, and takes `splits` statements apart.

    `accesses`: where those begin that it orders, in the text before.
    """

    edit: tuple[Replacement, ...]
    barriers: int
    masked: int
    splits: int
    accesses: frozenset[int]


@final
@record
class CannotOrder:
    """`place`: the byte offset that shows it, where there is one."""

    reason: WhyNotOrdered
    place: int | None = None


class Obstacle(Exception):
    """Carries a `CannotOrder` out of the places where it is found; it never leaves the package."""

    def __init__(self, reason: WhyNotOrdered, place: int | None = None) -> None:
        super().__init__(reason.value)
        self.answer = CannotOrder(reason, place)
