"""PTX barriers of warp-specialised kernels: `mbarrier` with copies, `bar.sync` and `bar.arrive` with counts."""

from __future__ import annotations

import numpy as np

from sim.faults import PhaseState
from sim.policies.protocol import PolicyFactory
from sim.policies.stackless import Stackless
from sim.result import Result
from tests.sim.split_barriers import EVERY_POLICY, deadlock, observed, races, stuck, summary

IN_THE_TEXT = """
__device__ inline void wait(uint64_t *bar, int parity) {
  asm volatile(
      "{\\n.reg .pred P1;\\n"
      "LAB_WAIT:\\n"
      "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\\n"
      "@P1 bra DONE;\\n"
      "bra LAB_WAIT;\\n"
      "DONE:\\n}" :: "r"(at(bar)), "r"(parity) : "memory");
}
"""
IN_THE_SOURCE = r"""
__device__ inline void wait(uint64_t *bar, int parity) {
  uint32_t done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(done) : "r"(at(bar)), "r"(parity) : "memory");
}
"""
PTX = """
#include <stdint.h>
__device__ inline uint32_t at(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ inline void init(uint64_t *bar, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(at(bar)), "r"(count) : "memory");
}
__device__ inline void arrive(uint64_t *bar) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.release.cta.shared::cta.b64 state, [%0]; }" :: "r"(at(bar)));
}
__device__ inline void expect(uint64_t *bar, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(at(bar)), "r"(bytes) : "memory");
}
WAIT
__device__ inline void copy(void *to, const void *from, uint32_t bytes, uint64_t *bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
      :: "r"(at(to)), "l"(from), "r"(bytes), "r"(at(bar)) : "memory");
}
constexpr int STAGES = 3;
__global__ void k(int *out, const int *in, int tiles) {
  __shared__ alignas(16) int buffer[STAGES][128];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  if (threadIdx.x == 0)
    for (int s = 0; s < STAGES; ++s) { init(&full[s], 1); init(&empty[s], 4); }
  __syncthreads();
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 0) {
    if (lane == 0) {
      for (int i = 0; i < tiles; ++i) {
        int s = i % STAGES;
        wait(&empty[s], ((i / STAGES) & 1) ^ 1);
        expect(&full[s], 512);
        copy(buffer[s], in + i * 128, 512, &full[s]);
      }
    }
  } else {
    for (int i = 0; i < tiles; ++i) {
      int s = i % STAGES;
      wait(&full[s], (i / STAGES) & 1);
      out[i * 128 + threadIdx.x - 32] = buffer[s][127 - (threadIdx.x - 32)] + 1;
      __syncwarp();
      if (lane == 0) arrive(&empty[s]);
    }
  }
}
"""
TILES = np.arange(8 * 128, dtype=np.int32)


def specialised(text: str, policy: PolicyFactory = Stackless, wait: str = IN_THE_TEXT) -> Result:
    given = {"out": np.zeros(8 * 128, np.int32), "in": TILES, "tiles": 8}
    return observed(text.replace("WAIT", wait), given, block=160, policy=policy)


@EVERY_POLICY
def test_a_warp_that_copies_feeds_warps_that_compute(policy: PolicyFactory) -> None:
    result = specialised(PTX, policy)
    assert result.faults == ()
    assert result.arrays["out"].tolist() == (TILES.reshape(8, 128)[:, ::-1] + 1).reshape(-1).tolist()


def test_waiting_for_the_wrong_parity_first_stops_everybody() -> None:
    found = deadlock(specialised(PTX.replace("& 1) ^ 1", "& 1)")))
    phase = PhaseState(parity=0, asked=0, bytes=0, is_valid=True)
    assert [summary(one) for one in found.barriers] == [
        ("empty + 0 bytes", 0, 4, phase),
        ("full + 0 bytes", 0, 1, phase),
    ]
    assert sorted(count for _, count in found.waiting) == [1, 128]


def test_waiting_for_the_parity_of_the_phase_before_reads_too_early() -> None:
    wrong = PTX.replace("wait(&full[s], (i / STAGES) & 1)", "wait(&full[s], ((i / STAGES) & 1) ^ 1)")
    assert "buffer" in races(specialised(wrong))


def test_bytes_that_never_come_are_waited_for() -> None:
    found = stuck(specialised(PTX.replace("&full[s], 512);\n", "&full[s], 528);\n", 1)), "full")
    assert found == ("full + 0 bytes", 1, 1, PhaseState(parity=0, asked=0, bytes=16, is_valid=True))


def test_a_buffer_that_is_given_back_too_early_races_with_the_next_copy() -> None:
    assert races(specialised(PTX.replace("init(&empty[s], 4)", "init(&empty[s], 1)"))) == ["buffer"]


def test_lanes_that_do_not_meet_before_one_gives_the_buffer_back_race() -> None:
    assert races(specialised(PTX.replace("__syncwarp();", ""))) == ["buffer"]


@EVERY_POLICY
def test_a_loop_in_the_source_waits_like_one_in_the_text(policy: PolicyFactory) -> None:
    result = specialised(PTX, policy, IN_THE_SOURCE)
    assert result.faults == ()
    assert result.arrays["out"].tolist() == (TILES.reshape(8, 128)[:, ::-1] + 1).reshape(-1).tolist()
    missing = specialised(PTX.replace("if (lane == 0) arrive(&empty[s]);", ""), policy, IN_THE_SOURCE)
    assert stuck(missing, "empty")[1:3] == (0, 4)


# -- named barriers ---------------------------------------------------------------------------------------------------

NAMED = """
__device__ inline void sync(int id, int n) { asm volatile("bar.sync %0, %1;" :: "r"(id), "r"(n) : "memory"); }
__device__ inline void arrive(int id, int n) { asm volatile("bar.arrive %0, %1;" :: "r"(id), "r"(n) : "memory"); }
__global__ void k(int *out, const int *in, int tiles) {
  __shared__ int buffer[2][64];
  int warp = threadIdx.x / 32, t = threadIdx.x % 64;
  if (warp >= 2) {
    for (int i = 0; i < tiles; ++i) {
      sync(3 + i % 2, 128);
      buffer[i % 2][t] = in[i * 64 + t];
      arrive(1 + i % 2, 128);
    }
  } else {
    arrive(3, 128);
    arrive(4, 128);
    for (int i = 0; i < tiles; ++i) {
      sync(1 + i % 2, 128);
      out[i * 64 + t] = buffer[i % 2][63 - t];
      if (i + 2 < tiles) arrive(3 + i % 2, 128);
    }
  }
}
"""
ROWS = np.arange(5 * 64, dtype=np.int32)


def named(text: str, policy: PolicyFactory = Stackless) -> Result:
    return observed(text, {"out": np.zeros(5 * 64, np.int32), "in": ROWS, "tiles": 5}, block=128, policy=policy)


@EVERY_POLICY
def test_named_barriers_hand_buffers_over(policy: PolicyFactory) -> None:
    result = named(NAMED, policy)
    assert result.faults == ()
    assert result.arrays["out"].tolist() == ROWS.reshape(5, 64)[:, ::-1].reshape(-1).tolist()


def test_two_places_of_a_barrier_that_count_differently_never_meet() -> None:
    text = NAMED.replace("sync(1 + i % 2, 128)", "sync(1 + i % 2, 160)")
    assert stuck(named(text), "1") == ("1", 128, 160, None)


def test_a_named_barrier_that_nobody_arrives_at_is_waited_for() -> None:
    text = NAMED.replace("      arrive(1 + i % 2, 128);\n", "")
    assert stuck(named(text), "1") == ("1", 64, 128, None)


def test_a_count_of_one_role_does_not_order_the_other() -> None:
    text = NAMED.replace("arrive(1 + i % 2, 128)", "arrive(1 + i % 2, 64)").replace(
        "sync(1 + i % 2, 128)", "sync(1 + i % 2, 64)"
    )
    assert "buffer" in races(named(text))


def test_a_warp_that_takes_no_part_is_not_ordered() -> None:
    text = """
    __global__ void k(int *out) {
      __shared__ int s[96];
      s[threadIdx.x] = threadIdx.x;
      if (threadIdx.x < 64) asm volatile("bar.sync 1, 64;");
      if (threadIdx.x < 64) out[threadIdx.x] = s[threadIdx.x ^ 32];
    }"""
    assert observed(text, {"out": np.zeros(96, np.int32)}, block=96).faults == ()
    assert races(
        observed(text.replace("threadIdx.x ^ 32", "threadIdx.x + 32"), {"out": np.zeros(96, np.int32)}, block=96)
    ) == ["s"]
