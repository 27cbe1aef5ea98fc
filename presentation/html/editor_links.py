"""Addresses that open a line of a file in an editor, for who wants them: they name the folders of this machine."""

from __future__ import annotations

import os
from enum import Enum
from urllib.parse import quote


class Editor(Enum):
    """Those that listen to addresses of the form `vscode://file/path:line`."""

    VSCODE = "vscode"
    VSCODE_INSIDERS = "vscode-insiders"
    VSCODIUM = "vscodium"
    CURSOR = "cursor"

    def address(self, path: str, line: int) -> str:
        absolute = os.path.abspath(path).replace(os.sep, "/")
        return f"{self.value}://file/{quote(absolute.lstrip('/'), safe='/:')}:{line}"
