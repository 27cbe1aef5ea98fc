"""`textDocument/diagnostic`: the diagnostics of the document as it is now, or "unchanged"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from simt_lsp.server.errors import CONTENT_MODIFIED, SERVER_CANCELLED
from simt_lsp.server.publishing import make_report, report_of

if TYPE_CHECKING:
    from simt_lsp.server.server import SimtServer


async def on_diagnostic(
    ls: SimtServer, params: types.DocumentDiagnosticParams
) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
    try:
        await ls.settled(params.text_document.uri)
        report = await ls.ask(params.text_document.uri, report_of) or make_report(0, [])
    except JsonRpcException as error:
        if error.code != CONTENT_MODIFIED:
            raise
        # The code that makes a client pull again; it keeps what it shows until then.
        data = {"retriggerRequest": True}
        raise JsonRpcException("content modified", code=SERVER_CANCELLED, data=data) from error
    if params.previous_result_id == report.id:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=report.id)
    return types.RelatedFullDocumentDiagnosticReport(items=report.diagnostics, result_id=report.id)
