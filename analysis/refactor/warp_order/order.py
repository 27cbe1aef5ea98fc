"""Barriers between accesses through which the lanes of a warp exchange data with nothing that orders them.

Question   Code written for lanes that run in step (`if (t < 32) { s[t] += s[t + 32]; s[t] += s[t + 16]; ... }`) is a
           race on devices that schedule lanes independently.  Which `__syncwarp()` make it mean what its author meant?
Method     All pairs of accesses that meet (`analysis.warp.exchange_pairs`) are brought to one function's text
           (`separations.py`) and separated by as few barriers as one pass finds (`placing.py`).  Where one statement
           reads what another lane writes in it, no insertion helps: it is taken apart (`statements.py`).  Where not all
           lanes of a warp come, a ballot before the branch names those that do (`masks.py`).
Proof      The new text is analysed.  No exchange may be left, each full barrier and each ballot must stand where all
           lanes that live come together, and no rule about warps may find more than before.
Refuses    whatever cannot be proven, with the reason; `__activemask()` is never written.
Example    `s[t] += s[t + 16];` in all lanes becomes
               const auto value = s[t] + s[t + 16];
               __syncwarp();
               s[t] = value;
           In lanes 0 to 15 alone it stays as it is: no lane reads what another one writes.
Source     CUDA C++ Programming Guide, "Independent Thread Scheduling" and "Synchronization Functions"; Lin and Grover,
           "Using CUDA Warp-Level Primitives", 2018.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.merge import FrameView
from analysis.facts.model import FunctionFacts
from analysis.ir.instructions import BasicBlockId, Vote, WarpBarrier
from analysis.refactor.edit import Replacement, apply_replacements
from analysis.refactor.warp_order.model import CannotOrder, Group, Obstacle, Ordered, WhyNotOrdered
from analysis.refactor.warp_order.placing import place
from analysis.refactor.warp_order.separations import missing_pairs, separations
from analysis.refactor.warp_order.writing import write
from analysis.warp.model import WarpProblemKind

Reanalyze: TypeAlias = Callable[[bytes], FileAnalysis]
"""Analyses another text of the same file, with the same headers and settings."""

_CUDA_WARP: Final = 32


def draft_order(analysis: FileAnalysis, function: FunctionFacts) -> Ordered | CannotOrder | None:
    """What is to be inserted for the exchanges of the kernels that run the function, unproven; None without any."""
    try:
        return _drafted(analysis, analysis.views(function))
    except Obstacle as obstacle:
        return obstacle.answer


def order_exchanges(
    analysis: FileAnalysis, function: FunctionFacts, reanalyze: Reanalyze
) -> Ordered | CannotOrder | None:
    """The same, proven."""
    draft = draft_order(analysis, function)
    if not isinstance(draft, Ordered):
        return draft
    after = reanalyze(apply_replacements(analysis.document.text, draft.edit))
    refuted = _refuted(analysis, after, function, draft)
    return draft if refuted is None else refuted


def _drafted(analysis: FileAnalysis, views: Sequence[FrameView]) -> Ordered | None:
    found = separations(analysis, views)
    if not found:
        return None
    written = write(analysis, place(analysis, found, Group.WARP), Group.WARP)
    if written.masked and any(view.root.launch.warp_size != _CUDA_WARP for view in views):
        raise Obstacle(WhyNotOrdered.WARP_SIZE)
    return written


# -- the text after the change ----------------------------------------------------------------------------------------


def _refuted(before: FileAnalysis, after: FileAnalysis, function: FunctionFacts, draft: Ordered) -> CannotOrder | None:
    changed = next((one for one in after.facts.functions if one.id == function.id), None)
    if changed is None or after.facts.parse_errors > before.facts.parse_errors:
        return CannotOrder(WhyNotOrdered.BROKEN)
    views = after.views(changed)
    if any(missing_pairs(view).pairs for view in views if view.root.is_of_kernel):
        return CannotOrder(WhyNotOrdered.STILL_THERE)
    changed_functions = {after.facts.function_at(stretch.start) for stretch in _inserted(draft.edit)}
    if not all(one is not None and one.callers_known and not one.rests_on_callers for one in changed_functions):
        return CannotOrder(WhyNotOrdered.CALLERS)
    if not _come_together(after, _inserted(draft.edit), draft):
        return CannotOrder(WhyNotOrdered.NOT_TOGETHER)
    new = _problems(after) - _problems(before)
    return CannotOrder(WhyNotOrdered.NOT_TOGETHER) if new else None


def _problems(analysis: FileAnalysis) -> Counter[tuple[str, WarpProblemKind]]:
    return Counter(
        (str(function.id), problem.kind)
        for function in analysis.facts.functions
        for view in analysis.views(function)
        for problem in view.root.warp_problems
    )


def _inserted(edit: Sequence[Replacement]) -> tuple[range, ...]:
    """The stretches of the new text that the edit wrote."""
    found: list[range] = []
    shift = 0
    for one in edit:
        size = len(one.text.encode())
        found.append(range(one.start + shift, one.start + shift + size))
        shift += size - (one.end - one.start)
    return tuple(found)


def _come_together(after: FileAnalysis, inserted: Sequence[range], draft: Ordered) -> bool:
    """Whether all lanes come to what waits for all; barriers with masks stand where `masks.py` lets them."""
    levels: dict[int, Level] = {}
    for offset, level in _waiting(after):
        if any(offset in stretch for stretch in inserted):
            levels[offset] = max(level, levels.get(offset, level))
    masked = [offset for offset in levels if _MASKED.match(after.document.text, offset)]
    barriers = [offset for offset in levels if _BARRIER.match(after.document.text, offset)]
    if (len(barriers), len(masked)) != (draft.barriers, draft.masked):
        return False
    return all(level <= Level.WARP for offset, level in levels.items() if offset not in masked)


_BARRIER: Final = re.compile(rb"__syncwarp\(")
_MASKED: Final = re.compile(rb"__syncwarp\((?!\))")


def _waiting(after: FileAnalysis) -> Iterator[tuple[int, Level]]:
    """Every barrier and vote of the file, in each function that it was inlined into."""
    for function in after.facts.functions:
        for view in after.views(function):
            root = view.root
            item = after.item_of(view, view.frame)
            if item is None or item.path != after.facts.path:
                continue
            for number, block in enumerate(root.function.blocks):
                here = BasicBlockId(number)
                if not root.control.is_reachable(here):
                    continue
                for one in block.instructions:
                    if isinstance(one, WarpBarrier | Vote) and one.span.frame == view.frame:
                        yield item.span.start + one.span.start, root.divergence.convergence(here)
