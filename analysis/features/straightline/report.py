"""The straight-line scalar optimisations of one function of a file: what each step leaves, for threads and for warps.

Computed when asked for, from the root that the facts were computed from; small constant loops are unrolled first.
"""

from __future__ import annotations

from typing import final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.facts.roots import RootAnalysis
from analysis.ir.function import FunctionKind
from analysis.ir.record import record
from analysis.ir.source import OWN_FRAME
from analysis.straightline.divisions import bypassed
from analysis.straightline.facts import StraightFacts, straight_facts
from analysis.straightline.optimise import Optimised, optimise
from analysis.straightline.unroll import unrolled


@final
@record
class StraightlineReport:
    """`rounds_unrolled`: whether loops were unrolled first; `wide_divisions` are those that only a run can narrow."""

    facts: FunctionFacts
    result: Optimised
    warp_size: int
    is_unrolled: bool
    wide_divisions: int

    @property
    def is_kernel(self) -> bool:
        return self.facts.kind is FunctionKind.KERNEL


def straightline_report(analysis: FileAnalysis, function: FunctionFacts) -> StraightlineReport | None:
    """None for a device function that is only ever part of the code of its callers."""
    for view in analysis.views(function):
        root = view.root
        if view.frame != OWN_FRAME or root.function.id != function.id:
            continue
        flat = unrolled(root.function)
        facts = facts_of_root(root) if flat is root.function else straight_facts(flat, root.launch)
        result = optimise(facts.code(), facts.counter, facts.permissions)
        wide = bypassed(result.function()).divisions
        return StraightlineReport(function, result, root.launch.warp_size, flat is not root.function, wide)
    return None


def facts_of_root(root: RootAnalysis) -> StraightFacts:
    """What was found out already."""
    return StraightFacts(root.function, root.control, root.divergence, root.affine, root.spaces, root.weights)
