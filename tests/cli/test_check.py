from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.kernels import BROKEN, CLEAN, DIVERGENT
from tests.cli.shell import simt_lsp, write

REPOSITORY = Path(__file__).parents[2]


def test_an_error_is_shown_with_its_line_and_its_cause(tmp_path: Path) -> None:
    write(tmp_path, {"halo.cu": DIVERGENT})
    done = simt_lsp("check", "halo.cu", cwd=tmp_path)
    lines = done.stdout.splitlines()
    assert done.returncode == 1
    assert done.stderr == ""
    assert lines[0].startswith("halo.cu:3:5: error SYN101 divergent-barrier: ")
    assert lines[1:3] == ["     3 |     __syncthreads();", "       |     ^^^^^^^^^^^^^^^"]
    assert any(line.startswith("halo.cu:2:") and ": note: " in line for line in lines[3:])
    assert lines[-2].startswith("1 error in 1 file (1 kernel, 6 lines, ")
    assert lines[-1] == "1 can be fixed with --fix where a run confirms it"


def test_nothing_wrong_is_status_zero(tmp_path: Path) -> None:
    write(tmp_path, {"scale.cu": CLEAN})
    done = simt_lsp("check", "scale.cu", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("no findings in 1 file (1 kernel, 4 lines, ")


def test_hints_are_for_who_asks(tmp_path: Path) -> None:
    write(tmp_path, {"warp.cu": "__global__ void k(int *p) {\n  if (threadIdx.x < 32) p[threadIdx.x] = 1;\n}\n"})
    quiet = simt_lsp("check", "--block", "64", "warp.cu", cwd=tmp_path).stdout
    asked = simt_lsp("check", "--block", "64", "--select", "DIV404", "warp.cu", cwd=tmp_path).stdout
    verbose = simt_lsp("check", "--block", "64", "--verbose", "warp.cu", cwd=tmp_path).stdout
    assert quiet.startswith("1 hint in 1 file")
    assert quiet.endswith("; --verbose shows the hints\n")
    assert asked.splitlines()[0].startswith("warp.cu:2:3: hint DIV404 warp-uniform: ")
    assert "DIV404" in verbose


def test_a_folder_is_searched_and_reported_in_order(tmp_path: Path) -> None:
    write(tmp_path, {"b/two.cu": DIVERGENT.replace("(", "( "), "a/one.cuh": DIVERGENT, "c.txt": DIVERGENT})
    done = simt_lsp("check", ".", cwd=tmp_path)
    places = [line.split(":")[0] for line in done.stdout.splitlines() if " error SYN101 " in line]
    assert [Path(place).as_posix() for place in places] == ["a/one.cuh", "b/two.cu"]
    assert done.returncode == 1


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_launches_in_other_files_of_the_project(tmp_path: Path, jobs: str) -> None:
    kernel = "__global__ void k(int *p) {\n  if (threadIdx.x < 32) p[threadIdx.x] = 1;\n}\n"
    for name in ("one", "two"):  # programs with the same names
        files = {"k.cuh": kernel, "main.cu": f'#include "k.cuh"\nvoid go(int *p) {{ k<<<1, {name}>>>(p); }}\n'}
        write(tmp_path / name, {**files, "size.h": ""} if name == "one" else files)
    write(tmp_path, {"one/main.cu": (tmp_path / "one/main.cu").read_text().replace("one", "64")})
    places = _hints("DIV404", "--jobs", jobs, cwd=tmp_path)
    assert places == ["one/k.cuh:2:3"]
    assert _hints("DIV404", "--jobs", jobs, "--no-project", cwd=tmp_path) == []


def _hints(code: str, *options: str, cwd: Path) -> list[str]:
    done = simt_lsp("check", "--select", code, *options, ".", cwd=cwd)
    return [Path(line.split(": hint ")[0]).as_posix() for line in done.stdout.splitlines() if f": hint {code} " in line]


@pytest.mark.parametrize("paths", [(".",), ("k.cu",), ("k.cu", "main.cu")])
def test_a_kernel_is_launched_by_the_file_that_includes_it(tmp_path: Path, paths: tuple[str, ...]) -> None:
    kernel = "__global__ void k(int *p) {\n  if (threadIdx.x < 32) p[threadIdx.x] = 1;\n}\n"
    write(tmp_path, {"k.cu": kernel, "main.cu": '#include "k.cu"\nvoid go(int *p) { k<<<1, 64>>>(p); }\n'})
    done = simt_lsp("check", "--select", "DIV404", *paths, cwd=tmp_path)
    places = [line.split(": hint ")[0] for line in done.stdout.splitlines() if ": hint DIV404 " in line]
    assert [Path(place).as_posix() for place in places] == ["k.cu:2:3"]


@pytest.mark.parametrize("jobs", ["1", "2", "7"])
def test_the_number_of_processes_changes_nothing(tmp_path: Path, jobs: str) -> None:
    write(tmp_path, {f"k{number}.cu": DIVERGENT if number % 3 == 0 else CLEAN for number in range(8)})
    done = simt_lsp("check", ".", "--jobs", jobs, "--format", "json", cwd=tmp_path)
    files = json.loads(done.stdout)["files"]
    assert [Path(file["path"]).name for file in files] == [f"k{number}.cu" for number in range(8)]
    assert [len(file["diagnostics"]) for file in files] == [1, 0, 0, 1, 0, 0, 1, 0]


def test_json_holds_everything(tmp_path: Path) -> None:
    write(tmp_path, {"halo.cu": DIVERGENT})
    report = json.loads(simt_lsp("check", "--format", "json", "halo.cu", cwd=tmp_path).stdout)
    [file] = report["files"]
    [diagnostic] = file["diagnostics"]
    assert report["tool"]["name"] == "simt-lsp"
    assert report["summary"]["severities"]["error"] == 1
    assert (file["path"], file["kernels"], file["lines"]) == ("halo.cu", 1, 6)
    assert (diagnostic["code"], diagnostic["severity"], diagnostic["tier"]) == ("SYN101", "error", "proven")
    assert (diagnostic["line"], diagnostic["column"], diagnostic["function"]) == (3, 5, "halo")
    assert diagnostic["related"][0]["path"] == "halo.cu"


class TestRules:
    def codes(self, folder: Path, *arguments: str) -> list[str]:
        done = simt_lsp("check", "--format", "json", *arguments, ".", cwd=folder)
        report: dict[str, Any] = json.loads(done.stdout)
        return [item["code"] for file in report["files"] for item in file["diagnostics"]]

    def test_rules_are_selected_and_ignored(self, tmp_path: Path) -> None:
        write(tmp_path, {"halo.cu": DIVERGENT})
        assert self.codes(tmp_path) == ["SYN101"]
        assert self.codes(tmp_path, "--select", "DIV") == []
        assert self.codes(tmp_path, "--ignore", "divergent-barrier") == []
        assert self.codes(tmp_path, "--ignore", "SYN,DIV") == []
        assert self.codes(tmp_path, "--select", "SYN101", "--select", "DIV401") == ["SYN101"]

    def test_a_settings_file_beside_the_source_is_read(self, tmp_path: Path) -> None:
        write(tmp_path, {"halo.cu": DIVERGENT, ".simt.toml": 'ignore = ["SYN101"]\n'})
        assert self.codes(tmp_path) == []

    def test_a_settings_file_may_be_named(self, tmp_path: Path) -> None:
        write(tmp_path, {"halo.cu": DIVERGENT, "other.toml": '[rules]\ndivergent-barrier = "off"\n'})
        assert self.codes(tmp_path, "--config", "other.toml") == []

    def test_macros_reach_the_code(self, tmp_path: Path) -> None:
        write(tmp_path, {"halo.cu": DIVERGENT.replace("threadIdx.x < 16", "LIMIT")})
        assert self.codes(tmp_path, "-DLIMIT=threadIdx.x<16") == ["SYN101"]
        assert self.codes(tmp_path, "-D", "LIMIT=1", "--ignore", "SYN107") == []


class TestSarif:
    @pytest.fixture
    def log(self, tmp_path: Path) -> dict[str, Any]:
        write(tmp_path, {"sub dir/hälo.cu": DIVERGENT, "scale.cu": CLEAN})
        done = simt_lsp("check", "--format", "sarif", ".", cwd=tmp_path)
        assert done.returncode == 1
        log: dict[str, Any] = json.loads(done.stdout)
        return log

    def test_it_has_what_the_schema_requires(self, log: dict[str, Any]) -> None:
        assert log["version"] == "2.1.0"
        [run] = log["runs"]
        driver = run["tool"]["driver"]
        assert driver["name"] == "simt-lsp"
        assert run["columnKind"] == "unicodeCodePoints"
        assert run["invocations"][0]["executionSuccessful"] is True
        for rule in driver["rules"]:
            assert rule["shortDescription"]["text"]
            assert rule["help"]["markdown"]
            if rule["id"] != "syntax-error":
                page = rule["helpUri"].removeprefix("https://github.com/simt-lsp/simt-lsp/blob/main/")
                assert (REPOSITORY / page).is_file()
            assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")

    def test_a_result_points_at_its_rule_and_its_place(self, log: dict[str, Any]) -> None:
        [run] = log["runs"]
        [result] = run["results"]
        location = result["locations"][0]["physicalLocation"]
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "SYN101"
        assert result["level"] == "error"
        assert location["artifactLocation"] == {"uri": "sub%20dir/h%C3%A4lo.cu", "uriBaseId": "SRCROOT"}
        assert location["region"]["startLine"] == 3
        assert location["region"]["startColumn"] == 5
        assert location["contextRegion"]["snippet"]["text"] == "    __syncthreads();"
        assert run["originalUriBaseIds"]["SRCROOT"]["uri"].endswith("/")

    def test_related_places_are_numbered_and_explained(self, log: dict[str, Any]) -> None:
        related = log["runs"][0]["results"][0]["relatedLocations"]
        assert [item["id"] for item in related] == list(range(1, len(related) + 1))
        assert all(item["message"]["text"] for item in related)
        assert related[0]["physicalLocation"]["region"]["startLine"] == 2

    def test_fingerprints_survive_lines_above(self, tmp_path: Path) -> None:
        def fingerprints(text: str) -> list[str]:
            write(tmp_path, {"halo.cu": text})
            log = json.loads(simt_lsp("check", "--format", "sarif", "halo.cu", cwd=tmp_path).stdout)
            return [result["partialFingerprints"]["simtFinding/v1"] for result in log["runs"][0]["results"]]

        twice = DIVERGENT.replace("  out", "  if (threadIdx.x < 16) {\n    __syncthreads();\n  }\n  out")
        before, after = fingerprints(DIVERGENT), fingerprints("// one more line\n\n" + DIVERGENT)
        assert before == after
        assert len(set(fingerprints(twice))) == 2

    def test_a_file_that_cannot_be_read_is_part_of_the_log(self, tmp_path: Path) -> None:
        write(tmp_path, {"scale.cu": CLEAN})
        done = simt_lsp("check", "--format", "sarif", "scale.cu", "gone.cu", cwd=tmp_path)
        [invocation] = json.loads(done.stdout)["runs"][0]["invocations"]
        assert done.returncode == 2
        assert invocation["executionSuccessful"] is False
        assert "no such file" in invocation["toolExecutionNotifications"][0]["message"]["text"]


class TestBadInput:
    def test_a_suppression_that_is_never_closed_is_noted(self, tmp_path: Path) -> None:
        write(tmp_path, {"halo.cu": "// NOLINTBEGIN(simt-*)\n" + DIVERGENT})
        done = simt_lsp("check", "--verbose", "halo.cu", cwd=tmp_path)
        assert "halo.cu:1:4" in done.stdout
        assert "has no `NOLINTEND`" in done.stdout

    def test_a_missing_file_is_named_and_the_others_are_checked(self, tmp_path: Path) -> None:
        write(tmp_path, {"halo.cu": DIVERGENT})
        done = simt_lsp("check", "gone.cu", "halo.cu", cwd=tmp_path)
        assert done.returncode == 2
        assert "gone.cu: no such file or folder" in done.stderr
        assert "gone.cu" not in done.stdout
        assert "SYN101" in done.stdout

    def test_what_is_no_text_is_not_said_to_be_without_findings(self, tmp_path: Path) -> None:
        (tmp_path / "wide.cu").write_bytes(DIVERGENT.encode("utf-16"))
        done = simt_lsp("check", "wide.cu", cwd=tmp_path)
        assert "wide.cu: not analysed: not text in UTF-8" in done.stdout
        assert "no findings in 0 files, 1 file not analysed (0 kernels, 0 lines, " in done.stdout

    def test_what_is_not_understood_is_counted_and_shown_on_request(self, tmp_path: Path) -> None:
        write(tmp_path, {"calls.cu": "__global__ void k(int *p) {\n  mystery(p);\n}\n", "scale.cu": CLEAN})
        quiet = simt_lsp("check", ".", cwd=tmp_path).stdout
        verbose = simt_lsp("check", "--verbose", ".", cwd=tmp_path).stdout
        data = json.loads(simt_lsp("check", "--format", "json", ".", cwd=tmp_path).stdout)
        assert quiet.endswith("s); 1 place not understood; --verbose shows this place\n")
        note = "calls.cu:2:3: opaque: not understood, so treated as varying: call of unknown function mystery"
        assert f"{note}\n     2 | " in verbose
        assert verbose.endswith("s); 1 place not understood\n")
        assert data["summary"]["opaque"] == 1
        assert [[note["kind"] for note in file["notes"]] for file in data["files"]] == [["opaque"], []]
        assert "understood" not in simt_lsp("check", "scale.cu", cwd=tmp_path).stdout

    def test_lines_are_counted_as_they_are_shown(self, tmp_path: Path) -> None:
        write(tmp_path, {"empty.cu": "", "open.cu": CLEAN.rstrip(), "closed.cu": CLEAN})
        data = json.loads(simt_lsp("check", "--format", "json", ".", cwd=tmp_path).stdout)
        assert {file["path"].rpartition("/")[2]: file["lines"] for file in data["files"]} == {
            "empty.cu": 0, "open.cu": 4, "closed.cu": 4
        }  # fmt: skip

    def test_a_folder_without_cuda_files_is_said(self, tmp_path: Path) -> None:
        write(tmp_path, {"readme.md": "nothing"})
        done = simt_lsp("check", ".", cwd=tmp_path)
        assert done.returncode == 0
        assert "no CUDA files" in done.stderr
        assert done.stdout.startswith("no findings in 0 files")

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param(bytes(range(256)) * 40, id="binary"),
            pytest.param(DIVERGENT.encode().replace(b" ", b"\0"), id="nul"),
            pytest.param(DIVERGENT.encode("utf-16"), id="utf-16"),
            pytest.param(b"\xef\xbb\xbf" + CLEAN.encode(), id="bom"),
            pytest.param(BROKEN.encode(), id="broken"),
            pytest.param(b"", id="empty"),
            pytest.param(b"(" * 5_000, id="nested"),
            pytest.param(CLEAN.encode() + b"// \xff\xfe latin\n", id="latin-1"),
        ],
    )
    def test_any_text_can_be_checked(self, tmp_path: Path, text: bytes) -> None:
        write(tmp_path, {"odd.cu": text})
        done = simt_lsp("check", "odd.cu", cwd=tmp_path)
        assert done.returncode in (0, 1, 2)
        assert "Traceback" not in done.stderr
        assert "internal error" not in done.stdout

    @pytest.mark.parametrize("text", [bytes(range(256)) * 40, CLEAN.encode("utf-16"), CLEAN.encode("utf-32")])
    def test_a_named_file_that_is_no_text_is_said_and_is_2(self, tmp_path: Path, text: bytes) -> None:
        write(tmp_path, {"odd.cu": text, "good.cu": CLEAN})
        done = simt_lsp("check", "odd.cu", "good.cu", cwd=tmp_path)
        assert done.returncode == 2
        assert "odd.cu: not analysed: not text in UTF-8" in done.stdout
        assert "1 file not analysed" in done.stdout

    @pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="this user may read everything")
    def test_a_file_without_permission_is_named(self, tmp_path: Path) -> None:
        write(tmp_path, {"secret.cu": CLEAN})
        (tmp_path / "secret.cu").chmod(0)
        done = simt_lsp("check", "secret.cu", cwd=tmp_path)
        assert done.returncode == 2
        assert "permission denied" in done.stderr

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["check"], "PATH"),
            (["check", "x.cu", "--jobs", "0"], "'0' is not a number of at least 1"),
            (["check", "x.cu", "--warp-size", "31"], "4, 8, 16, 32 or 64"),
            (["check", "x.cu", "--block", "2048"], "1024"),
            (["check", "x.cu", "--arch", "ampere"], "sm_80"),
            (["check", "x.cu", "--select", "SYN999"], "SYN999"),
            (["check", "x.cu", "--tier", "sure"], "proven"),
            (["check", "x.cu", "--config", "gone.toml"], "gone.toml"),
            (["check", "x.cu", "--format", "xml"], "sarif"),
            (["--tcp", "here"], "HOST:PORT"),
            (["frobnicate"], "check"),
        ],
    )
    def test_a_wrong_argument_is_named_with_what_would_be_right(
        self, tmp_path: Path, arguments: list[str], message: str
    ) -> None:
        write(tmp_path, {"x.cu": CLEAN})
        done = simt_lsp(*arguments, cwd=tmp_path)
        assert done.returncode == 2
        assert done.stderr.startswith("simt-lsp: error: ")
        assert message in done.stderr
        assert "Traceback" not in done.stderr
