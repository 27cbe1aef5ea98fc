"""Repairs of the findings of a file, applied one after the other until no more is offered.

Rules     Repairs that a rule offers come first (`analysis/features/fix_all.py`), those that are not safe with `unsafe`.
          Repairs of barriers come after that, one by one.  They are safe where a run of both versions confirmed them;
          what no run could check is applied with `unsafe` only, what one refutes never.
Limits    Without NumPy nothing runs: barriers count as not checked, and are withheld.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Final, final

from analysis.features.barrier_repairs import BarrierRepair, barrier_repairs
from analysis.features.fix_all import Selection, changed_text, fix_all
from analysis.ir.record import record
from analysis.refactor.barrier_goal import BarrierGoal
from simt_lsp.cli.engine import Analyzed, Engine
from simt_lsp.cli.report import AppliedFix

NO_NUMPY: Final = "to check the barriers needs NumPy, which is not installed here"


@final
@record
class WithheldFix:
    """A repair that is not applied; `line` of the finding, in the text as it then was."""

    code: str
    line: int
    reason: str


@final
@record
class Fixed:
    """`analyzed` is the text with all that was applied."""

    analyzed: Analyzed
    applied: tuple[AppliedFix, ...]
    withheld: tuple[WithheldFix, ...]


def fixed(engine: Engine, analyzed: Analyzed, *, unsafe: bool) -> Fixed:
    """Nothing is written."""
    offered = fix_all(analyzed, Selection(None, unsafe), partial(engine.reanalyze, analyzed))
    analyzed = offered.after
    applied = [
        AppliedFix(one.code, one.name, one.function, one.fix.title, one.fix.applicability.value)
        for one in offered.applied
        if one.fix
    ]
    withheld: dict[_Tried, tuple[WithheldFix, ...]] = {}
    while (repair := _next_repair(analyzed, withheld.keys())) is not None:
        outcome = _with_barriers(engine, analyzed, repair, unsafe=unsafe)
        if isinstance(outcome, str):
            lines = analyzed.analysis.document.lines
            found = (WithheldFix(one.code, lines.line_of(one.start) + 1, outcome) for one in repair.findings)
            withheld[_tried(analyzed, repair)] = tuple(found)
            continue
        analyzed, fix = outcome
        applied.append(fix)
        # What could not be written in the old text of a function may be in the new one.
        withheld = {tried: found for tried, found in withheld.items() if tried.function != str(repair.function.id)}
    return Fixed(analyzed, tuple(applied), tuple(one for found in withheld.values() for one in found))


@final
@record
class _Tried:
    """A repair of a function's text, wherever in the file that stands; `place` counts from its start."""

    goal: BarrierGoal
    function: str
    text: bytes
    place: int


def _tried(analyzed: Analyzed, repair: BarrierRepair) -> _Tried:
    function = repair.function
    text = analyzed.analysis.document.text[function.start : function.end]
    return _Tried(repair.goal, str(function.id), text, repair.place - function.start)


def _next_repair(analyzed: Analyzed, tried: Collection[_Tried]) -> BarrierRepair | None:
    repairs = barrier_repairs(analyzed.analysis, analyzed.diagnostics)
    return next((one for one in repairs if _tried(analyzed, one) not in tried), None)


def _with_barriers(
    engine: Engine, analyzed: Analyzed, repair: BarrierRepair, *, unsafe: bool
) -> tuple[Analyzed, AppliedFix] | str:
    """The text after the repair and what is said of it, or why it is withheld."""
    if repair.refusal is not None:
        return repair.refusal
    try:
        from simt_lsp.cli.barriers import applicability, checked_barriers
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != "numpy":
            raise
        return NO_NUMPY
    found = checked_barriers(engine, analyzed, repair, unsafe=unsafe)
    if isinstance(found, str):
        return found
    after = changed_text(analyzed, found.edit, partial(engine.reanalyze, analyzed))
    if after is None:
        return "the text after it cannot be read"
    first = repair.findings[0]
    return after, AppliedFix(first.code, first.name, repair.function.name, found.title, applicability(found).value)
