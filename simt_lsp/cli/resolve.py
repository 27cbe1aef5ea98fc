"""From byte offsets to lines and columns: what the analysis says, as a report for people and other tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import final

from analysis.facts.model import Location
from analysis.features.barrier_repairs import repaired_by_run
from analysis.features.summary import one_per_place
from analysis.ir.record import record
from analysis.rules.check import suppression_problems
from analysis.rules.diagnostic import Diagnostic
from analysis.rules.kernel_findings import in_report_order
from analysis.rules.unused_suppressions import unused_suppressions
from analysis.syntax.line_index import LineIndex, PositionEncoding
from simt_lsp.cli.copies import digest_of
from simt_lsp.cli.engine import Analyzed
from simt_lsp.cli.paths import displayed
from simt_lsp.cli.report import (
    NEEDS_RUN,
    OPAQUE,
    UNUSED_SUPPRESSION,
    Edit,
    FileRange,
    FileReport,
    Finding,
    Note,
    OfferedFix,
    RelatedRange,
)
from simt_lsp.cli.setting_complaints import setting_notes
from simt_lsp.gates.site import neighbourhood
from simt_lsp.run_check import RunCheck


@final
@record
class Tested:
    """A finding that the analysis could not decide, and what runs say of it."""

    diagnostic: Diagnostic
    run: RunCheck


def file_report(analyzed: Analyzed, tested: Sequence[Tested] = ()) -> FileReport:
    """Everything a report format needs to know about one file; of what was `tested`, confirmed findings are shown."""
    places = Places(analyzed)
    facts = analyzed.analysis.facts
    by_run = repaired_by_run(analyzed.analysis, analyzed.diagnostics)
    problems = (*facts.problems, *suppression_problems(analyzed.analysis))
    notes = [Note(p.kind.value, p.message, places.own(p.start, p.end)) for p in problems]
    notes += [
        Note(UNUSED_SUPPRESSION, found.message, places.own(found.start, found.end))
        for found in unused_suppressions(analyzed.analysis, analyzed.setup.configuration.rules)
    ]
    notes += setting_notes(analyzed.setup.problems)
    for function in (function for function in facts.functions if function.active):
        for fact in one_per_place(function.opaque):
            place = places.own(function.start + fact.span.start, function.start + fact.span.end)
            notes.append(Note(OPAQUE, f"not understood, so treated as varying: {fact.construct}", place))
    runs = {_key(one.diagnostic): one.run for one in tested}
    confirmed = [one.diagnostic for one in tested if one.run.is_confirmed]
    shown = {_key(diagnostic): diagnostic for diagnostic in (*confirmed, *analyzed.diagnostics)}
    return FileReport(
        path=analyzed.path,
        lines=len(analyzed.analysis.document.text.splitlines()),
        kernels=sum(1 for _ in facts.kernels()),
        functions=len(facts.functions),
        findings=tuple(
            replace(
                _finding(diagnostic, places, by_run, runs.get(_key(diagnostic))),
                digest=digest_of(analyzed.analysis, diagnostic),
                around=places.around(diagnostic.start),
            )
            for diagnostic in in_report_order(shown.values())
        ),
        unconfirmed=tuple(
            _finding(one.diagnostic, places, by_run, one.run) for one in tested if _key(one.diagnostic) not in shown
        ),
        notes=tuple(notes),
    )


@final
class Places:
    """Resolves locations in the analysed file and in the headers that it was analysed with."""

    def __init__(self, analyzed: Analyzed) -> None:
        self._own = analyzed.analysis.facts.path
        self._given = analyzed.path
        self._loader = analyzed.loader
        self._own_lines = analyzed.analysis.document.lines
        self._lines: dict[str, LineIndex | None] = {self._own: self._own_lines}

    def own(self, start: int, end: int) -> FileRange:
        """A stretch of the analysed file."""
        return self.at(Location(self._own, start, end))

    def around(self, offset: int) -> str:
        """What stands around the line of an offset in the analysed file, as one value."""
        lines = self._own_lines
        line, _ = lines.position(offset, PositionEncoding.UTF32)
        return neighbourhood(lambda one: lines.line_text(one).decode("utf-8", "replace"), line, lines.line_count)

    def at(self, location: Location) -> FileRange:
        """A stretch of any file; line 1 without source text when the file cannot be read again."""
        shown = self._given if location.path == self._own else displayed(location.path)
        lines = self._lines_of(location.path)
        if lines is None:
            return FileRange(shown, 1, 1, 1, 1, None)
        line, column = lines.position(location.start, PositionEncoding.UTF32)
        end_line, end_column = lines.position(max(location.start, location.end), PositionEncoding.UTF32)
        source = lines.line_text(line).decode("utf-8", "replace")
        return FileRange(shown, line + 1, column + 1, end_line + 1, end_column + 1, source)

    def _lines_of(self, path: str) -> LineIndex | None:
        if path not in self._lines:
            text = self._loader.read(path)
            self._lines[path] = None if text is None else LineIndex(text)
        return self._lines[path]


def _key(diagnostic: Diagnostic) -> tuple[int, int, str]:
    return diagnostic.start, diagnostic.end, diagnostic.code


def _finding(diagnostic: Diagnostic, places: Places, by_run: Mapping[Diagnostic, str], run: RunCheck | None) -> Finding:
    return Finding(
        code=diagnostic.code,
        name=diagnostic.name,
        severity=diagnostic.severity.value,
        tier=None if diagnostic.tier is None else diagnostic.tier.value,
        message=diagnostic.message,
        function=diagnostic.function,
        place=places.own(diagnostic.start, diagnostic.end),
        related=tuple(RelatedRange(places.at(item.location), item.message) for item in diagnostic.related),
        fix=_fix(diagnostic, places, by_run),
        consequence=None if diagnostic.consequence is None else diagnostic.consequence.value,
        cost=diagnostic.cost,
        more=diagnostic.more,
        run=run,
    )


def _fix(diagnostic: Diagnostic, places: Places, by_run: Mapping[Diagnostic, str]) -> OfferedFix | None:
    if diagnostic.fix is not None:
        edits = tuple(Edit(places.own(edit.start, edit.end), edit.text) for edit in diagnostic.fix.replacements)
        return OfferedFix(diagnostic.fix.title, diagnostic.fix.applicability.value, edits)
    return OfferedFix(by_run[diagnostic], NEEDS_RUN, ()) if diagnostic in by_run else None
