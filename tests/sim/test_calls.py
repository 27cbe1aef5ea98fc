"""Real calls, output, assertions, traps, clocks, textures, havoc."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sim.faults import FailedAssertion, StackOverflow, Trapped
from sim.observers.races import RaceObserver
from sim.policies.registry import POLICIES
from sim.refusals import Refusal
from sim.specification import AddressMode, TextureImage
from tests.sim.running import run

I32 = np.zeros(32, np.int32)


@pytest.mark.parametrize("policy", POLICIES.values(), ids=lambda one: one.name)
def test_recursion(policy: Any) -> None:
    text = """__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        __global__ void k(int *x) { x[threadIdx.x] = fib(threadIdx.x % 10); }"""
    found = run(text, {"x": I32}, policy=policy)
    table = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34]
    assert found.arrays["x"].tolist() == [table[i % 10] for i in range(32)]


def test_recursion_with_local_memory() -> None:
    text = """__device__ int sum(int n, int *above) { int own[2]; own[0] = n; own[1] = above ? above[0] : 0;
        if (n == 0) return own[1]; return own[n & 1] + sum(n - 1, own); }
        __device__ int start(int n) { return sum(n, 0); }
        __global__ void k(int *x) { x[threadIdx.x] = start(threadIdx.x % 6); }"""

    def total(n: int, above: int) -> int:
        own = [n, above]
        return own[1] if n == 0 else own[n & 1] + total(n - 1, n)

    found = run(text, {"x": I32})
    assert found.arrays["x"].tolist() == [total(i % 6, 0) for i in range(32)]
    assert found.faults == ()


def test_endless_recursion() -> None:
    text = """__device__ int f(int n) { return n + f(n + 1); } __global__ void k(int *x) { x[threadIdx.x] = f(0); }"""
    (fault,) = run(text, {"x": I32}).faults
    assert isinstance(fault, StackOverflow)


def test_printf() -> None:
    text = """__global__ void k() { if (threadIdx.x < 2) printf("%d: %5.2f %s %c %x|%%\\n", (int)threadIdx.x,
        threadIdx.x * 0.5, "text", 'a' + threadIdx.x, 255); }"""
    found = run(text, {})
    assert found.printed == ("0:  0.00 text a ff|%\n", "1:  0.50 text b ff|%\n")


def test_a_failed_assertion_ends_the_kernel() -> None:
    text = "__global__ void k(int *x) { assert(threadIdx.x != 7); x[threadIdx.x] = 1; }"
    found = run(text, {"x": I32})
    (fault,) = found.faults
    assert isinstance(fault, FailedAssertion)
    assert fault.evidence.thread == (7, 0, 0)
    assert not found.arrays["x"].any()


def test_trap() -> None:
    text = "__global__ void k(int *x) { x[threadIdx.x] = 1; if (threadIdx.x == 3) __trap(); x[threadIdx.x] = 2; }"
    found = run(text, {"x": I32})
    (fault,) = found.faults
    assert isinstance(fault, Trapped)
    assert (fault.evidence.thread, fault.evidence.count) == ((3, 0, 0), 1)


def test_the_clock_advances() -> None:
    text = """__global__ void k(long long *x) { long long a = clock64(); int s = 0;
        for (int i = 0; i < 10; i++) s += x[i];
        x[threadIdx.x] = clock64() - a + 0 * s; }"""
    found = run(text, {"x": np.zeros(32, np.int64)})
    assert (found.arrays["x"] > 30).all()


def test_havoc_fills_what_is_not_understood() -> None:
    text = "__global__ void k(int *x) { x[threadIdx.x] = unheard_of(3) * 0 + 5; }"
    found = run(text, {"x": I32}, havoc=True)
    assert found.faults == ()


IMAGE = np.arange(12, dtype=np.float32).reshape(3, 4)


def texture(expression: str, image: TextureImage) -> list[float]:
    text = f"""__global__ void k(cudaTextureObject_t t, float *x) {{
        int i = threadIdx.x; x[i] = {expression}; }}"""
    return run(text, {"t": image, "x": np.zeros(8, np.float32)}, block=8).arrays["x"].tolist()


def test_point_fetch() -> None:
    image = TextureImage(IMAGE)
    i = np.arange(8)
    found = texture("tex2D<float>(t, i % 4 + 0.5f, i / 4 + 0.5f)", image)
    assert found == IMAGE[i // 4, i % 4].tolist()
    assert texture("tex2D<float>(t, i - 2.0f, 0.5f)", image) == IMAGE[0, np.clip(i - 2, 0, 3)].tolist()


def test_linear_fetch() -> None:
    image = TextureImage(IMAGE, linear=True)
    i = np.arange(8)
    found = texture("tex2D<float>(t, i % 3 + 1.0f, 1.0f)", image)
    corners = IMAGE[0, i % 3] + IMAGE[0, i % 3 + 1] + IMAGE[1, i % 3] + IMAGE[1, i % 3 + 1]
    assert found == (corners / 4).tolist()


def test_address_modes() -> None:
    i = np.arange(8)
    wrap = TextureImage(IMAGE[0], address_mode=AddressMode.WRAP, normalized_coordinates=True)
    assert texture("tex1D<float>(t, (i + 0.5f) / 4)", wrap) == IMAGE[0, i % 4].tolist()
    border = TextureImage(IMAGE[0], address_mode=AddressMode.BORDER)
    assert texture("tex1D<float>(t, i + 0.5f)", border) == [0, 1, 2, 3, 0, 0, 0, 0]


def test_fetch_by_index() -> None:
    assert texture("tex1Dfetch<float>(t, i)", TextureImage(np.arange(8, dtype=np.float32))) == list(range(8))


def test_random_numbers() -> None:
    text = """#include <curand_kernel.h>
        __global__ void k(float *x, unsigned long long seed) {
        curandState s; int i = blockIdx.x * blockDim.x + threadIdx.x;
        curand_init(seed, i, 0, &s); float a = curand_uniform(&s), b = curand_uniform(&s);
        x[2 * i] = a; x[2 * i + 1] = b; }"""
    x = run(text, {"x": np.zeros(8192, np.float32), "seed": 7}, grid=32, block=128).arrays["x"]
    assert ((x > 0) & (x <= 1)).all()
    assert len(np.unique(x)) > 8000
    assert abs(x.mean() - 0.5) < 0.02


def test_threads_of_a_block_share_a_state_of_mtgp32() -> None:
    text = """#include <curand_kernel.h>
        __device__ curandStateMtgp32 states[4];
        __global__ void k(float *x) { int i = blockIdx.x * blockDim.x + threadIdx.x;
        x[2 * i] = curand_uniform(&states[blockIdx.x]); x[2 * i + 1] = curand_uniform(&states[blockIdx.x]); }"""
    observer = RaceObserver()
    found = run(text, {"x": np.zeros(2048, np.float32)}, grid=4, block=256, observers=[observer])
    assert observer.answer().races == ()
    x = found.arrays["x"].reshape(4, 512)
    assert all(len(np.unique(block)) > 500 for block in x)


def test_function_templates() -> None:
    text = """template <typename T, int N> __device__ void rotate(T *a, int by) { T first = a[0];
          for (int i = 0; i + 1 < N; i++) a[i] = a[i + 1]; a[N - 1] = first + by; }
        __global__ void k(int *x) { int t[4] = {1, 2, 3, 4}; rotate<int, 4>(t, threadIdx.x);
          x[threadIdx.x] = t[0] * 100 + t[3]; }"""
    assert run(text, {"x": I32}).arrays["x"].tolist() == [201 + i for i in range(32)]


def test_surfaces() -> None:
    text = """__global__ void k(cudaSurfaceObject_t s, int *out) { int i = threadIdx.x; int v;
        surf2Dread(&v, s, (i % 4) * 4, i / 4); surf2Dwrite(v + 100, s, (i % 4) * 4, i / 4);
        surf2Dread(&v, s, ((i + 1) % 4) * 4, i / 4); out[i] = v; }"""
    image = TextureImage(np.arange(8, dtype=np.int32).reshape(2, 4))
    found = run(text, {"s": image, "out": np.zeros(8, np.int32)}, block=8)
    assert found.arrays["out"].tolist() == [i // 4 * 4 + (i + 1) % 4 + 100 for i in range(8)]


@pytest.mark.parametrize(
    ("text", "construct"),
    [
        (
            """namespace N { template <class T> struct W { T x; };
            template <class T> __device__ int deeper(T x) { return deeper(W<T>{x}); } }
            __global__ void k(int *x) { x[threadIdx.x] = N::deeper(1); }""",
            "a value of type|call of unknown function",
        ),
        (
            """struct S { Unknown u; int n; };
            __global__ void k(int *x) { S s; s.n = threadIdx.x; x[threadIdx.x] = s.n; }""",
            "a member of an object of unknown layout",
        ),
    ],
)
def test_objects_of_unknown_size_are_refused(text: str, construct: str) -> None:
    with pytest.raises(Refusal, match=construct):
        run(text, {"x": I32})
