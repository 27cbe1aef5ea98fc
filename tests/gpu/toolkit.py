"""The CUDA toolkit's compiler, where there is one: `SIMT_LSP_NVCC` names it in an unusual place."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_SECONDS: Final = 600
_USUAL: Final = Path("/usr/local/cuda/bin/nvcc")
ARCHITECTURE: Final = os.environ.get("SIMT_LSP_GPU_ARCH", "native")
SPLIT: Final = ("-fmad=false",)
"""A multiply and an add are fused only where the program says so, as in the simulator."""


class CompileError(Exception):
    """The compiler's messages."""


def nvcc_path() -> str | None:
    named = os.environ.get("SIMT_LSP_NVCC")
    return named or shutil.which("nvcc") or (str(_USUAL) if _USUAL.exists() else None)


def compile_machine_code(source: Path, target: Path, flags: Sequence[str] = SPLIT) -> None:
    """Raises CompileError."""
    compiler = nvcc_path()
    if compiler is None:
        raise CompileError("there is no nvcc here")
    usual = (f"-arch={ARCHITECTURE}", "-std=c++20", "-w", "-cubin")
    command = [compiler, *usual, *flags, "-o", str(target), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    if done.returncode:
        raise CompileError(done.stderr or done.stdout)
