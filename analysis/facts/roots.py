"""One root analysed: a kernel, or a device function on its own, with everything it calls inlined into it.

A *root* is what the analyses run on.  A kernel's parameters are the same for the whole grid; a device function is a
root of its own where no kernel of the file calls it, and then its parameters are those of an unknown caller, or what
all known callers in other files have in common (`calls.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import field, replace
from typing import Any, TypeAlias, TypeVar, final

from analysis.access.analysis import analyze_accesses
from analysis.access.model import Access
from analysis.affine.analysis import analyze_affine, with_warp_levels
from analysis.affine.result import AffineResult
from analysis.divergence.analysis import DivergenceProblem
from analysis.divergence.call_context import CallContext
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.options import DivergenceOptions
from analysis.divergence.result import DivergenceResult
from analysis.divergence.thread_index import Structured
from analysis.facts.limited import cut_off_places
from analysis.facts.model import OpaqueFact
from analysis.facts.rows import is_meant_for_rows
from analysis.graph.control_flow import ControlFlow
from analysis.graph.work import Work
from analysis.ir.function import Definition, Function, FunctionKind, SourceBranchKind
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.inline import InlineBudget, RefusedCall
from analysis.ir.instructions import FunctionId, Opaque, SourceBranchId, WarpBarrier
from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.ir.source import FrameId
from analysis.memory.spaces import SpaceResult, infer_spaces
from analysis.pipeline import with_calls_inlined
from analysis.races.absent import Absences
from analysis.races.absent_model import Need
from analysis.races.analysis import find_races
from analysis.races.blocks import find_block_races
from analysis.races.global_memory import find_global_races
from analysis.races.model import Race
from analysis.races.ordering import BarrierOrdering
from analysis.races.uses import MemoryUses
from analysis.syntax.items import Item
from analysis.verdict.barriers import BarrierEvidence, BarrierSite, Tier, find_barriers
from analysis.verdict.cost import BranchCost, estimate_costs
from analysis.verdict.grade import Grader
from analysis.verdict.memory_losses import memory_losses
from analysis.verdict.shares import Share
from analysis.verdict.weights import BlockWeights
from analysis.warp.analysis import find_warp_problems
from analysis.warp.model import WarpProblem

INLINE_BUDGET = InlineBudget()
NOTHING_INLINED = InlineBudget(max_instructions=0)

Value = TypeVar("Value")

BranchPlace: TypeAlias = tuple[SourceBranchKind, int, int]
"""What a source branch is, and where its keyword starts and ends in its function."""


@final
@record
class FrameRecords:
    """What of the inlined function belongs to one frame."""

    branches: dict[BranchPlace, list[SourceBranchId]] = field(default_factory=dict[BranchPlace, list[SourceBranchId]])
    opaques: list[Opaque] = field(default_factory=list[Opaque])
    definitions: list[Definition] = field(default_factory=list[Definition])
    accesses: list[Access] = field(default_factory=list[Access])
    losses: list[Share] = field(default_factory=list[Share])
    """Of each access, what it loses of the root (`analysis.verdict.memory_losses`)."""
    barriers: list[BarrierSite] = field(default_factory=list[BarrierSite])
    missed: list[BarrierSite] = field(default_factory=list[BarrierSite])
    """Barriers that something keeps threads from, in the frame that makes the first call, or in their own."""
    cut_off: list[OpaqueFact] = field(default_factory=list[OpaqueFact])


@final
@record
class RootAnalysis:
    """The inlined function and all that was found out about it.

    `callers_known`: of a kernel, and of a device function with a `context`, which says how all its callers call it.
    `if_callers_agree` is what remains of `divergence` when every thread passes the same arguments; the same object
    where the callers are known, and where no branch varies anyway.
    `if_blocks_are_rows` is what remains of it if a kernel whose launches are not known, and that is meant for rows
    (`rows.py`), is launched so; the same object elsewhere.
    `needs` says for each barrier of the block that threads may miss, by its place, what needs these threads.
    `items` are the declarations of the functions it consists of, and of those whose calls were not followed, as they
    stood when it was analysed: their text is still the same, their place may not be.
    """

    function: Function
    launch: LaunchKnowledge
    callers_known: bool
    control: ControlFlow
    divergence: DivergenceResult
    if_callers_agree: DivergenceResult
    if_blocks_are_rows: DivergenceResult
    barriers: tuple[BarrierSite, ...]
    needs: Mapping[tuple[BasicBlockId, int], Need | None]
    races: tuple[Race, ...]
    idle_barriers: frozenset[tuple[BasicBlockId, int]]
    """The places of those that order nothing."""
    affine: AffineResult
    spaces: SpaceResult
    accesses: tuple[Access, ...]
    weights: BlockWeights
    grader: Grader = field(repr=False, compare=False)
    """Of the branches, as `divergence` says it of them."""
    costs: Mapping[SourceBranchId, BranchCost]
    warp_problems: tuple[WarpProblem, ...]
    refused: tuple[RefusedCall, ...]
    items: Mapping[FunctionId, Item] = field(repr=False)
    records: Mapping[FrameId, FrameRecords] = field(repr=False)
    context: CallContext | None = None
    is_too_large: bool = False
    """Nothing is known of it, since it would take too long to follow."""
    answers: dict[Hashable, Any] = field(default_factory=dict[Hashable, Any], repr=False, compare=False)
    """What `remembered` was asked; it lives as long as the root."""

    def remembered(self, question: Callable[[RootAnalysis], Value]) -> Value:
        """`question(self)`, worked out once: rules ask it for each function that is inlined here."""
        if question not in self.answers:
            self.answers[question] = question(self)
        return self.answers[question]

    @property
    def is_of_kernel(self) -> bool:
        """Whether all threads of a grid begin here."""
        return self.function.kind is FunctionKind.KERNEL


def analyze_root(
    function: Function,
    resolve: Callable[[FunctionId], Function | None],
    item_of: Callable[[FunctionId], Item | None],
    knowledge: Callable[[Function], LaunchKnowledge],
    budget: InlineBudget = INLINE_BUDGET,
    checkpoint: Callable[[], None] = lambda: None,
    context: CallContext | None = None,
) -> RootAnalysis:
    """Analyses `function` (in SSA form).  Raises `TooMuchWork` where that would take too long.

    `resolve` gives the SSA form of what it calls and `item_of` its declaration, `knowledge` what the inlined function
    may assume of its launch, `context` what all callers of a device function have in common, where they are known.
    """
    inlined = with_calls_inlined(function, resolve, budget)
    flat, refused = inlined.function, inlined.refused
    is_kernel = function.kind is FunctionKind.KERNEL
    launch = knowledge(flat)
    control = ControlFlow.of(flat, Work(checkpoint=checkpoint))
    context = context if context is not None and _fits(context, flat) else None
    agreeing = DivergenceOptions(parameters=Level.GRID, context=context)
    structured = Structured(flat, control)
    asked = DivergenceProblem(flat, control, launch, agreeing if is_kernel else _of_device(context), structured)
    divergence, affine, levels = _levels_and_forms(flat, control, asked, checkpoint)
    if_callers_agree = divergence if is_kernel else _if_callers_agree(divergence, asked, agreeing, levels)
    asked.close()
    spaces = infer_spaces(flat, control, divergence.arguments)
    memory = MemoryUses(flat, control, divergence, affine, spaces, launch)
    weights = BlockWeights(flat, control, divergence, affine, spaces)
    accesses = analyze_accesses(flat, control, divergence, spaces, affine, structured)
    losses = memory_losses(flat, control, divergence, affine, weights, accesses)
    grader = Grader(flat, control, divergence, affine, structured)
    barriers = _as_called(flat, find_barriers(flat, control, divergence, launch), context)
    checkpoint()
    analysis = RootAnalysis(
        flat,
        launch,
        is_kernel or context is not None,
        control,
        divergence,
        if_callers_agree,
        _if_blocks_are_rows(divergence, launch, structured, checkpoint),
        barriers,
        _needs(memory, barriers),
        _races(memory, barriers),
        BarrierOrdering(memory, barriers).idle(),
        affine,
        spaces,
        accesses,
        weights,
        grader,
        estimate_costs(flat, control, divergence, affine, weights, grader),
        find_warp_problems(flat, control, if_callers_agree, affine, spaces, launch, callers_known=is_kernel),
        refused,
        _items(flat, refused, item_of),
        _records_by_frame(flat, control, accesses, losses, barriers, refused),
        context,
    )
    control.lift_limit()
    return analysis


def _if_callers_agree(
    divergence: DivergenceResult,
    asked: DivergenceProblem,
    agreeing: DivergenceOptions,
    levels: Mapping[ValueId, Level],
) -> DivergenceResult:
    function = divergence.function
    rests_on_callers = function.parameters and _has_varying_branch(function, divergence)
    return asked.solved_under(agreeing, levels) if rests_on_callers else divergence


def _if_blocks_are_rows(
    divergence: DivergenceResult, launch: LaunchKnowledge, structured: Structured, checkpoint: Callable[[], None]
) -> DivergenceResult:
    function, control = divergence.function, divergence.control
    if not is_meant_for_rows(function, control, launch) or not _has_varying_branch(function, divergence):
        return divergence
    rows = replace(launch, one_dimensional=True)
    asked = DivergenceProblem(function, control, rows, divergence.options, structured)
    found, _, _ = _levels_and_forms(function, control, asked, checkpoint)
    asked.close()
    return found


def _of_device(context: CallContext | None) -> DivergenceOptions:
    if context is None:
        return DivergenceOptions(parameters=Level.VARYING)
    return DivergenceOptions(parameters=Level.VARYING, entry=Level.VARYING, context=context)


def _items(
    flat: Function, refused: Iterable[RefusedCall], item_of: Callable[[FunctionId], Item | None]
) -> Mapping[FunctionId, Item]:
    called = (*(frame.function for frame in flat.frames), *(one.callee for one in refused))
    items = {callee: item_of(callee) for callee in called}
    return {callee: item for callee, item in items.items() if item is not None}


def _fits(context: CallContext, function: Function) -> bool:
    is_device = function.kind is FunctionKind.DEVICE
    return is_device and len(context.arguments) == len(function.parameters)


def _races(memory: MemoryUses, barriers: Sequence[BarrierSite]) -> tuple[Race, ...]:
    between_blocks = find_block_races(memory)
    return (*find_races(memory, barriers), *find_global_races(memory, barriers, between_blocks), *between_blocks)


def _as_called(
    function: Function, barriers: tuple[BarrierSite, ...], context: CallContext | None
) -> tuple[BarrierSite, ...]:
    """A witness is no proof where it rests on a number of which it is not known that a caller can pass it."""
    if context is None:
        return barriers
    free = {
        parameter.name
        for parameter, argument in zip(function.parameters, context.arguments, strict=True)
        if argument.constant is not None or (argument.level is Level.GRID and argument.low is None)
    }
    named = {parameter.name for parameter in function.parameters}
    return tuple(replace(site, evidence=_without_proof(site.evidence, named - free)) for site in barriers)


def _without_proof(evidence: BarrierEvidence | None, doubtful: Set[str]) -> BarrierEvidence | None:
    if evidence is None or evidence.witness is None or doubtful.isdisjoint(dict(evidence.witness.arguments)):
        return evidence
    return replace(evidence, tier=Tier.POSSIBLE, witness=None)


def _levels_and_forms(
    flat: Function, control: ControlFlow, asked: DivergenceProblem, checkpoint: Callable[[], None]
) -> tuple[DivergenceResult, AffineResult, Mapping[ValueId, Level]]:
    """And the levels of warps that follow from forms, which the other levels rest on."""
    divergence = asked.solved()
    affine = analyze_affine(flat, control, divergence)
    checkpoint()
    levels = affine.warp_levels()
    if levels:  # what follows from them has better forms in turn; there is no third round
        divergence = asked.solved(levels)
        affine = with_warp_levels(flat, control, divergence, affine)
        checkpoint()
    return divergence, affine, levels


def _needs(memory: MemoryUses, barriers: tuple[BarrierSite, ...]) -> Mapping[tuple[BasicBlockId, int], Need | None]:
    absences = Absences(memory)
    return {
        (site.block, site.index): absences.need(site, barriers)
        for site in barriers
        if site.evidence is not None and not isinstance(site.instruction, WarpBarrier)
    }


def _has_varying_branch(function: Function, divergence: DivergenceResult) -> bool:
    branches = range(len(function.branches))
    return any(divergence.branch_level(SourceBranchId(branch)) is Level.VARYING for branch in branches)


def _records_by_frame(
    function: Function,
    control: ControlFlow,
    accesses: Sequence[Access],
    losses: Sequence[Share],
    barriers: Sequence[BarrierSite],
    refused: Sequence[RefusedCall],
) -> Mapping[FrameId, FrameRecords]:
    records = {FrameId(index): FrameRecords() for index in range(len(function.frames))}
    for index, branch in enumerate(paced(function.branches)):
        place = branch.kind, branch.keyword.start, branch.keyword.end
        records[branch.keyword.frame].branches.setdefault(place, []).append(SourceBranchId(index))
    for definition in paced(function.definitions):
        records[definition.span.frame].definitions.append(definition)
    opaques = [opaque for _, _, opaque in control.placed(Opaque)]
    for opaque in opaques:
        records[opaque.span.frame].opaques.append(opaque)
    for access, lost in paced(zip(accesses, losses, strict=True)):
        records[access.span.frame].accesses.append(access)
        records[access.span.frame].losses.append(lost)
    for site in paced(barriers):
        records[site.span.frame].barriers.append(site)
        evidence = site.evidence
        if evidence is not None and evidence.guards:
            home = function.frames[evidence.calls[0]].parent if evidence.calls else site.span.frame
            records[home].missed.append(site)
    for frame, place in cut_off_places(function, opaques, refused):
        records[frame].cut_off.append(place)
    return records
