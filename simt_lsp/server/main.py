"""Start the server on a transport; the only way in for the command line.

Rules    Nothing else of the server is imported before `serve`: the types are imported lean (see `quick_types`).
         The collector rests while everything is loaded, and what was loaded is frozen: it would be walked in vain.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Final, NoReturn, TypeAlias, final

from analysis.ir.record import record

if TYPE_CHECKING:
    from simt_lsp.server.session.server import SimtServer

SWITCH_INTERVAL: Final = 0.001
"""Seconds after which the worker lets the event loop run; Python's default of 5 ms would sit in every answer."""


@final
@record
class Stdio:
    """Standard input and output."""


@final
@record
class Tcp:
    """Listen for one client."""

    host: str
    port: int


@final
@record
class WebSocket:
    """Listen for one client; needs the package `websockets`."""

    host: str
    port: int


ServerOptions: TypeAlias = Stdio | Tcp | WebSocket


def serve(options: ServerOptions) -> int:
    """Run until the client says `exit` or is gone; the exit status: 0 after `shutdown`, else 1."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s")
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # what matters reaches the client as window/logMessage
    gc.disable()
    server = _load()
    sys.setswitchinterval(SWITCH_INTERVAL)
    server.collector.begin()
    match options:
        case Stdio():
            server.serve_pipes()
        case Tcp(host, port):
            server.start_tcp(host, port)
        case WebSocket(host, port):
            server.start_ws(host, port)
    server.stop_working()
    status = 1 if server.exit_code is None else server.exit_code
    if isinstance(options, Stdio):
        _end(status)
    return status


def _end(status: int) -> NoReturn:
    """End at once: Python would free everything that is known of every file, one object after the other."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # the client is gone, and its end of the pipe
            stream.flush()
    os._exit(status)


def _load() -> SimtServer:
    from simt_lsp.server.transport.quick_types import import_types

    import_types()
    from simt_lsp.server.features import make_server

    try:
        return make_server(version("simt-lsp"))
    except PackageNotFoundError:  # run from a folder of libraries, as editor extensions bundle them
        return make_server("0")
