"""What is wrong with settings, told where it stands: in the file that holds it, open or not.

Rules    A problem of a file is a diagnostic of that file, taken back when it is mended or the file is gone.
         What the client itself set stands in no file that we know: it is said once, in a message.
         What was sent for a settings file is remembered apart from what was sent for documents, so that a client that
         opens the file takes nothing back.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Protocol, final

from lsprotocol import types

from analysis.syntax.line_index import LineIndex, PositionEncoding
from simt_lsp.server.analyses.analysed import AnalysisJob
from simt_lsp.server.documents.store import DocumentStore
from simt_lsp.server.documents.uris import uri_of
from simt_lsp.server.session.client_settings import ClientSettings
from simt_lsp.server.session.publishing import Publisher
from simt_lsp.server.views.findings import SOURCE
from simt_lsp.server.views.report import make_report
from simt_lsp.server.views.view import client_position, printable
from simt_lsp.workspace.settings.configuration import SettingProblem
from simt_lsp.workspace.settings.sources import FILE_NAME, settings_file_problems


class Host(Protocol):
    """What of the server is needed here."""

    client_settings: ClientSettings
    documents: DocumentStore
    job: AnalysisJob
    encoding: PositionEncoding

    def show_message(self, text: str, kind: types.MessageType) -> None: ...

    def hand_over(self, action: Callable[[], None]) -> None:
        """Have it done on the event loop."""


@final
class SettingDiagnostics:
    """The settings files that were looked at; lives on the event loop."""

    def __init__(self, server: Host, publisher: Publisher) -> None:
        self._server = server
        self._publisher = publisher
        self._files: set[str] = set()

    def show(self, problems: Iterable[SettingProblem], files: Iterable[str]) -> None:
        """An analysis read these `files`, and found these problems in all that is set."""
        found = tuple(problems)
        server = self._server
        for problem in server.client_settings.unseen(one for one in found if one.location is None):
            server.show_message(printable(str(problem)), types.MessageType.Warning)
        for path in files:
            self._publish(path, [one for one in found if one.location is not None and one.source == path])
        for path in [path for path in self._files if not os.path.isfile(path)]:
            self._files.discard(path)
            self._publisher.clear(self._uri(path))

    def show_soon(self, problems: Iterable[SettingProblem], files: Iterable[str]) -> None:
        """`show` from the worker's thread."""
        self._server.hand_over(lambda: self.show(problems, files))

    def look_again(self, paths: Iterable[str]) -> None:
        """These files changed on disk, whether or not an open document needs them."""
        for path in paths:
            if os.path.basename(path) == FILE_NAME and os.path.isfile(path):
                self._publish(path, settings_file_problems(path))
        self.show((), ())

    def _publish(self, path: str, problems: Iterable[SettingProblem]) -> None:
        text = self._server.job.cache.read(path)
        if text is None:
            return
        lines, encoding = LineIndex(text), self._server.encoding
        diagnostics = [
            types.Diagnostic(
                range=types.Range(
                    client_position(lines, problem.location.start, encoding),
                    client_position(lines, problem.location.end, encoding),
                ),
                message=printable(problem.message),
                severity=types.DiagnosticSeverity.Warning,
                code="settings",
                source=SOURCE,
            )
            for problem in problems
            if problem.location is not None
        ]
        uri = self._uri(path)
        self._files.add(path)
        if diagnostics or self._publisher.knows(uri):
            self._publisher.publish(uri, make_report(0, diagnostics), versioned=False)

    def _uri(self, path: str) -> str:
        return self._server.documents.uri_of(path) or uri_of(path)
