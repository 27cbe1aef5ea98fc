"""Class templates of the standard library, and functions that hand their arguments on."""

from __future__ import annotations

import pytest

from tests.lower.check import check, constructs, lower_all

UNDERSTOOD = {
    "arrays": """
        __global__ void k(float* out) {
          cuda::std::array<float, 4> v{1.f, 2.f}; v[1] += threadIdx.x; v.fill(3); float s = v.front() + v.data()[2];
          for (auto x : v) s += x; for (auto it = v.begin(); it != v.end(); ++it) s += *it; auto [a, b, c, d] = v;
          out[v.size()] = s + std::get<1>(v) + a + d; }""",
    "an array as a parameter": """
        template <class T, int N> __device__ T first(std::array<T, N> v) { return v[0]; }
        __global__ void k(std::array<int, 3> shape, int* out) { out[0] = first(shape) + shape[2]; }""",
    "pairs and tuples": """
        __global__ void k(int* out) {
          std::pair<int, float> p{1, 2.f}; std::tuple<int, int> t{3, 4}; std::get<0>(t) += p.first; int a, b;
          std::tie(a, b) = t; std::tie(std::ignore, b) = t; auto [c, d] = std::make_pair(a, b); out[c] = d; }""",
    "sequences": """
        template <size_t... I> __device__ int sum(const int* a, std::index_sequence<I...>) { return (a[I] + ...); }
        template <int N> __device__ int all(const int* a) { return sum(a, std::make_index_sequence<N>{}); }
        __global__ void k(int* a) { a[0] = all<4>(a + 1); }""",
    "optionals and spans": """
        __device__ std::optional<int> half(int x) { if (x % 2) return {}; return x / 2; }
        __global__ void k(cuda::std::span<float> s, int* a) {
          auto h = half(a[0]); if (h) a[1] = *h; a[2] = h.value_or(3) + h.has_value();
          for (auto& x : s) x += 1; if (threadIdx.x < s.size()) s[threadIdx.x] = 2; }""",
    "aggregates without inner braces": """
        struct A { std::array<int, 2> v; float f[2]; int n; };
        __global__ void k(int* a) { A x = {1, 2, 3.f, 4.f, 5}; a[0] = x.v[1] + x.n; }""",
    "a lambda that is handed on": """
        template <class F, class T> __device__ auto call(F&& f, T&& x) {
          return std::forward<F>(f)(std::forward<T>(x)); }
        __global__ void k(int* a) { a[0] = call([=](int x) { return x + 1; }, 2); }""",
    "tags": """
        template <class T> __device__ int f(T x, std::true_type) { return 1; }
        template <class T> __device__ int f(T x, std::false_type) { return 2; }
        __global__ void k(int* a) { a[0] = f(1, std::is_same<int, float>{}) + f(1, std::true_type()); }""",
}


@pytest.mark.parametrize("name", UNDERSTOOD)
def test_understood(name: str) -> None:
    lowered = lower_all(UNDERSTOOD[name])
    reached = [id for id in lowered if id.startswith("k(")]
    while any(new := [callee for id in reached for callee in lowered[id].callees if callee not in reached]):
        reached += new
    assert {id: found for id in reached if (found := constructs(lowered[id]))} == {}


def test_a_tied_variable_holds_the_member() -> None:
    check(
        "__global__ void k(int* a, int n) { int x = 0, y = 0; std::tie(x, y) = std::make_pair(n, a[0]); a[1] = y; }",
        """
        block0:
          %2: s32 = const 0
          %3: s32 = const 0
          %4: s32 = const 0
          %5: ptr<global s32> = element %0, %4
          %6: s32 = load %5
          %7: s32 = const 1
          %8: ptr<global s32> = element %0, %7
          store %8, %6
          return
        """,
    )


def test_a_member_of_a_tuple_can_be_assigned_to() -> None:
    check(
        "__global__ void k(std::pair<int, unsigned>* p) { std::get<1>(p[0]) = threadIdx.x; }",
        """
        block0:
          %1: u32 = special thread.x
          %2: s32 = const 0
          %3: ptr<global struct "std::pair<s32,u32>"> = element %0, %2
          %4: ptr<global u32> = field %3, 1
          store %4, %1
          return
        """,
    )
