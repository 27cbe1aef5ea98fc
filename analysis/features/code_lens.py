"""One line over each kernel: what its warps meet, and where it is launched, if that is in another file."""

from __future__ import annotations

from typing import final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.features.launch_text import origin_text
from analysis.features.summary import counts_in_words, summarize
from analysis.ir.pace import paced
from analysis.ir.record import record


@final
@record
class CodeLens:
    """`start`/`end` cover the kernel's name, `declaration` is where its declaration begins; `title` is what to show."""

    declaration: int
    start: int
    end: int
    function: str
    divergent_branches: int
    unsafe_barriers: int
    opaque: int
    uncoalesced: int
    bank_ways: int | None
    title: str
    origin: str | None = None
    """Where it is launched, if that is in another file."""


def code_lenses(analysis: FileAnalysis) -> tuple[CodeLens, ...]:
    """One lens per active kernel, in text order."""
    return tuple(_lens(analysis, function) for function in paced(analysis.facts.kernels(), 20) if function.active)


def _lens(analysis: FileAnalysis, function: FunctionFacts) -> CodeLens:
    summary = summarize(analysis, function)
    return CodeLens(
        function.start,
        function.start + function.name_span.start,
        function.start + function.name_span.end,
        function.name,
        summary.divergent_branches,
        summary.unsafe_barriers,
        summary.opaque,
        summary.uncoalesced,
        summary.bank_ways,
        counts_in_words(summary),
        origin_text(analysis, function),
    )
