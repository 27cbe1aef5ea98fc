"""Detection idioms: what a type has, as constants; what is not known is said to be so, and never guessed."""

from __future__ import annotations

import pytest

from analysis.ir.types import ArrayType
from tests.sim.running import kernel_of

TEXT = """
template <class T, class = void> struct has_x : std::false_type {};
template <class T> struct has_x<T, std::void_t<decltype(std::declval<T>().x)>> : std::true_type {};
template <class T, class = void> struct has_size : std::false_type {};
template <class T> struct has_size<T, std::void_t<decltype(std::declval<T&>().size())>> : std::true_type {};
template <class T, class = void> struct has_type : std::false_type {};
template <class T> struct has_type<T, std::void_t<typename T::value_type>> : std::true_type {};
template <class, template <class> class Op, class T> struct detector : std::false_type {};
template <template <class> class Op, class T> struct detector<std::void_t<Op<T>>, Op, T> : std::true_type {};
template <class T> using size_of = decltype(std::declval<T&>().size());
template <class T> concept Integer = std::is_integral_v<T>;
template <class T> concept Sized = requires(T a) { { a.size() } -> std::same_as<int>; };
template <class T> concept Whole = requires(T a, const T& b) {
  a.n; typename T::value_type; { a.n } -> std::same_as<int&>; { a.size() } -> Integer; requires Integer<int>;
};
template <class T> concept Addable = requires(T a, T b) { a + b; { a * b } -> std::convertible_to<float>; };
template <class T> concept Modular = requires(T a) { a % a; };
template <class T> concept Both = Integer<T> && Addable<T> && !Sized<T>;
template <class T> concept Quiet = requires(T a) { { a.size() } noexcept; };
template <class T> concept Calls = requires(T a) { unseen(a); };
template <class F, class... A> concept Callable = requires(F f, A... a) { f(a...); };
template <class T> concept Counts = requires(T& a) { ++a; a++; };
template <class T> concept Indexed = requires(T a, int i) { a[i]; };
struct Two { int operator()(int, float) const; int operator()(Two) const; };
struct Steps { Steps& operator++(); Steps operator++(int); float operator[](int) const; };
struct Converts { operator int*() const; };
template <class T> struct Any { template <class U> int operator()(U) const; };
struct Point { int x; };
struct Method { int n; using value_type = float; __device__ int size() { return 3; } };
struct Field { float n; int size; static constexpr int x = 1; };
struct Empty {};
class Hidden { int x; };
struct Partly { int a; private: int x; };
struct Unknown : Elsewhere {};
struct Long { __device__ long size() const { return 3; } };
struct Derived : Method {};
struct Closed : private Method {};
template <class T> struct Holder { T x; };
"""


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("has_x<Point>::value", True),
        ("has_x<float2>::value", True),
        ("has_x<Holder<int>>::value", True),
        ("has_x<Field>::value", True),
        ("has_x<float>::value", False),
        ("has_x<Method>::value", False),
        ("has_x<Point*>::value", False),
        ("has_x<Hidden>::value", None),
        ("has_x<Partly>::value", None),
        ("has_x<Unknown>::value", None),
        ("has_x<NotSeen>::value", None),
        ("has_size<Method>::value", True),
        ("has_size<Derived>{}", True),
        ("has_size<Closed>::value", None),
        ("has_size<Empty>::value", False),
        ("has_size<Field>::value", False),
        ("has_size<int>::value", False),
        ("has_size<const Long>::value", True),
        ("has_size<const Method>::value", False),
        ("has_type<Method>::value", True),
        ("has_type<Empty>::value", False),
        ("has_type<int>::value", False),
        ("has_type<Unknown>::value", None),
        ("detector<void, size_of, Method>::value", True),
        ("detector<void, size_of, Empty>::value", False),
        ("Sized<Method>", True),
        ("Sized<Long>", False),
        ("Sized<float>", False),
        ("Whole<Method>", True),
        ("Whole<Field>", False),
        ("Addable<float>", True),
        ("Addable<Empty>", False),
        ("Modular<int>", True),
        ("Modular<float>", False),
        ("Both<int>", True),
        ("Both<float>", False),
        ("Quiet<Method>", None),
        ("Quiet<Empty>", False),
        ("Calls<Empty>", None),
        ("Callable<Two, int, char>", True),
        ("Callable<Two, Two>", True),
        ("Callable<Two, Two*>", False),
        ("Callable<Two>", False),
        ("Callable<Empty>", False),
        ("Callable<int, int>", False),
        ("Callable<Point*>", False),
        ("Callable<Unknown>", None),
        ("Callable<Any<int>, float>", True),
        ("Counts<int>", True),
        ("Counts<Steps>", True),
        ("Counts<Empty>", False),
        ("Counts<Unknown>", None),
        ("Indexed<Steps>", True),
        ("Indexed<Empty>", False),
        ("Indexed<Converts>", None),
        ("std::signed_integral<int> && !std::signed_integral<unsigned>", True),
        ("std::unsigned_integral<bool>", True),
        ("std::derived_from<Derived, Method>", True),
        ("std::derived_from<Method, Derived>", False),
        ("std::derived_from<Closed, Method>", None),
        ("std::is_same_v<decltype(std::declval<Method>().size()), int>", True),
        ("std::is_same_v<decltype(std::declval<Field&>().n), float>", True),
    ],
)
def test_what_a_type_has(question: str, expected: bool | None) -> None:
    text = f"{TEXT}__global__ void k(int* p) {{ __shared__ char s[{question} ? 2 : 1]; p[0] = s[0]; }}"
    symbol = next(each for each in kernel_of(text).function.symbols if each.name == "s")
    assert isinstance(symbol.type, ArrayType)
    assert symbol.type.length == (None if expected is None else 2 if expected else 1)
