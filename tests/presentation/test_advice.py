"""What a report says to look at first: of each loss one sentence, the largest first, and nothing that is not so."""

from __future__ import annotations

from dataclasses import replace

from analysis.divergence.levels import Level
from presentation.advice import look_first
from sim.observers.requests import RequestCount
from sim.observers.work import Work
from sim.report.model import BranchReport, KernelReport, LineReport, LossReport, PolicyReport
from tests.sim.report.sample import at, ipdom, sample

NOTHING = RequestCount()


def calm() -> PolicyReport:
    """Two lines, all lanes, no memory."""
    lines = (LineReport(8, Work(50, 1600, 1600), NOTHING, 50), LineReport(9, Work(50, 1600, 1600), NOTHING, 50))
    return replace(
        ipdom(),
        warp_instructions=100,
        thread_instructions=3200,
        simd_efficiency=1.0,
        branches=(),
        lines=lines,
        requests=NOTHING,
        faults=(),
        notes=(),
    )


def said(run: PolicyReport, report: KernelReport | None = None) -> list[str]:
    return [advice.text for advice in look_first(report or sample(), run)]


def with_line(run: PolicyReport, requests: RequestCount, executed: int = 50) -> PolicyReport:
    """Line 12 in the place of line 9."""
    lines = (run.lines[0], LineReport(12, Work(50, 1600, 1600), requests, executed))
    return replace(run, lines=lines, requests=requests)


def test_a_calm_run_is_said_to_be_calm_with_its_totals() -> None:
    assert said(calm()) == ["No place stands out: 100 % of the lanes were active."]
    moved = with_line(calm(), RequestCount(10, 44, 40, 100, 5))
    assert said(moved) == [
        "No place stands out: 100 % of the lanes were active, memory moved 1.1× the least number of sectors,"
        " conflicts added 5.0 % of the passes."
    ]


def test_nothing_ran() -> None:
    assert said(replace(calm(), warp_instructions=0, thread_instructions=0, lines=())) == ["Nothing ran."]


def test_splits_are_put_down_to_their_branch() -> None:
    branch = BranchReport(at(10, 9), "for (k < index[i])", 64, 60, 2048, Level.VARYING)
    run = replace(calm(), branches=(branch,), losses=(LossReport(branch.place, 1280), LossReport(None, 64)))
    assert said(run) == [
        "40.0 % of all issue slots are lanes that idle because warps split in line 10, `for (k < index[i])`."
    ]
    assert said(replace(run, losses=(LossReport(branch.place, 32),)))[0].startswith("No place stands out")


def test_what_stands_behind_the_code_is_left_out() -> None:
    source = (*sample().source[:11], "    out[i] = x[i / 2]; // of /* every */ second;", *sample().source[12:])
    told = said(with_line(calm(), RequestCount(10, 320, 40)), replace(sample(), source=source))
    assert told == ["Line 12 moves 320 sectors of memory where 40 would do (8.0×), `out[i] = x[i / 2]`."]


def test_lanes_that_never_were_are_no_split() -> None:
    assert said(replace(calm(), losses=(LossReport(None, 1600),))) == [
        "50.0 % of all issue slots are lanes that idle where no warp has split: warps that are not full."
    ]


def test_memory_and_conflicts_name_their_line() -> None:
    assert said(with_line(calm(), RequestCount(10, 320, 40))) == [
        "Line 12 moves 320 sectors of memory where 40 would do (8.0×), `sum += x[i * 32 + k]`."
    ]
    assert said(with_line(calm(), RequestCount(10, 0, 0, 320, 310))) == [
        "Line 12 passes 320 times over the banks of shared memory where 10 would do, `sum += x[i * 32 + k]`."
    ]


def test_barriers_are_told_where_they_are_frequent() -> None:
    report = replace(sample(), barriers=frozenset({12}))
    assert said(with_line(calm(), NOTHING, executed=25), report) == [
        "Warps come to a barrier once in 4 instructions, most often in line 12, `sum += x[i * 32 + k]`."
    ]
    assert said(with_line(calm(), NOTHING, executed=5), report)[0].startswith("No place stands out")


def test_a_run_that_reached_little_is_not_called_calm() -> None:
    never = tuple(LineReport(line, Work(0, 0, 0), NOTHING, 0) for line in (12, 14, 15))
    told = said(replace(calm(), lines=(*calm().lines, *never)))
    assert told == ["Only 2 of 5 lines with code ran, the first that did not is line 12, `sum += x[i * 32 + k]`."]


def test_faults_come_first_and_three_are_enough() -> None:
    found = look_first(sample(), ipdom())
    assert len(found) == 3
    assert [advice.line for advice in found] == [16, 14, 12]
    assert found[0].text.startswith("First the faults: out-of-bounds in line 16, and 1 more fault;")
