"""`simt-lsp simulate`: what it prints for people and writes as a page."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from tests.cli.shell import simt_lsp, write

SOURCE = """\
__global__ void odd(int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 2)
    x[i] = 3 * i;
}
__global__ void even(int *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
"""


def test_text_and_page(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": SOURCE})
    done = simt_lsp(
        "simulate", "a.cu:odd", "--grid", "2", "--block", "64", "--policy", "ipdom,min-pc", "--html", "r.html",
        cwd=tmp_path,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("odd  grid 2 · block 64 · 4 warps of 32 lanes · ipdom · ")
    assert lines[2] == "  1 of 1 branch split warps · no faults"
    assert "3:3 if (i % 2) 4 4 100 % 32.0 5 varying" in [" ".join(line.split()) for line in lines]
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert '<td class="code"><code>    x[i] = <span class="n">3</span> * i;</code>' in page
    assert re.search(r'<span class="badge split" [^>]*>4 of 4</span>', page)
    assert "min-pc" in page


def test_all_kernels_of_a_file_are_on_one_page(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": SOURCE})
    done = simt_lsp("simulate", "a.cu", "--html", "r.html", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert [path.name for path in tmp_path.glob("*.html")] == ["r.html"]
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert re.findall(r"<h1>(\w+)</h1>", page) == ["odd", "even"]
    identifiers = re.findall(r' id="([^"]+)"', page)
    assert len(set(identifiers)) == len(identifiers)
    assert [line.split()[0] for line in done.stdout.splitlines() if " warps of 32 lanes " in line] == ["odd", "even"]


def test_a_page_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": SOURCE})
    done = simt_lsp("simulate", "a.cu:odd", "--html", "nowhere/r.html", cwd=tmp_path)
    assert done.returncode == 2
    assert "--html nowhere/r.html: No such file or directory" in done.stderr


def test_what_to_look_at_first_comes_first(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": SOURCE})
    lines = simt_lsp("simulate", "a.cu:odd", "--grid", "2", "--block", "64", cwd=tmp_path).stdout.splitlines()
    first = lines.index("look at first")
    assert lines[first + 1 : first + 3] == [
        "  Line 4 moves 16 sectors of memory where 8 would do (2.0×), `x[i] = 3 * i`.",
        "  11.5 % of all issue slots are lanes that idle because warps split in line 3, `if (i % 2)`.",
    ]
    assert first < min(lines.index(line) for line in lines if line.startswith(("costliest lines", "branches")))


def test_what_a_called_function_loses_is_put_down_to_the_branch_around_the_call(tmp_path: Path) -> None:
    called = "__device__ float settle(float e) { for (int k = 0; k < 16; ++k) e = 0.5f * (e + 1.0f / e); return e; }\n"
    kernel = """__global__ void relax(float *energy) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 2)
    energy[i] = settle(energy[i]);
}
"""
    write(tmp_path, {"a.cu": called + kernel})
    told = " ".join(simt_lsp("simulate", "a.cu", cwd=tmp_path).stdout.split())
    assert "% of all issue slots are lanes that idle because warps split in line 4, `if (i % 2)`." in told
    write(tmp_path, {"a.cu": called.replace("k < 16", "k < threadIdx.x % 16") + kernel.replace("if (i % 2)", "")})
    told = " ".join(simt_lsp("simulate", "a.cu", cwd=tmp_path).stdout.split())
    assert "warps split in line 1, `for (int k = 0; k < threadIdx.x % 16; +…`." in told


def test_the_study_is_shown_to_who_asks(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": SOURCE})
    titles = ("convergence", "registers", "scalarized")
    for option, is_shown in (((), False), (("--study",), True), (("--no-study",), False)):
        shown = simt_lsp("simulate", "a.cu:odd", *option, cwd=tmp_path).stdout
        assert [any(line.startswith(title) for line in shown.splitlines()) for title in titles] == [is_shown] * 3
    for option, is_there in (((), True), (("--no-study",), False)):
        report = json.loads(simt_lsp("simulate", "a.cu:odd", "--json", *option, cwd=tmp_path).stdout)
        assert (report["study"] is not None) == is_there


def test_two_versions_are_compared(tmp_path: Path) -> None:
    better = SOURCE.replace("if (i % 2)", "if (i / 32 % 2)").replace("3 * i;", "3 * i + 1;")
    write(tmp_path, {"old.cu": SOURCE, "new.cu": better})
    launch = ("--before", "old.cu", "--grid", "2", "--block", "64")
    done = simt_lsp("simulate", "new.cu:odd", *launch, "--html", "r.html", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "before and after before after change" in lines
    assert "splits 4 0 -100.0 %" in lines
    assert "SIMD efficiency 88.5 % 100 % +11.5 points" in lines
    assert "They leave different memory." in lines
    assert any(line.endswith("x[i] = 3 * i + 1;") for line in lines[lines.index("changed lines now before after") :])
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert 'aria-label="Before and after"' in page
    (told,) = simt_lsp("simulate", "new.cu:odd", *launch, "--json", cwd=tmp_path).stdout.splitlines()
    report = json.loads(told)
    assert report["before"]["policies"]["ipdom"]["branches"][0]["diverged"] == 4
    assert report["before"]["before"] is None


def test_a_comparison_of_different_launches_says_so(tmp_path: Path) -> None:
    write(tmp_path, {"old.cu": "// simt: block=32\n" + SOURCE, "new.cu": SOURCE})
    done = simt_lsp("simulate", "new.cu:odd", "--before", "old.cu:odd", cwd=tmp_path)
    assert done.returncode == 0
    told = " ".join(done.stdout.split())
    assert "The two ran with different launches or inputs (" in told
    assert "block: 32 before, 256 after" in told
    assert "same memory" not in told


def test_what_cannot_be_compared_is_said(tmp_path: Path) -> None:
    write(tmp_path, {"old.cu": SOURCE.replace("odd", "other"), "new.cu": SOURCE})
    for before, message in (("gone.cu", "no such file"), ("old.cu", "has no kernel"), ("old.cu:odd", "has no kernel")):
        done = simt_lsp("simulate", "new.cu:odd", "--before", before, cwd=tmp_path)
        assert done.returncode == 2
        assert message in done.stderr


def test_lines_open_an_editor_for_who_asks(tmp_path: Path) -> None:
    write(tmp_path, {"with space.cu": SOURCE})
    for options in ((), ("--editor-links", "vscode")):
        simt_lsp("simulate", "with space.cu:odd", "--html", "r.html", *options, cwd=tmp_path)
        page = (tmp_path / "r.html").read_text(encoding="utf-8")
        folder = str(tmp_path).replace(os.sep, "/").lstrip("/")
        assert (f'href="vscode://file/{folder}/with%20space.cu:3"' in page) == bool(options)
        assert ("vscode:" in page) == bool(options)
    assert simt_lsp("simulate", "with space.cu:odd", "--editor-links", "vscode", cwd=tmp_path).returncode == 2


SETTINGS = """
[simulate]
grid = 2
policies = ["ipdom", "min-pc"]
arguments = { unheard = 1 }
[simulate.kernels.odd]
block = 16
warp-size = 8
seed = 3
"""


def test_settings_count_where_neither_the_command_line_nor_the_comment_speaks(tmp_path: Path) -> None:
    commented = SOURCE.replace("__global__ void odd", "// simt: seed=5\n__global__ void odd")
    write(tmp_path, {"a.cu": commented, ".simt.toml": SETTINGS})
    done = simt_lsp("simulate", "a.cu", "--json", "--grid", "3", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    odd, even = (json.loads(line) for line in done.stdout.splitlines())
    assert (odd["grid"], odd["block"], odd["seed"], odd["warp_size"]) == ([3, 1, 1], [16, 1, 1], 5, 8)
    assert (even["grid"], even["seed"], even["warp_size"]) == ([3, 1, 1], 1, 32)
    assert odd["inputs"]["block"]["why"] == "given"
    assert list(odd["policies"]) == list(even["policies"]) == ["ipdom", "min-pc"]
    done = simt_lsp("simulate", "a.cu:odd", "--json", "--policy", "ipdom", "--warp-size", "32", cwd=tmp_path)
    odd = json.loads(done.stdout)
    assert (odd["grid"], odd["warp_size"], list(odd["policies"])) == ([2, 1, 1], 32, ["ipdom"])


def test_a_policy_in_the_settings_that_does_not_exist_is_said(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": SOURCE, ".simt.toml": '[simulate]\npolicies = "fastest"\n'})
    done = simt_lsp("simulate", "a.cu:odd", cwd=tmp_path)
    assert done.returncode == 2
    assert "the setting simulate.policies: " in done.stderr
