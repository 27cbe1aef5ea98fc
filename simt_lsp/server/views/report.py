"""All that is said about one version of a document: findings, problems, and faults of runs."""

from __future__ import annotations

from hashlib import blake2b
from typing import final

from lsprotocol import types

from analysis.ir.pace import paced
from analysis.ir.record import record
from simt_lsp.server.transport.written import Written
from simt_lsp.server.views.findings import lsp_diagnostics
from simt_lsp.server.views.run_diagnostics import simulation_diagnostics
from simt_lsp.server.views.view import View


@final
@record
class Report:
    """The diagnostics of one version of one document, ready to send."""

    version: int
    diagnostics: list[types.Diagnostic]
    id: str
    text: Written | None = None
    """The diagnostics as they are sent, where they may be many."""


def make_report(version: int, diagnostics: list[types.Diagnostic]) -> Report:
    return Report(version, diagnostics, fingerprint(diagnostics))


def report_of(view: View) -> Report:
    """The report on an analysed document; made on the worker's thread."""
    return make_report(view.analysed.item.version, [*lsp_diagnostics(view), *simulation_diagnostics(view)])


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
