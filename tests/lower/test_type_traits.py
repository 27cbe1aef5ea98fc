"""Traits, limits and variable templates: the constants that a kernel stores, in text order."""

from __future__ import annotations

import pytest

from analysis.ir.instructions import Constant, Store
from analysis.ir.promote import promote
from tests.lower.check import constructs, lower_all, lower_one

TRAITS = {
    "std::is_same<int, signed>::value": True,
    "std::is_same_v<float, double>": False,
    "std::is_same_v<int, int&>": False,
    "std::is_same_v<const int, int>": False,
    "std::is_same_v<const int&, const int&>": True,
    "std::is_same_v<int*, float*>": False,
    "cuda::std::is_same<int, int>::value": True,
    "std::is_same<int, int>{}": True,
    "std::is_integral_v<bool>": True,
    "std::is_integral<float>::value": False,
    "std::is_unsigned_v<size_t>": True,
    "std::is_signed_v<char>": True,
    "std::is_floating_point_v<double>": True,
    "std::is_floating_point_v<__half>": False,
    "std::is_class_v<__half>": True,
    "std::is_arithmetic_v<unsigned char>": True,
    "std::is_pointer_v<int*>": True,
    "std::is_same_v<const int*, int*>": False,
    "std::is_same_v<const int*, std::add_pointer_t<const int&>>": True,
    "std::is_same_v<long, long long>": False,
    "std::is_same_v<char, signed char>": False,
    "std::is_same_v<std::make_signed_t<char>, signed char>": True,
    "std::is_same_v<std::remove_reference_t<const float&>, const float>": True,
    "std::is_same_v<std::decay_t<const float(&)[3]>, const float*>": True,
    "std::is_pointer_v<int>": False,
    "std::is_reference_v<int&>": True,
    "std::is_void_v<void>": True,
    "std::is_enum_v<Color>": True,
    "std::is_integral_v<Color>": False,
    "std::is_base_of_v<Base, Derived>": True,
    "std::is_base_of_v<Derived, Base>": False,
    "std::true_type::value": True,
    "std::false_type()": False,
    "std::bool_constant<YES>::value": True,
    "std::integral_constant<int, 7>::value": 7,
    "std::conjunction_v<std::is_integral<int>, std::is_same<int, float>>": False,
    "std::disjunction<std::is_integral<int>, std::is_same<int, float>>::value": True,
    "std::negation<std::false_type>::value": True,
    "std::is_same_v<std::remove_reference_t<int&>, int>": True,
    "std::is_same_v<std::decay_t<const float&>, float>": True,
    "std::is_same_v<typename std::make_unsigned<int>::type, unsigned>": True,
    "std::is_same_v<std::remove_pointer_t<double*>, double>": True,
    "sizeof(std::common_type_t<char, double>)": 8,
    "sizeof(std::conditional_t<(sizeof(int) > 2), double, char>)": 8,
    "sizeof(std::conditional<false, int, char>::type)": 1,
    "sizeof(typename std::iterator_traits<const double*>::value_type)": 8,
    "std::numeric_limits<float>::is_integer": False,
    "std::numeric_limits<int>::digits": 31,
    "cuda::std::numeric_limits<double>::digits": 53,
    "std::numeric_limits<unsigned char>::digits10": 2,
    "std::numeric_limits<float>::has_infinity": True,
    "std::tuple_size<std::tuple<int, float>>::value": 2,
    "std::tuple_size_v<std::array<int, 5>>": 5,
    "sizeof(std::tuple_element_t<1, std::tuple<int, double>>)": 8,
}
UNKNOWN = {
    "a type that is not visible": "std::is_integral_v<Unseen>",
    "a template parameter": "std::is_integral_v<T>",
}
DECLARED = """
    constexpr bool YES = true; enum Color { RED, GREEN }; struct Base { int b; }; struct Derived : Base {};
    template <class T> struct is_wide { static constexpr bool value = false; };
    template <> struct is_wide<float4> { static constexpr bool value = true; };
    template <class T> constexpr bool is_wide_v = is_wide<T>::value;
    template <class T> inline constexpr int width_v = 1;
    template <> inline constexpr int width_v<float2> = 2;
    template <class T> constexpr int width_v<T*> = 8;
    template <class A, class B> struct same : std::false_type {};
    template <class A> struct same<A, A> : std::true_type {};
    template <class T, class Enable = void> struct kind { static constexpr int value = 0; };
    template <class T> struct kind<T, std::enable_if_t<std::is_integral<T>::value>> { static constexpr int value = 1; };
    template <class T> struct kind<T, typename std::enable_if<std::is_floating_point<T>::value>::type> {
      static constexpr int value = 2; };
    template <class T, int N, bool = (sizeof(T) >= 4)> struct Pack;
    template <class T, int N> struct Pack<T, N, true> { static constexpr int words = N; };
    template <class T, int N> struct Pack<T, N, false> { static constexpr int words = N * sizeof(T) / 4; };
"""
OWN_TRAITS = {
    "is_wide_v<float4>": True,
    "is_wide_v<float>": False,
    "width_v<float>": 1,
    "width_v<float2>": 2,
    "width_v<float*>": 8,
    "same<int, int>::value": True,
    "same<int, float>::value": False,
    "kind<int>::value": 1,
    "kind<float>::value": 2,
    "kind<float4>::value": 0,
    "Pack<float, 4>::words": 4,
    "Pack<char, 8>::words": 2,
}


def stored(text: str) -> list[object]:
    """The constants that the kernel `k` stores; None for a value that is no constant."""
    function = promote(lower_one(text, "k").function)
    values = {one.result: one.value for _, one in function.instructions() if isinstance(one, Constant)}
    return [values.get(one.value) for _, one in function.instructions() if isinstance(one, Store)]


@pytest.mark.parametrize("expression", [*TRAITS, *OWN_TRAITS])
def test_a_trait_is_a_constant(expression: str) -> None:
    expected = int((TRAITS | OWN_TRAITS)[expression])
    for claimed, taken in ((expected, 11), (1 - expected, 22)):
        body = f"{{ if constexpr (int({expression}) == {claimed}) a[0] = 11; else a[1] = 22; }}"
        assert stored(f"{DECLARED} __global__ void k(int* a) {body}") == [taken]


@pytest.mark.parametrize("why", UNKNOWN)
def test_what_is_not_known_decides_nothing(why: str) -> None:
    body = f"{{ if constexpr ({UNKNOWN[why]}) a[0] = 11; else a[1] = 22; }}"
    assert sorted(stored(f"template <class T> __global__ void k(int* a, T t) {body}"), key=str) == [11, 22]


def test_enable_if_chooses_the_overload() -> None:
    text = """
        template <class T> __device__ typename std::enable_if<std::is_floating_point<T>::value, int>::type f(T x) {
          return 1; }
        template <class T> __device__ std::enable_if_t<std::is_integral_v<T> && std::is_signed_v<T>, int> f(T x) {
          return 2; }
        template <class T, std::enable_if_t<std::is_unsigned_v<T>, int> = 0> __device__ int f(T x) { return 3; }
        template <class T, class = std::enable_if_t<std::is_pointer_v<T>>> __device__ int f(T x) { return 4; }
        __global__ void k(int* a) { a[0] = f(1.5f); a[1] = f(2); a[2] = f(3u); a[3] = f(a); }"""
    lowered = lower_all(text)
    called = [str(id) for id in lowered[next(id for id in lowered if id.startswith("k("))].callees]
    assert [id.partition("(")[0] for id in called] == ["f<float>", "f<int>", "f<unsigned, 0>", "f<int*, void>"]
    assert all(constructs(each) == [] for id, each in lowered.items() if id in called)


def test_an_array_gives_its_length() -> None:
    text = """
        template <int N> __device__ int f(const int (&items)[N]) { return N; }
        template <class T, int N> __device__ int g(cuda::std::array<T, N> items) { return N; }
        __global__ void k(int* a) { int v[5]; cuda::std::array<float, 7> w; a[0] = f(v); a[1] = g(w); }"""
    lowered = lower_all(text)
    called = [str(id) for id in lowered[next(id for id in lowered if id.startswith("k("))].callees]
    assert [id.partition("(")[0] for id in called] == ["f<5>", "g<float, 7>"]
