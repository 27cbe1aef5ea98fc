"""One link of a `why` chain as a person reads it: line, source text, words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, final

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import Location, StepKind, WhyStep
from analysis.ir.record import record
from analysis.rules.origin import one_step_per_place
from analysis.rules.source_text import excerpt

_SUBJECT: Final = re.compile(r"^`[^`]*`:? *")


@final
@record
class SourceStep:
    """`text` is the whole sentence; `remark` what is left to say beside the source text, often nothing.

    `kind` is None for a place that is no link of a chain.  `line` (from 1) and `source` (its text, or the part of a
    long line around the place) are None for a place in a file whose text is not at hand.
    """

    kind: StepKind | None
    location: Location
    line: int | None
    source: str | None
    text: str
    remark: str


def source_steps(analysis: FileAnalysis, steps: Sequence[WhyStep]) -> tuple[SourceStep, ...]:
    """The chain with its source text, one link per place; of links on one line that only pass data on, the last."""
    chain: list[SourceStep] = []
    for step in one_step_per_place(steps):
        link = source_step(analysis, step.location, step.text, _remark(step), step.kind)
        if chain and not chain[-1].remark and link.line is not None and chain[-1].line == link.line:
            chain.pop()
        chain.append(link)
    return tuple(chain)


def without_repeats(steps: Sequence[SourceStep]) -> tuple[SourceStep, ...]:
    """For display: a link that only shows its neighbour's line again is left out."""
    return tuple(
        step
        for before, step in zip((None, *steps), steps, strict=False)
        if before is None or not _repeats(step, before)
    )


def _repeats(step: SourceStep, before: SourceStep) -> bool:
    return not step.remark and step.source is not None and (step.line, step.source) == (before.line, before.source)


def source_step(
    analysis: FileAnalysis, location: Location, text: str, remark: str, kind: StepKind | None = None
) -> SourceStep:
    """One place with its line, if it is in the analysed file."""
    if location.path != analysis.facts.path:
        return SourceStep(kind, location, None, None, text, remark)
    lines = analysis.document.lines
    line = lines.line_of(location.start)
    whole, first = lines.line_text(line), lines.line_start(line)
    source = excerpt(whole, location.start - first, min(location.end - first, len(whole)))
    return SourceStep(kind, location, line + 1, source, text, remark)


def _remark(step: WhyStep) -> str:
    """A chain is read downwards, so "because an operand does" goes without saying; a source says what it is."""
    if step.kind is StepKind.DATA:
        return ""
    return _SUBJECT.sub("", step.text) if step.kind is StepKind.SEED else step.text


def place_text(step: SourceStep) -> str:
    """`line 12`, or the name of the other file."""
    return f"line {step.line}" if step.line is not None else step.location.path.rpartition("/")[2]


def plain_step(step: SourceStep) -> str:
    """`line 7: int tid = threadIdx.x;  (the thread index differs in every thread)`."""
    if not step.source:
        return f"{place_text(step)}: {step.text}"
    return f"{place_text(step)}: {step.source}" + (f"  ({step.remark})" if step.remark else "")
