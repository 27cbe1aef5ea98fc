"""Both melders as one question: this kernel, melded with these settings.

On IR      `analysis.meld`, on the inlined function that the simulator runs; the verifier checks the result.
In source  `analysis.refactor.meld`, as an editor offers it: the opportunity with the largest predicted saving comes
           first, its edit is applied, and the text is analysed again, until nothing is left.  An edit is kept where a
           trial run issues fewer instructions and leaves the same memory, which is when it would be offered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.facts.analyzer import AnalysisSettings, Analyzer
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.ir.function import Function
from analysis.ir.record import record
from analysis.ir.verifier import verify
from analysis.meld.meld import meld_function
from analysis.meld.settings import MeldSettings
from analysis.refactor.edit import apply_replacements
from analysis.refactor.meld.model import Opportunity, Refusal
from analysis.refactor.meld.outcomes import meld_outcomes
from analysis.refactor.meld.render import render_meld
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader

MOST_EDITS = 16
"""Of one kernel."""


def meld_ir(function: Function, settings: MeldSettings, launch: LaunchKnowledge) -> Function:
    """Raises ValueError where the verifier finds the result not well formed."""
    melded = meld_function(function, settings, launch).function
    for error in verify(melded):
        raise ValueError(f"{function.name}: the melded function is not well formed: {error}")
    return melded


@final
@record
class SourceMeld:
    """The text with `edits` melds; `tried` counts those that were applied, kept or not."""

    text: bytes
    edits: int
    tried: int


def meld_source(
    text: bytes, kernel: str, settings: MeldSettings, is_better: Callable[[bytes, bytes], bool]
) -> SourceMeld:
    """`is_better(before, after)` runs two versions of the text."""
    edits = tried = 0
    dropped = set[bytes]()
    while edits < MOST_EDITS:
        melded = _first_that_helps(text, kernel, settings, is_better, dropped)
        tried = len(dropped) + edits
        if melded is None:
            break
        text, edits = melded, edits + 1
    return SourceMeld(text, edits, tried)


def _first_that_helps(
    text: bytes,
    kernel: str,
    settings: MeldSettings,
    is_better: Callable[[bytes, bytes], bool],
    dropped: set[bytes],
) -> bytes | None:
    """The text after the best meld; what does not help is added to `dropped`."""
    analysis = _analyzed(text)
    for opportunity in _opportunities(analysis, kernel, settings):
        edit = render_meld(analysis, opportunity, settings)
        if isinstance(edit, Refusal):
            continue
        after = apply_replacements(text, edit)
        if after in dropped:
            continue
        if is_better(text, after):
            return after
        dropped.add(after)
    return None


def _opportunities(analysis: FileAnalysis, kernel: str, settings: MeldSettings) -> list[Opportunity]:
    """Of the kernel, the largest saving first."""
    found = [
        outcome
        for function in analysis.facts.functions
        if _is_called(function, kernel)
        for outcome in meld_outcomes(analysis, function, settings)
        if isinstance(outcome, Opportunity)
    ]
    return sorted(found, key=lambda opportunity: -opportunity.predicted_saving)


def _is_called(function: FunctionFacts, name: str) -> bool:
    return function.name == name


def _analyzed(text: bytes) -> FileAnalysis:
    return Analyzer(edited=False).analyze("kernel.cu", Document.open(text), DictLoader(), AnalysisSettings())
