"""Where objects end by code: the places in a function's text at which destructors run.

A brace, or a `return`, then does more than it says.  What moves statements to other scopes has to leave these alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from analysis.facts.merge import FrameView
from analysis.ir.ids import FunctionId
from analysis.ir.instructions import Call
from analysis.ir.source import Span


def destructor_name(function: FunctionId) -> str:
    """The qualified name of a destructor; empty for any other function."""
    name = function.partition("(")[0]
    return name if name.rpartition("::")[2].startswith("~") else ""


def object_ends(view: FrameView) -> Iterator[Span]:
    """In the text of one frame."""
    function = view.root.function
    for frame in function.frames:
        if frame.parent == view.frame and destructor_name(frame.function):
            yield Span(frame.call.start, frame.call.end, view.frame)
    for block in function.blocks:
        for call in block.instructions:
            if isinstance(call, Call) and call.span.frame == view.frame and destructor_name(call.callee):
                yield call.span
