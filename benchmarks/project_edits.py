"""What does the index of the project add to the answer to an edit?

    python -m benchmarks.project_edits ROOT... [--files N] [--functions 6] [--hosts 2] [--repeats 3] [--seed S]

Types into functions of every file that are drawn at random: a character, another constant, a line more; each text is
new.  Two analyzers of this process see the same texts in turns, one with the index of the project, one without.
Measured is the processor time from the text to its diagnostics, as the server's worker finds them; printed are the
ratios, with the index to without it, of the medians of each edit: first of edits in device code, then in host code.
An edit in host code may change a launch, and then more is analysed with the index because more is known with it.
"""

from __future__ import annotations

import argparse
import gc
import statistics
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from random import Random
from typing import Final

from analysis.facts.analyzer import environment_of
from analysis.rules.settings import RuleSettings
from analysis.syntax.environment import Environment
from analysis.syntax.items import Item, ItemKind
from benchmarks.edit_cost import Row, Worker, edits, print_report
from simt_lsp.cli.engine import UnreadableError, absolute_path, read_source
from simt_lsp.cli.paths import SourceFile, expand
from simt_lsp.server.analyses.collector import Collector
from simt_lsp.workspace.disk_loader import FileCache, LazyIndex
from simt_lsp.workspace.project import file_setup
from simt_lsp.workspace.project_index.build import build_project
from simt_lsp.workspace.project_index.index import ProjectIndex
from simt_lsp.workspace.project_index.view import ProjectView
from simt_lsp.workspace.project_root import project_root

DEVICE: Final = "device code"
HOST: Final = "host code"


def measure(
    path: str,
    project: ProjectIndex,
    counts: dict[str, int],
    repeats: int,
    index: LazyIndex,
    files: FileCache,
    random: Random,
) -> Iterator[tuple[str, Row]]:
    """The edits of one file; `counts` says in how many functions of each kind."""
    try:
        text = read_source(path)
    except UnreadableError:
        return

    @cache
    def environment(other: str) -> Environment:
        return environment_of(other, file_setup(other, (), project.graph).settings)

    def seen() -> ProjectView:
        return ProjectView(project, environment)

    full = absolute_path(path)
    ours = Worker(full, RuleSettings(), nullcontext, index, files, project.graph, seen)
    theirs = Worker(full, RuleSettings(), nullcontext, index, files, project.graph)
    theirs.analyse(text)
    items = [item for item in ours.analyse(text).program.unit.items if _is_edited(item)]
    for kind, is_device in ((DEVICE, True), (HOST, False)):
        found = [item for item in items if item.is_device == is_device]
        for item in random.sample(found, min(counts[kind], len(found))):
            times: dict[str, list[tuple[float, float]]] = {}
            for number in range(1, repeats + 1):
                for name, edited in edits(text, item.span.start, item.span.end, number):
                    if number % 2:
                        first, second = ours.seconds(edited), theirs.seconds(edited)
                    else:
                        second, first = theirs.seconds(edited), ours.seconds(edited)
                    times.setdefault(name, []).append((first, second))
            for name, pairs in times.items():
                medians = (statistics.median(column) for column in zip(*pairs, strict=True))
                yield kind, Row(path, item.name, name, *medians)


def _is_edited(item: Item) -> bool:
    return item.kind is ItemKind.FUNCTION and item.is_definition and item.active


def measure_root(root: str, options: argparse.Namespace) -> Sequence[tuple[str, Row]]:
    """Of all files below a root, or of the first so many that have something to edit."""
    random = Random(options.seed)
    index, files = LazyIndex((project_root(root),)), FileCache()
    project = build_project(index.roots, index())
    assert project is not None
    paths = [one.path for one in expand([root]) if isinstance(one, SourceFile)]
    if options.files is not None:
        random.shuffle(paths)
    counts = {DEVICE: options.functions, HOST: options.hosts}
    rows: list[tuple[str, Row]] = []
    measured = 0
    for path in paths:
        if measured == options.files:
            break
        found = list(measure(path, project, counts, max(options.repeats, 1), index, files, random))
        measured += bool(found)
        rows += found
    print(f"{Path(root).name}: {measured} of {len(paths)} files")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.project_edits", description=__doc__)
    parser.add_argument("roots", nargs="+", metavar="ROOT")
    parser.add_argument("--files", type=int, metavar="N", help="so many below each root, drawn at random (all)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="draws other files and functions")
    parser.add_argument("--functions", type=int, default=6, metavar="N", help="at most so many device functions a file")
    parser.add_argument("--hosts", type=int, default=2, metavar="N", help="at most so many host functions a file")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="texts of each kind of edit")
    options = parser.parse_args()
    gc.collect()
    Collector().begin()
    rows = [row for root in options.roots for row in measure_root(root, options)]
    for kind in (DEVICE, HOST):
        found = [row for one, row in rows if one == kind]
        if found:
            print(f"\n{kind}")
            print_report(found)


if __name__ == "__main__":
    main()
