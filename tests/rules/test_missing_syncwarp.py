"""WRP209."""

from __future__ import annotations

import pytest

from analysis.rules.diagnostic import Severity
from sim.faults import DataRace
from tests.rules.fixture import check_fixture
from tests.rules.warp_fixture import KERNEL, faults, reported, settings_for, silent

MEET = "__shared__ volatile float s[64]; s[t] = v; __syncthreads();"
MASKED = "__syncwarp(0xffff);"
CODE, SLUG = "WRP209", "missing-syncwarp"


def test_the_message() -> None:
    found = reported("__shared__ volatile float s[64]; s[t] = v; v += s[t ^ 1];", CODE, SLUG)  # //~ missing-syncwarp
    assert found.severity is Severity.ERROR
    assert found.message == (
        "Lane 0 of a warp reads here what another lane writes at line 5, and no `__syncwarp()` is between them: lanes "
        "of a warp need not run in step."
    )


@pytest.mark.parametrize(
    "statement",
    [
        "__shared__ volatile float s[64]; s[t] = v; v += s[t ^ 1];",
        f"{MEET} if (t < 16) {{ s[t] += s[t + 16]; s[t] += s[t + 8]; }}",
        f"{MEET} if (t < 32) for (int k = 16; k > 0; k >>= 1) s[t] += s[t + k];",
        "__shared__ volatile float s[2][32]; s[t / 32][lane] = v; v += s[t / 32][31 - lane];",
        "__shared__ float s[64]; volatile float *p = s; p[t] = v; v += p[t ^ 2];",
        "__shared__ volatile float s[64]; s[t] = v; __syncwarp(); v += s[t ^ 1]; s[t] = v; v += s[t ^ 1];",
    ],
)
def test_proven_findings_happen_in_a_run(statement: str) -> None:
    reported(statement, CODE, SLUG)
    assert any(isinstance(fault, DataRace) for fault in faults(statement))


def test_an_array_is_the_same_through_the_calls_of_several_functions() -> None:
    helpers = """__device__ void put(volatile float *s, int t, float v) { s[t] = v; }
__device__ float get(volatile float *s, int t) { return s[t]; }
"""
    statement = "__shared__ volatile float s[64]; put(s, t, v); BARRIER v += get(s, t ^ 1);"
    reading = helpers.replace("return s[t]; }", "return s[t]; }  //~ missing-syncwarp")
    check_fixture(reading + _kernel(statement.replace("BARRIER", "")), settings_for(CODE))
    check_fixture(helpers + _kernel(statement.replace("BARRIER", "__syncwarp();")), settings_for(CODE))


def _kernel(statement: str) -> str:
    return KERNEL.replace("STATEMENT", statement)


@pytest.mark.parametrize(
    "statement",
    [
        "__shared__ volatile float s[64]; s[t] = v; __syncwarp(); v += s[t ^ 1];",
        "__shared__ volatile float s[64]; s[t] = v; __syncthreads(); v += s[t ^ 1];",
        "__shared__ volatile float s[64]; s[t] = v; v += s[t];",
        f"{MEET} if (t < 16) {{ float w = s[t + 16]; {MASKED} s[t] += w; {MASKED} w = s[t + 8]; {MASKED} s[t] += w; }}",
        "__shared__ volatile float s[64]; s[2 * lane] = v; v += s[2 * lane];",
    ],
)
def test_silent(statement: str) -> None:
    silent(statement, CODE)
    assert not any(isinstance(fault, DataRace) for fault in faults(statement))
