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
