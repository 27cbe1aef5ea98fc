"""Many launches in a folder: written, run (here or where there is a GPU), and read again."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.gpu.launch import GpuLaunch, GpuResult
from tests.gpu.serve import BROKEN


def write(folder: Path, launches: Sequence[GpuLaunch]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "launches").write_bytes(pickle.dumps(list(launches)))


def run(folder: Path, count: int) -> None:
    """All launches, in as many processes as it takes."""
    (folder / "results").unlink(missing_ok=True)
    done = 0
    while done < count:
        command = [sys.executable, "-m", "tests.gpu.serve", str(folder), str(done)]
        status = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)  # kernels print too
        done = len(read(folder))
        if status.returncode not in (0, BROKEN):
            raise RuntimeError(f"the runner ended with status {status.returncode} after {done} launches")


def read(folder: Path) -> list[GpuResult]:
    """The results in order."""
    found: list[GpuResult] = []
    path = folder / "results"
    if not path.exists():
        return found
    with path.open("rb") as stream:
        while True:
            try:
                _, result = pickle.load(stream)
            except EOFError:
                return found
            found.append(result)
