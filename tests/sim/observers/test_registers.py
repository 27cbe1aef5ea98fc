"""Kinds of register values and tags: counted by hand for small kernels, and a referee in plain Python."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sim.observers.register_kinds import AFFINE, GENERIC, UNIFORM, KindCount, RegisterShares, kinds_of
from sim.observers.register_tags import RegisterTagObserver
from sim.observers.register_values import RegisterValueObserver
from tests.sim.running import run


def shares(text: str, *, block: int = 8, warp_size: int = 4) -> tuple[RegisterShares, RegisterShares]:
    """By values, and by tags."""
    values, tags = RegisterValueObserver(), RegisterTagObserver()
    data = np.arange(64, dtype=np.int32) ** 2
    run(text, {"p": data, "n": 3}, block=block, warp_size=warp_size, observers=[values, tags])
    return values.answer(), tags.answer()


def test_straight_line_code() -> None:
    # Per warp, registers only:                  reads          results
    #   tid (as unsigned)                        -              A
    #   (int)tid                                 A              A
    #   address of p[..]: p, index widened       U A (A)        A (A)
    #   load                                     A              G
    #   v * n                                    G U            G
    #   address, store                           A G            -
    by_value, by_tag = shares(
        """
__global__ void k(int *p, int n) {
  int t = threadIdx.x;
  p[t] = p[t] * n;
}"""
    )
    assert by_value == by_tag
    assert by_value.reads.generic == 2 * 2
    assert by_value.results.generic == 2 * 2
    assert by_value.results.uniform == 0
    # The two warps read `p` for two addresses, and `n`.
    assert by_value.reads.uniform == 2 * 3
    assert by_value.reads.lone == by_value.results.lone == 0


def test_loaded_values_that_agree_are_uniform_by_value_only() -> None:
    text = """
__global__ void k(int *p, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = n;
  p[threadIdx.x] = s[threadIdx.x];
}"""
    by_value, by_tag = shares(text)
    # The loaded value: one result and one read (by the store) per warp.
    assert by_value.results.uniform - by_tag.results.uniform == 2
    assert by_value.reads.uniform - by_tag.reads.uniform == 2
    assert by_tag.results.generic == 2


def test_what_a_part_of_the_warp_writes_has_no_useful_tag() -> None:
    text = """
__global__ void k(int *p, int n) {
  int x = 0;
  if (threadIdx.x % 4 < 2)
    x = n * n + (int)blockIdx.x;
  p[threadIdx.x] = x;
}"""
    by_value, by_tag = shares(text)
    # In the branch: the block index, its conversion and the sum are uniform for the two lanes that are there.
    assert by_value.results.uniform - by_tag.results.uniform >= 2 * 3
    # The joined x is generic in both: half the lanes hold 9, half 0.  It is read by the store, once per warp.
    assert by_value.reads.generic == by_value.results.generic + 2


def test_a_loop_that_lanes_leave_mixes_values_of_several_iterations() -> None:
    text = """
__global__ void k(int *p, int n) {
  int i = 0;
  while (i < threadIdx.x) i++;
  p[threadIdx.x] = i;
}"""
    by_value, _ = shares(text, block=4)
    # While lanes loop they agree on i; after it i is 0, 1, 2, 3: affine.
    # Generic: the conditions of 4 rounds (the last of one lane) are 0111, .011, ..01: read once, computed once.
    assert by_value.results.generic == 3
    assert by_value.reads.generic == 3


def test_a_segment_reads_what_its_phis_held_before_it_ran() -> None:
    text = """
__global__ void k(int *p, int n) {
  int x = n;
  int i = 0;
  int before;
  do {
    before = x;
    p[32 + threadIdx.x] = before;
    x = p[threadIdx.x];
    i++;
  } while (i < 2 + (before & 0));
}"""
    by_value, _ = shares(text, block=4)
    # The load is generic in both rounds; store and condition read n in the first, what was loaded in the second.
    assert (by_value.results.generic, by_value.reads.generic) == (2, 2)


def test_one_active_lane_tells_nothing() -> None:
    text = """
__global__ void k(int *p, int n) {
  if (threadIdx.x == 0)
    p[0] = n;
}"""
    by_value, by_tag = shares(text, block=4)
    # The lone lane computes an address and stores: results 1 (the address), reads p, the address, n.
    assert (by_value.results.lone, by_value.reads.lone) == (by_tag.results.lone, by_tag.reads.lone)
    assert by_value.reads.lone >= 2


def test_shares() -> None:
    count = KindCount(uniform=1, affine=2, generic=1, lone=96)
    assert count.uniform_share == 0.25
    assert count.affine_share == 0.75
    assert KindCount(lone=3).affine_share == 0.0
    assert count + count == KindCount(2, 4, 2, 192)


# -- referee --------------------------------------------------------------------------------------------------------


def slow_kind(values: list[int], lanes: list[bool], bits: int, integer: bool) -> int:
    active = [(lane, value) for lane, (value, on) in enumerate(zip(values, lanes, strict=True)) if on]
    if len({value for _, value in active}) == 1:
        return UNIFORM
    (first, base), (second, other) = active[0], active[1]
    rise = (other - base + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)
    if not integer or rise % (second - first):
        return GENERIC
    stride = rise // (second - first)
    fits = all((value - base - stride * (lane - first)) % 2**bits == 0 for lane, value in active)
    return AFFINE if fits else GENERIC


@st.composite
def registers(draw: st.DrawFn) -> tuple[list[list[int]], list[list[bool]], str]:
    kind = draw(st.sampled_from(["u1", "i4", "u4", "i8", "f4"]))
    width = draw(st.sampled_from([4, 8]))
    rows: list[list[int]] = []
    for _ in range(draw(st.integers(1, 4))):
        base, stride = draw(st.integers(0, 90)), draw(st.integers(0, 4))
        row = [base + stride * lane for lane in range(width)]
        if draw(st.booleans()):
            row[draw(st.integers(0, width - 1))] = draw(st.integers(0, 120))
        rows.append(row)
    masks = [draw(st.lists(st.booleans(), min_size=width, max_size=width)) for _ in rows]
    for mask in masks:
        mask[draw(st.integers(0, width - 1))] = True
    return rows, masks, kind


@given(registers(), st.booleans())
def test_kinds_agree_with_a_look_at_every_lane(
    drawn: tuple[list[list[int]], list[list[bool]], str], everybody: bool
) -> None:
    rows, masks, kind = drawn
    values = np.array(rows).astype(kind)
    lanes = None if everybody else np.array(masks)
    found = kinds_of(values, lanes, values.shape)
    assert not isinstance(found, int)
    expected = [
        slow_kind(row, [True] * len(row) if everybody else mask, 8 * int(kind[1]), kind[0] != "f")
        for row, mask in zip(rows, masks, strict=True)
    ]
    assert found.tolist() == expected


def test_what_is_the_same_by_construction_is_not_looked_at() -> None:
    assert kinds_of(np.int32(4), None, (3, 8)) == UNIFORM  # pyright: ignore[reportArgumentType] # a scalar
    assert kinds_of(np.zeros((3, 1), np.int32), None, (3, 8)) == UNIFORM
