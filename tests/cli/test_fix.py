"""`check --fix` and `--diff`: what is repaired, what is withheld and why, and what is left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from tests.cli.shell import simt_lsp, write
from tests.support.ladder import LADDER

ORDERED: Final = LADDER.replace("s[t + 32];\n", "s[t + 32];\n    __syncwarp();\n").replace(
    "    s[t] += s[t + 16];\n",
    "    const auto value = s[t] + s[t + 16];\n    __syncwarp();\n    s[t] = value;\n",
)
LEGACY: Final = """__global__ void both(int *x) {
  int v = x[threadIdx.x];
  v += __shfl_down(v, 1) + __any(v);
  x[threadIdx.x] = v;
}
"""
TILE: Final = """__global__ void k(float *x) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  x[t] = s[63 - t];
}
void host(float *x) { k<<<1, 64>>>(x); }
"""
PART: Final = TILE.replace("  s[t] = x[t];\n", "  if (t < 50) {\n  s[t] = x[t];\n").replace(
    "63 - t];\n", "49 - t];\n  }\n"
)
CHOSEN: Final = """__global__ void k(float *x, const float *y) {
  __shared__ float one;
  int t = threadIdx.x;
  if (threadIdx.x == 0) one = 0.0f;
  __syncthreads();
  one = y[t];
  __syncthreads();
  x[t] = one;
}
void host(float *x) { k<<<1, 64>>>(x, x); }
"""
STUCK: Final = LADDER.replace("s[t] += s[t + 16];", "x[t] = s[t] = s[t + 16];")
UNKNOWN: Final = LADDER.replace("  s[t] = x[t];\n", '  asm volatile("frobnicate;");\n  s[t] = x[t];\n')

EARLY: Final = """__global__ void smooth(const float *x, float *y, int n) {
  __shared__ float tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  tile[threadIdx.x] = x[i];
  __syncthreads();
  y[i] = tile[threadIdx.x] + tile[0];
}
__global__ void reverse(float *x) {
  __shared__ float tile[16];
  if (threadIdx.x < 16) {
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[15 - threadIdx.x];
  }
}
__global__ void either(float *x) {
  if (threadIdx.x % 2) {
    __syncthreads();
    __syncthreads();
  } else {
    __syncthreads();
  }
}
void host(float *x, float *y, int n) {
  smooth<<<4, 256>>>(x, y, n);
  reverse<<<1, 64>>>(x);
  either<<<1, 64>>>(x);
}
"""
GUARDED: Final = (
    EARLY.replace("  if (i >= n) return;\n  tile[threadIdx.x] = x[i];\n", "  if (i < n) tile[threadIdx.x] = x[i];\n")
    .replace("  y[i] = tile[threadIdx.x] + tile[0];", "  if (i < n) y[i] = tile[threadIdx.x] + tile[0];")
    .replace(
        """  if (threadIdx.x < 16) {
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[15 - threadIdx.x];
  }
""",
        """  if (threadIdx.x < 16) tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 16) x[threadIdx.x] = tile[15 - threadIdx.x];
""",
    )
)


def test_fixes_are_written_and_counted(tmp_path: Path) -> None:
    write(tmp_path, {"sum.cu": LADDER, "both.cu": LEGACY})
    done = simt_lsp("check", "--fix", "--select", "WRP", ".", cwd=tmp_path)
    assert (tmp_path / "sum.cu").read_text() == ORDERED
    fixed = LEGACY.replace("__shfl_down(", "__shfl_down_sync(0xffffffff, ").replace("__any(", "__any_sync(0xffffffff, ")
    assert (tmp_path / "both.cu").read_text() == fixed
    assert done.returncode == 0
    assert "no findings in 2 files" in done.stdout
    assert "; 3 fixes applied" in done.stdout
    assert "sum.cu: fixed WRP209 in sum: Insert 2 `__syncwarp()` and take 1 statement apart: " in done.stderr


def test_a_patch_changes_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"sum.cu": LADDER})
    done = simt_lsp("check", "--diff", "sum.cu", cwd=tmp_path)
    assert (tmp_path / "sum.cu").read_text() == LADDER
    assert done.returncode == 1
    assert done.stdout.startswith("--- a/sum.cu\n+++ b/sum.cu\n")
    assert "+    __syncwarp();\n+    const auto value = s[t] + s[t + 16];\n" in done.stdout
    assert "would fix WRP209" in done.stderr
    assert "1 fix in the patch" in done.stderr


def test_what_is_withheld_stays_with_its_reason(tmp_path: Path) -> None:
    write(tmp_path, {"stuck.cu": STUCK})
    done = simt_lsp("check", "--fix", "stuck.cu", cwd=tmp_path)
    assert (tmp_path / "stuck.cu").read_text() == STUCK
    assert done.returncode == 1
    assert "stuck.cu:8: WRP209 is not fixed: lanes read and write in one statement" in done.stderr


def test_what_no_run_could_check_is_unsafe(tmp_path: Path) -> None:
    write(tmp_path, {"unknown.cu": UNKNOWN})
    done = simt_lsp("check", "--fix", "unknown.cu", cwd=tmp_path)
    assert (tmp_path / "unknown.cu").read_text() == UNKNOWN
    assert "--unsafe-fixes applies it" in done.stderr
    done = simt_lsp("check", "--fix", "--unsafe-fixes", "unknown.cu", cwd=tmp_path)
    assert "__syncwarp();" in (tmp_path / "unknown.cu").read_text()
    assert "(not checked: " in done.stderr


def test_rules_that_are_ignored_are_not_fixed(tmp_path: Path) -> None:
    write(tmp_path, {"sum.cu": LADDER})
    simt_lsp("check", "--fix", "--ignore", "WRP209", "sum.cu", cwd=tmp_path)
    assert (tmp_path / "sum.cu").read_text() == LADDER


def test_json_lists_fixes(tmp_path: Path) -> None:
    write(tmp_path, {"sum.cu": LADDER})
    report = json.loads(simt_lsp("check", "--fix", "--format", "json", "sum.cu", cwd=tmp_path).stdout)
    (fix,) = report["files"][0]["fixes"]
    assert (fix["code"], fix["name"], fix["function"]) == ("WRP209", "missing-syncwarp", "sum")
    assert fix["applicability"] == "safe"
    assert report["summary"]["fixed"] == 1
    again = json.loads(simt_lsp("check", "--format", "json", "sum.cu", cwd=tmp_path).stdout)
    assert (again["files"][0]["fixes"], again["summary"]["fixed"]) == ([], 0)


def test_missing_barriers_of_the_block_are_inserted_and_checked(tmp_path: Path) -> None:
    write(tmp_path, {"tile.cu": TILE, "part.cu": PART})
    assert "1 can be fixed with --fix where a run confirms it" in simt_lsp("check", ".", cwd=tmp_path).stdout
    done = simt_lsp("check", "--fix", ".", cwd=tmp_path)
    assert (tmp_path / "tile.cu").read_text() == TILE.replace("x[t];\n", "x[t];\n  __syncthreads();\n", 1)
    assert (tmp_path / "part.cu").read_text() == PART
    assert "tile.cu: fixed RAC301 in k: Insert `__syncthreads()`: 1 race gone, equal results under 8" in done.stderr
    assert "part.cu:6: RAC301 is not fixed: not all threads of the block come there" in done.stderr


def test_what_is_not_safe_takes_an_option_of_its_own(tmp_path: Path) -> None:
    write(tmp_path, {"chosen.cu": CHOSEN})
    said = "\n1 can be fixed with --fix --unsafe-fixes\n"
    assert simt_lsp("check", "--select", "RAC", ".", cwd=tmp_path).stdout.endswith(said)
    assert simt_lsp("check", "--fix", "--select", "RAC", ".", cwd=tmp_path).stdout.endswith(said)
    assert (tmp_path / "chosen.cu").read_text() == CHOSEN
    done = simt_lsp("check", "--fix", "--unsafe-fixes", "--format", "json", ".", cwd=tmp_path)
    fixed = CHOSEN.replace("  one = y[t]", "  if (threadIdx.x == 0) one = y[t]")
    assert (tmp_path / "chosen.cu").read_text() == fixed
    (fix,) = json.loads(done.stdout)["files"][0]["fixes"]
    assert (fix["code"], fix["applicability"]) == ("RAC302", "unsafe")


def test_reports_say_what_can_be_fixed_and_how(tmp_path: Path) -> None:
    write(tmp_path, {"sum.cu": LADDER, "both.cu": LEGACY})
    select = ("--select", "WRP", ".")
    text = simt_lsp("check", *select, cwd=tmp_path).stdout
    assert text.endswith("\n2 can be fixed with --fix, 1 more with --fix where a run confirms it\n")
    assert "fixed with" not in simt_lsp("check", "--fix", *select, cwd=tmp_path).stdout

    write(tmp_path, {"sum.cu": LADDER, "both.cu": LEGACY})
    report = json.loads(simt_lsp("check", "--format", "json", *select, cwd=tmp_path).stdout)
    assert report["summary"]["fixable"] == {"safe": 2, "unsafe": 0, "needs-run": 1}
    first, second, ladder = [found["fix"] for file in report["files"] for found in file["diagnostics"]]
    edit = {"text": "__shfl_down_sync(0xffffffff, ", "line": 3, "column": 8, "end_line": 3, "end_column": 20}
    assert first == {"title": "Use `__shfl_down_sync` with a full mask", "applicability": "safe", "edits": [edit]}
    assert second["edits"][0]["column"] == 28
    assert ladder == {"title": "Insert `__syncwarp()`", "applicability": "needs-run", "edits": []}

    log = json.loads(simt_lsp("check", "--format", "sarif", *select, cwd=tmp_path).stdout)
    fixed, _, unfixed = log["runs"][0]["results"]
    region = {"startLine": 3, "startColumn": 8, "endLine": 3, "endColumn": 20}
    (change,) = fixed["fixes"][0]["artifactChanges"]
    assert change["artifactLocation"]["uri"] == "both.cu"
    assert change["replacements"] == [{"deletedRegion": region, "insertedContent": {"text": edit["text"]}}]
    assert fixed["properties"]["applicability"] == "safe"
    assert "fixes" not in unfixed
    assert unfixed["properties"] == {"tier": "proven", "applicability": "needs-run"}


def test_what_is_withheld_is_not_promised(tmp_path: Path) -> None:
    write(tmp_path, {"stuck.cu": STUCK})
    assert "fixed with" not in simt_lsp("check", "stuck.cu", cwd=tmp_path).stdout


def test_options_that_do_not_go_together(tmp_path: Path) -> None:
    write(tmp_path, {"sum.cu": LADDER})
    for options in (["--fix", "--diff"], ["--diff", "--format", "json"], ["--unsafe-fixes"]):
        assert simt_lsp("check", *options, "sum.cu", cwd=tmp_path).returncode == 2
    assert (tmp_path / "sum.cu").read_text() == LADDER


def test_all_threads_come_to_the_barriers(tmp_path: Path) -> None:
    write(tmp_path, {"early.cu": EARLY})
    done = simt_lsp("check", "--fix", "--select", "SYN", "early.cu", cwd=tmp_path)
    assert (tmp_path / "early.cu").read_text() == GUARDED
    guarded = (
        "early.cu: fixed SYN103 in smooth: Guard the work instead of returning early: equal results under 8 policies"
    )
    assert guarded in done.stderr
    assert "early.cu: fixed SYN101 in reverse: Take the barrier out of the branch: equal results under" in done.stderr
    assert "early.cu:16: SYN101 is not fixed: the arms do not wait in step" in done.stderr
