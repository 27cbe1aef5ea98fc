"""`check --confirm`: what a run shows is reported like what is proven; what none shows stays hidden."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from tests.cli.shell import simt_lsp, write

CONFIRMED: Final = """__global__ void k(float *out, const int *flag) {
  __shared__ float s[128];
  int t = threadIdx.x;
  if (flag[t]) {
    s[t] = out[t];
    out[t] = s[127 - t];
  }
}
void host(float *a, int *b) { k<<<2, 128>>>(a, b); }
"""
HIDDEN: Final = CONFIRMED.replace("if (flag[t])", "if (flag[t] == 123456789)")
BARRIER: Final = """__global__ void k(float *x) {
  if (x[threadIdx.x] > 0.5f) __syncthreads();
  __syncthreads();
}
void host(float *a) { k<<<1, 64>>>(a); }
"""


def report(tmp_path: Path, text: str, *options: str) -> dict[str, Any]:
    write(tmp_path, {"k.cu": text})
    return json.loads(simt_lsp("check", "--format", "json", *options, "k.cu", cwd=tmp_path).stdout)


def codes(findings: list[dict[str, Any]]) -> list[str]:
    return [one["code"] for one in findings if one["code"] in ("RAC301", "SYN101")]


def test_a_confirmed_race_is_shown_with_the_run(tmp_path: Path) -> None:
    write(tmp_path, {"k.cu": CONFIRMED})
    assert "RAC301" not in simt_lsp("check", "k.cu", cwd=tmp_path).stdout
    done = simt_lsp("check", "--confirm", "k.cu", cwd=tmp_path)
    assert done.returncode == 0
    assert "k.cu:6:14: warning RAC301 shared-race: Line 5 writes `s`, line 6 reads it" in done.stdout
    assert "(assumed)" not in done.stdout
    assert "k.cu:6:14: run: confirmed by a run of k (grid 2, block 128): thread " in done.stdout
    assert "1 of 1 undecided finding confirmed by runs" in done.stdout


def test_the_status_follows_what_is_shown(tmp_path: Path) -> None:
    write(tmp_path, {"k.cu": BARRIER})
    assert simt_lsp("check", "k.cu", cwd=tmp_path).returncode == 0
    assert simt_lsp("check", "--confirm", "k.cu", cwd=tmp_path).returncode == 1


def test_what_no_run_shows_is_hidden_and_counted(tmp_path: Path) -> None:
    found = report(tmp_path, HIDDEN, "--confirm")
    assert codes(found["files"][0]["diagnostics"]) == []
    (one,) = found["files"][0]["unconfirmed"]
    assert (one["code"], one["tier"], one["run"]["verdict"]) == ("RAC301", "assumed", "not-seen")
    assert one["run"]["message"] == f"not seen in {one['run']['runs']} runs"
    assert (found["summary"]["confirmed"], found["summary"]["unconfirmed"]) == (0, 1)
    assert "not seen in 3 runs" in simt_lsp("check", "--confirm", "--verbose", "k.cu", cwd=tmp_path).stdout


def test_what_the_settings_show_stays_with_what_runs_say(tmp_path: Path) -> None:
    found = report(tmp_path, HIDDEN, "--confirm", "--tier", "proven,assumed")
    (one,) = [one for one in found["files"][0]["diagnostics"] if one["code"] == "RAC301"]
    assert one["run"]["verdict"] == "not-seen"
    assert found["files"][0]["unconfirmed"] == []


def test_reports_without_runs_have_no_run(tmp_path: Path) -> None:
    found = report(tmp_path, BARRIER, "--tier", "possible")
    (one,) = [one for one in found["files"][0]["diagnostics"] if one["code"] == "SYN101"]
    assert one["run"] is None


def test_the_evidence_in_json_and_sarif(tmp_path: Path) -> None:
    found = report(tmp_path, CONFIRMED, "--confirm")
    (one,) = [one for one in found["files"][0]["diagnostics"] if one["code"] == "RAC301"]
    evidence = one["run"]["evidence"]
    assert (evidence["kernel"], evidence["block"], evidence["first"]["line"]) == ("k", [128, 1, 1], 6)
    sarif = json.loads(simt_lsp("check", "--confirm", "--format", "sarif", "k.cu", cwd=tmp_path).stdout)
    (result,) = [one for one in sarif["runs"][0]["results"] if one["ruleId"] == "RAC301"]
    assert result["properties"]["run"] == one["run"]
    assert result["message"]["text"] == f"{one['message']} ({one['run']['message']})"


def test_suppressed_and_ignored_findings_are_not_run(tmp_path: Path) -> None:
    text = CONFIRMED.replace("s[127 - t];", "s[127 - t];  // NOLINT(simt-shared-race)")
    for found in (report(tmp_path, text, "--confirm"), report(tmp_path, CONFIRMED, "--confirm", "--ignore", "RAC")):
        assert codes(found["files"][0]["diagnostics"]) == []
        assert found["files"][0]["unconfirmed"] == []


def test_wrong_usage(tmp_path: Path) -> None:
    write(tmp_path, {"k.cu": CONFIRMED})
    for options in (("--timeout", "3"), ("--confirm", "--fix"), ("--confirm", "--diff")):
        done = simt_lsp("check", *options, "k.cu", cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert "--confirm" in done.stderr


def test_several_processes_give_the_same_report(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": CONFIRMED, "b.cu": BARRIER})
    one, two = (
        simt_lsp("check", "--confirm", "--format", "json", "--jobs", jobs, ".", cwd=tmp_path).stdout
        for jobs in ("1", "2")
    )
    assert one == two
    assert '"confirmed": 2' in one
