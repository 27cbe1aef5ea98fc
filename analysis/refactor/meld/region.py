"""One branch, from its place in the text to a plan: what both public questions need.

Bound     melding saves what a split warp loses at the branch (`analysis.verdict.cost`): where that is nothing, nothing
          is planned.
Refused   before anything is planned: arms with barriers, exchanges between lanes, fences, volatile accesses, waits for
          other threads, or code that is not known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final, final

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.merge import View, branches_at
from analysis.facts.model import BranchFact, FunctionFacts
from analysis.ir.function import SourceBranchKind
from analysis.ir.instructions import ReadSpecial, ValueId
from analysis.ir.operators import SpecialRegister
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.meld.settings import MeldSettings
from analysis.refactor.meld.distinct_types import DistinctTypes
from analysis.refactor.meld.knowledge import MAX_VIEWS, Knowledge
from analysis.refactor.meld.model import Obstacle, Refusal
from analysis.refactor.meld.planning import NoGain, NotAlike, Plan, Planner, Undeclarable
from analysis.refactor.meld.reading import Reader, UnreadableError
from analysis.refactor.meld.spelled_types import spelled_types
from analysis.refactor.meld.structure import Branching, all_statements
from analysis.refactor.meld.survey import forks_in, has_empty_arm
from analysis.syntax.items import Item
from analysis.syntax.snippet import Snippet
from analysis.syntax.tree import Node
from analysis.verdict.grade import Grade


@final
@record
class Region:
    """A branch that can be melded, and how."""

    item: Item
    snippet: Snippet
    span: Span
    """The text that melding replaces, relative to the function."""
    plan: Plan
    saving: float
    """The share of the kernel's issue slots."""


@final
class Regions:
    """The branches of one function; what they share is found out once."""

    def __init__(self, analysis: FileAnalysis, function: FunctionFacts, settings: MeldSettings) -> None:
        self._function = function
        self._settings = settings
        self._text = analysis.document.text
        self._scope = analysis.program.declaration_of(function.id).scope
        self._views = analysis.views(function)
        view = self._views[0]
        self._item = analysis.item_of(view, view.frame)
        self._snippet = None if self._item is None else analysis.program.snippet(self._item)
        self._contexts: dict[int, _Context] = {}

    def region(self, branch: BranchFact) -> Region | Refusal:
        """How the branch is melded, or why not."""
        if branch.kind is not SourceBranchKind.IF:
            return self._refused(branch, Obstacle.NOT_A_STATEMENT, branch.keyword, _NO_STATEMENT[branch.kind])
        if branch.level is not Level.VARYING:
            return self._refused(branch, Obstacle.NO_GAIN, branch.keyword, "all lanes of a warp take the same arm")
        item, snippet = self._item, self._snippet
        node = self._forks.get((branch.keyword.start, branch.keyword.end))
        if item is None or snippet is None or node is None:
            return self._refused(branch, Obstacle.MACRO, branch.keyword, "a macro spells the `if`")
        if node.field("alternative") is None:
            return self._refused(branch, Obstacle.ONE_ARM, branch.keyword, "there is no `else`: nothing runs twice")
        if _hardly_splits(self._views, branch):
            return self._refused(branch, Obstacle.NO_GAIN, branch.keyword, "a bounds check: few warps split at it")
        if branch.cost == 0:
            if has_empty_arm(node):
                return self._refused(branch, Obstacle.ONE_ARM, branch.keyword, _EMPTY_ARM)
            message = "a warp that splits here loses nothing: one arm costs nothing, or a single lane runs it"
            return self._refused(branch, Obstacle.NO_GAIN, branch.keyword, message)
        context = self._context_of(branch, item, snippet)
        found = context.knowledge.hindrance(branch.extent)
        if found is not None:
            return self._refused(branch, found.obstacle, Span(found.start, found.end), found.message)
        try:
            fork = context.fork(branch, node)
        except UnreadableError as error:
            return self._refused(branch, error.obstacle, error.place, error.message)
        if not fork.then or not fork.otherwise:
            return self._refused(branch, Obstacle.ONE_ARM, branch.keyword, _EMPTY_ARM)
        span = snippet.span(node.start, node.end)
        return self._planned(branch, item, snippet, span, context.knowledge, context.planner.plan(fork))

    @cached_property
    def _forks(self) -> Mapping[tuple[int, int], Node]:
        """The `if` statements by where their keywords stand."""
        return {} if self._snippet is None else forks_in(self._snippet)

    @cached_property
    def _parting(self) -> frozenset[tuple[int, int]]:
        """The keywords of branches that often split a warp."""
        return frozenset(
            (one.keyword.start, one.keyword.end)
            for one in self._function.branches
            if one.level is Level.VARYING and not _hardly_splits(self._views, one)
        )

    def _context_of(self, branch: BranchFact, item: Item, snippet: Snippet) -> _Context:
        number = next((at for at, view in enumerate(self._views) if _varies(view, branch)), 0)
        if number not in self._contexts:
            knowledge = Knowledge(self._views, self._views[number])
            reader = Reader(item.text, snippet, knowledge, self._scope)
            distinct = DistinctTypes(spelled_types(item.text, snippet), self._text)
            planner = Planner(knowledge, distinct, self._parting, self._settings)
            self._contexts[number] = _Context(knowledge, reader, planner)
        return self._contexts[number]

    def _planned(
        self,
        branch: BranchFact,
        item: Item,
        snippet: Snippet,
        span: Span,
        knowledge: Knowledge,
        plan: Plan | NotAlike | NoGain | Undeclarable,
    ) -> Region | Refusal:
        match plan:
            case Plan():
                share = 1.0 if branch.splits is None else branch.splits.share
                return Region(item, snippet, span, plan, min(share * plan.saved / knowledge.kernel_slots, 1.0))
            case NotAlike():
                message = "no statement of one arm is enough like one of the other"
                return self._refused(branch, Obstacle.NOTHING_ALIKE, branch.keyword, message)
            case NoGain():
                message = "what both arms share does not pay for the selections and guards"
                return self._refused(branch, Obstacle.NO_GAIN, branch.keyword, message)
            case Undeclarable():
                message = "a variable of one arm would have to be declared without its value"
                return self._refused(branch, Obstacle.DECLARATION, branch.keyword, message)

    def _refused(self, branch: BranchFact, obstacle: Obstacle, place: Span, message: str) -> Refusal:
        return Refusal(self._function.id, branch, obstacle, Span(place.start, place.end), message)


@final
class _Context:
    """One call context of the function, from which prices come: that in which a branch varies, nearly always the first.

    Branches of one context are read and planned together, those inside others with them.
    """

    def __init__(self, knowledge: Knowledge, reader: Reader, planner: Planner) -> None:
        self.knowledge = knowledge
        self.planner = planner
        self._reader = reader
        self._forks: dict[tuple[int, int], Branching] = {}

    def fork(self, branch: BranchFact, node: Node) -> Branching:
        """The branch as statements; raises `UnreadableError`."""
        place = branch.keyword.start, branch.keyword.end
        if place not in self._forks:
            read = self._reader.fork(node)
            for inner in all_statements((read,)):
                if isinstance(inner, Branching) and inner.keyword is not None:
                    self._forks[inner.keyword.start, inner.keyword.end] = inner
        return self._forks[place]


def _varies(view: View, branch: BranchFact) -> bool:
    return any(view.root.divergence.branch_level(here) is Level.VARYING for here in branches_at(view, branch))


def _hardly_splits(views: Sequence[View], branch: BranchFact) -> bool:
    """Whether a bounds check concerns few warps of the grid: it tests an index that counts over all blocks.

    A check of the index in the block splits a warp of each block, which may have no other.
    """
    if branch.grade is not Grade.BOUNDARY:
        return False
    for view in views[:MAX_VIEWS]:
        for here in branches_at(view, branch):
            for block, condition in view.root.divergence.branch_sites(here):
                terminator = view.root.function.blocks[block].terminator
                tested = condition if condition is not None else next(iter(terminator.operands), None)
                if tested is not None and _reads_block_index(view, tested):
                    return True
    return False


def _reads_block_index(view: View, value: ValueId) -> bool:
    waiting, seen = [value], set[ValueId]()
    while waiting:
        found = view.root.divergence.definition(waiting.pop())
        if found is None or found.result is None or found.result in seen:
            continue
        seen.add(found.result)
        if isinstance(found, ReadSpecial) and found.register in _OF_THE_GRID:
            return True
        waiting.extend(found.operands)
    return False


_EMPTY_ARM: Final = "one arm is empty: nothing runs twice"
_OF_THE_GRID: Final = frozenset({SpecialRegister.BLOCK_X, SpecialRegister.BLOCK_Y, SpecialRegister.BLOCK_Z})
_NO_STATEMENT: Final = {
    SourceBranchKind.LOOP: "a loop has no two arms",
    SourceBranchKind.SWITCH: "a `switch` is not melded; as a chain of `if` and `else` it may be",
    SourceBranchKind.CONDITIONAL: "`?:` is an operand, not a statement with two arms",
    SourceBranchKind.SHORT_CIRCUIT: "`&&` and `||` are operands, not statements with two arms",
}
