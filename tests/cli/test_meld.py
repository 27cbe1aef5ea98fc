"""`simt-lsp meld` as a shell sees it: what is printed, what is written, and the exit status."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest

from analysis.meld.settings import MeldMethod
from analysis.refactor.meld.model import Obstacle
from sim.equivalence.model import Gap
from simt_lsp.cli.arguments import MELD_METHODS
from simt_lsp.cli.exit_status import ExitStatus
from tests.cli.shell import COMMAND, environment, simt_lsp, write
from tests.schemas.fits import wrong
from tests.support import wrong_melder
from tests.support.seldom import REASON, SELDOM

DOCS = Path(__file__).parents[2] / "docs" / "meld-json.md"

BITONIC = """\
__global__ void bitonic(int *values, int k, int j) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int other = i ^ j;
  if (other > i) {
    if ((i & k) == 0) {
      if (values[i] > values[other]) {
        int t = values[i];
        values[i] = values[other];
        values[other] = t;
      }
    } else {
      if (values[i] < values[other]) {
        int t = values[i];
        values[i] = values[other];
        values[other] = t;
      }
    }
  }
}
"""
"""One region can be melded, that of line 5."""

SWITCH = """\
__global__ void choose(float *a, const float *x, const float *y, int *counts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  switch (i % 3) {
    case 0:
      a[i] = x[i] * 2.0f;
      break;
    case 1: a[i] = y[i] * 3.0f; break;
    default:
      a[i] = y[i] * 4.0f;
  }
  switch (i % 4) {
    case 0: counts[i] = i / 3 * 5;
    case 1: counts[i] += i / 7 * 5; break;
    default: counts[i] = i / 5 * 5;
  }
}
"""
"""The second one falls through."""

TWO = """\
__global__ void two(float *x, const float *a, const float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 2 == 0) {
    x[i] = a[i] * 2.0f + 1.0f;
  } else {
    x[i] = b[i] * 2.0f + 1.0f;
  }
  if (i % 3 == 0) {
    x[i] += a[i] * 3.0f;
  } else {
    x[i] += b[i] * 3.0f;
  }
}
"""

UNREACHED = TWO.replace("two", "alone").replace("__global__", "__device__")
"""No kernel runs it, so nothing can be checked."""


NO_KERNEL = "no kernel of this file runs the function, and kernels of other files are not looked at"


def regions(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    done = simt_lsp("meld", *arguments, "--json", cwd=folder)
    return json.loads(done.stdout)["regions"]


LONG = """\
// simt: grid=16 block=64
__global__ void k(int *x, const int *a, const int *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int round = 0; round < 200; ++round) sum += round * i;
  if (i % 2) { x[i] = a[i] * 3 + sum; } else { x[i] = b[i] * 5 + sum; }
}
"""
"""Too long for all policies: those after the first run one block."""


class TestReport:
    def test_each_divergent_region_says_what_would_be_saved_or_why_not(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.cu": BITONIC})
        done = simt_lsp("meld", "a.cu", cwd=tmp_path)
        assert done.returncode == ExitStatus.CLEAN, done.stderr
        heads = [line for line in done.stdout.splitlines() if line.startswith("a.cu:")]
        assert [head.split()[0] for head in heads] == ["a.cu:5"]
        assert re.search(
            r"Meld both arms: \d+ % fewer issued instructions, checked on 2,048 threads\n"
            r"    equal results under 8 policies\n    issued instructions [\d,]+ -> [\d,]+, active lanes",
            done.stdout,
        )
        assert "3 branches and loops without two arms not listed: --verbose lists them\n" in done.stdout
        assert (
            "4 divergent branches: 1 meld confirmed; --diff shows what is offered, --write changes the file\n"
            in done.stdout
        )

    def test_the_cases_of_a_switch_are_arms(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.cu": SWITCH})
        done = simt_lsp("meld", "a.cu", "--json", cwd=tmp_path)
        assert done.returncode == ExitStatus.CLEAN, done.stderr
        first, second = json.loads(done.stdout)["regions"]
        assert (first["line"], first["verdict"], first["offered"]) == (3, "confirmed", True)
        assert re.match(r"Meld all arms: \d+ % fewer issued instructions, checked on ", first["title"])
        assert (second["line"], second["offered"], second["obstacle"]) == (11, False, "fall-through")
        assert second["reason"] == "a case runs on into the next one"
        assert simt_lsp("meld", "a.cu", "--write", cwd=tmp_path).returncode == ExitStatus.CLEAN
        assert "  a[i] = (choice == 0 ? x : y)[i] * factor;\n" in (tmp_path / "a.cu").read_text()

    def test_branches_without_two_arms_are_listed_on_request(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.cu": BITONIC})
        done = simt_lsp("meld", "a.cu", "--verbose", cwd=tmp_path).stdout
        heads = [line.split()[0] for line in done.splitlines() if line.startswith("a.cu:")]
        assert heads == ["a.cu:4", "a.cu:5", "a.cu:6", "a.cu:12"]
        assert (done.count("not melded: "), "not listed" in done) == (3, False)
        assert "a.cu:6" in simt_lsp("meld", "a.cu:6", cwd=tmp_path).stdout

    def test_what_was_not_checked_is_not_said_to_be_impossible(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.cu": UNREACHED})
        done = simt_lsp("meld", "a.cu", cwd=tmp_path).stdout.splitlines()
        assert done[-1] == "2 divergent branches: 2 melds not checked; --unchecked offers also what was not checked"
        asked = simt_lsp("meld", "a.cu", "--unchecked", cwd=tmp_path).stdout.splitlines()
        assert asked[-1].startswith("2 divergent branches: 2 melds not checked; --diff shows what is offered, ")

    def test_each_verdict_is_counted(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.cu": SELDOM + TWO + UNREACHED, "b.cu": BITONIC[: BITONIC.index("else")] + "}}\n"})
        last = simt_lsp("meld", "a.cu", cwd=tmp_path).stdout.splitlines()[-1]
        assert last.startswith("5 divergent branches: 2 melds confirmed, 2 not checked, 1 refuted; --diff shows ")
        last = simt_lsp("meld", "b.cu", cwd=tmp_path).stdout.splitlines()[-1]
        assert last == "3 divergent branches; none can be melded"

    def test_nothing_diverges(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.cu": "__global__ void k(int *x) { x[threadIdx.x] = 1; }\n"})
        write(tmp_path, {"host.cu": "int main() { return 0; }\n"})
        for name in ("a.cu", "host.cu"):
            done = simt_lsp("meld", name, cwd=tmp_path)
            assert (done.returncode, done.stdout) == (ExitStatus.CLEAN, "no divergent branches\n")

    def test_a_function_and_a_line_select(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.cu": BITONIC + TWO})
        assert {one["function"] for one in regions(tmp_path, "a.cu")} == {"bitonic", "two"}
        assert [one["line"] for one in regions(tmp_path, "a.cu:two")] == [22, 27]
        assert [one["line"] for one in regions(tmp_path, "a.cu:two:27")] == [27]
        assert [one["line"] for one in regions(tmp_path, "a.cu:28")] == [27]  # inside of the arm

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("a.cu:nobody",), "a.cu has no device function 'nobody'; it has: two"),
            (("a.cu:1",), "no divergent branch stands on line 1 of a.cu"),
            (("a.cu:99",), "a.cu has 14 lines, there is no line 99"),
            (("b.cu",), "b.cu: no such file or folder"),
            (("a.cu", "--threshold", "2"), "use a share from 0 to 0.5"),
            (("a.cu", "--method", "magic"), "invalid choice: 'magic'"),
            (("a.cu", "--diff", "--json"), "--diff and --json both want standard output"),
            (("a.cu", "--arg", "z"), "--arg z: write NAME=VALUE"),
        ],
    )
    def test_what_cannot_be_done_is_said(self, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
        write(tmp_path, {"a.cu": TWO})
        done = simt_lsp("meld", *arguments, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (ExitStatus.USAGE, "")
        assert message in done.stderr

    def test_a_launch_that_does_not_fit_is_a_reason(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.cu": TWO})
        first, _ = regions(tmp_path, "a.cu", "--arg", "y=3")
        assert (first["offered"], first["gap"]) == (False, "launch")
        assert "two has no argument y" in first["reason"]

    def test_what_is_given_is_what_both_versions_run(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.cu": TWO})
        found = regions(tmp_path, "a.cu:3", "--grid", "3", "--block", "64", "--seed", "7", "--warp-size", "16")
        launch = found[0]["launch"]
        assert (launch["grid"], launch["block"], launch["seed"], launch["threads"]) == ([3, 1, 1], [64, 1, 1], 7, 192)
        assert launch["warp_size"] == 16

    def test_what_no_run_can_check_is_offered_on_request_only(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.cu": UNREACHED})
        plain, asked = regions(tmp_path, "a.cu"), regions(tmp_path, "a.cu", "--unchecked")
        assert [(one["offered"], one["verdict"], one["gap"]) for one in plain] == [
            (False, "not-checked", "no-kernel")
        ] * 2
        assert [one["offered"] for one in asked] == [True, True]
        assert asked[0]["title"] == f"Meld both arms (not checked: {NO_KERNEL})"
        assert simt_lsp("meld", "a.cu", "--diff", cwd=tmp_path).stdout == ""
        assert simt_lsp("meld", "a.cu", "--diff", "--unchecked", cwd=tmp_path).stdout.startswith("--- a/a.cu\n")

    def test_what_costs_more_is_refuted_and_never_offered(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.cu": SELDOM})
        for arguments in ((), ("--unchecked",)):
            (found,) = regions(tmp_path, "a.cu", *arguments)
            assert (found["offered"], found["verdict"], found["reason"]) == (False, "refuted", REASON)
            assert found["title"] == f"Meld both arms (refuted: {REASON})"
        done = simt_lsp("meld", "a.cu", "--write", "--unchecked", cwd=tmp_path)
        assert (done.returncode, (tmp_path / "a.cu").read_text()) == (ExitStatus.CLEAN, SELDOM)
        assert done.stderr == "simt-lsp: a.cu: nothing to meld (1 divergent branch: 1 meld refuted)\n"

    def test_what_changes_results_is_refuted_and_never_offered(self, tmp_path: Path) -> None:
        """By a melder that is made wrong: that ours would be is not to be hoped for."""
        write(tmp_path, {"a.cu": TWO})
        command = [*wrong_melder.COMMAND, "meld", "a.cu:3", "--write", "--unchecked", "--json"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, (tmp_path / "a.cu").read_text()) == (ExitStatus.FOUND, TWO)
        (found,) = json.loads(done.stdout)["regions"]
        assert (found["offered"], found["verdict"]) == (False, "refuted")
        assert re.fullmatch(r"x\[0\] becomes .* instead of .* more elements differ under ipdom", found["reason"])

    def test_inputs_that_reach_both_arms_may_be_missing(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.cu": TWO.replace("i % 2 == 0", "a[i] > 1e30f")})
        arguments = ("a.cu:3", "--json")
        (plain,), (asked,) = regions(tmp_path, *arguments), regions(tmp_path, *arguments, "--unchecked")
        assert (plain["offered"], plain["gap"]) == (False, "arms-not-reached")
        assert (asked["offered"], asked["title"]) == (True, f"Meld both arms (not checked: {asked['reason']})")

    def test_a_line_without_an_offer_is_3(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.cu": BITONIC})
        assert simt_lsp("meld", "a.cu:5", cwd=tmp_path).returncode == ExitStatus.CLEAN
        assert simt_lsp("meld", "a.cu:6", cwd=tmp_path).returncode == ExitStatus.REFUSED

    def test_a_check_without_time_is_4(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.cu": BITONIC})
        done = simt_lsp("meld", "a.cu", "--timeout", "0.001", cwd=tmp_path)
        assert done.returncode == ExitStatus.TRUNCATED
        assert "(not checked: " in done.stdout

    def test_the_method_counts(self, tmp_path: Path) -> None:
        """Tail merging wants equal instructions, and these arms have none."""
        write(tmp_path, {"a.cu": TWO})
        assert [one["offered"] for one in regions(tmp_path, "a.cu", "--method", "tail")] == [False, False]
        assert [one["method"] for one in regions(tmp_path, "a.cu", "--method", "darm")] == ["darm", "darm"]

    def test_the_methods_of_the_help_are_those_there_are(self) -> None:
        assert set(MELD_METHODS) == {method.value for method in MeldMethod}


class TestChanges:
    @pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
    def test_git_applies_what_diff_prints_and_write_writes_the_same(self, tmp_path: Path) -> None:
        write(tmp_path, {"one/a.cu": TWO, "two/a.cu": TWO})
        patch = simt_lsp("meld", "a.cu", "--diff", cwd=tmp_path / "one").stdout
        environ = environment({"GIT_CEILING_DIRECTORIES": str(tmp_path)})
        subprocess.run(["git", "apply"], cwd=tmp_path / "one", input=patch, text=True, check=True, env=environ)
        done = simt_lsp("meld", "a.cu", "--write", cwd=tmp_path / "two")
        assert done.returncode == ExitStatus.CLEAN
        melded = (tmp_path / "two" / "a.cu").read_text()
        assert (tmp_path / "one" / "a.cu").read_text() == melded
        assert "else" not in melded
        assert done.stderr.count("melded in two: Meld both arms: ") == 2

    def test_what_was_melded_is_not_melded_again(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.cu": BITONIC})
        assert simt_lsp("meld", "a.cu", "--write", cwd=tmp_path).returncode == ExitStatus.CLEAN
        melded = (tmp_path / "a.cu").read_text()
        assert melded != BITONIC
        done = simt_lsp("meld", "a.cu", "--write", cwd=tmp_path)
        assert "a.cu: nothing to meld" in done.stderr
        assert (tmp_path / "a.cu").read_text() == melded

    def test_line_endings_and_bytes_elsewhere_stay(self, tmp_path: Path) -> None:
        text = ("// caf\xe9\n" + TWO).replace("\n", "\r\n").encode("latin-1")
        write(tmp_path, {"a.cu": b"\xef\xbb\xbf" + text})
        assert simt_lsp("meld", "a.cu", "--write", cwd=tmp_path).returncode == ExitStatus.CLEAN
        melded = (tmp_path / "a.cu").read_bytes()
        assert melded.startswith(b"\xef\xbb\xbf// caf\xe9\r\n__global__")
        assert b"else" not in melded
        assert melded.count(b"\n") == melded.count(b"\r\n")

    def test_one_line_alone_is_written(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.cu": TWO})
        done = simt_lsp("meld", "a.cu:two:3", "--write", "--json", cwd=tmp_path)
        assert json.loads(done.stdout)["applied"] == 1
        assert (tmp_path / "a.cu").read_text().count("else") == 1

    def test_the_edit_of_the_report_is_what_is_written(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.cu": TWO})
        (region,) = regions(tmp_path, "a.cu:8")
        text = TWO.encode()
        for edit in reversed(region["edit"]):
            assert text[: edit["start"]].count(b"\n") + 1 == edit["line"]
            text = text[: edit["start"]] + edit["text"].encode() + text[edit["end"] :]
        simt_lsp("meld", "a.cu:8", "--write", cwd=tmp_path)
        assert (tmp_path / "a.cu").read_bytes() == text

    def test_interrupted_leaves_the_file(self, tmp_path: Path) -> None:
        slow = BITONIC.replace("if (other > i) {", "for (int n = 0; n < 1 << 28; n++) if (other > i) {")
        write(tmp_path, {"a.cu": slow})
        command = [*COMMAND, "meld", "a.cu", "--write", "--timeout", "60"]
        with subprocess.Popen(
            command, cwd=tmp_path, env=environment({}), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            time.sleep(2)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=30)
        assert process.returncode == ExitStatus.INTERRUPTED
        assert errors.strip().endswith("interrupted")
        assert (tmp_path / "a.cu").read_text() == slow


class TestContract:
    ROW = re.compile(r"^\| `([^`]+)` \| ([^|]+) \|", re.MULTILINE)
    MAPS = re.compile(r"(policies|inputs)\.[^.\[]+")
    TYPES: ClassVar[dict[type, str]] = {
        str: "string",
        int: "integer",
        float: "number",
        bool: "boolean",
        type(None): "null",
    }

    def values(self, value: Any, path: str = "") -> Iterator[tuple[str, str]]:
        """Each value with its type; the objects of policies are those of `before` and `after` above."""
        match value:
            case dict():
                if path.endswith(("before", "after", "launch")):
                    yield path, "object"
                if "policies.*." in path:
                    return
                for key, inner in cast("dict[str, Any]", value).items():
                    yield from self.values(inner, self.MAPS.sub(r"\1.*", f"{path}.{key}" if path else key))
            case list():
                for inner in cast("list[Any]", value):
                    yield from self.values(inner, f"{path}[]")
            case _:
                yield path, self.TYPES[type(value)]

    def test_the_document_lists_what_is_printed(self, tmp_path: Path) -> None:
        write(tmp_path, {"a.cu": BITONIC, "b.cu": UNREACHED, "c.cu": LONG})
        printed: dict[str, set[str]] = {}
        for name in ("a.cu", "b.cu", "c.cu"):
            found = json.loads(simt_lsp("meld", name, "--json", cwd=tmp_path).stdout)
            assert wrong(found, "meld-1") == []
            for path, kind in self.values(found):
                printed.setdefault(path, set()).add(kind)
        documented = {path: set(kinds.strip().split(" or ")) for path, kinds in self.ROW.findall(DOCS.read_text())}
        assert printed.keys() == documented.keys()
        assert {path: kinds for path, kinds in printed.items() if not kinds <= documented[path]} == {}

    def test_the_document_lists_the_words(self) -> None:
        text = DOCS.read_text()
        obstacles, gaps = (line for line in text.splitlines() if re.match(r"`(obstacle|gap)` is one of", line))
        assert set(re.findall(r"`([a-z-]+)`", obstacles)[1:]) == {one.value for one in Obstacle}
        assert set(re.findall(r"`([a-z-]+)`", gaps)[1:]) == {one.value for one in Gap}


def test_without_numpy_it_says_what_to_install(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": TWO})
    hide = "import sys; sys.modules['numpy'] = None; from simt_lsp.cli.main import run; sys.exit(run(['meld', 'a.cu']))"
    done = subprocess.run([sys.executable, "-P", "-c", hide], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == ExitStatus.USAGE
    assert "meld needs NumPy, which is not installed here" in done.stderr
