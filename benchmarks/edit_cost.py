"""What do some rules add to the answer to an edit?

    python -m benchmarks.edit_cost ROOT... [--rule DIV403 | --analyses] [--files N] [--functions 6] [--repeats 3]

Types into the device functions of every file: a character, another constant, a line more; each text is new.  Two
analyzers of this process see the same texts, one of them without the rules, in turns.  Measured is the processor time
from the text to its diagnostics, as the server's worker finds them; printed are the ratios, with the rules to without
them, of the medians of each edit, and the edits that they make slowest.

`--rule` takes codes and beginnings of codes, several with commas.  `--analyses` measures all rules of SYN, RAC and WRP
together with the analyses that only they need (`rule_analyses.py`).
"""

from __future__ import annotations

import argparse
import gc
import re
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final, final

from analysis.facts.analyzer import Analyzer
from analysis.facts.file_analysis import FileAnalysis
from analysis.project.model import Project
from analysis.rules.check import check
from analysis.rules.diagnostic_cache import DiagnosticCache
from analysis.rules.settings import RuleSettings
from analysis.syntax.document import Document
from benchmarks.rule_analyses import RULES, left_out
from simt_lsp.cli.engine import UnreadableError, absolute_path, read_source
from simt_lsp.cli.paths import SourceFile, expand
from simt_lsp.server.analyses.collector import Collector
from simt_lsp.server.analyses.held_findings import HeldFindings
from simt_lsp.workspace.disk_loader import DiskLoader, FileCache, LazyIndex
from simt_lsp.workspace.include_graph import IncludeGraph
from simt_lsp.workspace.project import file_setup, whole_graph
from simt_lsp.workspace.project_root import project_root

SLOWEST: Final = 10
_CONSTANT: Final = re.compile(rb"(?<![\w.\"'])[1-9]\d{0,8}(?![\w.\"'])")


@final
@dataclass(frozen=True, slots=True)
class Row:
    """One edit: processor seconds with what is measured and without it."""

    file: str
    function: str
    edit: str
    measured: float
    without: float

    @property
    def ratio(self) -> float:
        return self.measured / self.without


Surroundings = Callable[[], AbstractContextManager[None]]
"""What an analyzer runs in."""


@final
@dataclass(frozen=True, slots=True)
class Question:
    """The rules that are measured, and what the analyzer without them runs in."""

    rules: frozenset[str]
    without: Surroundings


@final
class Worker:
    """One analyzer with its caches, for one file."""

    def __init__(
        self,
        path: str,
        settings: RuleSettings,
        surroundings: Surroundings,
        index: LazyIndex,
        files: FileCache,
        graph: IncludeGraph,
        project: Callable[[], Project] | None = None,
    ) -> None:
        """`project` is what each analysis may ask about other files."""
        self._path = path
        self._project = project
        self._surroundings = surroundings
        self._settings = settings
        self._index = index
        self._graph = graph
        self._files = files
        self._analyzer = Analyzer()
        self._cache = DiagnosticCache()
        self._held = HeldFindings()

    def analyse(self, text: bytes) -> FileAnalysis:
        """One version, up to its diagnostics."""
        with self._surroundings():
            return self._analyse(text)

    def _analyse(self, text: bytes) -> FileAnalysis:
        setup = file_setup(self._path, (), self._graph)
        loader = DiskLoader(self._files, {self._path: text}, self._index)
        document = Document.open(text)
        analysis = self._analyzer.analyze(
            self._path,
            document,
            loader,
            setup.settings,
            context=setup.context,
            includers=setup.includers,
            project=None if self._project is None else self._project(),
        )
        self._held.after(self._path, analysis, check(analysis, self._settings, self._cache))
        return analysis

    def seconds(self, text: bytes) -> float:
        """Collected before: the pause of a tenth of a second that comes now and then would always hit the same side."""
        with self._surroundings():
            gc.collect(1)
            start = time.process_time()
            self._analyse(text)
            return time.process_time() - start


def edits(text: bytes, start: int, end: int, number: int) -> Iterator[tuple[str, bytes]]:
    """Edits inside the function between two offsets, by name; another `number` makes other texts."""
    body = text.find(b"{", start, end) + 1
    if body == 0:
        return
    yield "character", text[:body] + b";" * number + text[body:]
    yield "line", text[:body] + b"\n  int edited = %d;" % number + text[body:]
    constants = list(_CONSTANT.finditer(text, body, end))
    if constants:
        middle = constants[len(constants) // 2]
        yield "constant", text[: middle.start()] + b"%d" % (int(middle[0]) + 16 * number) + text[middle.end() :]


def measure(
    path: str, question: Question, functions: int, repeats: int, index: LazyIndex, files: FileCache
) -> Iterator[Row]:
    """The edits of one file."""
    try:
        text = read_source(path)
    except UnreadableError:
        return
    graph = whole_graph(index)
    ours = Worker(absolute_path(path), RuleSettings(), nullcontext, index, files, graph)
    theirs = Worker(absolute_path(path), RuleSettings(ignore=question.rules), question.without, index, files, graph)
    theirs.analyse(text)
    found = [one for one in ours.analyse(text).facts.functions if one.active]
    step = max(1, -(-len(found) // functions))
    for function in found[::step]:
        times: dict[str, list[tuple[float, float]]] = {}
        for number in range(1, repeats + 1):
            for name, edited in edits(text, function.start, function.end, number):
                if number % 2:
                    first, second = ours.seconds(edited), theirs.seconds(edited)
                else:
                    second, first = theirs.seconds(edited), ours.seconds(edited)
                times.setdefault(name, []).append((first, second))
        for name, pairs in times.items():
            medians = (statistics.median(column) for column in zip(*pairs, strict=True))
            yield Row(path, function.name, name, *medians)


def print_report(rows: Sequence[Row]) -> None:
    """The ratios, then the edits with the largest."""
    ratios = sorted(row.ratio for row in rows)
    whole = sum(row.measured for row in rows) / sum(row.without for row in rows)
    print(f"{'edits':8}{len(rows):8}")
    for name, value in (("total", whole), ("mean", statistics.mean(ratios)), ("median", statistics.median(ratios))):
        print(f"{name:8}{value:8.3f}")
    for percent in (90, 99, 100):
        print(f"{percent} %{ratios[min(len(ratios) - 1, percent * len(ratios) // 100)]:12.3f}")
    for row in sorted(rows, key=lambda row: row.ratio, reverse=True)[:SLOWEST]:
        milliseconds = f"{1000 * row.without:8.1f} {1000 * row.measured:8.1f} ms"
        print(f"{row.ratio:8.2f} {milliseconds}  {row.edit:10} {row.function}, {Path(row.file).name}")


def rows_of(
    paths: Sequence[str], question: Question, options: argparse.Namespace, index: LazyIndex, files: FileCache
) -> list[Row]:
    """Of all files, or of the first so many that have something to edit."""
    rows: list[Row] = []
    measured = 0
    for path in paths:
        if measured == options.files:
            break
        found = list(measure(path, question, max(options.functions, 1), max(options.repeats, 1), index, files))
        measured += bool(found)
        rows += found
    print(f"{'files':8}{measured:8}")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.edit_cost", description=__doc__)
    parser.add_argument("roots", nargs="+", metavar="ROOT")
    measured = parser.add_mutually_exclusive_group()
    measured.add_argument("--rule", default="DIV403", metavar="CODES")
    measured.add_argument("--analyses", action="store_true", help=f"{', '.join(RULES)} with all that only they need")
    parser.add_argument("--files", type=int, metavar="N", help="so many of them, drawn at random (all)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="draws other files")
    parser.add_argument("--functions", type=int, default=6, metavar="N", help="at most so many of each file")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="texts of each kind of edit")
    options = parser.parse_args()
    gc.collect()
    Collector().begin()
    index, files = LazyIndex(tuple(dict.fromkeys(map(project_root, options.roots)))), FileCache()
    paths = [one.path for one in expand(options.roots) if isinstance(one, SourceFile)]
    if options.files is not None:
        Random(options.seed).shuffle(paths)
    if options.analyses:
        question = Question(frozenset(RULES), left_out)
    else:
        question = Question(frozenset(options.rule.split(",")), nullcontext)
    rows = rows_of(paths, question, options, index, files)
    if rows:
        print_report(rows)


if __name__ == "__main__":
    main()
