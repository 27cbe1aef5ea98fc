"""`explain`: why a line varies between threads, or the page of a rule."""

from __future__ import annotations

from typing import Annotated, Final

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from simt_lsp.cli.exit_status import ExitStatus
from simt_lsp.cli.mcp.answer import Block, Code, Path
from simt_lsp.cli.mcp.command import run
from simt_lsp.cli.mcp.source import opened

SECONDS: Final = 60.0


async def explain(
    code: Code = None,
    path: Path = None,
    line: Annotated[int | None, Field(description="which line, from 1", ge=1)] = None,
    rule: Annotated[str | None, Field(description="a rule's code or name, instead of a line: its page")] = None,
    block: Block = None,
) -> str:
    """Say which values and branches of a line vary between threads and why, which threads arrive there together, what
    its accesses to memory cost; or print the page of a rule."""
    if rule is not None:
        if ":" in rule or rule.startswith("-"):
            raise ToolError(f"`{rule}` is no rule")
        return (await run("explain", rule, seconds=SECONDS)).checked(ExitStatus.CLEAN).output
    if line is None:
        raise ToolError("give a `line`, or a `rule`")
    with opened(path, code) as source:
        options = [] if block is None else [f"--block={block}"]
        ran = await run("explain", source.target(None, line), *options, seconds=SECONDS)
        return source.told(ran.checked(ExitStatus.CLEAN).output)
