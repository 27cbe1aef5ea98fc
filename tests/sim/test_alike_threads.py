"""What all threads agree on is held once, and addresses that are a pattern over the threads are worked out once.

Neither may be seen in what a run leaves, counts or reports.
"""

from __future__ import annotations

import numpy as np
import pytest

from sim.events import Events, Observer
from sim.faults import OutOfBounds, UninitialisedRead
from sim.policies.ipdom import Ipdom
from sim.policies.min_pc import MinPc
from sim.policies.protocol import PolicyFactory
from sim.result import Result
from sim.specification import ChosenArray, Filling
from tests.sim.running import Given, run


class _Watching(Observer):
    """Asks for every access, so that every address is worked out and checked."""

    events = Events.ACCESSES


def both(
    text: str, arguments: Given, *, grid: int = 2, block: int | tuple[int, int, int] = 48, policy: PolicyFactory = Ipdom
) -> Result:
    """A run; the same run while every access is watched must not differ."""
    found = run(text, arguments, grid=grid, block=block, policy=policy)
    watched = run(text, arguments, grid=grid, block=block, policy=policy, observers=[_Watching()])
    assert found.memory_digest == watched.memory_digest
    assert found.faults == watched.faults
    assert found.instructions == watched.instructions
    assert found.branches == watched.branches
    return found


@pytest.mark.parametrize("policy", [Ipdom, MinPc])
def test_a_filter(policy: PolicyFactory) -> None:
    text = """__global__ void k(const int *x, const int *h, int *y, int taps) {
        int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
        for (int j = 0; j < taps; j++) sum += h[j] * x[i + taps - 1 - j];
        y[i] = sum; }"""
    x, h = np.arange(105, dtype=np.int32), np.arange(1, 11, dtype=np.int32)
    found = both(text, {"x": x, "h": h, "y": np.zeros(96, np.int32), "taps": 10}, policy=policy)
    assert (found.arrays["y"] == np.convolve(x, h, "valid")).all()


def test_an_index_wraps_where_its_type_does() -> None:
    text = """__global__ void k(int *x) {
        for (unsigned j = 0; j < 8; j++) x[(threadIdx.x + j * 0x20000000u) & 0x1fffffffu] += 1;
        for (unsigned j = 0; j < 4; j++) x[threadIdx.x + 4u - j * 0x40000000u - j * 0xc0000000u] += 16; }"""
    found = both(text, {"x": np.zeros(64, np.int32)}, grid=1)
    expected = np.where(np.arange(64) < 48, 8, 0) + np.where((np.arange(64) >= 4) & (np.arange(64) < 52), 64, 0)
    assert (found.arrays["x"] == expected).all()


def test_a_sum_is_read_where_what_it_is_made_of_is_held_no_more() -> None:
    text = """__global__ void k(int *x, int *y, int n) {
        int m = __mul24(blockIdx.x, blockDim.x) + threadIdx.x;
        int i = m + n;
        y[m] = 1;
        for (int j = 0; j < n; j++) x[i] += j; }"""
    found = both(text, {"x": np.zeros(128, np.int32), "y": np.zeros(96, np.int32), "n": 4})
    assert found.arrays["x"].tolist() == [0] * 4 + [6] * 96 + [0] * 28


def test_the_round_in_which_threads_leave_an_array_is_reported() -> None:
    text = """__global__ void k(int *x) { for (int j = 0; j < 40; j += 4) x[threadIdx.x + j] = j; }"""
    found = both(text, {"x": np.zeros(64, np.int32)}, grid=1)
    (fault,) = found.faults
    assert isinstance(fault, OutOfBounds)
    assert fault.offset == 64 * 4
    assert found.arrays["x"].tolist() == [
        index // 4 * 4 if index < 36 else min(index // 4 * 4, 36) for index in range(64)
    ]


def test_a_part_of_the_warps_stays_inside_where_all_would_not() -> None:
    text = """__global__ void k(int *x) { __shared__ int s[96]; int t = threadIdx.x; s[t] = t; __syncthreads();
        for (int half = 48; half > 0; half /= 2) { if (t < half) s[t] += s[t + half]; __syncthreads(); }
        x[blockIdx.x * 96 + t] = s[t]; }"""
    found = both(text, {"x": np.zeros(192, np.int32)}, block=96)
    assert found.faults == ()
    assert found.arrays["x"][0] == found.arrays["x"][96]


def test_memory_that_nobody_wrote_is_found_in_a_later_round() -> None:
    text = """__global__ void k(int *x) { __shared__ int s[8][48]; int t = threadIdx.x, sum = 0;
        for (int j = 0; j < 7; j++) s[j][t] = j;
        for (int j = 0; j < 8; j++) sum += s[j][t];
        x[t] = sum; }"""
    found = both(text, {"x": np.zeros(48, np.int32)}, grid=1)
    (fault,) = found.faults
    assert isinstance(fault, UninitialisedRead)
    assert fault.offset == 7 * 48 * 4


def test_memory_that_was_written_is_unwritten_again_in_the_next_wave() -> None:
    text = """__global__ void k(int *x) { __shared__ int s[32]; int sum = 0;
        if (blockIdx.x < 2048) s[threadIdx.x] = 1;
        for (int j = 0; j < 6; j++) sum += s[threadIdx.x];
        x[blockIdx.x * 32 + threadIdx.x] = sum; }"""
    found = both(text, {"x": np.zeros(2112 * 32, np.int32)}, grid=2112, block=32)
    (fault,) = found.faults
    assert isinstance(fault, UninitialisedRead)
    assert (found.arrays["x"].reshape(2112, 32) == np.where(np.arange(2112) < 2048, 6, 0)[:, None]).all()


def test_values_that_share_an_array_part_again() -> None:
    """`last` and `value` are one array until some warps go on with one of them."""
    text = """__global__ void k(int *x, int *y) { int t = threadIdx.x, value = t, last = 0;
        for (int j = 0; j < 9; j++) { last = value; value = value + 1; if (t / 32 == 1 && j > 4) value = -j; }
        x[t] = value; y[t] = last; }"""
    zeros = np.zeros(96, np.int32)
    found = both(text, {"x": zeros, "y": zeros}, grid=1, block=96)
    value, last = np.arange(96), np.zeros(96, np.int64)
    for j in range(9):
        last, value = value, np.where((np.arange(96) // 32 == 1) & (j > 4), -j, value + 1)
    assert (found.arrays["x"] == value).all()
    assert (found.arrays["y"] == last).all()


def test_what_a_function_returns_twice_is_two_values() -> None:
    text = """struct Pair { int a, b; };
        __device__ Pair twice(int n) { Pair p; if (n > 1000) return twice(n - 1); p.a = n; p.b = n; return p; }
        __global__ void k(int *x) { int t = threadIdx.x; Pair p = twice(t);
        for (int j = 0; j < 4; j++) if (t / 32 == j % 2) p.a += 1;
        x[2 * t] = p.a; x[2 * t + 1] = p.b; }"""
    found = both(text, {"x": np.zeros(128, np.int32)}, grid=1, block=64)
    threads = np.arange(64)
    assert (found.arrays["x"].reshape(64, 2) == np.stack([threads + 2, threads], axis=1)).all()


def test_sums_whose_old_value_nobody_reads_wrap() -> None:
    text = """__global__ void k(unsigned *x, unsigned long long *y) { int t = threadIdx.x;
        for (int j = 0; j < 5; j++) { atomicAdd(&x[t % 3], 0xf0000000u + t); atomicSub(&x[3 + t % 2], 7u); }
        if (t & 1) atomicAdd(&y[t % 4], ~0ull); }"""
    found = both(text, {"x": np.zeros(5, np.uint32), "y": np.zeros(4, np.uint64)}, grid=1)
    threads = np.arange(48)
    sums = [5 * int((0xF0000000 + threads[threads % 3 == left]).sum()) % (1 << 32) for left in range(3)]
    assert found.arrays["x"].tolist() == [*sums, (-7 * 5 * 24) % (1 << 32), (-7 * 5 * 24) % (1 << 32)]
    assert found.arrays["y"].tolist() == [0, (1 << 64) - 12, 0, (1 << 64) - 12]


def test_an_output_that_is_written_in_a_loop_and_read_again() -> None:
    text = """__global__ void k(int *x) { int t = threadIdx.x, sum = 0;
        for (int j = 0; j < 6; j++) x[j * 48 + t] = j;
        for (int j = 0; j < 6; j++) sum += x[j * 48 + t];
        x[t] = sum; }"""
    found = both(text, {"x": ChosenArray(288, Filling.UNINITIALISED)}, grid=1)
    assert found.faults == ()
    assert (found.arrays["x"][:48] == 15).all()


def test_elements_by_an_index_of_any_type() -> None:
    text = """__global__ void k(const unsigned char *b, const signed char *c, long long far, int *y) {
        __shared__ int s[48]; int t = threadIdx.x; s[t] = t * t; __syncthreads();
        y[blockIdx.x * 48 + t] = s[b[t]] + s[c[t] & 31] + s[47 - t] + s[far + b[t] % 3] + s[t ^ 1]; }"""
    random = np.random.default_rng(4)
    b, c = random.integers(0, 48, 48, np.uint8), random.integers(-128, 128, 48, np.int8)
    found = both(text, {"b": b, "c": c, "far": 40, "y": np.zeros(96, np.int32)})
    t = np.arange(48)
    squares = t * t
    expected = squares[b] + squares[c & 31] + squares[47 - t] + squares[40 + b % 3] + squares[t ^ 1]
    assert (found.arrays["y"].reshape(2, 48) == expected).all()


@pytest.mark.parametrize(
    ("index", "offset"), [("x[t]", 192), ("(short)(x[t] - 49)", -192), ("x[t] + 4294967296ll", None)]
)
def test_the_thread_whose_index_leaves_an_object_is_reported(index: str, offset: int | None) -> None:
    text = f"""__global__ void k(const int *x, int *y) {{ __shared__ int s[48]; int t = threadIdx.x; s[t] = t + 1;
        __syncthreads(); if (t != 7) y[t] = s[{index}]; }}"""
    x = np.where(np.arange(48) == 7, 1 << 20, np.arange(48) + 1)
    x = np.where(np.arange(48) == 47, 48, x)
    found = both(text, {"x": x.astype(np.int32), "y": np.zeros(48, np.int32)}, grid=1)
    (fault,) = found.faults
    assert isinstance(fault, OutOfBounds)
    assert offset is None or fault.offset == offset


def test_elements_of_each_threads_own_array() -> None:
    text = """__global__ void k(int *y) { int a[8], t = threadIdx.x, sum = 0;
        for (int j = 0; j < 6; j++) a[(j + t) % 8] = j * t;
        for (int j = 0; j < 8; j++) if ((j - t & 7) < 6) sum += a[j];
        y[t] = sum + (t == 40 ? a[(6 + t) % 8] : 0); }"""
    found = both(text, {"y": np.zeros(48, np.int32)}, grid=1)
    (fault,) = found.faults
    assert isinstance(fault, UninitialisedRead)
    assert (found.arrays["y"] == 15 * np.arange(48)).all()


def test_an_index_in_a_register_that_some_warps_change() -> None:
    """It is one for a load and a store of all, then another one for a few."""
    text = """__global__ void k(int *y, int n) { __shared__ int s[96]; int t = threadIdx.x, i = t ^ 5, sum = 0, j = 0;
        s[t] = 0; __syncthreads();
        s[i] = i; __syncthreads(); sum += s[i]; __syncthreads();
        if (t / 32 == 1) i ^= n; __syncthreads();
        s[i] += 7; __syncthreads(); sum += s[i]; __syncthreads();
        if (t / 32 == 2) i ^= 2 * n; __syncthreads();
        s[i] += sum; y[t] = s[i] + i; }"""
    found = both(text, {"y": np.zeros(96, np.int32), "n": 1}, grid=1, block=96)
    t = np.arange(96)
    index = t ^ 5
    total = 2 * index + 7
    total[32:64] = index[32:64] + (index[32:64] ^ 1) + 7
    index = np.where(t // 32 == 1, index ^ 1, np.where(t // 32 == 2, index ^ 2, index))
    assert (found.arrays["y"] == index + 7 + total + index).all()


def test_an_index_that_some_warps_compute_once_more() -> None:
    text = """__global__ void k(int *y) { __shared__ int s[96]; int t = threadIdx.x, j = 1, other;
        s[t] = t; __syncthreads();
        do { other = t ^ j; if (other % 3) s[other] = other; j++; } while (j < 3 + t / 32);
        __syncthreads(); y[t] = s[other]; }"""
    found = both(text, {"y": np.zeros(96, np.int32)}, grid=1, block=96)
    assert (found.arrays["y"] == np.arange(96) ^ (2 + np.arange(96) // 32)).all()


def test_atomics_on_elements() -> None:
    text = """__global__ void k(const unsigned char *b, unsigned *y, int *z, float *f) {
        __shared__ unsigned s[16]; __shared__ int o[16]; int t = threadIdx.x;
        if (t < 16) { s[t] = 0; o[t] = -1; } __syncthreads();
        if (t % 5) atomicAdd(&s[b[t] & 15], t); atomicMax(&o[b[t] & 15], t); int old = atomicExch(&o[t % 16], t);
        __syncthreads(); z[t] = old; atomicAdd(&f[b[t] & 3], 0.5f);
        if (t < 16) { atomicAdd(&y[t], s[t]); atomicAdd(&y[16 + t], (unsigned)o[t]); } }"""
    b = np.random.default_rng(5).integers(0, 256, 48, np.uint8)
    both(text, {"b": b, "y": np.zeros(32, np.uint32), "z": np.zeros(48, np.int32), "f": np.zeros(4, np.float32)})


@pytest.mark.parametrize("policy", [Ipdom, MinPc])
@pytest.mark.parametrize("block", [(8, 8, 1), (4, 4, 4), (10, 5, 1)])
def test_steps_along_the_axes_of_a_block(block: tuple[int, int, int], policy: PolicyFactory) -> None:
    """Rows, columns, one for all, and stores that part of the threads make, in place and one step apart."""
    across, down = block[0], block[1] * block[2]
    text = f"""#define X {across}
        #define Y {down}
        __global__ void k(const int *x, int *y, int n) {{
        __shared__ int a[Y][X], c[X][Y]; int tx = threadIdx.x, ty = threadIdx.z * blockDim.y + threadIdx.y, sum = 0;
        int i = ty * X + tx;
        a[ty][tx] = i; c[tx][ty] = -i; __syncthreads();
        for (int j = 0; j < n; j++) {{
            a[ty][tx] += x[i + j]; c[tx][ty] = x[i + 2 * j]; __syncthreads();
            for (int m = 0; m < X; m++) sum += a[ty][m] * c[m][ty] + c[m][0];
            __syncthreads(); if ((tx + ty) % 2) a[ty][tx] += sum;
            if (tx + ty != 3) c[tx][ty] = 3; if (i == 20) a[ty][tx] = 5;
            __syncthreads(); sum += a[(tx + 1) % X][0]; y[j] = i;
            if (tx != X - 1) c[X - 1][ty] = i; __syncthreads(); sum += c[X - 1][ty]; __syncthreads(); }}
        y[blockIdx.x * X * Y + i + n] = sum; }}"""
    x = np.random.default_rng(6).integers(-99, 99, 500, np.int32)
    both(text, {"x": x, "y": np.zeros(2 * across * down + 7, np.int32), "n": 7}, block=block, policy=policy)


def test_of_threads_that_share_a_place_the_last_one_wins() -> None:
    text = """__global__ void k(int *y) { int t = threadIdx.x;
        for (int j = 0; j < 4; j++) { y[j] = t; y[4 + j + t / 2] = t; } }"""
    found = both(text, {"y": np.zeros(64, np.int32)}, grid=2)
    assert found.arrays["y"][:4].tolist() == [47] * 4
    assert found.arrays["y"][4:31].tolist() == [1, 1, 1, *range(1, 48, 2)]


@pytest.mark.parametrize("rounds", [1, 3])
def test_elements_that_only_some_threads_write(rounds: int) -> None:
    text = """__global__ void k(int *y, int n) { __shared__ int s[48]; int t = threadIdx.x;
        for (int j = 0; j < n; j++) if (t % 2) s[t] = j;
        __syncthreads(); y[t] = s[t ^ 1]; }"""
    (fault,) = both(text, {"y": np.zeros(48, np.int32), "n": rounds}, grid=1).faults
    assert isinstance(fault, UninitialisedRead)
    assert fault.evidence.count == 24


@pytest.mark.parametrize("block", [(256, 1, 1), (16, 16, 1), (64, 4, 1), (8, 8, 4)])
@pytest.mark.parametrize("warps", ["w < 3", "w % 2", "w == 5", "w == 0 || w == 1 || w == 4", "w >= blockIdx.x"])
def test_the_same_warps_of_every_block(block: tuple[int, int, int], warps: str) -> None:
    text = f"""__global__ void k(int *y, int n) {{
        __shared__ int s[256], part[256]; int w, sum = 0;
        int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; w = t / 32;
        s[t] = t; if ({warps}) part[t] = 3 * t; __syncthreads();
        for (int j = 0; j < n; j++) {{
            if ({warps}) {{ sum += s[t] + part[t]; s[t] += j; if (t % 3) s[t] -= sum; }} __syncthreads();
            if ((w & 4) == 0) sum += s[t + 128]; __syncthreads(); }}
        y[blockIdx.x * 256 + t] = sum + s[t] + (t == 255 ? part[t] : 0); }}"""
    both(text, {"y": np.zeros(3 * 256, np.int32), "n": 4}, grid=3, block=block)


@pytest.mark.parametrize("kind", ["int", "long long", "unsigned", "signed char"])
def test_numbers_on_which_all_agree_are_divided_as_c_does(kind: str) -> None:
    text = f"""__global__ void k({kind} *y, int n) {{ {kind} lowest = ({kind})1 << (8 * sizeof({kind}) - 1);
        y[0] = ({kind})(n - 20) / 6; y[1] = ({kind})(20 - n) / ({kind})-6; y[2] = lowest / ({kind})(n - 14);
        y[3] = ({kind})n / ({kind})(n - 13); y[4] = lowest / ({kind})n; y[5] = (({kind})(n - 20)) / ({kind})(n - 14);
        for ({kind} j = 100; j > 1; j /= 3) y[6] += j; }}"""
    each = text.replace("__global__ void k(", "__global__ void each(").replace("n)", "int *a)", 1)
    each = each.replace(f"{{ {kind} lowest", f"{{ int n = a[threadIdx.x]; {kind} lowest")
    dtype = {"int": np.int32, "long long": np.int64, "unsigned": np.uint32, "signed char": np.int8}[kind]
    alike = run(text, {"y": np.zeros(7, dtype), "n": 13}, block=1)
    apart = run(each, {"y": np.zeros(7, dtype), "a": np.full(32, 13, np.int32)}, block=1, name="each")
    assert alike.arrays["y"].tolist() == apart.arrays["y"].tolist()


def test_an_index_that_is_made_of_an_address() -> None:
    """It differs from block to block, though no block's number is in it."""
    text = """__global__ void k(int *y) { __shared__ int s[32]; int t = threadIdx.x; s[t] = t; __syncthreads();
        unsigned far = ((unsigned long long)s >> 8) % 16 * 32;
        for (int j = 0; j < 3; j++) y[((unsigned long long)s >> 8) % 16 * 32 + t + j] = s[t] + j;
        y[600 + blockIdx.x] = far; }"""
    both(text, {"y": np.zeros(605, np.int32)}, grid=5, block=32)
