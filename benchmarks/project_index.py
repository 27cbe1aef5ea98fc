"""`python -m benchmarks.project_index [--files N] [--check] [--callers]`: how long the index of a tree takes, at first
and when it is known, and what a server takes in memory that has it.

The tree is synthetic (`synthetic.py`): folders of twenty files that include each other's headers and launch kernels.
Each start is a process of its own, as the server's is.  `--check` has the server tell what it finds in all files, which
takes minutes; `--callers` has it tell what it finds in a header that 200 of them include, in two runs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.server_process import resident_megabytes, server_process
from benchmarks.synthetic import source_file, write_headers
from benchmarks.table import Row, print_table

FILES: Final = 2_000
FOLDER_FILES: Final = 20
LINES: Final = 300
OLD: Final = 3600
SYMBOLS: Final = 512
"""So many kernels of the project are told at most."""
INCLUDERS: Final = 200
SHARED: Final = """#pragma once
__device__ inline void shared(float *p, int n) {
  for (int i = 0; i < n; ++i) p[i] *= 2;
}
"""
"""Its loop is a finding where some callers pass what differs from thread to thread."""
_START: Final = """
import sys, time
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
print(seconds, worked, time.perf_counter() - begin)
"""
_PULLING: Final[dict[str, object]] = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
    "experimental": {"simtWorkspaceDiagnostics": True},
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.project_index", description=__doc__)
    parser.add_argument("--files", type=int, default=FILES, metavar="N")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--callers", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        print_table(measure(folder, options.files, check=options.check))
        if options.callers:
            print_table([*_callers(folder / "project", folder / "cache")])


def measure(folder: Path, files: int = FILES, *, check: bool = False) -> list[Row]:
    """A tree of so many files below `folder`."""
    root, cache = folder / "project", folder / "cache"
    size = write_project(root, files)
    rows = _start(f"index of {files:,} files, {size / 1e6:.0f} MB", root, cache, 15.0)
    rows += _start("index, second start", root, cache, 1.0)
    changed = next(root.rglob("*.cu"))
    changed.write_text(changed.read_text() + "\nvoid more() {}\n")
    rows += _start("index, one file changed", root, cache, 1.0)
    return [*rows, *_server(root, cache, files, check=check)]


def _start(title: str, root: Path, cache: Path, bar: float) -> list[Row]:
    command = [sys.executable, "-c", _START, str(root), str(cache)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, worked, asked = map(float, done.stdout.split())
    return [
        Row(title, seconds, "s", bar),
        Row(f"{title}: of one core, imports too", worked, "s"),
        Row(f"{title}: one question", 1000 * asked, "ms"),
    ]


def _server(root: Path, cache: Path, files: int, *, check: bool) -> Iterator[Row]:
    """Resident memory of a server that has the index, with one open file, and after it told of all files."""
    path = next(root.rglob("*.cu"))
    with server_process({"SIMT_LSP_CACHE": str(cache)}) as server:
        server.request("initialize", {"processId": None, "rootUri": root.as_uri(), "capabilities": _PULLING})
        server.notify("initialized", {})
        uri = server.open(path, path.read_text())
        while len(server.request("workspace/symbol", {"query": ""})["result"]) < SYMBOLS:
            time.sleep(0.05)  # until the index is there
        server.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        megabytes = resident_megabytes(server.pid)
        if megabytes is not None:
            yield Row(f"resident memory, project of {files:,} files, one open", megabytes, "MB", 300)
        if not check:
            return
        start = time.perf_counter()
        items = server.request("workspace/diagnostic", {"previousResultIds": []})["result"]["items"]
        yield Row(f"workspace/diagnostic, {len(items):,} files", time.perf_counter() - start, "s")
        ids = [{"uri": one["uri"], "value": one["resultId"]} for one in items]
        start = time.perf_counter()
        server.request("workspace/diagnostic", {"previousResultIds": ids})
        yield Row("workspace/diagnostic, nothing changed", 1000 * (time.perf_counter() - start), "ms")
        megabytes = resident_megabytes(server.pid)
        if megabytes is not None:
            yield Row("resident memory after workspace/diagnostic", megabytes, "MB", 300)


def _callers(root: Path, cache: Path) -> Iterator[Row]:
    """How long it takes until an open header is judged by all that include it, and the memory of the server then."""
    header = root / "shared.cuh"
    header.write_text(SHARED)
    users = sorted(root.rglob("*.cu"))[:INCLUDERS]
    for number, path in enumerate(users):
        passed = "n" if number else "threadIdx.x"
        kernel = f"__global__ void shared_{number}(float *p, int n) {{ shared(p, {passed}); }}\n"
        path.write_text(f'#include "../shared.cuh"\n{path.read_text()}\n{kernel}')
    for run in ("first run", "second run"):
        with server_process({"SIMT_LSP_CACHE": str(cache)}) as server:
            start = time.perf_counter()
            server.request("initialize", {"processId": None, "rootUri": root.as_uri(), "capabilities": _PULLING})
            server.notify("initialized", {})
            uri = server.open(header, SHARED)
            question = {"textDocument": {"uri": uri}}
            while not server.request("textDocument/diagnostic", question)["result"]["items"]:
                time.sleep(1.0)  # each question goes before what is looked for
            title = f"a header that {len(users)} files include"
            yield Row(f"{title}: until all count, {run}", time.perf_counter() - start, "s")
            megabytes = resident_megabytes(server.pid)
            if megabytes is not None:
                yield Row(f"{title}: resident memory, {run}", megabytes, "MB", 300)


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


if __name__ == "__main__":
    main()
