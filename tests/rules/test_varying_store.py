"""RAC302."""

from __future__ import annotations

import pytest

from analysis.refactor.edit import apply_replacements
from analysis.rules.check import check
from analysis.rules.diagnostic import Applicability, Fix, Severity
from analysis.rules.settings import RuleSettings
from analysis.verdict.barriers import Tier
from tests.rules.fixture import analyze, check_fixture

STORES = RuleSettings(select=frozenset({"RAC302"}))
ALL_TIERS = RuleSettings(select=frozenset({"RAC302"}), tiers=frozenset(Tier))

KERNEL = """
__global__ void k(float *out, const float *in, const int *flags, int n) {
  __shared__ float one;
  __shared__ float two[2];
  int t = threadIdx.x;
  STATEMENT
  __syncthreads();
  out[t] = one + two[0] + two[1];
}
void host(float *a) { k<<<1, 64>>>(a, a, nullptr, 9); }
"""
MARK = "  //~ varying-store-to-one-address"


@pytest.mark.parametrize(
    "statement",
    [
        "one = t;",
        "one = in[t];",
        "one = 2.0f * in[t + 1] - in[t];",
        "two[1] = in[t];",
        "two[blockIdx.x & 1] = t & 3;",
        "if (t < n) one = in[t];",
        "for (int i = 0; i < 2; i++) two[i] = in[t + i];",
    ],
)
def test_different_values(statement: str) -> None:
    (found,) = check_fixture(KERNEL.replace("STATEMENT", statement + MARK), STORES)
    assert (found.code, found.severity, found.tier) == ("RAC302", Severity.WARNING, Tier.PROVEN)


@pytest.mark.parametrize(
    "statement",
    [
        "one = 1.0f;",
        "one = n;",
        "one = in[0];",
        "one = in[blockIdx.x];",
        "if (t == 0) one = in[t];",
        "if (t == n) one = in[t];",
        "if (in[t] > 0.0f) one = 1.0f;",
        "atomicAdd(&one, in[t]);",
        "two[t & 1] = t & 1;",
        "one = t / 64;",
        "if (n == 4) one = in[t];",
    ],
)
def test_one_value_one_thread_or_data(statement: str) -> None:
    check_fixture(KERNEL.replace("STATEMENT", statement), ALL_TIERS)


def test_whether_several_threads_write_is_open_where_data_decides() -> None:
    text = KERNEL.replace("STATEMENT", f"if (flags[t]) one = in[t];{MARK}")
    (found,) = check_fixture(text, ALL_TIERS)
    assert found.tier is Tier.ASSUMED
    check_fixture(text.replace(MARK, ""), STORES)


def test_values_that_are_not_known_may_differ() -> None:
    text = KERNEL.replace("STATEMENT", "float v = 0; for (int i = 0; i < n; i++) v += in[i * 64 + t];\n  one = v;MARK")
    (found,) = check_fixture(text.replace("MARK", MARK), ALL_TIERS)
    assert found.tier is Tier.POSSIBLE
    assert "values that may differ to `one`" in found.message
    check_fixture(text.replace("MARK", ""), STORES)


def test_the_message_names_the_threads() -> None:
    (found,) = check_fixture(KERNEL.replace("STATEMENT", f"two[1] = in[t];{MARK}"), STORES)
    assert found.message == (
        "Threads 0 and 32 write different values to `two[1]`, and nothing orders them (blocks of 64 threads)."
    )


OWNED = """__global__ void k(float *out, const float *in) {
  __shared__ float one;
  int t = threadIdx.x;
  if (threadIdx.x == 3) one = 0.0f;
  __syncthreads();
  {
    one = in[t];
  }
  __syncthreads();
  out[t] = one;
}
void host(float *a) { k<<<1, 64>>>(a, a); }
"""


def fixes(text: str) -> list[Fix | None]:
    return [found.fix for found in check(analyze(text), STORES)]


def test_the_thread_that_writes_elsewhere_writes_alone() -> None:
    (fix,) = fixes(OWNED)
    assert fix is not None
    assert (fix.title, fix.applicability) == ("Let one thread alone write `one`, as elsewhere", Applicability.UNSAFE)
    after = apply_replacements(OWNED.encode(), fix.replacements).decode()
    assert after == OWNED.replace("    one =", "    if (threadIdx.x == 3) one =")
    assert fixes(after) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  if (threadIdx.x == 3) one = 0.0f;\n", ""),
        ("if (threadIdx.x == 3) one", "if (threadIdx.x < 32) one"),
        ("if (threadIdx.x == 3) one = 0.0f;", "if (threadIdx.x == 3) one = 0.0f;\n  if (threadIdx.x == 4) one = 1.0f;"),
        ("  {\n    one = in[t];\n  }\n", "  if (t < 60) one = in[t];\n"),
        ("one = in[t];", "out[t] = one = in[t];"),
        ("one = in[t];", "one = in[t++];"),
        ("<<<1, 64>>>", "<<<1, dim3(8, 8)>>>"),
    ],
    ids=["no owner", "many owners", "two owners", "no braces", "no statement", "effects", "rows of threads"],
)
def test_who_should_write_is_not_guessed(old: str, new: str) -> None:
    text = OWNED.replace(old, new)
    assert text != OWNED
    assert set(fixes(text)) == {None}
