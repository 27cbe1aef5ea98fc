"""`python -m benchmarks.project_index [--files N]`: how long the index of a tree takes, at first and when it is known.

The tree is synthetic (`synthetic.py`): folders of twenty files that include each other's headers and launch kernels.
Each start is a process of its own, as the server's is.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from benchmarks.synthetic import source_file, write_headers

FOLDER_FILES: Final = 20
LINES: Final = 300
OLD: Final = 3600
_START: Final = """
import resource, sys, time
from pathlib import Path
from simt_lsp.workspace.file_index import build_index
from simt_lsp.workspace.project_index.build import build_project
begin = time.perf_counter()
root = sys.argv[1]
index = build_project([root], build_index([root]), Path(sys.argv[2]))
seconds, worked = time.perf_counter() - begin, time.process_time()
path, skim = next((path, skim) for path, skim in index.skims().items() if skim.kernels)
begin = time.perf_counter()
index.users(path, skim.kernels[0][0], internal=False)
asked = time.perf_counter() - begin
megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{seconds:.2f} s ({worked:.2f} s of one core, imports too) for {len(index.skims())} files")
print(f"one question {1000 * asked:.1f} ms; {megabytes:.0f} MB")
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.project_index", description=__doc__)
    parser.add_argument("--files", type=int, default=2_000, metavar="N")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        root, cache = Path(temporary) / "tree", Path(temporary) / "cache"
        size = write_project(root, options.files)
        print(f"{options.files} files, {size / 1e6:.1f} MB")
        _start("first start", root, cache)
        _start("second start", root, cache)
        changed = next(root.rglob("*.cu"))
        changed.write_text(changed.read_text() + "\nvoid more() {}\n")
        _start("one file changed", root, cache)


def write_project(root: Path, count: int) -> int:
    """A tree of `count` files; its bytes."""
    size = 0
    old = time.time() - OLD
    for number in range(count):
        folder = root / f"part_{number // FOLDER_FILES:03}"
        if number % FOLDER_FILES == 0:
            write_headers(folder)
        path = folder / f"kernels_{number:04}.cu"
        text = source_file(LINES, number)
        path.write_text(text)
        os.utime(path, (old, old))
        size += len(text)
    return size


def _start(title: str, root: Path, cache: Path) -> None:
    command = [sys.executable, "-c", _START, str(root), str(cache)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    print(f"{title}: {done.stdout.strip()}")


if __name__ == "__main__":
    main()
