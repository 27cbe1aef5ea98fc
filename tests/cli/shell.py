"""Run the real command in a process of its own, as a shell does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

# `-P` keeps the current folder out of the import path, as the console script does, and still reads PYTHON* variables.
COMMAND = (sys.executable, "-P", "-m", "simt_lsp")
TIMEOUT = 60


def simt_lsp(
    *arguments: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The finished command; the environment is ours without what colours output, plus `env`."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=cwd,
        env=environment(env or {}),
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=TIMEOUT,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def environment(changes: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "TERM")}
    return {**kept, "PYTHONIOENCODING": "utf-8", **changes}


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """`files` below `folder`, which is returned."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder
