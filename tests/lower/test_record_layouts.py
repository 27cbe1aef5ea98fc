"""Size, alignment and offsets of records, beside the declaration; the expected numbers are those of GCC on x86-64."""

from __future__ import annotations

import pytest

from analysis.ir.types import PointerType, StructType
from tests.lower.check import clean, lower_one

LAYOUTS = {
    "struct R { char c; double d; };": (16, 8, [0, 8]),
    "struct alignas(8) R { int a, b; };": (8, 8, [0, 4]),
    "struct __align__(16) R { float x, y, z; };": (16, 16, [0, 4, 8]),
    "struct __builtin_align__(8) R { float x; };": (8, 8, [0]),
    "typedef struct __align__(16) { float x, y, z; } R;": (16, 16, [0, 4, 8]),
    "struct __attribute__((aligned(16))) R { float x; };": (16, 16, [0]),
    "struct R { float x; } __attribute__((aligned(32)));": (32, 32, [0]),
    "typedef struct { float x; } __attribute__((aligned(32))) R;": (32, 32, [0]),
    "typedef struct __attribute__((packed, __aligned__(4))) { char c; double d; } R;": (12, 4, [0, 1]),
    "struct __attribute__((packed)) R { char c; double d; };": (9, 1, [0, 1]),
    "struct __declspec(align(16)) R { int a; };": (16, 16, [0]),
    "#define ALIGN(n) __align__(n)\nstruct ALIGN(16) R { int a; };": (16, 16, [0]),
    "struct alignas(double2) R { int a; };": (16, 16, [0]),
    "struct alignas(4) alignas(16) R { int a; };": (16, 16, [0]),
    "struct alignas(64 / 4) R { int a; };": (16, 16, [0]),
    "union __align__(16) R { int a[3]; float b; };": (16, 16, [0, 0]),
    "struct R { char c; alignas(16) float2 p; char e; };": (32, 16, [0, 16, 24]),
    "struct In { int a; } __attribute__((aligned(16))); struct R { char c; In in; };": (32, 16, [0, 16]),
    "template <class T> struct alignas(2 * sizeof(T)) G { T a, b; }; using R = G<double>;": (16, 16, [0, 8]),
}


@pytest.mark.parametrize("text", LAYOUTS)
def test_a_record_lies_as_a_compiler_lays_it_out(text: str) -> None:
    function = lower_one(f"{text}\n__global__ void k(R *r) {{ r[1] = r[0]; }}", "k").function
    (pointer,) = (function.types[parameter.value] for parameter in function.parameters)
    assert isinstance(pointer, PointerType)
    assert isinstance(pointer.element, StructType)
    layout = function.structs[pointer.element.name]
    assert (layout.size, layout.alignment, [field.offset for field in layout.fields]) == LAYOUTS[text]


def test_what_aligns_a_variable_does_not_disturb_its_declaration() -> None:
    text = """__device__ __align__(16) int g[4];
        __global__ void k(int *out) {
          __shared__ __align__(16) int s[8]; extern __shared__ alignas(16) char d[]; alignas(8) int l[2] = {1, 2};
          float4 __align__(16) v = {}; int w __attribute__((aligned(16))) = 3;
          s[0] = l[0] + w + (int)v.x; out[0] = s[0] + g[1] + d[0]; }"""
    clean(text)
