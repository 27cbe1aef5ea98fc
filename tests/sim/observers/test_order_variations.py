"""What orders accesses, in every way to write it: atomic objects, release and acquire, tiles, one state per block."""

from __future__ import annotations

from itertools import product
from typing import Final

import numpy as np
import pytest

from sim.observers.races import RaceObserver
from tests.sim.running import run

_SCOPE: Final = "cuda::thread_scope_device"
_ATOMIC: Final = f"cuda::atomic<int, {_SCOPE}>"
_REFERENCE: Final = f"cuda::atomic_ref<int, {_SCOPE}>"


def _has_race(text: str, grid: int = 1, block: int = 32) -> bool:
    observer = RaceObserver()
    arrays = {"p": np.zeros(1024, np.int32), "q": np.zeros(1024, np.int32)}
    run(text, arrays, grid=grid, block=block, observers=[observer])
    return bool(observer.answer().races)


_CHANGES: Final = (
    *("{0}.fetch_add(1)", "{0}.fetch_sub(1, cuda::memory_order_relaxed)", "{0}.fetch_max(t)", "{0}.fetch_or(t)"),
    *("{0}.exchange(t)", "{0}.store(t, cuda::memory_order_release)", "{0} = t", "{0}++", "{0} += 2"),
    *("q[t] = {0}.load(cuda::memory_order_acquire)", "q[t] = {0}", "int e = 0; {0}.compare_exchange_strong(e, t)"),
)


@pytest.mark.parametrize(("change", "beside"), list(product(_CHANGES, (False, True))))
def test_atomic_references_race_with_plain_accesses_alone(change: str, beside: bool) -> None:
    read_only = change.startswith("q[t]")
    plain = "if (t == 5) { p[0] = 7; }" if read_only else "if (t == 5) { q[40] = p[0]; }"
    body = f"{_REFERENCE} a(p[0]); {change.format('a')}; {plain if beside else ''}"
    assert (
        _has_race(f"#include <cuda/atomic>\n__global__ void k(int *p, int *q) {{ int t = threadIdx.x; {body} }}")
        is beside
    )


_SENT: Final = {
    "{0}.store(1, cuda::memory_order_release);": True,
    "{0}.store(1);": True,
    "{0} = 1;": True,
    "{0}.fetch_add(1, cuda::memory_order_acq_rel);": True,
    "{0}.exchange(1, cuda::memory_order_release);": True,
    "__threadfence(); {0}.store(1, cuda::memory_order_relaxed);": True,
    "{0}.store(1, cuda::memory_order_relaxed);": False,
}
"""Ways to say that the data is there, and whether they release it."""
_AWAITED: Final = (
    "while ({0}.load(cuda::memory_order_acquire) == 0) ;",
    "while ({0}.load() == 0) ;",
    "while ({0} == 0) ;",
    "while ({0}.load(cuda::memory_order_relaxed) == 0) ; __threadfence();",
)
_FLAGS: Final = {
    f"__device__ {_ATOMIC} flag;": "",
    "__device__ int word;": f"{_REFERENCE} flag(word);",
}


@pytest.mark.parametrize(("sent", "awaited"), list(product(_SENT, _AWAITED)))
def test_a_message_arrives_with_its_data_where_it_was_released(sent: str, awaited: str) -> None:
    flag, made = list(_FLAGS.items())[(len(sent) + len(awaited)) % 2]
    body = (
        f"{made} if (threadIdx.x) return; if (blockIdx.x == 0) {{ p[0] = 42; {sent.format('flag')} }} "
        f"else {{ {awaited.format('flag')} q[0] = p[0]; }}"
    )
    text = f"#include <cuda/atomic>\n{flag}\n__global__ void k(int *p, int *q) {{ {body} }}"
    assert _has_race(text, grid=2) is not _SENT[sent]


_MEETS: Final = (
    "auto g = cooperative_groups::tiled_partition<{0}>(cooperative_groups::this_thread_block()); g.sync();",
    "auto g = cooperative_groups::tiled_partition<{0}>(cooperative_groups::this_thread_block()); "
    "cooperative_groups::sync(g);",
    "__syncwarp(((1ull << {0}) - 1) << (t / {0} * {0}));",
    "auto g = cooperative_groups::tiled_partition(cooperative_groups::this_thread_block(), {0}); g.sync();",
)


@pytest.mark.parametrize(("meets", "size", "is_other"), list(product(_MEETS, (4, 8, 16), (False, True))))
def test_tiles_order_their_own_lanes_alone(meets: str, size: int, is_other: bool) -> None:
    partner = size if is_other else size // 2
    body = f"__shared__ int s[32]; int t = threadIdx.x; s[t] = p[t]; {meets.format(size)} q[t] = s[t ^ {partner}];"
    text = f"#include <cooperative_groups.h>\n__global__ void k(int *p, int *q) {{ {body} }}"
    assert _has_race(text) is is_other


_DRAWN: Final = ("curand", "curand_uniform", "curand_normal", "curand_uniform_double")


@pytest.mark.parametrize(("drawn", "block", "state"), list(product(_DRAWN, (32, 64, 256), ("blockIdx.x", "0"))))
def test_a_state_of_a_block_is_drawn_from_by_its_threads_together(drawn: str, block: int, state: str) -> None:
    body = f"q[blockIdx.x * {block} + threadIdx.x] = (int)({drawn}(&states[{state}]) * 8);"
    text = (
        "#include <curand_kernel.h>\n__device__ curandStateMtgp32 states[2]; "
        f"__global__ void k(int *p, int *q) {{ {body} }}"
    )
    assert _has_race(text, grid=2, block=block) is (state == "0")
