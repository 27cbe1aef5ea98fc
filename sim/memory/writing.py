"""Stores of many threads at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.arrays import Lanes, Values, members
from sim.state.frame import Frame


def write(machine: Any, frame: Frame, view: Values, at: Values, values: Values, lanes: Lanes | None) -> None:
    """Stores; of several threads with one address the last one (highest row, then highest lane) wins."""
    if lanes is not None:
        positions = frame.chooser.positions(lanes)
        at, values = members(at, positions, lanes.shape), members(values, positions, lanes.shape)
    elif at.shape != values.shape and values.ndim:
        at, values = np.broadcast_arrays(at, values)
    if machine.watches:
        machine.note_change(bool((view[at] != values).any()))
    view[at] = values
