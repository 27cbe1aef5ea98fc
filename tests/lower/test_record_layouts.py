"""Size, alignment and offsets of records, beside the declaration; the expected numbers are those of GCC on x86-64."""

from __future__ import annotations

import pytest

from analysis.ir.function import Function
from analysis.ir.parser import parse_function
from analysis.ir.printer import print_function
from analysis.ir.types import PointerType, StructLayout, StructType
from tests.lower.check import check, clean, lower_one

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


BIT_FIELDS = {
    "struct R { unsigned a : 3; int b : 5; bool c : 1; };": (
        4, 4, ["u32 @0 bits 0 3", "s32 @0 bits 3 5", "u8 @1 bits 0 1"]
    ),
    "struct R { int a : 20, b : 20; char c; };": (8, 4, ["s32 @0 bits 0 20", "s32 @4 bits 0 20", "s8 @7"]),
    "struct R { char c; int a : 8; int : 0; short s : 9; };": (
        8, 4, ["s8 @0", "s32 @0 bits 8 8", "s32 @4", "s16 @4 bits 0 9"]
    ),
    "struct R { unsigned long long a : 40; unsigned b : 30; };": (16, 8, ["u64 @0 bits 0 40", "u32 @8 bits 0 30"]),
    "union R { int a : 5; float f; };": (4, 4, ["s32 @0 bits 0 5", "f32 @0"]),
    "struct R { unsigned v : 7 = 5; unsigned w : 9; };": (4, 4, ["u32 @0 bits 0 7", "u32 @0 bits 7 9"]),
}  # fmt: skip


@pytest.mark.parametrize("text", BIT_FIELDS)
def test_bit_fields_take_the_next_bits_unless_they_would_straddle_a_unit(text: str) -> None:
    function = lower_one(f"{text}\n__global__ void k(R *r) {{ r[1] = r[0]; }}", "k").function
    size, alignment, expected = BIT_FIELDS[text]
    layout = layout_of_parameter(function)
    assert (layout.size, layout.alignment) == (size, alignment)
    shown = print_function(function)
    assert all(f": {field}" in shown for field in expected), shown


def test_a_bit_field_is_read_by_shifts_and_written_between_its_neighbours() -> None:
    check(
        "struct R { unsigned a : 3; int b : 5; }; __global__ void k(R *r, int *x) { x[0] = r->b; r->a = x[1]; }",
        """
        block0:
          %2: ptr<global s32> = field %0, 1
          %3: s32 = load %2
          %4: s32 = const 24
          %5: s32 = shl %3, %4
          %6: s32 = const 27
          %7: s32 = shr %5, %6
          %8: s32 = const 0
          %9: ptr<global s32> = element %1, %8
          store %9, %7
          %10: s32 = const 1
          %11: ptr<global s32> = element %1, %10
          %12: s32 = load %11
          %13: ptr<global u32> = field %0, 0
          %14: u32 = convert %12
          %15: u32 = const 7
          %16: u32 = and %14, %15
          %17: u32 = load %13
          %18: u32 = const 4294967288
          %19: u32 = and %17, %18
          %20: u32 = or %19, %16
          store %13, %20
          return
        """,
    )


def test_the_text_of_a_layout_with_bit_fields_is_read_back() -> None:
    text = "struct R { unsigned a : 3; int b : 5; }; __global__ void k(R *r) { r[1] = r[0]; }"
    function = lower_one(text, "k").function
    assert parse_function(print_function(function, spans=True)) == function


def layout_of_parameter(function: Function) -> StructLayout:
    (pointer,) = (function.types[parameter.value] for parameter in function.parameters)
    assert isinstance(pointer, PointerType)
    assert isinstance(pointer.element, StructType)
    return function.structs[pointer.element.name]


@pytest.mark.parametrize("text", LAYOUTS)
def test_a_record_lies_as_a_compiler_lays_it_out(text: str) -> None:
    function = lower_one(f"{text}\n__global__ void k(R *r) {{ r[1] = r[0]; }}", "k").function
    layout = layout_of_parameter(function)
    assert (layout.size, layout.alignment, [field.offset for field in layout.fields]) == LAYOUTS[text]


def test_what_aligns_a_variable_does_not_disturb_its_declaration() -> None:
    text = """__device__ __align__(16) int g[4];
        __global__ void k(int *out) {
          __shared__ __align__(16) int s[8]; extern __shared__ alignas(16) char d[]; alignas(8) int l[2] = {1, 2};
          float4 __align__(16) v = {}; int w __attribute__((aligned(16))) = 3;
          s[0] = l[0] + w + (int)v.x; out[0] = s[0] + g[1] + d[0]; }"""
    clean(text)
