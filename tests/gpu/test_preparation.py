"""What can be tested without a GPU: the text for nvcc, arguments as bytes, results in files, and judgements."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from analysis.divergence.levels import Level
from analysis.ir.types import F32, F64, S32, U64, IntegerType
from sim.policies.ipdom import Ipdom
from tests.gpu import batch
from tests.gpu.__main__ import what_is_missing
from tests.gpu.branches import branches, watched
from tests.gpu.driver import device_name
from tests.gpu.launch import GpuLaunch, GpuResult, mangled
from tests.gpu.preparation import prepared, unknown_names
from tests.gpu.source import argument, launch_of, source_of
from tests.gpu.subjects import intrinsics, operators, random_kernels
from tests.sim.native.comparison import Case, simulated
from tests.sim.native.compiler import Unit
from tests.sim.native.random_cases import random_case
from tests.sim.running import kernel_of

TEXT = "#include <cuda_fp16.h>\n__global__ void k(int *out, float by, int n) { out[threadIdx.x] = n * by; }"
CASE = Case(Unit("a.cu", TEXT), {"out": np.zeros(32, np.int32), "by": 2.5, "n": -3})


def test_units_stand_in_namespaces_behind_all_headers() -> None:
    template = Case(Unit("b.cu", "template <class T> __global__ void k(T *p) { *p = 1; }", "k<float>"), {})
    text = source_of([CASE, CASE, template])
    assert text.startswith("#include <cuda_fp16.h>\nnamespace unit_0 {")
    assert text.count("#include") == 1
    assert "namespace unit_1 {" in text
    assert "&unit_2::k<float>" in text
    assert mangled("unit_1", "k") == "_ZN6unit_11k"


@pytest.mark.parametrize(
    ("value", "type", "expected"),
    [
        (2.5, F32, np.float32(2.5).tobytes()),
        (3, F64, np.float64(3).tobytes()),
        (-3, S32, b"\xfd" + b"\xff" * 7),
        (2**64 - 1, U64, b"\xff" * 8),
        (np.void((1, 2), dtype=[("x", "u1"), ("y", "i2")]), IntegerType(8, signed=False), b"\1\2\0"),
    ],
)
def test_arguments_are_bytes_of_the_type_of_their_parameter(value: float, type: IntegerType, expected: bytes) -> None:
    assert argument(value, type) == expected


def test_a_launch_has_the_arguments_in_order() -> None:
    launch = launch_of(CASE, kernel_of(TEXT), "m.cubin", 4)
    assert (launch.space, launch.kernel, launch.block) == ("unit_4", "k", (32, 1, 1))
    assert list(launch.arguments) == ["out", "by", "n"]
    assert launch.arguments["by"] == np.float32(2.5).tobytes()


def test_launches_and_results_come_back_from_files(tmp_path: Path) -> None:
    launch = GpuLaunch("m", "unit_0", "k", (1, 1, 1), (32, 1, 1), 0, {"n": b"1234"})
    batch.write(tmp_path, [launch])
    assert pickle.loads((tmp_path / "launches").read_bytes()) == [launch]
    assert batch.read(tmp_path) == []
    with (tmp_path / "results").open("ab") as stream:
        for number in range(2):
            pickle.dump((number, GpuResult(problem=str(number))), stream)
    assert [result.problem for result in batch.read(tmp_path)] == ["0", "1"]


def test_names_that_the_compiler_does_not_know() -> None:
    messages = """a.cu(3): error: identifier "mul24" is undefined
        a.cu(4): error: calling a __host__ function("__builtin_ctz") from a __global__ function("unit_0::k") is not"""
    assert unknown_names(messages) == {"mul24", "__builtin_ctz"}
    subject = next(intrinsics())
    assert subject.without is not None
    assert " mul24(" in subject.cases[0].unit.text
    assert " mul24(" not in subject.without({"mul24"}).cases[0].unit.text


def test_no_literal_lies_between_two_floats() -> None:
    """nvcc rounds such literals away from zero; all others are as in C++."""
    texts = [case.unit.text for subject in random_kernels(range(200)) for case in subject.cases]
    assert any("float(16777217)" in text for text in texts)
    assert not any("16777217.0f" in text for text in texts)


def test_a_result_that_differs_is_told() -> None:
    subject = next(operators())
    case = subject.cases[0]
    arrays = dict(simulated(case, kernel_of(case.unit.text), Ipdom).arrays)
    assert list(subject.problems(0, GpuResult(arrays))) == []
    arrays["whole"] = arrays["whole"].copy()
    arrays["whole"][3] += 1
    assert list(subject.problems(0, GpuResult(arrays)))
    assert list(subject.problems(0, GpuResult(problem="it did not end"))) == ["bool: it did not end"]


def test_conditions_are_wrapped_and_have_their_levels() -> None:
    text = """struct Pair { int a; };
__global__ void k(int *out, int n) {
  for (int i = 0; i < n; i++) if ((out[i] & 1) && threadIdx.x > 3) out[threadIdx.x] = 1;
  while (n > blockIdx.x) n--;
}
"""
    found = watched(replace(CASE, unit=Unit("a.cu", text)))
    assert "for (int i = 0; see(0, i < n); i++) if (see(1, (out[i] & 1) && threadIdx.x > 3)) out" in found.text
    assert "while (see(2, n > blockIdx.x)) n--;" in found.text
    assert found.levels == [Level.GRID, Level.VARYING, Level.BLOCK]


def test_a_uniform_branch_that_splits_is_told() -> None:
    subject = next(branches(range(3000, 3008)))
    levels = [watched(replace(case, unit=replace(case.unit, text=_plain(case)))).levels for case in subject.cases]
    number = next(at for at, found in enumerate(levels) if min(found, default=Level.VARYING) <= Level.WARP)
    split = np.array([level <= Level.WARP for level in levels[number]], np.uint8)
    told = list(subject.judge(number, GpuResult({}, {"split": split}), {}))
    assert len(told) == split.sum()
    assert list(subject.judge(number, GpuResult({}, {"split": 0 * split}), {})) == []


def _plain(case: Case) -> str:
    """The text without what watches its branches."""
    return random_case(int(case.unit.name.removeprefix("random_").removesuffix(".cu"))).unit.text


@pytest.mark.skipif(what_is_missing() is not None, reason=what_is_missing() or "")
def test_random_kernels_on_the_gpu(tmp_path: Path) -> None:
    ready = prepared(random_kernels(range(50)), tmp_path)
    batch.run(tmp_path, len(ready.launches))
    results = batch.read(tmp_path)
    assert [
        line for (one, at), found in zip(ready.order, results, strict=True) for line in one.problems(at, found)
    ] == []
    ready.launches[0] = replace(ready.launches[0], kernel="missing")
    batch.write(tmp_path, ready.launches[:2])
    batch.run(tmp_path, 2)
    assert [result.problem is None for result in batch.read(tmp_path)] == [False, True]
    assert device_name() is not None
