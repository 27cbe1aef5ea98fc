"""`textDocument/diagnostic`: the diagnostics of the document as it is now, or "unchanged"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from simt_lsp.server.session.errors import CONTENT_MODIFIED, SERVER_CANCELLED
from simt_lsp.server.transport.written import Written
from simt_lsp.server.views.report import Report, make_report, report_of
from simt_lsp.server.views.view import View

if TYPE_CHECKING:
    from simt_lsp.server.session.server import SimtServer


FullReport = types.RelatedFullDocumentDiagnosticReport
AnyReport = FullReport | types.RelatedUnchangedDocumentDiagnosticReport


async def on_diagnostic(ls: SimtServer, params: types.DocumentDiagnosticParams) -> Written | AnyReport:
    def answer(view: View) -> AnyReport:
        return _since(report_of(view), params.previous_result_id)

    uri = params.text_document.uri
    try:
        await ls.settled(uri)
        return await ls.ask_written(uri, answer) or _since(make_report(0, []), params.previous_result_id)
    except JsonRpcException as error:
        if error.code != CONTENT_MODIFIED:
            raise
        # The code that makes a client pull again; it keeps what it shows until then.
        data = {"retriggerRequest": True}
        raise JsonRpcException("content modified", code=SERVER_CANCELLED, data=data) from error


def _since(report: Report, previous: str | None) -> AnyReport:
    if previous == report.id:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=report.id)
    return FullReport(items=report.diagnostics, result_id=report.id)
