"""One link of a `why` chain as a person reads it: line, source text, words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import Location, WhyStep
from analysis.rules.origin import one_step_per_place
from analysis.rules.source_text import one_line


@final
@dataclass(frozen=True, slots=True)
class SourceStep:
    """`line` (from 1) and `source` (its text, trimmed) are None for a place in a file whose text is not at hand."""

    location: Location
    line: int | None
    source: str | None
    text: str


def source_steps(analysis: FileAnalysis, steps: Sequence[WhyStep]) -> tuple[SourceStep, ...]:
    """The chain with its source lines, one link per place."""
    return tuple(source_step(analysis, step.location, step.text) for step in one_step_per_place(steps))


def source_step(analysis: FileAnalysis, location: Location, text: str) -> SourceStep:
    """One place with its line, if it is in the analysed file."""
    if location.path != analysis.facts.path:
        return SourceStep(location, None, None, text)
    line = analysis.document.lines.line_of(location.start)
    return SourceStep(location, line + 1, one_line(analysis.document.lines.line_text(line)), text)
