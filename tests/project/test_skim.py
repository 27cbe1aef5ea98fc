"""What a file says at a glance."""

from __future__ import annotations

import pytest

from analysis.ir.pace import pace
from analysis.project.skim import skim

TEXT = b"""\
#include "common.cuh"
#include <cuda_runtime.h>
#include <project/deep.h>
// k<<<1, 1>>>() in a comment
extern void declared(int n);
namespace ns { __global__ void in_namespace(int *x); }
template <int N> __global__ void __launch_bounds__(256) k(int *x) { helper(x); "quoted<<<1, 2>>>"; }
static void launcher(int *x) {
    extern void local_declaration(int);
    k<4><<<1, 256>>>(x);
    cudaLaunchKernel((void *)other<int>, 1, 2, nullptr, 0, 0);
    deep::spelled <<< 1, 2 >>> (x);
    spread << < 1, 2 >> > (x);
}
struct Record { void method() { in_method(); } };
int main() { if (true) { called(); } }
"""


def test_what_a_file_says() -> None:
    seen = skim(TEXT)
    assert seen.includes == ("common.cuh", "project/deep.h")
    assert [(name, TEXT[start : start + 1]) for name, start in seen.kernels] == [("k", b"k")]
    assert seen.launched == {"k", "other", "spelled", "spread"}
    assert seen.defined == {"k", "launcher", "main"}
    for name in ("declared", "in_namespace", "local_declaration"):
        assert (seen.may_declare(name), seen.may_define(name)) == (True, False), name
    for name in ("called", "in_method", "helper"):
        assert (seen.may_declare(name), seen.may_name(name)) == (False, True), name
    assert not seen.may_name("comment")
    assert not seen.may_name("quoted")
    assert not seen.pastes
    assert not seen.unsure


def test_device_functions_with_a_body_have_places() -> None:
    text = b"""
    #define INLINE __device__ __forceinline__
    __device__ float table[2] = {1, 2};
    __device__ int declared(int x);
    struct S { __host__ __device__ int method(int x) const { return x; }
               __device__ int operator()(int i) { return i; } };
    template <class T> __device__ __host__ T free(T x) { return x; }
    int host(int x) { return x; }
    """
    seen = skim(text)
    assert [name for name, _ in seen.functions] == ["method", "free"]
    assert all(text[start:].startswith(name.encode()) for name, start in seen.functions)
    assert seen.kernels == ()


def test_branches_that_split_braces() -> None:
    seen = skim(b"#ifdef A\nvoid f(int x) {\n#else\nvoid f() {\n#endif\n  inner();\n}\nvoid after();\n")
    assert seen.defined == {"f"}
    assert seen.may_declare("after")
    assert not seen.may_declare("inner")
    assert not seen.unsure


@pytest.mark.parametrize("text", [b"void f() { inner();", b"void f() { } } void inner();"])
def test_what_is_not_balanced_may_declare_whatever_it_names(text: bytes) -> None:
    seen = skim(text)
    assert seen.unsure
    assert seen.may_declare("inner")
    assert seen.may_define("inner")


def test_pasted_words_may_be_any() -> None:
    seen = skim(b"#define RUN(n) kernel_##n<<<1, 2>>>()\n")
    assert seen.pastes
    assert seen.may_name("kernel_fast")


def test_macros_that_declare() -> None:
    seen = skim(b"DECLARE_KERNEL(k)\nint table[] = { value };\nvoid use() { k<<<1, 2>>>(); }\n")
    assert seen.may_declare("k")
    assert not seen.may_define("k")


def test_names_in_macros() -> None:
    seen = skim(b"#define RUN(x) \\\n  k<<<1, 2>>>(x)\n#define OTHER 3\nvoid f() { g(); }\n")
    assert seen.defined == {"f"}
    assert seen.may_name_elsewhere("k")
    assert not seen.may_name_elsewhere("g")
    assert not seen.may_name_elsewhere("f")


def test_any_bytes_are_a_file() -> None:
    assert skim(b"").words == frozenset()
    assert skim(b"\xff\xfe{}{}}#else\n#endif\n\0__global__").unsure


def test_names_that_strings_hold() -> None:
    text = b'''f("kernel", "&ns::other<float, 4>", "_Z8brighterPfi", "two words", "%d", "x.cu", 'c'); // "comment"'''
    assert skim(text).quoted >= {"kernel", "ns", "other", "brighter"}
    assert skim(text).quoted.isdisjoint({"two", "words", "d", "x", "comment"})


@pytest.mark.parametrize("text", [b"int a = f(1); " * 30_000, b"#define M(a) a\n" * 30_000, b"1, " * 150_000])
def test_others_get_their_turn_while_a_long_text_is_skimmed(text: bytes) -> None:
    turns: list[None] = []
    with pace(lambda: turns.append(None)):
        skim(text)
    assert len(turns) >= 5
