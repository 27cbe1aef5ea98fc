"""What is left of a host function for the search of launches: the lines marked `//+` and no others."""

from __future__ import annotations

import pytest

from analysis.lower.launches.host_text import launch_text
from analysis.syntax.document import Document
from analysis.syntax.lexing import identifiers
from analysis.syntax.translation_unit import TranslationUnit


class NoFiles:
    def read(self, path: str) -> bytes | None:
        return None

    def exists(self, path: str) -> bool:
        return False


def check(body: str, macros: str = "") -> None:
    """Every line holds one statement; nothing moves, and exactly the marked lines are kept."""
    text = body.replace("//+", "   ").encode()
    unit = TranslationUnit.build("a.cu", Document.open(macros.encode() + b"\nint last;"), NoFiles())
    seen = unit.macros.view(unit.items[-1].order)
    found = launch_text(text, identifiers(text), seen, frozenset({b"cudaLaunchKernel"}))
    assert len(found) == len(text)
    marked = [line.replace("//+", "   ") if line.endswith("//+") else "" for line in body.splitlines()]
    assert [line.rstrip() for line in found.decode().splitlines()] == [line.rstrip() for line in marked]


MACROS = """
#define CHECK(call) do { if ((call) != 0) abort(); } while (0)
#define LOOSE(call) if (call) abort()
#define SET(variable, value) variable = value
#define STEP n += 1
#define N 100
"""


def test_only_what_gives_a_configuration_its_value_is_kept() -> None:
    check(
        """void f(float* p) {  //+
        int n, unused, rest;  //+
        const int size = 4 * rest;
        n = 100;  //+
        CHECK(cudaMalloc(&p, n * sizeof(float)));
        cudaMemcpy(p, q, n, kind);
        dim3 block(16, 16);  //+
        int blocks = n / block.x;  //+
        printf("blocks; %d {", blocks);
        k<<<blocks, block>>>(p, n);  //+
        return done(p);
        }  //+""",
        MACROS,
    )


@pytest.mark.parametrize(
    "statement",
    [
        "n = 1;",
        "n += 1;",
        "(n) = 1;",
        "a = n = 1;",
        "f(n = 1);",
        "n++;",
        "--n;",
        "f((&n));",
        "f(& n);",
        "int m, n, o;",
        "int m(1), n(2);",
        "unsigned *n;",
        "int n[4];",
        "std::vector<int> n;",
        "n.x = 1;",
        "n->x = 1;",
        "n.x.y++;",
        "if (a) f();",
        "for (;;) f();",
        "do f();",
        "cudaLaunchKernel(a, b, c);",
        "f([&] { n = 1; });",
        "SET(n, 1);",
        "STEP;",
        "LOOSE(f());",
        "auto x = T{1};",
    ],
)
def test_statements_that_may_matter(statement: str) -> None:
    check(f"void f() {{  //+\n{statement}  //+\nk<<<n, 1>>>();  //+\n}}  //+", MACROS)


@pytest.mark.parametrize(
    "statement",
    [
        "m = n;",
        "f(n);",
        "f(a, n, b);",
        "f(a && n);",
        "m[n] = 1;",
        "if_(a);",
        'f("n = 1;");',
        "CHECK(f(n, N));",
        "g();;",
    ],
)
def test_statements_that_cannot(statement: str) -> None:
    check(f"void f() {{  //+\n{statement}\nk<<<n, 1>>>();  //+\n}}  //+", MACROS)


def test_values_in_braces_are_kept_with_all_that_they_name() -> None:
    check(
        """void f() {  //+
        m = 8;  //+
        dim3 b{m, T{1}.x, 2};  //+
        g(m);
        k<<<1, b>>>();  //+
        }  //+"""
    )


@pytest.mark.parametrize("line", ["#define LOCAL 1", "#undef N", "OPENS f();", "PASTES(n) = 1;"])
def test_a_function_with_unclear_macros_is_kept_whole(line: str) -> None:
    check(
        f"void f() {{  //+\n{line}  //+\ng();  //+\nk<<<1, 1>>>();  //+\n}}  //+",
        "#define OPENS {\n#define PASTES(name) name ## 1\n#define N 1",
    )


def test_a_statement_with_a_directive_in_it_is_kept() -> None:
    check(
        """void f() {  //+
        g();
        #ifdef A  //+
        g();
        #endif  //+
        g(1,  //+
        #ifdef A  //+
          2,  //+
        #endif  //+
          3);  //+
        g();
        }  //+"""
    )
