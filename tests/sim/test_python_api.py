"""The example of docs/python-api.md runs, and what it shows is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sim.kernel import kernel_from_source

PAGE = Path(__file__).parents[2] / "docs" / "python-api.md"


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(example, str(PAGE), "exec"), {})
    assert (tmp_path / "out" / "y.npy").exists()


def test_a_kernel_needs_one_name() -> None:
    source = '#include "h.h"\n__global__ void a(int *p) { p[0] = N; }\n'
    assert kernel_from_source(source, "a", headers={"h.h": "#define N 3"}).function.name == "a"
    with pytest.raises(KeyError, match="b"):
        kernel_from_source(source, "b")
