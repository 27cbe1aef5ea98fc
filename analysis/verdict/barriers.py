"""May some threads miss a barrier that others wait at?

Question  For each barrier: does every thread of its scope arrive, or none?
Scope     Block barriers need convergence for the block, warp barriers for the warp, grid barriers for the grid.
Rules     The divergence result must come from *check mode* (nothing assumed at barriers, no exit optimisation).
          CONVERGENT    the convergence of the block is enough for the scope.
          UNKNOWN       the only reasons against are code that is not understood or callers that are not known: if
                        every thread got the same from them, all would arrive; and barriers that name their
                        participants in a way that is not followed (a partial mask, a thread count).
          DIVERGENT     otherwise.
Tiers     PROVEN   a witness: a launch and arguments for which some threads of one block miss the barrier.
          POSSIBLE  the guards depend on data.
          ASSUMED   the guards depend on what is not understood.
Evidence  the guards, innermost first, each with how it keeps threads away; rules only translate it into text.
Source    Lee et al., section 3.1 (a barrier there can never fail).
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from enum import Enum
from functools import cached_property
from typing import Final, TypeAlias, final

from analysis.divergence.analysis import analyze_divergence
from analysis.divergence.causes import BranchSubject, CauseStep, Seed, SeedCause
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, SourceBranchId
from analysis.ir.instructions import (
    BlockBarrier,
    Branch,
    Constant,
    GridBarrier,
    NamedBarrier,
    Return,
    Switch,
    WarpBarrier,
)
from analysis.ir.pace import paced, spend
from analysis.ir.record import record
from analysis.ir.source import FrameId, Span
from analysis.verdict.slice import Integers
from analysis.verdict.witness import Witness, find_witness

Barrier: TypeAlias = BlockBarrier | NamedBarrier | WarpBarrier | GridBarrier


FULL_MASKS = (0xFFFFFFFF, -1, (1 << 64) - 1)


class BarrierVerdict(Enum):
    CONVERGENT = "convergent"
    DIVERGENT = "divergent"
    UNKNOWN = "unknown"


class Tier(Enum):
    """How sure a finding is."""

    PROVEN = "proven"
    POSSIBLE = "possible"
    ASSUMED = "assumed"


MAX_SEARCHES: Final = 200
"""Barriers of one function for which a witness is looked for, those that come first; the others are POSSIBLE."""


class BarrierReason(Enum):
    """How a guard keeps threads from a barrier."""

    GUARD = "guard"
    """The barrier stands under a condition."""
    LOOP = "loop"
    """The barrier stands in a loop that threads leave at different times."""
    EARLY_EXIT = "early exit"
    """Some threads return (or jump away) before it."""
    CALL = "call"
    """The barrier stands in a function that is called in divergent code."""
    CALLERS = "callers"
    """Nothing here; the callers are not known."""


@final
@record
class Guard:
    """One branch that decides whether a thread arrives; `span` is the branch's keyword, or its condition's text."""

    block: BasicBlockId
    branch: SourceBranchId | None
    span: Span
    level: Level
    reason: BarrierReason
    why: tuple[CauseStep, ...]


@final
@record
class BarrierEvidence:
    """Why a barrier is not convergent.  `calls`: the frames entered between the innermost guard and the barrier."""

    reason: BarrierReason
    guards: tuple[Guard, ...]
    calls: tuple[FrameId, ...]
    tier: Tier
    witness: Witness | None


@final
@record
class BarrierSite:
    """One barrier instruction in one basic block."""

    block: BasicBlockId
    index: int
    instruction: Barrier
    verdict: BarrierVerdict
    evidence: BarrierEvidence | None
    """None if convergent."""

    @property
    def span(self) -> Span:
        return self.instruction.span


def find_barriers(
    function: Function, control: ControlFlow, divergence: DivergenceResult, launch: LaunchKnowledge
) -> tuple[BarrierSite, ...]:
    """All barriers the entry reaches, in reverse post-order."""
    judge = _Judge(function, control, divergence, launch)
    placed = control.placed(BlockBarrier, NamedBarrier, WarpBarrier, GridBarrier)
    return tuple(judge.site(block, index, barrier) for block, index, barrier in paced(placed, 20))


@final
class _Judge:
    """Judges the barriers of one function; what several of them need is computed once."""

    def __init__(
        self, function: Function, control: ControlFlow, divergence: DivergenceResult, launch: LaunchKnowledge
    ) -> None:
        self._function = function
        self._control = control
        self._divergence = divergence
        self._launch = launch
        self._hopeless: set[frozenset[BasicBlockId]] = set()
        """What decides about barriers for which no witness was found; barriers of one region share it."""
        self._searches = MAX_SEARCHES

    def site(self, block: BasicBlockId, index: int, barrier: Barrier) -> BarrierSite:
        divergence = self._divergence
        needed = _needed(barrier)
        if divergence.convergence(block) <= needed:
            return BarrierSite(block, index, barrier, BarrierVerdict.CONVERGENT, None)
        guards = self._guards(divergence, block, barrier.span, needed)
        reason = guards[0].reason if guards else BarrierReason.CALLERS
        calls = calls_between(self._function, guards[0].span.frame if guards else None, barrier.span.frame)
        if rests_on_assumptions(guards) and isinstance(barrier, BlockBarrier | NamedBarrier):
            guards = self._guards_in_any_case(block, barrier) or guards
        if rests_on_assumptions(guards):
            evidence = BarrierEvidence(reason, guards, calls, Tier.ASSUMED, None)
            return BarrierSite(block, index, barrier, BarrierVerdict.UNKNOWN, evidence)
        if not _names_everyone(divergence, barrier):
            evidence = BarrierEvidence(reason, guards, calls, Tier.POSSIBLE, None)
            return BarrierSite(block, index, barrier, BarrierVerdict.UNKNOWN, evidence)
        witness = self._witness(block, barrier, needed)
        tier = Tier.POSSIBLE if witness is None else Tier.PROVEN
        evidence = BarrierEvidence(reason, guards, calls, tier, witness)
        return BarrierSite(block, index, barrier, BarrierVerdict.DIVERGENT, evidence)

    def _witness(self, block: BasicBlockId, barrier: Barrier, needed: Level) -> Witness | None:
        deciders = self._control.iterated_controllers(block)
        if isinstance(barrier, GridBarrier) or deciders in self._hopeless or self._searches == 0:
            return None
        self._searches -= 1
        witness = find_witness(self._integers, self._launch, block, needed)
        if witness is None:
            self._hopeless.add(deciders)
        return witness

    @cached_property
    def _integers(self) -> Integers:
        return Integers(self._function, self._control, self._divergence)

    @cached_property
    def _agreeing(self) -> DivergenceResult:
        """What varies even if what is not understood is the same for all threads."""
        options = replace(self._divergence.options, parameters=Level.GRID, entry=Level.GRID, unknown=Level.GRID)
        return analyze_divergence(self._function, self._control, self._divergence.launch, options)

    def _guards_in_any_case(self, block: BasicBlockId, barrier: Barrier) -> tuple[Guard, ...]:
        """The guards that vary with the thread index even if what is not understood is the same for all threads.

        In `mystery() && threadIdx.x < 16` the unknown part decides only whether anybody arrives.
        """
        guards = self._guards(self._agreeing, block, barrier.span, Level.BLOCK)
        return tuple(guard for guard in guards if _seed(guard) in INDEX_SEEDS)

    def _guards(
        self, divergence: DivergenceResult, block: BasicBlockId, span: Span, needed: Level
    ) -> tuple[Guard, ...]:
        return guards_around(self._function, self._control, divergence, block, span, needed)


def _needed(barrier: Barrier) -> Level:
    match barrier:
        case GridBarrier():
            return Level.GRID
        case WarpBarrier():
            return Level.WARP
        case BlockBarrier() | NamedBarrier():
            return Level.BLOCK


def _names_everyone(divergence: DivergenceResult, barrier: Barrier) -> bool:
    """Does the barrier wait for all threads of its scope?"""
    match barrier:
        case WarpBarrier(mask=mask):
            definition = divergence.definition(mask)
            return isinstance(definition, Constant) and definition.value in FULL_MASKS
        case NamedBarrier(count=count):
            return count is None
        case _:
            return True


# -- guards -----------------------------------------------------------------------------------------------------------


def guards_around(
    function: Function,
    control: ControlFlow,
    divergence: DivergenceResult,
    block: BasicBlockId,
    span: Span,
    needed: Level,
) -> tuple[Guard, ...]:
    """The branches with a say in whether `block` runs that are less uniform than `needed`, innermost first.

    `span` is the operation in `block` that the question is about.
    """
    distance: dict[BasicBlockId, int] = {}
    waiting = deque((controller, 1) for controller in control.controllers(block))
    while waiting:
        spend(2)
        controller, steps = waiting.popleft()
        if controller not in distance:
            distance[controller] = steps
            waiting.extend((further, steps + 1) for further in control.controllers(controller))
    if not any(divergence.terminator_level(found) > needed for found in distance):
        for step in divergence.why_block(block):  # irreducible loops are divergent without a controller
            if isinstance(step.subject, BranchSubject):
                distance[step.subject.block] = 1
    found = [other for other in distance if divergence.terminator_level(other) > needed]
    found.sort(key=lambda other: (distance[other], -control.rank[other]))
    return tuple(_guard(function, control, divergence, other, block, span) for other in paced(found, 10))


def _guard(
    function: Function,
    control: ControlFlow,
    divergence: DivergenceResult,
    guard: BasicBlockId,
    block: BasicBlockId,
    span: Span,
) -> Guard:
    terminator = function.blocks[guard].terminator
    assert isinstance(terminator, Branch | Switch)
    branch = terminator.branch
    return Guard(
        guard,
        branch,
        terminator.span if branch is None else function.branches[branch].keyword,
        divergence.terminator_level(guard),
        _reason(function, control, guard, branch, block, span),
        divergence.why_terminator(guard),
    )


def _reason(
    function: Function,
    control: ControlFlow,
    guard: BasicBlockId,
    branch: SourceBranchId | None,
    block: BasicBlockId,
    span: Span,
) -> BarrierReason:
    guard_frame = function.blocks[guard].terminator.span.frame
    if calls_between(function, guard_frame, span.frame):
        return BarrierReason.CALL
    for cycle in control.cycles_around(block):
        if guard in control.exit_branches(cycle):
            return BarrierReason.LOOP
    if branch is not None:
        extent = function.branches[branch].extent
        if extent.start < extent.end and extent.frame == span.frame:
            inside = extent.start <= span.start and span.end <= extent.end
            return BarrierReason.GUARD if inside else BarrierReason.EARLY_EXIT
    # Without source text: a way that ends in a return of its own, which the barrier's way does not come by.
    after = _reachable(control, block)
    for target in control.successors[guard]:
        if isinstance(function.blocks[target].terminator, Return) and target not in after:
            return BarrierReason.EARLY_EXIT
    return BarrierReason.GUARD


def _reachable(control: ControlFlow, block: BasicBlockId) -> set[BasicBlockId]:
    found = {block}
    waiting = [block]
    while waiting:
        for target in control.successors[waiting.pop()]:
            if target not in found:
                found.add(target)
                waiting.append(target)
    return found


def calls_between(function: Function, outer: FrameId | None, inner: FrameId) -> tuple[FrameId, ...]:
    """The frames entered on the way from `outer` to `inner`, if `outer` is around it."""
    chain: list[FrameId] = []
    frame = inner
    while frame != outer:
        if frame == 0 or frame >= len(function.frames):
            return ()
        chain.append(frame)
        frame = function.frames[frame].parent
    return tuple(reversed(chain))


# -- assumptions ------------------------------------------------------------------------------------------------------

ASSUMED_SEEDS = frozenset({Seed.OPAQUE, Seed.CALL, Seed.PARAMETER, Seed.ENTRY, Seed.UNKNOWN_ARGUMENT, Seed.APART})
INDEX_SEEDS = frozenset({Seed.THREAD_INDEX, Seed.LANE})


def rests_on_assumptions(guards: tuple[Guard, ...]) -> bool:
    """Do all reasons end at something that is not known rather than at something that varies?"""
    return all(_seed(guard) in ASSUMED_SEEDS for guard in guards)


def _seed(guard: Guard) -> Seed | None:
    cause = guard.why[-1].cause if guard.why else None
    return cause.seed if isinstance(cause, SeedCause) else None
