"""`sanitize` in a shell: each format, exit statuses, budgets, processes, hostile names, and the page."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, final
from xml.etree import ElementTree

import pytest

from sim.sanitize.merge import joined, together
from sim.sanitize.report import FileParts
from simt_lsp.cli.engine import Analyzed, EngineOptions
from simt_lsp.cli.main import run
from simt_lsp.cli.run_files import OUT_OF_BUDGET, FileTask, run_files
from simt_lsp.cli.sanitized_files import failed_file
from tests.cli.shell import simt_lsp, write
from tests.presentation.browser import Tab, browser_tab
from tests.schemas.fits import wrong

BAD: Final = """__global__ void bad(const float *in, float *out) {
  __shared__ float s[128];
  s[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = s[127 - threadIdx.x];
}
void host(float *a, float *b) { bad<<<1, 128>>>(a, b); }
"""
GOOD: Final = BAD.replace("  out[", "  __syncthreads();\n  out[").replace("bad", "good")
UNKNOWN: Final = '__global__ void unknown(int *p) { asm("bogus.op %0;" : "=r"(*p)); }\n'
CHOSEN: Final = "__global__ void scatter(const int *i, float *out) { out[i[threadIdx.x]] = threadIdx.x; }\n"
LATE: Final = "__global__ void late(int *p) { for (volatile int i = 0; ; i++) if (i < 0) p[0] = i; }\n"
DOCS: Final = Path(__file__).parents[2] / "docs" / "sanitize-json.md"
FILES: Final[Mapping[str, str]] = {"bad.cu": BAD, "good.cu": GOOD, "sub/unknown.cu": UNKNOWN, "scatter.cu": CHOSEN}


@final
@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


def shell(*arguments: str, cwd: Path) -> Done:
    """The command in this process: a new one costs more than most of these runs."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = run(arguments)
    return Done(status, out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("tree"), {**FILES, "late/late.cu": LATE})


@pytest.fixture(scope="module")
def report(tree: Path) -> dict[str, Any]:
    done = shell("sanitize", "--format", "json", "--html", "page.html", "--jobs", "1", *FILES, cwd=tree)
    assert done.returncode == 1, done.stderr
    return json.loads(done.stdout)


def test_text(tree: Path) -> None:
    done = shell("sanitize", "bad.cu", "sub", "good.cu", cwd=tree)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0].startswith("bad.cu:4:22: error data-race: reads byte 508 of s, which thread 127,0,0 of block 0,0,0")
    assert "bad.cu:4:22: rule RAC301 shared-race: " in done.stdout
    assert re.search(r"bad.cu:4:22: run: bad \(grid 1, block 128, seed 1\) under ipdom: thread 0,0,0 of", done.stdout)
    assert "sub/unknown.cu:1: unknown: not run: " in done.stdout
    assert re.search(
        r"1 error in 2 of 3 kernels \(3 files, \d+ runs, 100 % of 7 lines, .* s\); 1 kernel not run", lines[-1]
    )


def test_nothing_found_is_a_claim_about_runs(tree: Path) -> None:
    done = shell("sanitize", "-v", "good.cu", cwd=tree)
    assert done.returncode == 0
    pattern = r"good.cu:1: good: no findings in 4 runs \(3 launches, 2 schedules\), 100 % of 4 lines\n"
    assert re.match(pattern, done.stdout)


def test_what_only_rules_see_is_told_beside_it(tree: Path) -> None:
    text = """__global__ void scale(float *a, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n && col < n) a[row * n + col] *= 2.0f;
}
void host(float *a) { int n = 65536; scale<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, n); }
"""
    write(tree, {"late/large.cu": text})
    done = shell("sanitize", "--timeout", "1", "late/large.cu", cwd=tree)
    assert re.search(r"^late/large.cu:4:\d+: (error|warning) ARI603 index-overflow: ", done.stdout, re.MULTILINE)
    assert "out-of-bounds" not in done.stdout


def test_notes_name_what_was_chosen(report: Mapping[str, Any]) -> None:
    (note,) = [one for one in report["findings"] if one["kernels"] == ["scatter"]]
    assert (note["severity"], note["chosen"], note["found_by"]) == ("note", ["i"], "runs")


def test_json(report: Mapping[str, Any]) -> None:
    assert report["schema"] == "simt-lsp/sanitize/1"
    (error,) = [one for one in report["findings"] if one["severity"] == "error"]
    assert (error["kind"], error["found_by"], error["path"], error["line"]) == ("data-race", "both", "bad.cu", 4)
    assert [rule["code"] for rule in error["rules"]] == ["RAC301"]
    assert error["run"]["grid"] == [1, 1, 1]
    kernels = {kernel["kernel"]: kernel for kernel in report["kernels"]}
    assert kernels["unknown"]["not_run"] is not None
    assert kernels["good"]["verdict"] == "no findings in 4 runs (3 launches, 2 schedules), 100 % of 4 lines"
    assert report["findings"][kernels["bad"]["findings"][0]] == error
    assert report["summary"]["kernels_not_run"] == 1


def values(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Each value with its type."""
    match value:
        case dict():
            yield path, "object"
            for key, inner in value.items():  # pyright: ignore[reportUnknownVariableType]
                yield from values(inner, f"{path}.{key}" if path else str(key))  # pyright: ignore[reportUnknownArgumentType]
        case list():
            for inner in value:  # pyright: ignore[reportUnknownVariableType]
                yield from values(inner, f"{path}[]")
        case bool():
            yield path, "boolean"
        case None:
            yield path, "null"
        case _:
            yield path, {int: "integer", float: "number", str: "string"}[type(value)]


def test_the_page_about_json_and_the_output_agree(tree: Path, report: Mapping[str, Any]) -> None:
    rows = re.findall(r"^\| `([^`]+)` \| ([^|]+) \|", DOCS.read_text("utf-8"), re.MULTILINE)
    told = {path: set(types.strip().split(" or ")) for path, types in rows}
    late = shell("sanitize", "--format", "json", "--timeout", "0.5", "nothing.cu", "late", cwd=tree).stdout
    shown: dict[str, set[str]] = {}
    for one in (report, json.loads(late)):
        assert wrong(one, "sanitize-1") == []
        for path, type in values(one):
            shown.setdefault(re.sub(r"inputs\.[^.]+", "inputs.*", path), set()).add(type)
    for path, types in shown.items():
        allowed = told.get(path, {"object"})
        allowed = allowed | {"integer"} if "number" in allowed else allowed
        assert types <= allowed, f"{path}: {types} is not documented"
    assert {path for path in told if path not in shown} == set()


def test_the_number_of_processes_changes_nothing(tree: Path, report: Mapping[str, Any]) -> None:
    done = simt_lsp("sanitize", "--format", "json", "--jobs", "2", *FILES, cwd=tree)
    assert without_times(json.loads(done.stdout)) == without_times(report)


def without_times(value: Any) -> Any:
    match value:
        case dict():
            return {key: without_times(one) for key, one in value.items() if key != "seconds"}  # pyright: ignore[reportUnknownVariableType]
        case list():
            return [without_times(one) for one in value]  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value


def test_sarif(tree: Path) -> None:
    done = shell("sanitize", "--format", "sarif", "bad.cu", "sub", cwd=tree)
    (run,) = json.loads(done.stdout)["runs"]
    (result,) = run["results"]
    assert (result["ruleId"], result["level"]) == ("data-race", "error")
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "data-race"
    location = result["locations"][0]["physicalLocation"]
    assert location["artifactLocation"] == {"uri": "bad.cu", "uriBaseId": "SRCROOT"}
    assert location["region"]["startLine"] == 4
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"]
    assert "unknown: not run: " in invocation["toolExecutionNotifications"][0]["message"]["text"]


def test_junit(tree: Path) -> None:
    done = shell("sanitize", "--format", "junit", "-o", "report.xml", "bad.cu", "good.cu", "sub", cwd=tree)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("1 error in 2 of 3 kernels")
    suites = ElementTree.parse(tree / "report.xml").getroot()
    found = {suite.attrib["name"]: suite for suite in suites}
    assert list(found) == ["bad.cu", "good.cu", "sub/unknown.cu"]
    assert found["bad.cu"].attrib["failures"] == "1"
    failure = found["bad.cu"].find("testcase/failure")
    assert failure is not None
    assert failure.attrib["type"] == "data-race"
    assert found["good.cu"].find("testcase/failure") is None
    assert found["sub/unknown.cu"].find("testcase/skipped") is not None


def test_github(tree: Path) -> None:
    done = shell("sanitize", "--format", "github", "bad.cu", "sub", cwd=tree)
    first, second, last = done.stdout.splitlines()
    assert first.startswith(
        "::error file=bad.cu,line=4,endLine=4,col=22,endColumn=23,title=data-race::reads byte 508 of s, which"
    )
    assert second.startswith("::notice file=sub/unknown.cu,line=1,endLine=1,title=not run::unknown: ")
    assert last.startswith("1 error in 1 of 2 kernels")


@pytest.mark.parametrize(("limit", "status"), [("error", 0), ("note", 1), ("data-race", 1), ("RAC,livelock", 0)])
def test_what_counts(tree: Path, limit: str, status: int) -> None:
    assert shell("sanitize", "--fail-on", limit, "scatter.cu", cwd=tree).returncode == status
    assert shell("sanitize", "--fail-on", limit, "--exit-zero", "scatter.cu", cwd=tree).returncode == 0


def test_what_counts_has_to_be_something(tree: Path) -> None:
    done = shell("sanitize", "--fail-on", "nonsense", "scatter.cu", cwd=tree)
    assert (done.returncode, "'nonsense' is no severity, kind of finding or rule" in done.stderr) == (2, True)


def test_files_are_left_out(tree: Path) -> None:
    done = shell("sanitize", "--exclude", "bad.cu", "--exclude", "late", ".", cwd=tree)
    assert (done.returncode, "bad.cu" in done.stdout) == (0, False)


def test_what_cannot_be_carried_out(tree: Path) -> None:
    assert shell("sanitize", "nothing.cu", cwd=tree).returncode == 2
    done = shell("sanitize", "nothing.cu", "bad.cu", cwd=tree)
    assert done.returncode == 1
    assert "nothing.cu: not looked at: no such file or folder" in done.stdout


def test_a_budget_that_is_over_leaves_files_and_says_so(tree: Path) -> None:
    done = shell("sanitize", "--budget", "0.001", "good.cu", "bad.cu", cwd=tree)
    assert done.returncode == 0
    assert f"bad.cu: not looked at: {OUT_OF_BUDGET}" in done.stdout
    assert "no findings in 0 kernels (2 files, 0 runs, " in done.stdout
    assert "; 2 files left: the budget was over" in done.stdout


def killed_by(name: str, analyzed: Analyzed) -> FileParts:
    """Module level, so that it travels to a process."""
    if analyzed.path.endswith(name):
        os.kill(os.getpid(), 9)
    return FileParts(analyzed.path)


def test_a_process_that_is_killed_costs_its_file_only(tree: Path) -> None:
    task = FileTask(EngineOptions(), finish=partial(killed_by, "bad.cu"), failed=failed_file)
    paths = [str(tree / name) for name in ("good.cu", "bad.cu", "scatter.cu")]
    first, lost, last = run_files(task, paths, 2)
    assert (first.error, last.error) == (None, None)
    assert lost.error == "internal error: the worker process ended with status -9"
    assert not lost.is_left
    assert together(map(joined, (first, lost, last)), 0.0).totals().failed == 1


HOSTILE: Final = "\"><img src=x onerror=alert(1)>&'.cu"


@pytest.mark.skipif(os.name == "nt", reason="such names cannot be given there")
def test_hostile_names_stay_text(tmp_path: Path) -> None:
    text = BAD.replace("  out[", "  /* </script><script>alert(1)</script> %0A */ out[")
    write(tmp_path, {HOSTILE: text})
    done = shell("sanitize", "--html", "p.html", "--format", "junit", HOSTILE, cwd=tmp_path)
    assert done.returncode == 1
    assert ElementTree.fromstring(done.stdout)[0].attrib["name"] == HOSTILE
    page = (tmp_path / "p.html").read_text("utf-8")
    assert "<img" not in page
    assert page.count("<script>") == 1
    github = shell("sanitize", "--format", "github", HOSTILE, cwd=tmp_path).stdout
    assert github.startswith(f"::error file={HOSTILE},line=4,")


@pytest.fixture(scope="module")
def page(report: object, tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[Tab]:
    with browser_tab(tmp_path_factory.mktemp("profile")) as tab:
        tab.prefer("light")
        tab.open((tree / "page.html").as_uri())
        yield tab
        assert tab.problems == []
        assert tab.requests == []


class TestPage:
    NAMES = """[...document.querySelectorAll('table.overview tbody tr')]
        .filter((row) => !row.hidden).map((row) => row.cells[0].innerText)"""

    def test_rows_are_sorted_by_their_heads(self, page: Tab) -> None:
        assert page.value(self.NAMES) == ["bad", "good", "scatter", "unknown"]
        page.value("document.querySelectorAll('table.overview th button')[5].click()")  # runs, the most first
        assert page.value(self.NAMES)[-1] == "unknown"
        page.value("document.querySelectorAll('table.overview th button')[0].click()")

    def test_rows_are_filtered(self, page: Tab) -> None:
        page.value("document.querySelector('#only-found').click()")
        assert page.value(self.NAMES) == ["bad"]
        page.value("document.querySelector('#only-found').click()")
        page.value("""(() => {
            const box = document.querySelector('#filter');
            box.value = 'sub/';
            box.dispatchEvent(new Event('input'));
        })()""")
        assert page.value(self.NAMES) == ["unknown"]
        assert page.text("#shown") == "1 of 4"

    def test_a_row_opens_its_section(self, page: Tab) -> None:
        page.value("location.hash = '#kernel-0'")
        page.settle()
        assert page.value("document.querySelector('#kernel-0').open") is True
        assert "reads byte 508 of s" in page.text("#kernel-0")
