"""The measurements themselves; each returns rows of the table."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.server_process import resident_megabytes, server_process
from benchmarks.synthetic import SIZES, source_file, write_headers, write_tree
from benchmarks.table import Row
from benchmarks.timers import PASSES, timed
from simt_lsp.cli.check_command import failed_report
from simt_lsp.cli.engine import Engine, EngineOptions
from simt_lsp.cli.paths import SourceFile, expand
from simt_lsp.cli.resolve import file_report
from simt_lsp.cli.run_files import FileTask

TREE_LINES = 40_000
OPEN_FILES = 100


def check_speed(paths: Sequence[str], name: str) -> list[Row]:
    """`check` over files, in this process, by processor time: lines per second and core, warm."""
    files = [item.path for item in expand(paths) if isinstance(item, SourceFile)]
    report = FileTask(EngineOptions(), file_report, failed_report)()
    start = time.process_time()
    lines = sum(report(path).lines for path in files)
    seconds = time.process_time() - start
    return [Row(f"check, {name}", lines / seconds, "lines/s/core", 15_000, "higher")] if seconds else []


def check_command(folder: Path, lines: int) -> list[Row]:
    """The whole command over a tree, as a user waits for it."""
    seconds = _wall([sys.executable, "-P", "-m", "simt_lsp", "check", str(folder)])
    return [Row(f"check command, {lines:,} lines, {os.cpu_count()} cores", seconds, "s")]


def command_start() -> list[Row]:
    command = [sys.executable, "-P", "-m", "simt_lsp", "--version"]
    return [Row("start of the command (--version)", 1000 * min(_wall(command) for _ in range(3)), "ms")]


def pass_times(paths: Sequence[str]) -> list[Row]:
    """The share of each pass in a cold analysis of files."""
    files = [item.path for item in expand(paths) if isinstance(item, SourceFile)]
    engine = Engine(EngineOptions())
    lines = 0
    start = time.perf_counter()
    with timed(PASSES) as seconds:
        for path in files:
            lines += file_report(engine.analyze(path)).lines
    total = time.perf_counter() - start
    rows = [Row(f"pass: {name}", 1e6 * value / lines, "µs/line") for name, value in seconds.items()]
    return [*rows, Row("pass: everything else", 1e6 * (total - sum(seconds.values())) / lines, "µs/line")]


def file_sizes(folder: Path) -> Iterator[Row]:
    """One file of each size: the first analysis in a fresh engine."""
    write_headers(folder)
    for size in SIZES:
        path = folder / f"size_{size}.cu"
        path.write_text(source_file(size, seed=size))
        engine = Engine(EngineOptions())
        start = time.perf_counter()
        engine.analyze(str(path))
        yield Row(f"first analysis, {size:,} lines", 1000 * (time.perf_counter() - start), "ms")


def server_start(folder: Path) -> list[Row]:
    """From the start of the process to the diagnostics of a file of 500 lines."""
    write_headers(folder)
    text = source_file(500, seed=7)
    path = folder / "first.cu"
    path.write_text(text)
    seconds: list[float] = []
    for _ in range(3):
        start = time.perf_counter()
        with server_process() as server:
            server.initialize(folder)
            server.wait_for_diagnostics(server.open(path, text))
            seconds.append(time.perf_counter() - start)
    return [Row("server start to first diagnostics, 500 lines", min(seconds), "s", 1.0)]


def server_memory(folder: Path) -> list[Row]:
    """Resident memory with many open files, after all of them have diagnostics."""
    paths = write_tree(folder, OPEN_FILES * 300, lines_per_file=300, seed=1000)[:OPEN_FILES]
    with server_process() as server:
        server.initialize(folder)
        for path in paths:
            server.wait_for_diagnostics(server.open(path, path.read_text()))
        megabytes = resident_megabytes(server.pid)
    name = f"resident memory, {len(paths)} open files of 300 lines"
    return [] if megabytes is None else [Row(name, megabytes, "MB", 250)]


def _wall(command: Sequence[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - start
