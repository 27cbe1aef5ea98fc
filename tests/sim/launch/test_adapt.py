"""Plans that learn from runs: what a chosen launch grows to, and what it leaves to the program."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from analysis.ir.source import Span
from sim.faults import OutOfBounds
from sim.launch.adapt import arrays_too_short, run_adapted
from sim.launch.attempt import Attempt
from sim.launch.planner import Plan
from sim.launch.request import Request
from sim.policies.registry import POLICIES
from sim.result import Result, Truncation, TruncationReason
from sim.simulate import simulate
from sim.specification import Array
from tests.sim.launch.support import given, planner

_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


def run(plan: Plan) -> Result:
    return simulate(plan.kernel, plan.specification, POLICIES["ipdom"])


def adapted(text: str, *requests: Request) -> tuple[Plan, Result]:
    return run_adapted(planner(text, *requests), run)


def test_arrays_grow_to_what_is_accessed() -> None:
    plan, result = adapted(f"__global__ void k(float *x, float *a) {{ {_I} x[i + 5] = a[3 * i]; }}")
    assert result.faults == ()
    assert result.arrays["x"].shape == (2048 + 5,)
    assert result.arrays["a"].shape == (3 * 2047 + 1,)
    assert next(choice.value for choice in plan.choices if choice.name == "a") == "random(0,1)[6142]"


def test_arrays_of_structs_and_members_grow() -> None:
    text = f"struct P {{ float3 *a; int n; }}; __global__ void k(P p) {{ {_I} p.a[2 * i].y = p.n; }}"
    _, result = adapted(text)
    assert result.faults == ()
    assert len(result.arrays["p.a"]) >= 2 * 2047 + 1


def test_null_pointers_in_memory_make_nothing_grow() -> None:
    text = f"__global__ void k(float **a, float *x) {{ {_I} x[i] = a[blockIdx.x][i]; }}"
    plan, result = adapted(text, given(a="zeros"))
    assert [isinstance(fault, OutOfBounds) and fault.is_null for fault in result.faults] == [True]
    assert {choice.name: choice.value for choice in plan.choices}["a"] == "zeros[2048]"


def test_dynamic_shared_memory_grows() -> None:
    text = (
        "__global__ void k(float *x) { extern __shared__ float s[];"
        f" {_I} s[2 * threadIdx.x] = 1; s[2 * threadIdx.x + 1] = 2; __syncthreads(); x[i] = s[threadIdx.x]; }}"
    )
    plan, result = adapted(text)
    assert result.faults == ()
    assert plan.specification.dynamic_shared_bytes == 2 * 256 * 4


def test_a_given_length_is_a_promise() -> None:
    text = f"__global__ void k(float *x, float *a) {{ {_I} x[i] = a[3 * i]; }}"
    _, result = adapted(text, given(a="random(0,1)[100]"))
    (fault,) = result.faults
    assert isinstance(fault, OutOfBounds)
    assert (fault.buffer, fault.size) == ("a", 400)


def test_what_lies_before_an_array_stays_a_fault() -> None:
    _, result = adapted(f"__global__ void k(float *x, float *a) {{ {_I} x[i] = a[i - 1]; }}")
    (fault,) = result.faults
    assert isinstance(fault, OutOfBounds)
    assert (fault.buffer, fault.offset) == ("a", -4)


_TILE = (
    "__global__ void k(float *x) { __shared__ float tile[64];"
    f" {_I} tile[threadIdx.x] = i; __syncthreads(); x[i] = tile[63 - threadIdx.x]; }}"
)


def test_a_chosen_block_makes_way_for_one_that_fits() -> None:
    plan, result = adapted(_TILE)
    assert result.faults == ()
    assert plan.specification.block == (64, 1, 1)
    assert next(choice.why for choice in plan.choices if choice.name == "block") == "chosen: others do not fit"


def test_a_block_that_was_given_or_launched_stays() -> None:
    for plan, result in (
        adapted(_TILE, Request(block=(128, 1, 1))),
        adapted(f"{_TILE} void host(float *p) {{ k<<<2, 128>>>(p); }}"),
    ):
        assert plan.specification.block == (128, 1, 1)
        assert any(isinstance(fault, OutOfBounds) and fault.buffer == "tile" for fault in result.faults)


def test_sparse_rows_run_with_no_option() -> None:
    text = (
        "__global__ void k(const int *row, const int *column, const float *value, const float *x, float *y, int n) {"
        f"{_I} if (i < n) {{ float sum = 0; for (int j = row[i]; j < row[i + 1]; j++) sum += value[j] * x[column[j]];"
        " y[i] = sum; } }"
    )
    plan, result = adapted(text)
    assert result.faults == ()
    rows, columns, values, vector = (result.arrays[name] for name in ("row", "column", "value", "x"))
    assert (len(rows), plan.specification.blocks) == (2049, 8)
    expected = [np.dot(values[begin:end], vector[columns[begin:end]]) for begin, end in itertools.pairwise(rows)]
    assert np.allclose(result.arrays["y"], expected)


def test_constants_of_the_file_reach_the_kernel() -> None:
    text = (
        "struct Table { int *cell; float scale; }; __constant__ float weight[] = {1, 2, 4}; __constant__ Table t;\n"
        f"__global__ void k(float *x) {{ {_I} x[i] = weight[i % 3] * t.scale + t.cell[i]; }}"
    )
    _, result = adapted(text, given(**{"t.scale": "10", "t.cell": "zeros"}))
    assert result.faults == ()
    assert result.arrays["x"][:4].tolist() == [10, 20, 40, 10]


def test_runs_are_the_same_every_time() -> None:
    text = f"__global__ void k(float *x, float *a, int *b) {{ {_I} x[i] = a[3 * b[i]]; }}"
    (first, one), (second, other) = adapted(text), adapted(text)
    assert first.choices == second.choices
    assert one.memory_digest == other.memory_digest
    assert adapted(text, Request(seed=2))[1].memory_digest != one.memory_digest


def test_arrays_from_files_are_used_as_they_are(tmp_path: object) -> None:
    data = np.arange(2048, dtype=np.float32)
    path = f"{tmp_path}/a.npy"
    np.save(path, data)
    plan, result = adapted(f"__global__ void k(float *x, float *a) {{ {_I} x[i] = 2 * a[i]; }}", given(a=f"@{path}"))
    assert isinstance(plan.specification.arguments["a"], Array)
    assert (result.arrays["x"] == 2 * data).all()


def cut_off(result: Result) -> Result:
    return replace(result, truncated=Truncation(TruncationReason.TIME, "k", Span(0, 0)))


def test_a_run_that_ended_is_not_given_up_for_a_longer_one_that_was_cut_off() -> None:
    text = f"__global__ void k(float *x, float *a) {{ {_I} x[i] = a[3 * i]; }}"

    def too_slow(plan: Plan) -> Result:
        result = run(plan)
        return cut_off(result) if plan.attempt != Attempt() else result

    plan, result = run_adapted(planner(text), too_slow)
    assert result.truncated is None
    assert plan.attempt == Attempt()
    assert arrays_too_short(plan, result) == {"a"}


def test_a_small_run_that_ended_is_taken_before_one_whose_arrays_are_too_short() -> None:
    text = f"__global__ void k(float *x, float *a) {{ {_I} x[i] = a[3 * i]; }}"

    def too_slow(plan: Plan) -> Result:
        result = run(plan)
        return cut_off(result) if plan.attempt.lengths and not plan.attempt.is_small else result

    plan, result = run_adapted(planner(text), too_slow)
    assert result.truncated is None
    assert plan.attempt.is_small
    assert result.faults == ()


_SHARED_WORK = """__global__ void k(float *x) {
  for (int tile = blockIdx.x; tile < 1000; tile += gridDim.x)
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) x[tile] += i;
}"""
_BOUNDED_WORK = _SHARED_WORK.replace("float *x", "float *x, int n").replace("1000", "n")


def cut_off_at_first(text: str, *requests: Request) -> tuple[Plan, Result]:
    """As if the first run took too long."""
    count = itertools.count()

    def run_once(plan: Plan) -> Result:
        result = run(plan)
        return (
            replace(result, truncated=Truncation(TruncationReason.TIME, "k", Span(0, 0))) if not next(count) else result
        )

    return run_adapted(planner(text, *requests), run_once)


def test_work_that_the_blocks_share_is_run_as_the_first_of_many_blocks() -> None:
    plan, result = cut_off_at_first(_SHARED_WORK)
    assert result.truncated is None
    assert (plan.specification.grid, plan.specification.blocks_to_run) == ((4096, 1, 1), 1)
    assert plan.grid.why == "chosen: many blocks share the work, the first alone is run"
    assert result.arrays["x"][0] != 0
    few, _ = run_adapted(planner(_SHARED_WORK, Request(grid=(4, 1, 1))), run)
    assert few.specification.blocks_to_run == 4


def test_work_that_a_number_bounds_is_run_with_a_small_one() -> None:
    plan, result = cut_off_at_first(_BOUNDED_WORK)
    assert result.truncated is None
    assert plan.attempt.is_small
    assert plan.specification.blocks_to_run == 1


def test_blocks_that_wait_for_all_others_are_never_left_out() -> None:
    text = _SHARED_WORK.replace("x[tile] += i;", "x[tile] += i; cooperative_groups::this_grid().sync();")
    plan, _ = cut_off_at_first("#include <cooperative_groups.h>\n" + text)
    assert plan.specification.blocks_to_run == plan.specification.blocks
