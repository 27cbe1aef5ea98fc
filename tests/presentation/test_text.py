"""The report in the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from analysis.divergence.levels import Level
from presentation.terminal.report import NARROWEST, in_ascii, plain, report_lines
from presentation.terminal.table import Tone
from sim.report.model import KernelReport
from tests.sim.report.sample import SOURCE, ipdom, sample, study


def text_of(report: KernelReport) -> str:
    return plain(report_lines(report))


def section(text: str, title: str) -> list[str]:
    """The lines under a title, as words."""

    def found() -> Iterator[str]:
        is_inside = False
        for line in text.splitlines():
            if line.startswith(title):
                is_inside = True
            elif not line:
                is_inside = False
            elif is_inside:
                yield " ".join(line.split())

    return list(found())


def test_the_verdict_comes_first() -> None:
    lines = text_of(sample()).splitlines()
    assert lines[0] == "gather<float>  grid 8 · block 16×16 · 64 warps of 32 lanes · ipdom · 42 ms"
    assert lines[1] == "  61.0 % SIMD efficiency · 6,272 warp instructions · 122,368 thread instructions"
    assert lines[2] == "  2 of 4 branches split warps · 2 faults · 1 note"


def test_static_verdicts_stand_beside_counts() -> None:
    assert section(text_of(sample()), "branches") == [
        "8:5 if (i < n) 64 1 1.6 % 31.2 18 varying",
        "10:9 for (k < index[i]) 1,024 640 62.5 % 18.0 end varying",
        "15:9 if (sum < T(0)) 63 0 31.7 end varying, never diverged",
        "util.h:3:1 while (spin) 64 0 32.0 no jump uniform",
    ]


def test_a_split_where_none_can_be_is_loud() -> None:
    run = ipdom()
    branch = replace(run.branches[0], level=Level.BLOCK)
    pieces = [
        piece
        for line in report_lines(replace(sample(), policies=(replace(run, branches=(branch,)),)))
        for piece in line
    ]
    assert ("  block-uniform, yet a warp split", Tone.BAD) in pieces


def test_costly_lines_are_ordered() -> None:
    rows = section(text_of(sample()), "costliest lines")
    assert rows[0] == "12 ██████████ 57.1 % 3,584 56.2 % sum += x[i * 32 + k];"
    assert [row.split()[0] for row in rows] == ["12", "10", "7", "14", "16", "8", "9", "15"]


def test_memory_is_listed_by_loss() -> None:
    assert section(text_of(sample()), "memory") == [
        "12 1,024 18,432 2,304 8.0× 0 sum += x[i * 32 + k];",
        "14 63 0 0 1,953 tile[threadIdx.x * 32 % 256] = sum;",
        "16 63 315 252 1.2× 0 out[i + 1] = sum;",
        "10 1,024 4,096 4,096 0 for (int k = 0; k < index[i]; k++) { /* as many …",
        "all 2,174 22,843 6,652 3.4× 1,953",
    ]


def test_faults_name_place_and_thread() -> None:
    assert section(text_of(sample()), "faults") == [
        "16:9 out-of-bounds block (7,0,0) thread (15,12,0)",
        "writes 4 bytes behind the end of `out`",
        "14:9 data-race block (0,0,0) thread (0,0,0) and 1,791 more threads",
        "two threads write `tile`, no barrier between",
    ]


def test_policies_stand_side_by_side() -> None:
    assert section(text_of(sample()), "policies") == [
        "ipdom 6,272 61.0 % 641 2 31 ms same",
        "round-robin 9,408 ×1.50 40.6 % 641 0 44 ms stopped early",
    ]


def test_what_was_chosen_is_listed_with_reasons() -> None:
    rows = section(text_of(sample()), "launch")
    assert rows[0] == "block 16×16 the launch in line 40"
    assert len(rows) == 4


def test_nothing_to_tell_takes_no_line() -> None:
    run = replace(ipdom(), branches=(), lines=(), faults=(), notes=(), printed=())
    text = text_of(replace(sample(), policies=(run,), choices=()))
    assert text.splitlines()[2:5] == ["  no branches · no faults", "", "look at first"]
    assert all(line.startswith("  ") for line in text.splitlines()[5:])


def test_long_lists_end() -> None:
    run = ipdom()
    quiet = tuple(replace(run.branches[2], executed=1, text=f"if (quiet{number})") for number in range(20))
    run = replace(run, branches=(*quiet, *run.branches), faults=run.faults * 5)
    text = text_of(replace(sample(), policies=(run,)))
    assert section(text, "faults")[-1] == "and 4 more"
    branches = section(text, "branches")
    assert branches[-1] == "and 8 more"
    assert branches[-5].startswith("8:5 if (i < n) 64 1")


def test_a_bare_keyword_is_shown_with_its_line() -> None:
    run = ipdom()
    branch = replace(run.branches[1], text="for")
    text = text_of(replace(sample(), policies=(replace(run, branches=(branch,)),)))
    assert section(text, "branches")[0].startswith("10:9 for (int k = 0; k < index[i]; k++)")


def test_a_part_of_a_run_says_so() -> None:
    (run, other) = sample().policies
    text = text_of(replace(sample(), policies=(other, run)))
    assert text.splitlines()[3] == "  stopped early: the step budget is used up, in line 12"


@pytest.mark.parametrize("width", [NARROWEST, 100, 120])
@pytest.mark.parametrize("long", ["x" * 300, "word " * 80, "é" * 300])
def test_lines_fit_whatever_the_source(long: str, width: int) -> None:
    run = ipdom()
    branches = tuple(replace(branch, text=long, executed=10**12) for branch in run.branches)
    faults = tuple(replace(fault, message=long) for fault in run.faults)
    run = replace(run, branches=branches, faults=faults, printed=(long,))
    choices = tuple(replace(choice, value=long) for choice in sample().choices)
    report = replace(sample(), source=(long,) * len(SOURCE), policies=(run,), choices=choices)
    assert max(map(len, plain(report_lines(report, width)).splitlines())) <= width


def test_a_terminal_without_our_characters_gets_others_in_the_same_columns() -> None:
    lines = list(report_lines(sample()))
    replaced = [in_ascii(line) for line in lines]
    assert plain(replaced).isascii()
    assert [len(plain([line])) for line in replaced] == [len(plain([line])) for line in lines]
    assert plain(replaced).splitlines()[0] == (
        "gather<float>  grid 8 | block 16x16 | 64 warps of 32 lanes | ipdom | 42 ms"
    )


def test_notes_stand_apart_from_faults() -> None:
    text = text_of(sample())
    assert section(text, "notes") == [
        "9:9 same-value-write block (0,0,0) thread (1,0,0) and 29 more threads",
        "writes byte 0 of out, as others do",
    ]
    assert not any("same-value-write" in line for line in section(text, "faults"))


def test_the_study() -> None:
    report = replace(sample(), study=study())
    assert not section(text_of(report), "convergence")  # only for who asks
    text = plain(report_lines(report, with_study=True))
    assert section(text, "convergence") == [
        "proven by the graph alone 50.0 % 500",
        "proven with uniform conditions 20.0 % 200",
        "proven but for lanes that left 0 % 0",
        "not proven, yet together 10.0 % 100",
        "diverged 20.0 % 200",
        "best possible schedule 90.0 % – 95.0 %",
    ]
    assert section(text, "registers") == [
        "reads, by tags 25.0 % 50.0 % 100",
        "reads, by values 30.0 % 70.0 % 100",
        "results, by tags 0 % 40.0 % 50",
        "results, by values 0 % 0 % 0",
    ]
    assert section(text, "scalarized") == [
        "scalar 10 10 5 5 2 2",
        "statically converged 20 640 64 32 32 32",
        "dynamically converged 0 0 0 0 0 0",
        "diverged 5 30 40 20 10 10",
        "conventional code 70 1,360 218 114 88 88",
        "saved 50.0 % 50.0 % 50.0 % 50.0 % 50.0 % 50.0 %",
    ]


def test_the_source_cannot_command_the_terminal() -> None:
    run = replace(ipdom(), printed=("\x1b[2Jgone\u202e\n",))
    text = text_of(replace(sample(), source=("\x1b]0;title\x07",) * len(SOURCE), policies=(run,)))
    assert "\x1b" not in text
    assert "·[2Jgone·" in text
