"""`python -m benchmarks.start`: what it costs until a new process has analysed one file.

Times     processor seconds of `check` of one file, interpreter and imports included, the best of several; nothing is
          kept from run to run.  The file is generated, device code throughout; an empty one costs what the start does.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.synthetic import source_file, write_headers
from benchmarks.table import Row, print_table

LINES: Final = 500
REPEATS: Final = 5
BAR_MS: Final = 500.0


def measure(folder: Path) -> list[Row]:
    folder.mkdir(parents=True, exist_ok=True)
    write_headers(folder)
    empty, full = folder / "empty.cu", folder / "full.cu"
    empty.write_text("\n")
    text = source_file(LINES)
    full.write_text(text)
    return [
        Row("check of an empty file, cold process", _processor_ms(empty), "ms"),
        Row(f"check of {text.count(chr(10)):,} lines, cold process", _processor_ms(full), "ms", BAR_MS),
    ]


def _processor_ms(path: Path) -> float:
    command = [sys.executable, "-P", "-m", "simt_lsp", "check", "--no-cache", str(path)]
    times: list[float] = []
    for _ in range(REPEATS):
        before = os.times()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        after = os.times()
        times.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return 1e3 * min(times)


def main() -> None:
    with TemporaryDirectory() as folder:
        print_table(measure(Path(folder)))


if __name__ == "__main__":
    main()
