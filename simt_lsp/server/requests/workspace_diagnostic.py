"""`workspace/diagnostic`: what is found in all CUDA files of the workspace, for a client that asks for it.

Rules    Files come in the order of their paths, each with the id of its report; one that the client has already is
         "unchanged".  A file that is gone, and of which the client has a report, gets an empty one.
         An open document is reported with its version, as it is now; one that is edited meanwhile is left out, since
         its diagnostics are asked for anyway.
         Files that nobody has opened are analysed one by one behind everything that is typed or asked, once the index
         of their project is there.  What a report rests on is remembered: the next one looks at what has changed alone.
         With a token for partial results each report is sent as soon as it is known, and the answer has none.
         `$/cancelRequest` and `window/workDoneProgress/cancel` end it; what was sent holds.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from simt_lsp.server.analyses.worker import Superseded
from simt_lsp.server.documents.uris import path_of, uri_of
from simt_lsp.server.requests.check_workspace import device_files, report_from_disk
from simt_lsp.server.session.errors import CONTENT_MODIFIED
from simt_lsp.server.session.progress import Progress
from simt_lsp.server.transport.written import Written
from simt_lsp.server.views.report import Report, make_report, report_of

if TYPE_CHECKING:
    from simt_lsp.server.session.server import SimtServer

TITLE: Final = "simt-lsp: workspace diagnostics"
BATCH: Final = 64
"""So many reports are sent together where none of them was waited for."""
LOOK: Final = 0.05
"""Seconds between two looks at whether the index is there."""

Item = types.WorkspaceFullDocumentDiagnosticReport | types.WorkspaceUnchangedDocumentDiagnosticReport


async def on_workspace_diagnostic(ls: SimtServer, params: types.WorkspaceDiagnosticParams) -> Written:
    ls.workspace_reports.are_pulled = True
    shown = Progress(ls, params.work_done_token)
    if shown.token is not None:
        ls.progress_cancellers[shown.token] = shown.stopped.set
    try:
        shown.begin(TITLE)
        reports = await _reports(ls, params, shown)
        return await asyncio.wrap_future(ls.worker.run_in_background(lambda _: ls.protocol.written(reports)))
    finally:
        if shown.token is not None:
            ls.progress_cancellers.pop(shown.token, None)
        shown.end()


async def _reports(
    ls: SimtServer, params: types.WorkspaceDiagnosticParams, shown: Progress
) -> types.WorkspaceDiagnosticReport:
    await _indexed(ls, shown.stopped)
    paths = await asyncio.to_thread(device_files, ls.roots, ls.sources_for)
    previous = {one.uri: one.value for one in params.previous_result_ids}
    sending = _Sending(ls, params.partial_result_token)
    told: set[str] = set()
    for number, path in enumerate(paths):
        if shown.stopped.is_set():
            break
        uri = ls.other_files.uri_of(path)
        told.add(uri)
        item, is_new = await _report(ls, path, uri, previous.get(uri), shown.stopped)
        if item is not None:
            sending.add(item, now=is_new)
        shown.report(f"{number + 1}/{len(paths)} {path.rpartition('/')[2]}", 100 * (number + 1) // len(paths))
    if not shown.stopped.is_set():
        for uri in sorted(previous.keys() - told):
            if uri not in ls.documents.current and path_of(uri) not in paths:
                sending.add(types.WorkspaceFullDocumentDiagnosticReport(uri, []), now=False)
    return types.WorkspaceDiagnosticReport(sending.rest())


async def _report(
    ls: SimtServer, path: str, uri: str, previous: str | None, stopped: asyncio.Event
) -> tuple[Item | None, bool]:
    """The report on one file, and whether it had to be analysed; None where there is nothing to say now."""
    open_uri = ls.documents.uri_of(path)
    if open_uri is not None:
        return await _report_on_open(ls, open_uri, previous), False
    known = ls.workspace_reports.known(path)
    if known is not None and known == previous:
        return types.WorkspaceUnchangedDocumentDiagnosticReport(uri, known), False
    version = ls.workspace_reports.version
    found = await report_from_disk(ls, path, uri_of(path), stopped)
    if ls.documents.uri_of(path) is not None:  # opened meanwhile
        return None, False
    if found is None:
        is_gone = previous is not None and not os.path.isfile(path)  # and the folder was not walked again
        return types.WorkspaceFullDocumentDiagnosticReport(uri, []) if is_gone else None, False
    report, analysed = found
    ls.workspace_reports.keep(path, report.id, analysed, version)
    ls.publisher.clear(uri)  # what a check of the workspace pushed
    return _item(uri, None, report, previous), True


async def _report_on_open(ls: SimtServer, uri: str, previous: str | None) -> Item | None:
    item = ls.documents.current[uri]
    try:
        report = await ls.ask(uri, report_of) or make_report(item.version, [])
    except JsonRpcException as error:
        if error.code != CONTENT_MODIFIED:
            raise
        return None
    return _item(uri, item.version, report, previous)


def _item(uri: str, version: int | None, report: Report, previous: str | None) -> Item:
    if report.id == previous:
        return types.WorkspaceUnchangedDocumentDiagnosticReport(uri, report.id, version)
    return types.WorkspaceFullDocumentDiagnosticReport(uri, report.diagnostics, version, result_id=report.id)


async def _indexed(ls: SimtServer, stopped: asyncio.Event) -> None:
    """Returns when the files of all roots were looked at, and those that changed again: what is missing only until then
    would come and go."""
    for root in ls.roots.all:
        ls.roots.want(root)
    while not stopped.is_set() and not all(root.is_settled for root in ls.roots.all):
        await asyncio.sleep(LOOK)
    with suppress(Superseded):
        await asyncio.wrap_future(ls.worker.run_in_background(lambda _: None))  # behind looks that were begun


class _Sending:
    """Gathers reports, or sends them under the client's token."""

    def __init__(self, ls: SimtServer, token: str | int | None) -> None:
        self._notify: Callable[[Sequence[Item]], None] | None = None
        self._items: list[Item] = []
        if token is not None:
            self._notify = lambda items: ls.protocol.notify(
                types.PROGRESS, types.ProgressParams(token, types.WorkspaceDiagnosticReportPartialResult(items))
            )

    def add(self, item: Item, *, now: bool) -> None:
        self._items.append(item)
        if self._notify is not None and (now or len(self._items) >= BATCH):
            self._notify(self.taken())

    def rest(self) -> Sequence[Item]:
        """What belongs into the answer."""
        if self._notify is not None and self._items:
            self._notify(self.taken())
        return self.taken()

    def taken(self) -> Sequence[Item]:
        items, self._items = self._items, []
        return items
