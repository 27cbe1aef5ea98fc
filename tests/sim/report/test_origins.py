"""Which choices stand behind a fault: CUDA text and what is given in, the names out."""

from __future__ import annotations

import pytest

from sim.specification import Budget
from tests.sim.report.test_races import reported

_LOOK = "__global__ void k(float *x, int *at, int n) { int i = threadIdx.x; if (i < n) x[i] = x[at[i] - 1000]; }"
_ASSERT = "#include <cassert>\n__global__ void k(float *x, float least) { assert(x[threadIdx.x] > least); }"
_LEFT = "__global__ void k(float *x) { x[(int)threadIdx.x - 5] = 1; }"


_TRAP = "__global__ void k(float *x, int n) { if (n % 4 == 0) __trap(); x[threadIdx.x] = n; }"
_MISALIGNED = (
    "__global__ void k(float *x, int pitch) { *(float4 *)(x + (threadIdx.x + 1) * 4 + pitch % 2) = float4(); }"
)
_BARRIER = "__global__ void k(float *x, int n) { if (threadIdx.x != n % 64) __syncthreads(); x[threadIdx.x] = n; }"
_GUARDED = "__global__ void k(float *x, int n) { int i = threadIdx.x; if (i < n) x[i - 7] = 1; }"
_WAIT = "__global__ void k(volatile int *flag, int n) { if (threadIdx.x % 32 == n % 32) while (flag[0] == 0) {} }"
_SCATTER = "__global__ void k(float *x, int *at) { int i = threadIdx.x; if (at[i] < 40) x[i - 7] = 1; }"


@pytest.mark.parametrize(
    ("text", "arguments", "kind", "chosen", "is_note"),
    [
        (_LOOK, {}, "out-of-bounds", ("at", "n"), True),
        (_LOOK, {"at": "iota"}, "out-of-bounds", ("n",), False),
        (_LOOK, {"at": "iota", "n": "32"}, "out-of-bounds", (), False),
        (_ASSERT, {}, "failed-assertion", ("least", "x"), True),
        (_ASSERT, {"x": "zeros", "least": "1"}, "failed-assertion", (), False),
        (_LEFT, {}, "out-of-bounds", (), False),
        (_TRAP, {}, "trap", ("n",), True),
        (_TRAP, {"n": "8"}, "trap", (), False),
        (_MISALIGNED, {"pitch": "1"}, "misaligned", (), False),
        (_BARRIER, {}, "barrier-divergence", ("n",), True),
        (_BARRIER, {"n": "5"}, "barrier-divergence", (), False),
        (_GUARDED, {}, "out-of-bounds", ("n",), False),
        (_SCATTER, {}, "out-of-bounds", ("at",), True),
        (_SCATTER, {"at": "zeros"}, "out-of-bounds", (), False),
        (_WAIT, {"flag": "zeros"}, "livelock", ("n",), True),
        (_WAIT, {"flag": "zeros", "n": "5"}, "livelock", (), False),
    ],
)
def test_a_fault_names_the_choices_that_decide_about_it_and_is_a_note_where_it_needs_one(
    text: str, arguments: dict[str, str], kind: str, chosen: tuple[str, ...], is_note: bool
) -> None:
    (run,) = reported(text, block=(64, 1, 1), arguments=arguments).policies
    (fault,) = [one for one in (*run.faults, *run.notes) if one.kind == kind]
    assert fault.chosen == chosen
    assert ("; what was chosen may be the cause: " in fault.message) == bool(chosen)
    assert fault.is_note == is_note


@pytest.mark.parametrize(
    ("index", "arguments", "is_note"),
    [
        ("i + 5000", {}, True),
        ("i + 5000", {"x": "zeros[64]"}, False),
        ("i - 5", {}, False),
        ("17 * (i - 5)", {}, False),
        ("i - 1000000000", {}, False),
    ],
)
def test_an_array_of_a_chosen_length_that_had_no_time_to_grow_is_no_fault_of_the_program(
    index: str, arguments: dict[str, str], is_note: bool
) -> None:
    text = f"__global__ void k(float *x) {{ int i = threadIdx.x; x[{index}] = 1; for (volatile int j = 0;; j++) ; }}"
    (run,) = reported(text, block=(64, 1, 1), arguments=arguments, budget=Budget(max_steps=1000)).policies
    assert run.truncated is not None
    found = [one for one in (*run.faults, *run.notes) if one.kind == "out-of-bounds"]
    assert [one.is_note for one in found] == [is_note]


def test_what_decides_the_place_comes_first_and_can_be_given() -> None:
    (run,) = reported(_LOOK, block=(64, 1, 1), arguments={}).policies
    (fault,) = [one for one in run.notes if one.kind == "out-of-bounds"]
    words = fault.message.partition("; what was chosen may be the cause: ")[2]
    assert words.startswith("at = ")
    assert words.endswith("; to decide it, give at=…")


def test_pointers_in_memory_cannot_be_given() -> None:
    text = (
        "struct Node { int value; Node *next; };"
        "__global__ void k(Node *nodes, int *x) { Node *next = nodes[threadIdx.x].next;"
        "if (next == nodes) return; x[threadIdx.x] = next->value; }"
    )
    (run,) = reported(text, block=(64, 1, 1), arguments={}).policies
    (fault,) = [one for one in run.notes if one.kind == "out-of-bounds"]
    assert fault.message.startswith("reads through a null pointer")
    assert fault.message.endswith("memory (nodes) are chosen and cannot be given: null at the ends of lists")


@pytest.mark.parametrize(("arguments", "is_note"), [({}, True), ({"x": "zeros[64]", "y": "zeros[64]"}, False)])
def test_a_pointer_outside_of_all_arrays_may_have_left_one_of_a_chosen_length(
    arguments: dict[str, str], is_note: bool
) -> None:
    text = """__global__ void k(float *x, float *y) {
        float *at = threadIdx.x < 32 ? x : y; at[threadIdx.x + 8000000] = 1; for (volatile int j = 0;; j++) ; }"""
    (run,) = reported(text, block=(64, 1, 1), arguments=arguments, budget=Budget(max_steps=1000)).policies
    (fault,) = [one for one in (*run.faults, *run.notes) if one.kind == "out-of-bounds"]
    assert "where no buffer lies" in fault.message
    assert (fault.chosen, fault.is_note) == (("x", "y") if is_note else (), is_note)
