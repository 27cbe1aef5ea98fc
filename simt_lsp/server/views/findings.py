"""Findings and problems of a document as LSP diagnostics, and what runs said of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from analysis.facts.model import FileProblem, ProblemKind
from analysis.ir.pace import paced
from simt_lsp.run_check import RunCheck
from simt_lsp.server.simulations.identity import function_lines
from simt_lsp.server.simulations.run_checks import FindingIdentity
from simt_lsp.server.views.view import View, printable

if TYPE_CHECKING:
    from analysis.rules.diagnostic import Diagnostic
    from analysis.rules.unused_suppressions import SuppressionFinding

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


def lsp_diagnostics(view: View) -> list[types.Diagnostic]:
    """What the analysis says about the document, problems of the file last."""
    from analysis.rules.check import suppression_problems

    checks = run_checks(view)
    problems = (*view.analysis.facts.problems, *suppression_problems(view.analysis))
    return [
        *(lsp_diagnostic(view, one, checks.get(one)) for one in paced(view.analysed.diagnostics, 20)),
        *(_problem(view, problem) for problem in paced(problems, 10)),
        *(suppression(view, found) for found in unused_suppressions(view)),
    ]


def lsp_diagnostic(view: View, diagnostic: Diagnostic, run: RunCheck | None = None) -> types.Diagnostic:
    """`run` is what runs said of it: a confirmation stands in its message."""
    from analysis.rules.documentation import page_address

    shown = f" ({run.message})" if run is not None and run.is_confirmed else ""
    if diagnostic.more is not None and diagnostic.cost is not None:
        shown += f" {diagnostic.more.message(diagnostic.cost.kernel)} (`findingsPerKernel`)."
    tag = TAGS.get(diagnostic.code)
    return types.Diagnostic(
        range=view.range(diagnostic.start, diagnostic.end),
        message=printable(diagnostic.message + shown),
        severity=SEVERITIES[diagnostic.severity.value],
        code=diagnostic.code,
        code_description=types.CodeDescription(href=page_address(diagnostic.code)),
        source=SOURCE,
        tags=[tag] if tag is not None and view.features.diagnostic_tags else None,
        related_information=list(_related(view, diagnostic)) if view.features.related_information else None,
        data={
            "name": diagnostic.name,
            "tier": diagnostic.tier.value if diagnostic.tier is not None else None,
            "function": printable(diagnostic.function),
            "run": None if run is None else run.written(),
        },
    )


def suppression(view: View, found: SuppressionFinding) -> types.Diagnostic:
    """Faded, where the client can do that: it may as well not be there."""
    return types.Diagnostic(
        range=view.range(found.start, found.end),
        message=printable(found.message),
        severity=types.DiagnosticSeverity.Hint if found.is_known else types.DiagnosticSeverity.Warning,
        code=UNUSED_SUPPRESSION,
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if view.features.diagnostic_tags else None,
    )


def unused_suppressions(view: View) -> tuple[SuppressionFinding, ...]:
    """Names in `NOLINT` comments that say nothing."""
    from analysis.rules.unused_suppressions import unused_suppressions

    return unused_suppressions(view.analysis, view.analysed.configuration.rules)


def run_checks(view: View) -> Mapping[Diagnostic, RunCheck]:
    """What runs said of findings of this version."""
    known = view.known.run_checks()
    return {one: known[key] for one, key in finding_identities(view) if key in known} if known else {}


def finding_identities(view: View) -> Iterator[tuple[Diagnostic, FindingIdentity]]:
    """Of the findings that a run may decide."""
    from analysis.rules.undecided import may_be_run

    keys = dict(zip(view.analysis.facts.functions, function_lines(view.analysis), strict=True))
    for one in paced(view.analysed.diagnostics, 5):
        if not may_be_run(one):
            continue
        function = view.analysis.facts.function_at(one.start)
        if function is not None:
            state = view.known.run_state(function)
            start, end = one.start - function.start, one.end - function.start
            yield one, FindingIdentity(keys[function], state, one.code, start, end)


def _related(view: View, diagnostic: Diagnostic) -> Iterator[types.DiagnosticRelatedInformation]:
    for related in diagnostic.related:
        location = view.location(related.location)
        if location is not None:
            yield types.DiagnosticRelatedInformation(location, printable(related.message))


def _problem(view: View, problem: FileProblem) -> types.Diagnostic:
    return types.Diagnostic(
        range=view.range(problem.start, problem.end),
        message=printable(problem.message),
        severity=PROBLEM_SEVERITIES[problem.kind],
        code=problem.kind.value,
        source=SOURCE,
    )
