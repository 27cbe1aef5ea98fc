"""A kernel's findings with a price: sorted, and only a handful."""

from __future__ import annotations

from dataclasses import replace

from analysis.rules.check import check
from analysis.rules.diagnostic import Diagnostic, MoreFindings
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import analyze

SETTINGS = RuleSettings(select=frozenset({"DIV401", "DIV402"}), share_threshold=0.5)
ARMS = "if (v[{0}]) {{ {1} }} else {{ {2} }}"


def kernel(name: str, rounds: list[int], comment: str = "") -> str:
    """Branches of which each arm has one more loop of the given rounds."""
    branches = "".join(
        f"  if (v[t + {place}] > 0) {{ {loop(number, '+')} }} else {{ {loop(number, '*')} }}{comment}\n"
        for place, number in enumerate(rounds)
    )
    return f"""
__global__ void {name}(const int *v, float *x, const float *y) {{
  int t = threadIdx.x;
  float s = 0.0f;
{branches}  x[t] = s;
}}
"""


def loop(rounds: int, operator: str) -> str:
    return f"for (int j = 0; j < {rounds}; j++) s = s {operator} y[j];"


def found_in(text: str, settings: RuleSettings = SETTINGS) -> list[tuple[int, Diagnostic]]:
    """With their lines."""
    analysis = analyze(text)
    return [(analysis.document.lines.line_of(one.start) + 1, one) for one in check(analysis, settings)]


def test_the_dearest_comes_first() -> None:
    found = found_in(kernel("k", [8, 32, 16]))
    assert [line for line, _ in found] == [6, 7, 5]
    shares = [one.cost.share for _, one in found if one.cost is not None]
    assert shares == sorted(shares, reverse=True)
    assert all(one.more is None for _, one in found)


def test_of_many_a_handful_is_shown_and_the_rest_is_counted() -> None:
    rounds = [8, 64, 12, 32, 40, 16, 24]
    found = found_in(kernel("k", rounds))
    assert [line for line, _ in found] == [6, 9, 8, 11, 10]
    *rest, (_, last) = found
    assert all(one.more is None for _, one in rest)
    assert last.more is not None
    assert last.cost is not None
    assert last.more.number == 2
    assert last.more.below <= 100 * last.cost.share + 1
    assert last.more.message("k") == f"2 more in `k`, each below {last.more.below} %"
    assert MoreFindings(1, 3).message("k") == "1 more in `k`, below 3 %"
    assert len(found_in(kernel("k", rounds), replace(SETTINGS, findings_per_kernel=0))) == len(rounds)
    assert len(found_in(kernel("k", rounds), replace(SETTINGS, findings_per_kernel=2))) == 2


def test_each_kernel_has_a_handful_of_its_own() -> None:
    rounds = [16] * 6
    assert len(found_in(kernel("one", rounds) + kernel("two", rounds))) == 10


def test_what_is_suppressed_takes_no_place() -> None:
    rounds = [16] * 8
    assert not found_in(kernel("k", rounds, "  // NOLINT(simt-divergent-branch)"))
    text = kernel("k", rounds).replace("{ for", "{ // NOLINT\n for", 5)
    found = found_in(text)
    assert len(found) == 5
    assert found[-1][1].more is None


def test_a_function_that_is_called_twice_is_reported_once() -> None:
    text = """
template <int N>
__device__ float sum(const int *v, const float *y) {
  float s = 0.0f;
  if (v[threadIdx.x] > 0) { for (int j = 0; j < N; j++) s += y[j]; } else { for (int j = 0; j < N; j++) s *= y[j]; }
  return s;
}
__global__ void k(const int *v, float *x, const float *y) {
  x[threadIdx.x] = sum<16>(v, y) + sum<32>(v + 64, y) + sum<16>(v + 128, y);
}
"""
    assert [line for line, _ in found_in(text)] == [5]
