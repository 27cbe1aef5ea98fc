"""CAL701; what compilers say of it is in `tests/sides`."""

from __future__ import annotations

from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.rules.check import check
from analysis.rules.diagnostic import Severity
from analysis.rules.diagnostic_cache import DiagnosticCache
from analysis.rules.settings import RuleSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from tests.rules.fixture import check_fixture

ONLY = RuleSettings(select=frozenset({"CAL701"}))


def test_the_message_names_both_sides_and_the_declaration() -> None:
    text = "int f(int x) { return x; }\n__global__ void k(int *p) { *p = f(1); }  //~ illegal-call\n"
    (found,) = check_fixture(text, ONLY)
    assert (found.code, found.severity, found.tier, found.function) == ("CAL701", Severity.ERROR, None, "k")
    assert found.message == "`f` runs on the host alone: a kernel cannot call it."
    assert text[found.start : found.end] == "f"
    (declared,) = found.related
    assert text[declared.location.start : declared.location.end] == "f"
    assert declared.location.start == text.index("f(")


def test_a_kernel_is_launched() -> None:
    (found,) = check_fixture(
        "__global__ void k(int *p) { *p = 1; }\nvoid f(int *p) { k(p); }  //~ illegal-call\n", ONLY
    )
    assert found.message == "`k` is a kernel: it is not called but launched, `k<<<grid, block>>>(…)`."
    assert found.function == "f"


def test_what_an_unseen_header_may_say_is_left_alone() -> None:
    unknown = '#include "unseen.h"\nSHARED int f(int x) { return x; }\n__global__ void k(int *p) { *p = f(1); }\n'
    check_fixture(unknown, ONLY)
    known = unknown.replace("SHARED ", "static inline ").replace("f(1); }", "f(1); }  //~ illegal-call")
    check_fixture(known, ONLY)
    of_macro = '#define SHARED inline\n#include "unseen.h"\n' + known.split("\n", 1)[1].replace(
        "static inline", "SHARED"
    )
    check_fixture(of_macro, ONLY)
    check_fixture(unknown.replace("SHARED int", "int").replace("f(1)", "g(1)"), ONLY)


def test_a_macro_for_both_sides() -> None:
    check_fixture(
        """
#ifdef __CUDACC__
#define BOTH __host__ __device__
#else
#define BOTH
#endif
BOTH int f(int x) { return x; }
__global__ void k(int *p) { *p = f(1); }
int g() { return f(1); }
""",
        ONLY,
    )


def test_an_unknown_macro_may_leave_its_arguments_out() -> None:
    check_fixture(
        """
#include "unseen.h"
int f(int x) { return x; }
__global__ void k(int *p) { ON_HOST(f(1)); *p = 1; }
""",
        ONLY,
    )


def test_a_pragma_switches_it_off_for_both_sides_alone() -> None:
    check_fixture(
        """
__device__ int d(int x) { return x; }
#pragma nv_exec_check_disable
__host__ __device__ int b() { return d(1); }
int f() { return d(1); }  //~ illegal-call
""",
        ONLY,
    )


def test_declarations_in_a_header() -> None:
    files = {"f.h": b"int f(int x);\n__device__ int d(int x);\n"}
    text = """
#include "f.h"
__global__ void k(int *p) { *p = f(1) + d(1); }  //~ illegal-call
int g() { return f(1) + d(1); }  //~ illegal-call
"""
    found = check_fixture(text, ONLY, files=files)
    assert [one.related[0].location.path for one in found] == ["f.h", "f.h"]


def test_suppressed() -> None:
    check_fixture(
        """
int f(int x) { return x; }
__global__ void k(int *p) { *p = f(1); }  // NOLINT(simt-illegal-call)
__global__ void l(int *p) { *p = 1; }
void g(int *p) { l(p); }  // NOLINT(simt-illegal-call)
""",
        ONLY,
    )


def test_an_edit_of_a_qualifier_elsewhere_is_seen() -> None:
    analyzer, cache = Analyzer(), DiagnosticCache()
    text = "QUALIFIERint f(int x) { return x; }\n__global__ void k(int *p) { *p = f(1); }\nint g() { return f(1); }\n"

    def reported(qualifier: str) -> list[int]:
        document = Document.open(text.replace("QUALIFIER", qualifier).encode())
        analysis = analyzer.analyze("f.cu", document, DictLoader({}), AnalysisSettings())
        return [document.lines.line_of(one.start) for one in check(analysis, ONLY, cache)]

    assert reported("") == [1]
    assert reported("__host__ __device__ ") == []
    assert reported("__device__ ") == [2]
    assert reported("") == [1]


SWITCHED = """
#ifdef WITH_CUDA
#define BOTH __host__ __device__
#define ON_DEVICE __device__
#else
#define BOTH
#define ON_DEVICE
#endif
#define BOTH_INLINE BOTH inline
BOTH_INLINE int f(int x) { return x; }
__device__ int g(int x) { return x; }
ON_DEVICE int h(int x) { __shared__ int y; y = x; return g(y); }
__global__ void k(int *p) { *p = f(1) + h(2); }
"""


def test_macros_that_say_more_under_another_condition() -> None:
    """Nobody knows whether `WITH_CUDA` is defined where the file is compiled."""
    check_fixture(SWITCHED, RuleSettings(select=frozenset({"CAL"})))


def test_macros_that_say_all_they_may() -> None:
    text = SWITCHED.replace("WITH_CUDA", "__CUDACC__").replace(
        "#define BOTH __host__ __device__", "#define BOTH __host__"
    )
    text = text.replace("h(2); }", "h(2); }  //~ illegal-call")
    check_fixture(text, ONLY)


def test_instances_of_kernel_templates_are_compiled() -> None:
    """Whose launches name them; what nobody instantiates is not."""
    check_fixture(
        """
template <int N> float sum(float x) { return x + N; }
template <int N> __global__ void k(float *p) {
  p[threadIdx.x] = sum<N>(p[0]);  //~ illegal-call
  if constexpr (N == 2) p[1] = sum<1>(p[2]);
}
template <typename T> __global__ void deduced(T *p) {
  p[threadIdx.x] = sum<2>(p[0]);  //~ illegal-call
}
template <typename T> __global__ void open(T *p) { p[threadIdx.x] = sum<2>(p[0]); }
template <typename T> __global__ void unused(T *p) { p[threadIdx.x] = sum<2>(p[0]); }
template <typename T> void h(T *p) { open<T><<<1, 32>>>(p); }
void f(float *p) {
  k<3><<<1, 32>>>(p);
  deduced<<<1, 32>>>(p);
}
""",
        ONLY,
    )


def test_a_macro_that_is_not_seen_between_two_templates() -> None:
    check_fixture(
        """
#include <library/span.hpp>
template <typename T> struct Host { T *p; };
template <typename T> Pointer<const T> first(const Host<T> &vector) { return Pointer<const T>(vector.p); }
template <typename T>
LIBRARY_DEVICE Pointer<const T> first(const Span<Pair<T, T>> &span) { return Pointer<const T>(span.data()); }
__global__ void k(int *p) { p[0] = *first(p); }
""",
        ONLY,
    )


SIDES = "__device__ int d(int x);\n"
HOSTED = "int g() { return RUN(d); }\n"


def test_macros_of_silent_host_functions_are_followed() -> None:
    analyzer, cache = Analyzer(), DiagnosticCache()
    ours, theirs = "#define RUN(x) sizeof(x)\n", "#define RUN(x) x(1)\n"
    chain = "#define RUN(x) WALK(x)\n#define WALK(x) %s\n"
    for text, count in (
        (SIDES + ours + HOSTED, 0),
        (SIDES + theirs + HOSTED, 1),
        (SIDES + chain % "1" + HOSTED, 0),
        (SIDES + chain % "x(1)" + HOSTED, 1),
        (SIDES + ours + HOSTED + "#undef RUN\n" + theirs, 0),
        (SIDES + ours + "#undef RUN\n" + theirs + HOSTED, 1),
        (SIDES + ours + "#undef RUN\n" + HOSTED + theirs, 0),
    ):
        analysis = analyzer.analyze("f.cu", Document.open(text.encode()), DictLoader({}), AnalysisSettings())
        assert [one.code for one in check(analysis, ONLY, cache)] == ["CAL701"] * count


def test_a_name_that_a_macro_pastes_is_followed() -> None:
    analyzer, cache = Analyzer(), DiagnosticCache()
    for qualifier, count in (("", 0), ("__device__ ", 1), ("", 0)):
        declared = f"{SIDES}{qualifier}int d_one(int x);\n"
        text = f"#define RUN(n) n##_one(1)\n{declared}int g() {{ RUN(d); return sizeof(d(1)); }}\n"
        analysis = analyzer.analyze("f.cu", Document.open(text.encode()), DictLoader({}), AnalysisSettings())
        assert [one.code for one in check(analysis, ONLY, cache)] == ["CAL701"] * count
