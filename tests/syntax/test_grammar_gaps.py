"""Constructs that the grammar has no rule for, read as the nodes that it would make of them."""

from __future__ import annotations

import pytest

from analysis.pipeline import unit_of_text


def _found(text: str, kind: str) -> tuple[list[str], int]:
    unit = unit_of_text(text)
    (item,) = unit.items
    snippet = unit.snippet(item)
    nodes = [node for tree in (*snippet.templates, snippet.root) for node in tree.walk()]
    return [node.sexp() for node in nodes if node.kind == kind], snippet.error_count


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        (
            "template <class T, typename E<T>::type * = nullptr> __device__ int f(T);",
            "abstract_pointer_declarator",
            "(abstract_pointer_declarator)",
        ),
        (
            "template <class T, typename E<T>::type & = x> __device__ int f(T);",
            "abstract_reference_declarator",
            "(abstract_reference_declarator)",
        ),
        (
            "template <class T> __device__ auto f(T x) -> decltype(x.b, x);",
            "comma_expression",
            "(comma_expression left: (field_expression argument: (identifier) operator: . field: (field_identifier))"
            " right: (identifier))",
        ),
        (
            "__device__ int f(int x) { return decltype(x)(-1); }",
            "call_expression",
            "(call_expression function: (decltype (decltype) (identifier))"
            " arguments: (argument_list (number_literal)))",
        ),
        (
            "__device__ void f() { Q s{.p{1}}; }",
            "initializer_pair",
            "(initializer_pair designator: (field_designator (field_identifier))"
            " value: (initializer_list (number_literal)))",
        ),
        (
            "__device__ int f() { return typename A<int>::B{8}.m(); }",
            "return_statement",
            "(return_statement (return) (call_expression function: (field_expression argument:"
            " (compound_literal_expression type: (qualified_identifier scope: (template_type name: (type_identifier)"
            " arguments: (template_argument_list (type_descriptor type: (primitive_type)))) name: (type_identifier))"
            " value: (initializer_list (number_literal))) operator: . field: (field_identifier))"
            " arguments: (argument_list)))",
        ),
        (
            "__device__ int f(const A<int> &a = {1});",
            "compound_literal_expression",
            "(compound_literal_expression type: (template_type name: (type_identifier)"
            " arguments: (template_argument_list (type_descriptor type: (primitive_type))))"
            " value: (initializer_list (number_literal)))",
        ),
        (
            "typedef int (A::*F)(int) const;",
            "function_declarator",
            "(function_declarator declarator: (parenthesized_declarator (qualified_identifier"
            " scope: (namespace_identifier) name: (pointer_type_declarator declarator: (type_identifier))))"
            " parameters: (parameter_list (parameter_declaration type: (primitive_type))) (type_qualifier (const)))",
        ),
        (
            "struct S { int A::*m[2]; };",
            "field_declaration",
            "(field_declaration type: (primitive_type) declarator: (qualified_identifier"
            " scope: (namespace_identifier) name: (pointer_type_declarator declarator:"
            " (array_declarator declarator: (type_identifier) size: (number_literal)))))",
        ),
        ("__device__ int *f(short) = delete;", "delete_method_clause", "(delete_method_clause)"),
        (
            "__device__ int f(int n) { return (unsigned(n) - 3u) % 7; }",
            "parenthesized_expression",
            "(parenthesized_expression (binary_expression left: (call_expression function: (identifier)"
            " arguments: (argument_list (identifier))) operator: - right: (number_literal)))",
        ),
    ],
)
def test_is_read(text: str, kind: str, expected: str) -> None:
    found, errors = _found(text, kind)
    assert found == [expected]
    assert errors == 0


@pytest.mark.parametrize(
    "text",
    [
        "template <class T, typename E<T>::type + = nullptr> __device__ int f(T);",
        "__device__ auto f(int x) -> decltype(x x, 1);",
        "__device__ void f() { Q s{.p 3 {1}}; }",
    ],
)
def test_other_errors_stay(text: str) -> None:
    assert _found(text, "ERROR")[1] > 0


@pytest.mark.parametrize("statement", ["y += x.*)q[i];", "1return x.*(i ? p : p);", "y = x.*;(x.*p)++;", "x.*&p[i];"])
def test_what_stands_wrongly_behind_a_pointer_to_a_member_stays_an_error(statement: str) -> None:
    _, errors = _found(f"__device__ int g(A &x, int A::*p, int A::*q, int i) {{ int y = x.m; {statement} }}", "ERROR")
    assert errors
