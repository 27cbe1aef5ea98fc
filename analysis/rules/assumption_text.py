"""The assumption that decides a finding about a branch, as one sentence with what would settle it.

Callers   none is known, and lanes part only if they pass what differs between lanes.
Markers   lanes part only where entries lead nowhere (`markers.py`).
Rows      its shape is not known, and lanes part only in blocks of several rows (`facts/rows.py`).
Block     its shape is not known, and for some usual shapes no warp splits while for others warps do.
Rounds    how often loops run is not known, and the share of the kernel is small or large accordingly.
Limits    The first that holds is told.  Whether a shape decides is asked of a few shapes; conditions on more than the
          thread's index and constants are not asked.
"""

from __future__ import annotations

from typing import Final

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.divergence.thread_index import structured_expressions
from analysis.facts.merge import FrameView, branches_at
from analysis.facts.model import BranchFact
from analysis.ir.instructions import Branch
from analysis.rules.price import SplitPrice, is_wide
from analysis.rules.rule import Subject
from analysis.verdict.split_count import count_splits

USUAL_SHAPES: Final = (BlockShape(256, 1, 1), BlockShape(32, 8, 1), BlockShape(16, 16, 1), BlockShape(8, 8, 4))


def assumption_text(subject: Subject, branch: BranchFact, price: SplitPrice, *, blames_callers: bool) -> str:
    """With a blank in front; empty where nothing is assumed that decides."""
    if blames_callers:
        name = subject.function.name
        return f" No call of `{name}` is known, so its arguments are taken to differ between lanes; a call decides it."
    if branch.tests_marker:
        return " Entries below 0 are markers here, and those are few as a rule."
    if branch.rests_on_rows:
        return " The block's shape is not known, and in one row no lanes part: `// simt: block=…` above it says it."
    if any(_shape_decides(view, branch) for view in subject.analysis.views(subject.function)):
        return " The block's shape is not known and decides whether warps split: `// simt: block=…` above it says it."
    if not price.is_wait and is_wide(price.part.share):
        return " How often loops run is not known and decides the share: a run counts it (`simt-lsp simulate`)."
    return ""


def _shape_decides(view: FrameView, branch: BranchFact) -> bool:
    root = view.root
    if root.launch.shapes or not root.is_of_kernel:
        return False
    expressions = structured_expressions(root.function, root.control)
    for here in branches_at(view, branch):
        for block, condition in root.divergence.branch_sites(here):
            terminator = root.function.blocks[block].terminator
            value = terminator.operands[0] if condition is None and isinstance(terminator, Branch) else condition
            expression = None if value is None else expressions.get(value)
            if expression is None:
                continue
            size = root.launch.warp_size
            counted = [count_splits(expression, None, LaunchKnowledge((one,), warp_size=size)) for one in USUAL_SHAPES]
            splits = {any(one.splitting for one in shape) for shape in counted if shape is not None}
            if len(splits) > 1:
                return True
    return False
