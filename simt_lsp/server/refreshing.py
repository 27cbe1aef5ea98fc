"""Asks the client to ask again for what it shows, a little later and once for many reasons."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, final

from lsprotocol import types

from simt_lsp.server.client import ClientFeatures

DELAY: Final = 0.1


@final
class Refreshing:
    """For the event loop."""

    def __init__(self, features: Callable[[], ClientFeatures], send: Callable[[str], object]) -> None:
        """`send` sends a request without parameters."""
        self._features = features
        self._request = send
        self._timer: asyncio.TimerHandle | None = None

    def soon(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._timer is None:
            self._timer = loop.call_later(DELAY, self._send)

    def _send(self) -> None:
        self._timer = None
        features = self._features()
        wanted = (
            (features.refresh_inlay_hints, types.WORKSPACE_INLAY_HINT_REFRESH),
            (features.refresh_code_lenses, types.WORKSPACE_CODE_LENS_REFRESH),
            (features.refresh_semantic_tokens, types.WORKSPACE_SEMANTIC_TOKENS_REFRESH),
            (features.refresh_diagnostics and features.pull_diagnostics, types.WORKSPACE_DIAGNOSTIC_REFRESH),
        )
        for supported, method in wanted:
            if supported:
                self._request(method)
