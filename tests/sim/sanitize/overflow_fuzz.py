"""`python -m tests.sim.sanitize.overflow_fuzz COUNT SEED`: random index expressions with launches that overflow 32 bits
or do not (`tests/arithmetic`), through the command: it has to say so of the first alone.

What leaves the array in a run is no false alarm: some of the indices are negative.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from simt_lsp.cli.main import run
from tests.arithmetic.indices import random_kernel
from tests.support.seeds import Counts, exit_with, run_seeds


def check(seed: int, counts: Counts) -> str | None:
    """What is wrong with the report on one kernel."""
    kernel = random_kernel(seed, f"k{seed}")
    findings = _findings(kernel.text)
    overflows = [one for one in findings if any(rule["code"] == "ARI603" for rule in one["rules"])]
    counts["overflows" if kernel.overflows else "does not overflow"] += 1
    counts["found"] += bool(kernel.overflows and overflows)
    if kernel.overflows and not overflows:
        return f"not found\n{kernel.text}"
    if not kernel.overflows and overflows:
        return f"false alarm: {overflows[0]['message']}\n{kernel.text}"
    return None


def _findings(text: str) -> list[dict[str, Any]]:
    os.environ["SIMT_LSP_CACHE"] = "off"
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
        source, out = Path(folder, "a.cu"), Path(folder, "found.json")
        source.write_text(text)
        options = ("--seeds", "1", "--timeout", "5", "--jobs", "1", "--format", "json", "-o", str(out))
        run(["sanitize", str(source), *options])
        return json.loads(out.read_text("utf-8"))["findings"]


def main(count: int, first: int) -> int:
    return run_seeds(check, count, first)


if __name__ == "__main__":
    exit_with(main)
