"""The command `simt.checkWorkspace`: analyse every CUDA file below the roots and publish what is found.

Rules    A file that others include is judged by what these pass to its functions, as `simt-lsp check` does.
         Open documents are left to the worker; their diagnostics are current anyway.
         Files are checked one by one in the background: every edit and every question goes first.
         Progress is shown under the client's token, or under one we create if the client can show it.
         It stops at `window/workDoneProgress/cancel` and at `$/cancelRequest`, and says so in its answer.
Answer   `{"files", "diagnostics", "cancelled", "seconds"}`
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types

from analysis.syntax.includes import is_header
from simt_lsp.server.analyses.analysed import Analysed, from_disk
from simt_lsp.server.analyses.header_callers import ANY_INCLUDE, ClosedCallers
from simt_lsp.server.analyses.worker import Superseded
from simt_lsp.server.documents.uris import uri_of
from simt_lsp.server.session.progress import Progress, progress
from simt_lsp.server.views.report import Report, report_of
from simt_lsp.workspace.device_file import is_device_file
from simt_lsp.workspace.excluded import ExcludedFiles

if TYPE_CHECKING:
    from simt_lsp.server.documents.roots import Roots
    from simt_lsp.server.session.server import SimtServer
    from simt_lsp.workspace.settings.values import Source

CHECK_COMMAND: Final = "simt.checkWorkspace"
TITLE: Final = "simt-lsp: checking"


async def check_workspace_command(ls: SimtServer, params: types.ExecuteCommandParams) -> dict[str, Any]:
    started = time.monotonic()
    async with progress(ls, params.work_done_token, TITLE) as shown:
        files = await asyncio.to_thread(device_files, ls.roots, ls.sources_for)
        checked, found = await _check(ls, files, shown)
    seconds = round(time.monotonic() - started, 3)
    return {"files": checked, "diagnostics": found, "cancelled": shown.stopped.is_set(), "seconds": seconds}


async def _check(ls: SimtServer, files: list[str], shown: Progress) -> tuple[int, int]:
    checked = found = 0
    for path in files:
        if shown.stopped.is_set():
            break
        uri = ls.documents.uri_of(path)
        if uri is None:
            uri = uri_of(path)
            checked_file = await report_from_disk(ls, path, uri, shown.stopped)
            if checked_file is None:
                continue
            report, _ = checked_file
            is_opened = ls.documents.uri_of(path) is not None  # meanwhile
            if not is_opened and not ls.workspace_reports.are_pulled:
                ls.publisher.publish(uri, report, versioned=False)
            found += len(report.diagnostics)
        checked += 1
        message = f"{checked}/{len(files)} {path.rpartition('/')[2]}"
        shown.report(message, 100 * checked // max(len(files), 1))
    return checked, found


async def report_from_disk(
    ls: SimtServer, path: str, uri: str, stopped: asyncio.Event
) -> tuple[Report, Analysed] | None:
    """The report on a file from disk, behind everything else; None when it cannot be read or it was stopped."""

    def work(cancelled: Callable[[], bool]) -> tuple[Report, Analysed] | None:
        text = ls.job.cache.read(path)
        if text is None:
            return None
        callers = ls.project_files.callers.callers_of_closed(path, version, cancelled)
        known = None if callers is None else callers.known
        analysed = ls.job(from_disk(uri, text), cancelled, callers=known)
        ls.setting_diagnostics.show_soon(analysed.problems, analysed.setting_files)
        view = ls.views.of(analysed)
        report = None if view is None else report_of(view)
        if ls.documents.uri_of(path) is None:
            ls.job.forget(path)
        return None if report is None else (report, _rests_on(analysed, path, callers))

    version = ls.workspace_reports.version
    future = asyncio.wrap_future(ls.worker.run_in_background(work))
    waiter = asyncio.ensure_future(stopped.wait())
    try:
        await asyncio.wait({future, waiter}, return_when=asyncio.FIRST_COMPLETED)
        return await future if future.done() else None
    except Superseded:
        return None
    finally:
        waiter.cancel()
        future.cancel()


def _rests_on(analysed: Analysed, path: str, callers: ClosedCallers | None) -> Analysed:
    """Without the analysis, with all that a report rests on."""
    touched = analysed.touched if callers is None else analysed.touched | callers.touched
    asked = analysed.asked if callers is None else analysed.asked | callers.asked
    if callers is not None or is_header(path):
        asked |= {ANY_INCLUDE}
    return replace(analysed, analysis=None, touched=touched, asked=asked)


def device_files(roots: Roots, sources_for: Callable[[str], Sequence[Source]]) -> list[str]:
    """The files with device code below all roots, as `check` takes them; call it from a thread that may wait.

    `sources_for`: what the client sets, for a path.
    """
    excludes = ExcludedFiles(sources_for)
    found = {path for root in roots.all for path in roots.files_of(root).files()}
    return sorted(path for path in found if not excludes(path) and is_device_file(path))
