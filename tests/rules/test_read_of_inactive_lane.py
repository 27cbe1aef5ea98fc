"""WRP207."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from sim.faults import InactiveLaneRead
from tests.rules.warp_fixture import faults, reported, silent

CODE, SLUG = "WRP207", "read-of-inactive-lane"


def test_the_message() -> None:
    found = reported("if (lane >= 16) v = __shfl_sync(0xffff0000, v, 0);", CODE, SLUG)  # //~ read-of-inactive-lane
    assert found.severity is Severity.WARNING
    assert found.message == ("Lanes 16-31 read from lane 0 in this shuffle, and that lane takes no part.")


@pytest.mark.parametrize(
    "statement",
    [
        "if (lane >= 16) v = __shfl_sync(0xffff0000, v, 0);",
        "if (lane < 4) v = __shfl_sync(0xf, v, 7);",
        "if (lane < 16) return; v = __shfl_sync(0xffff0000, v, 3);",
        "if (lane == 5) v = __shfl_sync(1 << 5, v, 6);",
        "if (lane < 8) for (int i = 6; i < 9; i++) v += __shfl_sync(0xff, v, i);",
    ],
)
def test_proven_findings_happen_in_a_run(statement: str) -> None:
    reported(statement, CODE, SLUG)
    assert any(isinstance(fault, InactiveLaneRead) for fault in faults(statement))


@pytest.mark.parametrize(
    "statement",
    [
        "if (lane >= 16) v = __shfl_sync(0xffff0000, v, 16);",
        "v = __shfl_sync(0xffffffff, v, 0);",
        "if (lane < 16) v += __shfl_down_sync(0xffff, v, 8);",
        "if (lane < 8) v = __shfl_sync(0xff, v, lane ^ 1);",
        "if (lane >= 16) v = __shfl_sync(0xffff0000, v, 0, 16);",
        "if (lane < 8) v = __shfl_sync(0xff, v, n & 7);",
    ],
)
def test_silent(statement: str) -> None:
    silent(statement, CODE)
    assert not any(isinstance(fault, InactiveLaneRead) for fault in faults(statement))
