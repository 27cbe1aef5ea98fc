"""A report on scalarization as plain data, ready for JSON.

`conventional` and `scalarized` hold blocks with their instructions; `warp_sizes` the counts of the whole code and of
each loop, per warp, as `[conventional, scalarized]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from analysis.features.scalarization.report import ScalarizationReport
from analysis.scalar.counts import Activity, Comparison
from analysis.scalar.listing import instruction_text, labels
from analysis.scalar.machine import Execution, MachineFunction
from analysis.scalar.scalarize import Scalarization

Data: TypeAlias = "bool | int | float | str | list[Data] | dict[str, Data] | None"


def report_data(report: ScalarizationReport) -> dict[str, Data]:
    shown = report.shown
    return {
        "function": report.facts.name,
        "kind": report.facts.kind.value,
        "warp_size": shown.warp_size,
        "exit_optimization": shown.exit_optimization,
        "assumes_rows": shown.plan.assumes_rows,
        "conventional": _code(report, shown.conventional),
        "scalarized": _code(report, shown.scalarized),
        "warp_sizes": [_counts(result) for result in report.by_warp_size],
        "collange": {
            "results": {kind.value: count for kind, count in shown.collange.results.items()},
            "operands": {kind.value: count for kind, count in shown.collange.operands.items()},
        },
    }


def _code(report: ScalarizationReport, function: MachineFunction) -> list[Data]:
    names = labels(function)
    blocks: list[Data] = []
    for block in function.blocks:
        instructions: list[Data] = []
        for instruction in block.instructions:
            source = report.source_of(instruction.span)
            instructions.append(
                {
                    "text": instruction_text(instruction, names),
                    "execution": instruction.execution.value,
                    "path": None if source is None else source.path,
                    "line": None if source is None else source.line,
                }
            )
        blocks.append(
            {
                "label": names[block.id],
                "divergent": block.divergent,
                "syncwarp": block.needs_syncwarp,
                "instructions": instructions,
            }
        )
    return blocks


def _counts(result: Scalarization) -> dict[str, Data]:
    names = labels(result.scalarized)
    loops: list[Data] = [
        {
            "label": names[loop.header],
            "depth": loop.depth,
            **_comparison(loop.comparison, result.warp_size),
        }
        for loop in result.loops
    ]
    before, after = result.conventional_registers, result.scalar_registers
    return {
        "warp_size": result.warp_size,
        "registers": {
            "per_warp": [before.per_warp(result.warp_size), after.per_warp(result.warp_size)],
            "per_thread": [before.each, after.each],
            "shared": after.once,
        },
        "whole": _comparison(result.whole, result.warp_size),
        "loops": loops,
    }


def _comparison(comparison: Comparison, warp_size: int) -> dict[str, Data]:
    before, after = comparison.conventional, comparison.scalarized
    executions: Mapping[Execution, int] = after.instructions

    def measures(activity: Activity) -> dict[str, int]:
        return {
            "instructions": activity.issued,
            "operations": activity.operations.per_warp(warp_size),
            "reads": activity.reads.per_warp(warp_size),
            "writes": activity.writes.per_warp(warp_size),
            "addresses": activity.addresses.per_warp(warp_size),
            "data": activity.data.per_warp(warp_size),
        }

    new = measures(after)
    return {
        **{name: [old, new[name]] for name, old in measures(before).items()},
        **{execution.value.replace("-", "_"): executions[execution] for execution in Execution},
        "added": comparison.added,
        "removed": comparison.removed,
    }
