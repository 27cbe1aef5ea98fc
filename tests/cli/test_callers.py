"""`check` and `facts` over a project: headers are judged by what the files that include them pass."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import simt_lsp

HEADER = """\
#pragma once
__device__ inline void wait_for(int n) {
  if (n > 3) __syncthreads();
}
"""
UNIFORM = '#include "wait.cuh"\n__global__ void uniform(int n) { wait_for(n); }\n'
VARYING = '#include "wait.cuh"\n__global__ void varying(int n) { wait_for(threadIdx.x); }\n'


def _project(folder: Path, **files: str) -> Path:
    (folder / ".git").mkdir()
    (folder / "wait.cuh").write_text(HEADER)
    for name, text in files.items():
        (folder / f"{name}.cu").write_text(text)
    return folder


def _functions(folder: Path, *options: str) -> dict[str, dict[str, Any]]:
    lines = simt_lsp("facts", *options, str(folder)).stdout.splitlines()
    return {function["name"]: function for line in lines for function in json.loads(line)["functions"]}


def test_a_header_is_judged_by_its_callers(tmp_path: Path) -> None:
    helper = _functions(_project(tmp_path, uniform=UNIFORM))["wait_for"]
    assert helper["callers_known"] is True
    assert [call["line"] for call in helper["calls"]] == [2]
    assert helper["barriers"] == [{"line": 3, "scope": "block", "verdict": "convergent"}]


def test_one_caller_is_enough(tmp_path: Path) -> None:
    helper = _functions(_project(tmp_path, uniform=UNIFORM, varying=VARYING))["wait_for"]
    assert helper["barriers"] == [{"line": 3, "scope": "block", "verdict": "divergent"}]


def test_without_the_project_nothing_is_known(tmp_path: Path) -> None:
    helper = _functions(_project(tmp_path, uniform=UNIFORM), "--no-project")["wait_for"]
    assert helper["callers_known"] is False
    assert helper["calls"] == []
    assert helper["barriers"] == [{"line": 3, "scope": "block", "verdict": "unknown"}]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_processes_change_nothing_and_the_order_stays(tmp_path: Path, jobs: str) -> None:
    folder = _project(tmp_path, uniform=UNIFORM, varying=VARYING)
    files = [str(folder / name) for name in ("wait.cuh", "varying.cu", "uniform.cu")]
    result = simt_lsp("check", "--jobs", jobs, "--format", "json", *files)
    reports = json.loads(result.stdout)
    assert "wait.cuh" in result.stdout.split("varying.cu")[0]
    assert reports


def test_includers_that_were_not_given_count(tmp_path: Path) -> None:
    folder = _project(tmp_path, uniform=UNIFORM, varying=VARYING)
    line = json.loads(simt_lsp("facts", str(folder / "wait.cuh")).stdout)
    assert line["functions"][0]["barriers"][0]["verdict"] == "divergent"


def test_a_file_that_cannot_be_read_may_call_anything(tmp_path: Path) -> None:
    folder = _project(tmp_path, uniform=UNIFORM)
    (folder / "binary.cu").write_bytes(b'#include "wait.cuh"\n\0')
    assert _functions(folder / "wait.cuh")["wait_for"]["callers_known"] is False


def test_a_saving_in_a_header_is_a_share_of_the_function(tmp_path: Path) -> None:
    """Its arms are planned without the kernels in other files, whatever these pass."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "put.cuh").write_text(
        "#pragma once\n__device__ inline void put(float *x, const float *y, int i) {\n"
        "  if (i % 2) {\n    x[i] = y[i] * 2.0f;\n  } else {\n    x[i] = y[i + 1] * 3.0f;\n  }\n}\n"
    )
    (tmp_path / "k.cu").write_text(
        '#include "put.cuh"\n__global__ void k(float *x, const float *y) { put(x, y, threadIdx.x); }\n'
    )
    said = simt_lsp("explain", f"{tmp_path}/put.cuh:3").stdout
    assert "would save about" in said
    assert "of this function's issue slots" in said
