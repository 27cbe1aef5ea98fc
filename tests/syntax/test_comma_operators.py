"""Comma operators in brackets whose first operand is an assignment, which the grammar cannot read."""

from __future__ import annotations

import pytest

from analysis.pipeline import unit_of_text


def _snippet(expression: str) -> tuple[str, int]:
    text = f"__device__ void f(int a, int b, int c, int *r) {{ c = {expression}; }}"
    unit = unit_of_text(text)
    (item,) = unit.items
    snippet = unit.snippet(item)
    comma = next((node for node in snippet.root.walk() if node.kind == "comma_expression"), None)
    return ("" if comma is None else comma.sexp()), snippet.error_count


_FIRST = "(assignment_expression left: (identifier) operator: = right: (number_literal))"

_NAME = "(identifier)"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("(a = 1, b)", f"(comma_expression left: {_FIRST} right: (identifier))"),
        ("(a = 1, b = 1)", f"(comma_expression left: {_FIRST} right: {_FIRST})"),
        ("(a = 1, b = 1, c)", None),
        ("(a += r[b] * 2, b -= 1, a, c)", None),
        ("((a ? b : c) <<= 3, b)", None),
        ("f((a = b = 1, c), 2)", None),
        (
            "(a = 1, *r)",
            f"(comma_expression left: {_FIRST} right: (pointer_expression operator: * argument: (identifier)))",
        ),
        ("int(((*(r + 3) = a) -= b, (c)))", None),
        ("(a = 1, (b = 2, -c) + 1)", None),
        ("int((a = 3, A<&b>::m()))", None),
        ("g(1, (a = 3, A<&b>::m(2)), (b = 2, A<&a>::n))", None),
        ("int((a = 3, f(b = 1, 2), A<&b>::m(')')))", None),
        ("((a = 1, -b), (c += 3, &r[1]))", None),
    ],
)
def test_the_comma_is_an_operator(expression: str, expected: str | None) -> None:
    found, errors = _snippet(expression)
    assert errors == 0
    assert found == (expected or found)
    assert found


def test_what_is_no_comma_operator_stays_an_error() -> None:
    found, errors = _snippet("(a = 1 2, b)")
    assert errors > 0
    assert found == "" or "ERROR" in found
