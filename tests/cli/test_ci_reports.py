"""The formats for CI systems: workflow commands of GitHub, and JUnit."""

from __future__ import annotations

import json
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

from simt_lsp.cli.github_report import Annotation, Command, annotation_lines
from simt_lsp.cli.junit_report import Outcome, TestCase, TestSuite, junit_text
from simt_lsp.cli.report import FileRange, FileReport, Finding
from simt_lsp.cli.sarif_report import sarif_report
from tests.cli.kernels import BROKEN, CLEAN, DIVERGENT
from tests.cli.shell import simt_lsp, write

HINT = "__global__ void k(int *p) {\n  if (threadIdx.x < 32) p[threadIdx.x] = 1;\n}\nvoid go() { k<<<1, 64>>>(0); }\n"


def test_findings_are_annotations_with_their_places(tmp_path: Path) -> None:
    write(tmp_path, {"src/a.cu": DIVERGENT, "src/b.cu": HINT, "src/c.cu": CLEAN, "src/d.cu": BROKEN})
    done = simt_lsp("check", ".", "--format", "github", cwd=tmp_path / "src", env={"GITHUB_WORKSPACE": str(tmp_path)})
    lines = done.stdout.splitlines()
    assert done.returncode == 2  # one function cannot be read
    assert len(lines) == 2
    assert lines[0].startswith(
        "::error file=src/a.cu,line=3,endLine=3,col=5,endColumn=20,title=SYN101 divergent-barrier::"
    )
    assert lines[1].startswith("::error file=src/d.cu,line=1,endLine=1,title=syntax-error::")


def test_what_is_most_severe_comes_first_and_nothing_ends_a_command_early() -> None:
    said = annotation_lines(
        [
            Annotation(Command.NOTICE, "a.cu", "one", "two\nlines, 100 %", 1),
            Annotation(Command.ERROR, os.path.join("b,c", "d:e.cu"), "A, b: c", "plain"),
        ],
        {},
    )
    assert [*said] == [
        "::error file=b%2Cc/d%3Ae.cu,title=A%2C b%3A c::plain",
        "::notice file=a.cu,line=1,title=one::two%0Alines, 100 %25",
    ]


def test_findings_are_failed_tests_of_their_files(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": DIVERGENT, "b.cu": HINT, "d.cu": BROKEN})
    done = simt_lsp("check", ".", "missing.cu", "--format", "junit", cwd=tmp_path)
    root = ElementTree.fromstring(done.stdout)
    suites = {Path(suite.attrib["name"]).name: suite for suite in root}
    assert {name: [_shape(case) for case in suite] for name, suite in suites.items()} == {
        "a.cu": [("SYN101 divergent-barrier line 3", ["failure"])],
        "b.cu": [("no findings", [])],
        "d.cu": [("syntax-error line 1", ["error"])],
        "missing.cu": [("is analysed", ["error"])],
    }
    assert [root.attrib[name] for name in ("tests", "failures", "errors")] == ["4", "1", "2"]
    failure = suites["a.cu"][0][0]
    assert failure.attrib["type"] == "SYN101"
    assert failure.attrib["message"].startswith("Threads 0-15 ")
    assert "    __syncthreads();" in (failure.text or "").splitlines()


def test_any_text_is_well_formed_xml() -> None:
    strange = 'a < b & "c" \x1b[0m \ud800 ]]> \N{GREEK SMALL LETTER ALPHA}'
    text = junit_text(strange, [TestSuite(strange, (TestCase(strange, Outcome.FAILED, "R", strange, strange),))])
    case = ElementTree.fromstring(text)[0][0]
    readable = strange.replace("\x1b", "\N{REPLACEMENT CHARACTER}").replace("\ud800", "\N{REPLACEMENT CHARACTER}")
    assert (case.attrib["name"], case[0].attrib["message"], case[0].text) == (readable, readable, readable)


def _shape(case: ElementTree.Element) -> tuple[str, list[str]]:
    return case.attrib["name"], [child.tag for child in case]


def test_a_report_has_no_more_results_than_code_hosts_keep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simt_lsp.cli.sarif_report.MAX_RESULTS", 3)

    def finding(line: int, severity: str) -> Finding:
        place = FileRange("a.cu", line, 1, line, 2, "x")
        return Finding("SYN101", "divergent-barrier", severity, None, "said", "k", place, (), None)

    severities = ("hint", "error", "information", "warning", "error")
    found = tuple(finding(line, severity) for line, severity in enumerate(severities, start=1))
    run = json.loads(sarif_report([FileReport("a.cu", findings=found)], "1.0"))["runs"][0]
    lines = [one["locations"][0]["physicalLocation"]["region"]["startLine"] for one in run["results"]]
    said = [one["message"]["text"] for one in run["invocations"][0]["toolExecutionNotifications"]]
    assert lines == [2, 4, 5]
    assert said == ["2 results of lower severity are left out: code hosts keep 3"]
