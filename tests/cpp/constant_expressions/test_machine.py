"""Random `constexpr` functions: what is constant, and its value, as a compiler says.

`python -m tests.cpp.constant_expressions COUNT SEED` runs more.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cpp.constant_expressions.referee import differences
from tests.sim.native.compiler import compiler_path


def test_the_compiler_agrees(tmp_path: Path) -> None:
    if compiler_path() is None:
        pytest.skip("no C++ compiler here: install the package g++ (or clang), or name one in SIMT_LSP_CXX")
    total, found = differences(range(25), tmp_path)
    assert total > 120
    assert found == []
