"""`check` with a baseline, with other things that fail, and with counts instead of findings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.kernels import BROKEN, CLEAN, DIVERGENT
from tests.cli.shell import simt_lsp, write

WARNING = """\
__global__ void sum(int *out, const int *in) {
  __shared__ int total[64];
  total[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = total[63 - threadIdx.x];
}
void go(int *a, int *b) { sum<<<1, 64>>>(a, b); }
"""


def test_what_the_baseline_has_is_counted_and_not_reported(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": DIVERGENT, "b.cu": BROKEN, "gone.cu": DIVERGENT.replace("halo", "gone")})
    written = simt_lsp("check", ".", "--write-baseline", "known.json", cwd=tmp_path)
    assert (written.returncode, written.stdout) == (0, "")
    assert written.stderr == "simt-lsp: known.json: 3 findings in 3 files\n"
    write(tmp_path, {"a.cu": f"// moved\n{DIVERGENT}", "gone.cu": CLEAN})
    clean = simt_lsp("check", ".", "--baseline", "known.json", "--verbose", cwd=tmp_path)
    assert clean.returncode == 0  # though `b.cu` has a function that cannot be read
    assert "no findings in 3 files" in clean.stdout
    assert "; 2 in the baseline" in clean.stdout
    assert clean.stderr == "simt-lsp: known.json: gone.cu: SYN101 in gone is no longer found\n"
    write(tmp_path, {"c.cu": DIVERGENT.replace("halo", "added")})
    done = simt_lsp("check", ".", "--baseline", "known.json", "--format", "json", cwd=tmp_path)
    report = json.loads(done.stdout)
    assert done.returncode == 1
    found = [(Path(file["path"]).name, one["function"]) for file in report["files"] for one in file["diagnostics"]]
    assert found == [("c.cu", "added")]
    assert (report["summary"]["baselined"], report["summary"]["severities"]["error"]) == (2, 1)


def test_a_baseline_is_not_made_of_what_could_not_be_analysed(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": DIVERGENT, "b.cu": b"\0binary"})
    done = simt_lsp("check", ".", "--write-baseline", "known.json", cwd=tmp_path)
    assert done.returncode == 2
    assert "b.cu: not analysed: not text" in done.stderr
    assert len(json.loads((tmp_path / "known.json").read_text())["findings"]) == 1


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ((), 0),
        (("--fail-on", "RAC"), 1),
        (("--fail-on", "RAC", "--exit-zero"), 0),
        (("--fail-on", "SYN,DIV401", "--fail-on", "warning"), 1),
        (("--fail-on", "SYN"), 0),
        (("--fail-on", "SYN", "-I.", "--exit-zero", "--config", "missing.toml"), 2),
    ],
)
def test_what_fails_can_be_chosen(tmp_path: Path, options: tuple[str, ...], status: int) -> None:
    write(tmp_path, {"a.cu": WARNING})
    done = simt_lsp("check", "a.cu", *options, cwd=tmp_path)
    assert done.returncode == status
    assert ("warning RAC301 shared-race" in done.stdout) == (status != 2)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--fail-on", "warn"), "--fail-on: 'warn' is neither a rule nor one of error, warning, information, hint"),
        (("--baseline", "none.json"), "--baseline none.json: no such file or directory"),
        (("--baseline", "a.cu"), "--baseline a.cu: no baseline: --write-baseline makes one ("),
        (("--baseline", "a", "--write-baseline", "b"), "--write-baseline writes all findings, --baseline leaves some"),
        (("--baseline", "a", "--fix"), "fixes are made of all findings: leave out baselines and --changed-since"),
        (("--statistics", "--format", "sarif"), "--statistics goes with the formats text and json, not with sarif"),
    ],
)
def test_what_does_not_go_together_is_said(tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    write(tmp_path, {"a.cu": CLEAN})
    done = simt_lsp("check", "a.cu", *options, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"simt-lsp: error: {said}")


def test_counts_instead_of_findings(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": DIVERGENT + DIVERGENT.replace("halo", "two"), "b.cu": WARNING, "c.cu": CLEAN})
    done = simt_lsp("check", "a.cu", "b.cu", "c.cu", "--statistics", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.splitlines()[:6] == [
        "2  SYN101 divergent-barrier  2 error",
        "1  RAC301 shared-race        1 warning",
        "",
        "2  a.cu",
        "1  b.cu",
        "",
    ]
    counted = json.loads(simt_lsp("check", "--statistics", "--format=json", "a.cu", "b.cu", cwd=tmp_path).stdout)
    assert counted["statistics"]["rules"][0] == {
        "code": "SYN101",
        "name": "divergent-barrier",
        "findings": 2,
        "severities": {"error": 2},
    }
    assert counted["statistics"]["files"] == [{"path": "a.cu", "findings": 2}, {"path": "b.cu", "findings": 1}]
    assert len(counted["files"][0]["diagnostics"]) == 2


def test_files_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": CLEAN, "gen/b.cu": DIVERGENT, "old/c.cu": DIVERGENT, ".simt.toml": 'exclude = ["old"]'})
    done = simt_lsp("check", ".", "old/c.cu", "--exclude", "gen/*.cu", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("no findings in 1 file ")
    assert done.stderr == "simt-lsp: old/c.cu: left out by --exclude or the settings\n"
