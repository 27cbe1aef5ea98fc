"""What does the warp see here?  One answer per place: a value, a branch, a barrier or a function's name."""

from __future__ import annotations

from analysis.facts.analyzer import FileAnalysis
from analysis.features.hover_info import HoverInfo


def hover_at(analysis: FileAnalysis, offset: int) -> HoverInfo | None:
    """What to show at a byte offset; None where the analysis has nothing to say."""
    raise NotImplementedError
