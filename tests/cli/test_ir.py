from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.shell import simt_lsp, write

SOURCE = """\
namespace math {
__device__ int twice(int x) { int y = x; y += x; return y; }
}
__global__ void first(int *out) { out[threadIdx.x] = math::twice(3); }
__global__ void second(int *out) { out[0] = 1; }
"""


def test_all_functions_are_printed_in_order(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": SOURCE})
    done = simt_lsp("ir", "a.cu", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.index("twice") < done.stdout.index("first") < done.stdout.index("second")


@pytest.mark.parametrize("name", ["second", "twice", "math::twice"])
def test_one_function_may_be_named(tmp_path: Path, name: str) -> None:
    write(tmp_path, {"a.cu": SOURCE})
    done = simt_lsp("ir", f"a.cu:{name}", cwd=tmp_path)
    assert done.returncode == 0
    assert name.split("::")[-1] in done.stdout
    assert "first" not in done.stdout


def test_each_stage_has_less_to_say(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": SOURCE})

    def stage(name: str) -> str:
        return simt_lsp("ir", "a.cu:first", "--stage", name, cwd=tmp_path).stdout

    assert "call" in stage("ssa")
    assert "call" not in stage("inlined")
    assert len(simt_lsp("ir", "a.cu:twice", "--stage", "lowered", cwd=tmp_path).stdout) > len(
        simt_lsp("ir", "a.cu:twice", "--stage", "ssa", cwd=tmp_path).stdout
    )


TEMPLATES = """\
#if A
template <int N> __device__ int shift(int x) { return x + N; }
#else
template <int N> __device__ int shift(int x) { return x - N; }
#endif
namespace math {
template <class T> struct Pair { T v; __device__ T get() { return v + shift<3>(v); } };
template <> struct Pair<float> { float v; __device__ float get() { return shift<4>(v); } };
}
template <class T> __device__ T half(T x) { math::Pair<T> pair{x}; return pair.get(); }
template <> __device__ int half<int>(int x) { return shift<5>(x); }
__device__ auto either(int x) { return x ? half(2u) : half(x); }
__global__ void k(int *p) {
  auto local = [](auto y) { return half(y); };
  p[0] = half(shift<6>(p[1])) + half(2.0f) + either(p[2]) + local(3.0);
}
"""


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        *((name, "inlined") for name in ("shift", "math::Pair::get", "Pair::get", "half", "either", "k")),
        *(("half", stage) for stage in ("lowered", "ssa")),
    ],
)
def test_instances_of_templates_are_found_from_any_function(tmp_path: Path, name: str, stage: str) -> None:
    write(tmp_path, {"a.cu": TEMPLATES})
    done = simt_lsp("ir", f"a.cu:{name}", "--stage", stage, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert name.split("::")[-1] in done.stdout
    assert stage != "inlined" or "call" not in done.stdout


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("a.cu:third", "it has: twice, first, second"),
        ("gone.cu", "gone.cu: no such file"),
        ("host.cu", "no device functions"),
    ],
)
def test_what_is_not_there_is_named(tmp_path: Path, place: str, message: str) -> None:
    write(tmp_path, {"a.cu": SOURCE, "host.cu": "int main() {}\n"})
    done = simt_lsp("ir", place, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
