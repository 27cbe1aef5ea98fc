"""What is known of a kernel's launches, in words."""

from __future__ import annotations

from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.rules.witness_text import extent_text


def block_text(launch: LaunchKnowledge | None) -> str | None:
    """`block of 16 x 16 threads`; None for a function that is not launched."""
    if launch is None:
        return None
    if launch.shapes:
        return f"block of {' or '.join(map(extent_text, launch.shapes))} threads"
    return "one-dimensional block of unknown size" if launch.one_dimensional else "block shape not known"
