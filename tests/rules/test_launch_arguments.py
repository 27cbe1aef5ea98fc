"""CAL705; nvcc 13 refuses what is reported here, in templates where they are instantiated, and takes the rest."""

from __future__ import annotations

from analysis.rules.diagnostic import Severity
from analysis.rules.settings import RuleSettings
from tests.rules.fixture import check_fixture

ONLY = RuleSettings(select=frozenset({"CAL705"}))
KERNELS = """
struct Pair { int a, b; };
enum Color { RED };
struct Array { operator int *() { return 0; } };
__global__ void k(int *p, int n);
__global__ void k(int *p, int n) { p[n] = n; }
__global__ void r(const int *p, double d, bool b, float2 f) {}
__global__ void v(void *p, const void *q, void **r) {}
__global__ void pair(Pair p) {}
__global__ void none(void) {}
__global__ void some(int *p, int n = 1) {}
__global__ void shape(dim3 d) {}
template <class T> __global__ void t(T *p, T n) {}
template <class... T> __global__ void any(T... values) {}
"""


def test_numbers_of_arguments() -> None:
    found = check_fixture(
        KERNELS
        + """
void f(int *p) {
  k<<<1, 1>>>(p);  //~ launch-arguments
  k<<<1, 1>>>(p, 1, 2);  //~ launch-arguments
  k<<<1, 1>>>();  //~ launch-arguments
  t<<<1, 1>>>(p);  //~ launch-arguments
  none<<<1, 1>>>(p);  //~ launch-arguments
  some<<<1, 1>>>();  //~ launch-arguments
  none<<<1, 1>>>();
  some<<<1, 1>>>(p);
  some<<<1, 1>>>(p, 2);
  any<<<1, 1>>>();
  any<<<1, 1>>>(p, p, p);
  k<<<1, 1>>>(p, 1);
}
""",
        ONLY,
    )
    assert [one.message for one in found] == [
        "`k` takes 2 arguments, and this launch passes 1.",
        "`k` takes 2 arguments, and this launch passes 3.",
        "`k` takes 2 arguments, and this launch passes 0.",
        "`t` takes 2 arguments, and this launch passes 1.",
        "`none` takes 0 arguments, and this launch passes 1.",
        "`some` takes 1 to 2 arguments, and this launch passes 0.",
    ]
    assert {one.severity for one in found} == {Severity.ERROR}


def test_types_of_arguments() -> None:
    found = check_fixture(
        KERNELS
        + """
void f(float *x, int *p, const int *c, void *v, Color e, Array a, float2 f2, double d, long l, unsigned char b[4]) {
  k<<<1, 1>>>(x, 1);  //~ launch-arguments
  k<<<1, 1>>>(b, 1);  //~ launch-arguments
  k<<<1, 1>>>(c, 1);  //~ launch-arguments
  k<<<1, 1>>>(v, 1);  //~ launch-arguments
  k<<<1, 1>>>(1, 1);  //~ launch-arguments
  k<<<1, 1>>>(&p, 1);  //~ launch-arguments
  k<<<1, 1>>>((float *)v, 1);  //~ launch-arguments
  k<<<1, 1>>>(p, p);  //~ launch-arguments
  k<<<1, 1>>>(p, f2);  //~ launch-arguments
  r<<<1, 1>>>(x, 1, 3, f2);  //~ launch-arguments
  r<<<1, 1>>>(p, p, 3, f2);  //~ launch-arguments
  r<<<1, 1>>>(p, 1, 3, d);  //~ launch-arguments
  k<<<1, 1>>>(0, 1.5f);
  k<<<1, 1>>>(nullptr, e);
  k<<<1, 1>>>(a, true);
  k<<<1, 1>>>((int *)v, l);
  r<<<1, 1>>>(c, 1, p, f2);
  v<<<1, 1>>>(p, c, (void **)p);
  pair<<<1, 1>>>({1, 2});
  shape<<<1, 1>>>(3);
  t<<<1, 1>>>(p, 1);
}
""",
        ONLY,
    )
    assert found[0].message == "Argument 1 of `k`: `x` is `float *`, which is no `int *`."


def test_what_is_not_known_is_left_alone() -> None:
    check_fixture(
        """
#include "unseen.h"
__global__ void k(PARAMETERS) { }
__global__ void l(real *x, int n) {}
typedef float real2;
__global__ void m(real2 *x) {}
template <class T> void any(T *x, float *y) { l<<<1, 1>>>(x, y); }
void f(float *x, double *y) {
  k<<<1, 1>>>(x, y);
  l<<<1, 1>>>(ARGUMENTS);
  l<<<1, 1>>>(y, 1);
  m<<<1, 1>>>(y);
  auto z = x;
  l<<<1, 1>>>(z, 1);
  unseen<<<1, 1>>>(x);
  { int x = 1; m<<<1, 1>>>(x); }
}
""",
        ONLY,
    )


def test_overloads_are_counted() -> None:
    check_fixture(
        """
__global__ void k(int *p) {}
__global__ void k(float *p, int n) {}
void f(float *x) {
  k<<<1, 1>>>(x);
  k<<<1, 1>>>(x, 1);
  k<<<1, 1>>>(x, 1, 2);  //~ launch-arguments
}
""",
        ONLY,
    )


def test_arguments_in_templates_are_counted() -> None:
    first, *_ = check_fixture(
        """
template <class T> __global__ void t(T *p, int n) {}
template <class T> void wrong(T *p) { t<T><<<1, 1>>>(p); }  //~ launch-arguments
template <class T> struct S { void run(T *p) { t<T><<<1, 1>>>(p); } };  //~ launch-arguments
template <class T> struct D : S<T> { void run(T *p) { t<T><<<1, 1>>>(p); } };  //~ launch-arguments
template <void (*t)(int *, int, int)> void launch(int *p) { t<<<1, 1>>>(p, 1, 2); }
template <class T, class... More> void pack(T *p, More... more) { t<<<1, 1>>>(p, more...); }
template <class T> void right(T *p) { t<T><<<1, 1>>>(p, 1); }
""",
        ONLY,
    )
    assert first.message == "`t` takes 2 arguments, and this launch passes 1: no instance of this template compiles."
