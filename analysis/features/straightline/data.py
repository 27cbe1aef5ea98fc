"""A report on straight-line optimisations as plain data, ready for JSON.

`before`, `after` and each of `steps` hold machine instructions as the loops run: of a thread, and of a warp, in which
an instruction whose operands agree counts once.  `code` is the function behind all steps, a line for each instruction.
"""

from __future__ import annotations

from typing import TypeAlias

from analysis.features.straightline.report import StraightlineReport
from analysis.straightline.counts import Counts
from analysis.straightline.listing import code_lines

Data: TypeAlias = "bool | int | float | str | list[Data] | dict[str, Data] | None"


def report_data(report: StraightlineReport) -> dict[str, Data]:
    result, size = report.result, report.warp_size
    return {
        "function": report.facts.name,
        "kind": report.facts.kind.value,
        "warp_size": size,
        "unrolled": report.is_unrolled,
        "before": _counts(result.before, size),
        "after": _counts(result.after, size),
        "steps": [{"step": stage.step.value, **_counts(stage.counts, size)} for stage in result.stages],
        "wide_divisions": report.wide_divisions,
        "original": list[Data](code_lines(result.original)),
        "code": list[Data](code_lines(result.code)),
    }


def _counts(counts: Counts, warp_size: int) -> dict[str, Data]:
    return {"thread": counts.of_thread, "warp": counts.of_warp(warp_size)}
