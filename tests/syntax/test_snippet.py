"""What the lowering reads: expanded text, its tree, and the way back."""

import pytest

from analysis.syntax.problems import ProblemKind
from tests.syntax.unit import build, only, snippet


def origin(text: str, name: str, part: str) -> str:
    """The original text that the first node spelled `part` stands for."""
    unit = build(text)
    item = only(unit, name)
    found = unit.snippet(item)
    node = next(node for node in found.root.walk() if node.text == part.encode())
    span = found.span(node.start, node.end)
    return item.text[span.start : span.end].decode()


def test_an_item_without_macros_is_its_own_text() -> None:
    text = "__device__ int f(int x) { return x; }"
    unit = build("#define UNUSED 1\n" + text)
    item = only(unit, "f")
    found = unit.snippet(item)
    assert found.text is item.text
    assert found.root.kind == "function_definition"
    assert found.span(3, 9).start == 3
    assert (found.error_count, found.launch_bounds) == (0, None)


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("x", "x"),
        ("3", "N"),
        ("(x+3)*(x+3)", "SQ(x+N)"),
        ("y", "y"),
        ("return ((x+3)*(x+3)) - y;", "return SQ(x+N) - y;"),
    ],
)
def test_expanded_text_maps_to_its_use_and_arguments_to_themselves(part: str, expected: str) -> None:
    text = "#define N 3\n#define SQ(a) ((a)*(a))\nint f(int x, int y) { return SQ(x+N) - y; }"
    assert origin(text, "f", part) == expected


def test_macros_in_comments_and_strings_stay() -> None:
    found = snippet('#define N 3\nconst char *f() { /* N */ return "N"; // N\n}', "f")
    assert found.text == b'const char *f() { /* N */ return "N"; // N\n}'


def test_conditionals_inside_are_resolved_without_moving_anything() -> None:
    text = "#define A\nint f() {\n#ifdef A\n  return 1;\n#else\n  return 2;\n#endif\n#if 0\n  }\n#endif\n}"
    found = snippet(text, "f")
    assert b"return 1;" in found.text
    assert b"return 2;" not in found.text
    assert found.error_count == 0
    assert len(found.text) == len(text) - len("#define A\n")


def test_each_branch_of_a_split_head_is_read_as_if_taken() -> None:
    unit = build("#if A\nvoid f(int a) {\n#else\nvoid g(int b) {\n#endif\n  h();\n}")
    texts = [b"".join(unit.snippet(item).text.split()) for item in unit.items]
    assert texts == [b"voidf(inta){h();}", b"voidg(intb){h();}"]
    assert [unit.snippet(item).error_count for item in unit.items] == [0, 0]


def test_a_definition_inside_a_body_counts_from_its_line_on() -> None:
    unit = build("int f() { int a = K;\n#define K 5\n return K; }\nint g() { return K; }")
    assert b"".join(unit.snippet(only(unit, "f")).text.split()) == b"intf(){inta=K;return5;}"
    assert b"return 5" in unit.snippet(only(unit, "g")).text


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void f(float *const __restrict p, const float *__restrict__ q) { }",
        "void f() { __shared__ float __align__(8) s[3]; extern __shared__ __align__(16) unsigned char t[]; }",
        "__attribute__((noinline)) __device__ void f() { }",
        "[[nodiscard]] int f() { return 1; }",
        "void __stdcall f() { }",
        '__device__ void f() { asm volatile("bar.sync 0;" ::: "memory"); }',
        "void f() { if (x)\n#pragma unroll\n  for (;;) { } }",
        "UNKNOWN_API __global__ void UNKNOWN_BOUNDS(1, 2) f(int a) { }",
        "void f() {\n  UNKNOWN_CHECK(1)\n  int x = 1;\n  UNKNOWN_BLOCK\n}",
    ],
)
def test_what_the_grammar_cannot_parse_and_means_nothing(text: str) -> None:
    found = snippet(text, "f")
    assert found.error_count == 0
    assert found.root.kind == "function_definition"
    assert not found.root.has_error


def test_launch_bounds_and_pragmas_are_kept() -> None:
    found = snippet(
        "#define N 64\n__global__ void __launch_bounds__(N * 4, (1, 2)) f() {\n#pragma unroll 4\n  for (;;) { } }", "f"
    )
    assert found.launch_bounds == (b"64 * 4", b"(1, 2)")
    assert [text for _, text in found.pragmas] == [b"unroll 4"]


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("struct S { int f() const { return 1; } };", "f", "function_definition"),
        ("struct S { S() : x(1) { } int x; };", "S", "struct_specifier"),
        ("class C { };", "C", "class_specifier"),
        ("typedef union U { int a; } U;", "U", "union_specifier"),
        ("enum E { a };", "E", "enum_specifier"),
        ("using A = int;", "A", "alias_declaration"),
        ("typedef int T;", "T", "type_definition"),
        ("__constant__ float c[3];", "c", "declaration"),
        ("int f(int);", "f", "declaration"),
        ("#define K(n) int a##n() { return 1; } int b##n() { return 2; }\nK(1)", "b1", "function_definition"),
    ],
)
def test_the_root_is_the_item_itself(text: str, name: str, kind: str) -> None:
    unit = build(text)
    item = next(item for item in unit.items if item.name == name)
    found = unit.snippet(item)
    assert found.root.kind == kind
    assert name.encode() in found.root.text


def test_templates_around_the_root_are_kept() -> None:
    found = snippet("template <class T> template <int N> __device__ void S<T>::f() { }", "f")
    assert [node.text for node in found.templates] == [b"<class T>", b"<int N>"]
    assert found.root.kind == "function_definition"


def test_a_macro_that_grows_without_bound_stays_and_is_reported() -> None:
    lines = ["#define A0 1+1"] + [f"#define A{level} A{level - 1}+A{level - 1}" for level in range(1, 40)]
    found = snippet("\n".join(lines) + "\nint f() { return A39; }", "f")
    assert b"A39" in found.text
    assert [problem.kind for problem in found.problems] == [ProblemKind.MACRO_GROWTH]


def test_line_and_file_are_those_of_the_use() -> None:
    assert b"return 3" in snippet("\n\nint f() { return __LINE__; }", "f").text
    assert b'"dir/main.cu"' in snippet("\nconst char *f() { return __FILE__; }", "f").text


def test_children_keep_words_and_operators_and_drop_punctuation() -> None:
    root = snippet("static const int f(int a) { return a + 1; /* c */ }", "f").root
    assert root.sexp() == (
        "(function_definition (storage_class_specifier (static)) (type_qualifier (const)) type: (primitive_type)"
        " declarator: (function_declarator declarator: (identifier) parameters: (parameter_list"
        " (parameter_declaration type: (primitive_type) declarator: (identifier))))"
        " body: (compound_statement (return_statement (return)"
        " (binary_expression left: (identifier) operator: + right: (number_literal)))))"
    )


def test_a_tree_is_never_deeper_than_its_bound() -> None:
    found = snippet("int f() { return " + "(" * 3000 + "1" + ")" * 3000 + "; }", "f")
    depth, level = 0, [found.root]
    while level:
        depth, level = depth + 1, [child for node in level for child in node.children]
    assert 300 < depth < 500
