"""One branch, from its place in the text to what is read of it: what both public questions need.

Bound     melding saves what a split warp loses at the branch (`analysis.verdict.cost`): where that is nothing, nothing
          is planned.
Refused   before anything is planned: arms with barriers, exchanges between lanes, fences, volatile accesses, waits for
          other threads, or code that is not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final, assert_never, final

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.merge import FrameView, branches_at
from analysis.facts.model import BranchFact, FunctionFacts
from analysis.ir.function import SourceBranchKind
from analysis.ir.instructions import ReadSpecial, ValueId
from analysis.ir.operators import SpecialRegister
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.meld.settings import MeldMethod, MeldSettings
from analysis.refactor.meld.distinct_types import scoped_enumerations
from analysis.refactor.meld.knowledge import MAX_VIEWS, Knowledge
from analysis.refactor.meld.model import Obstacle, Opportunity, Refusal
from analysis.refactor.meld.passage import Located, Passages
from analysis.refactor.meld.planning import NoGain, NotAlike, Plan, Undeclarable
from analysis.refactor.meld.plans import EmptyArm, Unreadable, plans_of
from analysis.refactor.meld.survey import Survey, has_empty_arm
from analysis.syntax.items import Item
from analysis.syntax.snippet import Snippet
from analysis.syntax.tree import Node
from analysis.verdict.grade import Grade


@final
@record
class MeldableBranch:
    """A branch that can be melded, and how."""

    item: Item
    snippet: Snippet
    span: Span
    """The text that melding replaces, relative to the function."""
    plan: Plan


def may_be_melded(branch: BranchFact) -> bool:
    """Whether anything is left to be asked of a branch that varies: it has two arms, and a warp that splits loses."""
    return branch.kind in (SourceBranchKind.IF, SourceBranchKind.SWITCH) and branch.cost != 0


MOST_FORKS: Final = 8
"""Of a branch with more in it all is read: to compare the arms of each would take as long."""


@final
@record
class Candidate:
    """A branch that nothing speaks against before it is read."""

    branch: BranchFact
    node: Node
    item: Item
    snippet: Snippet
    survey: Survey
    context: int
    """The number of the call context from which its prices come."""


@final
class Regions:
    """The branches of one function; what they share is found out once."""

    def __init__(self, analysis: FileAnalysis, function: FunctionFacts) -> None:
        self._function = function
        self._file_text = analysis.document.text
        self._scope = analysis.program.declaration_of(function.id).scope
        self._views = analysis.views(function)
        view = self._views[0]
        self._item = analysis.item_of(view, view.frame)
        self._snippet = None if self._item is None else analysis.program.snippet(self._item)
        self._knowledge: dict[int, Knowledge] = {}
        self._passages: dict[int, Passages] = {}

    def candidate(self, branch: BranchFact) -> Candidate | Refusal:
        """The branch, if it is worth reading."""
        found = self.fork(branch)
        return found if isinstance(found, Refusal) else self.hindered(found) or found

    def hindered(self, candidate: Candidate) -> Refusal | None:
        """Why no instruction of a branch may be melded, if something in it hinders that."""
        branch = candidate.branch
        found = self._known_in(candidate.context).hindrance(branch.extent)
        if found is None:
            return None
        return self._refused(branch, found.obstacle, Span(found.start, found.end), found.message)

    def fork(self, branch: BranchFact) -> Candidate | Refusal:
        """The branch, if it has two arms and may lose something, whatever stands in them."""
        if branch.kind not in (SourceBranchKind.IF, SourceBranchKind.SWITCH):
            return self._refused(branch, Obstacle.NOT_A_STATEMENT, branch.keyword, _NO_STATEMENT[branch.kind])
        if branch.level is not Level.VARYING:
            return self._refused(branch, Obstacle.NO_GAIN, branch.keyword, "all lanes of a warp take the same arm")
        item, snippet, survey = self._item, self._snippet, self._survey
        node = None if survey is None else survey.forks.get((branch.keyword.start, branch.keyword.end))
        if item is None or snippet is None or survey is None or node is None:
            return self._refused(branch, Obstacle.MACRO, branch.keyword, f"a macro spells the `{branch.kind.value}`")
        is_switch = branch.kind is SourceBranchKind.SWITCH
        if not is_switch and node.field("alternative") is None:
            return self._refused(branch, Obstacle.ONE_ARM, branch.keyword, "there is no `else`: nothing runs twice")
        if _hardly_splits(self._views, branch):
            return self._refused(branch, Obstacle.NO_GAIN, branch.keyword, "a bounds check: few warps split at it")
        if branch.cost == 0:
            if not is_switch and has_empty_arm(node):
                return self._refused(branch, Obstacle.ONE_ARM, branch.keyword, _EMPTY_ARM)
            message = "a warp that splits here loses nothing: one arm costs nothing, or a single lane runs it"
            return self._refused(branch, Obstacle.NO_GAIN, branch.keyword, message)
        return Candidate(branch, node, item, snippet, survey, self._context(branch))

    def located(self, candidate: Candidate, inside: Sequence[Candidate]) -> Located:
        """The passage of a branch; `inside`: branches in its arms whose plans are wanted too."""
        context = candidate.context
        if context not in self._passages:
            self._passages[context] = Passages(
                candidate.item.text,
                candidate.survey,
                self._known_in(context),
                self._scope,
                scoped_enumerations(self._file_text),
            )
        asked = [one.branch.keyword for one in (candidate, *inside)]
        return self._passages[context].located(candidate.node, self._parting, asked)

    def opportunity(self, candidate: Candidate, method: MeldMethod, saved: float) -> Opportunity:
        """A meld that saves so many issue slots, as a share of the kernel's."""
        share = self._share(candidate.branch, candidate.context, saved)
        return Opportunity(self._function.id, candidate.branch, method, share)

    def may_save(self, branch: BranchFact, share: float) -> bool:
        """Whether a meld may save such a share of the kernel's issue slots; told before anything is read."""
        if branch.kind is SourceBranchKind.SWITCH:
            return True  # a chain of comparisons costs what no instruction says
        context = self._context(branch)
        return self._share(branch, context, self._known_in(context).most_slots(branch.extent)) >= share

    def arms_may_save(self, candidate: Candidate, share: float) -> bool:
        """The same where the arms are known: of each fork in it, what its two arms have in common is saved at most."""
        forks = candidate.survey.forks_in(candidate.node)
        if len(forks) > MOST_FORKS or any(fork.kind == "switch_statement" for fork in forks):
            return True
        span, arms = candidate.snippet.span, list[tuple[Span, Span]]()
        for fork in forks:
            first, second = fork.field("consequence"), fork.field("alternative")
            if first is not None and second is not None:
                arms.append((span(first.start, first.end), span(second.start, second.end)))
        slots = self._known_in(candidate.context).most_alike_slots(candidate.branch.extent, arms)
        return self._share(candidate.branch, candidate.context, slots) >= share

    def _context(self, branch: BranchFact) -> int:
        """The number of the first call context in which lanes may part there."""
        return next((at for at, view in enumerate(self._views) if _varies(view, branch)), 0)

    def _share(self, branch: BranchFact, context: int, slots: float) -> float:
        """Of the kernel's issue slots, in the warps that split."""
        splits = 1.0 if branch.splits is None else branch.splits.share
        return min(splits * slots / self._known_in(context).kernel_slots, 1.0)

    def not_planned(
        self, candidate: Candidate, found: NotAlike | NoGain | Undeclarable | EmptyArm | Unreadable, origin: int
    ) -> Refusal:
        """Why a branch that was read is not melded; `origin`: where its passage begins."""
        branch = candidate.branch
        match found:
            case Unreadable(obstacle=obstacle, place=place, message=message):
                place = Span(place.start + origin, place.end + origin)
                return self._refused(branch, obstacle, place, message)
            case EmptyArm():
                return self._refused(branch, Obstacle.ONE_ARM, branch.keyword, _EMPTY_ARM)
            case NotAlike():
                message = "no statement of one arm is enough like one of the other"
                return self._refused(branch, Obstacle.NOTHING_ALIKE, branch.keyword, message)
            case NoGain():
                message = "what both arms share does not pay for the selections and guards"
                return self._refused(branch, Obstacle.NO_GAIN, branch.keyword, message)
            case Undeclarable():
                message = "a variable of one arm would have to be declared without its value"
                return self._refused(branch, Obstacle.DECLARATION, branch.keyword, message)
            case _:
                assert_never(found)

    def _refused(self, branch: BranchFact, obstacle: Obstacle, place: Span, message: str) -> Refusal:
        return Refusal(self._function.id, branch, obstacle, Span(place.start, place.end), message)

    @cached_property
    def _survey(self) -> Survey | None:
        return None if self._snippet is None else Survey(self._snippet)

    @cached_property
    def _parting(self) -> Sequence[Span]:
        """The keywords of branches that often split a warp."""
        return [
            one.keyword
            for one in self._function.branches
            if one.level is Level.VARYING and not _hardly_splits(self._views, one)
        ]

    def _known_in(self, context: int) -> Knowledge:
        if context not in self._knowledge:
            self._knowledge[context] = Knowledge(self._views, self._views[context])
        return self._knowledge[context]


def region_of(
    analysis: FileAnalysis, function: FunctionFacts, branch: BranchFact, settings: MeldSettings
) -> MeldableBranch | Refusal:
    """How one branch is melded, or why not."""
    regions = Regions(analysis, function)
    candidate = regions.candidate(branch)
    if isinstance(candidate, Refusal):
        return candidate
    located = regions.located(candidate, ())
    plans = plans_of(located.passage, settings)
    found = plans if isinstance(plans, Unreadable) else plans[located.passage.asked[0]]
    if not isinstance(found, Plan):
        return regions.not_planned(candidate, found, located.origin)
    node, snippet = candidate.node, candidate.snippet
    return MeldableBranch(candidate.item, snippet, snippet.span(node.start, node.end), found)


def _varies(view: FrameView, branch: BranchFact) -> bool:
    return any(view.root.divergence.branch_level(here) is Level.VARYING for here in branches_at(view, branch))


def _hardly_splits(views: Sequence[FrameView], branch: BranchFact) -> bool:
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


def _reads_block_index(view: FrameView, value: ValueId) -> bool:
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
    SourceBranchKind.CALL: "a call of a function that is chosen at run time has no arms in the text",
    SourceBranchKind.LOOP: "a loop has no two arms",
    SourceBranchKind.CONDITIONAL: "`?:` is an operand, not a statement with two arms",
    SourceBranchKind.SHORT_CIRCUIT: "`&&` and `||` are operands, not statements with two arms",
}
