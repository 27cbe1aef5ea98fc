"""Where C++ says more than the intermediate representation: types that are apart, references, constants, comments.

Each kernel was melded wrongly once; beside it stands one that differs in that alone and is melded.
"""

from __future__ import annotations

import pytest

from analysis.refactor.meld.model import Obstacle
from tests.refactor.melding import assert_compiles, assert_same_memory, melded, obstacle, region


def kernel(first: str, second: str, before: str = "", after: str = "", declared: str = "") -> str:
    """The branch stands in line 4; the declarations in front have no line of their own."""
    return (
        f"{declared}\n"
        "__global__ void k(const int *x, const int *y, int *a, long long *w, float *f) {\n"
        f"  int i = threadIdx.x; {before}\n"
        f"  if (i % 2) {{\n{first}\n  }} else {{\n{second}\n  }}\n"
        f"  {after}\n}}\n"
    )


# -- `+=` beside `-=` --------------------------------------------------------------------------------------------------


def signs(variable: str, operand: str, result: str = "(long long)v", declared: str = "") -> str:
    first, second = (
        f"a[i + 64] = {one}[i] * {one}[i + 1]; v {sign}= ({operand}){one}[i];" for one, sign in ("x+", "y-")
    )
    return kernel(first, second, f"{variable};", f"w[i] = {result};", declared)


@pytest.mark.parametrize(
    ("target", "operand"),
    [("long long", "unsigned"), ("double", "unsigned"), ("float", "unsigned"), ("long long", "int"), ("float", "int")],
)
def test_what_is_negated_in_a_narrower_type_is_not_added(target: str, operand: str) -> None:
    after = melded(signs(f"{target} v = 9", operand), 4)
    assert ": -" not in after
    assert_same_memory(signs(f"{target} v = 9", operand), after, "k")


@pytest.mark.parametrize(
    ("target", "operand"),
    [("int", "int"), ("unsigned", "int"), ("unsigned", "unsigned"), ("short", "int"), ("double", "float")],
)
def test_what_keeps_its_value_is_added(target: str, operand: str) -> None:
    after = melded(signs(f"{target} v = 9", operand), 4)
    assert ": -" in after
    assert_same_memory(signs(f"{target} v = 9", operand), after, "k")


ODD = (
    "struct Odd { int n; __device__ void operator+=(int m) { n += m; } "
    "__device__ void operator-=(int m) { n -= 2 * m; } };"
)


def test_an_operator_of_a_class_need_not_be_the_opposite_of_another_one() -> None:
    text = signs("Odd v = {9}", "int", "v.n", ODD)
    after = melded(text, 4)
    assert ": -" not in after
    assert_same_memory(text, after, "k")


# -- types and constants -----------------------------------------------------------------------------------------------


def test_pointers_of_equal_width_have_no_common_type() -> None:
    lines = "p[64] = x[i] * 5; a[i] = (int)p[0] + x[i + 1] * 3;"
    before = kernel(lines, lines.replace("p[", "q[").replace("x[", "y["), "long *p = (long *)w; long long *q = w;")
    after = melded(before, 4)
    assert "? p : q" not in after
    assert_compiles(after)
    alike = before.replace("long *p = (long *)w", "long long *p = w + 1")
    assert "? p : q" in melded(alike, 4)
    assert_compiles(melded(alike, 4))


def test_enumerations_with_a_scope_have_no_common_type() -> None:
    declared = "enum class Hue : int { RED = 3, BLUE = 7 }; enum class Tint : int { PALE = 5 };"
    before = kernel("a[i] = x[i] * (int)Hue::RED;", "a[i] = y[i] * (int)Tint::PALE;", declared=declared)
    after = melded(before, 4)
    assert "Hue::RED : Tint::PALE" not in after
    assert_compiles(after)
    alike = before.replace("Tint::PALE;", "Hue::BLUE;")
    assert "Hue::RED : Hue::BLUE" in melded(alike, 4)
    assert_compiles(melded(alike, 4))


@pytest.mark.parametrize(
    ("lines", "declared"),
    [
        ("using T = int; T v = x[i] * 5; a[i] = v / 3;", ""),
        ("typedef int T; T v = x[i] * 5; a[i] = v / 3;", ""),
        ("const int K = 3; int v[K]; v[i % K] = x[i] * 5; a[i] = v[i % K] + 7;", ""),
        (
            "const int K = 3; a[i] = scaled<K>(x[i]) * 5;",
            "template <int K> __device__ int scaled(int v) { return v * K; }",
        ),
        ("short s = x[i]; decltype(s) v = x[i] * 999; a[i] = v * 5;", ""),
    ],
)
def test_what_the_compiler_must_know_is_not_selected(lines: str, declared: str) -> None:
    other = lines.replace("x[", "y[").replace("K = 3", "K = 4").replace("T = int", "T = unsigned")
    assert obstacle(kernel(lines, other, declared=declared), 4) is Obstacle.DECLARATION


def test_constants_of_the_compiler_stay_constants() -> None:
    before = kernel("constexpr int K = 5; a[i] = x[i] * K;", "constexpr int K = 4; a[i] = y[i] * K;")
    after = melded(before, 4)
    assert "constexpr int K = 5;" in after
    assert_compiles(after)
    assert_same_memory(before, after, "k")
    alike = melded(before.replace("K = 4", "K = 5"), 4)
    assert alike.count("constexpr") == 1
    assert_compiles(alike)


def test_shared_arrays_of_both_arms_are_two_arrays() -> None:
    lines = "__shared__ int s[64]; s[i / 2] = x[i] * 5; a[i] = s[i / 2] * 3;"
    before = kernel(lines, lines.replace("x[", "y[").replace("* 5", "* 4"))
    after = melded(before, 4)
    assert after.count("__shared__") == 2
    assert_same_memory(before, after, "k")


# -- references --------------------------------------------------------------------------------------------------------

RAISED = (
    "__device__ void raised(int &place, int by) { place += by; } "
    "__device__ int sum(int one, int by) { return one + by; }"
)


def test_a_variable_that_a_call_changes_is_not_selected() -> None:
    lines = "raised(n, x[i] * 5); a[i] = n + x[i + 1] * 3;"
    other = lines.replace("(n", "(m").replace("= n", "= m").replace("x[", "y[")
    before = kernel(lines, other, "int n = i, m = 7;", "a[i + 64] = n * 3 + m;", RAISED)
    after = melded(before, 4)
    assert "raised(n, x[i] * 5)" in after
    assert_same_memory(before, after, "k")
    by_value = kernel(
        "a[i] = sum(n, x[i] * 5);", "a[i] = sum(m, y[i] * 5);", "int n = i, m = 7;", "a[i + 64] = n * 3 + m;", RAISED
    )
    assert "sum(is_odd ? n : m, " in melded(by_value, 4).replace("(i % 2)", "is_odd").replace("i % 2", "is_odd")


def test_an_element_that_a_call_changes_is_selected_by_its_index() -> None:
    before = kernel("raised(a[i], x[i] * 5);", "raised(a[i + 64], y[i] * 5);", declared=RAISED)
    after = melded(before, 4)
    assert "raised(a[" in after
    assert "if" not in after[after.index("int i") :]
    assert_same_memory(before, after, "k")


def test_an_array_that_a_reference_names_is_not_selected() -> None:
    declared = "__device__ void fill(int (&v)[3], int n) { v[0] = n; v[1] = n + 1; }"
    lines = "fill(p, x[i] * 3); a[i] = x[i + 1] * 7;"
    other = lines.replace("(p", "(q").replace("x[", "y[")
    before = kernel(lines, other, "int p[3] = {1, 2, 3}, q[3] = {4, 5, 6};", "a[i + 64] = p[0] + q[1];", declared)
    after = melded(before, 4)
    assert "p : q" not in after
    assert_same_memory(before, after, "k")


# -- comments ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "head",
    ["if (i % 2 /* odd */) {", "if /* odd */ (i % 2) {", "if (/* odd */ i % 2) {", "if (i % 2) /* odd */ {"],
)
def test_a_comment_of_the_condition_stays(head: str) -> None:
    before = kernel("a[i] = x[i] * 5;", "a[i] = y[i] * 5;").replace("if (i % 2) {", head)
    assert region(before, 4).count("/* odd */") == 1


@pytest.mark.parametrize("loop", ["for (int j = 0; j < 4; j++) {", "while (n++ < 4) {", "do {"])
def test_a_comment_behind_the_brace_of_a_loop_stays(loop: str) -> None:
    body = f"{loop} // each\n      a[i] += x[n + i] * 5;\n    }}"
    body += " while (n++ < 4);" if loop == "do {" else ""
    before = kernel(body, body.replace("x[", "y[").replace(" // each", ""), "int n = 0;")
    assert region(before, 4).count("// each") == 1


def test_a_comment_inside_a_declaration_that_becomes_an_assignment_stays() -> None:
    before = kernel(
        "const int v = x[i] * 3; a[i + 64] = x[i + 1] * 5; a[i] = v;",
        "a[i + 64] = y[i + 1] * 5; const int v /* name */ = y[i] /* inside */ * 3 /* end */; a[i] = v;",
    )
    after = region(before, 4)
    assert [after.count(text) for text in ("/* name */", "/* inside */", "/* end */")] == [1, 1, 1], after
