"""All repairs of a text: which are made, in what order, and what is left alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from analysis.facts.file_analysis import FileAnalysis
from analysis.features.fix_all import FixedAll, Selection, fix_all
from analysis.refactor.edit import Replacement, apply_replacements
from analysis.rules.check import check
from analysis.rules.diagnostic import Applicability, Diagnostic, Fix
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import analyze

EVERYTHING: Final = Selection(None, unsafe=True)
SAFE: Final = Selection(None, unsafe=False)

TWICE: Final = """__global__ void k(float *out, const float *in) {
  __shared__ float tile[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = __shfl(in[y * 32 + x], 0);
  __syncthreads();
  out[y * 32 + x] = tile[x][y];
  tile[x][y] = 0;
}
void host(float *out, const float *in) { k<<<1, dim3(32, 32)>>>(out, in); }
"""
PADDED: Final = "tile[32][32 + 1]"
MASKED: Final = "__shfl_sync(0xffffffff, in"


@dataclass(frozen=True)
class Checked:
    analysis: FileAnalysis
    diagnostics: tuple[Diagnostic, ...]


def checked(text: bytes) -> Checked:
    analysis = analyze(text.decode())
    return Checked(analysis, check(analysis, RuleSettings()))


def applied(text: str, done: FixedAll[Checked]) -> str:
    """The text after, which the edit makes of the text before."""
    after = done.after.analysis.document.text
    assert apply_replacements(text.encode(), done.edit) == after
    return after.decode()


def test_two_findings_that_one_repair_mends_cost_one_repair() -> None:
    done = fix_all(checked(TWICE.encode()), SAFE, checked)
    assert applied(TWICE, done) == TWICE.replace("tile[32][32]", PADDED).replace("__shfl(in", MASKED)
    assert sorted(one.code for one in done.applied) == ["MEM502", "WRP208"]


def test_one_rule_alone() -> None:
    done = fix_all(checked(TWICE.encode()), Selection("WRP208", unsafe=False), checked)
    assert applied(TWICE, done) == TWICE.replace("__shfl(in", MASKED)


def test_what_is_not_safe_is_left_alone_unless_asked_for() -> None:
    def doubtful(text: bytes) -> Checked:
        found = checked(text)
        return Checked(found.analysis, tuple(unsafe(one) for one in found.diagnostics))

    def unsafe(one: Diagnostic) -> Diagnostic:
        if one.fix is None or one.code != "MEM502":
            return one
        return replace(one, fix=replace(one.fix, applicability=Applicability.UNSAFE))

    before = doubtful(TWICE.encode())
    assert PADDED not in applied(TWICE, fix_all(before, SAFE, doubtful))
    assert PADDED in applied(TWICE, fix_all(before, EVERYTHING, doubtful))


def test_a_repair_that_breaks_the_text_is_thrown_away() -> None:
    before = checked(TWICE.encode())
    first = before.diagnostics[0]
    edit = (Replacement(first.start, first.end, "((("),)
    broken = replace(first, fix=Fix("break it", edit, Applicability.SAFE))
    done = fix_all(Checked(before.analysis, (broken,)), SAFE, checked)
    assert (applied(TWICE, done), done.edit, done.applied) == (TWICE, (), ())


def test_rounds_end_where_a_repair_is_offered_again_and_again() -> None:
    def restless(text: bytes) -> Checked:
        found = checked(text)
        edit = (Replacement(0, 0, "// again\n"),)
        again = replace(found.diagnostics[0], fix=Fix("comment", edit, Applicability.SAFE))
        return Checked(found.analysis, (again,))

    done = fix_all(restless(TWICE.encode()), SAFE, restless)
    assert applied(TWICE, done) == "// again\n" * 8 + TWICE
