"""`simulate` and `explain` from the line of a launch: the kernel stands in a header, and nothing else is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import simt_lsp, write

HEADER = """// kernels
template <class T> __global__ void scale(T *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
__global__ void other(int *x) { x[threadIdx.x] = 1; }
"""
MAIN = """#include "kernels.cuh"
int main() {
  double *x;
  scale<<<3, 96>>>(x, 200);
  other<<<2, 64>>>(0);
  return 0;
}
"""


TWO = "__global__ void k(int *x) {}\n__global__ void k(float *x) {}"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path, {"kernels.cuh": HEADER, "main.cu": MAIN})


def simulated(folder: Path, place: str, *options: str) -> Any:
    done = simt_lsp("simulate", place, "--json", "--no-study", *options, cwd=folder)
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_line_of_a_launch_runs_the_kernel_with_what_it_says(project: Path) -> None:
    (report,) = simulated(project, "main.cu:4")
    assert (report["kernel"], Path(report["path"]).name) == ("scale", "kernels.cuh")
    assert (report["grid"], report["block"]) == ([3, 1, 1], [96, 1, 1])
    said = {"value": "double", "why": "the launch in main.cu:4"}
    assert {name: report["inputs"]["T"][name] for name in said} == said
    assert report["inputs"]["n"]["value"] == "200"
    (run,) = report["policies"].values()
    (branch,) = run["branches"]
    assert (branch["line"], branch["level"]) == (4, "varying")


def test_options_count_before_the_launch(project: Path) -> None:
    (report,) = simulated(project, "main.cu:4", "--block", "32", "--arg", "n=7")
    assert (report["block"], report["grid"], report["inputs"]["n"]["value"]) == ([32, 1, 1], [3, 1, 1], "7")


def test_a_kernel_of_an_included_header_by_its_name_and_by_a_line_in_it(project: Path) -> None:
    (named,) = simulated(project, "main.cu:other")
    assert (named["kernel"], named["block"]) == ("other", [64, 1, 1])
    (around,) = simulated(project, "kernels.cuh:4")
    assert (around["kernel"], around["block"]) == ("scale", [96, 1, 1])


def test_a_file_without_kernels_runs_what_it_launches(project: Path) -> None:
    assert [one["kernel"] for one in simulated(project, "main.cu")] == ["scale", "other"]


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("main.cu:3", "main.cu:3: no kernel and no launch stands there; kernels are launched in line 4, 5"),
        ("main.cu:30", "main.cu has 8 lines, there is no line 30"),
        ("main.cu:gone", "main.cu has no kernel 'gone'; it has: scale, other"),
        ("far.cu:2", "far.cu:2: neither the file nor what it includes defines the kernel 'far'"),
        ("two.cu:3", "two.cu:3: several kernels named 'k' take so many arguments"),
    ],
)
def test_what_is_not_meant_is_named(project: Path, place: str, message: str) -> None:
    write(
        project,
        {
            "far.cu": "__global__ void far(int *);\nvoid run(int *x) { far<<<1, 1>>>(x); }\n",
            "two.cu": f"{TWO}\nvoid run(int *x) {{ k<<<1, 1>>>(x); }}",
        },
    )
    done = simt_lsp("simulate", place, cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_a_kernel_that_is_only_declared_is_found_in_the_project(project: Path) -> None:
    write(
        project,
        {
            "near.cu": "__global__ void far(int *, int);\n#define N 70\nvoid run(int *x) { far<<<2, 64>>>(x, N); }\n",
            "far.cu": "// another\n__global__ void far(int *x, int n) { if (threadIdx.x % 2) x[threadIdx.x] = n; }\n",
        },
    )
    done = simt_lsp("simulate", "near.cu:3", cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("far  grid 2 · block 64")
    assert "the launch in near.cu:3" in done.stdout
    done = simt_lsp("explain", "near.cu:3", cwd=project)
    assert "    `far` is defined in far.cu:2: 1 of 1 branch divergent\n" in done.stdout


@pytest.mark.parametrize(
    ("options", "grid", "why"), [((), "3", "a launch in near.cu"), (("--no-project",), "8", "chosen")]
)
def test_launches_in_files_that_only_declare_a_kernel_count(
    project: Path, options: tuple[str, ...], grid: str, why: str
) -> None:
    write(
        project,
        {
            "near.cu": "__global__ void far(int *, int);\nvoid run(int *x) { far<<<3, 96>>>(x, 70); }\n",
            "far.cu": "__global__ void far(int *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = n; }\n",
        },
    )
    (report,) = simulated(project, "far.cu", *options)
    inputs = report["inputs"]
    assert (inputs["grid"]["value"], inputs["grid"]["why"]) == (grid, why)
    assert (inputs["n"]["value"], inputs["n"]["why"]) == ("70", why) or why == "chosen"


def test_a_launch_is_explained(project: Path) -> None:
    done = simt_lsp("explain", "main.cu:4", cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "line 4: scale<<<3, 96>>>(x, 200);\n"
        "  launch of `scale`: grid of 3 blocks, blocks of 96 threads\n"
        "    `n` is `200`\n"
        "    `scale` is defined in kernels.cuh:2: no branch divergent but 1 bounds check\n"
    )
