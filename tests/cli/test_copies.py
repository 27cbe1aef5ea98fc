"""`check` over a tree that holds the same code twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.cli.shell import simt_lsp

KERNEL = """\
__global__ void k(const int *n, float *x) {
  float s = 0;
  for (int i = 0; i < n[threadIdx.x]; i++) s += x[i];
  x[threadIdx.x] = s;
}
"""


def _check(folder: Path, files: dict[str, str]) -> list[Any]:
    for name, text in files.items():
        (folder / name).write_text(text)
    paths = [str(folder / name) for name in files]
    result = json.loads(simt_lsp("check", "--format", "json", *paths).stdout)
    return [result["summary"]["copies"], *(file["diagnostics"] for file in result["files"])]


def test_the_same_code_is_told_once_and_named(tmp_path: Path) -> None:
    copies, first, second = _check(tmp_path, {"a.cu": KERNEL, "b.cu": "// another line\n" + KERNEL})
    assert copies == 1
    assert [found["copy_of"] for found in first] == [None]
    assert [found["copy_of"] for found in second] == [{"path": str(tmp_path / "a.cu"), "line": 3}]
    assert second[0]["line"] == 4
    text = simt_lsp("check", str(tmp_path / "a.cu"), str(tmp_path / "b.cu")).stdout
    assert text.count("DIV402") == 1
    assert f"{tmp_path / 'b.cu'}: note: 1 finding as in {tmp_path / 'a.cu'}: the same code" in text
    assert "1 in copies of code, told once" in text


def test_what_differs_is_told(tmp_path: Path) -> None:
    other = KERNEL.replace("s += x[i]", "s += x[i + 1]")
    launched = KERNEL + "void f(int *n, float *x) { k<<<1, 4>>>(n, x); }\n"
    copies, *found = _check(tmp_path, {"a.cu": KERNEL, "b.cu": other})
    assert (copies, [len(one) for one in found]) == (0, [1, 1])
    copies, first, second = _check(tmp_path, {"a.cu": KERNEL, "c.cu": launched})
    assert copies == (first[0]["message"] == second[0]["message"])


def test_repeats_in_one_file_are_findings(tmp_path: Path) -> None:
    copies, found = _check(tmp_path, {"a.cu": f"namespace a {{\n{KERNEL}}}\nnamespace b {{\n{KERNEL}}}\n"})
    assert (copies, len(found)) == (0, 2)
