"""`python -m benchmarks.simulate_latency [PATH…]`: from the command to the published results, as an editor sees it.

Measured  the wall time from `simt.simulate` until both the answer and the diagnostics of the document are there, for
          the kernels of `benchmarks/kernels` and `examples`, or of the given files.  Something to read may be there
          before the end: that is what a run has counted so far.
Rows      at once: the document was opened a moment ago, no process waits yet.  first: a process waits, which has
          simulated nothing.  second: the same kernel again.  after an edit: a line was changed in the kernel.  Then all
          kernels one after the other, each for the first time, in one server: until something was to be read, and until
          the end.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from benchmarks.server_process import Message, ServerProcess, resident_megabytes, server_process
from benchmarks.table import Row, print_table

HERE: Final = Path(__file__).parent
REPEATS: Final = 3
FIRST_MS: Final = 1000.0


def ready_after(server: ServerProcess, uri: str) -> None:
    """Ask for the lenses, as editors do, and wait until a process is ready."""
    server.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    end = time.monotonic() + 20
    while server.request("simt/status", {})["result"]["simulator"]["state"] != "ready":
        assert time.monotonic() < end, "no process became ready"
        time.sleep(0.02)


def simulated(server: ServerProcess, uri: str, kernel: str) -> tuple[float, float, str]:
    """Milliseconds until something was to be read, and until answer and diagnostics are there; how it ended."""
    argument = {"textDocument": {"uri": uri}, "kernel": kernel}
    start = time.perf_counter()
    number = server.ask("workspace/executeCommand", {"command": "simt.simulate", "arguments": [argument]})
    first = (time.perf_counter() - start) * 1e3 if server.wait_for_counts(number, kernel) else None
    answer = server.answer(number)
    server.request("simt/simulation", {"textDocument": {"uri": uri}})  # answered behind the diagnostics
    elapsed = (time.perf_counter() - start) * 1e3
    status = answer["result"]["status"] if "result" in answer else "error"
    return elapsed if first is None else first, elapsed, status


def kernels_of(server: ServerProcess, uri: str) -> list[str]:
    found: Message | None = server.request("simt/kernels", {"textDocument": {"uri": uri}})["result"]
    return [] if found is None else [kernel["name"] for kernel in found["kernels"]]


def one_kernel(path: Path) -> dict[str, float]:
    """Times of the first kernel of a file, by row."""
    times: dict[str, float] = {}
    text = path.read_text()
    with server_process() as server:
        server.initialize(path.parent)
        uri = server.open(path, text)
        (name, *_) = kernels_of(server, uri)
        _, times["at once"], _ = simulated(server, uri, name)
    with server_process() as server:
        server.initialize(path.parent)
        uri = server.open(path, text)
        ready_after(server, uri)
        _, times["first"], _ = simulated(server, uri, name)
        _, times["second"], _ = simulated(server, uri, name)
        edited = text.replace("{", "{ ;", 1)
        change = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": edited}]}
        server.notify("textDocument/didChange", change)
        _, times["after an edit"], _ = simulated(server, uri, name)
    return times


@final
@dataclass(frozen=True, slots=True)
class AllKernels:
    """Milliseconds of each kernel that ran, until something was to be read and until the end; megabytes of the server
    and of its process when all are done."""

    first: Sequence[float]
    end: Sequence[float]
    server: float | None
    child: float | None


def all_kernels(paths: Sequence[Path]) -> AllKernels:
    times: list[tuple[float, float]] = []
    with server_process() as server:
        server.initialize(HERE)
        is_ready = False
        for path in paths:
            uri = server.open(path, path.read_text(errors="replace"))
            names = kernels_of(server, uri)
            if names and not is_ready:
                ready_after(server, uri)
                is_ready = True
            for name in dict.fromkeys(names):
                first, end, status = simulated(server, uri, name)
                if status == "finished":
                    times.append((first, end))
            server.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        children = _children(server.pid)
        return AllKernels(
            [first for first, _ in times],
            [end for _, end in times],
            resident_megabytes(server.pid),
            resident_megabytes(children[0]) if children else None,
        )


def spare_megabytes(path: Path) -> float | None:
    """Of a process that waits and has simulated nothing."""
    with server_process() as server:
        server.initialize(path.parent)
        ready_after(server, server.open(path, path.read_text()))
        children = _children(server.pid)
        return resident_megabytes(children[0]) if children else None


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task")
    if not tasks.exists():
        return []
    return [int(child) for task in tasks.iterdir() for child in (task / "children").read_text().split()]


def measure(paths: Sequence[Path]) -> list[Row]:
    rows: list[Row] = []
    first = next(path for path in paths if b"__global__" in path.read_bytes())
    samples = [one_kernel(first) for _ in range(REPEATS)]
    for name in samples[0]:
        value = statistics.median(sample[name] for sample in samples)
        rows.append(Row(f"simulate {first.stem}: {name}", value, "ms", FIRST_MS))
    found = all_kernels(paths)
    of_all = f"simulate {len(found.end)} kernels, each first"
    rows.append(Row(f"{of_all}: p50", statistics.median(found.end), "ms", FIRST_MS))
    rows.append(Row(f"{of_all}: p95", _ninety_five(found.end), "ms"))
    rows.append(Row(f"{of_all}, something to read: p95", _ninety_five(found.first), "ms", FIRST_MS))
    rows.append(Row(f"{of_all}, something to read: worst", max(found.first), "ms"))
    rows.append(Row("share answered within a second", _share_within(found.end), "%"))
    rows.append(Row("share with something to read within a second", _share_within(found.first), "%"))
    spare = spare_megabytes(first)
    memory = (
        ("process that waits", spare),
        ("the same after all kernels", found.child),
        ("server after all kernels", found.server),
    )
    rows += [Row(f"memory: {name}", megabytes, "MB") for name, megabytes in memory if megabytes is not None]
    return rows


def _ninety_five(times: Sequence[float]) -> float:
    return sorted(times)[int(0.95 * (len(times) - 1))]


def _share_within(times: Sequence[float], most: float = FIRST_MS) -> float:
    return 100 * sum(one <= most for one in times) / len(times)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulate_latency", description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="files, or folders with .cu files")
    options = parser.parse_args()
    given = options.paths or [HERE / "kernels", HERE.parent / "examples"]
    files = [file for path in given for file in (sorted(path.rglob("*.cu")) if path.is_dir() else [path])]
    print_table(measure([file.resolve() for file in files]))


if __name__ == "__main__":
    main()
