"""What those who wait at a barrier miss of the threads that never come to it."""

from __future__ import annotations

from enum import Enum
from typing import final

from analysis.ir.record import record
from analysis.ir.source import Span


class Consequence(Enum):
    """What follows if threads miss a barrier; the values are those of the reports."""

    MISSING = "missing"
    """Something that the others need is not done, or they are waited for."""
    UNDECIDED = "undecided"
    """The others may need them."""
    NOTHING = "nothing"
    """They have left the kernel, and nobody needs them any more."""


class NeedKind(Enum):
    """Why somebody needs the threads that do not come."""

    WAITED_FOR = "waited for"
    """They have not left the kernel: a barrier waits for them, this one or another."""
    LANES = "lanes"
    """An operation of the warp whose mask names them."""
    REDUCTION = "reduction"
    """A barrier that counts or joins what its threads bring."""
    ARRIVALS = "arrivals"
    """A barrier that waits for a number of arrivals, or for the whole grid."""
    ELEMENT = "element"
    """A read of what they should have written."""
    NOT_WAITED = "not waited"
    """A use by them of what the others write: they go on without having waited."""
    UNORDERED = "unordered"
    """A use of what they wrote before they left, which no barrier orders."""
    UNKNOWN = "unknown"
    """Code that is not understood."""


@final
@record
class Need:
    """What needs them; `span` is the operation, None where there is none to name.

    `is_sure` is False where they may be needed: only that they are not could not be shown.
    """

    kind: NeedKind
    span: Span | None
    is_sure: bool


def consequence_of(need: Need | None) -> Consequence:
    if need is None:
        return Consequence.NOTHING
    return Consequence.MISSING if need.is_sure else Consequence.UNDECIDED
