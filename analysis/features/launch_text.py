"""What is known of a kernel's launches, in words."""

from __future__ import annotations

from typing import Final

from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts
from analysis.rules.witness_text import extent_text

MAX_PLACES: Final = 5


def block_text(launch: LaunchKnowledge | None) -> str | None:
    """`block of 16 x 16 threads`; None for a function that is not launched."""
    if launch is None:
        return None
    if launch.shapes:
        return f"block of {' or '.join(map(extent_text, launch.shapes))} threads"
    return "one-dimensional block of unknown size" if launch.one_dimensional else "block shape not known"


def launches_text(block: str | None, analysis: FileAnalysis, function: FunctionFacts) -> str | None:
    """`block of 256 threads; all 3 launches: main.cu:53, main.cu:60, other.cu:7`: what is assumed, and from where."""
    places = analysis.launch_places(function)
    if block is None or not places:
        return block
    listed = [f"{place.path.rpartition('/')[2]}:{place.line}" for place in places]
    more = [f"{len(listed) - MAX_PLACES} more"] if len(listed) > MAX_PLACES else []
    launches = "only launch" if len(listed) == 1 else f"all {len(listed)} launches"
    return f"{block}; {launches}: {', '.join([*listed[:MAX_PLACES], *more])}"
