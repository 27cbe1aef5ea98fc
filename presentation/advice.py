"""What to look at first: up to three sentences on one run, the largest loss first.

Rules    Faults come before everything: what a faulty run counts may mean nothing.  Then a run that reached less than
         half of the lines, of which nothing that it counted is told to be all.  Then, each as a share of what the
         run used of its kind, and only above a threshold: lanes that idle because warps split (of all issue slots;
         `losses.py`), sectors beyond the ideal (of all sectors), passes over shared memory that conflicts add (of all
         passes), and arrivals at barriers (of all warp instructions).  Each names one place: the worst.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, final

from analysis.ir.record import record
from analysis.rules.wording import quantity
from sim.report import words
from sim.report.model import KernelReport, LineReport, PolicyReport

MOST: Final = 3
LEAST_COVERAGE: Final = 0.5
LEAST_SPLIT_SHARE: Final = 0.05
LEAST_EXCESS_SHARE: Final = 0.1
LEAST_EXCESS_RATIO: Final = 1.5
LEAST_TOLD_RATIO: Final = 1.05
LEAST_CONFLICT_SHARE: Final = 0.1
LEAST_BARRIER_SHARE: Final = 0.1
_MOST_CODE: Final = 40
_MOST_LOOKED_AT: Final = 200
_TAIL: Final = re.compile(r"(?:\s|[;{]|//.*|/\*.*)*$")


@final
@record
class Advice:
    """A sentence without its end, the code that it names, and the line of the kernel's file that it is about.

    `share` of its kind is lost there.
    """

    words: str
    code: str | None
    line: int | None
    share: float

    @property
    def text(self) -> str:
        return f"{self.words}." if self.code is None else f"{self.words}, `{self.code}`."


def look_first(report: KernelReport, run: PolicyReport) -> Sequence[Advice]:
    """Never nothing: where no loss stands out, that is said."""
    losses = [*_splits(report, run), *_memory(report, run), *_conflicts(report, run), *_barriers(report, run)]
    found = [*_faults(report, run), *_coverage(report, run), *sorted(losses, key=lambda one: -one.share)][:MOST]
    return found or [_calm(run)]


def _calm(run: PolicyReport) -> Advice:
    """No loss is large, which is no word on the sum of small ones: so the totals are told."""
    if not run.warp_instructions:
        return Advice("Nothing ran", None, None, 0.0)
    requests = run.requests
    found = [f"{words.percent(run.simd_efficiency)} of the lanes were active"]
    ratio = requests.sectors / requests.ideal_sectors if requests.ideal_sectors else 1.0
    if ratio >= LEAST_TOLD_RATIO:
        found.append(f"memory moved {words.ratio(ratio)} the least number of sectors")
    if requests.bank_conflicts:
        found.append(f"conflicts added {words.percent(requests.bank_conflicts / requests.bank_passes)} of the passes")
    return Advice(f"No place stands out: {', '.join(found)}", None, None, 0.0)


def _coverage(report: KernelReport, run: PolicyReport) -> Iterator[Advice]:
    """What never ran is not told to be fine."""
    ran = [line for line in run.lines if line.work.warp_instructions]
    never = [line.line for line in run.lines if not line.work.warp_instructions]
    if ran and len(ran) < LEAST_COVERAGE * len(run.lines):
        told = f"Only {len(ran)} of {len(run.lines)} lines with code ran, the first that did not is line {never[0]}"
        yield Advice(told, _line_code(report, never[0]), never[0], 1.0)


def _faults(report: KernelReport, run: PolicyReport) -> Iterator[Advice]:
    if not run.faults:
        return
    first, *others = run.faults
    place = first.place
    line = place.line if place is not None and place.path == report.path else None
    where = "" if place is None else f" in {f'line {line}' if line else words.place_in(report.path, place)}"
    more = f", and {quantity(len(others), 'more fault')}" if others else ""
    yield Advice(
        f"First the faults: {first.kind}{where}{more}; what is counted after one may mean nothing", None, line, 1.0
    )


def _splits(report: KernelReport, run: PolicyReport) -> Iterator[Advice]:
    slots = run.warp_instructions * report.warp_size
    worst = max(run.losses, key=lambda loss: loss.lanes, default=None)
    if worst is None or worst.lanes < LEAST_SPLIT_SHARE * slots:
        return
    share = worst.lanes / slots
    much = f"{words.percent(share)} of all issue slots are lanes that idle"
    branch = next((one for one in run.branches if one.place == worst.branch), None)
    if branch is None:
        yield Advice(f"{much} where no warp has split: warps that are not full", None, None, share)
        return
    place, code = branch.place, _code(words.branch_text(report, branch))
    where = f"line {place.line}" if place.path == report.path else words.place_in(report.path, place)
    line = place.line if place.path == report.path else None
    yield Advice(f"{much} because warps split in {where}", code, line, share)


def _memory(report: KernelReport, run: PolicyReport) -> Iterator[Advice]:
    def excess(line: LineReport) -> int:
        return line.requests.sectors - line.requests.ideal_sectors

    worst = max(run.lines, key=excess, default=None)
    if worst is None or not run.requests.sectors or not worst.requests.ideal_sectors:
        return
    share, ratio = excess(worst) / run.requests.sectors, worst.requests.sectors / worst.requests.ideal_sectors
    if share >= LEAST_EXCESS_SHARE and ratio >= LEAST_EXCESS_RATIO:
        yield Advice(
            f"Line {worst.line} moves {words.number(worst.requests.sectors)} sectors of memory where"
            f" {words.number(worst.requests.ideal_sectors)} would do ({words.ratio(ratio)})",
            _line_code(report, worst.line),
            worst.line,
            share,
        )


def _conflicts(report: KernelReport, run: PolicyReport) -> Iterator[Advice]:
    worst = max(run.lines, key=lambda line: line.requests.bank_conflicts, default=None)
    if worst is None or not run.requests.bank_passes:
        return
    passes, conflicts = worst.requests.bank_passes, worst.requests.bank_conflicts
    share = conflicts / run.requests.bank_passes
    if share >= LEAST_CONFLICT_SHARE:
        yield Advice(
            f"Line {worst.line} passes {words.number(passes)} times over the banks of shared memory where"
            f" {words.number(passes - conflicts)} would do",
            _line_code(report, worst.line),
            worst.line,
            share,
        )


def _barriers(report: KernelReport, run: PolicyReport) -> Iterator[Advice]:
    at = [line for line in run.lines if line.line in report.barriers]
    arrivals = sum(line.executed for line in at)
    share = arrivals / run.warp_instructions if run.warp_instructions else 0.0
    if share < LEAST_BARRIER_SHARE:
        return
    worst = max(at, key=lambda line: line.executed)
    every = words.number(round(1 / share))
    yield Advice(
        f"Warps come to a barrier once in {every} instructions, most often in line {worst.line}",
        _line_code(report, worst.line),
        worst.line,
        share,
    )


def _line_code(report: KernelReport, line: int) -> str:
    return _code(words.source_line(report, line).strip())


def _code(text: str) -> str:
    """Without what says nothing in a sentence: a comment behind it, a brace, its end."""
    text = _TAIL.sub("", text[:_MOST_LOOKED_AT])
    return text if len(text) <= _MOST_CODE else text[: _MOST_CODE - 1] + "…"
