"""The referee of claims: silent about right ones, whatever the policy; and it notices each kind of wrong one.

Wrong claims are those for another block shape than the one that runs.
"""

from __future__ import annotations

import numpy as np
import pytest

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.divergence.solver import Solver
from analysis.ir.index3 import Index3
from benchmarks.claims.claim import Claim, Findings
from benchmarks.claims.observer import ClaimObserver
from benchmarks.claims.policy import RECONVERGING
from benchmarks.claims.subject import analyze_subject
from sim.policies.registry import POLICIES
from sim.simulate import simulate
from sim.specification import Array, Budget, LaunchSpecification, Scalar
from tests.sim.running import kernel_of


def findings(text: str, block: Index3, known: BlockShape | None, policy: str = "ipdom") -> Findings:
    """Of a kernel `k(int *p, int n)` that runs in two blocks of `block`, while the analyses believe `known`."""
    kernel = kernel_of(text)
    subject = analyze_subject(kernel.function, LaunchKnowledge(() if known is None else (known,)))
    observer = ClaimObserver(subject)
    arguments = {"p": Array(np.arange(1 << 15, dtype=np.int32)), "n": Scalar(5)}
    launch = LaunchSpecification((2, 1, 1), block, arguments, budget=Budget(seconds=120.0))
    result = simulate(kernel, launch, POLICIES[policy], [observer])
    return observer.settle(result)


EVERYTHING = """
__global__ void k(int *p, int n) {
  __shared__ int s[256];
  int own[4];
  char small[8];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = p[i * n];
  __syncthreads();
  int sum = 0;
  for (int j = 0; j < (i & 3); j++) {
    own[j] = n;
    sum += s[255 - threadIdx.x] + own[(i + j) & 3] * (j == 2 ? n : 1);
  }
  for (int j = 0; j < threadIdx.x / 32 + n; j++) {
    if (threadIdx.x == 40) continue;
    small[i + j & 7] = j;
    if (threadIdx.x & 1) sum += p[8 * j];
    if (j == 3) sum += n + p[16 * j] + small[5];
  }
  int *q = i & 1 ? p : p + n;
  if (threadIdx.x % 64 < 5) q[8192 + 16 * i] = sum;
  if (i < 100) return;
  p[20001 + i] = __shfl_sync(~0, sum, 0);
}"""


@pytest.mark.parametrize("policy", POLICIES)
def test_right_claims_are_not_refuted(policy: str) -> None:
    checked: set[Claim] = set()
    for known in (None, BlockShape(256)):
        found = findings(EVERYTHING, (256, 1, 1), known, policy)
        assert found.refutations == []
        checked |= set(found.checked)
    promised = {Claim.TOGETHER, Claim.REACHED} if policy in RECONVERGING else set[Claim]()
    assert checked == set(Claim) - {Claim.OUTSIDE, Claim.TOGETHER, Claim.REACHED} | promised


WRONG_FOR_64: dict[Claim, str] = {
    Claim.VALUE: "p[0] = threadIdx.x / 64;",
    Claim.USE: "int v = 0; for (int j = 0; j < n + threadIdx.x / 64; j++) v = j; p[0] = v;",
    Claim.DECISION: "if (threadIdx.x < 64) p[0] = 1;",
    Claim.TRIPS: "for (int j = 0; j < n + threadIdx.x / 64; j++) p[0] += 1;",
    Claim.CONVERGENCE: "if (threadIdx.x < 64) p[0] = 1;",
    Claim.FORM: "p[0] = blockIdx.x * blockDim.x;",
    Claim.RANGE: "p[0] = threadIdx.x;",
    Claim.USE_RANGE: "int v = threadIdx.x; if (n > 3) p[0] = v;",
    Claim.ALIGNMENT: "p[0] = blockIdx.x * blockDim.x;",
    Claim.TAG: "p[0] = threadIdx.x;",
    Claim.TOGETHER: "if (threadIdx.y) p[0] = 1;",
    Claim.REACHED: "p[threadIdx.x] = 1;",
    Claim.BARRIER: "if (threadIdx.x < 64) __syncthreads(); p[0] = 1; __syncthreads();",
    Claim.SPLITS: "if (threadIdx.x % 64 < 5) p[0] = 1;",
    Claim.STRIDE: "p[blockDim.x * threadIdx.x] = 1;",
    Claim.PATTERN: "p[threadIdx.x + threadIdx.y] = 1;",
    Claim.SECTORS: "p[threadIdx.x + 4 + 64 * threadIdx.y] = 1;",
    Claim.WAYS: "__shared__ int s[4096]; s[threadIdx.x + 64 * threadIdx.y] = 1;",
}
ROWS = (Claim.PATTERN, Claim.SECTORS, Claim.WAYS, Claim.TAG, Claim.TOGETHER, Claim.REACHED)


@pytest.mark.parametrize("claim", WRONG_FOR_64, ids=lambda claim: claim.name)
def test_a_wrong_claim_is_refuted(claim: Claim) -> None:
    text = f"__global__ void k(int *p, int n) {{ {WRONG_FOR_64[claim]} }}"
    block = (8, 8, 1) if claim in ROWS else (72, 1, 1) if claim is Claim.ALIGNMENT else (256, 1, 1)
    assert claim in {one.claim for one in findings(text, block, BlockShape(64)).refutations}
    assert findings(text, block, BlockShape(*block)).refutations == []


def do_nothing(*_: object) -> None:
    """What a rule of the analysis does that was dropped."""


NEEDED_RULES: list[tuple[str, Claim, str]] = [
    # Threads leave with the counter of their own last round.
    ("_spread_loop", Claim.DECISION, "int j = 0; while (j < i % 5) j++; if (j > 2) p[i] = n;"),
    # They leave an irreducible loop in different rounds, by branches that agree in each round.
    (
        "_raise_cycle",
        Claim.VALUE,
        """int j = 0, x = 1; if (n > 9) goto side;
    head: p[i] = n;
    side: if (j < i % 3) goto again; if (j < 1) { x = 0; goto end; } if (n > 0) goto end;
    again: j++; goto head;
    end: if (x) p[i] = 2 * n;""",
    ),
    # They enter one at different places, so some are a round behind.
    (
        "_raise_cycle",
        Claim.TRIPS,
        "if (i & 1) goto head; side: p[i] += 2; head: p[i] += 1; if (n < 2) goto side;",
    ),
]


@pytest.mark.parametrize("policy", sorted(RECONVERGING))
@pytest.mark.parametrize(("rule", "claim", "body"), NEEDED_RULES)
def test_a_rule_of_the_analysis_that_is_dropped_is_missed(
    rule: str, claim: Claim, body: str, policy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"__global__ void k(int *p, int n) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {body} }}"
    assert findings(text, (32, 1, 1), None, policy).refutations == []
    monkeypatch.setattr(Solver, rule, do_nothing)
    assert claim in {one.claim for one in findings(text, (32, 1, 1), None, policy).refutations}


def test_instances_tell_rounds_of_loops_apart() -> None:
    """Lanes that drifted apart meet at one place in different rounds: that refutes nothing."""
    text = """
__global__ void k(int *p, int n) {
  for (int j = 0; j < n; j++) {
    if (threadIdx.x & 1) p[threadIdx.x] += j;
    if (j == 2) p[threadIdx.x + 64] = n * j;
  }
}"""
    found = findings(text, (32, 1, 1), None, "round-robin")
    assert found.refutations == []
    assert found.checked[Claim.DECISION] == 2


def test_nothing_is_claimed_of_a_run_in_which_threads_go_past_a_barrier() -> None:
    text = """
__global__ void k(int *p, int n) {
  if (threadIdx.x < 4) __syncthreads();
  p[threadIdx.x + 32 * blockIdx.x] = n;
}"""
    found = findings(text, (32, 1, 1), None, "min-pc")
    assert found.refutations == []
    assert found.checked[Claim.CONVERGENCE] == found.checked[Claim.TOGETHER] == 0


def test_lanes_that_wait_at_a_barrier_are_not_missing_behind_it() -> None:
    text = """
__global__ void k(int *p, int n) {
  if (threadIdx.x >= 4) {
    p[threadIdx.x + 32 * blockIdx.x] = n;
    return;
  }
  __syncthreads();
  p[threadIdx.x + 32 * blockIdx.x] = n;
}"""
    found = findings(text, (32, 1, 1), None, "min-pc")
    assert found.refutations == []
    assert found.checked[Claim.CONVERGENCE] > 0
