"""Barriers that threads miss are shown in launches that the program makes, with the numbers that it passes."""

from __future__ import annotations

import pytest

from analysis.rules.check import check
from analysis.rules.settings import RuleSettings
from analysis.verdict.barriers import Tier
from tests.rules.fixture import analyze

_SETTINGS = RuleSettings(select=frozenset({"SYN"}), ignore=frozenset({"SYN107"}), tiers=frozenset(Tier))
_KERNEL = """__global__ void k(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  x[i] = 1.0f;
  __syncthreads();
}
int main() {
  float *x = nullptr;
  cudaMalloc(&x, 4096);
  HOST
}
"""


@pytest.mark.parametrize(
    ("host", "who"),
    [
        # The last block of a grid is where a bound lies.
        ("const int N = 1000; k<<<(N + 255) / 256, 256>>>(x, N);", "Threads 0-231 of the block arrive"),
        ("k<<<4, 256>>>(x, 1000);", "Threads 0-231 of the block arrive"),
        # Of several launches one is enough.
        ("k<<<4, 256>>>(x, 1024); k<<<1, 64>>>(x, 50);", "Threads 0-49 of the block arrive"),
    ],
)
def test_the_numbers_are_those_of_the_launch(host: str, who: str) -> None:
    (found,) = check(analyze(_KERNEL.replace("HOST", host)), _SETTINGS)
    assert found.tier is Tier.PROVEN
    assert found.message.startswith(who)
    assert any(f"n = {number}" in found.message for number in (1000, 50))


def test_a_grid_that_covers_the_numbers_exactly_is_not_accused() -> None:
    (found,) = check(analyze(_KERNEL.replace("HOST", "k<<<4, 256>>>(x, 1024); k<<<2, 128>>>(x, 256);")), _SETTINGS)
    assert found.tier is Tier.POSSIBLE, found.message


def test_a_grid_that_is_computed_to_end_at_the_number_has_no_thread_beyond_it() -> None:
    assert check(analyze(_KERNEL.replace("HOST", "const int N = 1024; k<<<N / 256, 256>>>(x, N);")), _SETTINGS) == ()


def test_a_number_that_is_not_known_is_free() -> None:
    (found,) = check(analyze(_KERNEL.replace("HOST", 'k<<<4, 256>>>(x, atoi(getenv("N")));')), _SETTINGS)
    assert (found.tier, "n = 128" in found.message) == (Tier.PROVEN, True)


_LAUNCH = """void launch(float *x, int n, int t) { k<<<(n + t - 1) / t, t>>>(x, n); }
int main() { const int N = NUMBER; launch(0, N, 256); }
"""


@pytest.mark.parametrize("linkage", ["", "static "])
@pytest.mark.parametrize(("number", "tier"), [("1000", Tier.PROVEN), ("1024", Tier.POSSIBLE)])
def test_numbers_travel_through_the_function_that_launches(linkage: str, number: str, tier: Tier) -> None:
    text = _KERNEL.partition("int main")[0] + linkage + _LAUNCH.replace("NUMBER", number)
    (found,) = check(analyze(text), _SETTINGS)
    assert found.tier is tier, found.message
    assert tier is not Tier.PROVEN or ("n = 1000" in found.message and found.message.startswith("Threads 0-231 of"))


def test_a_call_with_unknown_numbers_leaves_them_free() -> None:
    text = _KERNEL.partition("int main")[0] + _LAUNCH.replace("NUMBER", "1024")
    (found,) = check(analyze(text + "void more(int n) { launch(0, n, 256); }"), _SETTINGS)
    assert found.tier is Tier.PROVEN
