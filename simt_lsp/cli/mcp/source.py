"""What a tool looks at: a file on disk, or text, which lies in a folder of its own while the call lasts."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final, final

from mcp.server.mcpserver.exceptions import ToolError

from analysis.ir.record import record

TEXT_NAME: Final = "code.cu"


@final
@record
class Source:
    """Where it lies, and whether the caller gave it as text."""

    path: str
    is_text: bool

    def shown(self, path: str) -> str:
        """A path as the caller knows it: text has no other name than `code.cu`."""
        return TEXT_NAME if self.is_text and os.path.basename(path) == TEXT_NAME else path

    def told(self, written: str) -> str:
        """What a command wrote of it, in the same words."""
        return written.replace(self.path, TEXT_NAME) if self.is_text else written

    def target(self, name: str | None, line: int | None) -> str:
        """`FILE[:NAME][:LINE]`, as the commands want it."""
        if name is not None and ":" in name.replace("::", ""):
            raise ToolError(f"`{name}` is no name of a function")
        return ":".join((self.path, *([] if name is None else [name]), *([] if line is None else [str(line)])))


@contextmanager
def opened(path: str | None, code: str | None) -> Generator[Source]:
    """The file of `path`, or the text `code`; raises `ToolError` unless one of them is given."""
    if (path is None) == (code is None):
        raise ToolError("give either `path`, a file on this machine, or `code`, the CUDA C++ text itself")
    if path is not None:
        yield Source(_checked(path), is_text=False)
        return
    with tempfile.TemporaryDirectory(prefix="simt-lsp-") as folder:
        place = os.path.join(folder, TEXT_NAME)
        with open(place, "w", encoding="utf-8", errors="surrogatepass", newline="") as file:
            file.write(code or "")
        source = Source(place, is_text=True)
        try:
            yield source
        except ToolError as error:
            raise ToolError(source.told(str(error))) from None


def _checked(path: str) -> str:
    if path.startswith("-"):
        raise ToolError(f"`{path}` is no path")
    if not os.path.exists(path):
        raise ToolError(f"`{path}` does not exist; relative paths start in {os.getcwd()}")
    return path
