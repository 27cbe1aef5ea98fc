"""Progress of one command: under the client's token, or under one we create if the client can show it.

`stopped` is set by `window/workDoneProgress/cancel`; `$/cancelRequest` cancels the task of the command itself.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import field
from typing import TYPE_CHECKING, final

from lsprotocol import types

from analysis.ir.record import record

if TYPE_CHECKING:
    from simt_lsp.server.session.server import SimtServer


@final
@record
class Progress:
    """What a command tells while it works; silent without a token."""

    server: SimtServer
    token: str | int | None
    stopped: asyncio.Event = field(default_factory=asyncio.Event)

    def report(self, message: str, percentage: int) -> None:
        self._notify(types.WorkDoneProgressReport(message=message, percentage=percentage))

    def begin(self, title: str) -> None:
        self._notify(types.WorkDoneProgressBegin(title=title, percentage=0, cancellable=True))

    def end(self) -> None:
        self._notify(types.WorkDoneProgressEnd())

    def _notify(
        self, value: types.WorkDoneProgressBegin | types.WorkDoneProgressReport | types.WorkDoneProgressEnd
    ) -> None:
        if self.token is not None:
            self.server.protocol.notify(types.PROGRESS, types.ProgressParams(token=self.token, value=value))


@asynccontextmanager
async def progress(ls: SimtServer, given: str | int | None, title: str) -> AsyncGenerator[Progress]:
    """From the beginning to the end of a command, however it ends."""
    shown = Progress(ls, await _token(ls, given))
    if shown.token is not None:
        ls.progress_cancellers[shown.token] = shown.stopped.set
    try:
        shown.begin(title)
        yield shown
    finally:
        if shown.token is not None:
            ls.progress_cancellers.pop(shown.token, None)
        shown.end()


async def _token(ls: SimtServer, given: str | int | None) -> str | int | None:
    if given is not None or not ls.client_features.progress:
        return given
    token = str(uuid.uuid4())
    await ls.window_work_done_progress_create_async(types.WorkDoneProgressCreateParams(token))
    return token


@final
class Percentages:
    """Turns shares into percentages that never fall, though a launch may be tried more than once."""

    def __init__(self, shown: Progress) -> None:
        self._shown = shown
        self._started = time.monotonic()
        self._most = 0

    def __call__(self, share: float) -> None:
        self._most = max(self._most, min(int(100 * share), 99))
        self._shown.report(f"{time.monotonic() - self._started:.1f} s", self._most)
