"""The sentence where counts and claims about an access meet."""

from __future__ import annotations

import pytest

from analysis.facts.model import AccessFact
from simt_lsp.server.simulations.comparison import comparison
from tests.rules.fixture import analyze


def access(index: str) -> AccessFact:
    """The store to global memory at `x[index]` in a line of threads."""
    (found,) = analyze(f"__global__ void k(float *x, int n) {{ x[{index}] = 1.0f; }}").facts.functions[0].accesses
    return found


@pytest.mark.parametrize(
    ("index", "sectors", "efficiency", "said"),
    [
        ("threadIdx.x", 40, 1.0, "As the analysis says"),
        ("threadIdx.x", 41, 1.0, "The analysis allows 4 sectors at most: this is a defect of simt-lsp"),
        ("threadIdx.x", 20, 0.5, "Fewer than the 4 sectors that the analysis tells for a full warp: not all lanes"),
        ("threadIdx.x", 20, 1.0, "Fewer than the 4 sectors that the analysis tells for the worst warp: not all"),
        ("threadIdx.x + n", 50, 1.0, "As the analysis says"),
        ("threadIdx.x + n", 51, 1.0, "The analysis allows 5 sectors at most: this is a defect of simt-lsp"),
        ("threadIdx.x * n", 320, 1.0, "As the analysis says"),
        ("threadIdx.x * n", 40, 1.0, "Fewer than the 32 sectors that the analysis tells for large sizes: here lanes"),
    ],
)
def test_ten_requests(index: str, sectors: int, efficiency: float, said: str) -> None:
    counted = {"path": "", "line": 1, "column": 1, "requests": 10, "sectors": sectors, "ideal_sectors": 40}
    line = {"line": 1, "executed": 10, "warp_instructions": 10, "thread_instructions": 320}
    remark = comparison(
        access(index),
        {**counted, "bank_conflicts": 0},  # pyright: ignore[reportArgumentType]
        {**line, "simd_efficiency": efficiency, "sectors": 0, "ideal_sectors": 0, "bank_conflicts": 0},  # pyright: ignore[reportArgumentType]
    )
    assert remark is not None
    assert remark.startswith(said)
