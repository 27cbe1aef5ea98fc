"""All that one run found, as a reader wants it: what the machine saw, races, and what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sim.faults import DataRace, OutOfBounds
from sim.launch.adapt import DYNAMIC_SHARED, arrays_too_short, is_shared_short
from sim.launch.planner import Plan
from sim.report.faults import fault_report, left_out_launch
from sim.report.model import FaultReport
from sim.report.origins import Origins
from sim.report.places import SourcePlaces
from sim.report.races import RaceReports
from sim.result import Result


def findings_of(
    plan: Plan, result: Result, places: SourcePlaces, races: RaceReports, origins: Origins
) -> Sequence[FaultReport]:
    """Faults of the machine, then races; notes where an array of a chosen length, or dynamic shared memory of a chosen
    size, is too short, or another choice is behind them."""
    shared = frozenset({DYNAMIC_SHARED}) if is_shared_short(plan, result) else frozenset[str]()
    short = arrays_too_short(plan, result) | shared
    own: list[FaultReport] = []
    for fault in result.faults:
        if not isinstance(fault, DataRace):
            report = origins.labelled(fault_report(fault, places), fault)
            is_short = isinstance(fault, OutOfBounds) and fault.offset >= 0 and fault.buffer in short
            own.append(replace(report, is_note=True) if is_short else report)
    left_out = (left_out_launch(one, places) for one in result.left_out)
    return (*own, *races.of(fault for fault in result.faults if isinstance(fault, DataRace)), *left_out)
