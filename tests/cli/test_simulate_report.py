"""`simt-lsp simulate`: what it prints for people and writes as a page."""

from __future__ import annotations

import json
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


def test_each_kernel_of_a_file_has_its_page(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": SOURCE})
    done = simt_lsp("simulate", "a.cu", "--html", "r.html", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(path.name for path in tmp_path.glob("*.html")) == ["r-even.html", "r-odd.html"]
    assert [line.split()[0] for line in done.stdout.splitlines() if " warps of 32 lanes " in line] == ["odd", "even"]


def test_a_page_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": SOURCE})
    done = simt_lsp("simulate", "a.cu:odd", "--html", "nowhere/r.html", cwd=tmp_path)
    assert done.returncode == 2
    assert "--html nowhere/r.html: No such file or directory" in done.stderr


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
