"""References: what a callee does to an object is seen by its owner."""

from __future__ import annotations

import pytest

from analysis.ir.instructions import Bitcast, Call, SymbolAddress
from analysis.ir.types import MemorySpace, PointerType
from analysis.lower.program import Lowered
from tests.lower.check import body, clean, lower_one

DEPENDENT = """
    __device__ void both(float& x, float& y, const float& z) { x = threadIdx.x + z; y = x; }
    template <class R> __global__ void k(R* a) { R x; R y; both(x, y, 1); a[0] = x; }"""


def test_a_reference_to_an_object_of_a_template_type_is_no_copy() -> None:
    assert _passed(lower_one(DEPENDENT, "k"), "both") == ["x", "y", ""]


def test_a_constant_reference_to_another_type_is_a_converted_copy() -> None:
    text = "__device__ void f(const float& x, int& y) { y = x; } __global__ void k(int i, float* a) { f(i, i); }"
    assert _passed(lower_one(text, "k"), "f") == ["", "i"]


def test_a_local_reference_to_an_object_of_a_template_type_is_no_copy() -> None:
    text = "template <class R> __global__ void k(R* a) { R x; float& y = x; y = threadIdx.x; a[0] = x; }"
    function = lower_one(text, "k").function
    clean(text)
    assert [symbol.name for symbol in function.symbols if symbol.name == ""] == []


@pytest.mark.parametrize(
    ("use", "space"),
    [
        ("move(p, a);", MemorySpace.GENERIC),
        ("auto& r = p; r = a;", MemorySpace.GENERIC),
        ("auto move_it = [&](float*& q) { q = a; }; move_it(p);", MemorySpace.GENERIC),
        ("look(p, a);", MemorySpace.SHARED),
        ("auto f = [](float* q) { *q = 1; }; f(p);", MemorySpace.SHARED),
    ],
)
def test_a_pointer_that_a_reference_may_move_is_generic(use: str, space: MemorySpace) -> None:
    text = f"""
        __device__ void move(float*& p, float* q) {{ p = q; }}  __device__ void look(float* const& p, float* q) {{ }}
        __global__ void k(float* a) {{ __shared__ float s[4]; float* p = s; {use} *p = 1; }}"""
    function = next(value.function for id, value in clean(text).items() if id.startswith("k("))
    types = [symbol.type for symbol in function.symbols if symbol.name == "p"]
    assert [type.space for type in types if isinstance(type, PointerType)] == [space]


def test_a_variable_declared_in_a_loop_holds_nothing_from_the_last_iteration() -> None:
    text = "__global__ void k(int* a, int n) { for (int i = 0; i < n; i++) { int x; if (a[i]) x = 1; a[i] = x; } }"
    loop = next(line for line in body(lower_one(text, "k")).split("block") if line.startswith("1:"))
    assert loop.count("phi") == 1


def _passed(lowered: Lowered, callee: str) -> list[str]:
    """The names of the variables whose addresses are passed to `callee`."""
    function = lowered.function
    origin: dict[int, str] = {}
    for _, each in function.instructions():
        match each:
            case SymbolAddress(result=result, symbol=symbol):
                origin[result] = function.symbols[symbol].name
            case Bitcast(result=result, operand=operand) if operand in origin:
                origin[result] = origin[operand]
            case Call(callee=name, arguments=arguments) if name.startswith(callee):
                return [origin[argument] for argument in arguments]
            case _:
                pass
    return []
