"""Repairs of the findings of a file, applied one after the other until no more is offered.

Rules     A repair that a rule offers is safe: it was checked to help and to change nothing else.  Where two overlap,
          the first in the text is applied, and the other is looked for again in the text that it then finds.
          Repairs of barriers come after that, one by one.  They are safe where a run of both versions confirmed them;
          what no run could check is applied with `unsafe` only, what one refutes never.
          A text with more syntax errors than before is thrown away.
Limits    Without NumPy nothing runs: barriers count as not checked, and are withheld.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, final

from analysis.features.barrier_repairs import BarrierRepair, barrier_repairs
from analysis.ir.record import record
from analysis.refactor.barrier_goal import BarrierGoal
from analysis.refactor.edit import Replacement, apply_replacements
from analysis.rules.diagnostic import Diagnostic
from simt_lsp.cli.engine import Analyzed, Engine
from simt_lsp.cli.report import AppliedFix

MAX_ROUNDS: Final = 8
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
    applied: list[AppliedFix] = []
    for _ in range(MAX_ROUNDS):
        chosen = _apart(analyzed.diagnostics)
        if not chosen:
            break
        after = _changed(engine, analyzed, [edit for one in chosen for edit in _edits(one)])
        if after is None:
            break
        applied += (AppliedFix(one.code, one.name, one.function, one.fix.title) for one in chosen if one.fix)
        analyzed = after
    withheld: dict[_Tried, tuple[WithheldFix, ...]] = {}
    while (repair := _next_repair(analyzed, withheld.keys())) is not None:
        outcome = _with_barriers(engine, analyzed, repair, unsafe=unsafe)
        if isinstance(outcome, str):
            lines = analyzed.analysis.document.lines
            found = (WithheldFix(one.code, lines.line_of(one.start) + 1, outcome) for one in repair.findings)
            withheld[_tried(analyzed, repair)] = tuple(found)
            continue
        analyzed, title = outcome
        first, function = repair.findings[0], repair.function
        applied.append(AppliedFix(first.code, first.name, function.name, title))
        # What could not be written in the old text of a function may be in the new one.
        withheld = {tried: found for tried, found in withheld.items() if tried.function != str(function.id)}
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


def _apart(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Those with a repair, without those that touch what an earlier one changes."""
    chosen: list[Diagnostic] = []
    taken: list[Replacement] = []
    for one in diagnostics:
        edits = _edits(one)
        if edits and all(edit.end < other.start or other.end < edit.start for edit in edits for other in taken):
            chosen.append(one)
            taken += edits
    return chosen


def _edits(diagnostic: Diagnostic) -> tuple[Replacement, ...]:
    return () if diagnostic.fix is None else diagnostic.fix.replacements


def _changed(engine: Engine, analyzed: Analyzed, edits: Sequence[Replacement]) -> Analyzed | None:
    text = apply_replacements(analyzed.analysis.document.text, sorted(edits, key=lambda edit: edit.start))
    after = engine.reanalyze(analyzed, text)
    return None if after.analysis.facts.parse_errors > analyzed.analysis.facts.parse_errors else after


def _next_repair(analyzed: Analyzed, tried: Collection[_Tried]) -> BarrierRepair | None:
    repairs = barrier_repairs(analyzed.analysis, analyzed.diagnostics)
    return next((one for one in repairs if _tried(analyzed, one) not in tried), None)


def _with_barriers(
    engine: Engine, analyzed: Analyzed, repair: BarrierRepair, *, unsafe: bool
) -> tuple[Analyzed, str] | str:
    """The text after the repair and the words for it, or why it is withheld."""
    if repair.refusal is not None:
        return repair.refusal
    try:
        from simt_lsp.cli.barriers import checked_barriers
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != "numpy":
            raise
        return NO_NUMPY
    found = checked_barriers(engine, analyzed, repair, unsafe=unsafe)
    if isinstance(found, str):
        return found
    after = _changed(engine, analyzed, found.edit)
    return "the text after it cannot be read" if after is None else (after, found.title)
