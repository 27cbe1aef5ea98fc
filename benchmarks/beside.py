"""`python -m benchmarks.beside [NAME...] [--where N]`: does a file that takes long hold up who works on another one?

Every file of `hostile_files.py` whose name contains one of the NAMEs is opened in a server that has a small file open
already.  Until the hostile one is analysed, while its tokens, hints, lenses and more are asked for, while a line is
inserted at its top and it is asked about again, and after it was closed, the small file is asked for hovers, and is
edited and asked again.

Times     processor time that the server spends from the question to the answer, which is what a user waits for on a
          quiet machine; on the wall beside it
Where     with `--where N` the N longest answers: what the client was waiting for meanwhile, and the calls in which the
          threads of the server were met every 2 ms
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, final

from analysis.ir.record import record
from benchmarks.hostile_files import HARMLESS, HOSTILE, Hostile
from benchmarks.server_process import COMMAND, ServerProcess, server_process

ANSWER_MS: Final = 100.0
PAUSE: Final = 0.01
AFTER: Final = 10
"""Questions after the hostile file was closed."""
SMALL: Final = "__global__ void small(float *out, int n) {\n  int i = threadIdx.x;\n  if (i < n) out[i] = 1;\n}\n"
WHOLE: Final = {"start": {"line": 0, "character": 0}, "end": {"line": 1_000_000, "character": 0}}
TOP: Final = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
ASKED: Final = ("semanticTokens/full", "inlayHint", "codeLens", "documentSymbol", "references")
SAMPLED: Final = str(Path(__file__).parent / "sampled_server.py")


@final
@record
class Answer:
    """One question about the small file: when it was asked, and what the server spent until it was answered."""

    during: str
    begun: float
    ended: float
    spent: float


@final
class Watched:
    """A server, and how long it takes for answers about the small file."""

    def __init__(self, server: ServerProcess, folder: Path) -> None:
        self._server = server
        self._path = folder / "small.cu"
        self._path.write_text(SMALL)
        self._version = 1
        self.answers: list[Answer] = []

    def start(self) -> None:
        """What is loaded when it is needed first is loaded by a first question."""
        self._server.wait_for_diagnostics(self._server.open(self._path, SMALL))
        self._ask("start", is_edit=False)
        self.answers.clear()

    def until(self, number: int, during: str) -> None:
        """Asks about the small file until that question is answered."""
        while not self._server.has_answered(number):
            self.ask(during)
        self._server.answer(number)

    def ask(self, during: str) -> None:
        self._ask(during, is_edit=len(self.answers) % 3 == 2)
        time.sleep(PAUSE)

    def _ask(self, during: str, *, is_edit: bool) -> None:
        begun, spent = time.perf_counter(), processor_seconds(self._server.pid)
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
        spent = processor_seconds(self._server.pid) - spent
        self.answers.append(Answer(f"{during}{', edited' * is_edit}", begun, time.perf_counter(), spent))


def processor_seconds(pid: int) -> float:
    """Of all threads of a process."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):  # a thread that has just ended
            total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


def measure(case: Hostile, size: int, samples: Path | None = None) -> tuple[list[Answer], float]:
    """And the processor seconds until the file is analysed; what the server does is written to `samples`."""
    command = COMMAND if samples is None else ("-P", SAMPLED, str(samples))
    with TemporaryDirectory() as name, server_process(command=command) as server:
        folder = Path(name)
        server.initialize(folder)
        watched = Watched(server, folder)
        watched.start()
        text = case.text(size)
        path = folder / "k.cu"
        path.write_text(text)
        before = processor_seconds(server.pid)
        document: dict[str, Any] = {"uri": server.open(path, text)}
        place = {"line": text.count("\n") - 3, "character": 8}
        about = {"textDocument": document, "position": place}
        watched.until(server.ask("textDocument/hover", about), "opened")
        analysed = processor_seconds(server.pid) - before
        more = {"range": WHOLE, "context": {"includeDeclaration": True}}
        for method in ASKED:
            watched.until(server.ask(f"textDocument/{method}", {**about, **more}), method)
        inserted = {"textDocument": {**document, "version": 2}, "contentChanges": [{"range": TOP, "text": "\n"}]}
        server.notify("textDocument/didChange", inserted)
        for method in ("hover", "semanticTokens/full"):
            watched.until(server.ask(f"textDocument/{method}", about), f"changed, {method}")
        server.notify("textDocument/didClose", {"textDocument": document})
        for _ in range(AFTER):
            watched.ask("closed")
        return watched.answers, analysed


def line_of(case: Hostile, size: int, answers: list[Answer], analysed: float) -> str:
    spent = sorted(1e3 * one.spent for one in answers)
    waited = 1e3 * max(one.ended - one.begun for one in answers)
    p95 = spent[int(0.95 * (len(spent) - 1))]
    figures = f"{analysed:8.1f} s {len(spent):8} {statistics.median(spent):6.0f} {p95:6.0f} {spent[-1]:6.0f} ms"
    slowest = max(answers, key=lambda one: one.spent)
    return f"{case.name:26} {size:>9,} {figures} {waited:6.0f} ms  {slowest.during}{'  LATE' * is_late(answers)}"


def is_late(answers: list[Answer]) -> bool:
    return 1e3 * max(one.spent for one in answers) > ANSWER_MS


def where(answers: list[Answer], samples: Path, count: int) -> list[str]:
    """Of the longest answers: what the threads were doing, the most frequent first."""
    lines = [line.split("\t") for line in samples.read_text("utf-8").splitlines()]
    found: list[str] = []
    for one in sorted(answers, key=lambda one: -one.spent)[:count]:
        found.append(f"    {1e3 * one.spent:.0f} ms, {1e3 * (one.ended - one.begun):.0f} on the wall: {one.during}")
        met = Counter(line[2] for line in lines if len(line) == 3 and one.begun <= float(line[0]) <= one.ended)
        found += [f"      {times:4} {calls}" for calls, times in met.most_common(8)]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.beside", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--where", type=int, default=0, metavar="N")
    options = parser.parse_args()
    measure(Hostile("harmless", lambda _: HARMLESS, 0, 0), 0)  # compiles the modules that are needed
    print(
        f"{'':26} {'':>9} {'analysed':>10} {'answers':>8} {'p50':>6} {'p95':>6} {'worst':>6}  on the wall", flush=True
    )
    is_bad = False
    for case in HOSTILE:
        if options.names and not any(name in case.name for name in options.names):
            continue
        with TemporaryDirectory() as folder:
            samples = Path(folder) / "samples" if options.where else None
            answers, analysed = measure(case, case.size, samples)
            is_bad = is_bad or is_late(answers)
            print(line_of(case, case.size, answers, analysed), flush=True)
            if samples is not None:
                print("\n".join(where(answers, samples, options.where)), flush=True)
    return int(is_bad)


if __name__ == "__main__":
    sys.exit(main())
