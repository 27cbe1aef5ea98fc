"""The data of a hover; `hover_text` turns it into Markdown or plain text."""

from __future__ import annotations

from typing import TypeAlias, final

from analysis.divergence.levels import Level
from analysis.facts.model import BarrierScope
from analysis.features.source_step import SourceStep
from analysis.ir.function import FunctionKind, SourceBranchKind
from analysis.ir.record import record
from analysis.verdict.barriers import BarrierVerdict, Tier
from analysis.verdict.grade import Grade


@final
@record
class ValueSubject:
    """An expression or a declared name; `start`/`end` are the file offsets of all of it.

    `form` says how it depends on the thread and between which numbers it lies, empty where that is no news; `accesses`
    what the access to memory costs that stands there.
    """

    start: int
    end: int
    text: str
    type: str
    level: Level
    form: str
    accesses: tuple[str, ...]


@final
@record
class BranchSubject:
    """A branch's keyword or operator; `trips` only for loops; `price` says how many warps split and what it costs."""

    kind: SourceBranchKind
    level: Level
    grade: Grade | None
    trips: Level | None
    price: tuple[str, ...]
    last_along: int | None = None


@final
@record
class BarrierSubject:
    """A barrier; `reason` is a sentence for what is not convergent, `tier` how sure it is, `orders` what needs it."""

    scope: BarrierScope
    verdict: BarrierVerdict
    tier: Tier | None
    reason: str | None
    orders: tuple[str, ...]


@final
@record
class FunctionSubject:
    """The name of a kernel or device function; `block` says in words what is known of the block shape."""

    name: str
    kind: FunctionKind
    branches: int
    divergent_branches: int
    bounds_checks: int
    barriers: int
    unsafe_barriers: int
    opaque: int
    block: str | None
    callers_known: bool
    callers: str | None = None
    """The calls in other files that it is judged by."""


@final
@record
class LaunchSubject:
    """A launch in host code: where the kernel is defined in words (None: nowhere in sight), sentences about the shape
    of the launch, about what is passed and about what cannot work, and what is known of the kernel."""

    kernel: str
    place: str | None
    shape: tuple[str, ...]
    passed: tuple[str, ...]
    problems: tuple[str, ...]
    summary: FunctionSubject | None


Subject: TypeAlias = ValueSubject | BranchSubject | BarrierSubject | FunctionSubject | LaunchSubject


@final
@record
class HoverInfo:
    """`start`/`end` are the file offsets the answer is about.

    `why` leads from the subject back to its source.  `convergent` is the group that arrives here together (VARYING:
    none; None where it does not apply), `why_not_convergent` leads from the guarding branch to its source.
    """

    start: int
    end: int
    subject: Subject
    why: tuple[SourceStep, ...]
    convergent: Level | None
    why_not_convergent: tuple[SourceStep, ...]
    opaque: tuple[SourceStep, ...]
