"""Which pointers a compiler takes to overlap with others: all but those that are `__restrict__`."""

from __future__ import annotations

from collections.abc import Callable

from analysis.facts.merge import FrameView
from analysis.facts.roots import RootAnalysis
from analysis.ir.ids import ValueId
from analysis.ir.source import OWN_FRAME


def may_alias(root: RootAnalysis) -> Callable[[ValueId, ValueId], bool]:
    """Of the roots of two addresses; the text of the declarations says which parameters are restricted."""
    item = root.items.get(root.function.id)
    restricted: set[ValueId] = set()
    if item is not None:
        for parameter in root.function.parameters:
            start = max(item.text.rfind(mark, 0, parameter.span.start) for mark in (b"(", b","))
            if b"restrict" in item.text[max(0, start) : parameter.span.end]:
                restricted.add(parameter.value)
    return lambda one, other: one not in restricted and other not in restricted


def keeps_pointers_apart(view: FrameView) -> bool:
    """An inlined function whose head says `restrict` anywhere keeps all of its pointers apart here: which of the
    caller's they are is not looked at."""
    if view.frame == OWN_FRAME:
        return False
    inlined = view.root.items.get(view.root.function.frames[view.frame].function)
    return inlined is not None and b"restrict" in inlined.text.partition(b"{")[0]
