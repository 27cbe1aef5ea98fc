"""Where on this machine is kept what can be worked out again?

Rules    `SIMT_LSP_CACHE` names the folder, or is `off`; else the user's cache folder as the system has it:
         `XDG_CACHE_HOME` or `~/.cache`, `~/Library/Caches`, `LOCALAPPDATA`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

VARIABLE: Final = "SIMT_LSP_CACHE"
NAME: Final = "simt-lsp"
OFF: Final = frozenset({"", "0", "off", "no", "false", "none"})


def cache_folder(variables: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path | None:
    """None where nothing is to be kept."""
    chosen = variables.get(VARIABLE)
    if chosen is not None:
        return None if chosen.strip().lower() in OFF else Path(chosen).absolute()
    if platform == "win32":
        base = variables.get("LOCALAPPDATA", "")
        return Path(base) / NAME / "Cache" if base else None
    home = variables.get("HOME", "")
    if platform == "darwin":
        return Path(home) / "Library" / "Caches" / NAME if home else None
    base = variables.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):  # others are to be ignored, the specification says
        return Path(base) / NAME
    return Path(home) / ".cache" / NAME if home else None
