"""What proves a finding is a launch that the program may make: its numbers fit the block and the grid."""

from __future__ import annotations

import pytest

from analysis.rules.check import check
from analysis.rules.settings import RuleSettings
from tests.support.project_analysis import analyzed


def _findings(kernel: str, host: str) -> dict[str, str]:
    text = f"__global__ void k(int *x, int n) {{\n  __shared__ int s[256];\n{kernel}\n}}\n{host}\n"
    analysis = analyzed({"k.cu": text}, "k.cu")
    return {finding.code: finding.message for finding in check(analysis, RuleSettings())}


THREADS = "void go(int *x, int t) { k<<<4, t>>>(x, t); }"
ANY = "void go(int *x, int t, int n) { k<<<4, t>>>(x, n); }"
ROUNDED = "void go(int *x, int n) { k<<<(n + 63) / 64, 64>>>(x, n); }"
OTHERS = "  if (n != blockDim.x) s[0] = threadIdx.x;\n  __syncthreads();\n  x[threadIdx.x] = s[0];"


BARRIER = "  if (blockIdx.x * blockDim.x + threadIdx.x < n) __syncthreads();"
OF_BLOCK = "  if (threadIdx.x < n - 1 && n < blockDim.x) __syncthreads();"


@pytest.mark.parametrize(
    ("kernel", "host", "code"),
    [
        (OTHERS, ANY, "RAC302"),
        (BARRIER, ANY, "SYN101"),
        (BARRIER, ROUNDED, "SYN101"),
        (OF_BLOCK, ANY, "SYN101"),
    ],
)
def test_a_launch_that_may_be_made_is_a_proof(kernel: str, host: str, code: str) -> None:
    assert " = " in _findings(kernel, host)[code]


@pytest.mark.parametrize(
    ("kernel", "host"),
    [
        (OTHERS, THREADS),
        (BARRIER, THREADS),
        (OF_BLOCK, THREADS),
        (BARRIER, "void go(int *x, int n, int t) { k<<<n / t, t>>>(x, n); }"),
        ("  if (n < blockDim.x) s[0] = threadIdx.x;\n  __syncthreads();\n  x[threadIdx.x] = s[0];", THREADS),
    ],
)
def test_one_that_nobody_makes_is_none(kernel: str, host: str) -> None:
    found = _findings(kernel, host)
    assert not any(" = " in message for message in found.values()), found


def test_the_numbers_of_a_witness_hang_together() -> None:
    """With less than one block of work there is one block, and 63 is no number of two blocks of 32."""
    message = _findings(BARRIER, ROUNDED)["SYN101"]
    assert "(blocks of 64 threads, n = 32)" in message
