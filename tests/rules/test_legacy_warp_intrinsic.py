"""WRP208."""

from __future__ import annotations

import pytest

from analysis.refactor.edit import apply_replacements
from analysis.rules.diagnostic import Severity
from tests.rules.warp_fixture import KERNEL, diagnostics_of, reported, silent

CODE, SLUG = "WRP208", "legacy-warp-intrinsic"


def test_the_message() -> None:
    found = reported("v += __shfl_down(v, 1);", CODE, SLUG)  # //~ legacy-warp-intrinsic
    assert (found.severity, found.tier) == (Severity.ERROR, None)
    assert found.message == (
        "`__shfl_down` has no mask and does not exist on devices of compute capability 7.0 and later; use "
        "`__shfl_down_sync`."
    )


@pytest.mark.parametrize(
    ("statement", "mended"),
    [
        ("v += __shfl(v, 0);", "v += __shfl_sync(0xffffffff, v, 0);"),
        ("v += __shfl_xor(v, 1, 8);", "v += __shfl_xor_sync(0xffffffff, v, 1, 8);"),
        ("if (t < 32) v += __any( v > 3 );", "if (t < 32) v += __any_sync(0xffffffff,  v > 3 );"),
        ("y[t] = __ballot(v > 3);", "y[t] = __ballot_sync(0xffffffff, v > 3);"),
    ],
)
def test_where_all_lanes_come_the_mask_is_full(statement: str, mended: str) -> None:
    found = reported(statement, CODE, SLUG)
    assert found.fix is not None
    text = KERNEL.replace("STATEMENT", f"{statement}  //~ {SLUG}").encode()
    assert apply_replacements(text, found.fix.replacements).decode() == KERNEL.replace(
        "STATEMENT", f"{mended}  //~ {SLUG}"
    )
    silent(mended, CODE)


@pytest.mark.parametrize("statement", ["if (v > 0) v += __shfl(v, 0);", "if (lane < 16) v += __all(v > 3);"])
def test_where_lanes_may_stay_away_there_is_no_fix(statement: str) -> None:
    assert reported(statement, CODE, SLUG).fix is None


@pytest.mark.parametrize(
    "statement",
    [
        "v += __shfl_sync(~0u, v, 0);",
        "y[t] = __any_sync(~0u, v > 3);",
        "__syncwarp();",
        "y[t] = __syncthreads_or(v > 3);",
    ],
)
def test_silent(statement: str) -> None:
    silent(statement, CODE)


def test_where_warps_have_64_lanes_these_are_the_usual_forms() -> None:
    assert diagnostics_of("v += __shfl_down(v, 1);", CODE, warp_size=64) == ()
