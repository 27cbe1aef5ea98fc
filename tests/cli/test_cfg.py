from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.shell import simt_lsp, write
from tests.features.dot_language import read_dot

SOURCE = """\
__device__ int pick(int *x, int i) { if (i > 3) return x[i]; return 0; }
__global__ void k(int *x) { x[threadIdx.x] = pick(x, threadIdx.x); }
"""


def test_the_picture_is_svg_unless_another_format_is_named(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": SOURCE})
    done = simt_lsp("cfg", "a.cu:k", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert ElementTree.fromstring(done.stdout).tag.endswith("svg")
    assert simt_lsp("cfg", "a.cu:pick", "--format", "mermaid", cwd=tmp_path).stdout.startswith("---\ntitle: 'pick")


@pytest.mark.parametrize(
    ("name", "beginning"),
    [("k.svg", "<svg"), ("k.dot", "digraph"), ("k.gv", "digraph"), ("k.mmd", "---\n"), ("graph", "<svg")],
)
def test_the_name_of_the_file_says_the_format(tmp_path: Path, name: str, beginning: str) -> None:
    write(tmp_path, {"a.cu": SOURCE})
    assert simt_lsp("cfg", "a.cu:k", "-o", name, cwd=tmp_path).returncode == 0
    assert (tmp_path / name).read_text("utf-8").startswith(beginning)
    assert simt_lsp("cfg", "a.cu:k", "-o", name, "--format", "dot", cwd=tmp_path).returncode == 0
    assert (tmp_path / name).read_text("utf-8").startswith("digraph")


def test_a_format_that_there_is_not_is_not_promised(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": SOURCE})
    done = simt_lsp("cfg", "a.cu:k", "-o", "k.png", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "k.png: a graph is written as .svg, .dot or .mmd" in done.stderr
    assert not (tmp_path / "k.png").exists()


def test_called_functions_are_drawn_on_request(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": SOURCE})
    own = simt_lsp("cfg", "a.cu:k", "--format", "dot", cwd=tmp_path)
    inlined = simt_lsp("cfg", "a.cu:k", "--format", "dot", "--inlined", cwd=tmp_path)
    assert len(read_dot(own.stdout).nodes) == 1
    assert len(read_dot(inlined.stdout).nodes) == 4


def test_the_picture_goes_into_a_file(tmp_path: Path) -> None:
    write(tmp_path, {"a.cu": SOURCE})
    done = simt_lsp("cfg", "a.cu:k", "-o", "k.svg", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert ElementTree.parse(tmp_path / "k.svg").getroot().tag.endswith("svg")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.cu"], "name one function of a.cu, as a.cu:pick; it has: pick, k"),
        (["a.cu:nothing"], "a.cu has no device function 'nothing'; it has: pick, k"),
        (["host.cu:main"], "host.cu has no device functions"),
        (["gone.cu:k"], "gone.cu:k: no such file"),
        (["a.cu:k", "-o", "no/such/folder.svg"], "no/such/folder.svg: no such file or directory"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(tmp_path: Path, arguments: list[str], message: str) -> None:
    write(tmp_path, {"a.cu": SOURCE, "host.cu": "int main() {}\n"})
    done = simt_lsp("cfg", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_before_and_after_melding(tmp_path: Path) -> None:
    body = "if (threadIdx.x % 2) x[threadIdx.x] = {} * 3.0f; else x[threadIdx.x] = {} * 3.0f;"
    kernel = "__global__ void k(float *x, const float *a, const float *b) {{ {} }}\n"
    alike = kernel.format(body.format("a[threadIdx.x]", "b[threadIdx.x]"))
    write(tmp_path, {"a.cu": alike, "b.cu": kernel.format("x[0] = a[0];")})
    done = simt_lsp("cfg", "a.cu:k", "--meld", "--format", "dot", cwd=tmp_path)
    assert done.returncode == 0
    assert "before melding" in done.stdout
    done = simt_lsp("cfg", "b.cu:k", "--meld", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "simt-lsp: nothing in k can be melded\n")
    assert done.stdout.startswith("<svg")
