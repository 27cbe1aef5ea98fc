"""What only names can decide: a variable is never a type, whatever the grammar reads."""

from __future__ import annotations

import pytest

from tests.lower.check import body, clean, lower_one


@pytest.mark.parametrize("condition", ["(lo) && (x) < 3", "(x) >= (lo) && (x) <= (hi)", "(lo) & (x) < 3"])
def test_a_value_in_parentheses_before_an_operator(condition: str) -> None:
    text = "__global__ void k(int* o, int x, int lo, int hi) { o[0] = IN; }"
    plain = condition.replace("(lo)", "lo").replace("(hi)", "hi").replace("(x)", "x")
    clean(text.replace("IN", condition))
    expected = body(lower_one(text.replace("IN", plain), "k"))
    assert body(lower_one(text.replace("IN", condition), "k")) == expected
    assert body(lower_one(f"#define IN ({condition})\n{text}", "k")) == expected


def test_a_parameter_hides_a_type() -> None:
    text = "struct real { int x; }; __global__ void k(int* o, int real, int x) { o[0] = (real) - x; o[1] = (real)&x; }"
    assert body(lower_one(text, "k")) == body(lower_one(text.replace("(real)", "real"), "k"))


def test_a_type_stays_a_type() -> None:
    text = "typedef int word; __global__ void k(word* o, word x) { o[0] = (word)-x; o[1] = (word)(x) + 1; }"
    assert body(lower_one(text, "k")) == body(lower_one(text.replace("word", "int"), "k"))


@pytest.mark.parametrize("keyword", ["struct", "class"])
def test_a_class_in_a_function_is_a_type(keyword: str) -> None:
    text = (
        "__global__ void k(int* o, int x) {"
        "KEYWORD Twice { public: __device__ Twice(int n) : n(2 * n) {} int n; }; o[0] = ((Twice)-x).n; }"
    ).replace("KEYWORD", keyword)
    clean(text)
    assert body(lower_one(text, "k")) == body(lower_one(text.replace("(Twice)-x", "Twice(-x)"), "k"))


@pytest.mark.parametrize(
    "value", ["(Colour::BLUE)", "(int)(Colour::BLUE)", "-(Box::SIDE)", "(short)(Box::SIDE)", "(n::Y)"]
)
@pytest.mark.parametrize("operator", ["*", "-", "&"])
def test_a_member_in_parentheses_is_a_value(value: str, operator: str) -> None:
    text = (
        "enum Colour { RED, BLUE }; struct Box { static const int SIDE = 3; }; namespace n { const int Y = 4; }\n"
        "__global__ void k(int* o, int x) { o[0] = VALUE OPERATOR x; }"
    ).replace("OPERATOR", operator)
    clean(text.replace("VALUE", value))
    expected = body(lower_one(text.replace("VALUE", f"({value})"), "k"))
    assert body(lower_one(text.replace("VALUE", value), "k")) == expected


def test_a_member_type_in_parentheses_is_a_cast() -> None:
    text = "struct Box { typedef short word; }; __global__ void k(int* o, int x) { o[0] = (int)(Box::word)-x; }"
    assert body(lower_one(text, "k")) == body(lower_one(text.replace("Box::word", "short"), "k"))


@pytest.mark.parametrize(
    "value", ["a[1]", "a[x]", "b[x][1]", "b[x + 1][i.y]", "c[x][i.x + 1][threadIdx.x & 1]", "s.m[x][1]"]
)
def test_an_element_in_parentheses_initialises(value: str) -> None:
    """`int y(b[i][j]);` declares no function that takes an array of arrays."""
    text = (
        "struct S { int m[2][2]; }; __shared__ int a[4], b[4][4], c[4][4][4]; __shared__ S s;\n"
        "__global__ void k(int* o, int x, int2 i) { int y INITIALISER; o[0] = y; }"
    )
    clean(text.replace("INITIALISER", f"({value})"))
    expected = body(lower_one(text.replace("INITIALISER", f"= {value}"), "k"))
    assert body(lower_one(text.replace("INITIALISER", f"({value})"), "k")) == expected


def test_an_array_of_a_type_is_a_parameter() -> None:
    text = "typedef int word; __global__ void k(int* o, int x) { int y(word[2][3]); o[0] = x; }"
    assert body(lower_one(text, "k")) == body(lower_one(text.replace("int y(word[2][3]);", ""), "k"))


@pytest.mark.parametrize("hidden", ["int* side, int* box", "int* side_, int* box", "int* side, int* box_"])
def test_a_variable_is_nothing_in_front_of_two_colons(hidden: str) -> None:
    """[basic.lookup.qual]: `side::left` means the enumeration, whatever variable hides its name."""
    text = (
        "enum side { left, right }; struct box { static const int width = 3; };\n"
        f"__global__ void k({hidden}, int* o) {{ o[0] = side::right + box::width; }}"
    )
    clean(text)
    plain = text.replace("side::right", "right").replace("box::width", "3")
    assert body(lower_one(text, "k")) == body(lower_one(plain, "k"))
