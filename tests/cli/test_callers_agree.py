"""All commands judge a function of a header by the same callers, and none by any with `--no-project`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.shell import simt_lsp, write

ALL_TIERS: Final = ("--tier", "proven,possible,assumed")

APPEARS: Final = """\
#pragma once
__device__ inline float column(float *x, int i, int j) {
  __shared__ float tile[32][32];
  tile[j][i] = x[j * 32 + i];
  __syncthreads();
  return tile[i][j];
}
"""
"""Line 6 has a bank conflict (MEM502, with a repair) where neighbouring threads pass neighbouring numbers as `i`."""
TURN: Final = """\
#include "tile.cuh"
__global__ void turn(float *x) { x[threadIdx.y * 32 + threadIdx.x] = column(x, threadIdx.x, threadIdx.y); }
void host(float *x) { turn<<<1, dim3(32, 32)>>>(x); }
"""
ALONG: Final = TURN.replace("threadIdx.x, threadIdx.y)", "threadIdx.y, threadIdx.x)").replace("turn", "along")

VANISHES: Final = """\
#pragma once
__device__ inline void wait_for(int n) {
  if (n > 3) __syncthreads();
}
"""
"""Line 3 may be a divergent barrier (SYN101), unless all callers pass one number."""
UNIFORM: Final = '#include "wait.cuh"\n__global__ void uniform(int n) { wait_for(n); }\n'
VARYING: Final = '#include "wait.cuh"\n__global__ void varying(int n) { wait_for(threadIdx.x); }\n'

ARMS: Final = """\
#pragma once
__device__ inline float arms(float *x, int c) {
  float v = x[threadIdx.x];
  if (c > 3) {
    v = v * 2.0f + 1.0f; v = v * v + 3.0f; v = v * 5.0f + v;
  } else {
    v = v * 4.0f + 2.0f; v = v * v + 1.0f; v = v * 7.0f + v;
  }
  return v;
}
__global__ void here(float *x, int n) { x[threadIdx.x] = arms(x, n); }
"""
ARMS_CALLED: Final = """\
#include "arms.cuh"
void host(float *x) { here<<<1, 64>>>(x, 7); }
"""


def _project(folder: Path, files: dict[str, str]) -> Path:
    (folder / ".git").mkdir()
    return write(folder, dict(files))


def _codes(path: Path, *options: str) -> list[tuple[str, int]]:
    reports = json.loads(simt_lsp("check", "--format", "json", *options, path).stdout)["files"]
    return [(found["code"], found["line"]) for one in reports for found in one["diagnostics"]]


# -- a finding because of the callers ----------------------------------------------------------------------------------


def test_a_finding_because_of_callers_is_explained_and_repaired(tmp_path: Path) -> None:
    header = _project(tmp_path, {"tile.cuh": APPEARS, "turn.cu": TURN}) / "tile.cuh"
    assert _codes(header) == [("MEM502", 6)]
    assert "32-way bank conflict" in simt_lsp("explain", f"{header}:6").stdout
    patch = simt_lsp("check", "--diff", header)
    assert "+  __shared__ float tile[32][32 + 1];" in patch.stdout
    assert "1 fix in the patch" in patch.stderr
    assert header.read_text() == APPEARS
    fixed = simt_lsp("check", "--fix", header)
    assert "fixed MEM502 in column" in fixed.stderr
    assert header.read_text() == APPEARS.replace("[32][32]", "[32][32 + 1]")
    assert _codes(header) == []


def test_without_the_project_no_command_knows_of_it(tmp_path: Path) -> None:
    header = _project(tmp_path, {"tile.cuh": APPEARS, "turn.cu": TURN}) / "tile.cuh"
    assert _codes(header, "--no-project") == []
    assert "conflict" not in simt_lsp("explain", "--no-project", f"{header}:6").stdout
    assert simt_lsp("check", "--no-project", "--diff", header).stdout == ""
    simt_lsp("check", "--no-project", "--fix", header)
    assert header.read_text() == APPEARS


def test_a_caller_that_has_no_conflict_silences_all(tmp_path: Path) -> None:
    header = _project(tmp_path, {"tile.cuh": APPEARS, "turn.cu": TURN, "along.cu": ALONG}) / "tile.cuh"
    assert _codes(header) == []
    assert "32-way" not in simt_lsp("explain", f"{header}:6").stdout
    assert simt_lsp("check", "--diff", header).stdout == ""


def test_all_includers_count_however_many_they_are(tmp_path: Path) -> None:
    """Given or not, for the last of them too."""
    files = {f"turn{number}.cu": TURN.replace("turn", f"turn{number}") for number in range(30)}
    folder = _project(tmp_path, {"tile.cuh": APPEARS, **files})
    header = folder / "tile.cuh"
    for path in (folder, header):
        assert _codes(path) == [("MEM502", 6)]
        assert "+  __shared__ float tile[32][32 + 1];" in simt_lsp("check", "--diff", path).stdout
    assert "32-way bank conflict" in simt_lsp("explain", f"{header}:6").stdout
    write(folder, {"zzz.cu": ALONG})
    for path in (folder, header):
        assert _codes(path) == []
        assert simt_lsp("check", "--diff", path).stdout == ""
    assert "conflict" not in simt_lsp("explain", f"{header}:6").stdout


# -- no finding because of the callers ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "options", "codes", "explained", "withheld"),
    [
        ({"uniform.cu": UNIFORM}, (), [], "convergent", False),
        ({"uniform.cu": UNIFORM, "varying.cu": VARYING}, (), [("SYN101", 3)], "divergent: Some threads", True),
        ({"uniform.cu": UNIFORM}, ("--no-project",), [("SYN101", 3)], "unknown: It is not known", True),
    ],
)
def test_a_finding_goes_with_the_callers_in_all_commands(
    tmp_path: Path,
    files: dict[str, str],
    options: tuple[str, ...],
    codes: list[tuple[str, int]],
    explained: str,
    withheld: bool,
) -> None:
    header = _project(tmp_path, {"wait.cuh": VANISHES, **files}) / "wait.cuh"
    assert _codes(header, *ALL_TIERS, *options) == codes
    assert f"block barrier `__syncthreads()`: {explained}" in simt_lsp("explain", *options, f"{header}:3").stdout
    patch = simt_lsp("check", *ALL_TIERS, *options, "--diff", header)
    assert ("SYN101 is not fixed" in patch.stderr) is withheld
    assert patch.stdout == ""


@pytest.mark.parametrize(("options", "is_uniform"), [((), True), (("--no-project",), False)])
def test_other_commands_that_show_levels(tmp_path: Path, options: tuple[str, ...], is_uniform: bool) -> None:
    folder = _project(tmp_path, {"arms.cuh": ARMS, "main.cu": ARMS_CALLED})
    header = folder / "arms.cuh"
    word = "uniform" if is_uniform else "varying"
    assert f"`c > 3`: the condition is {word}" in simt_lsp("explain", *options, f"{header}:4").stdout
    assert f"4: if c > 3 ({word})" in simt_lsp("cfg", "--format", "dot", *options, f"{header}:arms").stdout
    assert bool(json.loads(simt_lsp("meld", "--json", *options, header).stdout)["regions"]) is not is_uniform
    for place in (header, f"{folder / 'main.cu'}:here"):
        report: dict[str, Any] = json.loads(simt_lsp("simulate", "--json", *options, place).stdout)
        levels = {branch["level"] for branch in report["policies"]["ipdom"]["branches"]}
        assert levels == {"grid" if is_uniform else "varying"}
