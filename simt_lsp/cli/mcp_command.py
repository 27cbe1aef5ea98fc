"""`simt-lsp mcp`: tools for agents, over the Model Context Protocol."""

from __future__ import annotations

import argparse
import sys

from simt_lsp.cli.exit_status import ExitStatus, UsageError


def mcp(options: argparse.Namespace) -> ExitStatus:
    del options
    try:
        from simt_lsp.cli.mcp.server import serve
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] not in ("mcp", "mcp_types", "pydantic"):
            raise
        raise UsageError(
            f"mcp needs the SDK of the protocol, which is not installed here: "
            f"\"{sys.executable}\" -m pip install 'simt-lsp[mcp]'"
        ) from None
    serve()
    return ExitStatus.CLEAN
