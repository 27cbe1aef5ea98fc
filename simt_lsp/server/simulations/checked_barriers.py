"""What checks of repaired barriers ended with, by document; each holds for exactly the text that was checked.

Rules    The last `MAX_KEPT` results of a document are kept, until it is closed.
Threads  Written on the event loop, read on the worker's thread: the map is replaced, never changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, final

from analysis.ir.record import record
from analysis.refactor.barrier_goal import BarrierGoal
from simt_lsp.server.simulations.edit_outcome import CheckedEdit, EditVerdict

MAX_KEPT: Final = 64


@final
@record
class BarrierPlace:
    """What is asked for, in which text (its digest): `start` of the function, and `place` of what the goal is about."""

    text: bytes
    goal: BarrierGoal
    start: int
    place: int


@final
class CheckedBarriers:
    """All results of one server."""

    def __init__(self) -> None:
        self._known: Mapping[str, Mapping[BarrierPlace, CheckedEdit]] = {}

    def put(self, uri: str, place: BarrierPlace, checked: CheckedEdit) -> None:
        before = {key: value for key, value in self._known.get(uri, {}).items() if key != place}
        kept = dict(list(before.items())[-MAX_KEPT + 1 :])
        self._known = {**self._known, uri: {**kept, place: checked}}

    def of(self, uri: str, place: BarrierPlace) -> CheckedEdit | None:
        return self._known.get(uri, {}).get(place)

    def confirmed(self, uri: str, text: bytes) -> frozenset[int]:
        """Where functions begin of which some repair is confirmed in the text with this digest."""
        known = self._known.get(uri, {})
        return frozenset(
            place.start
            for place, checked in known.items()
            if place.text == text and checked.verdict is EditVerdict.CONFIRMED
        )

    def forget(self, uri: str) -> None:
        self._known = {key: value for key, value in self._known.items() if key != uri}
