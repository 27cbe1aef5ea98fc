"""Tells the client how far the index of a root is, where that takes long."""

from __future__ import annotations

import asyncio
from typing import Final

from simt_lsp.server.documents.roots import Indexing, WorkspaceFolder
from simt_lsp.server.session.progress import progress
from simt_lsp.server.session.server import SimtServer

TITLE: Final = "simt-lsp: looking at the project"
PATIENCE: Final = 1.0
"""Seconds before progress is shown: a second start is over by then."""
REPORT_DELAY: Final = 0.3


def show_indexing(ls: SimtServer, root: WorkspaceFolder, indexing: Indexing) -> None:
    """Until the index is there; who cancels it has each file looked at alone."""
    ls.hold_task(asyncio.ensure_future(_show(ls, root, indexing)), "progress of the index")


async def _show(ls: SimtServer, root: WorkspaceFolder, indexing: Indexing) -> None:
    await asyncio.sleep(PATIENCE)
    if indexing.has_ended:
        return
    async with progress(ls, None, TITLE) as shown:
        while not indexing.has_ended:
            if shown.stopped.is_set():
                indexing.is_cancelled = True
            share = 100 * indexing.done // max(indexing.all, 1)
            shown.report(f"{indexing.done} of {indexing.all} files in {root.path}", share)
            await asyncio.sleep(REPORT_DELAY)
