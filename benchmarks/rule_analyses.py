"""The analyses whose answers only the rules about barriers, masks and races read, and an analyzer without them.

Left out  witnesses of missed barriers, who needs the threads that miss them, barriers that order nothing, races within
          a block and between blocks, problems of the operations of warps.  What else reads the same (intervals of
          barriers, linear forms, verdicts) stays.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from typing import Final, final
from unittest.mock import patch

from analysis.facts import roots
from analysis.ir.ids import BasicBlockId
from analysis.verdict import barriers

RULES: Final = ("SYN", "RAC", "WRP")


def _nothing(*_: object, **__: object) -> tuple[()]:
    return ()


def _none(*_: object) -> None:
    return None


@final
class _NoAbsences:
    """In place of `Absences`."""

    def __init__(self, *_: object) -> None:
        pass

    def need(self, *_: object) -> None:
        return None


@final
class _NoOrdering:
    """In place of `BarrierOrdering`."""

    def __init__(self, *_: object) -> None:
        pass

    def idle(self) -> frozenset[tuple[BasicBlockId, int]]:
        return frozenset()


@contextmanager
def left_out() -> Generator[None]:
    """Roots that are analysed inside know nothing of all this."""
    with ExitStack() as stack:
        for name in ("find_races", "find_block_races", "find_warp_problems"):
            stack.enter_context(patch.object(roots, name, _nothing))
        stack.enter_context(patch.object(roots, "Absences", _NoAbsences))
        stack.enter_context(patch.object(roots, "BarrierOrdering", _NoOrdering))
        stack.enter_context(patch.object(barriers, "find_witness", _none))
        yield
