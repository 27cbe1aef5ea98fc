"""Small kernels in every way to write them: what a launch decides, and what a run says of it.

Each kind once gave a wrong answer in one form; here it is asked in twenty and more, each beside a twin that is
otherwise.
"""

from __future__ import annotations

from itertools import product
from typing import Final

import numpy as np
import pytest

from analysis.facts.model import BranchFact
from analysis.verdict.barriers import BarrierVerdict
from analysis.verdict.grade import Grade
from sim.faults import Deadlock
from sim.launch.request import Request
from sim.observers.races import RaceObserver
from sim.policies.counters import Counters
from sim.policies.ipdom import Ipdom
from sim.policies.protocol import PolicyFactory
from sim.simulate import simulate
from tests.rules.fixture import analyze
from tests.sim.launch.support import plan
from tests.sim.running import run

_SUMS: Final = (
    "for (int i = 0; i < {0}; i++) sum += s[i];",
    "int i = 0; while (i < {0}) {{ sum += s[i]; i++; }}",
    "for (int i = {0} - 1; i >= 0; --i) sum += s[i];",
)


@pytest.mark.parametrize(
    ("readers", "block", "sums"), list(product((1, 2, 3, 7), (64, 96), _SUMS)), ids=lambda value: str(value)[:12]
)
def test_a_race_counts_threads_and_not_pairs(readers: int, block: int, sums: str) -> None:
    body = f"if (t < {readers}) {{ int sum = 0; {sums.format(block)} out[t] = sum; }}"
    text = f"__global__ void k(int *out) {{ __shared__ int s[{block}]; int t = threadIdx.x; s[t] = t; {body} }}"
    observer = RaceObserver()
    run(text, {"out": np.zeros(block, np.int32)}, block=block, observers=[observer])
    (race,) = observer.answer().races
    assert race.evidence.count == readers


_EXITS: Final = (
    "if (t >= {0}) return;",
    "if (!(t < {0})) return;",
    "if (t < {0}) {{ }} else return;",
    "if ({0} <= t) {{ return; }}",
    "switch (t < {0}) {{ case 0: return; default: break; }}",
)


@pytest.mark.parametrize(("stays", "policy"), list(product((8, 31, 33, 40, 63), (Ipdom, Counters))))
def test_which_side_of_a_branch_leaves_decides_nothing(stays: int, policy: PolicyFactory) -> None:
    (found,) = {_faults_and_verdict(exits.format(stays), policy) for exits in _EXITS}
    assert found[1] is BarrierVerdict.DIVERGENT


def _faults_and_verdict(exits: str, policy: PolicyFactory) -> tuple[tuple[type, ...], BarrierVerdict]:
    text = f"__global__ void k(int *out) {{ int t = threadIdx.x; {exits} __syncthreads(); out[t] = 1; }}"
    (kernel,) = analyze(text + " void f(int *p) { k<<<1, 64>>>(p); }").facts.functions
    (barrier,) = kernel.barriers
    result = run(text, {"out": np.zeros(64, np.int32)}, block=64, policy=policy)
    return tuple(type(fault) for fault in result.faults), barrier.verdict


_WRAPPING: Final = (
    "(t << {0}) + n",
    "(t << {0}) + n != 0",
    "(t << {0}) < n",
    "n > (t << {0})",
    "t * (1u << {0}) + n > 9",
)


@pytest.mark.parametrize(("condition", "shift"), list(product(_WRAPPING, (28, 29, 30, 31))))
def test_a_condition_that_wraps_within_a_warp_is_no_bounds_check(condition: str, shift: int) -> None:
    branch = _branch(condition.format(shift))
    assert branch.grade is not Grade.BOUNDARY
    assert branch.splits is None


@pytest.mark.parametrize("condition", ["t < n", "n > t", "t + 5 < n", "t - n < 0"])
def test_a_condition_that_does_not_wrap_is_one(condition: str) -> None:
    assert _branch(condition).grade is Grade.BOUNDARY


def _branch(condition: str) -> BranchFact:
    text = f"__global__ void k(int *out, int n) {{ int t = threadIdx.x; if ({condition}) out[t] = 1; }}"
    (kernel,) = analyze(text + " void f(int *p, int n) { k<<<4, 64>>>(p, n); }").facts.functions
    (branch,) = kernel.branches
    return branch


_GROUP: Final = "auto g = cooperative_groups::this_grid();"
_LEAVE: Final = (
    "if (blockIdx.x == {0}) return;",
    "if (blockIdx.x >= {0}) return;",
    "if (!(blockIdx.x < {0})) {{ return; }}",
    "if (blockIdx.x * blockDim.x + threadIdx.x >= {0} * blockDim.x) return;",
)
_MEET: Final = ("g.sync();", "cooperative_groups::sync(g);", "cooperative_groups::this_grid().sync();")


@pytest.mark.parametrize(("leave", "meet", "last"), list(product(_LEAVE, _MEET, (1, 2, 3, 4))))
def test_a_grid_waits_for_ever_for_a_block_that_left(leave: str, meet: str, last: int) -> None:
    body = f"{_GROUP} {leave.format(last)} {meet} out[g.thread_rank()] = 1;"
    text = f"#include <cooperative_groups.h>\n__global__ void k(int *out) {{ {body} }}"
    result = run(text, {"out": np.zeros(256, np.int32)}, grid=4, block=64)
    assert [type(fault) for fault in result.faults] == ([Deadlock] if last < 4 else [])


_NAMED: Final = {
    "auto other = k;": True,
    "auto *other = k;": True,
    "auto &other = k;": True,
    "const auto other = &k;": True,
    "void (*other)(int *) = k;": True,
    "using Kernel = void (*)(int *); Kernel other = k;": True,
    "typedef void Kernel(int *); Kernel *other = k;": True,
    "decltype(&k) other = &k;": False,
    "decltype(k) *other = k;": False,
    "auto first = k; auto other = first;": False,
    "void (*all[2])(int *) = {k, k}; auto other = all[1];": False,
    "auto other = [] { return k; }();": False,
}
"""Ways to name a kernel, and whether launches through the name are followed; else it may run with any shape."""


@pytest.mark.parametrize(("named", "block"), list(product(_NAMED, (64, 96, 128))))
def test_a_launch_through_another_name_counts(named: str, block: int) -> None:
    host = f"int main() {{ int *o = nullptr; k<<<1, 64>>>(o); {named} other<<<1, {block}>>>(o); }}"
    is_convergent = _verdict_of_first_half(host) is BarrierVerdict.CONVERGENT
    assert is_convergent is (_NAMED[named] and block == 64)


_CONFIGURE: Final = {
    "void set(int n, int &threads) { threads = {0}; }": "set(n, threads);",
    "void set(int n, int *threads) { *threads = {0}; }": "set(n, &threads);",
    "template <class T> void set(T n, T &threads) { threads = {0}; }": "set(n, threads);",
    "struct Shape { int &of; void set(int n) { of = {0}; } };": "Shape s{threads}; s.set(n);",
    "void set(int n, int &&threads) { threads = {0}; }": "set(n, static_cast<int &&>(threads));",
    "int &at(int &threads) { return threads; }": "at(threads) = {0};",
    "": "auto set = [&] { threads = {0}; }; set();",
    "void unused();": "int &same = threads; same = {0};",
    "void set(int (&of)[2], int n) { of[0] = {0}; }": "int both[2]; set(both, n); threads = both[0];",
    "struct P { int of; }; void set(P &p, int n) { p.of = {0}; }": "P p; set(p, n); threads = p.of;",
}
_VALUES: Final = {"n < 512 ? 64 : 96": False, "n < 512 ? 64 : 32": True, "96": False}
"""What a launch is given, and whether every block has at most 64 threads."""


@pytest.mark.parametrize(("declared", "value"), list(product(_CONFIGURE, _VALUES)))
def test_a_shape_that_is_set_through_a_reference_is_not_its_initialiser(declared: str, value: str) -> None:
    change = _CONFIGURE[declared].replace("{0}", value)
    host = f"int main(int n, char **) {{ int *o = nullptr; int threads = 64; {change} k<<<1, threads>>>(o); }}"
    verdict = _verdict_of_first_half(declared.replace("{0}", value) + host)
    assert verdict is not BarrierVerdict.CONVERGENT or _VALUES[value]


def _verdict_of_first_half(host: str) -> BarrierVerdict:
    """Of a barrier that the first 64 threads of each block come to."""
    text = "__global__ void k(int *out) { if (threadIdx.x < 64) __syncthreads(); out[threadIdx.x] = 1; }\n"
    facts = analyze(text + host).facts
    (kernel,) = (function for function in facts.functions if function.name == "k")
    (barrier,) = kernel.barriers
    return barrier.verdict


_HOLDERS: Final = (
    ("struct A {{ float *p[{0}]; }};", "a.p[{1}]"),
    ("struct A {{ int n; float *p[{0}]; int m; }};", "a.p[{1}]"),
    ("struct B {{ float *p[{0}]; }}; struct A {{ B b; }};", "a.b.p[{1}]"),
    ("struct B {{ float *p; int n; }}; struct A {{ B b[{0}]; }};", "a.b[{1}].p"),
    ("struct B {{ float *p[{0}]; }}; struct A : B {{ int n; }};", "a.p[{1}]"),
    ("template <int N> struct B {{ float *p[N]; }}; using A = B<{0}>;", "a.p[{1}]"),
)
_PLACES: Final = ((1, 0), (2, 1), (3, 1), (4, 3))


@pytest.mark.parametrize(("holder", "place"), list(product(_HOLDERS, _PLACES)))
def test_pointers_in_structs_lead_to_arrays(holder: tuple[str, str], place: tuple[int, int]) -> None:
    declared, pointer = holder[0].format(place[0]), holder[1].format(*place)
    body = f"int i = blockIdx.x * blockDim.x + threadIdx.x; {pointer}[i] += by;"
    made = plan(f"{declared} __global__ void k(A a, float by) {{ {body} }}", Request(grid=(2, 1, 1), block=(64, 1, 1)))
    assert simulate(made.kernel, made.specification, Ipdom).faults == ()
    assert pointer in {choice.name for choice in made.choices if choice.is_chosen}


_SAME_IN_WARP: Final = (
    "__ballot_sync(0xffffffff, in[t] > 10)",
    "__any_sync(0xffffffff, in[t] > 10)",
    "__all_sync(0xffffffff, in[t] > 10)",
    "__shfl_sync(0xffffffff, in[t], 3) > 1",
    "__popc(__ballot_sync(0xffffffff, in[t])) > 4",
    "in[t / 32] > 0",
    "t / 32 == 0",
)
_SHAPES: Final = {"32": True, "dim3(32)": True, "dim3(8, 4)": True, "64": False, "dim3(32, 2)": False}
"""Launched blocks, and whether they are one warp."""


@pytest.mark.parametrize(("condition", "shape"), list(product(_SAME_IN_WARP, _SHAPES)))
def test_what_a_warp_agrees_on_a_block_of_one_warp_does(condition: str, shape: str) -> None:
    thread = "threadIdx.x + threadIdx.y * blockDim.x"
    body = f"int t = {thread}; if ({condition}) __syncthreads(); out[t] = 1;"
    host = f"void f(int *out, int *in) {{ k<<<1, {shape}>>>(out, in); }}"
    (kernel,) = analyze(f"__global__ void k(int *out, const int *in) {{ {body} }} {host}").facts.functions
    (barrier,) = kernel.barriers
    assert (barrier.verdict is BarrierVerdict.CONVERGENT) is _SHAPES[shape]
