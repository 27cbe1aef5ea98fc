from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.shell import simt_lsp, write

SOURCE = """\
__global__ void row(const float *a, int b, int c, int n, float *out) {
  *out = a[c + b * n] + a[c + 1 + b * n] + a[c + (b + 1) * n] + a[c + 1 + (b + 1) * n];
}
__global__ void plain(float *a, float x) { *a = x; }
"""
ROW = """\
kernel row, a warp of 32 threads
  machine instructions, as the loops run       of a thread     of a warp
  as written                                            24            24
  after common subexpressions                           20            20  -4
  after pointer arithmetic reassociation                15            15  -5
  after straight-line strength reduction                14            14  -1
  after global reassociation                            12            12  -2
  nvcc and clang take these steps themselves at -O2 and above (nvcc 13.0 all but speculative execution)

  p0 = &a[c + (b * n)]
  v0 = *p0
  p1 = &p0[1]
  v1 = *p1
  p2 = &p0[n]
  v2 = *p2
  p3 = &p2[1]
  v3 = *p3
  *out = ((v0 + v1) + v2) + v3
  return
"""


def test_a_kernel_is_printed_with_its_counts(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": SOURCE})
    done = simt_lsp("straightline", "a.cu:row", cwd=tmp_path)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", ROW)


def test_all_steps_are_shown(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": SOURCE})
    done = simt_lsp("straightline", "a.cu:row", "--all-steps", cwd=tmp_path)
    titles = [line for line in done.stdout.splitlines() if line.endswith(":")]
    assert titles == [
        "as written:",
        "after common subexpressions:",
        "after pointer arithmetic reassociation:",
        "after straight-line strength reduction:",
        "after global reassociation:",
    ]
    assert "p2 = &a[c + ((b + 1) * n)]" in done.stdout


def test_all_kernels_as_json(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": SOURCE})
    done = simt_lsp("straightline", "a.cu", "--json", cwd=tmp_path)
    row, plain = map(json.loads, done.stdout.splitlines())
    assert row["before"] == {"thread": 24, "warp": 24}
    assert row["after"] == {"thread": 12, "warp": 12} == {key: row["steps"][-1][key] for key in ("thread", "warp")}
    assert plain["steps"] == []
    assert plain["before"] == plain["after"]
    assert (plain["function"], plain["kind"], plain["unrolled"], plain["wide_divisions"]) == (
        "plain",
        "kernel",
        False,
        0,
    )


@pytest.mark.parametrize(
    ("place", "message"),
    [("a.cu:other", "a.cu has no device function 'other'; it has: row, plain"), ("b.cu", "b.cu: no such file")],
)
def test_what_is_not_there_is_named(tmp_path: Path, place: str, message: str) -> None:
    write(tmp_path, {"a.cu": SOURCE})
    done = simt_lsp("straightline", place, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
