"""Which diagnostics a client has: pushed ones, and the ids of those it pulls.

Rules    A client that can pull gets nothing pushed for open documents, or it would show everything twice.
         A new version is always published, an old one again only when something changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import final

from lsprotocol import types

from simt_lsp.server.transport.written import Written
from simt_lsp.server.views.report import Report

Send = Callable[[types.PublishDiagnosticsParams | Written], None]


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
