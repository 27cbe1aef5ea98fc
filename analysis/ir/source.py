"""Where a piece of IR comes from: byte offsets, and the chain of inlined calls around them."""

from __future__ import annotations

from typing import NewType, final

from analysis.ir.record import record

FrameId = NewType("FrameId", int)
"""Index into `Function.frames`; frame 0 is the function itself."""

OWN_FRAME = FrameId(0)


@final
@record
class Span:
    """A half-open range of bytes, relative to the start of the item (function) that `frame` names.

    Offsets are relative to the item, not to the file, so that facts survive when the item moves.
    """

    start: int
    end: int
    frame: FrameId = OWN_FRAME


NO_SPAN = Span(0, 0)
"""For instructions that no source text stands behind (textual IR, implicit returns)."""
