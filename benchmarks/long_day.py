"""`python -m benchmarks.long_day ROOT... [--edits 20000]`: what a server is like after a day of typing.

Random edits over some files of real code, five of them open at a time, on the real server: characters, lines that go,
lines that come twice, and back again.  After each edit a hover is asked for where it was made.  Measured are the times
of these answers, the memory meanwhile and after all files were closed, and how long the server takes to end.

Times     processor time of the server from the edit to the answer, so that another process does not disturb; on the
          wall beside it
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, final

from benchmarks.beside import processor_seconds
from benchmarks.server_process import ServerProcess, resident_megabytes
from benchmarks.table import Row, print_table

ANSWER_MS, MEMORY_MB, END_SECONDS = 500.0, 400.0, 1.0
FILES, OPEN, STAY = 20, 5, 40
"""So many files, so many open, and so many edits until one is closed for another."""
SLOWEST: Final = 5
"""So many answers are named, and so many files with answers over the bar."""
SIZES: Final = range(2_000, 60_000)
TOKENS: Final = ("x", " ", "1", "+ 1", ";", "(", "threadIdx.x", "\n", "if (i < n) ", "__syncthreads();\n", "}")


@final
class Typed:
    """One file as the editor has it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines = path.read_text("utf-8", "replace").split("\n")
        self.undo: list[list[str]] = []
        self.version = 1

    def edit(self, choose: random.Random) -> tuple[int, list[str], int]:
        """Changes the text: the first line, what stands there now, and how many lines it replaces."""
        at = choose.randrange(len(self.lines))
        line = self.lines[at]
        match choose.randrange(4):
            case 0:
                new: list[str] = [line, line]
            case 1 if len(self.lines) > 20:
                new = []
            case _:
                column = choose.randrange(len(line) + 1)
                new = (line[:column] + choose.choice(TOKENS) + line[column:]).split("\n")
        self.lines[at : at + 1] = new
        return at, new, 1

    def restore(self) -> None:
        self.lines = self.path.read_text("utf-8", "replace").split("\n")


@final
class Day:
    """The session."""

    def __init__(self, server: ServerProcess, paths: Sequence[Path], seed: int) -> None:
        self._server = server
        self._choose = random.Random(seed)
        self._paths = list(paths)
        self._open: list[Typed] = []
        self.answers: list[float] = []
        self.waited: list[float] = []
        self.slowest: list[tuple[float, str]] = []
        """The dearest answers, with the file and line of the edit."""
        self.late: Counter[str] = Counter()
        """Answers over the bar, by file."""
        self._has_opened = False
        """Whether another file was opened since the last answer, and may be analysed meanwhile."""
        self.memory: list[float] = []

    def run(self, edits: int) -> None:
        while len(self._open) < OPEN:
            self._open_another()
        for number in range(edits):
            if number % STAY == STAY - 1:
                self._close(self._choose.choice(self._open))
                self._open_another()
            self._edit(self._choose.choice(self._open))
            if number % 100 == 99:
                self.memory.append(resident_megabytes(self._server.pid) or 0.0)

    def close_all(self) -> None:
        for typed in list(self._open):
            self._close(typed)

    def _edit(self, typed: Typed) -> None:
        typed.version += 1
        uri = typed.path.as_uri()
        if self._choose.random() < 0.1:
            typed.restore()
            at, changes = 0, [{"text": "\n".join(typed.lines)}]
        else:
            before = len(typed.lines)
            at, new, count = typed.edit(self._choose)
            end = {"line": at + count, "character": 0}
            text = "".join(line + "\n" for line in new)
            changes = [{"range": {"start": {"line": at, "character": 0}, "end": end}, "text": text}]
            if at + count >= before:
                changes = [{"text": "\n".join(typed.lines)}]
        started, spent = time.perf_counter(), processor_seconds(self._server.pid)
        document = {"uri": uri, "version": typed.version}
        self._server.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})
        place = {"line": min(at, len(typed.lines) - 1), "character": 2}
        self._server.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": place})
        self.answers.append(1e3 * (processor_seconds(self._server.pid) - spent))
        self.waited.append(1e3 * (time.perf_counter() - started))
        beside = " beside a file that was just opened" if self._has_opened else ""
        self._has_opened = False
        self.slowest.append((self.answers[-1], f"{typed.path.name}:{at + 1}{beside}"))
        self.late[typed.path.name + beside] += self.answers[-1] > ANSWER_MS
        self.slowest = sorted(self.slowest, reverse=True)[:SLOWEST]

    def _open_another(self) -> None:
        path = self._choose.choice([path for path in self._paths if all(path != one.path for one in self._open)])
        typed = Typed(path)
        self._open.append(typed)
        self._server.open(path, "\n".join(typed.lines))
        self._has_opened = True

    def _close(self, typed: Typed) -> None:
        self._open.remove(typed)
        self._server.notify("textDocument/didClose", {"textDocument": {"uri": typed.path.as_uri()}})


def files_below(roots: Sequence[Path], seed: int) -> list[Path]:
    """Some files with kernels, the same for the same seed."""
    found = sorted(path for root in roots for path in root.rglob("*.cu") if path.stat().st_size in SIZES)
    found = [path for path in found if b"__global__" in path.read_bytes()]
    return random.Random(seed).sample(found, min(FILES, len(found)))


def rows(day: Day, closed: float, ended: float) -> Iterator[Row]:
    values = sorted(day.answers)
    yield Row(f"answer after an edit, p50 of {len(values)}", statistics.median(values), "ms")
    yield Row("answer after an edit, p95", values[int(0.95 * (len(values) - 1))], "ms")
    yield Row("answer after an edit, worst", values[-1], "ms", ANSWER_MS)
    yield Row("answers after more than 500 ms", sum(value > ANSWER_MS for value in values), "")
    yield Row("answer on the wall, worst", max(day.waited), "ms")
    yield Row("memory after the first 1,000 edits", day.memory[min(9, len(day.memory) - 1)], "MB", MEMORY_MB)
    yield Row("memory, most", max(day.memory), "MB", MEMORY_MB)
    yield Row("memory, all files closed", closed, "MB")
    yield Row("end after `shutdown`", ended, "s", END_SECONDS)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.long_day", description=__doc__)
    parser.add_argument("roots", nargs="+", type=Path, metavar="ROOT")
    parser.add_argument("--edits", type=int, default=20_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    options = parser.parse_args()
    gc.disable()  # of this process, which keeps next to nothing
    command = [sys.executable, "-P", "-m", "simt_lsp", "--stdio"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        server = ServerProcess(process)
        server.initialize(options.roots[0])
        day = Day(server, files_below(options.roots, options.seed), options.seed)
        day.run(options.edits)
        day.close_all()
        time.sleep(2.0)
        closed = resident_megabytes(process.pid) or 0.0
        started = time.perf_counter()
        server.request("shutdown", None)
        server.notify("exit", None)
        process.wait()
        print_table(list(rows(day, closed, time.perf_counter() - started)))
        late = [(name, count) for name, count in day.late.most_common(SLOWEST) if count]
        if late:
            print("over the bar: " + ", ".join(f"{name} {count} times" for name, count in late))
        print("dearest: " + ", ".join(f"{place} {milliseconds:.0f} ms" for milliseconds, place in day.slowest))
    finally:
        process.kill()


if __name__ == "__main__":
    main()
