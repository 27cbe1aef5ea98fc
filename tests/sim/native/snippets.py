"""Small uses of the language, one at a time: what they do to a value that differs from thread to thread.

Form    `//// name`, what stands before the kernel and `//// body` where there is such text, then statements that
        define `int v`, with `t` the thread, `n` 4, and `in` an array.  What follows them is the same for all: a branch
        on `v`, and `v` itself in `out`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from tests.sim.native.comparison import Case
from tests.sim.native.compiler import Unit

THREADS: Final = 64
BRANCH: Final = "if (v > 5)"
_FOLDER: Final = Path(__file__).with_name("snippets")
_NAME: Final = re.compile(r"^//// (?!body$)(.*)\n", re.MULTILINE)


def snippets() -> dict[str, Case]:
    """Every snippet of the folder as a kernel, by its name."""
    return {name: _case(name, text) for path in sorted(_FOLDER.glob("*.cu")) for name, text in _sections(path)}


def _sections(path: Path) -> Iterator[tuple[str, str]]:
    _, *parts = _NAME.split(path.read_text())
    return zip(parts[::2], parts[1::2], strict=True)


def _case(name: str, text: str) -> Case:
    before, _, body = text.rpartition("//// body\n")
    kernel = (
        f"{before}__global__ void k(int *out, const int *in, int n) {{\n  int t = threadIdx.x;\n{body}"
        f"  {BRANCH} out[{THREADS} + t] = 1;\n  out[t] = v;\n}}\n"
    )
    values = np.arange(THREADS, dtype=np.int32) * 5 % 11
    return Case(
        Unit(name, kernel), {"out": np.zeros(2 * THREADS + 32, np.int32), "in": values, "n": 4}, block=(THREADS, 1, 1)
    )
