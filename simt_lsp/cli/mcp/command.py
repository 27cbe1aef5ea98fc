"""One command of the shell in a process of its own.

Rules    A kernel that does not end, uses up the memory or meets a defect of ours costs its process, never the server.
         Whoever cancels the call ends the process.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Final, final

from mcp.server.mcpserver.exceptions import ToolError

from analysis.ir.record import record
from simt_lsp.cli.exit_status import ExitStatus

MAX_ERROR_LINES: Final = 12


@final
@record
class Ran:
    """What the command wrote, and how it ended."""

    status: int
    output: str
    errors: str

    def checked(self, *expected: ExitStatus) -> Ran:
        """Itself, if it ended in one of these ways; otherwise its complaint is the error of the tool."""
        if self.status in expected:
            return self
        raise ToolError(self.complaint() or f"the command ended with status {self.status} and said nothing")

    def complaint(self) -> str:
        lines = [line.removeprefix("simt-lsp: ").removeprefix("error: ") for line in self.errors.splitlines()]
        kept = [line for line in lines if line and not line.startswith("See: ")]
        return "\n".join(kept[:MAX_ERROR_LINES])


async def run(*arguments: str, seconds: float) -> Ran:
    """Raises `ToolError` after so many seconds."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-I", "-m", "simt_lsp", *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"},
    )
    try:
        output, errors = await asyncio.wait_for(process.communicate(), seconds)
    except TimeoutError:
        raise ToolError(
            f"not finished after {seconds:g} seconds; give a smaller launch, one kernel, or more seconds"
        ) from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode is not None, "its output has ended"
    return Ran(process.returncode, _text(output), _text(errors))


def _text(written: bytes) -> str:
    return written.decode("utf-8", errors="replace")
