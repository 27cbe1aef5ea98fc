"""Which statements one thread of a block, or of all blocks, runs alone: those in the branch that the kernel has."""

from __future__ import annotations

import pytest

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.ir.instructions import Store
from benchmarks.claims.subject import analyze_subject
from tests.races.referee import memory_of
from tests.sim.running import kernel_of

KERNEL = """__global__ void k(int *out, const int *in, int n) {
  int t = threadIdx.x, b = blockIdx.x, i = b * blockDim.x + t;
  for (int r = 0; r < n; r++) {
    if (CONDITION) out[r] = n;
  }
}
"""
LINE, SQUARE = BlockShape(64), BlockShape(8, 8)


def lone(condition: str, shape: BlockShape | None) -> tuple[bool, bool]:
    """Is the store one thread's of each block, and one block's?"""
    known = LaunchKnowledge(() if shape is None else (shape,))
    subject = analyze_subject(kernel_of(KERNEL.replace("CONDITION", condition), "k").function, known)
    ((block, _, _),) = subject.control.placed(Store)
    threads = memory_of(subject, known).lone_threads
    return threads.are_one_thread(block, block), threads.are_one_block(block, block)


@pytest.mark.parametrize(
    ("condition", "shape", "expected"),
    [
        ("t == 0", LINE, (True, False)),
        ("t == 0", None, (True, False)),
        ("t == n", LINE, (True, False)),
        ("!(2 * t + 1 != n) && n < 5", LINE, (True, False)),
        ("t == 0", SQUARE, (False, False)),  # eight of them
        ("t + 8 * threadIdx.y == 0", SQUARE, (True, False)),
        ("i == 0", LINE, (True, True)),
        ("i == 0", None, (True, True)),
        ("i == n", None, (True, True)),
        ("b == 1", LINE, (False, True)),
        ("b * 32 + t == 9", LINE, (True, False)),  # of two blocks
        ("t != 0", LINE, (False, False)),
        ("t < 1", LINE, (False, False)),
        ("t == 0 || t == 1", LINE, (False, False)),
        ("t == r", LINE, (False, False)),  # another one in each round
        ("t == in[0]", LINE, (False, False)),  # which may change
        ("t == in[t]", LINE, (False, False)),
        ("i == b", LINE, (True, False)),
        ("(t << 30) == 0", LINE, (False, False)),  # and so are 4, 8, …
        ("(unsigned char)t == 0", BlockShape(512), (False, False)),
    ],
)
def test_guards(condition: str, shape: BlockShape | None, expected: tuple[bool, bool]) -> None:
    assert lone(condition, shape) == expected
