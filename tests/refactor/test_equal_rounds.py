"""Loops with barriers that threads leave at different times: the text before and after."""

from __future__ import annotations

from analysis.refactor.block_barriers.model import RepairStep
from tests.refactor.meeting import TILE, check

# -- loops -------------------------------------------------------------------------------------------------------------


def test_rounds_are_padded() -> None:
    check(
        TILE
        + """  for (int j = t; j < n; j += blockDim.x) {
    s[t] = x[j];
    __syncthreads();
    y[j] = s[t];
  }
""",
        TILE
        + """  for (int start = 0; start < n; start += blockDim.x) {
    int j = start + t;
    if (j < n) s[t] = x[j];
    __syncthreads();
    if (j < n) y[j] = s[t];
  }
""",
        RepairStep.PAD,
    )


def test_rounds_that_begin_at_an_offset_of_the_block() -> None:
    check(
        TILE
        + """  for (int j = blockIdx.x * 64 + t; j < n; j += 192) {
    s[t] = x[j];
    __syncthreads();
    y[j] = s[t];
  }
""",
        TILE
        + """  for (int start = blockIdx.x * 64; start < n; start += 192) {
    int j = start + t;
    if (j < n) s[t] = x[j];
    __syncthreads();
    if (j < n) y[j] = s[t];
  }
""",
        RepairStep.PAD,
    )


def test_a_bound_of_the_thread_is_voted_on() -> None:
    check(
        TILE
        + """  for (int k = 0; k < t % 5; k++) {
    s[t] = x[k];
    __syncthreads();
    y[i] += s[t];
  }
""",
        TILE
        + """  for (int k = 0; __syncthreads_or(k < t % 5); k++) {
    if (k < t % 5) s[t] = x[k];
    __syncthreads();
    if (k < t % 5) y[i] += s[t];
  }
""",
        RepairStep.VOTE,
    )


def test_a_loop_whose_body_ends_it_is_voted_on() -> None:
    check(
        TILE
        + """  int left = t % 7;
  while (left > 0) {
    s[t] = left;
    __syncthreads();
    y[i] += s[t];
    left -= 2;
  }
""",
        TILE
        + """  int left = t % 7;
  while (__syncthreads_or(left > 0)) {
    const bool active = left > 0;
    if (active) s[t] = left;
    __syncthreads();
    if (active) {
      y[i] += s[t];
      left -= 2;
    }
  }
""",
        RepairStep.VOTE,
    )


def test_an_exit_and_a_loop_at_once() -> None:
    check(
        TILE
        + """  if (i >= n) return;
  for (int k = 0; k < t % 3; k++) {
    s[t] = x[i];
    __syncthreads();
    y[i] += s[t];
  }
""",
        TILE
        + """  for (int k = 0; __syncthreads_or(i < n && k < t % 3); k++) {
    if (i < n && k < t % 3) s[t] = x[i];
    __syncthreads();
    if (i < n && k < t % 3) y[i] += s[t];
  }
""",
        RepairStep.EXIT,
        RepairStep.VOTE,
    )
