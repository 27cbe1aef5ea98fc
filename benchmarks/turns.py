"""`python -m benchmarks.turns [PATTERN] [PATH...] [--size N] [--where N]`: how long do others wait for their turn?

What the server does with each file of `hostile_files.py` whose name contains PATTERN, or with the files given, is done
in this process: the analysis, the report, the tokens, hints, lenses, symbols and kernels.  Between two checkpoints
(`analysis/ir/pace.py`) no other document gets an answer; the longest of these stretches are told, by what was done.

Times     processor time of this thread, so that another process does not disturb; collections of garbage among them
Where     with `--where N` the N longest stretches: the call that all samples of 3 ms have in common, and the lines in
          which most of them were taken
"""

from __future__ import annotations

import argparse
import gc
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, Final, TypeVar, final

from lsprotocol import types

from analysis.ir.pace import ends_when, pace
from analysis.project.skim import skim
from analysis.syntax.document import Edit
from benchmarks.hostile_files import HARMLESS, HOSTILE
from simt_lsp.server.analyses.analysed import Analysed
from simt_lsp.server.analyses.collector import COLLECTOR_THRESHOLDS
from simt_lsp.server.features import make_server
from simt_lsp.server.requests.code_lens import lenses
from simt_lsp.server.requests.document_symbol import symbols
from simt_lsp.server.requests.hover import hover
from simt_lsp.server.requests.inlay_hint import hints
from simt_lsp.server.requests.semantic_tokens import full
from simt_lsp.server.views.kernel_list import kernel_list
from simt_lsp.server.views.report import report_of
from simt_lsp.server.views.view import View

LONG: Final = 0.030
BAR_MS: Final = 60.0
"""What is left of 100 ms when the question, its answer and a collection have their part."""
SAMPLE: Final = 0.003
ROOT: Final = str(Path(__file__).parent.parent) + "/"

Answer = TypeVar("Answer")


@final
class Stretches:
    """How much processor time passed between checkpoints, by what was done."""

    def __init__(self) -> None:
        self.longest: Counter[str] = Counter()
        self.spent: Counter[str] = Counter()
        self.places: list[tuple[float, str]] = []
        self.collecting = 0.0
        self._last = self._collection = 0.0
        self._sampled: list[list[str]] = []
        gc.callbacks.append(self._collected)
        signal.signal(signal.SIGPROF, self._sample)
        signal.setitimer(signal.ITIMER_PROF, SAMPLE, SAMPLE)

    def of(self, name: str, work: Callable[[Callable[[], bool]], Answer]) -> Answer:
        """What `work(cancelled)` answers."""

        def checkpoint() -> bool:
            self._end(name)
            return False

        begun = self._last = time.thread_time()
        with pace(ends_when(checkpoint)):
            answer = work(checkpoint)
        self._end(name)
        self.spent[name] += round(1e3 * (time.thread_time() - begun))
        return answer

    def _end(self, name: str) -> None:
        seconds = time.thread_time() - self._last
        self.longest[name] = max(self.longest[name], round(1e3 * seconds))
        if seconds > LONG:
            self.places.append((seconds, f"{name}: {_in_common(self._sampled)}"))
        self._sampled.clear()
        self._last = time.thread_time()

    def _sample(self, _number: int, frame: FrameType | None) -> None:
        found: list[str] = []
        while frame is not None:
            code = frame.f_code
            if code.co_filename.startswith(ROOT):
                found.append(f"{code.co_filename.removeprefix(ROOT)}:{frame.f_lineno} {code.co_name}")
            frame = frame.f_back
        self._sampled.append(found[::-1])

    def _collected(self, phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            self._collection = time.thread_time()
        else:
            self.collecting = max(self.collecting, time.thread_time() - self._collection)


def _in_common(stacks: list[list[str]]) -> str:
    """The innermost calls that all stacks have in common, and where most of them end."""
    if not stacks:
        return "?"
    shared = 0
    for frames in zip(*stacks, strict=False):
        if len({frame.partition(":")[0] + frame.partition(" ")[2] for frame in frames}) > 1:
            break
        shared += 1
    common = " < ".join(stacks[0][max(0, shared - 2) : shared][::-1])
    ends = Counter(stack[-1] for stack in stacks if stack).most_common(3)
    return f"{common} ({', '.join(f'{place} {count}' for place, count in ends)})"


def everything(text: str, of: Callable[[str, Callable[[Callable[[], bool]], Any]], Any]) -> None:
    """What the server does with a text, each part through `of(name, work)`; that gives `work` what ends an analysis."""
    server = make_server("0")
    item = server.documents.open("file:///nowhere/k.cu", 1, "cuda", text)
    analysed: Analysed = of("analysis", lambda cancelled: server.job(item, cancelled))
    found = server.views.of(analysed)
    assert found is not None
    view: View = found
    end = types.Position(text.count("\n"), 0)
    whole = types.Range(types.Position(0, 0), end)
    place = types.Position(max(0, end.line - 3), 8)
    asked: dict[str, Callable[[], Any]] = {
        "report": lambda: report_of(view).diagnostics,
        "kernels": lambda: kernel_list(view),
        "tokens": lambda: full(server.sent_tokens, view),
        "hints": lambda: hints(view, whole),
        "lenses": lambda: lenses(view),
        "symbols": lambda: symbols(view),
        "hover": lambda: hover(view, place),
    }
    for name, work in asked.items():
        of(name, lambda _, work=work: server.protocol.written(work()))
    of("skim", lambda _: skim(item.document.text))
    newer = server.documents.change(item.uri, 2, [Edit(0, 0, 0, 0, server.encoding, "\n")])
    assert newer is not None
    of("change", lambda cancelled: server.job(newer, cancelled))
    of("close", lambda _: server.job.release(item.analysis_path))


def measure(text: str) -> Stretches:
    stretches = Stretches()
    everything(text, stretches.of)
    signal.setitimer(signal.ITIMER_PROF, 0)
    gc.callbacks.clear()
    return stretches


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.turns", description=__doc__)
    parser.add_argument("pattern", nargs="?", default="", metavar="PATTERN")
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    parser.add_argument("--size", type=int, metavar="N", help="of the files that are made")
    parser.add_argument("--where", type=int, default=0, metavar="N")
    options = parser.parse_args()
    gc.set_threshold(*COLLECTOR_THRESHOLDS)
    texts = [(str(path), path.read_text("utf-8", "replace")) for path in options.paths]
    cases = [(case.name, case.text(options.size or case.size)) for case in HOSTILE if options.pattern in case.name]
    measure(HARMLESS)  # what is loaded when it is needed first
    is_bad = False
    for name, text in texts or cases:
        gc.freeze()
        stretches = measure(text)
        worst = max(stretches.longest.values())
        is_bad = is_bad or worst > BAR_MS
        told = ", ".join(f"{what} {ms} ms" for what, ms in stretches.longest.most_common(4) if ms >= 1e3 * LONG)
        seconds = sum(stretches.spent.values()) / 1e3
        garbage = f"{1e3 * stretches.collecting:4.0f} ms"
        print(f"{name:26} {seconds:6.1f} s  garbage {garbage}  longest {worst:5} ms  {told}", flush=True)
        for seconds, place in sorted(stretches.places, reverse=True)[: options.where]:
            print(f"    {1e3 * seconds:6.0f} ms {place}")
    return int(is_bad)


if __name__ == "__main__":
    sys.exit(main())
