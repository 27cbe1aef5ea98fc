"""Silent misreadings of the grammar, and what must not be touched."""

import pytest

from analysis.syntax.repair import repair
from analysis.syntax.tree import Node
from tests.syntax.unit import snippet

TYPES = {b"T", b"P", b"A", b"B", b"ns::T", b"uint32"}
TEMPLATES = {b"tmpl"}
VALUES = frozenset({b"v"})


def short(node: Node) -> str:
    """A tree as a person would bracket it."""
    inside = [short(child) for child in node.children]
    match node.kind:
        case "binary_expression":
            return "(" + " ".join(inside) + ")"
        case "unary_expression" | "pointer_expression":
            return "".join(inside)
        case "parenthesized_expression":
            return "[" + "".join(inside) + "]"
        case "cast_expression":
            return f"cast<{inside[0]}>({inside[1]})"
        case "type_descriptor":
            return "".join(inside)
        case "declaration":
            return "declare " + " ".join(inside)
        case "init_declarator":
            return f"{inside[0]} = {inside[1]}"
        case "argument_list":
            return "(" + ", ".join(inside) + ")"
        case "expression_statement" | "condition_clause":
            return "".join(inside)
        case _:
            return node.text.decode()


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        # 1: casts that look like calls
        ("(uint32)(x);", "cast<uint32>([x])"),
        ("(ns::T)(x);", "cast<ns::T>([x])"),
        ("(T<3>)(x);", "cast<T<3>>([x])"),
        ("(f)(x);", "(f)(x)"),
        # 2: casts that look like arithmetic
        ("(T)-1 + 2;", "(cast<T>(-1) + 2)"),
        ("y + (T)-1;", "(y + cast<T>(-1))"),
        ("(T)-a * b;", "(cast<T>(-a) * b)"),
        ("a * (P)*p + c;", "((a * cast<P>(*p)) + c)"),
        ("(T)&y == z;", "(cast<T>(&y) == z)"),
        ("-(T)*p * q;", "(-cast<T>(*p) * q)"),
        ("(A)-(B)*p;", "cast<A>(-cast<B>(*p))"),
        ("(a) - 1;", "([a] - 1)"),
        ("(a) * b + (c) & d;", "((([a] * b) + [c]) & d)"),
        # 3: comparisons that look like templates
        ("a < b && c > (d);", "((a < b) && (c > [d]))"),
        ("p.x < w && p.y > (h) * 2;", "((p.x < w) && (p.y > ([h] * 2)))"),
        ("i < n && j > (m - 1) || k < q && r > (s);", "(((i < n) && (j > [(m - 1)])) || ((k < q) && (r > [s])))"),
        ("tmpl<a && b>(c);", "tmpl<a && b>(c)"),
        ("f<int>(c);", "f<int>(c)"),
        # 4: variables that look like functions
        ("T v(a, b[0], c * d);", "declare T v = (a, b[0], (c * d))"),
        ("float u(x);", "declare float u = (x)"),
        ("T g(a, b), h(c);", "declare T g = (a, b) h = (c)"),
        ("T w(T);", "declare T w(T)"),
        ("int foo(int a);", "declare int foo(int a)"),
        ("T e();", "declare T e()"),
        # 5: pointers to arrays
        ("T (*p)[3] = q;", "declare T (*p)[3] = q"),
        ("T (&r)[4] = q;", "declare T (&r)[4] = q"),
        ("g(*p)[3];", "g(*p)[3]"),
        # 7: a postfix binds tighter than a cast
        ("(T)(p)[i];", "cast<T>((p)[i])"),
        ("(T)(q).x + 1;", "(cast<T>((q).x) + 1)"),
        # 8
        ("ns::tile<N * 2> w = e;", "declare ns::tile<N * 2> w = e"),
        # 9: a value in parentheses before `&&` or `&`
        ("(x)>=(a) && (x)<=(c);", "(([x] >= [a]) && ([x] <= [c]))"),
        ("!(a) && (b) + 1 < c || d;", "((![a] && (([b] + 1) < c)) || d)"),
        ("(v[0]) && (a) && (b) < 3;", "(([v[0]] && [a]) && ([b] < 3))"),
        ("(n::v) && (b) < 1;", "([n::v] && ([b] < 1))"),
        # 10: arithmetic before a sign is not a cast to a function type
        ("(a * (b)) - 1;", "([(a * [b])] - 1)"),
        ("(a & (b & c)) + 1 == d;", "(([(a & [(b & c)])] + 1) == d)"),
        ("(a && (b && c)) + 1;", "([(a && [(b && c)])] + 1)"),
        ("d * (a * (b * c)) & e;", "((d * [(a * [(b * c)])]) & e)"),
        ("-(a * (b)) - 1;", "(-[(a * [b])] - 1)"),
        ("(a * (b[2])) * c;", "([(a * [b[2]])] * c)"),
        ("(a * (b * c[2])) - 1;", "([(a * [(b * c[2])])] - 1)"),
        ("(a * (b * (c))) - (d * (e)) - f;", "(([(a * [(b * [c])])] - [(d * [e])]) - f)"),
        ("(a * ((b & c))) - 1;", "([(a * [[(b & c)]])] - 1)"),
        ("(a * *(b)) - 1;", "([(a * *[b])] - 1)"),
        ("(a & (b)) && c;", "([(a & [b])] && c)"),
        ("(T (*)(int))p;", "cast<T(*)(int)>(p)"),
        ("(v) & (b) < 3;", "([v] & ([b] < 3))"),
        ("(T) & b < 3;", "(cast<T>(&b) < 3)"),
        ("(maybe) & (b) < 3;", "(cast<maybe>(&[b]) < 3)"),
        # 15: a sign before an element
        ("-1[row];", "-1[row]"),
        ("2 * +1[row]++;", "(2 * +1[row]++)"),
    ],
)
def test_statements(statement: str, expected: str) -> None:
    root = snippet("void f() { " + statement + " }", "f").root
    repair(root, TYPES.__contains__, TEMPLATES.__contains__, VALUES.__contains__)
    body = root.field("body")
    assert body is not None
    assert short(body.children[0]) == expected
    repair(root, TYPES.__contains__, TEMPLATES.__contains__, VALUES.__contains__)
    assert short(body.children[0]) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("sizeof(T)", "T"),
        ("sizeof(T[3][2])", "T[3][2]"),
        ("alignof(T)", "T"),
        ("sizeof(x)", None),
        # 14: functions have no size
        ("sizeof(f(a && b))", None),
        ("sizeof(static_cast<bool>((a && b)))", None),
        ("sizeof(f<T>(a * b, c & d))", None),
        ("sizeof(T(a & b))", None),
        ("sizeof(T (*)(T))", "T (*)(T)"),
    ],
)
def test_sizeof(expression: str, expected: str | None) -> None:
    root = snippet("void f() { int a = " + expression + "; }", "f").root
    repair(root, TYPES.__contains__, TEMPLATES.__contains__)
    node = next(node for node in root.walk() if node.kind in ("sizeof_expression", "alignof_expression"))
    found = next((child.text.decode() for child in node.children if child.kind == "type_descriptor"), None)
    assert found == expected


def test_a_for_condition() -> None:
    root = snippet("void f() { for (int i = 0; i < n && j > (m - 1); i++) { } }", "f").root
    repair(root, TYPES.__contains__, TEMPLATES.__contains__)
    loop = next(node for node in root.walk() if node.kind == "for_statement")
    condition = loop.field("condition")
    assert condition is not None
    assert short(condition) == "((i < n) && (j > [(m - 1)]))"


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("a && j < t && i >= n / 2", "((a && (j < t)) && (i >= (n / 2)))"),
        ("a && j < t || i >= n && m", "((a && (j < t)) || ((i >= n) && m))"),
        ("a & j < t + 1 && i >= n", "((a & (j < (t + 1))) && (i >= n))"),
        ("a * j < t && i >= n", "(((a * j) < t) && (i >= n))"),
        ("T *p = q", "declare T *p q"),
        ("T &&r = tmpl<a && b>(c)", "declare T &&r tmpl<a && b>(c)"),
    ],
)
@pytest.mark.parametrize("keyword", ["if", "while"])
def test_a_condition_that_looks_like_a_declaration(keyword: str, condition: str, expected: str) -> None:
    root = snippet(f"void f() {{ {keyword} ({condition}) g(); }}", "f").root
    repair(root, TYPES.__contains__, TEMPLATES.__contains__)
    found = next(node for node in root.walk() if node.kind == "condition_clause")
    assert short(found) == expected
    assert short(repair(found, TYPES.__contains__, TEMPLATES.__contains__)) == expected
