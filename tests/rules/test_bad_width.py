"""WRP205."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from sim.faults import IllegalShuffleWidth
from tests.rules.warp_fixture import faults, reported, silent

CODE, SLUG = "WRP205", "bad-width"


def test_the_message() -> None:
    found = reported("v += __shfl_down_sync(0xffffffff, v, 3, 12);", CODE, SLUG)  # //~ bad-width
    assert found.severity is Severity.ERROR
    assert found.message == ("The width of this shuffle is 12; it must be a power of two up to 32.")


@pytest.mark.parametrize(
    "statement",
    [
        "v += __shfl_down_sync(0xffffffff, v, 3, 12);",
        "v += __shfl_sync(0xffffffff, v, 0, 64);",
        "v += __shfl_xor_sync(0xffffffff, v, 1, 0);",
        "v += __shfl_up_sync(0xffffffff, v, 1, t < 32 ? 32 : 24);",
        "for (int w = 32; w > 20; w -= 8) v += __shfl_xor_sync(0xffffffff, v, 1, w);",
    ],
)
def test_proven_findings_happen_in_a_run(statement: str) -> None:
    reported(statement, CODE, SLUG)
    assert any(isinstance(fault, IllegalShuffleWidth) for fault in faults(statement))


@pytest.mark.parametrize(
    "statement",
    [
        "v += __shfl_down_sync(0xffffffff, v, 3, 16);",
        "v += __shfl_down_sync(0xffffffff, v, 3);",
        "v += __shfl_down_sync(0xffffffff, v, 3, warpSize);",
        "for (int w = 32; w > 1; w /= 2) v += __shfl_xor_sync(0xffffffff, v, 1, w);",
        "v += __shfl_down_sync(0xffffffff, v, 3, n / 2);",
        "if (lane < 4) v += __shfl_down_sync(0xf, v, 1, 4);",
    ],
)
def test_silent(statement: str) -> None:
    silent(statement, CODE)
    assert not any(isinstance(fault, IllegalShuffleWidth) for fault in faults(statement))
