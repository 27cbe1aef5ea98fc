"""What an expression is: its type and value category, as `decltype((e))` says them."""

from __future__ import annotations

import pytest

from analysis.ir.types import ArrayType
from tests.sim.running import kernel_of

TEXT = """
enum Plain { A, B }; enum class Scoped : char { C };
struct Base { int b; }; struct Derived : Base { const int c = 1; int bits : 3; static int s; };
struct Holder { Derived part; float row[2]; __device__ int &at(); __device__ const int &at() const; };
struct ToInt { __device__ operator int() const { return 1; } };
struct Vague : Elsewhere { int v; };
struct Sum { int n; }; __device__ Sum operator+(Sum, int); __device__ long operator&&(Sum, Sum);
__device__ Sum &operator++(Sum &);
struct Quiet { int n; __device__ int operator,(int) const; void operator=(int) = delete; };
template <class T> __device__ T twice(T); __device__ int &same(int &); __device__ int &&moved(int &);
__device__ char f(double); __device__ short f(int); __device__ int g(int &); __device__ long g(const int &);
"""
VARIABLES = """
int i; long l; char c; float x; const int fixed = n; bool t; int row[3];
int *p; const int *q; Plain plain;
Scoped scoped; Base base; Derived derived; Holder holder; const Holder held{}; ToInt to; Vague vague; Sum sum;
Quiet quiet; float4 v;
"""


TYPES = """
i                       -> int &
fixed                   -> const int &
3                       -> int
'a'                     -> char
1.5f                    -> float
nullptr                 -> decltype(nullptr)
"ab"                    -> const char (&)[3]
c + c                   -> int
i + l                   -> long
-c                      -> int
~t                      -> int
!l                      -> bool
c << l                  -> int
i < x                   -> bool
plain + c               -> int
x * l                   -> float
*p                      -> int &
&fixed                  -> const int *
p + 1                   -> int *
2 + q                   -> const int *
p - q                   -> long
row                     -> int (&)[3]
+row                    -> int *
row[1]                  -> int &
1[q]                    -> const int &
*&row                   -> int (&)[3]
i = 3                   -> int &
i += x                  -> int &
++i                     -> int &
i++                     -> int
(i, l)                  -> long &
(i, 3)                  -> int
t ? i : l               -> long
t ? i : fixed           -> const int &
t ? p : q               -> const int *
t ? i : n               -> int &
t ? p : nullptr         -> int *
t ? p : 0               -> int *
t ? base : derived      -> Base &
t ? Base() : derived    -> Base
t ? to : 2.5            -> double
t ? plain : scoped      -> ?
t ? &base : &derived    -> Base *
(long)i                 -> long
static_cast<int &&>(i)  -> int &&
(const Base &)derived   -> const Base &
sizeof i                -> unsigned long
new long                -> long *
derived.b               -> int &
Derived().c             -> const int &&
held.part               -> const Derived &
holder.row              -> float (&)[2]
(&holder)->part.c       -> const int &
derived.bits            -> int &
derived.s               -> int &
holder.at()             -> int &
held.at()               -> const int &
to + 1L                 -> long
to ? c : c              -> char &
same(i)                 -> int &
moved(i)                -> int &&
f(x)                    -> char
f(c)                    -> short
g(i)                    -> int
twice(c)                -> char
sum + 1                 -> Sum
sum && sum              -> long
++sum                   -> Sum &
(quiet, 1)              -> int
v.x                     -> float &
make_float4             -> ?
Sum{1}                  -> Sum
std::declval<int &>()   -> int &
std::move(i)            -> int &&
threadIdx.x + 0         -> unsigned
vague.v                 -> ?
vague + 1               -> ?
unseen(i)               -> ?
"""
VALID = """
a + a                  -> yes
a % 2                  -> yes
a % 1.5f               -> no
*a                     -> no
a.x                    -> no
a = a                  -> yes
a()                    -> no
fixed = a              -> no
base + 1               -> no
base.nothing           -> no
vague.nothing          -> ?
scoped + 1             -> no
quiet = 1              -> no
p * 2                  -> no
p + p                  -> no
p == q                 -> yes
p == &x                -> no
!scoped                -> no
&3                     -> no
++3                    -> no
t ? base : 1           -> no
static_cast<int *>(a)  -> ?
static_cast<long>(a)   -> yes
&derived.bits          -> no
same(3)                -> no
same(a)                -> yes
f(base)                -> no
p < nullptr            -> no
"""


def rows(table: str) -> list[tuple[str, str]]:
    """What stands left and right of the arrow."""
    pairs = [line.split("->") for line in table.strip().splitlines()]
    return [("->".join(left).strip(), right.strip()) for *left, right in pairs]


def answer(question: str) -> bool | None:
    text = f"{TEXT}__global__ void k(int *out, int n) {{ {VARIABLES} __shared__ char s[{question} ? 2 : 1]; }}"
    symbol = next(each for each in kernel_of(text).function.symbols if each.name == "s")
    assert isinstance(symbol.type, ArrayType)
    return None if symbol.type.length is None else symbol.type.length == 2


@pytest.mark.parametrize(
    ("expression", "wanted"),
    rows(TYPES),
)
def test_type_and_value_category(expression: str, wanted: str) -> None:
    """`?` where it is not known."""
    types = {"int", "int &", "double"} if wanted == "?" else {wanted}
    answers = {answer(f"std::is_same_v<decltype(({expression})), {type}>") for type in types}
    assert answers == {None if wanted == "?" else True}


@pytest.mark.parametrize(
    ("expression", "wanted"),
    rows(VALID),
)
def test_what_no_program_contains(expression: str, wanted: str) -> None:
    assert answer(f"requires(int a) {{ {expression}; }}") is {"yes": True, "no": False, "?": None}[wanted]


def test_declared_types_are_those_of_names_and_members() -> None:
    assert answer("std::is_same_v<decltype(fixed), const int> && std::is_same_v<decltype(derived.c), const int>")
    assert answer("std::is_same_v<decltype(held.part.b), int> && std::is_same_v<decltype((held.part.b)), const int &>")
    assert answer("std::is_same_v<decltype(row), int[3]> && std::is_same_v<decltype(*row), int &>")


@pytest.mark.parametrize(
    ("expression", "size"),
    [
        ("c + c", 4),
        ("c", 1),
        ("row", 12),
        ("holder.row", 8),
        ("t ? c : l", 8),
        ("f(x)", 1),
        ("Scoped::C", 1),
        ("v", 16),
    ],
)
def test_sizes_of_expressions(expression: str, size: int) -> None:
    assert answer(f"sizeof({expression}) == {size}")
