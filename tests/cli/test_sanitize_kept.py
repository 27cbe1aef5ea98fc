"""`sanitize` of what it has a report of: a run that was broken off goes on, and nothing stale is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim.launch.choices import Choice
from sim.sanitize.report import FileParts, KernelPart, KernelSummary, RunSummary
from sim.sanitize.trials import OUT_OF_TIME, PLAIN
from simt_lsp.cli.sanitized_files import settled
from tests.cli.shell import simt_lsp, write

LAUNCH = "void go_{0}(int *out) {{ {0}<<<1, 32>>>(out); }}\n"
ARRAY = "__shared__ int s[32];"
FILES: Mapping[str, str | bytes] = {
    "tile.h": "#define MORE 0\n",
    "a.cu": f'#include "tile.h"\n__global__ void a(int *out) {{ {ARRAY} s[threadIdx.x + MORE] = 1; }}\n'
    + LAUNCH.format("a"),
    "b.cu": '#include "b.cuh"\nvoid go_b(int *out) { b<<<1, 64>>>(out, 32); }\n',
    "b.cuh": f"__global__ void b(int *out, int n) {{ {ARRAY} if (threadIdx.x < n) s[threadIdx.x] = n; }}\n",
    "c.cu": f"__global__ void c(int *out) {{ {ARRAY} s[threadIdx.x] = 1; }}\n" + LAUNCH.format("c"),
    "d.cu": f"// simt: grid=1 block=32 at=@at.npy\n__global__ void d(int *at) {{ {ARRAY} s[at[threadIdx.x]] = 1; }}\n",
}
Sanitize = Callable[..., Any]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write(tmp_path / "tree", FILES)
    np.save(tmp_path / "tree" / "at.npy", np.arange(32, dtype=np.int32))
    return tmp_path / "tree"


@pytest.fixture
def sanitized(tmp_path: Path, tree: Path) -> Sanitize:
    def run(*more: str) -> Any:
        command = ("sanitize", "--jobs", "1", "--seeds", "1", "--format", "json", "--timeout", "30")
        done = simt_lsp(*command, *more, cwd=tree, env={"SIMT_LSP_CACHE": str(tmp_path / "cache")})
        return json.loads(done.stdout)

    return run


def seconds(report: Any) -> dict[str, float]:
    """Of each kernel: a report that is taken again has those of the run that it is of."""
    return {kernel["kernel"]: kernel["seconds"] for kernel in report["kernels"]}


def test_what_has_a_report_is_not_run_again_unless_something_changed(tree: Path, sanitized: Sanitize) -> None:
    """Also in a header, in what a launch passes, and in a file that an array is read from."""
    broken_off = sanitized(".", "--exclude", "c.cu")
    assert broken_off["findings"] == []
    first = seconds(broken_off)
    whole = seconds(sanitized("."))
    assert (whole["a"], whole["b"]) == (first["a"], first["b"])
    (tree / "tile.h").write_text("#define MORE 1\n")
    (tree / "b.cu").write_text(str(FILES["b.cu"]).replace("32)", "33)"))
    np.save(tree / "at.npy", np.arange(32, dtype=np.int32) + 1)
    changed = sanitized(".")
    assert [Path(one["path"]).name for one in changed["findings"]] == ["a.cu", "b.cuh", "d.cu"]
    assert {one["kind"] for one in changed["findings"]} == {"out-of-bounds"}
    assert seconds(changed)["c"] == whole["c"]


def part(id: str, **changes: Any) -> KernelPart:
    run = RunSummary((1, 1, 1), (32, 1, 1), 1, "", PLAIN, 5, changes.pop("stopped", None), 0.1)
    kernel = KernelSummary("a.cu", "k", 1, (run,), inputs=(), lines=1, reached=1, not_run=None, left=(), seconds=0.1)
    return KernelPart(id, replace(kernel, **changes), ())


@pytest.mark.parametrize(
    ("changes", "is_kept"),
    [
        ({}, True),
        ({"stopped": "the time budget is used up"}, False),
        ({"stopped": "the step budget is used up"}, True),
        ({"left": (f"a launch with seed 2: {OUT_OF_TIME}",)}, False),
        ({"left": ("a launch with seed 2: another reason",)}, True),
        ({"not_run": OUT_OF_TIME}, False),
        ({"not_run": "line 3: something is not simulated"}, True),
        ({"inputs": (Choice("x", "@x.npy", "given", is_chosen=False),)}, False),
    ],
)
def test_what_the_clock_had_a_part_in_is_not_kept(changes: dict[str, Any], is_kept: bool) -> None:
    """Of a file the kernels are that have nothing to do with it."""
    kernel, other = part("k", **changes), part("other")
    assert settled(kernel) == (kernel if is_kept else None)
    file = FileParts("a.cu", kernels=("k", "other"), parts=(kernel, other))
    kept = settled(file)
    assert isinstance(kept, FileParts)
    assert kept == file if is_kept else [one.id for one in kept.waiting] == ["k"]
    assert kept.with_parts([kernel]).waiting == ()
