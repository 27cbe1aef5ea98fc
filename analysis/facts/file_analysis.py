"""Facts of one version of one file, and answers to questions about places in it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ParamSpec, TypeAlias, TypeVar, final

from analysis.divergence.causes import CauseStep
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.facts.barrier_records import BarrierRecord, Wanted, barrier_records
from analysis.facts.calls import Calls, CallsOfFile, calls_of_file
from analysis.facts.functions import AnalyzedFunction
from analysis.facts.item_text import relocated
from analysis.facts.known_launches import NO_LAUNCHES, LaunchesOfFile
from analysis.facts.launch_places import LaunchPlace, LaunchPlaces
from analysis.facts.layout import Elsewhere, Extent, Layout
from analysis.facts.merge import FrameView, branches_at, is_reached
from analysis.facts.model import (
    BarrierFact,
    BranchFact,
    ExpressionFact,
    FileFacts,
    FunctionFacts,
    Location,
    OpaqueFact,
    ProblemKind,
    WhyStep,
)
from analysis.facts.named_counts import WrongCount, wrong_counts
from analysis.facts.order_records import OrderRecord, barriers_without_order, order_records
from analysis.facts.own_launches import KeptOwnLaunchesMemo, own_launches_of_version
from analysis.facts.race_records import RaceRecord, race_records
from analysis.facts.spelling import spell_type
from analysis.facts.view_places import ViewPlaces, places_of
from analysis.facts.warp_records import WarpRecord, warp_records
from analysis.facts.why import why_steps
from analysis.ir.function import FunctionKind
from analysis.ir.instructions import BasicBlockId, FunctionId, SourceBranchId, ValueId
from analysis.ir.record import record
from analysis.ir.source import FrameId, Span
from analysis.launches import Launch
from analysis.launches.host_memo import HostMemo
from analysis.lower.program import DeviceFunction, Program
from analysis.sides.sides import Sides
from analysis.store.bounded import BoundedCache
from analysis.syntax.document import Document
from analysis.syntax.items import Item
from analysis.warp.model import WarpProblemKind

Value = TypeVar("Value")
Arguments = ParamSpec("Arguments")
Answers: TypeAlias = BoundedCache[Hashable, Any]
"""Answers of `FileAnalysis.recalled` by their questions."""


@final
@record
class OtherArchitecture:
    """The same text as it is compiled where `__CUDA_ARCH__` is `architecture`."""

    architecture: int
    analysis: FileAnalysis


@final
class FileAnalysis:
    """What was found never changes; asked by one thread at a time, since what takes a walk is remembered."""

    def __init__(
        self,
        facts: FileFacts,
        document: Document,
        program: Program,
        functions: Mapping[FunctionId, AnalyzedFunction],
        called: Mapping[FunctionId, Calls],
        places: LaunchPlaces,
        answers: Answers,
        host: HostMemo | None = None,
        launches: LaunchesOfFile = NO_LAUNCHES,
        own_launches: KeptOwnLaunchesMemo | None = None,
    ) -> None:
        self.facts = facts
        self.document = document
        self._program = program
        self._functions = functions
        self._called = called
        self._places = places
        self._answers = answers
        self._host = host
        self._launches = launches
        self._own_launches = own_launches
        self.others: tuple[OtherArchitecture, ...] = ()
        """The file for the other architectures that it asks for, where that was wanted (`architectures.py`)."""
        self._asked: tuple[FunctionId, dict[int, ViewPlaces]] | None = None
        """The function that was asked about last: what takes a walk is asked of one place after the other."""
        self._standings: dict[int, tuple[frozenset[Extent], frozenset[Elsewhere]]] = {}
        """By the identity of the functions of a root, which lives as long as this."""

    @property
    def program(self) -> Program:
        """The file as it was lowered: what the simulator runs."""
        return self._program

    @property
    def launches(self) -> LaunchesOfFile:
        """Those of the kernels of the file, wherever they stand."""
        return self._launches

    @property
    def all_launch_places(self) -> LaunchPlaces:
        """Where these stand."""
        return self._places

    def is_same_in(self, other: FileAnalysis, function: FunctionFacts) -> bool:
        """Whether all that is known of a function of this analysis is known of it in the other one."""
        here, there = self._functions[function.id], other._functions.get(function.id)
        return there is not None and here.merged is there.merged

    @cached_property
    def sides(self) -> Sides:
        """On which sides the functions and variables are that device code names."""
        return Sides(self._program.unit)

    @cached_property
    def host_sides(self) -> Sides:
        """The same of the text as the host compiles it."""
        unit = self._program.unit.host_side
        return self.sides if unit is self._program.unit else Sides(unit)

    @cached_property
    def own_launches(self) -> Mapping[int, Launch]:
        """The launches in the text of the file, by where they start; of a file without kernels with what it says alone
        of their numbers."""
        if self._launches.own is not None:
            return self._launches.own
        return own_launches_of_version(self._program.unit, self._host, self._own_launches)

    def launches_elsewhere(self, kernel: DeviceFunction) -> Sequence[Launch]:
        """Those of a kernel of the file that other files of the project make, as far as they were found."""
        if kernel.item.path != self.facts.path:
            return ()
        return [one for one in self._launches.seen.get(kernel.item.name, ()) if one.path != self.facts.path]

    def declaration(self, function: FunctionFacts) -> Item:
        """What defines a function, where it stands in this version."""
        return self._functions[function.id].item

    def expression_at(self, offset: int) -> ExpressionFact | None:
        """The innermost expression (or declared name) at a file offset."""
        function = self.facts.function_at(offset)
        innermost = () if function is None else self._innermost_at(function, offset)
        if function is None or not innermost:
            return None
        view, span, value = max(innermost, key=lambda entry: entry[0].root.divergence.level(entry[2]))
        places = self._places_of(function)
        place = _least_convergent(
            (other, places[id(other)].block_at(found, known)) for other, found, known in innermost
        )
        return self._expression_fact(self._functions[function.id], places[id(view)], span, value, place)

    def values_at(
        self, function: FunctionFacts, offset: int
    ) -> Iterator[tuple[FrameView, Span, ValueId, BasicBlockId]]:
        """The values of the innermost expression at a file offset, with the block that runs it: one for each call."""
        places = self._places_of(function)
        for view, span, value in self._innermost_at(function, offset):
            yield view, span, value, places[id(view)].block_at(span, value)

    def why_branch(self, function: FunctionFacts, branch: BranchFact) -> tuple[WhyStep, ...]:
        """From the branch's condition back to the thread index, load or opaque that made it vary.

        It ends at an argument of an unknown caller only where nothing else makes the branch vary as much.
        """
        worst = self._worst_view(self._functions[function.id], branch)
        if worst is None:
            return ()
        view, branch_id = worst
        divergence, agreeing = view.root.divergence, view.root.if_callers_agree
        surest = agreeing if agreeing.branch_level(branch_id) is divergence.branch_level(branch_id) else divergence
        return self._steps(view, surest.why_branch(branch_id))

    def arrival_at(self, function: FunctionFacts, branch: BranchFact) -> tuple[Level, tuple[WhyStep, ...]]:
        """The group that arrives together at the branch's beginning, and what parts the others, at its worst.

        Of `a && b` that is `a`, where `BranchFact.convergent` also counts how few arrive at `b`.
        """
        firsts = [
            (view, min((block for block, _ in sites), key=divergence.convergence))
            for view in self._functions[function.id].views
            for divergence in (view.root.divergence,)
            for branch_id in branches_at(view, branch)
            if (sites := divergence.branch_sites(branch_id))
        ]
        return self._place_fact(_least_convergent(firsts)) if firsts else (branch.convergent, ())

    def why_not_convergent(self, function: FunctionFacts, barrier: BarrierFact) -> tuple[WhyStep, ...]:
        """From the barrier's block over its guards back to what made them vary."""
        for view in self._functions[function.id].views:
            for site in view.root.records[view.frame].barriers:
                if site.verdict is barrier.verdict and _same_place(site.span, barrier.span):
                    return self._steps(view, view.root.divergence.why_block(site.block))
        return ()

    def launch_of(self, function: FunctionFacts) -> LaunchKnowledge | None:
        """What is known of a kernel's launches; None for a device function, whose callers decide."""
        if function.kind is not FunctionKind.KERNEL:
            return None
        return next((view.root.launch for view in self._functions[function.id].views), None)

    def callers_of(self, function: FunctionFacts) -> Calls | None:
        """The calls in other files that the facts of a function rest on; None where they rest on none."""
        return self._called.get(function.id) if function.rests_on_callers else None

    def calls(self, *, is_included: bool = False) -> CallsOfFile:
        """What the file passes to the functions of the files that it reads.

        `is_included`: other files include it, so that only its kernels begin here.
        """
        views = [view for function in self._functions.values() for view in function.views]
        roots = {id(view.root): view.root for view in views}.values()
        unlaunched = {id(view.root): view.launched_instead for view in views if view.launched_instead}
        is_complete = all(problem.kind is not ProblemKind.INTERNAL for problem in self.facts.problems)
        kernels = (root for root in roots if not is_included or root.function.kind is FunctionKind.KERNEL)
        return calls_of_file(self._program.unit, kernels, is_complete=is_complete, unlaunched=unlaunched)

    def launch_places(self, function: FunctionFacts) -> tuple[LaunchPlace, ...]:
        """Where a kernel is launched, if all its launches are known; of several with one name, none tells."""
        name = self._functions[function.id].item.name
        same = [one for one in self._functions.values() if one.item.name == name and one.facts.kind is function.kind]
        is_told = function.kind is FunctionKind.KERNEL and len(same) == 1
        return self._places.get(name, ()) if is_told else ()

    def barrier_records(self, function: FunctionFacts, wanted: Wanted) -> Iterator[BarrierRecord]:
        """What keeps threads from the barriers of a function, or from those behind its calls; one per view."""
        for view in self._functions[function.id].views:
            yield from barrier_records(view, self._place_in, wanted)

    def warp_records(self, function: FunctionFacts, kind: WarpProblemKind) -> Iterator[WarpRecord]:
        """What of this kind is wrong with the operations of warps that belong to a function; one per view."""
        for view in self._functions[function.id].views:
            if view.root.warp_problems:
                yield from warp_records(view, self._place_in, kind)

    def race_records(self, function: FunctionFacts, *, undecided: bool = False) -> Iterator[RaceRecord]:
        """The races of a kernel that have a witness; with `undecided` those too that are open."""
        for view in self._functions[function.id].views:
            if view.root.races:
                yield from race_records(view, self.item_of, undecided=undecided)

    def order_records(self, function: FunctionFacts) -> tuple[OrderRecord, ...]:
        """What each barrier of the function orders, over all its calls; none for one of which that is not known."""
        return order_records(self._functions[function.id].views, self.item_of)

    def barriers_without_order(self, function: FunctionFacts) -> tuple[Span, ...]:
        """The barriers of the function that order nothing, relative to it."""
        return barriers_without_order(self._functions[function.id].views)

    def wrong_counts(self, function: FunctionFacts) -> tuple[WrongCount, ...]:
        """The named barriers of the function that count threads as no barrier can, relative to it."""
        return wrong_counts(self._functions[function.id].views)

    def remembered(self, function: FunctionFacts, question: Hashable, answer: Callable[[], Value]) -> Value:
        """`answer()`, worked out once for as long as nothing that the function's facts depend on has changed.

        It must follow from the question and from these facts alone, so its places are relative to the function.
        """
        known = self._functions[function.id].merged.remembered
        if question not in known:
            known[question] = answer()
        return known[question]

    def recalled(
        self, answer: Callable[Arguments, Value], *arguments: Arguments.args, **options: Arguments.kwargs
    ) -> Value:
        """`answer(...)`, worked out once for some time, whatever version or file asks.

        It must follow from the arguments alone, which must be hashable.
        """
        question = answer, arguments, *sorted(options.items())
        return self._answers.get_or_compute(question, lambda: answer(*arguments, **options))

    def layout(self, function: FunctionFacts) -> Layout:
        """Where all functions stand that its facts are about."""
        own = function.start, function.end, function.id
        extents: set[Extent] = {own}
        elsewhere: set[Elsewhere] = set()
        for view in self._functions[function.id].views:
            items = view.root.items
            if len(items) == 1 and function.id in items:
                continue  # a kernel that calls nothing
            here, there = self._standing(items)
            extents |= here
            elsewhere |= there
        ordered = sorted(extents)
        return Layout(ordered, ordered.index(own), frozenset(elsewhere))

    def views(self, function: FunctionFacts) -> tuple[FrameView, ...]:
        """Every place where the function was inlined, itself as a root included: what its facts are merged from."""
        return self._functions[function.id].views

    def item_of(self, view: FrameView, frame: FrameId) -> Item | None:
        """The declaration of the function behind a frame, where it stands in this version."""
        declared = view.root.items.get(view.root.function.frames[frame].function)
        return None if declared is None else relocated(self._program.unit, declared)

    def line_in(self, path: str, offset: int) -> int:
        """The line, from 1, of an offset in this file or a header of it."""
        if path == self.facts.path:
            return self.document.lines.line_of(offset) + 1
        return self._program.unit.line_of(path, offset) + 1

    # -- inside -----------------------------------------------------------------------------------------------------

    def _standing(self, items: Mapping[FunctionId, Item]) -> tuple[frozenset[Extent], frozenset[Elsewhere]]:
        """Where the functions of a root stand now, in this file and in others."""
        known = self._standings.get(id(items))
        if known is None:
            own = self.facts.path
            now = [(function, relocated(self._program.unit, declared)) for function, declared in items.items()]
            here = frozenset([(item.span.start, item.span.end, id) for id, item in now if item.path == own])
            there = frozenset([(item.path, item.span.start, id) for id, item in now if item.path != own])
            known = self._standings[id(items)] = here, there
        return known

    def _places_of(self, function: FunctionFacts) -> dict[int, ViewPlaces]:
        """Of each view, by its identity."""
        asked = self._asked
        if asked is None or asked[0] != function.id:
            asked = self._asked = function.id, places_of(self._functions[function.id].views)
        return asked[1]

    def _innermost_at(self, function: FunctionFacts, offset: int) -> tuple[tuple[FrameView, Span, ValueId], ...]:
        relative = offset - function.start
        places = self._places_of(function).values()
        found = [(here.view, span, value) for here in places for span, value in here.records_at(relative)]
        shortest = min((span.end - span.start for _, span, _ in found), default=0)
        return tuple(entry for entry in found if entry[1].end - entry[1].start == shortest)

    def _expression_fact(
        self, analyzed: AnalyzedFunction, places: ViewPlaces, span: Span, value: ValueId, place: _Place
    ) -> ExpressionFact:
        """`places` are of the view where the value is at its worst, `place` where its place is: these may be different
        calls."""
        view = places.view
        divergence = view.root.divergence
        level = divergence.level(value)
        convergent, why_not_convergent = self._place_fact(place)
        own = Span(span.start, span.end)
        return ExpressionFact(
            span=own,
            text=analyzed.item.text[own.start : own.end].decode("utf-8", "replace"),
            type=spell_type(view.root.function.type_of(value)),
            level=level,
            convergent=convergent,
            why=() if level is Level.GRID else self._steps(view, divergence.why(value)),
            why_not_convergent=why_not_convergent,
            opaque=_opaques_on(places, divergence.why(value)),
        )

    def _place_fact(self, place: _Place) -> tuple[Level, tuple[WhyStep, ...]]:
        view, block = place
        level = view.root.divergence.convergence(block)
        return level, () if level is Level.GRID else self._steps(view, view.root.divergence.why_block(block))

    def _worst_view(self, analyzed: AnalyzedFunction, branch: BranchFact) -> tuple[FrameView, SourceBranchId] | None:
        candidates = [(view, branch_id) for view in analyzed.views for branch_id in branches_at(view, branch)]
        return max(candidates, key=_varies, default=None)

    def _steps(self, view: FrameView, steps: Sequence[CauseStep]) -> tuple[WhyStep, ...]:
        return why_steps(steps, self._place_in(view))

    def _place_in(self, view: FrameView) -> Callable[[Span], tuple[Location, str] | None]:
        def place(span: Span) -> tuple[Location, str] | None:
            if span.start == span.end:
                return None
            declared = view.root.items.get(view.root.function.frames[span.frame].function)
            if declared is None:
                return None
            item = relocated(self._program.unit, declared)
            source = item.text[span.start : span.end].decode("utf-8", "replace")
            start = item.span.start
            return Location(item.path, start + span.start, start + span.end), _one_line(source)

        return place


_Place: TypeAlias = tuple[FrameView, BasicBlockId]


def _least_convergent(places: Iterable[_Place]) -> _Place:
    """The first place at which the fewest arrive together; no more are looked at once lanes part."""
    worst: tuple[Level, _Place] | None = None
    for place in places:
        level = place[0].root.divergence.convergence(place[1])
        if worst is None or level > worst[0]:
            worst = level, place
        if level is Level.VARYING:
            break
    assert worst is not None, "there is at least one place"
    return worst[1]


def _varies(candidate: tuple[FrameView, SourceBranchId]) -> tuple[bool, Level, Level]:
    """Does a launch come there, how much does a branch vary, and how much of that needs no assumption about callers?"""
    view, branch = candidate
    root = view.root
    levels = root.divergence.branch_level(branch), root.if_callers_agree.branch_level(branch)
    return is_reached(view, branch), *levels


def _opaques_on(places: ViewPlaces, steps: Sequence[CauseStep]) -> tuple[OpaqueFact, ...]:
    """Opaque constructs that the chain ends in, where they stand in the function itself."""
    spans = {step.span for step in steps}
    return tuple(
        OpaqueFact(Span(instruction.span.start, instruction.span.end), instruction.construct)
        for instruction in places.opaques
        if instruction.span in spans
    )


def _same_place(one: Span, other: Span) -> bool:
    return one.start == other.start and one.end == other.end


def _one_line(source: str, limit: int = 60) -> str:
    """Source text short enough for a sentence."""
    joined = " ".join(source.split())
    return joined if len(joined) <= limit else joined[: limit - 1] + "…"
