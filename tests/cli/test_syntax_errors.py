"""A function that cannot be read is no function without findings: it is said, and the status tells."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.shell import simt_lsp, write

BROKEN = """__global__ void good(float *out) {
  out[threadIdx.x] = 0;
}
__global__ void broken(float *out, int n) {
  if (threadIdx.x < n { __syncthreads(); }
  out[threadIdx.x] = 1;
}
"""
SAID = "syntax error at line 5: `broken` is not analysed"


def test_check_says_it_in_every_format(tmp_path: Path) -> None:
    write(tmp_path, {"k.cu": BROKEN})
    done = simt_lsp("check", "k.cu", cwd=tmp_path)
    assert done.returncode == 2
    assert f"syntax-error: {SAID}" in done.stdout
    assert "SYN101" not in done.stdout, "what is guessed of a broken statement is no finding"
    assert "no findings in 1 file, 1 function not analysed" in done.stdout
    done = simt_lsp("check", "k.cu", "--format", "json", cwd=tmp_path)
    report = json.loads(done.stdout)
    assert (done.returncode, report["summary"]["unreadable"]) == (2, 1)
    (note,) = [note for note in report["files"][0]["notes"] if note["kind"] == "syntax-error"]
    assert (note["line"], note["message"]) == (5, SAID)
    done = simt_lsp("check", "k.cu", "--format", "sarif", cwd=tmp_path)
    (run,) = json.loads(done.stdout)["runs"]
    (result,) = run["results"]
    assert (result["ruleId"], result["level"], result["message"]["text"]) == ("syntax-error", "error", SAID)
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "syntax-error"


def test_the_other_commands_say_it_too(tmp_path: Path) -> None:
    write(tmp_path, {"k.cu": BROKEN})
    assert SAID in simt_lsp("explain", "k.cu:5", cwd=tmp_path).stdout
    good, broken = json.loads(simt_lsp("facts", "k.cu", cwd=tmp_path).stdout)["functions"]
    assert (good["syntax_error_line"], broken["syntax_error_line"]) == (None, 5)
    done = simt_lsp("simulate", "k.cu:broken", cwd=tmp_path)
    assert done.returncode == 3
    assert "k.cu:5: a kernel with a syntax error is not simulated" in done.stderr
    assert "--havoc" not in done.stderr, "nothing can stand for what nobody could read"
    assert simt_lsp("simulate", "k.cu:good", cwd=tmp_path).returncode == 0


def test_what_is_valid_or_left_out_is_not_accused(tmp_path: Path) -> None:
    valid = """#define FOR(i, n) for (int i = 0; i < n; ++i)
#if 0
__global__ void left_out(float *out) { if (out[0] < { } }
#endif
template <typename T> __device__ T twice(T x) requires(sizeof(T) == 4) { return x + x; }
__global__ void k(float *out, unsigned value) {
  FOR(i, 4) { out[i] = twice<float>(out[i]); }
  asm volatile("st.global.u32 [%1], %0;" ::"r"(value) "l"(out) : "memory");
}
"""
    write(tmp_path, {"k.cu": valid})
    done = simt_lsp("check", "k.cu", cwd=tmp_path)
    assert (done.returncode, "syntax" in done.stdout) == (0, False), done.stdout


def test_a_file_that_is_not_analysed_is_no_success(tmp_path: Path) -> None:
    write(tmp_path, {"k.cu": b"\0\0", "l.cu": BROKEN.partition("__global__ void broken")[0]})
    assert simt_lsp("check", "k.cu", cwd=tmp_path).returncode == 2
    assert simt_lsp("check", ".", cwd=tmp_path).returncode == 2
