"""Asks the client to ask again for what it shows, a little later and once for many reasons."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, final

from lsprotocol import types

if TYPE_CHECKING:
    from simt_lsp.server.server import SimtServer

DELAY: Final = 0.1


@final
class Refreshing:
    """For the event loop."""

    def __init__(self, ls: SimtServer) -> None:
        self._ls = ls
        self._timer: asyncio.TimerHandle | None = None

    def soon(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._timer is None:
            self._timer = loop.call_later(DELAY, self._send)

    def _send(self) -> None:
        self._timer = None
        features = self._ls.client_features
        wanted = (
            (features.refresh_inlay_hints, types.WORKSPACE_INLAY_HINT_REFRESH),
            (features.refresh_code_lenses, types.WORKSPACE_CODE_LENS_REFRESH),
            (features.refresh_semantic_tokens, types.WORKSPACE_SEMANTIC_TOKENS_REFRESH),
            (features.refresh_diagnostics and features.pull_diagnostics, types.WORKSPACE_DIAGNOSTIC_REFRESH),
        )
        for supported, method in wanted:
            if supported:
                self._ls.protocol.send_request(method, None)
