"""Everything the analysis can say about one line, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from analysis.facts.analyzer import FileAnalysis
from analysis.features.source_step import SourceStep


@final
@dataclass(frozen=True, slots=True)
class ExplainedItem:
    """One branch, barrier, variable or opaque on the line: `what` names it, `verdict` is the answer in a sentence."""

    start: int
    end: int
    what: str
    verdict: str
    why: tuple[SourceStep, ...]
    place: str | None
    why_not_convergent: tuple[SourceStep, ...]


@final
@dataclass(frozen=True, slots=True)
class Explanation:
    """`line` counts from 1; `summary` stands for the items when there are none ("nothing varies here")."""

    line: int
    source: str
    function: str | None
    summary: str
    items: tuple[ExplainedItem, ...]


def explain_line(analysis: FileAnalysis, line: int) -> Explanation:
    """What stands on a line (from 1), each with its chain."""
    raise NotImplementedError


def render_explanation(explanation: Explanation) -> str:
    """As plain text, for a terminal."""
    raise NotImplementedError
