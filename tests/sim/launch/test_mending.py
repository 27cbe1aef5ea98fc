"""Choices that lead to a fault make way for others; what is wrong for every size stays a fault."""

from __future__ import annotations

import pytest

from sim.faults import FailedAssertion, OutOfBounds
from sim.launch.adapt import run_adapted
from sim.launch.planner import Plan
from sim.launch.request import Request
from sim.policies.registry import POLICIES
from sim.result import Result
from sim.simulate import simulate
from tests.sim.launch.support import given, planner

_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
_WAVE = (
    f"__global__ void k(float *x, int step) {{ {_I} int row = step - 1 - blockIdx.x; x[row * 256 + threadIdx.x] = 1; }}"
)


def adapted(text: str, *requests: Request) -> tuple[dict[str, tuple[str, str]], Result]:
    """Value and reason of every choice, and the run."""

    def run(plan: Plan) -> Result:
        return simulate(plan.kernel, plan.specification, POLICIES["ipdom"])

    plan, result = run_adapted(planner(text, *requests), run)
    return {choice.name: (choice.value, choice.why) for choice in plan.choices}, result


def test_a_number_that_leads_before_an_array_makes_way() -> None:
    choices, result = adapted(_WAVE)
    assert result.faults == ()
    assert choices["step"] == ("256", "others do not fit")


def test_a_given_number_stays() -> None:
    choices, result = adapted(_WAVE, given(step="3"))
    assert [type(fault) for fault in result.faults] == [OutOfBounds]
    assert choices["step"] == ("3", "given")


def test_numbers_in_no_order_make_way_for_growing_ones() -> None:
    text = f"__global__ void k(float *x, int *at) {{ {_I} x[at[i] - i] = 1; }}"
    choices, result = adapted(text)
    assert result.faults == ()
    assert choices["at"] == ("offsets[2048]", "one element per thread; numbers in no order do not fit")


@pytest.mark.parametrize(
    "body",
    [
        "x[i] = a[i - columns];",  # no size makes that right
        "if (i < columns) x[i] = a[i - columns];",
    ],
)
def test_what_is_wrong_for_every_size_stays_a_fault(body: str) -> None:
    choices, result = adapted(f"__global__ void k(float *x, float *a, int columns) {{ {_I} {body} }}")
    (fault,) = result.faults
    assert isinstance(fault, OutOfBounds)
    assert (fault.buffer, fault.offset < 0) == ("a", True)
    assert choices["columns"][1] != "others do not fit"


def test_keeping_threads_away_mends_nothing() -> None:
    text = f"__global__ void k(float *x, float *a, int n) {{ {_I} if (i < n) x[i] = a[(int)(63 - i * i)]; }}"
    choices, result = adapted(text)
    (fault,) = result.faults
    assert isinstance(fault, OutOfBounds)
    assert choices["n"][0] == "2048"


def test_a_number_that_breaks_an_assertion_makes_way() -> None:
    text = f"#include <cassert>\n__global__ void k(float *x, int n) {{ {_I} assert(n % 32 == 0); x[i] = n; }}"
    choices, result = adapted(text)
    assert result.faults == ()
    assert int(choices["n"][0]) % 32 == 0
    _, result = adapted(text.replace("n % 32 == 0", "i < 7"))
    assert [type(fault) for fault in result.faults] == [FailedAssertion]


def test_a_shift_reaches_what_threads_are_compared_with() -> None:
    text = f"__global__ void k(float *x, int logarithm) {{ {_I} if (i < (1 << logarithm)) x[i] = 1; }}"
    choices, _ = adapted(text)
    assert choices["logarithm"] == ("11", "as many as threads reach")


def test_a_row_that_starts_misaligned_gets_a_length_that_fits() -> None:
    text = (
        "__global__ void k(char *x, int pitch) { int row = blockIdx.x;"
        "*(float2 *)(x + row * pitch + threadIdx.x * 8 + pitch) = make_float2(1, 2); }"
    )
    choices, result = adapted(text, given())
    assert result.faults == ()
    assert int(choices["pitch"][0]) % 8 == 0
    assert int(choices["pitch"][0]) >= 2041


def test_arrays_that_are_merged_by_search_become_sorted() -> None:
    """Two elements that find the same place leave another place unwritten: no number decides the fault."""
    text = """
        __global__ void k(int *out, const int *a, const int *b) {
          __shared__ int merged[512];
          const int key = a[threadIdx.x], other = b[threadIdx.x];
          int place = 0, place_of_other = 0;
          while (place < 256 && b[place] < key) place++;
          while (place_of_other < 256 && a[place_of_other] <= other) place_of_other++;
          merged[threadIdx.x + place] = key;
          merged[threadIdx.x + place_of_other] = other;
          __syncthreads();
          out[threadIdx.x] = merged[threadIdx.x] + merged[threadIdx.x + 256];
        }
        void run(int *out, int *a, int *b) { k<<<1, 256>>>(out, a, b); }
    """
    choices, result = adapted(text)
    assert result.faults == ()
    assert choices["a"][0] == choices["b"][0] == "offsets[256]"
