"""All device functions of a translation unit: which roots are analysed, and which views each function's facts merge.

Rules    Every kernel is a root; a kernel template is one root for each instance that the file launches, and one as it
         stands where other instances may run or where these leave some of its code out.
         A device function's facts are the worst over all roots that inline it; one that no root reaches is a root of
         its own, callers before callees.  In a header, and in a source file that others include, the callers are never
         all known, so every device function there is a root as well.  Where the files that include it say how all of
         them call a function (`calls.py`), its root assumes that, and what other device functions of its file pass to
         it is part of that already.
"""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import Any, Final, TypeAlias, final

from analysis.divergence.call_context import CallContext
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.facts.access_merge import access_facts
from analysis.facts.called import called_functions
from analysis.facts.calls import Calls, KnownCallers
from analysis.facts.instances import NONE, InstanceKey, Instances, LaunchedTemplates
from analysis.facts.item_text import name_span, relocated
from analysis.facts.kept_launches import KeptLaunchesMemo, launches_of_version
from analysis.facts.known_launches import LaunchesOfFile
from analysis.facts.launch_knowledge import launch_knowledge, launch_of_callers
from analysis.facts.limited import limit_problem
from analysis.facts.lowered import LoweredFunctions, SsaFunction, SsaKey
from analysis.facts.merge import (
    FrameView,
    barrier_facts,
    branch_facts,
    branches_at,
    branches_if_callers_agree,
    cut_off_facts,
    opaque_facts,
    unlaunched_kernels,
    variable_facts,
)
from analysis.facts.model import FileProblem, FunctionFacts, ProblemKind, Taken
from analysis.facts.own_launches import KeptOwnLaunchesMemo
from analysis.facts.roots import INLINE_BUDGET, NOTHING_INLINED, RootAnalysis, analyze_root
from analysis.facts.settings import AnalysisSettings
from analysis.graph.work import TooMuchWork
from analysis.ir.function import Function, FunctionKind
from analysis.ir.instructions import FunctionId
from analysis.ir.limits import Limit
from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.ir.source import OWN_FRAME, FrameId, Span
from analysis.launches import Launch, LaunchAnnotation, UseKey, Uses, launches_of
from analysis.launches.annotation import annotation_above
from analysis.launches.host_memo import HostMemo
from analysis.launches.outside import Outside
from analysis.lower.program import DeviceFunction, Program, unknown_function
from analysis.store.bounded import BoundedCache
from analysis.store.kept import Table
from analysis.syntax.includes import is_header
from analysis.syntax.items import Item, ItemKind

MAX_REMEMBERED: Final = 4
"""Sets of bodies of one root."""

LOGGER = logging.getLogger(__name__)

IdentityKey: TypeAlias = tuple[bytes, int, int, tuple[str, ...], str | None]
RootBase: TypeAlias = tuple[int, int, LaunchAnnotation | None, AnalysisSettings, CallContext | None]
"""The numbers of the lowered function and of its launches, and what else is known of launches and callers."""
Bodies: TypeAlias = tuple[tuple[FunctionId, int], ...]
"""The functions that were asked for while a root was analysed, in that order, with their numbers; -1: not known."""
RootKey: TypeAlias = tuple[RootBase, Bodies]


@final
@record
class Identity:
    """What an item's own text says about the function it defines."""

    id: FunctionId
    kind: FunctionKind


@final
@record
class NumberedRoot:
    """A root with a number that no other has: a key that is cheaper than what the root depends on."""

    number: int
    analysis: RootAnalysis


@final
@record
class MadeOf:
    """The sets of bodies that roots of one base were made of lately, the newest first."""

    bodies: list[Bodies] = field(default_factory=list[Bodies])


@final
@record
class FunctionCaches:
    """Work that survives from one version of a file to the next."""

    host: HostMemo
    uses: BoundedCache[UseKey, Uses]
    instances: BoundedCache[InstanceKey, Instances]
    identities: BoundedCache[IdentityKey, Identity | None]
    kept_launches: KeptLaunchesMemo | None
    """None where no file comes a second time."""
    own_launches: KeptOwnLaunchesMemo | None
    """The same."""
    ssa: Table[SsaKey, SsaFunction]
    launches_of_roots: BoundedCache[tuple[Launch, ...], int]
    """A number for all launches of a root: there may be thousands, and keys are looked at again and again."""
    bases: Table[RootBase, MadeOf]
    """A base gives the same root while these bodies are the same."""
    roots: Table[RootKey, NumberedRoot]
    facts: Table[tuple[FunctionId, tuple[tuple[int, int, Taken | None], ...]], MergedFacts]
    numbers: Iterator[int]


@final
@record
class MergedFacts:
    """Facts of one function, with what was worked out from them."""

    facts: FunctionFacts
    remembered: dict[Hashable, Any] = field(default_factory=dict[Hashable, Any])
    """Answers by their questions (`FileAnalysis.remembered`): they live as long as the facts."""


@final
@record
class AnalyzedFunction:
    """Facts of one function with the views they were merged from.

    `merged` is the same object as long as nothing that the facts depend on has changed; `facts` is where it stands now.
    """

    facts: FunctionFacts
    merged: MergedFacts
    item: Item
    views: tuple[FrameView, ...]


@final
@record
class AnalyzedFunctions:
    functions: tuple[AnalyzedFunction, ...]
    problems: tuple[FileProblem, ...]
    launches: LaunchesOfFile
    called: Mapping[FunctionId, Calls]
    """The functions of an included file of which all callers are known, with the calls from other files."""


def analyze_functions(
    program: Program,
    settings: AnalysisSettings,
    caches: FunctionCaches,
    checkpoint: Callable[[], None],
    outside: Outside | None = None,
    callers: KnownCallers | None = None,
    launches: LaunchesOfFile | None = None,
) -> AnalyzedFunctions:
    """Facts of every device function of the main file; `checkpoint` is called between functions and may raise.

    `outside` knows the other files of the project, if there is one; `callers` says of a file that others
    include how all of them call its functions; `launches` are those of its kernels, where they were found before.
    """
    if launches is None:
        launches = launches_of_version(program.unit, caches.host, caches.uses, outside, caches.kept_launches)
    return _FileRun(program, settings, caches, checkpoint, launches, callers).run()


@final
class _FileRun:
    """One pass over one version of a file."""

    def __init__(
        self,
        program: Program,
        settings: AnalysisSettings,
        caches: FunctionCaches,
        checkpoint: Callable[[], None],
        launches: LaunchesOfFile,
        callers: KnownCallers | None,
    ) -> None:
        self._program = program
        self._settings = settings
        self._caches = caches
        self._checkpoint = checkpoint
        self._callers = callers
        self._called: Mapping[FunctionId, Calls] = {}
        """The functions of an included file of which all callers are known, with the calls from other files."""
        self._launches = launches
        self._templates = LaunchedTemplates(program, caches.instances)
        self._reached: defaultdict[FunctionId, list[tuple[int, FrameView]]] = defaultdict(list)
        """For each function where it was inlined, with the number of the root."""
        self._lowered = LoweredFunctions(program, settings.warp_size, self._templates, caches.ssa, caches.numbers)
        self._definitions: dict[FunctionId, FunctionId | None] = {}
        self._own_places: dict[tuple[str, int, str, int], FunctionId] = {}
        self._problems: list[FileProblem] = []

    def run(self) -> AnalyzedFunctions:
        functions = self._listed()
        self._own_places = {_place_of(function.item): function.id for function in functions}
        device = [function for function in functions if function.kind is FunctionKind.DEVICE]
        unit = self._program.unit
        for function in functions:
            if function.kind is FunctionKind.KERNEL:
                alone = not is_header(unit.path) and function.item.name in self._launches.inside
                instances = self._instances(function) if alone else NONE
                for id in instances.ids:
                    self._add_root(DeviceFunction(id, function.item, function.kind))
                if not instances.are_all or not self._is_covered(function):
                    self._add_root(function)
        is_included = bool(device) and unit.is_included
        if is_included and self._callers is not None:
            self._called = called_functions(unit, device, self._roots_so_far(), self._callers)
        for function in device if is_included else self._callers_first(device):
            called = self._called.get(function.id)
            if called is not None and called.context is None and function.id in self._reached:
                continue  # only kernels of this file call it, and they say everything
            if is_included or function.id not in self._reached:
                self._add_root(function, called)
        analyzed = [self._facts_of(function) for function in paced(functions, 50) if function.id in self._reached]
        limited = [problem for function in paced(analyzed) if (problem := limit_problem(function.facts)) is not None]
        return AnalyzedFunctions(tuple(analyzed), (*self._problems, *limited), self._launches, self._called)

    def _listed(self) -> list[DeviceFunction]:
        """The device functions of the main file, in text order; only those that are new are declared."""
        functions: list[DeviceFunction] = []
        same: Counter[FunctionId] = Counter()
        for item in paced(self._program.unit.items, 2):
            if item.kind is not ItemKind.FUNCTION or not item.is_definition or not item.is_device:
                continue
            # Methods of two specialisations of a record may be the same text: their order tells them apart.
            order = item.order if item.in_class else 0
            key = (self._program.unit.to_lower(item), item.part, order, item.namespace, item.owner)
            identity = self._caches.identities.get_or_compute(key, lambda item=item: self._identity(item))
            if identity is None:
                continue
            number = same[identity.id] = same[identity.id] + 1
            id = identity.id if number == 1 else FunctionId(f"{identity.id}#{number}")
            functions.append(DeviceFunction(id, item, identity.kind))
            self._lowered.declare(id, item, number)
            if number > 1:  # before any call is lowered: it names the function that it chooses by this id
                self._program.function_of(item, number)
        return functions

    def _identity(self, item: Item) -> Identity | None:
        function = self._program.function_of(item)
        return None if function is None else Identity(function.id, function.kind)

    def _roots_so_far(self) -> Iterator[RootAnalysis]:
        return (view.root for views in self._reached.values() for _, view in views)

    def _add_root(self, function: DeviceFunction, called: Calls | None = None) -> None:
        self._checkpoint()
        try:
            root = self._root(function, None if called is None else called.context)
        except RecursionError as error:
            self._failed(function, f"nested too deeply to analyse ({error})")
            return
        except Exception:
            LOGGER.exception("analysis of %s in %s failed", function.id, self._program.unit.path)
            self._failed(function, "the analysis of this function failed; this is a defect of simt-lsp")
            return
        is_kernel = function.kind is FunctionKind.KERNEL
        instead = self._launches.unlaunched.get(function.item.name, 0) if is_kernel else 0
        taken = None if called is None or called.context is None else called.taken
        for index, frame in enumerate(root.analysis.function.frames):
            item = root.analysis.items.get(frame.function)
            reached = None if item is None else self._definition_of(frame.function, item)
            if reached is not None:
                self._reached[reached].append((root.number, FrameView(root.analysis, FrameId(index), instead, taken)))

    def _instances(self, kernel: DeviceFunction) -> Instances:
        try:
            return self._templates.of(kernel)
        except Exception:
            LOGGER.exception("launches of %s in %s", kernel.id, self._program.unit.path)
            return NONE

    def _is_covered(self, kernel: DeviceFunction) -> bool:
        """Whether every branch of a template is in some instance of it."""
        own = self._lowered.of(kernel.id)
        views = [view for _, view in self._reached.get(kernel.id, ())]
        branches = () if own is None else own.function.branches
        return bool(views) and all(any(branches_at(view, branch) for view in views) for branch in branches)

    def _definition_of(self, function: FunctionId, declared: Item) -> FunctionId | None:
        """The function of this file that `function` is or is an instance of; None for one of a header."""
        if function not in self._definitions:
            if self._lowered.is_own(function):
                self._definitions[function] = function
            else:
                item = relocated(self._program.unit, declared)
                self._definitions[function] = self._own_places.get(_place_of(item))
        return self._definitions[function]

    def _failed(self, function: DeviceFunction, message: str) -> None:
        span = function.item.span
        self._problems.append(FileProblem(ProblemKind.INTERNAL, span.start, span.end, message))

    def _root(self, function: DeviceFunction, context: CallContext | None) -> NumberedRoot:
        item = function.item
        launches = self._launches.known.get(item.name, ()) if function.kind is FunctionKind.KERNEL else ()
        if self._templates.item_of(function.id) is None:  # those of an instance are told apart by their text
            launches = launches_of(self._program.unit, item, launches)
        launches = self._templates.launches_of(function.id, launches)
        noted = self._annotation(function)
        own = self._lowered.of(function.id)
        assert own is not None
        numbered = self._caches.launches_of_roots.get_or_compute(launches, lambda: next(self._caches.numbers))
        base = (own.number, numbered, noted, self._settings, context)
        made_of = self._caches.bases.get_or_compute(base, MadeOf)
        bodies = next((one for one in made_of.bodies if self._are_those_of_now(one)), None)
        if bodies is not None:
            return self._caches.roots.get_or_compute(
                (base, bodies), lambda: self._new_root(own, function, launches, noted, context)[0]
            )
        root, bodies = self._new_root(own, function, launches, noted, context)
        made_of.bodies[:] = [bodies, *made_of.bodies[: MAX_REMEMBERED - 1]]
        return self._caches.roots.get_or_compute((base, bodies), lambda: root)

    def _are_those_of_now(self, bodies: Bodies) -> bool:
        """Asked in the order in which they were met: callers make instances known."""
        return all(self._lowered.number_of(function) == number for function, number in bodies)

    def _new_root(
        self,
        own: SsaFunction,
        function: DeviceFunction,
        launches: Sequence[Launch],
        noted: LaunchAnnotation | None,
        context: CallContext | None,
    ) -> tuple[NumberedRoot, Bodies]:
        """The root, and the bodies that it was made of."""
        asked: dict[FunctionId, int] = {}
        bodies: dict[FunctionId, Function | None] = {}

        def body(callee: FunctionId) -> Function | None:
            if callee not in bodies:  # a root may call one hundreds of times
                note(callee)
                bodies[callee] = self._lowered.body(callee)
            return bodies[callee]

        def item_of(callee: FunctionId) -> Item | None:
            note(callee)
            return self._lowered.item_of(callee)

        def note(callee: FunctionId) -> None:
            if callee not in asked:
                asked[callee] = self._lowered.number_of(callee)

        def knowledge(inlined: Function) -> LaunchKnowledge:
            bounded = own.has_launch_bounds
            path = function.item.path
            known = launch_knowledge(self._settings, noted, launches, inlined, has_launch_bounds=bounded, path=path)
            return known if context is None else launch_of_callers(known, context)

        analysis: RootAnalysis | None = None
        for budget in (INLINE_BUDGET, NOTHING_INLINED) if own.callees else (INLINE_BUDGET,):
            with suppress(TooMuchWork):
                analysis = analyze_root(own.function, body, item_of, knowledge, budget, self._checkpoint, context)
                break
        if analysis is None:
            name, span = own.function.name, Span(0, len(function.item.text))
            unknown = unknown_function(function.id, name, function.kind, span, Limit.STEPS.value)
            analysis = replace(analyze_root(unknown, body, item_of, knowledge), is_too_large=True)
        return NumberedRoot(next(self._caches.numbers), analysis), tuple(asked.items())

    def _annotation(self, function: DeviceFunction) -> LaunchAnnotation | None:
        text = self._program.unit.text_of(function.item.path)
        return None if text is None else annotation_above(text, function.item.span.start)

    def _callers_first(self, functions: Sequence[DeviceFunction]) -> Iterable[DeviceFunction]:
        """Functions that nothing in the file calls come first, so that callees are seen through their callers."""
        called: set[FunctionId] = set()
        for function in paced(functions, 50):
            own = None if function.id in self._reached else self._lowered.of(function.id)
            if own is not None:
                called.update(self._called_by(function.id, own))
        return sorted(functions, key=lambda function: function.id in called)

    def _called_by(self, function: FunctionId, own: SsaFunction) -> Iterator[FunctionId]:
        for callee, _ in own.callees:
            declared = self._lowered.item_of(callee)
            called = None if declared is None else self._definition_of(callee, declared)
            if called is not None and called != function:
                yield called

    def _facts_of(self, function: DeviceFunction) -> AnalyzedFunction:
        reached = self._views_of(function)
        views = tuple([view for _, view in reached])
        views = tuple([view for view in views if view.root.is_too_large]) or views
        key = (function.id, tuple([(number, view.launched_instead, view.taken) for number, view in reached]))
        merged = self._caches.facts.get_or_compute(key, lambda: MergedFacts(self._merged(function, views)))
        facts = merged.facts
        span = function.item.span
        active = function.item.active
        if (facts.start, facts.end, facts.active) != (span.start, span.end, active):
            facts = replace(facts, start=span.start, end=span.end, active=active)
        return AnalyzedFunction(facts, merged, function.item, views)

    def _views_of(self, function: DeviceFunction) -> Sequence[tuple[int, FrameView]]:
        """Where it was inlined; of a function whose callers are all known what they pass, and what kernels do."""
        reached = self._reached[function.id]
        if function.id not in self._called:
            return reached
        sure = [
            (number, view)
            for number, view in reached
            if view.root.function.kind is FunctionKind.KERNEL or (view.frame == OWN_FRAME and view.root.callers_known)
        ]
        return sure or reached

    def _merged(self, function: DeviceFunction, views: Sequence[FrameView]) -> FunctionFacts:
        own = self._lowered.of(function.id)
        assert own is not None
        item = function.item
        is_given_up = any(view.root.is_too_large for view in views)
        body = views[0].root.function if is_given_up else own.function
        branches = branch_facts(body, views)
        return FunctionFacts(
            id=function.id,
            name=f"{item.owner}::{item.name}" if item.owner else item.name,
            kind=function.kind,
            start=item.span.start,
            end=item.span.end,
            name_span=name_span(item),
            active=item.active,
            callers_known=all(view.root.callers_known for view in views),
            rests_on_callers=any(view.root.context is not None for view in views),
            syntax_errors=own.syntax_errors,
            opaque=opaque_facts(views),
            branches=branches,
            branches_if_callers_agree=branches_if_callers_agree(body, views, branches),
            barriers=barrier_facts(views),
            accesses=access_facts(views),
            variables=variable_facts(body, views),
            unreadable=own.unreadable,
            is_too_large=own.is_too_large or is_given_up,
            cut_off=() if own.is_too_large or is_given_up else (*own.unexpanded, *cut_off_facts(views)),
            unlaunched=unlaunched_kernels(views),
        )


def _place_of(item: Item) -> tuple[str, int, str, int]:
    return item.path, item.span.start, item.name, item.part
