"""From facts to LSP: offsets become positions in the negotiated encoding, enums become numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, final

from lsprotocol import types

from analysis.facts.model import FileProblem, Location, ProblemKind
from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.syntax.line_index import LineIndex, PositionEncoding
from simt_lsp.run_check import RunCheck
from simt_lsp.server.analysed import Analysed, Checked
from simt_lsp.server.client import ClientFeatures
from simt_lsp.server.simulation.checked_barriers import BarrierPlace
from simt_lsp.server.simulation.checked_melds import CheckedMeld
from simt_lsp.server.simulation.edit_outcome import CheckedEdit
from simt_lsp.server.simulation.identity import function_lines
from simt_lsp.server.simulation.results import Placed, Running
from simt_lsp.server.simulation.run_checks import FindingIdentity

if TYPE_CHECKING:
    from analysis.facts.analyzer import FileAnalysis
    from analysis.facts.model import BranchFact, FunctionFacts
    from analysis.launches import Launch
    from analysis.rules.diagnostic import Diagnostic
    from analysis.rules.unused_suppressions import SuppressionFinding
    from sim.report.json_report import KernelObject

SOURCE: Final = "simt-lsp"
SEVERITIES: Final = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}
TAGS: Final = {
    "SYN107": types.DiagnosticTag.Unnecessary,
    "WRP208": types.DiagnosticTag.Deprecated,
}
UNUSED_SUPPRESSION: Final = "unused-suppression"
PROBLEM_SEVERITIES: Final = {
    ProblemKind.MISSING_INCLUDE: types.DiagnosticSeverity.Hint,
    ProblemKind.PREPROCESSOR: types.DiagnosticSeverity.Information,
    ProblemKind.TOO_LARGE: types.DiagnosticSeverity.Information,
    ProblemKind.SYNTAX_ERROR: types.DiagnosticSeverity.Warning,
    ProblemKind.INTERNAL: types.DiagnosticSeverity.Information,
    ProblemKind.ANNOTATION: types.DiagnosticSeverity.Warning,
}


@final
@record
class View:
    """One analysed document as one client counts positions; belongs to the worker's thread."""

    analysed: Analysed
    analysis: FileAnalysis
    encoding: PositionEncoding
    features: ClientFeatures
    read: Callable[[str], bytes | None]
    uri_of: Callable[[str], str]
    open_texts: Callable[[], Mapping[str, bytes]]
    placed: Callable[[], tuple[Placed, ...]]
    running: Callable[[], tuple[Running, ...]]
    launches: Callable[[], Mapping[str, Sequence[Launch]]]
    """Those of the document, and those in the file around a header, by the names of kernels."""
    definers: Callable[[str], tuple[str, ...]]
    """The files of the project that may define a function which the document only declares, by its name."""
    simulated_launch: Callable[[Launch], KernelObject | None]
    """What the simulation of a launch in the document counted, if that holds; its kernel may stand in another file."""
    checked_meld: Callable[[FunctionFacts, BranchFact], CheckedMeld | None]
    checked_barriers: Callable[[BarrierPlace], CheckedEdit | None]
    confirmed_functions: Callable[[], frozenset[int]]
    """Where functions begin of which a repair of barriers was checked, in this very text, and confirmed."""
    known_run_checks: Callable[[], Mapping[FindingIdentity, RunCheck]]
    run_state: Callable[[FunctionFacts], bytes]
    """A digest of what decides runs of a function besides its own text, and that of what it uses."""
    recheck: Callable[[bytes], Checked]
    """What the analysis and the rules say of another text of the document."""
    _other_lines: dict[str, LineIndex | None] = field(default_factory=dict[str, "LineIndex | None"])

    @property
    def checked(self) -> Checked:
        return Checked(self.analysis, self.analysed.diagnostics)

    def offset(self, position: types.Position) -> int:
        """The byte offset of a client's position."""
        lines = self.analysed.item.document.lines
        return lines.offset(position.line, position.character, self.encoding)

    def position(self, offset: int) -> types.Position:
        return client_position(self.analysed.item.document.lines, offset, self.encoding)

    def range(self, start: int, end: int) -> types.Range:
        return types.Range(self.position(start), self.position(max(start, end)))

    def location(self, location: Location) -> types.Location | None:
        """A place in this or another file; None when that file cannot be read any more."""
        item = self.analysed.item
        if location.path == item.analysis_path:
            return types.Location(item.uri, self.range(location.start, location.end))
        lines = self._lines_of(location.path)
        if lines is None:
            return None
        start = client_position(lines, location.start, self.encoding)
        end = client_position(lines, max(location.start, location.end), self.encoding)
        return types.Location(self.uri_of(location.path), types.Range(start, end))

    def finding_identities(self) -> Iterator[tuple[Diagnostic, FindingIdentity]]:
        """Of the findings that a run may decide."""
        from analysis.rules.undecided import may_be_run

        keys = dict(zip(self.analysis.facts.functions, function_lines(self.analysis), strict=True))
        for one in paced(self.analysed.diagnostics, 5):
            if not may_be_run(one):
                continue
            function = self.analysis.facts.function_at(one.start)
            if function is not None:
                state = self.run_state(function)
                start, end = one.start - function.start, one.end - function.start
                yield one, FindingIdentity(keys[function], state, one.code, start, end)

    def run_checks(self) -> Mapping[Diagnostic, RunCheck]:
        """What runs said of findings of this version."""
        known = self.known_run_checks()
        return {one: known[key] for one, key in self.finding_identities() if key in known} if known else {}

    def diagnostics(self) -> list[types.Diagnostic]:
        """What the analysis says about the document, problems of the file last."""
        from analysis.rules.check import suppression_problems

        checks = self.run_checks()
        problems = (*self.analysis.facts.problems, *suppression_problems(self.analysis))
        return [
            *(self.diagnostic(one, checks.get(one)) for one in paced(self.analysed.diagnostics, 20)),
            *(self._problem(problem) for problem in paced(problems, 10)),
            *(self.suppression(found) for found in self.unused_suppressions()),
        ]

    def unused_suppressions(self) -> tuple[SuppressionFinding, ...]:
        """Names in `NOLINT` comments that say nothing."""
        from analysis.rules.unused_suppressions import unused_suppressions

        return unused_suppressions(self.analysis, self.analysed.configuration.rules)

    def suppression(self, found: SuppressionFinding) -> types.Diagnostic:
        """Faded, where the client can do that: it may as well not be there."""
        return types.Diagnostic(
            range=self.range(found.start, found.end),
            message=printable(found.message),
            severity=types.DiagnosticSeverity.Hint if found.is_known else types.DiagnosticSeverity.Warning,
            code=UNUSED_SUPPRESSION,
            source=SOURCE,
            tags=[types.DiagnosticTag.Unnecessary] if self.features.diagnostic_tags else None,
        )

    def diagnostic(self, diagnostic: Diagnostic, run: RunCheck | None = None) -> types.Diagnostic:
        """`run` is what runs said of it: a confirmation stands in its message."""
        from analysis.rules.documentation import page_address

        shown = f" ({run.message})" if run is not None and run.is_confirmed else ""
        if diagnostic.more is not None and diagnostic.cost is not None:
            shown += f" {diagnostic.more.message(diagnostic.cost.kernel)} (`findingsPerKernel`)."
        tag = TAGS.get(diagnostic.code)
        return types.Diagnostic(
            range=self.range(diagnostic.start, diagnostic.end),
            message=printable(diagnostic.message + shown),
            severity=SEVERITIES[diagnostic.severity.value],
            code=diagnostic.code,
            code_description=types.CodeDescription(href=page_address(diagnostic.code)),
            source=SOURCE,
            tags=[tag] if tag is not None and self.features.diagnostic_tags else None,
            related_information=list(self._related(diagnostic)) if self.features.related_information else None,
            data={
                "name": diagnostic.name,
                "tier": diagnostic.tier.value if diagnostic.tier is not None else None,
                "function": printable(diagnostic.function),
                "run": None if run is None else run.written(),
            },
        )

    def _related(self, diagnostic: Diagnostic) -> Iterator[types.DiagnosticRelatedInformation]:
        for related in diagnostic.related:
            location = self.location(related.location)
            if location is not None:
                yield types.DiagnosticRelatedInformation(location, printable(related.message))

    def _problem(self, problem: FileProblem) -> types.Diagnostic:
        return types.Diagnostic(
            range=self.range(problem.start, problem.end),
            message=printable(problem.message),
            severity=PROBLEM_SEVERITIES[problem.kind],
            code=problem.kind.value,
            source=SOURCE,
        )

    def _lines_of(self, path: str) -> LineIndex | None:
        if path not in self._other_lines:
            text = self.read(path)
            self._other_lines[path] = None if text is None else LineIndex(text)
        return self._other_lines[path]


def printable(text: str) -> str:
    """`text` without lone surrogates, which stand for bytes that are not UTF-8 and which many clients refuse."""
    return text.encode("utf-8", "replace").decode("utf-8")


def fingerprint(diagnostics: list[types.Diagnostic]) -> str:
    """Equal for lists that look equal to the user."""
    digest = blake2b(digest_size=12)
    for item in paced(diagnostics, 5):
        start, end = item.range.start, item.range.end
        places = (start.line, start.character, end.line, end.character)
        digest.update(repr((places, item.code, item.severity, item.message)).encode())
        for related in item.related_information or ():
            place = related.location.range.start
            digest.update(repr((related.location.uri, place.line, place.character, related.message)).encode())
    return digest.hexdigest()


def client_position(lines: LineIndex, offset: int, encoding: PositionEncoding) -> types.Position:
    line, character = lines.position(offset, encoding)
    return types.Position(line, character)
