"""`python -m benchmarks.corpus ROOT`: everything over any folder of CUDA code, and what it could not do.

Counts crashes, syntax errors, device functions, kernels without an opaque, opaques by construct, findings by rule, and
speed.  Exit status 1 if anything crashed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import final

from analysis.ir.function import FunctionKind
from simt_lsp.cli.engine import Analyzed, EngineOptions
from simt_lsp.cli.paths import SourceFile, expand
from simt_lsp.cli.run_files import FileTask, run_files
from simt_lsp.workspace.project_root import project_root

TOP = 20


@final
@dataclass(frozen=True, slots=True)
class FileCounts:
    """What one file contributes; plain data that travels between processes."""

    path: str
    error: str | None = None
    lines: int = 0
    parse_errors: int = 0
    kernels: int = 0
    clear_kernels: int = 0
    device_functions: int = 0
    opaques: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    barriers: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()


def count(analyzed: Analyzed) -> FileCounts:
    """The counts of one analysed file."""
    functions = [function for function in analyzed.analysis.facts.functions if function.active]
    kernels = [function for function in functions if function.kind is FunctionKind.KERNEL]
    return FileCounts(
        path=analyzed.path,
        lines=analyzed.analysis.document.text.count(b"\n") + 1,
        parse_errors=analyzed.analysis.facts.parse_errors,
        kernels=len(kernels),
        clear_kernels=sum(not kernel.opaque for kernel in kernels),
        device_functions=len(functions) - len(kernels),
        opaques=tuple(fact.construct for function in functions for fact in function.opaque),
        branches=tuple(
            f"{branch.level.name.lower()} {branch.grade.value if branch.grade else '-'}"
            for function in functions
            for branch in function.branches
        ),
        barriers=tuple(barrier.verdict.value for function in functions for barrier in function.barriers),
        problems=tuple(problem.kind.value for problem in analyzed.analysis.facts.problems),
        findings=tuple(f"{item.code} {item.severity.value}" for item in analyzed.diagnostics),
    )


def failed(path: str, reason: str) -> FileCounts:
    return FileCounts(path, error=reason)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.corpus", description=__doc__)
    parser.add_argument("roots", nargs="+", metavar="ROOT")
    parser.add_argument("--jobs", type=int, metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the counts of every file, one per line")
    options = parser.parse_args()
    paths = [item.path for item in expand(options.roots) if isinstance(item, SourceFile)]
    roots = tuple(dict.fromkeys(project_root(root) for root in options.roots))
    start = time.perf_counter()
    results = list(run_files(FileTask(EngineOptions(roots=roots), count, failed), paths, options.jobs))
    print_report(results, time.perf_counter() - start)
    if options.json is not None:
        rows = ({name: getattr(item, name) for name in FileCounts.__slots__} for item in results)
        options.json.write_text("".join(json.dumps(row) + "\n" for row in rows))
    sys.exit(any(item.error for item in results))


def print_report(results: list[FileCounts], seconds: float) -> None:
    """The totals, then the lists."""
    lines = sum(item.lines for item in results)
    kernels = sum(item.kernels for item in results)
    clear = sum(item.clear_kernels for item in results)
    totals = {
        "files": len(results),
        "crashes": sum(item.error is not None for item in results),
        "lines": lines,
        "syntax errors left": sum(item.parse_errors for item in results),
        "kernels": kernels,
        "kernels without opaque": f"{clear} ({100 * clear / max(kernels, 1):.1f} %)",
        "device functions": sum(item.device_functions for item in results),
        "opaques": sum(len(item.opaques) for item in results),
        "seconds": f"{seconds:.1f}",
        "lines/s": f"{lines / seconds:,.0f}",
    }
    for name, value in totals.items():
        print(f"{name:24} {value}")
    for item in results:
        if item.error is not None:
            print(f"crash: {item.path}: {item.error}")
    print_counts("opaques by construct", (name for item in results for name in item.opaques))
    print_counts("branches", (name for item in results for name in item.branches))
    print_counts("barriers", (name for item in results for name in item.barriers))
    print_counts("findings", (name for item in results for name in item.findings))
    print_counts("problems", (name for item in results for name in item.problems))


def print_counts(title: str, names: Iterable[str]) -> None:
    counts = Counter(names)
    print(f"\n{title}: {counts.total()}")
    for name, number in counts.most_common(TOP):
        print(f"{number:8}  {name}")


if __name__ == "__main__":
    main()
