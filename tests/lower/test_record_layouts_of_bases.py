"""Where bases lie, and what comes behind them: the numbers are those of GCC and Clang on 64-bit Linux."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sim.running import run

CODE = """
struct Plain { int x; char c; };
struct OfPlain : Plain { char d; };
struct Made { int x; char c; __device__ Made() {} };
struct OfMade : Made { char d; };
struct Set { int x = 1; char c; };
struct OfSet : Set { char d; };
struct Closed { int x; private: char c; };
struct OfClosed : Closed { char d; };
struct OfOfPlain : OfPlain { char e; };
struct Wide { char a; double b; };
struct Late : Plain, Wide { char z; };
struct Virtual { int r = 1; char s = 2; __device__ virtual int f() const { return r; } };
struct Second : Set, Virtual { char t = 3; };
struct Third : Set, Second { short u = 4; };
struct Ends { __device__ virtual ~Ends() {} };
struct OfEnds : Ends { int k = 5; };
struct Empty {};
struct OfEmpty : Empty { int k = 6; };
struct Twice : Empty, OfEmpty { int m = 7; };
struct Again : OfEmpty, Empty {};
struct Holds : Empty { Empty e; char c; };
struct HoldsRow : Empty { Empty e[3]; OfEmpty f; };
struct Side : Empty {};
struct Both : Empty, Side {};
struct OfBoth : Both { char c; };
struct OfOfBoth : OfBoth, Empty { char d; };
struct Behind : Again { char c; };
__device__ int read(const Virtual &v) { return v.r * 10 + v.s; }
"""


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("sizeof(OfPlain)", 12),
        ("sizeof(OfMade)", 8),
        ("sizeof(OfSet)", 8),
        ("sizeof(OfClosed)", 8),
        ("sizeof(OfOfPlain)", 12),
        ("sizeof(Late)", 32),
        ("sizeof(Virtual)", 16),
        ("sizeof(Second)", 24),
        ("sizeof(Third)", 32),
        ("sizeof(OfEnds)", 16),
        ("OfEnds().k", 5),
        ("sizeof(OfEmpty)", 4),
        ("sizeof(Twice)", 12),
        ("sizeof(Again)", 8),
        ("sizeof(Holds)", 3),
        ("sizeof(HoldsRow)", 8),
        ("sizeof(Both)", 2),
        ("sizeof(OfBoth)", 2),
        ("sizeof(OfOfBoth)", 3),
        ("sizeof(Behind)", 8),
        ("Twice().k * 10 + Twice().m", 67),
        ("[] { Twice t; return int((char *)&t.k - (char *)&t); }()", 4),
        ("read(Third())", 12),
        ("[] { Third t; Virtual &v = t; v.r = 9; return t.r * 10 + t.u; }()", 94),
        ("[] { Third t; return int((char *)static_cast<Virtual *>(&t) - (char *)&t); }()", 0),
    ],
)
def test_bases_lie_as_compilers_have_them(value: str, wanted: int) -> None:
    text = f"{CODE} __global__ void k(int *out) {{ out[0] = int({value}); }}"
    assert run(text, {"out": np.zeros(1, np.int32)}, block=1).arrays["out"].tolist() == [wanted]
