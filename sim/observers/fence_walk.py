"""Where fences stand among the accesses of a segment: events tell of accesses and of the end of a segment only."""

from __future__ import annotations

from typing import final

from analysis.ir.instructions import Fence
from analysis.ir.operators import MemoryScope
from sim.events import AccessSite, Run

_BLOCK_SCOPES = (MemoryScope.BLOCK, MemoryScope.WARP)


@final
class FenceWalk:
    """Follows the run through the segments; each fence is told once per time that its segment runs.

    After a call that returns into the middle of a segment, its earlier fences are told once more.
    """

    def __init__(self, run: Run) -> None:
        self._fences: dict[int, list[tuple[int, bool]]] = {}
        """Of each segment: the position of the fence among its instructions, whether it is for more than the block."""
        self._positions: dict[int, int] = {}
        for number, segment in enumerate(run.segments):
            for position, one in enumerate(segment.instructions):
                self._positions[id(one)] = position
                if isinstance(one, Fence):
                    self._fences.setdefault(number, []).append((position, one.scope not in _BLOCK_SCOPES))
        self._segment, self._told = -1, -1

    def has_any(self) -> bool:
        return bool(self._fences)

    def before(self, site: AccessSite) -> bool | None:
        """Whether a fence was passed on the way to the access, and if so, whether one for more than the block."""
        return self._up_to(site.segment, self._positions.get(id(site.instruction), 0))

    def at_end(self, segment: int) -> bool | None:
        """The same for the end of a segment."""
        found = self._up_to(segment, len(self._positions))
        self._segment = -1
        return found

    def _up_to(self, segment: int, position: int) -> bool | None:
        if segment != self._segment:
            self._segment, self._told = segment, -1
        fences = self._fences.get(segment)
        if fences is None:
            return None
        passed = [is_device for at, is_device in fences if self._told < at < position]
        self._told = position
        return any(passed) if passed else None
