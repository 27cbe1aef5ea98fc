"""A change of a file's text, checked: the text after it is read, and every kernel that runs the function is compared.

Rules     The changed function must be there, with no more syntax errors and no more constructs that are not understood,
          and its IR must be well formed.  Only then does anything run.
          A device function is checked through the kernels of the file that run it, up to `MAX_KERNELS`; what refutes
          the change in one of them refutes it, else one kernel that confirms it is enough.
Limits    Kernels of other files that include this one are not seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeAlias, final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts, ProblemKind
from analysis.ir.function import FunctionKind
from analysis.ir.instructions import FunctionId
from analysis.ir.promote import promote
from analysis.ir.record import record
from analysis.ir.source import OWN_FRAME
from analysis.ir.verifier import verify
from analysis.lower.program import DeviceFunction
from analysis.refactor.edit import Replacement, apply_replacements
from sim.equivalence.allowance import Allowance, Progress
from sim.equivalence.compare import DEFAULT_BUDGET, compare
from sim.equivalence.model import (
    BranchPlace,
    BrokenText,
    Comparison,
    Confirmed,
    Gap,
    Goal,
    NotChecked,
    NotFewer,
    Refuted,
)
from sim.equivalence.runs import Version
from sim.launch.request import Request
from sim.refusals import LaunchError
from sim.report.model import SourcePlace
from sim.specification import Budget

MAX_KERNELS: Final = 4

Reanalyze: TypeAlias = Callable[[bytes], FileAnalysis]
"""Analyses another text of the same file, with the same headers and settings."""
RequestsOf: TypeAlias = Callable[[DeviceFunction], Sequence[Request]]
"""What is asked of a kernel's launch, the most important first; may raise `LaunchError`."""


def nothing_asked(_: DeviceFunction) -> Sequence[Request]:
    return ()


@final
@record
class Change:
    """An edit that promises `goal`, of `function`; `branch` is the place in it that has to be exercised."""

    function: FunctionFacts
    edit: tuple[Replacement, ...]
    goal: Goal
    branch: BranchPlace | None = None


def check_edit(
    analysis: FileAnalysis,
    change: Change,
    reanalyze: Reanalyze,
    *,
    budget: Budget = DEFAULT_BUDGET,
    progress: Progress | None = None,
    requests_of: RequestsOf = nothing_asked,
) -> Comparison:
    """What comes out where the file is changed so; `budget.seconds` are for everything."""
    allowance = Allowance(budget.seconds, progress)
    after = reanalyze(apply_replacements(analysis.document.text, change.edit))
    broken = _broken(analysis, after, change.function)
    if broken is not None:
        return Comparison(Refuted(None, broken))
    kernels = kernels_running(analysis, change.function)[:MAX_KERNELS]
    found: list[Comparison] = []
    for number, kernel in enumerate(kernels):
        if found and allowance.is_over:
            break
        part = replace(budget, seconds=allowance.left / (len(kernels) - number))
        found.append(_compared(analysis, after, change, kernel, part, allowance, requests_of))
        if _is_final(found[-1]):
            break
    return min(found, key=_rank, default=Comparison(NotChecked(Gap.NO_KERNEL, _NO_KERNEL)))


_NO_KERNEL: Final = "no kernel of this file runs the function, and kernels of other files are not looked at"


def kernels_running(analysis: FileAnalysis, function: FunctionFacts) -> Sequence[DeviceFunction]:
    """The kernels of the file, in text order, into which the function was inlined; a kernel is its own.

    By their place: the roots of a template are instances of it.
    """
    items = (analysis.item_of(view, OWN_FRAME) for view in analysis.views(function))
    roots = {(item.path, item.span.start) for item in items if item is not None}
    return [
        one
        for one in analysis.program.device_functions()
        if one.kind is FunctionKind.KERNEL and one.item.active and (one.item.path, one.item.span.start) in roots
    ]


def _compared(
    analysis: FileAnalysis,
    after: FileAnalysis,
    change: Change,
    kernel: DeviceFunction,
    budget: Budget,
    allowance: Allowance,
    requests_of: RequestsOf,
) -> Comparison:
    changed = next((one for one in after.program.device_functions() if one.id == kernel.id), None)
    if changed is None:
        return Comparison(Refuted(None, BrokenText(f"{kernel.item.name} is no kernel any more")))
    try:
        requests = requests_of(kernel)
    except LaunchError as error:
        return Comparison(NotChecked(Gap.LAUNCH, str(error)))
    return compare(
        Version(analysis.program, kernel),
        Version(after.program, changed),
        requests,
        goal=change.goal,
        branch=change.branch,
        budget=budget,
        progress=allowance.goes_on,
    )


def _is_final(comparison: Comparison) -> bool:
    verdict = comparison.verdict
    return _rank(comparison) == 0 or (isinstance(verdict, NotChecked) and verdict.gap is Gap.CANCELLED)


def _rank(comparison: Comparison) -> int:
    """The verdict of the smallest rank counts for all kernels; without a saving in one there may be one in another."""
    match comparison.verdict:
        case Refuted(evidence=NotFewer()):
            return 2
        case Refuted():
            return 0
        case Confirmed():
            return 1
        case NotChecked():
            return 3


# -- the text after the change -----------------------------------------------------------------------------------------


def _broken(before: FileAnalysis, after: FileAnalysis, function: FunctionFacts) -> BrokenText | None:
    changed = next((one for one in after.facts.functions if one.id == function.id), None)
    if changed is None:
        return BrokenText(f"{function.name} cannot be found in the changed text")
    problems = list(_new_problems(before, after))
    if problems:
        return problems[0]
    if after.facts.parse_errors > before.facts.parse_errors:
        return BrokenText("the changed text has a syntax error", _place(after, changed.start))
    opaque = Counter(fact.construct for fact in function.opaque)
    for fact in changed.opaque:
        opaque[fact.construct] -= 1
        if opaque[fact.construct] < 0:
            start = changed.start + fact.span.start
            return BrokenText(f"the changed text is not understood: {fact.construct}", _place(after, start))
    return _malformed(after, changed.id)


def _new_problems(before: FileAnalysis, after: FileAnalysis) -> Iterator[BrokenText]:
    known = Counter((problem.kind, problem.message) for problem in before.facts.problems)
    for problem in after.facts.problems:
        key = problem.kind, problem.message
        known[key] -= 1
        if known[key] < 0 and problem.kind is not ProblemKind.ANNOTATION:
            yield BrokenText(problem.message, _place(after, problem.start))


def _malformed(after: FileAnalysis, function: FunctionId) -> BrokenText | None:
    lowered = after.program.lower(function).function
    for stage in (lowered, promote(lowered)):
        errors = verify(stage)
        if errors:
            error = errors[0]
            return BrokenText(f"the IR is malformed: {error.location}: {error.context}: {error.message}")
    return None


def _place(analysis: FileAnalysis, offset: int) -> SourcePlace:
    return SourcePlace(analysis.facts.path, analysis.line_in(analysis.facts.path, offset), 1)
