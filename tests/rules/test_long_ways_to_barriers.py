"""Barriers that threads miss are proven however long the loops around, before and behind them are."""

from __future__ import annotations

import pytest

from analysis.rules.check import check
from analysis.rules.settings import RuleSettings
from analysis.verdict.barriers import Tier
from tests.rules.fixture import analyze

_SETTINGS = RuleSettings(select=frozenset({"SYN"}), ignore=frozenset({"SYN107"}), tiers=frozenset(Tier))
_KERNEL = """__global__ void k(float *x, int n) {
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  BODY
}
void host(float *x, int n) { k<<<2, THREADS>>>(x, n); }
"""


def said(body: str, threads: int) -> tuple[str, Tier | None]:
    text = _KERNEL.replace("BODY", body).replace("THREADS", str(threads))
    (found,) = check(analyze(text), _SETTINGS)
    return found.message, found.tier


@pytest.mark.parametrize(
    ("body", "threads", "who"),
    [
        # More rounds in all than a block may take: some threads are told from others after one.
        ("for (int j = 0; j < t; j++) __syncthreads();", 128, "Thread 127 of the block runs into this barrier"),
        ("for (int j = 0; j < t; j++) __syncthreads();", 1024, "Threads 1-1023 of the block run into this barrier"),
        ("for (int j = 0; j < t + 3; j++) __syncthreads();", 1024, "Threads 1-1023 of the block run into this barrier"),
        (
            "if (i >= n) return; for (int j = 0; j < 100000; j++) { x[i] += j; __syncthreads(); }",
            128,
            "Threads 0-63 of the block arrive at the block barrier at line 3, 64-127 do not",
        ),
        # All ways are long: two threads are enough.
        (
            "for (int j = t; j < 5000; j++) { x[i] += j; __syncthreads(); }",
            256,
            "Thread 0 of the block runs into this barrier more often than 255",
        ),
        (
            "int c = 0; for (int j = 0; j < 4096; j++) c += j & 1; if (c > 7 && i >= n) return; __syncthreads();",
            128,
            "Thread 0 of the block arrives at the block barrier at line 3, 127 does not",
        ),
        # What has no say is not followed at all.
        (
            "for (int j = 0; j < 100000; j++) { if (x[j] > 3) x[i] += j; } if (i >= n) return; __syncthreads();",
            128,
            "Threads 0-63 of the block arrive at the block barrier at line 3, 64-127 do not",
        ),
        (
            "if (i >= n) return; float a = 0; for (int j = 0; j < 100000; j++) { a += x[j]; if (a > 9) break; }"
            " x[i] = a; __syncthreads();",
            128,
            "Threads 0-63 of the block arrive at the block barrier at line 3, 64-127 do not",
        ),
    ],
)
def test_threads_that_part_are_found(body: str, threads: int, who: str) -> None:
    message, tier = said(body, threads)
    assert tier is Tier.PROVEN, message
    assert message.startswith(who)


@pytest.mark.parametrize(
    "body",
    [
        "for (int j = 0; j < 100000; j++) { x[i] += j; __syncthreads(); }",
        "for (int j = t; j < t + 5000; j++) { x[i] += j; if (j > 100000) __syncthreads(); }",
        "int c = 0; for (int j = 0; j < 4096; j++) c += j & 1; if (c > 4096 && i >= n) return; __syncthreads();",
    ],
)
def test_threads_that_do_not_part_are_not_accused(body: str) -> None:
    text = _KERNEL.replace("BODY", body).replace("THREADS", "128")
    assert all(found.tier is not Tier.PROVEN for found in check(analyze(text), _SETTINGS))


def test_data_that_sends_each_thread_its_own_way_proves_nothing() -> None:
    message, tier = said("for (int j = 0; j < (int)x[i]; j++) __syncthreads();", 128)
    assert tier is Tier.POSSIBLE, message
