"""Counts under the names of NVIDIA's profilers, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from presentation.terminal.table import Line, Tone, table
from sim.report import words
from sim.report.metrics import metrics
from sim.report.model import PolicyReport

NOTE: Final = "counted before an optimising compiler: compare ratios and memory, not sums of instructions"


def metric_lines(run: PolicyReport, width: int) -> Iterator[Line]:
    if not run.warp_instructions:
        return
    rows: list[Line] = [
        ((one.name, Tone.PLAIN), (value_words(one.value), Tone.PLAIN), (one.ours, Tone.MUTED)) for one in metrics(run)
    ]
    yield from table(("as NVIDIA's profilers name it", "", ""), rows, width, right={1}, stretch=2)
    yield (("  " + NOTE, Tone.MUTED),)


def value_words(value: float) -> str:
    return words.number(value) if isinstance(value, int) else f"{value:.1f}"
