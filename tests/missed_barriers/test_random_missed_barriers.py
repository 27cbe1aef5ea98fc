"""A few of the kernels of `tests.missed_barriers.fuzz`, and what it found."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from analysis.divergence.launch_shape import BlockShape
from analysis.verdict.witness import Witness
from tests.missed_barriers.kernels import Kernel, random_kernel
from tests.missed_barriers.referee import referee, repaired, wrong
from tests.missed_barriers.witnesses import parts, refuted

TAIL = "void host(int *x, const int *y, int n) { k<<<1, 64>>>(x, y, n); }\n"


def test_repaired_kernels_do_what_was_meant() -> None:
    counts: Counter[str] = Counter()
    for seed in range(8):
        found, counted = referee(random_kernel(seed))
        assert found == [], seed
        counts.update(counted)
    assert counts["repaired"] >= 4


def test_threads_part_in_the_launches_that_are_named() -> None:
    asked = 0
    for seed in range(8):
        found, count = refuted(random_kernel(seed))
        assert found == [], seed
        asked += count
    assert asked >= 8


def test_a_witness_that_confuses_the_sides_is_refuted() -> None:
    kernel = Kernel(
        """__global__ void k(int *x, const int *y, int n) {
  int t = threadIdx.x;
  if (t < n) __syncthreads();
}
void host(int *x, const int *y, int n) { k<<<1, 64>>>(x, y, n); }
""",
        "",
    )
    place = kernel.faulty.index("__syncthreads")
    right = Witness(BlockShape(64), 0, (("n", 5),), ((0, 4),), ((5, 63),), assumed=False)
    assert parts(kernel, place, right)
    assert not parts(kernel, place, replace(right, arguments=(("n", 6),)))
    assert not parts(kernel, place, replace(right, arriving=right.missing, missing=right.arriving))


def test_the_referee_sees_a_guard_that_is_lost() -> None:
    kernel = random_kernel(13)
    after = repaired(kernel.faulty)
    assert isinstance(after, str)
    assert wrong(kernel, after) == []
    assert wrong(kernel, after.replace("if (i < n / 2 && t < 20) x[t]", "x[t]"))
    assert wrong(kernel, after.replace("__syncthreads();", "", 2))


def test_arms_inside_of_a_guard_are_no_if_and_else() -> None:
    """Threads that have left took the `else` arm of a condition that was kept in a variable."""
    head = (
        "__global__ void k(int *x, const int *y, int n) {\n  __shared__ int s[64];\n  int t = threadIdx.x, v = x[t];\n"
    )
    faulty = """  if (t > 40) return;
  if (v > 54) {
    s[t] = v++;
    __syncthreads();
    v += s[t];
  } else {
    s[t] = v--;
    __syncthreads();
    v -= s[t];
  }
  x[t] = v;
}
"""
    meant = """  bool active = t <= 40, one = active && v > 54;
  if (active) s[t] = one ? v++ : v--;
  __syncthreads();
  if (active) {
    v += one ? s[t] : -s[t];
    x[t] = v;
  }
}
"""
    found, counted = referee(Kernel(head + faulty + TAIL, head + meant + TAIL))
    assert found == []
    assert counted["repaired"] == 1
