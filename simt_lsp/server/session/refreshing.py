"""Asks the client to ask again for what it shows, a little later and once for many reasons."""

from __future__ import annotations

import asyncio
from typing import Any, Final, Protocol, final

from lsprotocol import types

from simt_lsp.server.transport.client import ClientFeatures

DELAY: Final = 0.1


class Asking(Protocol):
    """What sends requests."""

    def send_request(self, method: str, params: Any = None) -> Any: ...


class Session(Protocol):
    """What is asked of the server."""

    client_features: ClientFeatures

    @property
    def protocol(self) -> Asking: ...


@final
class Refreshing:
    """For the event loop."""

    def __init__(self, ls: Session) -> None:
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
