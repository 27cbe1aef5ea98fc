"""The facts themselves: frozen, plain, and relative to the function they belong to.

Positions are `Span`s relative to the start of the function's item; `FunctionFacts.start` turns them into file
offsets, so facts of an unchanged function survive when the function moves.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from enum import Enum
from typing import final

from analysis.access.model import AccessKind, AccessPattern, Outside, Participation, RequestCost
from analysis.divergence.levels import Level
from analysis.ir.function import FunctionKind, SourceBranchKind
from analysis.ir.instructions import FunctionId
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import MemorySpace
from analysis.verdict.barriers import BarrierEvidence, BarrierVerdict
from analysis.verdict.grade import Grade
from analysis.verdict.rounds_by import RoundsBy
from analysis.verdict.shares import Share
from analysis.verdict.split_count import SplitCount


class BarrierScope(Enum):
    """Which threads a barrier waits for; the values are those of the `facts` contract."""

    BLOCK = "block"
    WARP = "warp"
    GRID = "grid"


@final
@record
class Location:
    """A place in some file: byte offsets into the file at `path`."""

    path: str
    start: int
    end: int


class StepKind(Enum):
    """What one link of a `why` chain says."""

    SEED = "seed"
    DATA = "data"
    CONTROL = "control"
    TIME = "time"
    MEMORY = "memory"


@final
@record
class WhyStep:
    """One link from a value back to its source: what stands there, in words and as a place.

    `is_read`: what stands there reads memory, so that the contents are the source, whoever chose the address.
    """

    kind: StepKind
    location: Location
    text: str
    is_read: bool = False


@final
@record
class OpaqueFact:
    """Something the analysis treats as unknown."""

    span: Span
    construct: str


@final
@record
class PartOf:
    """A share of the issue slots of `whole`, which is a kernel, or a device function that was looked at on its own.

    `launched_instead`: where nothing in the project launches that kernel, how many others are launched beside it.
    """

    share: Share
    whole: str
    is_kernel: bool
    launched_instead: int = 0


@final
@record
class Taken:
    """What all calls of a device function take of the kernel in another file where that is most: of its issue slots,
    and of the sectors that it moves.  None where nothing is taken, or no kernel is known."""

    slots: PartOf | None
    sectors: PartOf | None


@final
@record
class BranchFact:
    """One source branch, at its worst over all call contexts.

    `level` is the group that agrees on the condition, `convergent` the group that arrives together (VARYING: none);
    for loops `trips` is the level of the trip count, which also counts `break` and `return`.
    `grade` is that of the contexts that some launch comes to, unless none is.
    `cost` and `idle` are estimates of what a split warp loses, in issue slots: in code that it runs one arm after the
    other, and in lanes that wait for a longer arm (`analysis.verdict.cost`).  `splits` counts the warps that split.
    `cost_part` and `idle_part` are the same as shares of a kernel, of all that come here the one where it is largest;
    None where nothing is lost.
    `rests_on_step`: lanes leave a loop together if a step that is not known covers the threads of a warp.
    `ways_out`: keywords of the branches in a loop at which threads decide apart whether they leave it, those first that
    lead out themselves.
    `wait_within`: what some lanes run while others wait for as long as data decide, a loop or the longer arm; of a
    loop `rounds_by` says what decides.  `tests_marker`: lanes part only where entries are markers (`-1`: no neighbour).
    `hangs_on_data`: the shorter arm is a loop for as long as data decide, in each context.
    `is_unreached`: every launch passes the same for what leads here, so that no launch comes here.
    `last_along`: the axis (0, 1, 2) along which warps of the last blocks alone split, as every launch says.
    `rests_on_rows`: lanes part only in blocks of several rows, and nobody is known to launch such (`rows.py`).
    """

    kind: SourceBranchKind
    keyword: Span
    extent: Span
    level: Level
    grade: Grade | None
    convergent: Level
    trips: Level | None
    cost: int
    idle: int
    cost_part: PartOf | None
    idle_part: PartOf | None
    splits: SplitCount | None
    rests_on_step: bool = False
    ways_out: tuple[Span, ...] = ()
    wait_within: PartOf | None = None
    rounds_by: RoundsBy | None = None
    is_unreached: bool = False
    tests_marker: bool = False
    hangs_on_data: bool = False
    last_along: int | None = None
    rests_on_rows: bool = False


@final
@record
class BarrierFact:
    """One barrier site, at its worst over all call contexts; `evidence` says why it is not convergent."""

    span: Span
    scope: BarrierScope
    verdict: BarrierVerdict
    evidence: BarrierEvidence | None


@final
@record
class AccessFact:
    """One load, store or atomic, at its worst over all call contexts.

    `space` is GENERIC and `stride` None where contexts differ; of the costs of a request each is the highest that is
    known in some context.  `variable` names the array, where it is one.  The rest is as in `analysis.access.model`.
    """

    span: Span
    kind: AccessKind
    space: MemorySpace
    variable: str | None
    bytes: int | None
    stride: int | None
    pattern: AccessPattern
    participation: Participation
    request: RequestCost | None
    loops: int
    used_bytes: int | None
    outside: Outside | None
    lost_part: PartOf | None = None
    """What is lost here of all sectors that a kernel moves, or by bank conflicts of its issue slots; over the kernels
    that come here the largest, None where nothing is lost."""


@final
@record
class VariableFact:
    """A declared variable or parameter.

    `level` is that of the worst value it holds, `declared_level` that of the value it is declared with: what is
    assigned later says nothing about the declaration.
    """

    name: str
    span: Span
    level: Level
    declared_level: Level
    is_parameter: bool


@final
@record
class ExpressionFact:
    """What is known of the innermost expression at a place; `why` is empty for values that agree in the grid."""

    span: Span
    text: str
    type: str
    level: Level
    convergent: Level
    why: tuple[WhyStep, ...]
    why_not_convergent: tuple[WhyStep, ...]
    opaque: tuple[OpaqueFact, ...]


@final
@record
class Unlaunched:
    """Kernels of a program that nothing launches, while `others` of its kernels are launched."""

    kernels: tuple[str, ...]
    others: int


@final
@record
class FunctionFacts:
    """One kernel or device function of the file.

    `start`/`end` are file offsets of the whole definition, `name_span` is relative like all other spans.
    `callers_known` is False for a device function analysed for any caller: its parameters count as varying.
    `rests_on_callers`: what callers in other files pass is assumed (`FileAnalysis.callers_of`).
    `branches_if_callers_agree` is parallel to `branches`: what remains when those callers pass the same arguments in
    every thread.  `is_too_large`: nothing is known of it, since to analyse it would take too long; `cut_off` are the
    places of which nothing is known for that reason.
    `unlaunched`: only kernels that nothing launches run it, as far as the project shows.
    `unreadable`: the first syntax error; what is known of such a function rests on a guess, and nothing is reported.
    """

    id: FunctionId
    name: str
    kind: FunctionKind
    start: int
    end: int
    name_span: Span
    active: bool
    callers_known: bool
    syntax_errors: int
    opaque: tuple[OpaqueFact, ...]
    branches: tuple[BranchFact, ...]
    branches_if_callers_agree: tuple[BranchFact, ...]
    barriers: tuple[BarrierFact, ...]
    accesses: tuple[AccessFact, ...]
    variables: tuple[VariableFact, ...]
    is_too_large: bool = False
    cut_off: tuple[OpaqueFact, ...] = ()
    unreadable: Span | None = None
    rests_on_callers: bool = False
    unlaunched: Unlaunched | None = None


class ProblemKind(Enum):
    """Why part of a file could not be seen."""

    MISSING_INCLUDE = "missing-include"
    PREPROCESSOR = "preprocessor"
    TOO_LARGE = "too-large"
    SYNTAX_ERROR = "syntax-error"
    INTERNAL = "internal"
    ANNOTATION = "annotation"


@final
@record
class FileProblem:
    """Something about the file (not about its threads) that the user should know."""

    kind: ProblemKind
    start: int
    end: int
    message: str


@final
@record
class FileFacts:
    """All functions of one file in source order; `parse_errors` counts what the grammar could not read."""

    path: str
    parse_errors: int
    functions: tuple[FunctionFacts, ...]
    problems: tuple[FileProblem, ...]

    def function_at(self, offset: int) -> FunctionFacts | None:
        """The innermost function whose definition contains `offset`."""
        # Sorted by start, so the last one that starts before the offset and contains it is the innermost.
        position = bisect_right(self.functions, offset, key=lambda function: function.start)
        before = (self.functions[index] for index in range(position - 1, -1, -1))
        return next((function for function in before if offset < function.end), None)

    def kernels(self) -> Iterator[FunctionFacts]:
        """The functions a launch can start."""
        return (function for function in self.functions if function.kind is FunctionKind.KERNEL)
