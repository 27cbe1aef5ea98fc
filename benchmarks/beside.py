"""`python -m benchmarks.beside [PATTERN]`: does a file that takes long hold up who works on another one?

Every file of `hostile_files.py` whose name contains PATTERN is opened in a server that has a small file open already.
Until the hostile one is analysed, and while its tokens, hints and lenses are asked for, the small file is asked for
hovers, and is edited and asked again.
Times     processor time that the server spends from the question to the answer, which is what a user waits for on a
          quiet machine; on the wall beside it.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, final

from benchmarks.hostile_files import HOSTILE, Hostile
from benchmarks.server_process import ServerProcess, server_process

ANSWER_MS: Final = 100.0
PAUSE: Final = 0.01
SMALL: Final = "__global__ void small(float *out, int n) {\n  int i = threadIdx.x;\n  if (i < n) out[i] = 1;\n}\n"
WHOLE: Final = {"start": {"line": 0, "character": 0}, "end": {"line": 1_000_000, "character": 0}}
ASKED: Final = ("semanticTokens/full", "inlayHint", "codeLens", "documentSymbol", "foldingRange")


@final
class Watched:
    """A server, and how long it takes for answers about the small file."""

    def __init__(self, server: ServerProcess, folder: Path) -> None:
        self._server = server
        self._path = folder / "small.cu"
        self._path.write_text(SMALL)
        self._version = 1
        self.spent: list[float] = []
        self.waited: list[float] = []

    def start(self) -> None:
        self._server.wait_for_diagnostics(self._server.open(self._path, SMALL))

    def until(self, number: int) -> None:
        """Asks about the small file until that question is answered."""
        rounds = 0
        while not self._server.has_answered(number):
            rounds += 1
            self._ask(is_edit=rounds % 3 == 0)
            time.sleep(PAUSE)
        self._server.answer(number)

    def _ask(self, *, is_edit: bool) -> None:
        started, spent = time.perf_counter(), processor_seconds(self._server.pid)
        uri = self._path.as_uri()
        if is_edit:
            self._version += 1
            text = SMALL.replace("1;", f"{self._version};")
            document = {"uri": uri, "version": self._version}
            self._server.notify(
                "textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]}
            )
        place = {"textDocument": {"uri": uri}, "position": {"line": 2, "character": 6}}
        self._server.request("textDocument/hover", place)
        self.spent.append(1e3 * (processor_seconds(self._server.pid) - spent))
        self.waited.append(1e3 * (time.perf_counter() - started))


def processor_seconds(pid: int) -> float:
    """Of all threads of a process."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):  # a thread that has just ended
            total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


def measure(case: Hostile, size: int) -> tuple[Watched, float]:
    """And the processor seconds until the file is analysed."""
    with TemporaryDirectory() as name, server_process() as server:
        folder = Path(name)
        server.initialize(folder)
        watched = Watched(server, folder)
        watched.start()
        text = case.text(size)
        path = folder / "k.cu"
        path.write_text(text)
        before = processor_seconds(server.pid)
        document = {"textDocument": {"uri": server.open(path, text)}}
        place = {"line": text.count("\n") - 3, "character": 8}
        watched.until(server.ask("textDocument/hover", {**document, "position": place}))
        analysed = processor_seconds(server.pid) - before
        for method in ASKED:
            parameters: dict[str, Any] = {**document, "range": WHOLE} if method == "inlayHint" else document
            watched.until(server.ask(f"textDocument/{method}", parameters))
        return watched, analysed


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.beside", description=__doc__)
    parser.add_argument("pattern", nargs="?", default="", metavar="PATTERN")
    options = parser.parse_args()
    print(
        f"{'':26} {'':>8} {'analysed':>10} {'answers':>8} {'p50':>6} {'p95':>6} {'worst':>6}  on the wall", flush=True
    )
    is_bad = False
    for case in HOSTILE:
        if options.pattern not in case.name:
            continue
        watched, analysed = measure(case, case.size)
        spent, waited = sorted(watched.spent), sorted(watched.waited)
        mark = "LATE" if spent[-1] > ANSWER_MS else ""
        is_bad = is_bad or bool(mark)
        p95 = spent[int(0.95 * (len(spent) - 1))]
        figures = f"{analysed:8.1f} s {len(spent):8} {statistics.median(spent):6.0f} {p95:6.0f} {spent[-1]:6.0f} ms"
        print(f"{case.name:26} {case.size:>8,} {figures} {waited[-1]:6.0f} ms {mark}", flush=True)
    return int(is_bad)


if __name__ == "__main__":
    sys.exit(main())
