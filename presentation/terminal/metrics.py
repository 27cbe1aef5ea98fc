"""Counts under the names of NVIDIA's profilers, and what their rules would say of them, for the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Final

from presentation.terminal.table import Line, Tone, clean, heading, table
from sim.report import words
from sim.report.metrics import Metric, metrics
from sim.report.model import KernelReport, PolicyReport
from sim.report.profile_rules import profile_advice

NOTE: Final = "counted before an optimising compiler: compare ratios and memory, not sums of instructions (≈)"


def advice_lines(report: KernelReport, run: PolicyReport, width: int) -> Iterator[Line]:
    """What Nsight Compute's rules would say; nothing where none of them would."""
    found = profile_advice(report, run)
    if found:
        yield heading("as Nsight Compute would advise")
    for one in found:
        where = ", ".join(words.place_in(report.path, place) for place in one.places)
        yield (
            (f"  {one.title}", Tone.WARNING),
            (f"  {one.rule}", Tone.MUTED),
            (f"  {where}" if where else "", Tone.PLAIN),
        )
        for text in textwrap.wrap(clean(f"{one.message} ({one.metric}, wanted: {one.wanted})"), width - 6):
            yield (("      " + text, Tone.PLAIN),)


def metric_lines(run: PolicyReport, width: int) -> Iterator[Line]:
    if not run.warp_instructions:
        return
    rows: list[Line] = [
        ((one.name, Tone.PLAIN), (value_words(one.value), Tone.PLAIN), (ours(one), Tone.MUTED)) for one in metrics(run)
    ]
    yield from table(("as NVIDIA's profilers name it", "", ""), rows, width, right={1}, stretch=2)
    yield (("  " + NOTE, Tone.MUTED),)


def ours(metric: Metric) -> str:
    """What it is called here; marked where the profiler's count has something else in it."""
    return metric.ours if metric.differs is None else f"≈ {metric.ours}"


def value_words(value: float) -> str:
    return words.number(value) if isinstance(value, int) else f"{value:.1f}"
