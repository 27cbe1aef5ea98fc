"""Which pointers a compiler takes to overlap with others: all but those that are `__restrict__`."""

from __future__ import annotations

from collections.abc import Callable

from analysis.facts.merge import FrameView
from analysis.ir.ids import ValueId
from analysis.ir.source import OWN_FRAME


def may_alias(view: FrameView) -> Callable[[ValueId, ValueId], bool]:
    """Of the roots of two addresses; the text of the declarations says which parameters are restricted.

    An inlined function whose head says `restrict` anywhere keeps all of its pointers apart here: which of the caller's
    they are is not looked at.
    """
    function, root = view.root.function, view.root
    item = root.items.get(function.id)
    restricted: set[ValueId] = set()
    if item is not None:
        for parameter in function.parameters:
            start = max(item.text.rfind(mark, 0, parameter.span.start) for mark in (b"(", b","))
            if b"restrict" in item.text[max(0, start) : parameter.span.end]:
                restricted.add(parameter.value)
    if view.frame != OWN_FRAME:
        inlined = root.items.get(function.frames[view.frame].function)
        if inlined is not None and b"restrict" in inlined.text.partition(b"{")[0]:
            return lambda one, other: False
    return lambda one, other: one not in restricted and other not in restricted
