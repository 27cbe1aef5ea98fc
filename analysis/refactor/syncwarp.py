"""Where `__syncwarp()` brings the lanes of a warp together again, as edits of the text.

Placement  Lee et al., CGO 2013, section 5.2: in basic blocks that are convergent for the warp and have a divergent
           predecessor.  In the text such a block begins behind an `if`, a `switch` or a loop in which lanes part.
Method     Every such statement is a candidate.  All candidates are inserted at once and the new text is analysed: one
           is kept if its barrier stands in a convergent block (all lanes that live come, so the full mask is right) at
           the join of divergent code.  So nothing rests on where text and control flow are thought to correspond:
           behind `if (c) continue;` the lanes that are left are not together, and the analysis says so.
Withheld   with a reason, where a barrier would be wrong or cannot be written: where lanes are not together, or a caller
           that is not known may call with some lanes only, and behind statements that stand in no braces.
           Silently, where it would be of no use: behind the last statement of a function, and before a barrier.
           No mask is computed: `__activemask()` never says who will come.
Source     Lee, Grover, Krashinsky, Patterson, Keckler, Asanovic, "Convergence and Scalarization for Data-Parallel
           Architectures", CGO 2013.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Final, TypeAlias, final

from tree_sitter import Node

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.merge import FrameView, branches_at
from analysis.facts.model import BranchFact, FunctionFacts
from analysis.ir.function import SourceBranchKind
from analysis.ir.instructions import BasicBlockId, SourceBranchId, WarpBarrier
from analysis.ir.record import record
from analysis.refactor.edit import Replacement, apply_replacements
from analysis.refactor.layout import behind

Reanalyze: TypeAlias = Callable[[bytes], FileAnalysis]
"""Analyses another text of the same file, with the same headers and settings."""

CALL: Final = "__syncwarp();"
_STATEMENTS: Final = frozenset({SourceBranchKind.IF, SourceBranchKind.LOOP, SourceBranchKind.SWITCH})
_BLOCKS: Final = frozenset({"compound_statement", "case_statement"})
_BARRIER: Final = re.compile(rb"\s*(?:__syncwarp|__syncthreads)\b")


class WhyNot(Enum):
    """Why no barrier is offered behind a statement in which lanes part."""

    NO_BRACES = "it stands in no braces, so a second statement behind it would change what the code means"
    NOT_TOGETHER = "not all lanes of a warp come together behind it"
    CALLERS = "the callers of this function are not known: one may call it with some lanes of a warp only"


@final
@record
class SyncPoint:
    """A barrier behind the statement of the branch whose keyword begins at `keyword`, a byte offset into the file."""

    keyword: int
    edit: Replacement


@final
@record
class Withheld:
    keyword: int
    reason: WhyNot


@final
@record
class SyncPlacement:
    """Where a function gets barriers, in the order of the text, and where it does not."""

    points: tuple[SyncPoint, ...]
    withheld: tuple[Withheld, ...]

    @property
    def edit(self) -> tuple[Replacement, ...]:
        """All of them; statements that end at one place are one."""
        return tuple(point.edit for point in self.points)


def place_syncwarps(analysis: FileAnalysis, function: FunctionFacts, reanalyze: Reanalyze) -> SyncPlacement:
    """The barriers of section 5.2 for one function; `reanalyze` is called only where there is a candidate."""
    candidates: list[SyncPoint] = []
    withheld: list[Withheld] = []
    for found in _candidates(analysis, function):
        if isinstance(found, Withheld):
            withheld.append(found)
        elif not candidates or candidates[-1].edit.start != found.edit.start:
            candidates.append(found)
    if not candidates:
        return SyncPlacement((), tuple(withheld))
    if not function.callers_known or function.rests_on_callers:
        unknown = (Withheld(candidate.keyword, WhyNot.CALLERS) for candidate in candidates)
        return SyncPlacement((), tuple(sorted((*withheld, *unknown), key=lambda one: one.keyword)))
    points: list[SyncPoint] = []
    after = reanalyze(apply_replacements(analysis.document.text, [point.edit for point in candidates]))
    changed = next((one for one in after.facts.functions if one.id == function.id), None)
    shift = 0
    for candidate in candidates:
        place = candidate.edit.start + shift + candidate.edit.text.index(CALL)
        shift += len(candidate.edit.text.encode())
        match None if changed is None else _joins(after, changed, place):
            case True:
                points.append(candidate)
            case False:
                pass
            case None:
                withheld.append(Withheld(candidate.keyword, WhyNot.NOT_TOGETHER))
    return SyncPlacement(tuple(points), tuple(sorted(withheld, key=lambda one: one.keyword)))


def may_reconverge(analysis: FileAnalysis, function: FunctionFacts, keyword: int) -> bool:
    """Whether a barrier can be offered behind the branch whose keyword begins at a byte offset of the file.

    Cheap, for who asks with each move of a cursor: no text is analysed.  Nothing may leave the statement but at its
    end, and all lanes of a warp must come together in the block behind it, which the text behind it then begins.
    """
    here = [branch for branch in function.branches if function.start + branch.keyword.start == keyword]
    found = [one for one in _candidates(analysis, function) if one.keyword == keyword and isinstance(one, SyncPoint)]
    tree = analysis.document.tree
    if not here or not found or not function.callers_known or function.rests_on_callers or tree is None:
        return False
    node = _statement(tree.root_node, function, here[0])
    if node is None or _is_left(node, _LEFT_BY if here[0].kind is SourceBranchKind.IF else _LOOPS_LEFT_BY):
        return False
    return all(_meets_behind(view, one) for view in analysis.views(function) for one in branches_at(view, here[0]))


_LOOPS_LEFT_BY: Final = frozenset({"return_statement", "goto_statement"})
_LEFT_BY: Final = _LOOPS_LEFT_BY | {"break_statement", "continue_statement"}


def _is_left(node: Node, by: frozenset[str]) -> bool:
    return node.type in by or any(_is_left(child, by) for child in node.named_children)


def _meets_behind(view: FrameView, branch: SourceBranchId) -> bool:
    root = view.root
    behind_it = {root.control.immediate_post_dominator(block) for block, _ in root.divergence.branch_sites(branch)}
    return all(block is not None and root.divergence.convergence(block) <= Level.WARP for block in behind_it)


def _candidates(analysis: FileAnalysis, function: FunctionFacts) -> Iterator[SyncPoint | Withheld]:
    """In the order in which the statements end, the outer one first of those that end at one place."""
    tree = analysis.document.tree
    if tree is None:
        return
    branches = [branch for branch in function.branches if branch.kind in _STATEMENTS and branch.level > Level.WARP]
    for branch in sorted(branches, key=lambda branch: (branch.extent.end, branch.extent.start)):
        node = _statement(tree.root_node, function, branch)
        if node is None or node.parent is None or node.parent.type == "else_clause":
            continue  # a macro wrote it; the end of an else-if ladder is the end of its first `if`
        keyword = function.start + branch.keyword.start
        if node.parent.type not in _BLOCKS:
            yield Withheld(keyword, WhyNot.NO_BRACES)
        elif not _is_useless(analysis.document.text, node):
            yield SyncPoint(keyword, behind(analysis.document.text, node, CALL))


def _statement(root: Node, function: FunctionFacts, branch: BranchFact) -> Node | None:
    """The statement that the branch's extent covers."""
    start, end = function.start + branch.extent.start, function.start + branch.extent.end
    node = root.descendant_for_byte_range(start, end)
    while node is not None and node.start_byte == start and node.end_byte <= end:
        if node.end_byte == end and node.type.endswith(("_statement", "_loop")):
            return node
        node = node.parent
    return None


def _is_useless(text: bytes, node: Node) -> bool:
    """Nothing comes behind it in the function, or lanes wait for each other there already."""
    if _BARRIER.match(text, node.end_byte):
        return True
    parent = node.parent
    is_last = parent is not None and not text[node.end_byte : parent.end_byte].strip(b" \t\r\n}")
    return is_last and parent is not None and parent.parent is not None and parent.parent.type == "function_definition"


def _joins(after: FileAnalysis, function: FunctionFacts, place: int) -> bool | None:
    """Whether the barrier at `place` stands where lanes that parted meet; None where they are not all there."""
    start = place - function.start
    found: bool = False
    is_there = False
    for view in after.views(function):
        root = view.root
        for number, block in enumerate(root.function.blocks):
            for item in block.instructions:
                if not isinstance(item, WarpBarrier) or (item.span.frame, item.span.start) != (view.frame, start):
                    continue
                here = BasicBlockId(number)
                if not root.control.is_reachable(here):
                    continue
                is_there = True
                if root.divergence.convergence(here) > Level.WARP:
                    return None
                before: Sequence[int] = root.control.predecessors[here]
                found |= any(root.divergence.convergence(BasicBlockId(one)) > Level.WARP for one in before)
    return found if is_there else None
