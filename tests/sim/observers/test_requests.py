"""Memory requests: numbers counted by hand beside CUDA text, and a referee in plain Python on random addresses."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.divergence.launch_shape import BlockShape, LaunchKnowledge
from analysis.ir.types import MemorySpace
from sim.observers.request_cost import count_bank_passes, count_sectors
from sim.observers.requests import RequestAnswer, RequestCount, RequestObserver, representatives, total
from tests.access.test_accesses import accesses_of
from tests.sim.observers.claims import check, told
from tests.sim.running import run


def requests(text: str, *, block: int = 32, grid: int = 1, elements: int = 4096) -> RequestAnswer:
    observer = RequestObserver()
    result = run(text, {"p": np.zeros(elements, np.int32)}, grid=grid, block=block, observers=[observer])
    assert result.faults == ()
    return observer.answer()


def described(count: RequestCount) -> str:
    if count.bank_passes:
        return f"{count.requests} requests, {count.bank_passes} passes, {count.bank_conflicts} conflicts"
    return f"{count.requests} requests, {count.sectors} of {count.ideal_sectors} sectors"


def holds(text: str, *, block: int = 32, grid: int = 1) -> None:
    answer = requests(text, block=block, grid=grid)
    check(text, told(text, ((site.place, described(site.count)) for site in answer.sites)))


def test_global_memory() -> None:
    holds(
        """
__global__ void k(int *p) {
  int t = threadIdx.x;
  p[t] = 1;                //@ 1 requests, 4 of 4 sectors
  p[t + 1] = 2;            //@ 1 requests, 5 of 4 sectors
  p[2 * t] = 3;            //@ 1 requests, 8 of 4 sectors
  p[64] = 4;               //@ 1 requests, 1 of 1 sectors
  p[32 * t] = 5;           //@ 1 requests, 32 of 4 sectors
  if (t < 8)
    p[31 - t] = 6;         //@ 1 requests, 1 of 1 sectors
  if (t % 16 == 3)
    p[t * t] = 7;          //@ 1 requests, 2 of 1 sectors
}"""
    )


def test_several_warps_with_other_phases() -> None:
    # Blocks of 33 threads: warps of 32 lanes at 132 * block bytes (0, 4, 8 mod 32), and one lane of the second warp.
    holds(
        """
__global__ void k(int *p) {
  p[blockIdx.x * blockDim.x + threadIdx.x] = 1;   //@ 6 requests, 17 of 15 sectors
}""",
        block=33,
        grid=3,
    )


def test_wide_elements() -> None:
    holds(
        """
struct Pair { double a; double b; double c; };
__global__ void k(int *p) {
  int4 v = ((int4 *)p)[threadIdx.x];          //@ 1 requests, 16 of 16 sectors
  ((double *)p)[threadIdx.x] = v.x;           //@ 1 requests, 8 of 8 sectors
  ((Pair *)p)[threadIdx.x].b = 1;             //@ 1 requests, 24 of 8 sectors
  ((char *)p)[threadIdx.x] = 1;               //@ 1 requests, 1 of 1 sectors
}"""
    )


def test_shared_memory() -> None:
    holds(
        """
__global__ void k(int *p) {
  __shared__ int s[32 * 33];
  __shared__ double d[64];
  __shared__ float4 f[128];
  int t = threadIdx.x;
  float4 v;
  s[t] = t;                //@ 1 requests, 1 passes, 0 conflicts
  s[t * 32] = t;           //@ 1 requests, 32 passes, 31 conflicts
  s[t * 33] = t;           //@ 1 requests, 1 passes, 0 conflicts
  s[t * 2] = t;            //@ 1 requests, 2 passes, 1 conflicts
  s[0] = t;                //@ 1 requests, 1 passes, 0 conflicts
  d[t] = t;                //@ 1 requests, 2 passes, 0 conflicts
  d[t * 2] = t;            //@ 1 requests, 4 passes, 2 conflicts
  f[t] = v;                //@ 1 requests, 4 passes, 0 conflicts
  f[t * 4] = v;            //@ 1 requests, 16 passes, 12 conflicts
  if (t < 16)
    d[t * 2] = t;          //@ 1 requests, 2 passes, 1 conflicts
  atomicAdd(&s[1], 1);     //@ 1 requests, 32 passes, 31 conflicts
  atomicAdd(&s[t / 2], 1); //@ 1 requests, 2 passes, 1 conflicts
  if (t < 4)
    s[t * 32] = 1;         //@ 1 requests, 4 passes, 3 conflicts
}"""
    )


def test_local_memory_is_interleaved() -> None:
    holds(
        """
__global__ void k(int *p) {
  int a[8];
  double b[4];
  a[p[0] & 7] = 1;                //@ 1 requests, 1 of 1 sectors; 1 requests, 4 of 4 sectors
  a[threadIdx.x & 7] = 1;         //@ 1 requests, 32 of 4 sectors
  b[p[1] & 3] = 2.0;              //@ 1 requests, 1 of 1 sectors; 1 requests, 8 of 8 sectors
}"""
    )


def test_fragments_of_matrices_lie_in_registers() -> None:
    answer = requests(
        """
using namespace nvcuda;
__global__ void k(int *p) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> f[2];
  for (int i = 0; i < 2; i++) wmma::fill_fragment(f[i], 0.0f);
  wmma::load_matrix_sync(f[1], (float *)p, 16, wmma::mem_row_major);
  for (int i = 0; i < f[1].num_elements; i++) f[1].x[i] += f[0].x[i];
  float local[4];
  local[p[0] & 3] = f[1].x[p[1] & 7];
  p[300] = local[p[2] & 3];
}"""
    )
    assert {site.space for site in answer.sites} == {MemorySpace.GLOBAL, MemorySpace.LOCAL}
    local = [site for site in answer.sites if site.space is MemorySpace.LOCAL]
    assert [site.count.requests for site in local] == [1, 1]  # the array: one store, one load


def test_a_pointer_that_may_be_anything_is_counted_where_it_points() -> None:
    text = """
__global__ void k(int *p) {
  __shared__ int s[64];
  int *q = threadIdx.x < 8 ? s : p;
  *(threadIdx.x < 8 ? q + threadIdx.x : q + 8 * threadIdx.x) = 1;
}"""
    answer = requests(text)
    by_space = {site.space.value: site.count for site in answer.sites}
    assert by_space == {
        "shared": RequestCount(1, bank_passes=1),
        "global": RequestCount(1, sectors=24, ideal_sectors=3),
    }
    assert answer.total == RequestCount(2, 24, 3, 1, 0)


@pytest.mark.parametrize(
    ("index", "condition", "turns"),
    [
        ("0", "true", 32),  # one address
        ("t", "true", 4),  # every sector once
        ("t % 2 * 8", "true", 32),  # two sectors, 16 lanes each
        ("t / 2", "true", 4),  # two lanes at each address of two sectors
        ("t < 5 ? 0 : t", "t < 9", 5 + 1),  # of the first sector the address with most lanes
    ],
)
def test_atomics_go_again_through_sectors_in_which_lanes_share_an_address(
    index: str, condition: str, turns: int
) -> None:
    """So Nsight Compute counts on an NVIDIA H200."""
    text = f"__global__ void k(int *p) {{ int t = threadIdx.x; if ({condition}) atomicAdd(&p[{index}], 1); }}"
    assert requests(text).total.turns == turns


# -- referee ----------------------------------------------------------------------------------------------------------


def slow_sectors(addresses: list[int], size: int) -> tuple[int, int]:
    held = {byte for address in addresses for byte in range(address, address + size)}
    return len({byte // 32 for byte in held}), -(-len(held) // 32)


def slow_passes(addresses: list[tuple[int, int]], width: int, is_atomic: bool) -> list[int]:
    """Of each group of lanes that has any; `addresses` with their lanes, 128 bytes go through at once."""
    passes: list[int] = []
    together = 128 // max(width, 4)
    for start in range(0, 64, together):
        wanted = [
            address // 4 + word
            for lane, address in addresses
            if start <= lane < start + together
            for word in range(max(1, width // 4))
        ]
        banks = Counter(word % 32 for word in (wanted if is_atomic else set(wanted)))
        passes += [max(banks.values())] if banks else []
    return passes


@st.composite
def batches(draw: st.DrawFn) -> tuple[list[list[int]], list[list[bool]], int]:
    """Addresses of a few requests, who takes part, and the width: regular ones, regular but shifted ones, wild ones."""
    width = draw(st.sampled_from([1, 2, 4, 8, 16]))
    size = draw(st.sampled_from([4, 8, 32]))
    rows = draw(st.integers(1, 5))
    pattern = draw(st.lists(st.integers(0, 60), min_size=size, max_size=size))
    wild = draw(st.booleans())
    addresses: list[list[int]] = []
    for _ in range(rows):
        base = draw(st.integers(0, 40)) * width + 1024
        own = draw(st.lists(st.integers(0, 300), min_size=size, max_size=size)) if wild else pattern
        addresses.append([base + width * step for step in own])
    same = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    lanes = [list(same) if draw(st.booleans()) else [True] * size for _ in range(rows)]
    for mask in lanes:
        mask[draw(st.integers(0, size - 1))] = True
    return addresses, lanes, width


@given(batches(), st.booleans(), st.booleans())
def test_counting_agrees_with_sets_of_bytes(
    batch: tuple[list[list[int]], list[list[bool]], int], is_atomic: bool, everybody: bool
) -> None:
    rows, masks, width = batch
    addresses = np.array(rows, np.int64)
    lanes = None if everybody else np.array(masks)
    active = [
        [(lane, address) for lane, address in enumerate(row) if everybody or mask[lane]]
        for row, mask in zip(rows, masks, strict=True)
    ]
    expected = [slow_sectors([address for _, address in row], width) for row in active]
    passes = [slow_passes(row, width, is_atomic) for row in active]
    sectors, ideal = count_sectors(addresses, lanes, width)
    assert list(zip(sectors.tolist(), ideal.tolist(), strict=True)) == expected
    banks = count_bank_passes(addresses, lanes, width, is_atomic=is_atomic)
    assert banks.ways.tolist() == [max(groups) for groups in passes]
    assert banks.passes.tolist() == [sum(groups) for groups in passes]
    assert banks.conflicts.tolist() == [sum(groups) - len(groups) for groups in passes]
    few, some, times = representatives(addresses, lanes)
    sectors, ideal = count_sectors(few, some, width)
    assert (total(sectors, times), total(ideal, times)) == tuple(map(sum, zip(*expected, strict=True)))
    banks = count_bank_passes(few, some, width, is_atomic=is_atomic)
    assert total(banks.passes, times) == sum(map(sum, passes))
    assert total(banks.conflicts, times) == sum(sum(groups) - len(groups) for groups in passes)


@pytest.mark.parametrize("shift", [0, 4, 28])
def test_requests_that_differ_by_their_base_are_counted_once(shift: int) -> None:
    lanes = np.arange(32) * 4
    addresses = 1024 + shift + 32 * np.arange(100)[:, None] + lanes
    few, some, times = representatives(addresses, None)
    assert len(few) == 1
    assert some is None
    assert times is not None
    assert times.tolist() == [100]


STATICALLY_KNOWN = """
struct Six { short a; short b; short c; };
__global__ void k(int *p) {
  __shared__ int s[2048];
  __shared__ double d[512];
  __shared__ float4 f[128];
  int t = threadIdx.x;
  p[t + 3] = p[2 * t];
  p[t * 8] = p[100 - t];
  ((int4 *)p)[t] = ((int4 *)p)[64 + (t ^ 1)];
  ((short *)p)[t * 3] = 1;
  s[t * 3] = p[t % 4];
  s[t * 4] = s[t * 8 + 1];
  d[t * 3] = d[t ^ 2];
  d[t * 4] = d[t * 2];
  f[t * 2] = f[t];
  atomicAdd(&s[t / 4], 1);
  atomicAdd(&p[t / 4], 1);
  __syncthreads();
  double far[8];
  int4 four[8];
  short half[8];
  Six six[8];
  far[t & 7] = 1;
  far[blockIdx.x] = far[t & 3];
  four[t & 1] = make_int4(1, 2, 3, 4);
  four[blockIdx.x] = four[7 - (t & 7)];
  half[t & 7] = 1;
  half[blockIdx.x + 1] = half[t & 3];
  six[t & 7].b = 1;
}"""


@pytest.mark.parametrize("warp_size", [8, 32])
def test_static_costs_are_what_a_run_measures(warp_size: int) -> None:
    static = {
        (access.span, access.kind.value): access.request
        for access in accesses_of(STATICALLY_KNOWN, LaunchKnowledge((BlockShape(warp_size),), warp_size=warp_size))
    }
    observer = RequestObserver()
    data = np.zeros(4096, np.int32)
    run(STATICALLY_KNOWN, {"p": data}, block=warp_size, warp_size=warp_size, observers=[observer])
    compared = 0
    for site in observer.answer().sites:
        cost = static[site.place.span, site.kind.value]
        assert cost is not None
        assert cost.is_exact
        assert site.count.requests == 1
        if cost.bank_ways is not None:
            assert site.count.bank_conflicts == cost.bank_conflicts
        else:
            assert (site.count.sectors, site.count.ideal_sectors) == (cost.sectors, cost.ideal_sectors)
        compared += 1
    assert compared == len(static)
