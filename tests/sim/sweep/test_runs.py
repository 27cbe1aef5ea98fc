"""Rows of real runs: one for each point, whatever happens."""

from __future__ import annotations

from dataclasses import replace

from analysis.lower.program import LowerSettings, Program
from analysis.pipeline import unit_of_text
from sim.specification import Budget
from sim.sweep.columns import COLUMNS, Kind
from sim.sweep.model import Form, LaunchPoint, Outcome, Row, SweptKernel, Unit
from sim.sweep.runs import How, Text, rows_of

WRITTEN = """
__global__ void k(int n, float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i % 2) a[i] = a[i] * 2.0f; else a[i] = a[i] * 3.0f;
}
"""
MELDED = """
__global__ void k(int n, float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float by = i % 2 ? 2.0f : 3.0f;
  a[i] = a[i] * by;
}
"""
UNIT = Unit(
    SweptKernel("k.cu", "k", "k"),
    32,
    LaunchPoint((2, 1, 1), (64, 1, 1), (("n", "100"),), None, 1),
    (Form.AS_WRITTEN, Form.MELDED),
    ("ipdom", "min-pc"),
)


def text(source: str, melds: int = 0) -> Text:
    program = Program(unit_of_text(source, "k.cu", {}), LowerSettings(32))
    return Text(program, next(iter(program.device_functions())), (), melds)


def rows(unit: Unit, source: str = WRITTEN, melded: str | None = None, how: How | None = None) -> list[Row]:
    other = None if melded is None else text(melded, 1)
    return rows_of(unit, "ipdom", text(source), other, how or How())


def test_all_forms_and_policies_run_the_same_launch() -> None:
    found = rows(UNIT, melded=MELDED)
    assert [(row.point.form, row.point.policy) for row in found] == [
        (form, policy) for form in Form for policy in ("ipdom", "min-pc")
    ]
    assert {row.outcome for row in found} == {Outcome.CLEAN}
    assert {(row.grid, row.block) for row in found} == {((2, 1, 1), (64, 1, 1))}
    assert len({row.memory_digest for row in found}) == 1
    assert len({row.inputs for row in found}) == 1
    assert [row.melds for row in found] == [0, 0, 1, 1]
    written, melded = found[0].warp_instructions, found[2].warp_instructions
    assert written is not None
    assert melded is not None
    assert melded < written
    assert (found[0].divergent_branches, found[2].divergent_branches) == (2, 1)
    assert (found[0].lines, found[0].lines_reached) == (4, 4)


def test_a_part_of_a_unit_has_the_rows_that_the_whole_has() -> None:
    whole = rows(UNIT, melded=MELDED)
    part = rows(replace(UNIT, policies=("min-pc",)), melded=MELDED)
    assert [unhurried(row) for row in part] == [unhurried(row) for row in whole if row.point.policy == "min-pc"]


def unhurried(row: Row) -> Row:
    return replace(row, seconds=0.0)


def test_what_was_given_and_does_not_fit_is_a_row() -> None:
    found = rows(replace(UNIT, launch=LaunchPoint(arguments=(("m", "100"),))), melded=MELDED)
    assert [row.outcome for row in found] == [Outcome.DOES_NOT_FIT] * 4
    assert "k has no argument m" in found[0].reason
    (large, *_) = rows(replace(UNIT, launch=replace(UNIT.launch, block=(2048, 1, 1))))
    assert large.outcome is Outcome.DOES_NOT_FIT
    assert large.reason == "block=2048: a block has at most 1024 threads"
    assert large.grid is None


def test_without_a_meld_there_is_no_other_form() -> None:
    found = rows(UNIT)
    assert [row.outcome for row in found] == [Outcome.CLEAN, Outcome.CLEAN, Outcome.NOT_MELDED, Outcome.NOT_MELDED]


def test_faults_are_counted_by_kind() -> None:
    unit = replace(UNIT, launch=replace(UNIT.launch, arguments=(("a", "zeros[16]"),)), forms=(Form.AS_WRITTEN,))
    found = rows(unit, WRITTEN.replace("if (i >= n) return;", ""))
    assert [row.outcome for row in found] == [Outcome.FAULTS] * 2
    assert set(found[0].faults) == {"out-of-bounds"}


def test_a_run_that_does_not_end_is_a_row() -> None:
    endless = WRITTEN.replace("if (i >= n) return;", "for (int k = 0; k < 100000; ++k) a[i] += 1.0f;")
    found = rows(replace(UNIT, forms=(Form.AS_WRITTEN,)), endless, how=How(Budget(max_steps=1_000)))
    assert [(row.outcome, row.reason) for row in found] == [(Outcome.TRUNCATED, "the step budget is used up")] * 2


def test_what_is_not_simulated_is_a_row() -> None:
    source = WRITTEN.replace("if (i >= n) return;", 'asm volatile("what.is.this %0;" : : "r"(i));')
    found = rows(replace(UNIT, forms=(Form.AS_WRITTEN,)), source)
    assert {row.outcome for row in found} == {Outcome.REFUSED}
    assert found[0].reason.endswith("is not simulated")


def test_a_row_has_all_columns_in_their_kinds() -> None:
    kinds = {Kind.TEXT: str, Kind.INTEGER: int, Kind.NUMBER: float}
    for row in (*rows(UNIT), *rows(replace(UNIT, launch=LaunchPoint(arguments=(("m", "1"),))))):
        assert list(row.values) == [column.name for column in COLUMNS]
        for column in COLUMNS:
            value = row.values[column.name]
            assert value is None or type(value) is kinds[column.kind], column.name
