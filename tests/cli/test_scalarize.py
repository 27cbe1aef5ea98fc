from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.shell import simt_lsp, write

SOURCE = """\
__device__ float twice(float x) { return x + x; }
__global__ void scale(float *x, float a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = a * twice(x[i]);
}
__global__ void guarded(float *x, int n) {
  int i = threadIdx.x;
  if (i < n)
    x[i] = n + 1;
}
void go(float *x) { scale<<<4, 128>>>(x, 2.0f); }
"""
SCALE = """\
kernel scale, a warp of 32 threads

scalarized code:
BB_1:
    @s ld.u64 s1, [4096]                     # 2: __global__ void scale(float *x, float a) {
    @s ld.f32 s2, [4104]
    @s mov s3, %ctaid.x                      # 3: int i = blockIdx.x * blockDim.x + threadIdx.x;
"""


def test_the_code_stands_beside_its_source(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": SOURCE})
    done = simt_lsp("scalarize", "a.cu:scale", "--source", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(SCALE)
    assert "       fadd.f32 r2, r2, r2                   # 1: __device__ float twice(float x)" in done.stdout
    assert "stwseq.f32 [s1], r2" in done.stdout


def test_every_kernel_is_shown_unless_one_is_named(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": SOURCE})
    both = simt_lsp("scalarize", "a.cu", cwd=tmp_path).stdout
    assert [line.split(",")[0] for line in both.split("\n") if line.startswith("kernel")] == [
        "kernel scale",
        "kernel guarded",
    ]
    assert "assumes rows" not in both.split("kernel guarded")[0]


def test_threads_that_left_do_not_count_on_request(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": SOURCE})
    assert "stwseq" not in simt_lsp("scalarize", "a.cu:guarded", cwd=tmp_path).stdout
    optimized = simt_lsp("scalarize", "a.cu:guarded", "--exit-optimization", cwd=tmp_path).stdout
    assert "stwseq" in optimized
    assert "assumes rows" in optimized


def test_the_data_has_all_warp_sizes(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": SOURCE})
    done = simt_lsp("scalarize", "a.cu:scale", "--json", "--warp-size", "16", cwd=tmp_path)
    data = json.loads(done.stdout)
    assert data["warp_size"] == 16
    assert [counts["warp_size"] for counts in data["warp_sizes"]] == [4, 8, 16, 32, 64]
    whole = data["warp_sizes"][3]["whole"]
    assert whole["operations"][0] == 32 * whole["instructions"][0]
    assert whole["operations"][1] == 32 * whole["thread"] + whole["scalar"] + whole["warp_sequential"]
    assert {item["execution"] for block in data["conventional"] for item in block["instructions"]} == {"thread"}


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("a.cu:third", "it has: twice, scale, guarded"),
        ("a.cu:twice", "part of the code of its callers: name one of scale"),
        ("gone.cu", "gone.cu: no such file"),
        ("host.cu", "no device functions"),
        ("device.cu", "no kernels; name a device function, as device.cu:f"),
    ],
)
def test_what_is_not_there_is_named(tmp_path: Path, place: str, message: str) -> None:
    write(tmp_path, {"a.cu": SOURCE, "host.cu": "int main() {}\n", "device.cu": "__device__ int f() { return 1; }\n"})
    done = simt_lsp("scalarize", place, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_as_vectors_under_masks(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": SOURCE})
    done = simt_lsp("scalarize", "a.cu:guarded", "--view", "simd", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    head, *lines = done.stdout.splitlines()
    assert head == "guarded: vectors of 32 lanes (v), scalars of the warp (s), masks (m: who waits, p: who runs)"
    assert any(line.strip().startswith("if any(m1):") and "# 9: x[i] = n + 1;" in line for line in lines)
    found = json.loads(simt_lsp("scalarize", "a.cu:guarded", "--view", "simd", "--json", cwd=tmp_path).stdout)
    assert (found["kernel"], found["warp_size"], found["refused"]) == ("guarded", 32, None)
    store = next(line for line in found["lines"] if line["code"].startswith("store("))
    assert (store["depth"], store["source_path"], store["source_line"]) == (1, None, 9)


def test_what_has_no_form_of_vectors_is_named(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": "__global__ void k(int **x) {\n  x[0] = (int *)malloc(8);\n}\n"})
    done = simt_lsp("scalarize", "a.cu", "--view", "simd", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout == "k has no form of vectors and masks here: allocate (line 2: x[0] = (int *)malloc(8);)\n"
    found = json.loads(simt_lsp("scalarize", "a.cu", "--view", "simd", "--json", cwd=tmp_path).stdout)
    assert (found["lines"], found["refused"], found["refused_line"]) == (None, "allocate", 2)


def test_a_template_is_shown_as_its_first_launched_instance(tmp_path: Path) -> None:
    template = """template <class T, int N> __global__ void add(T *x) { x[threadIdx.x] += T(N); }
void go(float *x, int *y) { add<float, 2><<<1, 64>>>(x); add<int, 1><<<1, 64>>>(y); }
"""
    write(tmp_path, {"a.cu": template})
    shown = simt_lsp("scalarize", "a.cu", cwd=tmp_path).stdout
    assert shown.startswith("kernel add<float, 2>, a warp of 32 threads")
    assert "fadd.f32" in shown
    vectors = simt_lsp("scalarize", "a.cu", "--view", "simd", cwd=tmp_path).stdout
    assert vectors.startswith("add<float, 2>: vectors of 32 lanes")
    data = json.loads(simt_lsp("scalarize", "a.cu", "--json", cwd=tmp_path).stdout)
    assert '"function": "add"' in json.dumps(data)
