"""WRP204."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from tests.rules.warp_fixture import reported, silent

CODE, SLUG = "WRP204", "activemask-as-mask"


def test_the_message() -> None:
    found = reported("v += __shfl_down_sync(__activemask(), v, 1);", CODE, SLUG)  # //~ activemask-as-mask
    assert (found.severity, found.tier) == (Severity.WARNING, None)
    assert found.message == (
        "The mask of this shuffle comes from `__activemask()`, which names the lanes that happen to run together, not "
        "those that will come here."
    )


@pytest.mark.parametrize(
    "statement",
    [
        "if (v > 0) v += __shfl_xor_sync(__activemask(), v, 1);",
        "__syncwarp(__activemask());",
        "unsigned m = __activemask(); if (v > 0) v += __any_sync(m, v > 1);",
        "unsigned m = __activemask() & 0xffff; if (lane < 16) v += __shfl_sync(m, v, 0);",
        "unsigned m = n ? __activemask() : ~0u; v += __shfl_sync(m, v, 0);",
    ],
)
def test_reported(statement: str) -> None:
    reported(statement, CODE, SLUG)


@pytest.mark.parametrize(
    "statement",
    [
        "unsigned m = __ballot_sync(~0u, v > 0); if (v > 0) v += __shfl_xor_sync(m, v, 0);",
        "y[t] = __popc(__activemask());",
        "unsigned m = __activemask(); v = __shfl_sync(m, v, __ffs(m) - 1);",
        "unsigned m = __match_any_sync(__activemask(), y[t]); v = __shfl_sync(m, v, __ffs(m) - 1);",
        "y[t] = __reduce_add_sync(__activemask(), 1u);",
        "v += __shfl_down_sync(0xffffffff, v, 1);",
    ],
)
def test_silent(statement: str) -> None:
    silent(statement, CODE)


def test_groups_of_whoever_is_there_are_what_they_say() -> None:
    kernel = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(int *y) {
  cg::coalesced_group active = cg::coalesced_threads();
  y[threadIdx.x] = active.ballot(threadIdx.x > 3);
}
"""
    silent("", CODE, kernel=kernel)
