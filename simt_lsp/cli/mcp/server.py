"""The server that an agent starts: `simt-lsp mcp`, on standard input and output."""

from __future__ import annotations

from typing import Final

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

from simt_lsp.cli.mcp.check_tool import check
from simt_lsp.cli.mcp.explain_tool import explain
from simt_lsp.cli.mcp.meld_tool import meld
from simt_lsp.cli.mcp.sanitize_tool import sanitize
from simt_lsp.cli.mcp.simulate_tool import simulate
from simt_lsp.cli.version import version

INSTRUCTIONS: Final = """\
Static analysis and simulation of CUDA C++ kernels, without a GPU or a CUDA toolkit.
Give each tool the text of a kernel as `code`, or the `path` of a file.
A usual order: `check` finds what is wrong by looking, `explain` says why, `simulate` shows what happens in a launch,
`sanitize` what goes wrong in many, `meld` makes divergent code cheaper.
"No finding" and "no fault" say no more than was looked at: see `problems`, `not_reached`, `verdicts` and `inputs`."""


def make_server() -> MCPServer:
    server = MCPServer("simt-lsp", instructions=INSTRUCTIONS, version=version(), log_level="WARNING")
    looks = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
    for tool in (check, explain, simulate, sanitize, meld):
        server.add_tool(tool, annotations=looks)
    return server


def serve() -> None:
    make_server().run("stdio")
