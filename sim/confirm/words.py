"""What runs say of a finding, as a sentence without a full stop and as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

from analysis.rules.wording import quantity
from sim.confirm.model import Confirmed, DependsOnChoices, NotRun, NotSeen, RunVerdict, Sighting
from sim.report.words import index_words, shape


def run_words(verdict: RunVerdict) -> str:
    """`confirmed by a run of k (grid 1, block 128): thread 5 of block 0 reads ...`."""
    match verdict:
        case Confirmed(sighting=sighting):
            return f"confirmed by a run of {_seen_words(sighting)}"
        case DependsOnChoices(sighting=sighting, seen=seen, runs=runs, names=names):
            chosen = {choice.name: choice.value for choice in sighting.choices}
            behind = ", ".join(f"{name} = {chosen[name]}" for name in names if name in chosen)
            return (
                f"seen in {seen} of {quantity(runs, 'run')}, but what was chosen for them may decide it "
                f"({behind}); in a run of {_seen_words(sighting)}"
            )
        case NotSeen(runs=runs):
            return f"not seen in {quantity(runs, 'run')}"
        case NotRun(reason=reason):
            return f"not run: {reason}"
        case _:
            assert_never(verdict)


def verdict_name(verdict: RunVerdict) -> str:
    """The word for programs."""
    match verdict:
        case Confirmed():
            return "confirmed"
        case DependsOnChoices():
            return "depends-on-choices"
        case NotSeen():
            return "not-seen"
        case NotRun():
            return "not-run"
        case _:
            assert_never(verdict)


def run_count(verdict: RunVerdict) -> int:
    """How many runs say something about the finding."""
    return 0 if isinstance(verdict, NotRun) else verdict.runs


def evidence_object(verdict: RunVerdict) -> Mapping[str, Any] | None:
    """The run that shows it, as JSON; None where there is none."""
    if not isinstance(verdict, Confirmed | DependsOnChoices):
        return None
    sighting = verdict.sighting
    fault = sighting.fault
    return {
        "kernel": sighting.kernel,
        "grid": list(sighting.grid),
        "block": list(sighting.block),
        "warp_size": sighting.warp_size,
        "seed": sighting.seed,
        "choices": [
            {"name": one.name, "value": one.value, "why": one.why, "chosen": one.is_chosen} for one in sighting.choices
        ],
        "fault": fault.kind,
        "message": fault.message,
        "first": {
            "block": list(fault.block),
            "thread": list(fault.thread),
            "path": None if fault.place is None else fault.place.path,
            "line": None if fault.place is None else fault.place.line,
        },
        "others": [
            {
                "message": one.message,
                "path": None if one.place is None else one.place.path,
                "line": None if one.place is None else one.place.line,
            }
            for one in fault.related
        ],
        "depends_on": list(fault.chosen),
    }


def _seen_words(sighting: Sighting) -> str:
    fault = sighting.fault
    launch = f"grid {shape(sighting.grid)}, block {shape(sighting.block)}"
    who = f"thread {index_words(fault.thread)} of block {index_words(fault.block)}"
    where = "" if fault.place is None else f", line {fault.place.line}"
    return f"{sighting.kernel} ({launch}): {who}{where}: {fault.message}"
