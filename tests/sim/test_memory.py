"""Memory of all kinds: values, aggregates, spaces, initial contents, and the faults of accesses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sim.faults import AccessKind, Misaligned, OutOfBounds, ReadOnlyWrite, UninitialisedRead
from sim.refusals import LaunchError, Refusal
from sim.specification import Array, Budget, ChosenArray, Filling, SameAs, Scalar, Struct
from tests.sim.running import run

I = np.arange(64)  # noqa: E741


def floats(count: int = 64) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.arange(count, dtype=np.float32)


def test_shared_memory_reverses_a_block() -> None:
    text = """__global__ void k(float *x) { __shared__ float s[64]; int i = threadIdx.x;
        s[i] = x[blockIdx.x * 64 + i]; __syncthreads(); x[blockIdx.x * 64 + i] = s[63 - i]; }"""
    found = run(text, {"x": floats(256)}, grid=4, block=64)
    assert (found.arrays["x"] == floats(256).reshape(4, 64)[:, ::-1].ravel()).all()
    assert found.faults == ()


def test_dynamic_shared_memory() -> None:
    text = """__global__ void k(int *x) { extern __shared__ int s[]; short *t = (short *)&s[64]; int i = threadIdx.x;
        s[i] = i; t[i] = 2 * i; __syncthreads(); x[i] = s[63 - i] + t[i ^ 1]; }"""
    found = run(text, {"x": np.zeros(64, np.int32)}, block=64, shared=64 * 6)
    assert (found.arrays["x"] == 63 - I + 2 * (I ^ 1)).all()
    assert found.faults == ()


def test_two_dimensional_shared_array() -> None:
    text = """__global__ void k(int *x) { __shared__ int tile[8][9]; int a = threadIdx.x, b = threadIdx.y;
        tile[b][a] = x[b * 8 + a]; __syncthreads(); x[b * 8 + a] = tile[a][b]; }"""
    found = run(text, {"x": np.arange(64, dtype=np.int32)}, block=(8, 8, 1))
    assert (found.arrays["x"] == np.arange(64).reshape(8, 8).T.ravel()).all()


def test_local_arrays() -> None:
    text = """__global__ void k(int *x) { int t[5]; int i = threadIdx.x;
        for (int j = 0; j < 5; j++) t[(j + i) % 5] = i * 10 + j; x[i] = t[2]; }"""
    found = run(text, {"x": np.zeros(64, np.int32)}, block=64)
    assert (found.arrays["x"] == I * 10 + (2 - I) % 5).all()
    assert found.faults == ()


def test_constant_memory_and_device_variables() -> None:
    text = """__constant__ float weight[4]; __device__ int total[2]; __device__ float bias;
        __global__ void k(float *x) { int i = threadIdx.x; x[i] = weight[i & 3] + bias; total[i & 1] = i; }"""
    found = run(
        text,
        {"x": floats()},
        block=64,
        variables={"weight": np.array([1, 2, 3, 4], np.float32), "bias": 0.5},
    )
    assert (found.arrays["x"] == (I & 3) + 1.5).all()
    assert found.variables["total"].tolist() == [62, 63]


def test_initial_contents_of_variables() -> None:
    text = """__constant__ float weight[2][2] = {{1.5f, 2}, {3}}; __device__ int counter = 5;
        __device__ int step[] = {1, 2, 3};
        struct Pair { int a; float b; }; __constant__ Pair pair = {7, 0.25f};
        __global__ void k(float *x) { int i = threadIdx.x;
          x[i] = weight[i >> 1 & 1][i & 1] + counter + step[i % 3] + pair.a * pair.b; }"""
    found = run(text, {"x": floats()}, block=64)
    weight = np.array([[1.5, 2], [3, 0]])
    assert (found.arrays["x"] == weight[I >> 1 & 1, I & 1] + 5 + np.array([1, 2, 3])[I % 3] + 1.75).all()


def test_arrays_of_characters_hold_their_string() -> None:
    text = r"""__constant__ char word[] = "a\n\x41\0b" "\103"; __device__ unsigned char padded[6] = "xy";
        __global__ void k(int *x) { int i = threadIdx.x; char local[] = "q\"r";
          x[i] = i < sizeof(word) ? word[i] : i < 13 ? padded[i - 7] : local[i - 13]; }"""
    found = run(text, {"x": np.zeros(17, np.int32)}, block=17)
    assert bytes(found.arrays["x"].astype(np.uint8)) == b'a\nA\0bC\0xy\0\0\0\0q"r\0'


def test_structs_and_pointers_to_members() -> None:
    text = """struct Particle { float3 position; char tag; double mass; };
        __device__ void move(Particle *p, float by) { p->position.y += by; p->mass *= 2; p->tag = 'x'; }
        __global__ void k(Particle *p) { move(&p[threadIdx.x], threadIdx.x); }"""
    names, formats, offsets = ["p", "tag", "mass"], ["3f4", "i1", "f8"], [0, 12, 16]
    kind = np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": 24})
    particles = np.zeros(32, kind)
    particles["mass"] = 1.5
    found = run(text, {"p": particles}).arrays["p"]
    assert (found["p"][:, 1] == np.arange(32)).all()
    assert (found["tag"] == ord("x")).all()
    assert (found["mass"] == 3.0).all()


def test_a_struct_by_value_with_pointers() -> None:
    text = """struct View { int *data; int n; float2 scale; };
        __global__ void k(View v, int *out) { int i = threadIdx.x; if (i < v.n) out[i] = v.data[i] * v.scale.y; }"""
    view = Struct({"data": Array(np.arange(20, dtype=np.int32)), "n": Scalar(20), "scale": Struct({"y": Scalar(3.0)})})
    found = run(text, {"v": view, "out": np.zeros(32, np.int32)})
    assert found.arrays["out"].tolist() == [3 * i if i < 20 else 0 for i in range(32)]
    assert (found.arrays["v.data"] == np.arange(20)).all()


def test_vectors() -> None:
    text = """__global__ void k(float4 *v, uchar4 *c) { int i = threadIdx.x; float4 a = v[i]; a.z = a.x + a.w; v[i] = a;
        c[i] = make_uchar4(i, 2 * i, 200 + i, 7); }"""
    start = np.arange(128, dtype=np.float32).reshape(32, 4)
    found = run(text, {"v": start, "c": np.zeros((32, 4), np.uint8)})
    start[:, 2] = start[:, 0] + start[:, 3]
    assert (found.arrays["v"] == start).all()
    i = np.arange(32)
    assert (found.arrays["c"] == np.stack([i, 2 * i, 200 + i, 0 * i + 7], axis=1)).all()


def test_unions_and_casts() -> None:
    text = """union Both { float f; unsigned u; unsigned char b[4]; };
        __global__ void k(float *x, unsigned *u) { int i = threadIdx.x; Both both; both.f = x[i];
        u[i] = both.u + both.b[3]; *(unsigned *)&x[i] = 0x3f800000u + i; }"""
    x = floats(32) + 0.5
    found = run(text, {"x": x, "u": np.zeros(32, np.uint32)})
    assert (found.arrays["u"] == x.view(np.uint32) + (x.view(np.uint32) >> 24)).all()
    assert (found.arrays["x"].view(np.uint32) == 0x3F800000 + np.arange(32)).all()
    assert found.faults == ()


def test_pointers_that_walk() -> None:
    text = """__global__ void k(const int *x, int *out, int n) { int s = 0;
        for (const int *p = x + threadIdx.x; p < x + n; p += 32) s += *p; out[threadIdx.x] = s; }"""
    x = np.arange(320, dtype=np.int32)
    found = run(text, {"x": x, "out": np.zeros(32, np.int32), "n": 320})
    assert (found.arrays["out"] == x.reshape(10, 32).sum(axis=0)).all()
    assert found.faults == ()


def test_one_buffer_under_two_names() -> None:
    text = "__global__ void k(int *a, int *b) { b[threadIdx.x] = a[threadIdx.x] + 1; }"
    found = run(text, {"a": np.zeros(64, np.int32), "b": SameAs("a", 128)})
    assert found.arrays["a"].tolist() == [0] * 32 + [1] * 32


def test_chosen_arrays_depend_on_the_seed_alone() -> None:
    text = "__global__ void k(float *a, int *b, float2 *c) { a[threadIdx.x] += 1; }"
    chosen = {"a": ChosenArray(32), "b": ChosenArray(10, Filling.INDEX), "c": ChosenArray(4, Filling.ZERO)}
    one, same, other = (run(text, chosen, seed=seed) for seed in (1, 1, 2))
    assert one.memory_digest == same.memory_digest != other.memory_digest
    assert ((one.arrays["a"] >= 1) & (one.arrays["a"] < 2)).all()
    assert one.arrays["b"].tolist() == list(range(10))
    assert one.arrays["c"].shape == (4, 2)


def test_the_heap() -> None:
    text = """__global__ void k(int *out) { int *p = (int *)malloc(8); p[0] = threadIdx.x; p[1] = 5;
        out[threadIdx.x] = p[0] + p[1]; free(p); }"""
    found = run(text, {"out": np.zeros(32, np.int32)})
    assert (found.arrays["out"] == np.arange(32) + 5).all()


def test_the_heap_of_the_device_runtime() -> None:
    text = """__global__ void k(int *out, float **kept) { int *p; int e = cudaMalloc((void **)&p, 8);
        p[0] = threadIdx.x; p[1] = 5; out[threadIdx.x] = p[0] + p[1] + 100 * e;
        e = cudaMalloc(&kept[threadIdx.x], 4); kept[threadIdx.x][0] = 1; e += cudaFree(p);
        out[32 + threadIdx.x] = e + cudaMalloc((void **)&p, 1ull << 40) + 10 * (p == nullptr); }"""
    found = run(text, {"out": np.zeros(64, np.int32), "kept": np.zeros(32, np.int64)})
    assert found.faults == ()
    assert (found.arrays["out"][:32] == np.arange(32) + 5).all()
    assert (found.arrays["out"][32:] == 12).all()
    assert len(set(found.arrays["kept"].tolist())) == 32


def test_the_heap_of_the_device_runtime_is_bounded_by_its_objects() -> None:
    text = "__global__ void k(int *out) { int *p; cudaMalloc((void **)&p, 8); out[0] = p[2]; }"
    (fault,) = run(text, {"out": np.zeros(1, np.int32)}, block=1).faults
    assert isinstance(fault, OutOfBounds)
    assert fault.width == 4


def test_which_space_an_address_lies_in() -> None:
    text = """__global__ void k(int *x) { __shared__ int s; int l[2]; l[threadIdx.x & 1] = 1; int i = threadIdx.x;
        void *p = x; if (i % 3 == 1) p = &s; if (i % 3 == 2) p = l;
        x[i] = __isGlobal(p) + 2 * __isShared(p) + 4 * __isLocal(p); }"""
    assert run(text, {"x": np.zeros(32, np.int32)}).arrays["x"].tolist() == [1 << i % 3 for i in range(32)]


# -- faults -----------------------------------------------------------------------------------------------------------


def test_out_of_bounds_has_evidence() -> None:
    text = "__global__ void k(float *x, float *y) { int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = x[i + 1]; }"
    found = run(text, {"x": floats(64), "y": floats(64)}, grid=2)
    (fault,) = found.faults
    assert isinstance(fault, OutOfBounds)
    assert (fault.buffer, fault.offset, fault.size, fault.access) == ("x", 256, 256, AccessKind.LOAD)
    assert (fault.evidence.block, fault.evidence.thread, fault.evidence.count) == ((1, 0, 0), (31, 0, 0), 1)
    assert text.encode()[fault.evidence.span.start : fault.evidence.span.end] == b"x[i + 1]"
    assert found.extents["x"].high == 260
    assert found.arrays["y"][63] == 0


def test_an_access_that_lands_in_another_buffer_is_still_out_of_bounds() -> None:
    text = "__global__ void k(int *x, int *y) { x[threadIdx.x + 256] = 1; }"
    found = run(text, {"x": np.zeros(32, np.int32), "y": np.zeros(4096, np.int32)})
    (fault,) = found.faults
    assert isinstance(fault, OutOfBounds)
    assert (fault.buffer, fault.evidence.count) == ("x", 32)
    assert not found.arrays["y"].any()


def test_a_negative_index() -> None:
    text = "__global__ void k(int *x) { x[(int)threadIdx.x - 3] = 1; }"
    found = run(text, {"x": np.zeros(32, np.int32)})
    (fault,) = found.faults
    assert isinstance(fault, OutOfBounds)
    assert (fault.offset, fault.evidence.count) == (-12, 3)
    assert found.extents["x"].low == -12


def test_accesses_far_astray_do_not_say_how_long_an_array_is() -> None:
    text = "__global__ void k(int *x, int n) { x[threadIdx.x == 3 ? n : threadIdx.x] = 1; }"
    found = run(text, {"x": np.zeros(16, np.int32), "n": 1 << 30})
    assert [type(fault) for fault in found.faults] == [OutOfBounds]
    assert found.extents["x"].high == 4 * 32


def test_one_byte_too_far() -> None:
    text = "__global__ void k(char *x) { x[threadIdx.x] = 1; }"
    found = run(text, {"x": np.zeros(31, np.int8)})
    (fault,) = found.faults
    assert isinstance(fault, OutOfBounds)
    assert (fault.offset, fault.size, fault.evidence.count) == (31, 31, 1)


def test_null_pointer() -> None:
    text = "__global__ void k(int **p) { *p[0] = 1; }"
    found = run(text, {"p": np.zeros(1, np.int64)})
    (fault,) = found.faults
    assert isinstance(fault, OutOfBounds)
    assert (fault.buffer, fault.offset) == (None, 0)


def test_an_address_past_a_member_is_not_null() -> None:
    """The first buffer lies so low that its end must not be taken for the null page."""
    text = "struct P { int *x; }; __global__ void k(P p) { p.x[threadIdx.x + 100] = 1; }"
    found = run(text, {"p": Struct({"x": Array(np.zeros(64, np.int32))})})
    (fault,) = found.faults
    assert isinstance(fault, OutOfBounds)
    assert not fault.is_null


def test_misaligned() -> None:
    text = "__global__ void k(char *x) { *(int *)(x + threadIdx.x) = 1; }"
    found = run(text, {"x": np.zeros(64, np.int8)})
    (fault,) = found.faults
    assert isinstance(fault, Misaligned)
    assert (fault.offset, fault.evidence.count) == (1, 24)


@pytest.mark.parametrize(
    ("type", "step", "alignment", "bad"),
    [("float4", 4, 16, 24), ("float4", 16, 1, 0), ("float2", 4, 8, 16), ("half2", 2, 4, 16), ("float3", 4, 1, 0),
     ("Aligned", 4, 8, 16), ("Loose", 4, 1, 0)],
)  # fmt: skip
def test_a_type_asks_for_its_own_alignment(type: str, step: int, alignment: int, bad: int) -> None:
    """One instruction reads a vector: CUDA C++ Programming Guide, section 5.3.2, size and alignment requirement."""
    text = f"""struct __align__(8) Aligned {{ int a, b; }}; struct Loose {{ int a, b; }};
        __global__ void k(char *x, {type} *out) {{ out[threadIdx.x] = *({type} *)(x + {step} * threadIdx.x); }}"""
    found = run(text, {"x": np.zeros(1024, np.int8), "out": np.zeros(1024, np.int8)})
    assert [fault.evidence.count for fault in found.faults if isinstance(fault, Misaligned)] == [bad] * (bad > 0)
    assert all(isinstance(fault, Misaligned) and fault.alignment == alignment for fault in found.faults)


def test_bit_fields_of_a_parameter_share_their_unit() -> None:
    text = """struct P { int w; bool wrap : 1; unsigned mode : 3; int s : 6; };
        __global__ void k(P p, int *o) { P q = p; o[0] = p.w; o[1] = p.wrap; o[2] = p.mode; o[3] = p.s;
        o[4] = q.wrap; o[5] = q.mode; o[6] = q.s; }"""
    members = {"w": Scalar(7), "wrap": Scalar(1), "mode": Scalar(5), "s": Scalar(-9)}
    found = run(text, {"p": Struct(members), "o": np.zeros(7, np.int32)}, block=1)
    assert (found.arrays["o"].tolist(), found.faults) == ([7, 1, 5, -9, 1, 5, -9], ())


def test_uninitialised_shared_memory() -> None:
    text = """__global__ void k(int *x) { __shared__ int s[64]; int i = threadIdx.x;
        if (i < 20) s[i] = i; __syncthreads(); x[i] = s[i]; }"""
    found = run(text, {"x": np.zeros(32, np.int32)})
    (fault,) = found.faults
    assert isinstance(fault, UninitialisedRead)
    assert (fault.buffer, fault.offset, fault.evidence.count) == ("s", 80, 12)


def test_uninitialised_local_memory_in_every_wave() -> None:
    text = """__global__ void k(int *x) { int t[4]; int i = threadIdx.x; t[i & 3] = 1;
        x[i] = t[(i + blockIdx.x) & 3]; }"""
    found = run(text, {"x": np.zeros(32, np.int32)}, grid=3000)
    (fault,) = found.faults
    assert isinstance(fault, UninitialisedRead)
    assert fault.evidence.count == 3000 // 4 * 3 * 32


def test_constant_memory_is_read_only() -> None:
    text = """__constant__ int c[4];
        __global__ void k(int *x) { int *p = (int *)c; p[threadIdx.x & 3] = 1; x[0] = c[0]; }"""
    found = run(text, {"x": np.zeros(1, np.int32)})
    assert [type(fault) for fault in found.faults] == [ReadOnlyWrite]
    assert found.arrays["x"][0] == 0


def test_a_fault_in_every_thread_is_one_fault() -> None:
    text = "__global__ void k(int *x) { for (int j = 0; j < 10; j++) x[1000 + j] = j; }"
    found = run(text, {"x": np.zeros(4, np.int32)}, grid=64, block=256)
    (fault,) = found.faults
    assert fault.evidence.count == 64 * 256 * 10


def test_an_allocation_beyond_the_budget() -> None:
    text = "__global__ void k(float *x) { x[threadIdx.x] = 1; }"
    with pytest.raises(LaunchError, match="100,000,000,000 bytes"):
        run(text, {"x": ChosenArray(25_000_000_000)})


def test_malloc_gives_null_where_the_heap_is_full() -> None:
    text = """__global__ void k(int *got) { char *p = (char *)malloc(1ull << 40); got[0] = p != 0;
        for (int i = 0; i < 100; i++) { char *q = (char *)malloc(1 << 20); if (q) { *q = 1; got[1]++; } } }"""
    found = run(text, {"got": np.zeros(2, np.int32)}, block=1)
    assert found.arrays["got"].tolist() == [0, 63]
    assert found.faults == ()


def test_an_argument_that_is_missing() -> None:
    with pytest.raises(LaunchError, match="no argument for the parameter n"):
        run("__global__ void k(int n) { }", {})


def test_what_is_not_understood_is_refused_where_it_is_reached() -> None:
    text = "__global__ void k(int *x, int n) { if (n) x[0] = unheard_of(n); x[1] = 3; }"
    arrays = {"x": np.zeros(2, np.int32)}
    assert run(text, {**arrays, "n": 0}).arrays["x"].tolist() == [0, 3]
    with pytest.raises(Refusal, match="unheard_of") as refusal:
        run(text, {**arrays, "n": 1})
    assert text.encode()[refusal.value.span.start : refusal.value.span.end].startswith(b"unheard_of")


def test_a_large_budget_is_not_touched() -> None:
    text = "__global__ void k(int *x) { x[threadIdx.x] = 1; }"
    found = run(text, {"x": np.zeros(32, np.int32)}, budget=Budget(memory_bytes=1 << 50))
    assert found.arrays["x"].all()


COPIES: dict[str, Callable[[NDArray[np.uint8], NDArray[np.uint8]], NDArray[Any]]] = {
    "memcpy(to, from, 24)": lambda to, source: np.concatenate((source[:24], to[24:])),
    "memcpy(to, from, 23)": lambda to, source: np.concatenate((source[:23], to[23:])),
    "memcpy(to, (char *)from + 1, 9)": lambda to, source: np.concatenate((source[1:10], to[9:])),
    "memcpy(to, from, n)": lambda to, source: np.concatenate((source[:77], to[77:])),
    "memcpy(to, from, 96)": lambda to, source: np.concatenate((source[:96], to[96:])),
    "memmove(to + 1, to, 12)": lambda to, _: np.concatenate((to[:4], to[:12], to[16:])),
    "memset(to, 0, 16)": lambda to, _: np.concatenate((to[:16] * 0, to[16:])),
    "memset(to, 0xAB, 10)": lambda to, _: np.concatenate((to[:10] * 0 + 0xAB, to[10:])),
    "memset(to, n, n)": lambda to, _: np.concatenate((to[:77] * 0 + 77, to[77:])),
}


@pytest.mark.parametrize("call", COPIES)
def test_blocks_of_bytes(call: str) -> None:
    text = f"__global__ void k(float *to, int *from, int n) {{ if (threadIdx.x == 0) {call}; }}"
    random = np.random.default_rng(3)
    to, source = (random.integers(0, 256, 128).astype(np.uint8) for _ in range(2))
    found = run(text, {"to": to.view(np.float32), "from": source.view(np.int32), "n": 77})
    assert found.faults == ()
    assert found.arrays["to"].view(np.uint8).tolist() == COPIES[call](to, source).tolist()


def test_an_array_whose_length_is_not_known_is_refused_and_an_unused_one_is_not() -> None:
    text = "int length(int n); __global__ void k(int *p) { __shared__ int s[length(3)]; p[threadIdx.x] = USE; }"
    with pytest.raises(Refusal, match="s, an array whose length is not known"):
        run(text.replace("USE", "s[0]"), {"p": np.zeros(32, np.int32)})
    result = run(text.replace("USE", "threadIdx.x"), {"p": np.zeros(32, np.int32)})
    assert result.arrays["p"].tolist() == list(range(32))
