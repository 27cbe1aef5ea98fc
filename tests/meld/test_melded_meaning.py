"""Melded kernels compute what they computed, one small kernel for each way in which a melder can go wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analysis.ir.instructions import Load
from analysis.ir.verifier import verify
from analysis.meld.meld import meld_function
from analysis.meld.settings import MeldMethod, MeldSettings
from benchmarks.melding.counts import count_run
from sim.kernel import Kernel, kernel_from_source
from sim.specification import Array, LaunchSpecification

KERNELS = {
    "operands in their order": "if (t & 1) q[t] = p[t] - n; else q[t] = n - p[t];",
    "what the left arm has alone": "if (t & 1) { int a = p[t]; if (a > 3) r[t] = a; q[t] = a; } else q[t] = p[t] * 2;",
    "loads of one arm between stores of both": (
        "if (t & 1) { q[t] = p[t]; r[t] = p[p[t] & 31]; q[t + 64] = 5; } else { q[t] = n; q[t + 64] = 7; }"
    ),
    "loads of the other arm between stores of both": (
        "if (t & 1) { q[t] = n; q[t + 64] = 7; } else { q[t] = p[t]; r[t] = p[p[t] & 31]; q[t + 64] = 5; }"
    ),
    "values behind the arms": (
        "int v, w; if (t & 1) { v = p[t] * 3; q[t] = v; w = n; } else { v = p[t] * 5; q[t] = v; w = 9; } r[t] = v + w;"
    ),
    "a value of one arm behind a melded loop": (
        "int v = 0; if (t & 1) { int a = p[t]; for (int i = 0; i < 4; i++) q[t] += p[i]; v = a; }"
        "else { for (int i = 1; i < 6; i++) q[t] += p[i + 3]; v = 1; } r[t] = v;"
    ),
    "a block in a region": "if (t & 1) q[t] = p[t] + n; else if (p[t] > 40) q[t] = p[n] + t;",
    "a region and a block": "if (t & 1) { if (p[t] > 40) q[t] = p[n] + t; } else q[t] = p[t] + n;",
    "signed and unsigned": (
        "int a = p[t] - 50; if (t & 1) { q[t] = a / 7; r[t] = a >> 1; }"
        "else { q[t] = (unsigned)a / 7u; r[t] = (unsigned)a >> 1; }"
    ),
    "comparisons of two kinds": (
        "int a = p[t] - 50; if (t & 1) { q[t] = a < n; r[t] = a; } else { q[t] = (unsigned)a < (unsigned)n; r[t] = n; }"
    ),
    "narrow and wide": (
        "int a = p[t] << 24; if (t & 1) { q[t] = (a * n) >> 3; } else { q[t] = (int)(((long long)a * n) >> 3); }"
    ),
}


def kernel(body: str) -> Kernel:
    head = "const int t = threadIdx.x, n = 5;"
    return kernel_from_source(f"__global__ void k(const int *p, int *q, int *r) {{ {head} {body} }}", "k")


def launch() -> LaunchSpecification:
    numbers = np.random.default_rng(2).integers(0, 100, 128).astype(np.int32)
    arrays = {"p": Array(numbers), "q": Array(np.zeros(128, np.int32)), "r": Array(np.zeros(128, np.int32))}
    return LaunchSpecification((1, 1, 1), (64, 1, 1), arrays)


@pytest.mark.parametrize("unpredication", [True, False])
@pytest.mark.parametrize("method", [MeldMethod.DARM, MeldMethod.LINEAR, MeldMethod.FUSION])
@pytest.mark.parametrize("name", KERNELS)
def test_memory_is_what_it_was(name: str, method: MeldMethod, unpredication: bool) -> None:
    given = kernel(KERNELS[name])
    result = meld_function(given.function, MeldSettings(method, 0.0, unpredication=unpredication))
    assert verify(result.function) == ()
    assert result.melded or method is not MeldMethod.DARM
    if result.melded:
        after = replace(given, function=result.function)
        assert count_run(after, launch()).memory == count_run(given, launch()).memory


def test_loads_of_shared_and_of_global_memory_stay_two() -> None:
    text = "__shared__ int s[64]; s[t] = p[t]; __syncthreads(); if (t & 1) q[t] = s[t] * 3; else q[t] = p[t + 1] * 5;"
    function = meld_function(kernel(text).function, MeldSettings(MeldMethod.DARM, 0.0)).function
    assert sum(isinstance(item, Load) for _, item in function.instructions()) == 1 + 2
