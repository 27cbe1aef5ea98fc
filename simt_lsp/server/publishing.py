"""Which diagnostics a client has: pushed ones, and the ids of those it pulls.

Rules    A client that can pull gets nothing pushed for open documents, or it would show everything twice.
         A new version is always published, an old one again only when something changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import final

from lsprotocol import types

from analysis.ir.record import record
from simt_lsp.server.convert import View, fingerprint
from simt_lsp.server.simulation.diagnostics import simulation_diagnostics
from simt_lsp.server.written import Written

Send = Callable[[types.PublishDiagnosticsParams | Written], None]


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
    return make_report(view.analysed.item.version, [*view.diagnostics(), *simulation_diagnostics(view)])


@final
class Publisher:
    """Remembers what was sent; lives on the event loop."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._sent: dict[str, Report] = {}

    def publish(self, uri: str, report: Report, *, versioned: bool) -> None:
        """Send `report` unless the client has exactly this."""
        known = self._sent.get(uri)
        if known is not None and (known.version, known.id) == (report.version, report.id):
            return
        self._sent[uri] = report
        version = report.version if versioned else None
        if report.text is None:
            self._send(types.PublishDiagnosticsParams(uri=uri, diagnostics=report.diagnostics, version=version))
        else:
            self._send(
                Written(f'{{"uri":{json.dumps(uri)},"version":{json.dumps(version)},"diagnostics":{report.text.text}}}')
            )

    def knows(self, uri: str) -> bool:
        """Whether anything was sent for `uri`."""
        return uri in self._sent

    def clear(self, uri: str) -> None:
        """Take back what was sent for `uri`."""
        known = self._sent.pop(uri, None)
        if known is not None and known.diagnostics:
            self._send(types.PublishDiagnosticsParams(uri=uri, diagnostics=[]))
