"""WRP206."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from tests.rules.warp_fixture import reported, silent

CODE, SLUG = "WRP206", "suspicious-mask"


def test_the_message() -> None:
    found = reported("if (v > 0) v += __shfl_xor_sync(0xFFFFFF, v, 1);", CODE, SLUG)  # //~ suspicious-mask
    assert (found.severity, found.tier) == (Severity.WARNING, None)
    assert found.message == "The mask of this shuffle looks mistyped: all lanes of a warp are 0xffffffff."


@pytest.mark.parametrize(
    "statement",
    [
        "if (v > 0) v += __shfl_xor_sync(0xFFFFFFF, v, 1);",
        "if (y[t]) __syncwarp(0x1f);",
        "while (v > 0) { v -= lane; v += __any_sync(31, v > 2); }",
    ],
)
def test_reported(statement: str) -> None:
    reported(statement, CODE, SLUG)


@pytest.mark.parametrize(
    "statement",
    [
        "if (v > 0) v += __shfl_xor_sync(0xFFFFFFFF, v, 1);",
        "if (v > 0) v += __shfl_xor_sync(0xFFFF, v, 1);",
        "if (lane < 24) v += __shfl_xor_sync(0xFFFFFF, v, 1);",
        "if (lane < 5) v += __shfl_xor_sync(0x1f, v, 1);",
        "v += __shfl_xor_sync(0xFFFFFF, v, 1);",  # caller-not-in-mask says more
    ],
)
def test_silent(statement: str) -> None:
    silent(statement, CODE)
