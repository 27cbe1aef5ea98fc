"""Which function does a call mean?  Each kernel writes what was called, and the expectation is what C++20 says."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.divergence.levels import Level
from analysis.facts.analyzer import Analyzer
from analysis.facts.model import BranchFact
from analysis.facts.settings import AnalysisSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from tests.sim.running import run

CONCEPTS = """
    template <typename T> concept Integer = std::is_integral_v<T>;
    template <typename T> concept Small = Integer<T> && sizeof(T) <= 2;
    template <typename T, typename U> concept Same = std::is_same_v<T, U>;
"""

CASES = {
    "a requirement that does not hold": (
        """
        template <typename T> requires (sizeof(T) == 4) __device__ int f(T x) { return 1; }
        template <typename T> requires (sizeof(T) == 8) __device__ int f(T x) { return 2; }""",
        "f(1.0f), f(1.0)",
        [1, 2],
    ),
    "a null pointer": (
        """
        __device__ int f(const int *p) { return p ? 1 : 2; }
        __device__ int f(int) { return 3; }
        __device__ int g(float *p) { return p ? 4 : 5; }""",
        "f(nullptr), f(0), g(nullptr), g(NULL)",
        [2, 3, 5, 5],
    ),
    "a constrained template beside one that is not": (
        """
        template <typename T> __device__ int f(T x) { return 1; }
        template <Integer T> __device__ int f(T x) { return 2; }""",
        "f(1.0f), f(1)",
        [1, 2],
    ),
    "conjunctions, disjunctions, negations": (
        """
        template <typename T> requires Integer<T> && (sizeof(T) == 4) __device__ int f(T) { return 1; }
        template <typename T> requires (!Integer<T>) || Small<T> __device__ int f(T) { return 2; }""",
        "f(1), f(1.0f), f((short)1)",
        [1, 2, 2],
    ),
    "a requirement behind the parameters": (
        """
        template <typename T> __device__ int f(T x) requires Small<T> { return 1; }
        template <typename T> __device__ int f(T x) requires (!Small<T>) { return 2; }""",
        "f((short)1), f(1)",
        [1, 2],
    ),
    "concepts with further arguments, and of the library": (
        """
        template <Same<float> T> __device__ int f(T) { return 1; }
        template <std::same_as<int> T> __device__ int f(T) { return 2; }
        template <std::floating_point T> requires (sizeof(T) == 8) __device__ int f(T) { return 3; }""",
        "f(1.0f), f(1), f(1.0)",
        [1, 2, 3],
    ),
    "a concept as a value": (
        """
        template <typename T> __device__ int f(T) { if constexpr (Integer<T>) return 1; else return 2; }""",
        "f(1), f(1.0f), Small<short> ? 3 : 4",
        [1, 2, 3],
    ),
    "requirements inside of a requires-expression": (
        """
        namespace n { struct B { struct type { int q; }; }; }
        template <typename T> concept Four = requires(T a) { a + a; requires (sizeof(T) == 4); };
        template <typename T> concept HasType = requires { typename T::type; };""",
        "Four<float>, Four<double>, HasType<n::B>, HasType<int>",
        [1, 0, 1, 0],
    ),
    "constrained specialisations": (
        """
        template <typename T> struct S { static const int v = 1; };
        template <Integer T> struct S<T> { static const int v = 2; };
        template <typename T> requires std::floating_point<T> struct S<T> { static const int v = 3; };""",
        "S<int*>::v, S<int>::v, S<float>::v",
        [1, 2, 3],
    ),
    "abbreviated functions": (
        """
        __device__ int f(auto x) { return 1; }
        __device__ int f(Integer auto x) { return 2; }
        __device__ auto twice(const auto &x) { return x * 2; }
        __device__ auto at(auto *p, auto i) { return p[i]; }
        struct M { int v; __device__ auto add(auto x) const { return v + x; } };""",
        "f(1.0f), f(1), twice(3), at(o, 0), (int)(M{2}.add(1.5f) * 2)",
        [1, 2, 6, 1, 7],
    ),
    "the more special template": (
        """
        template <typename T> __device__ int f(T) { return 1; }
        template <typename T> __device__ int f(T *) { return 2; }
        template <typename T> __device__ int g(T, int) { return 3; }
        template <typename T> __device__ int g(int, T) { return 4; }""",
        "f(1), f(o), g(1.0f, 1), g(1, 1.0f)",
        [1, 2, 3, 4],
    ),
    "methods for constant and for other objects": (
        """
        struct V { int v[3]; __device__ int operator[](int i) const { return v[i]; }
                   __device__ int &operator[](int i) { return v[i]; } };
        struct W { int v; __device__ int which() const { return 1; } __device__ int which() { return 2; } };
        __device__ int filled(int x) { V v; v[0] = x; v[1] = v[0] + 1; return v[1]; }
        __device__ int of_constant() { const W w{}; return w.which(); }
        __device__ int of_other(W w) { return w.which(); }""",
        "filled(4), of_constant(), of_other(W{})",
        [5, 1, 2],
    ),
    "names of inline namespaces": (
        """
        inline namespace v1 { namespace a { __device__ int f() { return 1; } } }
        namespace lib { inline namespace v2 { __device__ int g() { return 2; } } namespace v3 {
            __device__ int g() { return 3; } } }""",
        "a::f(), ::a::f(), v1::a::f(), lib::g(), ::lib::v2::g(), lib::v3::g()",
        [1, 1, 1, 2, 2, 3],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_called(name: str) -> None:
    declarations, calls, expected = CASES[name]
    lines = "".join(f"o[{index}] = {call};" for index, call in enumerate(_split(calls)))
    text = f"{CONCEPTS}{declarations}\n__global__ void k(int *o) {{ {lines} }}"
    result = run(text, {"o": np.zeros(len(expected), np.int32)}, block=1)
    assert result.faults == ()
    assert result.arrays["o"].tolist() == expected


LAMBDAS = """
    __global__ void k(int *o) {
      int base = threadIdx.x;
      auto add = [=]<typename T>(T a, T b) { return a + b + base; };
      auto times = [=]<int N, typename T>(T x) { return N * x; };
      int sum = 0;
      [&]<int... I>(std::integer_sequence<int, I...>) { ((sum += I), ...); }(std::make_integer_sequence<int, 5>{});
      o[0] = add(1, 2);
      o[1] = times.operator()<3>(4);
      o[2] = times.template operator()<5>(4);
      o[3] = sum;
    }"""


def test_lambdas_with_template_parameters() -> None:
    result = run(LAMBDAS, {"o": np.zeros(4, np.int32)}, block=1)
    assert result.faults == ()
    assert result.arrays["o"].tolist() == [3, 12, 20, 10]


@pytest.mark.parametrize("passed", ["f", "std::forward<F>(f)", "static_cast<F &&>(f)", "std::move(f)"])
def test_a_lambda_is_passed_on(passed: str) -> None:
    text = f"""
    template <int I, int N, typename F> __device__ void unrolled(F &&f) {{
      if constexpr (I < N) {{ f(std::integral_constant<int, I>{{}}); unrolled<I + 1, N>({passed}); }}
    }}
    __global__ void k(int *o) {{
      int sum = 0;
      unrolled<0, 4>([&](auto i) {{ constexpr int n = decltype(i)::value; sum += n % 2 ? 10 : n; }});
      o[0] = sum;
    }}"""
    result = run(text, {"o": np.zeros(1, np.int32)}, block=1)
    assert result.faults == ()
    assert result.arrays["o"].tolist() == [22]


DEPENDENT = """
    __device__ int which(float x) { return 1; }
    __device__ int which(double x) { return RESULT; }
    template <typename T> __global__ void k(int *o, T x) { if (which(x)) o[0] = 1; }"""


@pytest.mark.parametrize(("result", "level"), [("2", "grid"), ("threadIdx.x", "varying")])
def test_a_call_that_the_arguments_of_a_template_decide_may_mean_each(result: str, level: str) -> None:
    (branch,) = kernel_branches(DEPENDENT.replace("RESULT", result))
    assert branch.level is Level[level.upper()]


def test_a_requirement_that_is_not_known_chooses_nobody() -> None:
    text = """
    template <typename T> requires Unknown<T> __device__ int which(T x) { return threadIdx.x; }
    template <typename T> __device__ int which(T x) { return 1; }
    __global__ void k(int *o) { if (which(1)) o[0] = 1; }"""
    (branch,) = kernel_branches(text)
    assert branch.level is Level.VARYING


@pytest.mark.parametrize(
    ("for_constants", "level"), [("{ return 1; }", "varying"), ("{ return threadIdx.x; }", "varying"), (";", "varying")]
)
def test_a_method_for_constant_objects_hides_nothing_of_the_other(for_constants: str, level: str) -> None:
    text = f"""
    struct S {{ __device__ int f() const {for_constants} __device__ int f() {{ return threadIdx.x; }} }};
    __global__ void k(int *o) {{ S s; if (s.f()) o[0] = 1; }}"""
    analysis = Analyzer().analyze("a.cu", Document.open(text.encode()), DictLoader(), AnalysisSettings())
    (kernel,) = (function for function in analysis.facts.functions if function.name == "k")
    assert [branch.level for branch in kernel.branches] == [Level[level.upper()]]


def test_a_reference_to_one_of_two_objects_is_written_through() -> None:
    text = """
    struct S {
      int v[4];
      __device__ const int &at(int i) const { return v[i]; }
      __device__ int &at(int i) { int j = i & 3; return v[j]; }
    };
    __global__ void k(int *o) { S s; s.at(1) = threadIdx.x; if (s.at(1)) o[1] = 1; }"""
    (branch,) = kernel_branches(text)
    assert branch.level is Level.VARYING


def kernel_branches(text: str) -> tuple[BranchFact, ...]:
    analysis = Analyzer().analyze("a.cu", Document.open(text.encode()), DictLoader(), AnalysisSettings())
    (kernel,) = (function for function in analysis.facts.functions if function.name == "k")
    assert kernel.opaque == ()
    return kernel.branches


def _split(calls: str) -> list[str]:
    parts: list[str] = []
    depth = 0
    for part in calls.split(", "):
        if depth:
            parts[-1] += ", " + part
        else:
            parts.append(part)
        depth += part.count("(") - part.count(")")
    return parts
