"""Where the functions stand that the facts of one of them are about: itself, and what was inlined or is called there.

What was found in one version of the file is moved to the next, each place with the function that it lies in.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Final, TypeAlias, final

from analysis.ir.instructions import FunctionId
from analysis.ir.record import record

Extent: TypeAlias = tuple[int, int, FunctionId]
"""Where a function of the file begins and ends."""
Elsewhere: TypeAlias = tuple[str, int, FunctionId]
"""Where a function of another file begins."""


@final
@record
class Layout:
    """The functions of the file in the order of the text, of which one is the one that was asked about."""

    extents: Sequence[Extent]
    own: int
    elsewhere: frozenset[Elsewhere]

    @property
    def shape(self) -> Hashable:
        """Equal where a function that is in one layout is in the other, in the same order: they may be further apart.

        Those in other files have to stand where they stood.
        """
        return tuple([(id, end - start) for start, end, id in self.extents]), self.own, self.elsewhere

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Which of the functions a range lies in, and how far from its beginning; the innermost of several."""
        for number in range(len(self.extents) - 1, -1, -1):
            begin, stop, _ = self.extents[number]
            if begin <= start and end <= stop:
                return number, start - begin
        return NOWHERE, start

    def moves(self, now: Layout) -> Callable[[int, int], int]:
        """By how much a range has moved that lies in a function; `now` has the same shape."""

        def moved(start: int, end: int) -> int:
            number, _ = self.place(start, end)
            assert number != NOWHERE, "who keeps a place asks whether it lies in a function"
            return now.extents[number][0] - self.extents[number][0]

        return moved


NOWHERE: Final = -1
