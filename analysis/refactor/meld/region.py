"""One branch, from its place in the text to a plan: what both public questions need.

Refused   before anything is planned: arms with barriers, exchanges between lanes, fences, volatile accesses, waits for
          other threads, or code that is not known.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from analysis.refactor.meld.knowledge import MAX_VIEWS, Knowledge, knowledge_of
from analysis.refactor.meld.model import Obstacle, Refusal
from analysis.refactor.meld.planning import NoGain, NotAlike, Plan, Planner, Undeclarable
from analysis.refactor.meld.reading import Reader, UnreadableError, find_fork
from analysis.refactor.meld.structure import Branching, all_statements
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
        self._views = analysis.views(function)
        view = self._views[0]
        self._item = analysis.item_of(view, view.frame)
        self._snippet = None if self._item is None else analysis.program.snippet(self._item)
        self._known: Knowledge | None = None
        self._planner: Planner | None = None
        self._forks: dict[tuple[int, int], Branching] = {}

    def region(self, branch: BranchFact) -> Region | Refusal:
        """How the branch is melded, or why not."""
        if branch.kind is not SourceBranchKind.IF:
            return self._refused(branch, Obstacle.NOT_A_STATEMENT, branch.keyword, _NO_STATEMENT[branch.kind])
        if branch.level is not Level.VARYING:
            return self._refused(branch, Obstacle.NO_GAIN, branch.keyword, "all lanes of a warp take the same arm")
        item, snippet = self._item, self._snippet
        node = None if snippet is None else find_fork(snippet, branch.keyword)
        if item is None or snippet is None or node is None:
            return self._refused(branch, Obstacle.MACRO, branch.keyword, "a macro spells the `if`")
        if node.field("alternative") is None:
            return self._refused(branch, Obstacle.ONE_ARM, branch.keyword, "there is no `else`: nothing runs twice")
        if _hardly_splits(self._views, branch):
            return self._refused(branch, Obstacle.NO_GAIN, branch.keyword, "a bounds check: few warps split at it")
        knowledge = self._knowledge(branch)
        for found in knowledge.hindrances:
            if branch.extent.start <= found.start and found.end <= branch.extent.end:
                return self._refused(branch, found.obstacle, Span(found.start, found.end), found.message)
        try:
            fork = self._fork(branch, node, item, snippet, knowledge)
        except UnreadableError as error:
            return self._refused(branch, error.obstacle, error.place, error.message)
        if not fork.then or not fork.otherwise:
            return self._refused(branch, Obstacle.ONE_ARM, branch.keyword, "one arm is empty: nothing runs twice")
        span = snippet.span(node.start, node.end)
        return self._planned(branch, item, snippet, span, knowledge, self._planner_for(knowledge).plan(fork))

    def _fork(self, branch: BranchFact, node: Node, item: Item, snippet: Snippet, knowledge: Knowledge) -> Branching:
        """The branch as statements; one that stands inside another that was read is known."""
        place = branch.keyword.start, branch.keyword.end
        if place not in self._forks:
            read = Reader(item.text, snippet, knowledge).fork(node)
            for inner in all_statements((read,)):
                if isinstance(inner, Branching) and inner.keyword is not None:
                    self._forks[inner.keyword.start, inner.keyword.end] = inner
        return self._forks[place]

    def _planner_for(self, knowledge: Knowledge) -> Planner:
        if self._planner is None:
            divergent = frozenset(
                (one.keyword.start, one.keyword.end)
                for one in self._function.branches
                if one.level is Level.VARYING and not _hardly_splits(self._views, one)
            )
            self._planner = Planner(knowledge, divergent, self._settings)
        return self._planner

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

    def _knowledge(self, branch: BranchFact) -> Knowledge:
        # The same for all branches but for the context that prices come from, which is nearly always the first.
        if self._known is None:
            self._known = knowledge_of(self._views, branch)
        return self._known

    def _refused(self, branch: BranchFact, obstacle: Obstacle, place: Span, message: str) -> Refusal:
        return Refusal(self._function.id, branch, obstacle, Span(place.start, place.end), message)


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


_OF_THE_GRID: Final = frozenset({SpecialRegister.BLOCK_X, SpecialRegister.BLOCK_Y, SpecialRegister.BLOCK_Z})
_NO_STATEMENT: Final = {
    SourceBranchKind.LOOP: "a loop has no two arms",
    SourceBranchKind.SWITCH: "a `switch` is not melded; as a chain of `if` and `else` it may be",
    SourceBranchKind.CONDITIONAL: "`?:` is an operand, not a statement with two arms",
    SourceBranchKind.SHORT_CIRCUIT: "`&&` and `||` are operands, not statements with two arms",
}
