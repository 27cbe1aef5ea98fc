"""One client at standard input and output.

Why      pygls has a thread read each line of a header and each body, and waits for it every time: three turns of two
         threads for each message, and while an analysis runs each of them takes its time.
How      One thread reads what has come, whatever it is, and hands it over: mostly a whole message in one turn.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread
from typing import Any, Final, final

from pygls.io_ import StdoutWriter, run_async
from pygls.protocol import JsonRPCProtocol

_AT_ONCE: Final = 1 << 16
_LONGEST_LINE: Final = 1 << 20
"""Of a header.  What is longer is none, and ends the session."""


def serve_pipes(protocol: JsonRPCProtocol, stop: Event, failed: Callable[[Exception, Any], Any]) -> None:
    """Handle what the client sends until `stop` is set or the client is gone; `failed` is told of messages that could
    not be handled.

    What is still under way then is not waited for: to cancel a process that is being started may take for ever, and
    this one ends anyway.
    """
    protocol.set_writer(StdoutWriter(sys.stdout.buffer))

    async def serve() -> None:
        await run_async(stop, _Input(sys.stdin.fileno()), protocol, error_handler=failed)

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    with suppress(BrokenPipeError, KeyboardInterrupt, SystemExit):
        loop.run_until_complete(serve())


@final
class _Input:
    """Reads a file descriptor to its end; made on the event loop that asks."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._stream = asyncio.StreamReader(_LONGEST_LINE, self._loop)
        Thread(target=self._read, name="simt-input", daemon=True).start()

    async def readline(self) -> bytes:
        """Up to a newline; less at the end, then nothing."""
        with suppress(ValueError):
            return await self._stream.readline()
        return b""

    async def readexactly(self, n: int) -> bytes:
        """So many bytes; fewer at the end."""
        try:
            return await self._stream.readexactly(n)
        except asyncio.IncompleteReadError as ended:
            return ended.partial

    def _read(self) -> None:
        with suppress(RuntimeError):  # the loop is closed: the session has ended
            while data := self._next():
                self._loop.call_soon_threadsafe(self._stream.feed_data, data)
            self._loop.call_soon_threadsafe(self._stream.feed_eof)

    def _next(self) -> bytes:
        with suppress(OSError):  # the client is gone
            return os.read(self._descriptor, _AT_ONCE)
        return b""
