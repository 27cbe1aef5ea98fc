"""The command `simt.checkWorkspace`: analyse every CUDA file below the roots and publish what is found.

Rules    Open documents are left to the worker; their diagnostics are current anyway.
         Files are checked one by one in the background: every edit and every question goes first.
         Progress is shown under the client's token, or under one we create if the client can show it.
         It stops at `window/workDoneProgress/cancel` and at `$/cancelRequest`, and says so in its answer.
Answer   `{"files", "diagnostics", "cancelled", "seconds"}`
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types

from simt_lsp.server.analysed import from_disk
from simt_lsp.server.publishing import Report, report_of
from simt_lsp.server.uris import uri_of
from simt_lsp.server.worker import Superseded
from simt_lsp.workspace.file_index import DEVICE_SUFFIXES

if TYPE_CHECKING:
    from simt_lsp.server.roots import Roots
    from simt_lsp.server.server import SimtServer

CHECK_COMMAND: Final = "simt.checkWorkspace"
TITLE: Final = "simt-lsp: checking"


async def check_workspace_command(ls: SimtServer, params: types.ExecuteCommandParams) -> dict[str, Any]:
    started = time.monotonic()
    stopped = asyncio.Event()
    token = await _token(ls, params.work_done_token)
    if token is not None:
        ls.progress_cancellers[token] = stopped.set
    try:
        _begin(ls, token)
        files = await asyncio.to_thread(_files, ls.roots)
        checked, found = await _check(ls, files, stopped, token)
    finally:
        if token is not None:
            ls.progress_cancellers.pop(token, None)
            _notify(ls, token, types.WorkDoneProgressEnd())
    seconds = round(time.monotonic() - started, 3)
    return {"files": checked, "diagnostics": found, "cancelled": stopped.is_set(), "seconds": seconds}


async def _check(ls: SimtServer, files: list[str], stopped: asyncio.Event, token: str | int | None) -> tuple[int, int]:
    checked = found = 0
    for path in files:
        if stopped.is_set():
            break
        uri = ls.documents.uri_of(path)
        if uri is None:
            uri = uri_of(path)
            report = await _check_file(ls, path, uri, stopped)
            if report is None:
                continue
            if ls.documents.uri_of(path) is None:  # it may have been opened meanwhile
                ls.publisher.publish(uri, report, versioned=False)
            found += len(report.diagnostics)
        checked += 1
        _report(ls, token, path, checked, len(files))
    return checked, found


async def _check_file(ls: SimtServer, path: str, uri: str, stopped: asyncio.Event) -> Report | None:
    """The report on a file from disk; None when it cannot be read or the check was stopped."""

    def work(cancelled: Callable[[], bool]) -> Report | None:
        text = ls.job.cache.read(path)
        if text is None:
            return None
        analysed = ls.job(from_disk(uri, text), cancelled)
        ls.report_problems(analysed.problems)
        view = ls.view(analysed)
        return None if view is None else report_of(view)

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


async def _token(ls: SimtServer, given: str | int | None) -> str | int | None:
    if given is not None or not ls.client_features.progress:
        return given
    token = str(uuid.uuid4())
    await ls.window_work_done_progress_create_async(types.WorkDoneProgressCreateParams(token))
    return token


def _files(roots: Roots) -> list[str]:
    found = {path for root in roots.all for path in roots.files_of(root).files()}
    return sorted(path for path in found if path.lower().endswith(DEVICE_SUFFIXES))


def _begin(ls: SimtServer, token: str | int | None) -> None:
    if token is not None:
        _notify(ls, token, types.WorkDoneProgressBegin(title=TITLE, percentage=0, cancellable=True))


def _report(ls: SimtServer, token: str | int | None, path: str, checked: int, total: int) -> None:
    if token is not None:
        message = f"{checked}/{total} {path.rpartition('/')[2]}"
        _notify(ls, token, types.WorkDoneProgressReport(message=message, percentage=100 * checked // max(total, 1)))


def _notify(ls: SimtServer, token: str | int, value: Any) -> None:
    ls.protocol.notify(types.PROGRESS, types.ProgressParams(token=token, value=value))
