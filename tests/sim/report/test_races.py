"""Races as reported: faults that the program has to answer, and notes on what may come from the chosen launch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pytest

from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.ir.function import FunctionKind
from analysis.ir.index3 import Index3
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from sim.launch.planner import Planner
from sim.launch.request import Request
from sim.policies.ipdom import Ipdom
from sim.report.assemble import report_kernel
from sim.report.model import KernelReport, PolicyReport
from sim.report.races import DATA_RACE, SAME_VALUE
from sim.specification import Budget

PATH: Final = "a.cu"
ONE: Final = (1, 1, 1)


def reported(
    text: str,
    *,
    grid: Index3 | None = None,
    block: Index3 | None = None,
    arguments: Mapping[str, str] | None = None,
    budget: Budget | None = None,
) -> KernelReport:
    analysis = Analyzer().analyze(PATH, Document.open(text.encode()), DictLoader(), AnalysisSettings())
    (kernel,) = (one for one in analysis.program.device_functions() if one.kind is FunctionKind.KERNEL)
    request = Request("given", grid, block, arguments=arguments or {})
    planner = Planner(analysis.program, kernel, [request], budget=budget)
    return report_kernel(analysis.program, planner, [Ipdom], analysis.facts.functions)


def races(run: PolicyReport) -> set[tuple[str, str, int, int, tuple[str, ...]]]:
    """(fault or note, kind, line, other line, chosen)."""
    found: set[tuple[str, str, int, int, tuple[str, ...]]] = set()
    for one in (*run.faults, *run.notes):
        if one.kind not in (DATA_RACE, SAME_VALUE):
            continue
        other = one.related[0].place
        assert one.place is not None
        assert other is not None
        found.add(("note" if one.is_note else "fault", one.kind, one.place.line, other.line, one.chosen))
    return found


def holds(
    text: str,
    expected: set[tuple[str, str, int, int, tuple[str, ...]]],
    *,
    grid: Index3 | None = None,
    block: Index3 | None = None,
) -> None:
    (run,) = reported(text, grid=grid, block=block).policies
    assert races(run) == expected


SHARED = """
__global__ void k(int *out) {
  __shared__ int s[256];
  s[threadIdx.x] = threadIdx.x;
  out[blockIdx.x * blockDim.x + threadIdx.x] = s[255 - threadIdx.x];
}"""


def test_a_race_in_shared_memory_is_a_fault_under_a_chosen_launch() -> None:
    holds(SHARED, {("fault", "data-race", 5, 4, ())})


def test_the_same_value_is_a_note() -> None:
    holds(SHARED.replace("s[threadIdx.x] = threadIdx.x;", "s[0] = 7;").replace("= s[255 - threadIdx.x]", "= 1"), {
        ("note", "same-value-write", 4, 4, ()),
    })  # fmt: skip


EVERY_BLOCK = """
__global__ void k(int *out) {
  out[threadIdx.x] = blockIdx.x;
}"""


def test_blocks_that_write_the_same_places_are_a_note_when_their_number_was_chosen() -> None:
    holds(EVERY_BLOCK, {("note", "data-race", 3, 3, ("grid",))})


def test_they_are_a_fault_when_it_was_given() -> None:
    holds(EVERY_BLOCK, {("fault", "data-race", 3, 3, ())}, grid=(2, 1, 1), block=(32, 1, 1))


def test_they_are_a_fault_when_the_file_says_it() -> None:
    host = "\nvoid host(int *out) { k<<<4, 64>>>(out); }\n"
    holds(EVERY_BLOCK + host, {("fault", "data-race", 3, 3, ())})


def test_one_block_has_no_such_race() -> None:
    holds(EVERY_BLOCK, set(), grid=(1, 1, 1))


OVERLAP = """
__global__ void k(int *out) {
  out[blockIdx.x * 64 + threadIdx.x] = blockIdx.x;
}"""


def test_blocks_that_reach_into_each_other_are_a_note_when_their_size_was_chosen() -> None:
    holds(OVERLAP, {("note", "data-race", 3, 3, ("block",))})
    holds(OVERLAP, set(), block=(64, 1, 1))
    holds(OVERLAP, {("fault", "data-race", 3, 3, ())}, grid=(2, 1, 1), block=(65, 1, 1))


ROWS = """
__global__ void k(int *out, int pitch, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < n; i++)
    out[row * pitch + i] = row;
}"""


def test_rows_that_overlap_for_chosen_numbers_are_a_note_that_names_them() -> None:
    (run,) = reported(ROWS, arguments={"pitch": "8", "n": "9"}, grid=(2, 1, 1), block=(32, 1, 1)).policies
    assert races(run) == {("fault", "data-race", 5, 5, ())}
    (run,) = reported(ROWS, arguments={"pitch": "8"}, grid=(2, 1, 1), block=(32, 1, 1)).policies
    assert races(run) == {("note", "data-race", 5, 5, ("n",))}
    assert "depends on what was chosen: n = " in run.notes[0].message


def test_within_a_block_the_shape_is_no_excuse() -> None:
    holds(
        "__global__ void k(int *out) {\n  out[(blockIdx.x * blockDim.x + threadIdx.x) / 2] = threadIdx.x;\n}",
        {("fault", "data-race", 2, 2, ())},
        block=(32, 1, 1),
        grid=(1, 1, 1),
    )


SCATTER = """
__global__ void k(const int *where, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[where[i]] = i;
}"""


def test_contents_that_were_chosen_lead_to_notes_and_given_ones_to_faults() -> None:
    block = 32, 1, 1
    (run,) = reported(SCATTER, arguments={"where": "random(0,8)[32]"}, grid=ONE, block=block).policies
    assert races(run) == {("fault", "data-race", 4, 4, ())}
    (run,) = reported(SCATTER, arguments={"where": "iota[32]"}, grid=ONE, block=block).policies
    assert races(run) == set()
    (run,) = reported(SCATTER, grid=ONE, block=block).policies
    assert races(run) == {("note", "data-race", 4, 4, ("where",))}


FOUND = """
__global__ void k(const int *x, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] < 50) out[0] = i;
}"""


def test_contents_that_decide_who_comes_are_an_excuse_and_numbers_are_not() -> None:
    block = 32, 1, 1
    (run,) = reported(FOUND, grid=ONE, block=block).policies
    assert races(run) == {("note", "data-race", 4, 4, ("x",))}
    (run,) = reported(FOUND.replace(" && x[i] < 50", ""), grid=ONE, block=block).policies
    assert races(run) == {("fault", "data-race", 4, 4, ())}


HISTOGRAM = """
__global__ void k(const int *x, int *out) {
  __shared__ int s[128];
  s[x[threadIdx.x]] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}"""


def test_a_scatter_in_shared_memory_is_a_note_and_an_update_a_fault() -> None:
    block = 128, 1, 1
    (run,) = reported(HISTOGRAM, grid=ONE, block=block).policies
    assert races(run) == {("note", "data-race", 4, 4, ("x",))}
    (run,) = reported(HISTOGRAM.replace("] = threadIdx.x;", "] += 1;", 1), grid=ONE, block=block).policies
    assert races(run) == {("fault", "data-race", 4, 4, ("x",))}
    (run,) = reported(HISTOGRAM.replace("  __syncthreads();\n", ""), grid=ONE, block=block).policies
    assert ("fault", "data-race", 5, 4, ("x",)) in races(run)


GUESS = """
__device__ void add(float *p, float x) {
  int *q = (int *)p;
  int old = *q, expected;
  do { expected = old; old = atomicCAS(q, expected, __float_as_int(x + __int_as_float(expected))); }
  while (expected != old);
}
__global__ void k(float *out) {
  add(out, 1.0f);
}"""


def test_a_plain_read_that_guesses_for_a_compare_and_swap_is_a_note() -> None:
    block = 64, 1, 1
    (run,) = reported(GUESS, grid=ONE, block=block).policies
    assert races(run) == {("note", "data-race", 5, 4, ("out",))}
    assert "a wrong guess is tried again" in run.notes[0].message
    (run,) = reported(
        GUESS.replace("add(out, 1.0f);", "add(out, 1.0f); out[1] = out[0];"), grid=ONE, block=block
    ).policies
    assert {kind for kind, *_ in races(run)} == {"fault", "note"}


def test_contents_that_go_through_shared_memory_are_followed() -> None:
    text = SCATTER.replace(
        "out[where[i]] = i;", "__shared__ int s[32]; s[threadIdx.x] = where[i]; out[s[threadIdx.x]] = i;"
    )
    (run,) = reported(text, grid=(1, 1, 1), block=(32, 1, 1)).policies
    assert races(run) == {("note", "data-race", 4, 4, ("where",))}


def test_instructions_of_one_pair_of_lines_are_one_finding() -> None:
    holds(
        "__global__ void k(int *out) {\n  out[0] += threadIdx.x;\n  out[0] += 1;\n}",
        {("fault", "data-race", 2, 2, ()), ("fault", "data-race", 3, 2, ()), ("fault", "data-race", 3, 3, ())},
        grid=(1, 1, 1),
    )


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("out[0] = threadIdx.x;", "as thread 31,0,0 of block 0,0,0 does (line 1) with another value"),
        ("if (threadIdx.x == 1) out[0] = 1; else if (threadIdx.x == 2) out[8] = out[0];",
         "byte 0 of out, which thread 1,0,0 of block 0,0,0 writes (line 1), and nothing orders them"),
        ("out[0] = 3;", "but they write the same"),
        ("atomicAdd(out, 1); out[0] = 2;", "updates (line 1)"),
    ],
)  # fmt: skip
def test_words(body: str, words: str) -> None:
    text = f"__global__ void k(int *out) {{ {body} }}"
    (run,) = reported(text, grid=(1, 1, 1), block=(32, 1, 1)).policies
    messages = [one.message for one in (*run.faults, *run.notes)]
    assert any(words in message for message in messages), messages
