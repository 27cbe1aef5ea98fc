"""Dynamic convergence and scalarization: the numbers of Lee et al. (CGO 2013) for the FIR filter of Fig. 1."""

from __future__ import annotations

import numpy as np
import pytest

from sim.kernel import Kernel
from sim.observers.convergence import Convergence, ConvergenceObserver, Dispatched
from sim.observers.scalar_activity import Executed, ScalarActivity, ScalarActivityObserver, Source
from sim.policies.ipdom import Ipdom
from sim.simulate import simulate
from sim.specification import Array, LaunchSpecification, Scalar
from tests.scalar.test_fir import BODY, HEADER
from tests.sim.running import run
from tests.support.textual import read


def fir(length: int, warp_size: int) -> ScalarActivity:
    observer = ScalarActivityObserver()
    zeros = Array(np.zeros(64, np.float32))
    launch = LaunchSpecification(
        (1, 1, 1),
        (32, 1, 1),
        {"samples": zeros, "coeffs": zeros, "flen": Scalar(length), "results": zeros},
        warp_size=warp_size,
    )
    result = simulate(Kernel(read(BODY, HEADER).function), launch, Ipdom, [observer])
    assert result.faults == ()
    return observer.answer()


def one_iteration(activity: ScalarActivity, before: ScalarActivity, source: Source) -> tuple[Executed, Executed]:
    """What one more iteration adds, conventionally and scalarized."""
    minus = {name: -getattr(before.conventional[source], name) for name in Executed.__slots__}
    conventional = activity.conventional[source] + Executed(**minus)
    minus = {name: -getattr(before.scalarized[source], name) for name in Executed.__slots__}
    return conventional, activity.scalarized[source] + Executed(**minus)


def test_an_iteration_of_the_filter_in_one_warp_of_32() -> None:
    longer, shorter = fir(11, 32), fir(10, 32)
    conventional, threads = one_iteration(longer, shorter, Source.STATICALLY_CONVERGED)
    nothing, scalars = one_iteration(longer, shorter, Source.SCALAR)
    assert nothing == Executed()
    # Section 2.3: 256 operations become 39, 352 reads 73, 224 writes 69, 64 addresses 2.
    assert conventional == Executed(issued=8, operations=256, reads=352, writes=224, addresses=64, data=64)
    both = threads + scalars
    assert (both.operations, both.reads, both.writes, both.addresses) == (39, 73, 69, 2)
    # One multiply-add per thread; the loads are one scalar and one warp-sequential.
    assert threads == Executed(issued=1, operations=32, reads=64 + 1, writes=32)
    assert (scalars.issued, scalars.data) == (7, 1 + 32)


def test_eight_warps_of_four_threads() -> None:
    longer, shorter = fir(11, 4), fir(10, 4)
    conventional, threads = one_iteration(longer, shorter, Source.STATICALLY_CONVERGED)
    _, scalars = one_iteration(longer, shorter, Source.SCALAR)
    assert (conventional.issued, conventional.operations) == (8 * 8, 256)
    assert (threads.operations, scalars.operations) == (32, 8 * 7)
    assert longer.saved()["operations"] == pytest.approx(1 - (32 + 56) / 256, abs=0.02)


DIVERGENT = """
__global__ void k(int *p, int n) {
  int t = threadIdx.x;
  int v = p[t];
  if (n > 3)
    v = v * 2;
  if (t < 2)
    v = v + 1;
  p[t] = v;
}"""


def convergence(text: str, n: int, block: int, **options: bool) -> ConvergenceObserver:
    observer = ConvergenceObserver(**options)
    run(text, {"p": np.arange(64, dtype=np.int32), "n": n}, block=block, warp_size=4, observers=[observer])
    return observer


def test_figure_four_for_one_warp_that_splits_and_one_that_does_not() -> None:
    answer = convergence(DIVERGENT, 5, 8).answer()
    # v * 2: convergent because n is uniform; v + 1 is run by two lanes of the first warp alone.
    assert answer.of(Convergence.BY_VARIANCE) == Dispatched(2, 8)
    assert answer.of(Convergence.DIVERGED) == Dispatched(1, 2)
    assert answer.of(Convergence.DYNAMIC) == Dispatched(0, 0)
    assert answer.of(Convergence.BY_EXITS) == Dispatched(0, 0)
    assert answer.of(Convergence.BY_SHAPE).thread_instructions % 8 == 0
    assert sum(answer.share(kind) for kind in Convergence) == pytest.approx(1.0)


def test_what_no_analysis_proves_may_still_be_together() -> None:
    answer = convergence(DIVERGENT.replace("t < 2", "v > -1"), 0, 8).answer()
    assert answer.of(Convergence.DYNAMIC) == Dispatched(2, 8)
    assert answer.of(Convergence.DIVERGED) == Dispatched(0, 0)


def test_the_exit_optimization_ignores_threads_that_have_left() -> None:
    text = """
__global__ void k(int *p, int n) {
  if (threadIdx.x >= n) return;
  p[threadIdx.x] = 1;
}"""
    answer = convergence(text, 2, 4).answer()
    # The return of two lanes; thread index, address, store and return of the other two.
    assert answer.of(Convergence.BY_EXITS) == Dispatched(5, 10)
    assert answer.of(Convergence.BY_SHAPE) == Dispatched(4, 16)
    assert answer.share(Convergence.BY_SHAPE) + answer.share(Convergence.BY_EXITS) == 1.0


def test_sources_of_diverged_work() -> None:
    observer = ScalarActivityObserver()
    run(DIVERGENT, {"p": np.zeros(64, np.int32), "n": 5}, block=8, warp_size=4, observers=[observer])
    activity = observer.answer()
    assert activity.conventional[Source.SCALAR] == Executed()
    # `iadd v, v, 1` by two threads of one warp; scalarization leaves it alone.
    assert activity.conventional[Source.DIVERGED] == Executed(issued=1, operations=2, reads=2, writes=2)
    assert activity.scalarized[Source.DIVERGED] == Executed(issued=1, operations=2, reads=2, writes=2)
    # Loads and stores: `n` and `p` from the parameters, `p[t]` twice; scalar and warp-sequential, by two warps.
    assert activity.scalarized[Source.SCALAR].addresses == 2 * 4
    assert activity.scalarized[Source.SCALAR].data == 2 * (1 + 1 + 4 + 4)
    assert activity.conventional[Source.STATICALLY_CONVERGED].addresses == 2 * 4 * 4
