"""The study of a run for the terminal: convergence, registers, scalarization."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from presentation.terminal.table import Line, Tone, table
from sim.observers.convergence import Convergence
from sim.observers.register_kinds import KindCount
from sim.observers.scalar_activity import Executed, Source
from sim.report import words
from sim.report.model import KernelReport
from sim.report.study import Study

CONVERGENCE_WORDS: Final = {
    Convergence.BY_SHAPE: "proven by the graph alone",
    Convergence.BY_VARIANCE: "proven with uniform conditions",
    Convergence.BY_EXITS: "proven but for lanes that left",
    Convergence.DYNAMIC: "not proven, yet together",
    Convergence.DIVERGED: "diverged",
}
COUNTS: Final = ("issued", "operations", "reads", "writes", "addresses", "data")


def study_lines(report: KernelReport, width: int) -> Iterator[Line]:
    study = report.study
    if study is None:
        return
    yield from _convergence(study, width)
    yield ()
    yield from _registers(study, width)
    yield ()
    yield from _activity(study, width)


def _convergence(study: Study, width: int) -> Iterator[Line]:
    rows: list[Line] = [
        (
            (CONVERGENCE_WORDS[kind], Tone.PLAIN),
            (words.percent(study.convergence.share(kind)), _share_tone(kind, study.convergence.share(kind))),
            (words.number(count.thread_instructions), Tone.MUTED),
        )
        for kind, count in study.convergence.kinds
    ]
    rows.append(
        (("best possible schedule", Tone.PLAIN), (words.oracle_share(study.oracle), Tone.GOOD), ("", Tone.MUTED))
    )
    yield from table(("convergence", "share", "thread instructions"), rows, width, right={1, 2}, stretch=0)


def _share_tone(kind: Convergence, share: float) -> Tone:
    return Tone.WARNING if kind is Convergence.DIVERGED and share else Tone.PLAIN


def _registers(study: Study, width: int) -> Iterator[Line]:
    rows: list[Line] = [
        _register_row("reads, by tags", study.tags.reads),
        _register_row("reads, by values", study.values.reads),
        _register_row("results, by tags", study.tags.results),
        _register_row("results, by values", study.values.results),
    ]
    yield from table(("registers", "uniform", "affine", "of"), rows, width, right={1, 2, 3}, stretch=0)


def _register_row(title: str, count: KindCount) -> Line:
    several = count.uniform + count.affine + count.generic
    return (
        (title, Tone.PLAIN),
        (words.percent(count.uniform_share), Tone.PLAIN),
        (words.percent(count.affine_share), Tone.PLAIN),
        (words.number(several), Tone.MUTED),
    )


def _activity(study: Study, width: int) -> Iterator[Line]:
    rows = [_activity_row(source.value, study.activity.scalarized[source]) for source in Source]
    before = sum(study.activity.conventional.values(), Executed())
    rows.append(_activity_row("conventional code", before, Tone.MUTED))
    saved = study.activity.saved()
    rows.append((("saved", Tone.PLAIN), *((words.percent(saved[name]), Tone.GOOD) for name in COUNTS)))
    yield from table(("scalarized", *COUNTS), rows, width, right=set(range(1, 7)), stretch=0)


def _activity_row(title: str, count: Executed, tone: Tone = Tone.PLAIN) -> Line:
    return ((title, tone), *((words.number(getattr(count, name)), tone) for name in COUNTS))
