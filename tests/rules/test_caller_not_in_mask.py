"""WRP201."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from sim.faults import IllegalWarpMask
from tests.rules.warp_fixture import diagnostics_of, faults, reported, silent

CODE, SLUG = "WRP201", "caller-not-in-mask"


def test_the_message() -> None:
    found = reported("v += __shfl_down_sync(0xffff, v, 8);", CODE, SLUG)  # //~ caller-not-in-mask
    assert found.severity is Severity.ERROR
    assert found.message == ("Lanes 16-31 run this shuffle with the mask 0x0000ffff, which does not name them.")


@pytest.mark.parametrize(
    "statement",
    [
        "v += __shfl_down_sync(0xffff, v, 8);",
        "__syncwarp(0x7fffffff);",
        "if (lane < 8) v += __shfl_xor_sync(0xf, v, 1);",
        "unsigned mask = t < 16 ? 0xffff0000 : 0x0000ffff; v += __shfl_xor_sync(mask, v, 1);",
        "for (int i = 0; i < 2; i++) v += __any_sync(1u << i, 1);",
        "if (n > 0 && lane < 4) v += __shfl_xor_sync(0x3, v, 1);",
        "v += __shfl_sync(0x1f, v, 0);",
        "if (lane >= 16) v += __shfl_xor_sync(0xffff, v, 1);",
        "v += __reduce_add_sync(0x0fffffff, (unsigned)lane);",
        "unsigned m = __ballot_sync(0xffffffff, lane < 16); if (lane <= 16) __syncwarp(m);",
        "unsigned m = __ballot_sync(~0u, lane & 1); v += __shfl_sync(m, v, 1);",
    ],
)
def test_proven_findings_happen_in_a_run(statement: str) -> None:
    reported(statement, CODE, SLUG)
    assert any(isinstance(fault, IllegalWarpMask) for fault in faults(statement))


@pytest.mark.parametrize(
    "statement",
    [
        "v += __shfl_down_sync(0xffffffff, v, 8);",
        "if (lane < 16) v += __shfl_down_sync(0xffff, v, 8);",
        "if (lane < 4) v += __shfl_xor_sync((1 << 4) - 1, v, 1);",
        "v += __shfl_xor_sync(0xffu << (lane & 24), v, 1);",
        "__syncwarp(1u << lane);",
        "unsigned m = __ballot_sync(0xffffffff, v > 3.0f); if (v > 3.0f) v += __shfl_xor_sync(m, v, 0);",
        "unsigned m = __ballot_sync(0xffffffff, lane < 16); if (lane < 16) v += __shfl_down_sync(m, v, 8);",
        "for (int i = 1; i < 3; i++) { unsigned m = __ballot_sync(~0u, lane % i); if (lane % i) __syncwarp(m); }",
        "v += __shfl_down_sync(__activemask(), v, 8);",
        "v += __shfl_sync(~0u, v, 0);",
        "v += __shfl_sync(-1, v, 0);",
    ],
)
def test_silent(statement: str) -> None:
    silent(statement, CODE)
    assert not any(isinstance(fault, IllegalWarpMask) for fault in faults(statement))


def test_a_mask_that_a_caller_passes_is_his_to_know() -> None:
    kernel = """
__device__ float up(float v, unsigned mask) { return __shfl_up_sync(mask, v, 1); }
__global__ void k(float *x, unsigned given) { x[threadIdx.x] = up(up(x[threadIdx.x], given), 0xffffffff); }
"""
    silent("", CODE, kernel=kernel, surely=False)


def test_a_function_whose_callers_are_not_known_may_be_called_by_some_lanes() -> None:
    kernel = "__device__ float half(float v) { return STATEMENT }"
    silent("__shfl_down_sync(0xffff, v, 8);", CODE, kernel=kernel)
    wide = "__device__ float half(float v) {\n  return __shfl_down_sync(0xffff, v, 8); STATEMENT\n}"
    reported("", CODE, SLUG, kernel=wide, surely=False)


def test_a_warp_of_64_has_lanes_that_32_bits_do_not_name() -> None:
    statement = "v += __shfl_down_sync(0xffffffff, v, 8);"
    (found,) = diagnostics_of(statement, CODE, warp_size=64)
    assert found.message.startswith("Lanes 32-63 run this shuffle with the mask 0x00000000ffffffff")
    assert diagnostics_of("v += __shfl_down_sync(0xffffffffffffffff, v, 8);", CODE, warp_size=64) == ()
