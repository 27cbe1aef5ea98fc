"""Rows of measurements, as a table for people and as JSON for comparing runs."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, final


@final
@dataclass(frozen=True, slots=True)
class Row:
    """One measurement; `bar` is what the project wants to reach, in the same unit, `better` says which side is good."""

    name: str
    value: float
    unit: str
    bar: float | None = None
    better: Literal["higher", "lower"] = "lower"

    @property
    def reached(self) -> bool | None:
        if self.bar is None:
            return None
        return self.value >= self.bar if self.better == "higher" else self.value <= self.bar


def print_table(rows: Iterable[Row]) -> None:
    cells = [("what", "measured", "bar", "")]
    marks = {True: "yes", False: "no", None: ""}
    for row in rows:
        bar = "" if row.bar is None else f"{'>' if row.better == 'higher' else '<'} {number(row.bar)} {row.unit}"
        cells.append((row.name, f"{number(row.value)} {row.unit}", bar, marks[row.reached]))
    widths = [max(len(line[column]) for line in cells) for column in range(4)]
    for line in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def write_json(rows: Sequence[Row], path: Path) -> None:
    """The rows with the machine they were measured on."""
    machine = {"python": platform.python_version(), "system": platform.system(), "cores": os.cpu_count()}
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"machine": machine, "rows": [asdict(row) for row in rows]}, indent=2)
    path.write_text(text + "\n")


def number(value: float) -> str:
    """Three significant digits, no exponents."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
