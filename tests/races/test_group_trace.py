"""Threads that are followed together do what each of them does alone."""

from __future__ import annotations

from random import Random

import pytest

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.races.group_trace import trace_together
from analysis.races.launches import ASSIGNMENTS, launch
from analysis.races.program import OutOfBounds, Program
from analysis.races.program_builder import build_program
from analysis.races.trace import Trace, trace
from analysis.verdict.evaluation import LaunchedBlock
from benchmarks.claims.subject import analyze_subject
from tests.races.kernels import exchange_kernel, planted
from tests.races.referee import memory_of
from tests.sim.random.choices import Choices, Seeded
from tests.sim.running import kernel_of

SHAPES = (BlockShape(64), BlockShape(16, 4))
WAYS = (
    "for (int i = t; i < n; i += 5) s[i & 63] += t;",
    "for (int i = 0; i < 40 + (t & 3); i++) { s[t] += i; }",
    "for (int i = t & 1; i != 30; i += 2 - 4 * (i > 30)) { s[i & 63] = i; if (i > 60) break; }",
    "for (int k = 32; k > 0; k >>= 1) { if (t < k) s[t] += s[t + k]; __syncthreads(); }",
    "while (in[t] > t) s[t & 7] = 1;",
    "if (in[t] > 0) s[t] = 1; else s[t ^ 1] = 2;",
    "switch (t & 3) { case 0: s[t] = 0; break; case 1: s[t + 1] = 1; case 2: s[0] = t; default: s[1] = 2; }",
    "int j = t & 1 ? t / 3 : n - t; s[j & 63] = j; if (j == 5) return;",
    "if (t & 2) __syncwarp(); s[t] = s[(t * 7) % 64];",
    "r[t & 7][t >> 3] = t; if (t > 40) r[t / 8][t] = 3;",
    "s[t + 20] = t; s[t] = min(t, n);",
    "while (in[0] > n) { s[t] += 1; __syncthreads(); n++; }",
    "if (in[1] == 0) return; s[t] = 1;",
    "for (;;) { if (t == 0) s[0] = in[2]; __syncthreads(); if (s[0] > n) break; s[t] = s[63 - t]; }",
    "int *p = t & 1 ? s : s + 3; for (int i = 0; i < 12; i++) { *p = i; p += t & 3; }",
)
KERNEL = """__global__ void k(int *out, const int *in, int n) {
  __shared__ int s[64]; __shared__ int r[8][8];
  int t = threadIdx.y * blockDim.x + threadIdx.x;
  STATEMENTS
  __syncthreads();
  out[t] = s[t] + r[0][t & 7];
}
"""


def _program(text: str) -> Program:
    known = LaunchKnowledge()
    subject = analyze_subject(kernel_of(text, "k").function, known)
    uses = memory_of(subject, known).of_shared_memory()
    return build_program(subject.function, subject.control, subject.divergence, uses, goes_on=True)


def _alone(program: Program, here: LaunchedBlock, thread: int, budget: int, wanted: range) -> Trace | None:
    try:
        return trace(program, here, thread, budget, wanted)
    except OutOfBounds:
        return None


def _compare(text: str, random: Random) -> tuple[int, int]:
    """How many threads do the same, and how many leave an array."""
    program = _program(text)
    wanted, inside, outside = range(len(program.uses)), 0, 0
    for shape in SHAPES:
        for assignment in range(ASSIGNMENTS):
            here = launch(program, shape, 32, assignment)
            threads = sorted(random.sample(range(shape.threads), random.choice((2, 9, 30))))
            budget = random.choice((0, 7, 60, 300, 2000))
            together = trace_together(program, here, threads, budget, wanted)
            for thread, found in zip(threads, together, strict=True):
                alone = _alone(program, here, thread, budget, wanted)
                assert found == alone, (shape, assignment, thread, budget)
                inside, outside = inside + (alone is not None), outside + (alone is None)
    return inside, outside


@pytest.mark.parametrize("seed", range(12))
def test_ways_that_part_and_meet(seed: int) -> None:
    random = Random(seed)
    statements = "\n".join(f"  {{ {random.choice(WAYS)} }}" for _ in range(random.choice((1, 2, 3))))
    _compare(KERNEL.replace("STATEMENTS", statements), random)


@pytest.mark.parametrize("way", WAYS)
def test_each_way(way: str) -> None:
    inside, outside = _compare(KERNEL.replace("STATEMENTS", way), Random(1))
    assert inside
    assert bool(outside) == ("s[t + 20]" in way or "r[t / 8]" in way)


def test_random_kernels() -> None:
    for seed in range(15):
        choices = Choices(Seeded(seed))
        _compare(planted(exchange_kernel(choices), choices).text, Random(seed))
