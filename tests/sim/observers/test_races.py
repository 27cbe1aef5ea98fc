"""Races beside CUDA text: `//@` stands at the later access, and names the line of the earlier one."""

from __future__ import annotations

from itertools import accumulate
from random import Random

import numpy as np
import pytest

from sim.faults import DataRace
from sim.observers.places import FunctionSpan
from sim.observers.races import RaceAnswer, RaceObserver
from tests.sim.observers.claims import check, line_of, told
from tests.sim.running import run


def races(text: str, *, block: int = 64, grid: int = 1) -> RaceAnswer:
    observer = RaceObserver()
    data = np.arange(1024, dtype=np.int32)
    run(text, {"p": data, "q": np.zeros(1024, np.int32)}, grid=grid, block=block, observers=[observer])
    return observer.answer()


def described(text: str, race: DataRace) -> str:
    earlier = line_of(text, FunctionSpan(race.other.function, race.other.span))
    words = f"{race.access.value} after {race.other_access.value} in {earlier}: {race.buffer} x{race.evidence.count}"
    return f"{words}, same value" if race.same_value else words


def holds(text: str, *, block: int = 64, grid: int = 1) -> None:
    answer = races(text, block=block, grid=grid)
    found = ((FunctionSpan(race.evidence.function, race.evidence.span), described(text, race)) for race in answer.races)
    check(text, told(text, found))


def test_a_barrier_is_missing() -> None:
    holds(
        """
__global__ void k(int *p, int *q) {
  __shared__ int s[64];
  s[threadIdx.x] = p[threadIdx.x];
  q[threadIdx.x] = s[63 - threadIdx.x];         //@ load after store in 4: s x64
}"""
    )


def test_with_the_barrier_there_is_none() -> None:
    holds(
        """
__global__ void k(int *p, int *q) {
  __shared__ int s[64];
  for (int i = 0; i < 3; i++) {
    s[threadIdx.x] = p[threadIdx.x] + i;
    __syncthreads();
    q[threadIdx.x] += s[63 - threadIdx.x];
    __syncthreads();
  }
}"""
    )


def test_the_second_barrier_of_a_loop_is_missing() -> None:
    # Iteration 2 overwrites what others may still read in iteration 1: all but who reads its own... 63 - t is never t.
    holds(
        """
__global__ void k(int *p, int *q) {
  __shared__ int s[64];
  for (int i = 0; i < 3; i++) {
    s[threadIdx.x] = p[threadIdx.x] + i;        //@ store after load in 7: s x64
    __syncthreads();
    q[threadIdx.x] += s[63 - threadIdx.x];
  }
}"""
    )


def test_writes_of_one_instruction_to_one_place() -> None:
    holds(
        """
__global__ void k(int *p, int *q) {
  q[0] = threadIdx.x;                            //@ store after store in 3: q x63
  q[1] = 5;                                      //@ store after store in 4: q x63, same value
  if (threadIdx.x == 3)
    q[2] = 1;
}"""
    )


def test_atomics_do_not_race_with_each_other_but_with_plain_accesses() -> None:
    holds(
        """
__global__ void k(int *p, int *q) {
  atomicAdd(&q[0], 1);
  atomicMax(&q[0], 7);
  if (threadIdx.x == 63)
    q[1] = q[0];                                 //@ load after atomic in 4: q x1
}"""
    )


def test_an_atomic_for_the_block_is_none_for_another_block() -> None:
    holds(
        """
__global__ void k(int *p, int *q) {
  atomicAdd_block(&q[0], 1);                     //@ atomic after atomic in 3: q x64
  atomicAdd_block(&q[1 + blockIdx.x], 1);
  atomicAdd(&q[4], 1);
  atomicAdd_system(&q[4], 1);
  if (blockIdx.x == 1)
    atomicMax(&q[5], 1);
  if (blockIdx.x == 0)
    atomicMax_block(&q[5], 2);                   //@ atomic after atomic in 8: q x64
}""",
        grid=2,
    )


def test_blocks_are_never_ordered_by_block_barriers() -> None:
    holds(
        """
__global__ void k(int *p, int *q) {
  if (blockIdx.x == 0)
    q[threadIdx.x] = 1;
  __syncthreads();
  if (blockIdx.x == 1)
    p[threadIdx.x] = q[threadIdx.x];             //@ load after store in 4: q x64
}""",
        grid=2,
    )


@pytest.mark.parametrize("writer", [0, 1, 2])
def test_a_read_by_another_block_is_remembered(writer: int) -> None:
    holds(
        f"""
__global__ void k(int *p, int *q) {{
  int v = q[threadIdx.x];
  __syncthreads();
  if (blockIdx.x == {writer})
    q[threadIdx.x] = v + 1;                      //@ store after load in 3: q x64
}}""",
        grid=3,
    )


def test_lanes_of_a_warp_need_syncwarp() -> None:
    holds(
        """
__global__ void k(int *p, int *q) {
  __shared__ int s[32];
  __shared__ int t[32];
  s[threadIdx.x] = p[threadIdx.x];
  q[threadIdx.x] = s[31 - threadIdx.x];          //@ load after store in 5: s x32
  t[threadIdx.x] = p[threadIdx.x];
  __syncwarp();
  q[threadIdx.x] += t[31 - threadIdx.x];
}""",
        block=32,
    )


def test_syncwarp_orders_those_who_take_part_and_what_they_know() -> None:
    holds(
        """
__global__ void k(int *p, int *q) {
  __shared__ int s[4];
  if (threadIdx.x == 0) s[0] = 1;
  if (threadIdx.x < 2) __syncwarp(3);
  if (threadIdx.x == 1) s[1] = s[0];
  if (threadIdx.x > 0 && threadIdx.x < 3) __syncwarp(6);
  if (threadIdx.x == 2) q[0] = s[0] + s[1];
  if (threadIdx.x == 3) q[1] = s[1];             //@ load after store in 6: s x1
}""",
        block=32,
    )


def test_tiles_that_synchronise_at_the_same_time_do_not_wait_for_each_other() -> None:
    holds(
        """
__global__ void k(int *p, int *q) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = p[t];
  __syncwarp(t < 16 ? 0x0000ffffu : 0xffff0000u);
  q[t] = s[t ^ 3];
  q[t] += s[t ^ 16];                             //@ load after store in 5: s x32
}""",
        block=32,
    )


def test_tiles_that_synchronise_know_what_their_own_lanes_knew() -> None:
    holds(
        """
#include <cooperative_groups.h>
__global__ void k(int *p, int *q) {
  __shared__ int s[32];
  int t = threadIdx.x;
  auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
  s[t] = p[t];
  tile.sync();
  if (t % 8 == 0) q[t] = s[t + 7];
  if (t % 8 == 1) q[t] = s[(t + 8) % 32];        //@ load after store in 7: s x4
  __syncwarp();
  q[t] += s[31 - t];
}""",
        block=32,
    )


def test_a_thread_that_races_with_many_counts_once() -> None:
    holds(
        """
__global__ void k(int *p, int *q) {
  __shared__ int s[64];
  s[threadIdx.x] = p[threadIdx.x];
  if (threadIdx.x % 32 == 0)
    for (int i = 0; i < 64; i++)
      q[threadIdx.x] += s[i];                    //@ load after store in 4: s x2
}"""
    )


def test_shuffles_order_nothing() -> None:
    holds(
        """
__global__ void k(int *p, int *q) {
  __shared__ int s[32];
  s[threadIdx.x] = __shfl_sync(0xffffffff, p[threadIdx.x], 0);
  int v = __shfl_sync(0xffffffff, p[threadIdx.x], 1);
  q[threadIdx.x] = v + s[31 - threadIdx.x];      //@ load after store in 4: s x32
}""",
        block=32,
    )


def test_a_release_that_is_acquired_orders_what_stands_around_it() -> None:
    holds(
        """
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
__global__ void k(int *p, int *q) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    p[0] = 42;
    flag.store(1, cuda::memory_order_release);
  } else {
    while (flag.load(cuda::std::memory_order::acquire) == 0) ;
    p[1] = p[0];
  }
}""",
        grid=2,
    )


def test_reading_and_assigning_an_atomic_reference_acquires_and_releases() -> None:
    holds(
        """
#include <cuda/atomic>
__global__ void k(int *p, int *q) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready{q[0]};
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    p[0] = 42;
    ready = 1;
  } else {
    while (!ready) ;
    p[1] = p[0];
  }
}""",
        grid=2,
    )


def test_relaxed_operations_order_nothing_else() -> None:
    holds(
        """
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
__global__ void k(int *p, int *q) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    p[0] = 42;
    flag.store(1, cuda::memory_order_relaxed);
  } else {
    while (flag.load(cuda::memory_order_relaxed) == 0) ;
    q[1] = p[0];                                  //@ load after store in 7: p x1
  }
}""",
        grid=2,
    )


def test_a_release_for_the_block_orders_no_other_block() -> None:
    holds(
        """
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_block> flag;
__global__ void k(int *p, int *q) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    p[0] = 42;
    flag.store(1, cuda::memory_order_release);
  } else {
    while (flag.load(cuda::memory_order_acquire) == 0) ; //@ atomic after atomic in 8: flag x1
    q[1] = p[0];                                  //@ load after store in 7: p x1
  }
}""",
        grid=2,
    )


def test_a_reference_for_atomics_does_not_read_what_it_refers_to() -> None:
    holds(
        """
#include <cuda/atomic>
__global__ void k(int *p, int *q) {
  cuda::atomic_ref<int, cuda::thread_scope_device> a(p[0]);
  cuda::atomic_ref<int, cuda::thread_scope_device> b{p[0]};
  a.fetch_add(1, cuda::memory_order_relaxed);
  int now = b;
  if (now > 1) b = now + 1;
  if (b + 1 < 0) q[threadIdx.x] = now;
}"""
    )


def test_volatile_accesses_are_no_data_race_among_themselves() -> None:
    holds(
        """
__global__ void k(int *p, int *q) {
  volatile __shared__ int s[64];
  s[threadIdx.x] = 1;
  q[threadIdx.x] = s[63 - threadIdx.x];
}"""
    )


def test_bytes_beside_each_other_are_not_the_same() -> None:
    holds(
        """
__global__ void k(int *p, int *q) {
  __shared__ char s[128];
  s[threadIdx.x] = 1;
  s[64 + threadIdx.x / 2] = threadIdx.x;         //@ store after store in 5: s x32
  ((int *)q)[threadIdx.x] = 0;
}"""
    )


def test_wide_accesses_overlap_narrow_ones() -> None:
    holds(
        """
__global__ void k(int *p, int *q) {
  int4 v = make_int4(1, 2, 3, 4);
  if (threadIdx.x == 0) ((int4 *)q)[0] = v;
  if (threadIdx.x == 32) q[3] = 9;               //@ store after store in 4: q x1
  if (threadIdx.x == 33) q[4] = 9;
}"""
    )


def test_evidence_names_both_threads_and_the_buffer() -> None:
    text = """
__global__ void k(int *p, int *q) {
  if (threadIdx.x == 5 && blockIdx.x == 1) q[7] = 1;
  if (threadIdx.x == 33 && blockIdx.x == 1) q[7] = 2;
}"""
    (race,) = races(text, grid=2).races
    assert (race.other.block, race.other.thread) == ((1, 0, 0), (5, 0, 0))
    assert (race.evidence.block, race.evidence.thread) == ((1, 0, 0), (33, 0, 0))
    assert (race.buffer, race.offset, race.same_value, race.evidence.count) == ("q", 28, False, 1)


def test_a_grid_of_several_waves() -> None:
    # 40 blocks of 1,024 threads are more than 2,048 warps hold at once; `s` is another object in every block.
    holds(
        """
__global__ void k(int *p, int *q) {
  __shared__ int s[1];
  if (threadIdx.x == 0) s[0] = 1;
  __syncthreads();
  if (threadIdx.x == 1) q[blockIdx.x] = s[0];
  if (threadIdx.x == 2) q[1000] = 3;             //@ store after store in 7: q x79, same value
}""",
        block=1024,
        grid=80,
    )


def test_who_read_first_reads_again_and_does_not_hide_the_other_reader() -> None:
    holds(
        """
__global__ void k(int *p, int *q) {
  __shared__ int s[66];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  q[threadIdx.x] = s[threadIdx.x] - s[(threadIdx.x + 2) % 64];
  s[threadIdx.x] = s[threadIdx.x] / 2;                          //@ store after load in 6: s x64
}"""
    )


# -- referee --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(60))
def test_random_programs_race_where_a_list_of_all_accesses_says_so(seed: int) -> None:
    """Steps of a block, each a read, write or atomic of one place per thread or a barrier; whom do they race with?"""
    random = Random(seed)
    steps: list[tuple[str, int, int]] = []
    lines: list[str] = []
    for number in range(random.randint(2, 9)):
        kind = random.choice(["read", "read", "read", "write", "atomic", "barrier", "warp barrier"])
        low, shift = random.choice([0, 1, 2, 33]), random.choice([0, 0, 0, 1])
        steps.append((kind, low, shift))
        place = f"s[(threadIdx.x + {low}) % 64 >> {shift}]"
        lines.append(
            {
                "read": f"  x += {place};",
                "write": f"  {place} = {number};",
                "atomic": f"  atomicAdd(&{place}, 1);",
                "barrier": "  __syncthreads();",
                "warp barrier": "  __syncwarp();",
            }[kind]
        )
    body = "\n".join(lines)
    text = f"__global__ void k(int *p, int *q) {{ __shared__ int s[64]; int x = 0;\n{body}\n  q[threadIdx.x] = x; }}"
    found = {
        (
            line_of(text, FunctionSpan(race.other.function, race.other.span)) - 2,
            line_of(text, FunctionSpan(race.evidence.function, race.evidence.span)) - 2,
        )
        for race in races(text).races
    }
    expected = slow_races(steps)
    assert found <= expected
    later_found, later_expected = {later for _, later in found}, {later for _, later in expected}
    is_written_twice = any(steps[one][0] == "write" == steps[other][0] for one, other in expected)
    if is_written_twice:  # one writer is remembered, and later races with the other are not seen
        assert bool(later_found) == bool(later_expected)
    else:  # pairs may hide behind one another, but every later access that races is found to
        assert later_found == later_expected


def slow_races(steps: list[tuple[str, int, int]]) -> set[tuple[int, int]]:
    found: set[tuple[int, int]] = set()
    block_epochs = list(accumulate(kind == "barrier" for kind, _, _ in steps))
    warp_epochs = list(accumulate(kind in ("barrier", "warp barrier") for kind, _, _ in steps))
    for later, (kind, low, shift) in enumerate(steps):
        for earlier, (other_kind, other_low, other_shift) in enumerate(steps[: later + 1]):
            kinds = {kind, other_kind}
            if kinds & {"barrier", "warp barrier"} or kinds in ({"read"}, {"atomic"}):
                continue
            if block_epochs[earlier] == block_epochs[later] and any(
                (one + low) % 64 >> shift == (other + other_low) % 64 >> other_shift
                for one in range(64)
                for other in range(64)
                if one != other and (one // 32 != other // 32 or warp_epochs[earlier] == warp_epochs[later])
            ):
                found.add((earlier, later))
    return found
