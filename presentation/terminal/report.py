"""A report for the terminal: the verdict first, then what explains it.

Lines are plain data: pieces of text with a tone, which the shell turns into colour.  Nothing is wider than asked for,
from 80 columns on.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from analysis.rules.wording import quantity
from presentation.advice import look_first
from presentation.terminal.comparison import comparison_lines
from presentation.terminal.coverage import coverage_lines
from presentation.terminal.metrics import advice_lines, metric_lines
from presentation.terminal.study import study_lines
from presentation.terminal.table import Line, Tone, clean, cut, heading, table
from sim.observers.requests import RequestCount
from sim.report import words
from sim.report.model import BranchReport, FaultReport, KernelReport, LineReport, PolicyReport, Standing

WIDTH: Final = 100
NARROWEST, WIDEST = 80, 140
_MOST_LINES: Final = 8
_MOST_FAULTS: Final = 6
_MOST_BRANCHES: Final = 16
_MOST_CHOICES: Final = 24
_MOST_PRINTED: Final = 10
_BAR_CELLS: Final = 10
_PLACE_WIDTH: Final = 14
_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"


def report_lines(
    report: KernelReport,
    width: int = WIDTH,
    *,
    with_study: bool = False,
    with_coverage: bool = False,
    with_metrics: bool = False,
) -> Iterator[Line]:
    """The report for its first policy, the others beside it; blank lines part the sections."""
    run = report.policies[0]
    yield from _verdict(report, run, width)
    for section in (
        _first(report, run, width),
        comparison_lines(report, width),
        _findings("faults", run.faults, Tone.BAD, report, width),
        _findings("notes", run.notes, Tone.WARNING, report, width),
        _costliest_lines(report, run, width),
        _branches(report, run, width),
        _memory(report, run, width),
        advice_lines(report, run, width) if with_metrics else (),
        metric_lines(run, width) if with_metrics else (),
        coverage_lines(report, run, width) if with_coverage else (),
        study_lines(report, width) if with_study else (),
        _policies(report, width),
        _printed(run, width),
        _launch(report, width),
    ):
        lines = list(section)
        if lines:
            yield ()
            yield from lines


def _verdict(report: KernelReport, run: PolicyReport, width: int) -> Iterator[Line]:
    name = cut(clean(report.kernel), 40)
    time = words.duration(report.seconds) if report.standing is Standing.ENDED else words.time_words(report)
    launch = f"  {words.launch_words(report)} · {run.policy} · {time}"
    if len(name) + len(launch) <= width:
        yield ((name, Tone.TITLE), (launch, Tone.MUTED))
    else:
        yield ((name, Tone.TITLE),)
        yield ((launch, Tone.MUTED),)
    yield (
        ("  " + words.percent(run.simd_efficiency), _efficiency_tone(run.simd_efficiency)),
        (" SIMD efficiency", Tone.PLAIN),
        (
            f" · {quantity(run.warp_instructions, 'warp instruction')}"
            f" · {quantity(run.thread_instructions, 'thread instruction')}",
            Tone.PLAIN,
        ),
    )
    yield (
        (f"  {words.split_branches(run)} · ", Tone.PLAIN),
        (words.fault_total(run), Tone.BAD if run.faults else Tone.WARNING if run.coverage.is_low else Tone.GOOD),
        (f" · {quantity(len(run.notes), 'note')}" if run.notes else "", Tone.WARNING),
        (
            f" · {words.lines_reached(run)}" if run.coverage.reached < run.coverage.lines else "",
            Tone.WARNING if run.coverage.is_low else Tone.PLAIN,
        ),
    )
    stopped = words.truncation(run)
    if stopped is not None:
        yield (("  " + stopped, Tone.WARNING),)


def _first(report: KernelReport, run: PolicyReport, width: int) -> Iterator[Line]:
    yield heading("look at first")
    for advice in look_first(report, run):
        for text in textwrap.wrap(clean(advice.text), width - 2):
            yield (("  " + text, Tone.PLAIN),)


def _findings(title: str, found: Sequence[FaultReport], tone: Tone, report: KernelReport, width: int) -> Iterator[Line]:
    if not found:
        return
    yield heading(title)
    for one in found[:_MOST_FAULTS]:
        yield (
            (f"  {words.place_in(report.path, one.place)}  ", Tone.PLAIN),
            (one.kind, tone),
            (f"  {words.who(one)}", Tone.MUTED),
        )
        for text in textwrap.wrap(clean(one.message), width - 6):
            yield (("      " + text, Tone.PLAIN),)
    yield from _more(len(found) - _MOST_FAULTS)


def _branches(report: KernelReport, run: PolicyReport, width: int) -> Iterator[Line]:
    if not run.branches:
        return
    ranked = sorted(run.branches, key=lambda branch: (-branch.diverged, -branch.executed))[:_MOST_BRANCHES]
    rows = [_branch_row(report, branch) for branch in run.branches if branch in ranked]
    titles = ("branches", "", "executed", "split", "", "lanes", "meets", "static verdict")
    yield from table(titles, rows, width, right={0, 2, 3, 4, 5, 6}, stretch=1)
    yield from _more(len(run.branches) - len(rows))


def _branch_row(report: KernelReport, branch: BranchReport) -> Line:
    split = branch.diverged / branch.executed if branch.executed else 0.0
    verdict_tone = Tone.GOOD if branch.never_diverged else Tone.MUTED
    return (
        (_place(report, branch), Tone.PLAIN),
        (clean(words.branch_text(report, branch)), Tone.PLAIN),
        (words.number(branch.executed), Tone.PLAIN),
        (words.number(branch.diverged), Tone.WARNING if branch.diverged else Tone.MUTED),
        (words.percent(split) if branch.diverged else "", Tone.MUTED),
        (words.lanes_per_execution(branch), Tone.PLAIN),
        (words.meeting(report, branch), Tone.MUTED),
        (words.static_verdict(branch), Tone.BAD if words.contradicts(branch) else verdict_tone),
    )


def _place(report: KernelReport, branch: BranchReport) -> str:
    """Its end says more than its beginning."""
    place = words.place_in(report.path, branch.place)
    return place if len(place) <= _PLACE_WIDTH else "…" + place[1 - _PLACE_WIDTH :]


def _costliest_lines(report: KernelReport, run: PolicyReport, width: int) -> Iterator[Line]:
    lines = words.costliest(run, _MOST_LINES)
    if not lines:
        return
    most = words.share_of(lines[0], run)
    rows = [_cost_row(report, run, line, most) for line in lines]
    titles = ("costliest lines", "", "share", "instructions", "efficiency", "")
    yield from table(titles, rows, width, right={0, 2, 3, 4}, stretch=5)


def _cost_row(report: KernelReport, run: PolicyReport, line: LineReport, most: float) -> Line:
    share, efficiency = words.share_of(line, run), line.work.simd_efficiency
    return (
        (str(line.line), Tone.PLAIN),
        (_bar(share / most), _efficiency_tone(efficiency)),
        (words.percent(share), Tone.PLAIN),
        (words.number(line.work.warp_instructions), Tone.PLAIN),
        (words.percent(efficiency), _efficiency_tone(efficiency)),
        (clean(words.source_line(report, line.line)).strip(), Tone.MUTED),
    )


def _memory(report: KernelReport, run: PolicyReport, width: int) -> Iterator[Line]:
    lines = words.memory_lines(run)
    if not lines:
        return
    rows = [_memory_row(report, line) for line in lines[:_MOST_LINES]]
    if len(lines) > 1:
        rows.append(_memory_total(run))
    titles = ("memory", "requests", "sectors", "ideal", "", "conflicts", "")
    yield from table(titles, rows, width, right={0, 1, 2, 3, 4, 5}, stretch=6)
    local = words.local_sectors(run.requests)
    if local is not None:
        yield (("  " + local, Tone.MUTED),)


def _memory_row(report: KernelReport, line: LineReport) -> Line:
    code = (clean(words.source_line(report, line.line)).strip(), Tone.MUTED)
    return ((str(line.line), Tone.PLAIN), *_memory_cells(line.requests), code)


def _memory_total(run: PolicyReport) -> Line:
    return (("all", Tone.MUTED), *_memory_cells(run.requests), ("", Tone.MUTED))


def _memory_cells(count: RequestCount) -> Line:
    over = count.sectors / count.ideal_sectors if count.ideal_sectors else 1.0
    return (
        (words.number(count.requests), Tone.PLAIN),
        (words.number(count.sectors), Tone.PLAIN),
        (words.number(count.ideal_sectors), Tone.MUTED),
        (words.ratio(over) if count.sectors > count.ideal_sectors else "", Tone.WARNING),
        (words.number(count.bank_conflicts), Tone.WARNING if count.bank_conflicts else Tone.MUTED),
    )


def _policies(report: KernelReport, width: int) -> Iterator[Line]:
    if len(report.policies) < 2:
        return
    digest = report.policies[0].memory_digest
    rows = [_policy_row(run, report.policies[0].warp_instructions, digest) for run in report.policies]
    titles = ("policies", "instructions", "", "efficiency", "splits", "faults", "time", "memory")
    yield from table(titles, rows, width, right={1, 2, 3, 4, 5, 6}, stretch=7)


def _policy_row(run: PolicyReport, base: int, digest: str) -> Line:
    if run.truncated is not None:
        memory = ("stopped early", Tone.WARNING)
    elif run.memory_digest == digest:
        memory = ("same", Tone.MUTED)
    else:
        memory = ("different", Tone.BAD)
    more = run.warp_instructions / base if base else 1.0
    return (
        (run.policy, Tone.PLAIN),
        (words.number(run.warp_instructions), Tone.PLAIN),
        ("" if run.warp_instructions == base else f"×{more:.2f}", Tone.MUTED),
        (words.percent(run.simd_efficiency), _efficiency_tone(run.simd_efficiency)),
        (words.number(sum(branch.diverged for branch in run.branches)), Tone.PLAIN),
        (words.number(len(run.faults)), Tone.BAD if run.faults else Tone.MUTED),
        (words.duration(run.seconds), Tone.MUTED),
        memory,
    )


def _printed(run: PolicyReport, width: int) -> Iterator[Line]:
    if not run.printed:
        return
    yield heading("printed")
    for text in run.printed[:_MOST_PRINTED]:
        yield ((cut("  " + clean(text.rstrip("\n")), width), Tone.PLAIN),)
    yield from _more(len(run.printed) - _MOST_PRINTED)


def _launch(report: KernelReport, width: int) -> Iterator[Line]:
    if not report.choices:
        return
    rows: list[Line] = [
        (
            (cut(clean(choice.name), 24), Tone.PLAIN),
            (cut(clean(choice.value), 36), Tone.PLAIN),
            (clean(choice.why), Tone.MUTED),
        )
        for choice in report.choices[:_MOST_CHOICES]
    ]
    yield from table(("launch", "", ""), rows, width, right=set(), stretch=2)
    yield from _more(len(report.choices) - _MOST_CHOICES)


def _more(count: int) -> Iterator[Line]:
    if count > 0:
        yield ((f"  and {words.number(count)} more", Tone.MUTED),)


def _bar(share: float) -> str:
    """Ten cells wide, in eighths; never empty for what ran."""
    eighths = max(round(share * _BAR_CELLS * 8), 1)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(_BAR_CELLS)


def _efficiency_tone(efficiency: float) -> Tone:
    if efficiency >= 0.9:
        return Tone.GOOD
    return Tone.WARNING if efficiency >= 0.5 else Tone.BAD


def in_ascii(line: Line) -> Line:
    """The same in as many columns, for a terminal that has no other characters."""
    return tuple((text.translate(_ASCII).encode("ascii", "replace").decode("ascii"), tone) for text, tone in line)


_ASCII: Final = str.maketrans(
    {"·": "|", "×": "x", "…": "~", "–": "-", "█": "#", "≤": "<", **dict.fromkeys("▏▎▍▌▋▊▉", "#")}
)


def plain(lines: Iterable[Line]) -> str:
    """The lines without their tones, each ended."""
    return "".join("".join(text for text, _ in line) + "\n" for line in lines)
