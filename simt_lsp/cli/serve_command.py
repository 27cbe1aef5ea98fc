"""`simt-lsp` without a command: the language server."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec

from simt_lsp.cli.exit_status import UsageError
from simt_lsp.server.main import ServerOptions, Stdio, Tcp, WebSocket
from simt_lsp.server.main import serve as serve_on


def serve(options: argparse.Namespace) -> int:
    """Serve until the editor says `exit` or is gone."""
    transport = _transport(options)
    try:
        return serve_on(transport)
    except OSError as error:
        if isinstance(transport, Stdio):
            raise
        reason = error.strerror or str(error)
        raise UsageError(f"cannot listen on {transport.host}:{transport.port}: {reason}") from error


def _transport(options: argparse.Namespace) -> ServerOptions:
    if options.tcp is not None:
        return Tcp(*options.tcp)
    if options.ws is not None:
        if find_spec("websockets") is None:
            raise UsageError("--ws needs the package 'websockets' in the environment of simt-lsp")
        return WebSocket(*options.ws)
    if sys.stdin.isatty() and not options.stdio:
        print(
            "simt-lsp: waiting for an editor on standard input; `simt-lsp --help` shows what else there is",
            file=sys.stderr,
        )
    return Stdio()
