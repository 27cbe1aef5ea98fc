"""Template template parameters: bound to the class template itself."""

from __future__ import annotations

from tests.lower.check import constructs, lower_all

REDUCTION = """
    template <class T> struct Sum { static constexpr T init = 5; __device__ T operator()(T a, T b) { return a + b; } };
    template <class T> struct Max { static constexpr T init = 9; __device__ T operator()(T a, T b) { return a; } };
    template <template <class> class Op, class T> __device__ T reduced(T x) { Op<T> op; return op(x, Op<T>::init); }
"""


def test_the_instance_calls_the_argument() -> None:
    lowered = lower_all(REDUCTION + "__global__ void k(int* a) { a[0] = reduced<Sum>(1) + reduced<Max, int>(2); }")
    called = {id.partition("(")[0]: [str(each) for each in found.callees] for id, found in lowered.items()}
    assert called["k"] == ["reduced<Sum, int>(T x)", "reduced<Max, int>(T x)"]
    assert called["reduced<Sum, int>"] == ["Sum<int>::operator()(T a, T b)"]
    assert called["reduced<Max, int>"] == ["Max<int>::operator()(T a, T b)"]
    assert constructs(lowered[next(id for id in lowered if id.startswith("reduced<Max"))]) == []


def test_without_an_argument_it_is_not_known() -> None:
    lowered = lower_all(REDUCTION)
    generic = next(found for id, found in lowered.items() if id.startswith("reduced("))
    assert "call of op, a Op" in constructs(generic)


def test_a_class_template_takes_one() -> None:
    text = """
        template <template <class> class Op, class T> struct Wrap { __device__ int of() { return Op<T>::init; } };
        template <template <class> class Op, class T> struct Wrap<Op, T*> { __device__ int of() { return 1; } };
        __global__ void k(int* a) { Wrap<Sum, int> w; Wrap<Max, int*> v; a[0] = w.of() + v.of(); }"""
    lowered = lower_all(REDUCTION + text)
    kernel = next(found for id, found in lowered.items() if id.startswith("k("))
    assert [str(each) for each in kernel.callees] == ["Wrap<Sum, int>::of()", "Wrap<Max, int*>::of()"]
