"""How long melding takes over a corpus: the pass on IR for every kernel, and the outcomes in the source.

Processor time of this process; what comes before (reading, lowering, inlining, the analyses) is not counted.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from analysis.facts.file_analysis import FileAnalysis
from analysis.ir.function import FunctionKind
from analysis.meld.meld import meld_function
from analysis.meld.settings import DEFAULT_MELD_SETTINGS
from analysis.refactor.meld.outcomes import meld_outcomes
from benchmarks.table import Row
from sim.kernel import Kernel, load_kernel
from simt_lsp.cli.engine import Engine, EngineOptions, UnreadableError
from simt_lsp.cli.paths import SourceFile, expand


def melding_speed(paths: Sequence[str], name: str) -> list[Row]:
    """Milliseconds for each kernel and each function; nothing where the corpus has none."""
    engine = Engine(EngineOptions())
    on_ir: list[float] = []
    in_source: list[float] = []
    for path in (item.path for item in expand(paths) if isinstance(item, SourceFile)):
        try:
            analysis = engine.analyze(path).analysis
        except UnreadableError:
            continue
        for kernel in _kernels(analysis):
            start = time.process_time()
            meld_function(kernel.function, DEFAULT_MELD_SETTINGS)
            on_ir.append(time.process_time() - start)
        for function in analysis.facts.functions:
            start = time.process_time()
            meld_outcomes(analysis, function, DEFAULT_MELD_SETTINGS)
            in_source.append(time.process_time() - start)
    return [
        *_rows(f"meld IR of {len(on_ir)} kernels, {name}", on_ir),
        *_rows(f"meld outcomes of {len(in_source)} functions, {name}", in_source),
    ]


def _kernels(analysis: FileAnalysis) -> Iterator[Kernel]:
    for function in analysis.program.device_functions():
        if function.kind is FunctionKind.KERNEL and function.item.active:
            yield load_kernel(analysis.program, function.id)


def _rows(name: str, seconds: list[float]) -> list[Row]:
    if not seconds:
        return []
    ordered = sorted(seconds)
    return [
        Row(f"{name}: mean", 1000 * sum(ordered) / len(ordered), "ms"),
        Row(f"{name}: slowest", 1000 * ordered[-1], "ms"),
    ]
