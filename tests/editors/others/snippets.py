"""The configuration that docs/editors.md gives for an editor, and a CUDA file to try it on."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Final

from tests.editors.folders import REPOSITORY

PAGE: Final = REPOSITORY / "docs" / "editors.md"
HALO: Final = """\
__global__ void halo(int *out, int n) {
  int lane = threadIdx.x;
  if (lane < 7) { /* größer 你好 😀 */ __syncthreads(); }
  /* 😀 */ out[lane] = n;
  __syncthreads();
}
"""
FINDING: Final = "Threads 0-6 of the block arrive at this barrier"
"""The beginning of what is found in line 3: an error, because the other threads wait at the second barrier."""


def snippet(editor: str, language: str) -> str:
    """The first block in `language` below the heading of an editor."""
    section = re.split(r"(?m)^## ", PAGE.read_text().split(f"\n## {editor}\n", 1)[1])[0]
    found = re.search(rf"(?ms)^```{language}\n(.*?)^```", section)
    assert found is not None, f"docs/editors.md has no {language} for {editor}"
    return found[1]


def home_environment(home: Path) -> dict[str, str]:
    """A user who has nothing but this home, with `simt-lsp` on the PATH."""
    return {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "LANG": "C.UTF-8",
    }
