"""Products of matrices by a warp: `nvcuda::wmma`, PTX `mma.sync` and `ldmatrix`, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.sim.running import run


def numbers(rows: int, columns: int, kind: Any, seed: int) -> NDArray[Any]:
    """Small integers: every format holds them and their products."""
    return np.random.default_rng(seed).integers(-4, 5, (rows, columns)).astype(kind)


def wmma(a: str, b: str, c: str, memory: str = "mem_row_major", stride: int = 16) -> str:
    return f"""#include <mma.h>
        using namespace nvcuda;
        __global__ void k({a} *a, {b} *b, {c} *c) {{
            wmma::fragment<wmma::matrix_a, 16, 16, 16, {a}, wmma::row_major> fa;
            wmma::fragment<wmma::matrix_b, 16, 16, 16, {b}, wmma::col_major> fb;
            wmma::fragment<wmma::accumulator, 16, 16, 16, {c}> fc;
            wmma::load_matrix_sync(fc, c, {stride}, wmma::{memory});
            for (int i = 0; i < 32; i += 16) {{
                wmma::load_matrix_sync(fa, a + i, 32);
                wmma::load_matrix_sync(fb, b + i, 32);
                wmma::mma_sync(fc, fa, fb, fc);
            }}
            for (int i = 0; i < fc.num_elements; i++) fc.x[i] = fc.x[i] * ({c})2;
            wmma::store_matrix_sync(c, fc, {stride}, wmma::{memory});
        }}"""


@pytest.mark.parametrize(
    ("element", "held", "accumulator", "sum"),
    [
        ("half", np.float16, "float", np.float32),
        ("half", np.float16, "half", np.float16),
        ("signed char", np.int8, "int", np.int32),
    ],
)
def test_a_product_by_fragments(element: str, held: Any, accumulator: str, sum: Any) -> None:
    a, b, c = numbers(16, 32, held, 1), numbers(16, 32, held, 2), numbers(16, 16, sum, 3)
    found = run(wmma(element, element, accumulator), {"a": a.ravel(), "b": b.ravel(), "c": c.ravel()})
    assert found.faults == ()
    expected = 2 * (a.astype(np.int64) @ b.astype(np.int64).T + c.astype(np.int64))
    assert (found.arrays["c"].reshape(16, 16) == expected).all()


def test_an_accumulator_by_columns_and_a_warp_of_its_own() -> None:
    a, b, c = numbers(16, 32, np.float16, 1), numbers(16, 32, np.float16, 2), numbers(16, 20, np.float32, 3)
    text = wmma("half", "half", "float", "mem_col_major", stride=20)
    found = run(text, {"a": a.ravel(), "b": b.ravel(), "c": c.ravel()})
    expected = c.copy()
    expected[:, :16] = 2 * (a.astype(np.float32) @ b.astype(np.float32).T + c[:, :16].T).T
    assert (found.arrays["c"].reshape(16, 20) == expected).all()


def mma(shape: str, kinds: str, registers: tuple[int, int, int], c: str) -> str:
    first, second, third = registers
    constraint = {"float": "f", "int": "r", "double": "d"}[c]
    word = "double" if c == "double" else "unsigned"
    ab = "d" if c == "double" else "r"
    d = ", ".join(f"%{index}" for index in range(third))
    a = ", ".join(f"%{third + index}" for index in range(first))
    b = ", ".join(f"%{third + first + index}" for index in range(second))
    outputs = ", ".join(f'"+{constraint}"(c[l * {third} + {index}])' for index in range(third))
    left = ", ".join(f'"{ab}"(a[l * {first} + {index}])' for index in range(first))
    right = ", ".join(f'"{ab}"(b[l * {second} + {index}])' for index in range(second))
    return f"""__global__ void k({word} *a, {word} *b, {c} *c) {{ int l = threadIdx.x;
        asm volatile("mma.sync.aligned.{shape}.row.col.{kinds} {{{d}}}, {{{a}}}, {{{b}}}, {{{d}}};"
            : {outputs} : {left}, {right}); }}"""


# For element i of lane l the row and column, transcribed from the figures of the PTX ISA.
def a_m16n8k16(lane: int, index: int) -> tuple[int, int]:
    return lane // 4 + (8 if index // 2 % 2 else 0), lane % 4 * 2 + index % 2 + (8 if index >= 4 else 0)


def b_k16n8(lane: int, index: int) -> tuple[int, int]:
    return lane % 4 * 2 + index % 2 + (8 if index >= 2 else 0), lane // 4


def a_tf32(lane: int, index: int) -> tuple[int, int]:
    return lane // 4 + (8 if index in (1, 3) else 0), lane % 4 + (4 if index >= 2 else 0)


def b_tf32(lane: int, index: int) -> tuple[int, int]:
    return lane % 4 + 4 * index, lane // 4


def a_s8(lane: int, index: int) -> tuple[int, int]:
    return lane // 4 + (8 if index // 4 % 2 else 0), lane % 4 * 4 + index % 4 + (16 if index >= 8 else 0)


def b_s8(lane: int, index: int) -> tuple[int, int]:
    return lane % 4 * 4 + index % 4 + (16 if index >= 4 else 0), lane // 4


def a_f64(lane: int, index: int) -> tuple[int, int]:
    return lane // 4, lane % 4


def b_f64(lane: int, index: int) -> tuple[int, int]:
    return lane % 4, lane // 4


def c_16(lane: int, index: int) -> tuple[int, int]:
    return lane // 4 + (8 if index >= 2 else 0), lane % 4 * 2 + index % 2


@pytest.mark.parametrize(
    ("shape", "kinds", "sizes", "first", "second", "held", "sum"),
    [
        ("m16n8k16", "f32.f16.f16.f32", (16, 8, 16), a_m16n8k16, b_k16n8, np.float16, "float"),
        ("m16n8k8", "f32.tf32.tf32.f32", (16, 8, 8), a_tf32, b_tf32, np.float32, "float"),
        ("m16n8k32", "s32.s8.s8.s32", (16, 8, 32), a_s8, b_s8, np.int8, "int"),
        ("m8n8k4", "f64.f64.f64.f64", (8, 8, 4), a_f64, b_f64, np.float64, "double"),
    ],
)
def test_a_product_in_registers(
    shape: str, kinds: str, sizes: tuple[int, int, int], first: Any, second: Any, held: Any, sum: str
) -> None:
    m, n, k = sizes
    a, b = numbers(m, k, held, 1), numbers(k, n, held, 2)
    c = numbers(m, n, {"float": np.float32, "int": np.int32, "double": np.float64}[sum], 3)

    def shared(matrix: NDArray[Any], place: Any) -> NDArray[Any]:
        count = matrix.size // 32
        return np.array([matrix[place(lane, index)] for lane in range(32) for index in range(count)], matrix.dtype)

    words = np.float64 if sum == "double" else np.uint32
    left, right, addend = shared(a, first), shared(b, second), shared(c, c_16)
    counts = (left.nbytes, right.nbytes, addend.nbytes)
    width = 8 if sum == "double" else 4
    registers = tuple(count // 32 // width for count in counts)
    assert len(registers) == 3
    found = run(mma(shape, kinds, registers, sum), {"a": left.view(words), "b": right.view(words), "c": addend})
    assert found.faults == ()
    expected = a.astype(np.float64) @ b.astype(np.float64) + c
    assert found.arrays["c"].tolist() == shared(expected, c_16).tolist()


@pytest.mark.parametrize("transposed", [False, True])
def test_rows_are_handed_round(transposed: bool) -> None:
    word = ".trans" if transposed else ""
    text = f"""__global__ void k(unsigned short *in, unsigned *out) {{
        __shared__ __align__(16) unsigned short s[256]; int l = threadIdx.x;
        for (int i = l; i < 256; i += 32) s[i] = in[i];
        __syncwarp();
        unsigned r0, r1, r2, r3, at = (unsigned)__cvta_generic_to_shared(s + l * 8);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4{word}.shared.b16 {{%0, %1, %2, %3}}, [%4];"
            : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(at));
        out[l] = r0; out[32 + l] = r1; out[64 + l] = r2; out[96 + l] = r3; }}"""
    given = np.arange(256, dtype=np.uint16)
    found = run(text, {"in": given, "out": np.zeros(128, np.uint32)})
    assert found.faults == ()
    matrices = given.reshape(4, 8, 8)
    expected = matrices.transpose(0, 2, 1) if transposed else matrices
    assert (found.arrays["out"].view(np.uint16).reshape(4, 8, 8) == expected).all()
