"""The peer's kernels as C++ for one core (`kernels/peer_kernels.cpp`), compiled here and called in this process."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

SOURCE: Final = Path(__file__).parent / "kernels" / "peer_kernels.cpp"
SCALAR: Final = ("-O2", "-fno-tree-vectorize")
"""From its version 12 on, GCC's `-O2` makes vector code of some loops; this is what one lane of a CPU does."""
OPTIMIZED: Final = ("-O2",)
_SHARED: Final = ("-shared", "-fPIC", "-ffp-contract=off", "-fwrapv")


def compiler() -> str | None:
    return shutil.which("g++")


def build(folder: Path, options: Sequence[str]) -> Callable[[str], Callable[..., None]]:
    """Compiles; gives the function of a kernel's name, which takes grid and block along x and y, and the arguments."""
    path = folder / f"peer{len(list(folder.iterdir()))}.so"
    subprocess.run([compiler() or "g++", *options, *_SHARED, "-o", path, SOURCE], check=True)
    library = ctypes.CDLL(str(path))

    def function(name: str) -> Callable[..., None]:
        compiled = library[name]

        def call(grid: Sequence[int], block: Sequence[int], *arguments: Any) -> None:
            compiled(*grid[:2], *block[:2], *map(_passed, arguments))

        return call

    return function


def _passed(argument: Any) -> Any:
    return ctypes.c_void_p(argument.ctypes.data) if isinstance(argument, np.ndarray) else ctypes.c_int(argument)
