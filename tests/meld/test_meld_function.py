"""Melding on the IR: what becomes one, what is refused and why, and that the result computes the same."""

from __future__ import annotations

import pytest

from analysis.ir.function import Function
from analysis.ir.instructions import Branch, Instruction, Load, Select, Store
from analysis.ir.verifier import verify
from analysis.meld import rewrite
from analysis.meld.draft import FlowDraft
from analysis.meld.meld import meld_function
from analysis.meld.model import MeldObstacle, MeldResult, PairKind
from analysis.meld.settings import MeldMethod, MeldSettings
from tests.support.cuda import inlined

BITONIC = """
__global__ void k(int *values, int bit, int step) {
  __shared__ int shared[64];
  const int tid = threadIdx.x;
  shared[tid] = values[tid];
  __syncthreads();
  const int other = tid ^ step;
  if (other > tid) {
    if ((tid & bit) == 0) {
      if (shared[tid] > shared[other]) { int t = shared[tid]; shared[tid] = shared[other]; shared[other] = t; }
    } else {
      if (shared[tid] < shared[other]) { int t = shared[tid]; shared[tid] = shared[other]; shared[other] = t; }
    }
  }
  __syncthreads();
  values[tid] = shared[tid];
}
"""


def melded(
    body: str,
    method: MeldMethod = MeldMethod.BEST,
    threshold: float = 0.2,
    unpredication: bool = True,
    max_rounds: int = 64,
) -> MeldResult:
    """The kernel with this body; `p` and `q` are arrays, `t` the thread, `n` a parameter."""
    text = f"__global__ void k(int *p, int *q, int n) {{ const int t = threadIdx.x; {body} }}"
    result = meld_function(
        inlined(text), MeldSettings(method, threshold, unpredication=unpredication, max_rounds=max_rounds)
    )
    assert verify(result.function) == ()
    return result


def count(function: Function, kind: type[Instruction]) -> int:
    return sum(isinstance(item, kind) for _, item in function.instructions())


def obstacles(result: MeldResult) -> list[MeldObstacle]:
    return [one.obstacle for one in result.refused]


def test_bitonic_sort_loads_once_selects_one_predicate_and_swaps_once() -> None:
    before = inlined(BITONIC)
    result = meld_function(before)
    (region,) = result.melded
    assert [pair.kind for pair in region.pairs] == [PairKind.REGION_REGION]
    # To shared memory and back: one load and one store beside those of the exchange.
    assert (count(before, Load), count(before, Store)) == (2 + 8, 2 + 4)
    assert (count(result.function, Load), count(result.function, Store)) == (2 + 4, 2 + 2)
    assert count(result.function, Select) == 1
    assert region.predicted_saving > 0.1
    assert verify(result.function) == ()


def test_one_block_on_each_side() -> None:
    result = melded("if (t & 1) p[t] = n; else q[t] = n;", MeldMethod.DARM)
    assert [pair.kind for pair in result.melded[0].pairs] == [PairKind.BLOCK_BLOCK]
    assert count(result.function, Store) == 1
    assert not any(isinstance(block.terminator, Branch) for block in result.function.blocks)


def test_a_block_takes_a_place_in_a_copy_of_the_other_sides_region() -> None:
    result = melded("if (t & 1) p[t] = q[t] + n; else if (n > 3) p[t] = q[n] + t;", MeldMethod.DARM)
    assert [pair.kind for pair in result.melded[0].pairs] == [PairKind.BLOCK_REGION]
    assert (count(result.function, Load), count(result.function, Store)) == (1, 1)


def test_loops_of_one_shape_become_one_loop() -> None:
    result = melded(
        "int s = 0; if (t & 1) for (int i = 0; i < n; i++) s += p[i]; else for (int i = 0; i < n; i++) s += q[i];"
        "p[t] = s;"
    )
    assert [pair.kind for pair in result.melded[0].pairs] == [PairKind.REGION_REGION]
    assert count(result.function, Load) == 1


def test_different_operators_are_both_computed_and_one_is_selected() -> None:
    result = melded("int a = p[t]; if (t & 1) q[t] = a + n; else q[t] = a * n;", MeldMethod.DARM)
    assert (count(result.function, Store), count(result.function, Select)) == (1, 1)


def test_a_load_of_one_side_alone_stays_under_its_guard() -> None:
    for unpredication in (True, False):
        text = "if (t & 1) q[t] = p[t]; else { int a = p[n]; q[n] = p[a]; }"
        result = melded(text, MeldMethod.DARM, unpredication=unpredication)
        assert result.melded
        assert any(isinstance(block.terminator, Branch) for block in result.function.blocks)


def test_fusion_melds_diamonds_and_nothing_else() -> None:
    nested = "if (t & 1) { if (n > 3) p[t] = q[t]; } else { if (n > 5) p[t] = q[n]; }"
    assert melded("if (t & 1) p[t] = q[t]; else p[t] = q[n];", MeldMethod.FUSION).melded
    assert not melded(nested, MeldMethod.FUSION).melded
    assert melded(nested, MeldMethod.DARM).melded


def test_tail_merging_needs_equal_ends() -> None:
    equal = "int i = 0, j = n, s; if (t & 1) { s = i * 3; p[t] = s; } else { s = j + 5; p[t] = s; }"
    assert count(melded(equal, MeldMethod.TAIL).function, Store) == 1
    assert not melded("if (t & 1) p[t] = n; else q[t + 1] = n * 2;", MeldMethod.TAIL, threshold=0.5).melded


def test_arms_of_different_shapes_are_straightened() -> None:
    text = "int a = p[t]; if (t & 1) { if (a > n) a = a + 7; q[a & 31] = a; } else { a = a * 3; q[a & 31] = a; }"
    assert count(melded(text, MeldMethod.LINEAR).function, Store) == 1


REFUSALS = [
    ("if (t & 1) p[t] = n;", MeldObstacle.ONE_ARM),
    ("for (int i = 0; i < t; i++) p[i] = n;", MeldObstacle.LOOP),
    ("switch (t) { case 0: p[0] = 1; break; case 1: p[1] = 2; break; default: p[2] = 3; }", MeldObstacle.MANY_WAYS),
    ("if (t & 1) { p[t] = 1; __syncthreads(); } else { p[t] = 2; __syncthreads(); }", MeldObstacle.BARRIER),
    ("if (t & 1) p[t] = __shfl_sync(1, n, 0); else p[t] = __shfl_sync(2, n, 1);", MeldObstacle.WARP_INTRINSIC),
    ("if (t & 1) { p[t] = 1; __threadfence(); } else { q[t] = 2; }", MeldObstacle.FENCE),
    ("volatile int *v = p; if (t & 1) v[t] = 1; else v[n] = 2;", MeldObstacle.VOLATILE),
    ("if (t & 1) p[t] = atomicAdd(q, 1); else p[t] = atomicAdd(q, 2);", MeldObstacle.ATOMIC),
    ("if (t & 1) { __trap(); p[t] = 1; } else p[t] = 2;", MeldObstacle.TRAP),
    ('if (t & 1) { printf("a"); p[t] = 1; } else p[t] = 2;', MeldObstacle.OUTPUT),
]


@pytest.mark.parametrize(("body", "obstacle"), REFUSALS)
def test_what_cannot_be_melded_is_refused_with_the_reason(body: str, obstacle: MeldObstacle) -> None:
    result = melded(body)
    assert result.melded == ()
    assert obstacle in obstacles(result)


def test_a_uniform_branch_is_no_divergent_region() -> None:
    result = melded("if (n & 1) p[t] = 1; else q[t] = 2;")
    assert (result.melded, result.refused) == ((), ())


def test_an_atomic_without_result_is_melded() -> None:
    result = melded("if (t & 1) atomicAdd(p + t, n); else atomicAdd(q + t, n);", MeldMethod.DARM)
    assert result.melded


def test_the_threshold_decides_about_a_published_method() -> None:
    text = "if (t & 1) p[t] = q[t] / n; else { int a = t * n; p[t] = a * a * a * 7; }"
    low, high = (melded(text, MeldMethod.DARM, threshold=threshold) for threshold in (0.1, 0.5))
    assert low.melded
    assert high.melded == ()
    assert MeldObstacle.BELOW_THRESHOLD in obstacles(high)


def test_rounds_are_bounded_and_it_is_said() -> None:
    result = melded("if (t & 1) p[t] = n; else q[t] = n;", MeldMethod.DARM, max_rounds=0)
    assert result.is_cut
    assert MeldObstacle.CUT in obstacles(result)
    assert result.issue_slots[0] == result.issue_slots[1]


def test_what_was_melded_is_marked() -> None:
    result = melded("if (t & 1) p[t] = n; else q[t] = n;", MeldMethod.DARM)
    assert result.melded_blocks
    assert all(block < len(result.function.blocks) for block in result.melded_blocks)


def test_switches_over_different_types_are_not_one_switch() -> None:
    arms = "switch ({}) {{ case 0: p[t] = q[t]; break; case 1: p[n] = q[n]; break; }}"
    same = f"if (t & 1) {{ {arms.format('n')} }} else {{ {arms.format('q[0]')} }}"
    other = f"if (t & 1) {{ {arms.format('n')} }} else {{ {arms.format('(unsigned)q[0]')} }}"
    assert PairKind.REGION_REGION in {pair.kind for one in melded(same).melded for pair in one.pairs}
    assert PairKind.REGION_REGION not in {pair.kind for one in melded(other).melded for pair in one.pairs}


def test_a_meld_that_is_not_well_formed_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    body = "if (t & 1) p[t] = p[t] * 3 + n; else p[t] = q[t] * 3 + n;"
    assert melded(body).melded

    def forget_dominance(draft: FlowDraft) -> None:
        return

    monkeypatch.setattr(rewrite, "repair_dominance", forget_dominance)
    broken = "int v; if (t & 1) { v = p[t] * 3; q[t] = v + n; } else { v = q[t] * 3; q[t] = v / n; } q[n] = v;"
    result = melded(broken, MeldMethod.DARM)
    assert not result.melded
    assert obstacles(result) == [MeldObstacle.BROKEN]


def test_whoever_asks_sees_the_function_after_each_meld() -> None:
    seen: list[Function] = []
    text = "__global__ void k(int *p, int n) { const int t = threadIdx.x; if (t & 1) p[t] = n * 3; else p[t] = n * 5; }"
    result = meld_function(inlined(text), after_each=seen.append)
    assert len(seen) == len(result.melded) == 1
    assert verify(seen[0]) == ()
