"""WRP203."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from sim.faults import IllegalWarpMask
from tests.rules.warp_fixture import faults, reported, silent

CODE, SLUG = "WRP203", "masks-differ"


def test_the_message() -> None:
    found = reported("v += __shfl_xor_sync(lane < 16 ? 0xffff : 0xffffffff, v, 1);", CODE, SLUG)  # //~ masks-differ
    assert found.severity is Severity.ERROR
    assert found.message == ("Lanes 0-16 meet at this shuffle with different masks, 0xffffffff and 0x0000ffff.")


@pytest.mark.parametrize(
    "statement",
    [
        "v += __shfl_xor_sync(lane < 16 ? 0xffff : 0xffffffff, v, 1);",
        "__syncwarp(lane < 8 ? 0xff : 0xffffffff);",
        "v += __any_sync(lane == 0 ? 1 : -1, 1);",
        "unsigned m = 0xffffffff; if (lane == 3) m = 0xff; v += __all_sync(m, 1);",
    ],
)
def test_proven_findings_happen_in_a_run(statement: str) -> None:
    reported(statement, CODE, SLUG)
    assert any(isinstance(fault, IllegalWarpMask) for fault in faults(statement))


@pytest.mark.parametrize(
    "statement",
    [
        "v += __shfl_xor_sync(lane < 16 ? 0xffff : 0xffff0000, v, 1);",
        "__syncwarp(0xffu << (lane & 24));",
        "__syncwarp(1u << lane);",
        "v += __shfl_xor_sync(0xffffffff, v, 1);",
        "unsigned m = __match_any_sync(~0u, lane / 5); v += __shfl_xor_sync(m, v, 0);",
    ],
)
def test_silent(statement: str) -> None:
    silent(statement, CODE)
    assert not any(isinstance(fault, IllegalWarpMask) for fault in faults(statement))
