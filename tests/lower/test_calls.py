"""Calls: what is loaded for them, and what they may change."""

from __future__ import annotations

import pytest

from analysis.ir.instructions import Allocate, Atomic, DeviceLaunch, Load, Opaque, SymbolAddress
from analysis.ir.printer import print_type
from tests.lower.check import clean, constructs, lower_one


def test_an_argument_by_reference_is_not_loaded() -> None:
    function = lower_one("__global__ void k(int* a, int n) { int v = 3; std::swap(v, n); a[0] = v; }", "k").function
    names = {
        each.result: function.symbols[each.symbol].name
        for _, each in function.instructions()
        if isinstance(each, SymbolAddress)
    }
    loaded = [names[each.address] for _, each in function.instructions() if isinstance(each, Load)]
    assert sorted(loaded) == ["a", "n", "v", "v"]  # the swap itself reads both once


def test_a_launch_from_the_device_changes_no_local_variable_and_holds_no_barrier() -> None:
    text = """
        __global__ void c(int* a, int v);
        __global__ void k(int* a, int n) { int v = n; c<<<n, 32>>>(a, v); a[0] = v; }"""
    lowered = lower_one(text, "k")
    assert constructs(lowered) == []
    (launch,) = [each for _, each in lowered.function.instructions() if isinstance(each, DeviceLaunch)]
    assert [print_type(lowered.function.types[value]) for value in launch.values] == [
        "s32",
        "s32",
        "ptr<global s32>",
        "s32",
    ]


def test_what_decides_a_launch_from_the_device_is_computed() -> None:
    text = "__global__ void c(); __global__ void k(int* a) { c<<<atomicAdd(a, 1), dim3(32, 2)>>>(); }"
    assert any(isinstance(each, Atomic) for _, each in lower_one(text, "k").function.instructions())


@pytest.mark.parametrize("callee", ["*f", "f", "*(table[1])"])
def test_a_call_through_a_function_pointer_does_not_change_the_pointer(callee: str) -> None:
    text = f"""
        typedef int (*F)(int); __device__ F table[2];
        __global__ void k(int* a, F f) {{ a[1] = ({callee})(a[0]); }}"""
    assert constructs(lower_one(text, "k")) == [f"call through function pointer {callee}"]


def test_placement_new_constructs_where_it_is_told() -> None:
    text = """
        struct T { int x; __device__ T(int y) : x(y) {} };
        __global__ void k(char* a, int n) { T* t = new (a) T(3); int* v = new (a) int[n]; v[1] = t->x; }"""
    function = next(value.function for id, value in clean(text).items() if id.startswith("k("))
    assert not [each for _, each in function.instructions() if isinstance(each, Allocate | Opaque)]


UNDERSTOOD = {
    "tf32 matrices": """
        using namespace nvcuda;
        __global__ void k(float* a) {
          wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> f;
          wmma::load_matrix_sync(f, a, 16);
          for (int i = 0; i < f.num_elements; i++) f.x[i] = wmma::__float_to_tf32(f.x[i]); a[0] = f.x[0]; }""",
    "extents": """
        __constant__ cudaExtent size;
        __global__ void k(int* a, cudaExtent e) { a[0] = e.width > size.height ? e.depth : 0; }""",
    "memory for large tiles": """
        namespace cg = cooperative_groups;
        __global__ void k(int* a) { __shared__ cg::block_tile_memory<128> m; auto b = cg::this_thread_block(m);
          cg::tiled_partition<64>(b).sync(); a[0] = b.thread_rank(); }""",
    "aligned sizes": "__global__ void k(long* a) { a[0] = cuda::aligned_size_t<alignof(int4)>(sizeof(int4)); }",
    "roles": "__global__ void k(int* a) { auto r = cuda::pipeline_role::consumer; a[0] = (int)r; }",
}


@pytest.mark.parametrize("text", UNDERSTOOD.values(), ids=UNDERSTOOD.keys())
def test_nothing_is_opaque(text: str) -> None:
    clean(text)


def test_an_explicit_specialisation_is_called_for_its_arguments() -> None:
    text = """template <int N> __device__ float f(float x) { return x + f<N - 1>(x); }
        template <> __device__ float f<-1>(float x) { return 0; }
        template <class T> __device__ T made();
        template <> __device__ int made<int>() { return 1; }
        template <> __device__ float made<float>() { return 2; }
        __global__ void k(float *x) { x[0] = f<1>(x[1]) + made<int>() + made<float>(); }"""
    callees = lower_one(text, "k").callees
    assert [str(callee) for callee in callees] == ["f<1>(float x)", "made<int>()", "made<float>()"]
