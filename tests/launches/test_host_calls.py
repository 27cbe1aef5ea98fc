"""What the calls of a host function say about the launches in it: CUDA text in, launches out."""

from __future__ import annotations

import pytest

from analysis.launches import Launch, Shape, launch_shapes
from analysis.syntax.document import Document
from analysis.syntax.environment import Environment
from analysis.syntax.includes import DictLoader
from analysis.syntax.translation_unit import TranslationUnit

KERNEL = "__global__ void k(float *x, int n);\n"
LAUNCH = "void launch(float *x, int n, int t) { k<<<(n + t - 1) / t, t>>>(x, n); }\n"


def only_launch(text: str, path: str = "a.cu") -> Launch:
    unit = TranslationUnit.build(path, Document.open((KERNEL + text).encode()), DictLoader(), Environment())
    (found,) = launch_shapes(unit)["k"]
    return found


def numbers(launch: Launch) -> set[tuple[int | None, int | float | None]]:
    """Threads of a block along x, and the number for `n`, of all launches that the program makes there."""
    return {(None if made.block is None else made.block.x, made.argument_values[1]) for made in launch.made}


def test_what_the_file_passes_is_one_launch_among_others() -> None:
    found = only_launch(LAUNCH + "int main() { const int N = 1024; launch(0, N, 256); launch(0, 2 * N, 128); }")
    assert numbers(found) == {(256, 1024), (128, 2048)}
    assert (found.block, found.grid, found.argument_values) == (None, None, (None, None))  # others may call it


def test_what_every_call_of_a_static_function_passes_alike_is_known() -> None:
    text = "static " + LAUNCH + "int main() { launch(0, 1024, 256); launch(0, 2048, 256); }"
    found = only_launch(text)
    assert found.block == Shape(256)
    assert found.argument_values[1] is None
    assert numbers(found) == {(256, 1024), (256, 2048)}


def test_a_header_s_static_functions_have_other_callers() -> None:
    found = only_launch("static " + LAUNCH + "inline void all() { launch(0, 1024, 256); }", "a.cuh")
    assert found.block is None
    assert numbers(found) == {(256, 1024)}


def test_a_static_function_that_an_open_one_calls_is_open() -> None:
    text = "static " + LAUNCH + "void outer(int t) { launch(0, 1024, t); }\nint main() { outer(256); }"
    found = only_launch(text)
    assert found.block is None
    assert found.argument_values[1] == 1024
    assert numbers(found) == {(256, 1024)}
    assert only_launch(text.replace("void outer", "static void outer")).block == Shape(256)


@pytest.mark.parametrize(
    "rest",
    [
        "",
        "int main(int c, char **v) { launch(0, atoi(v[1]), atoi(v[2])); }",
        "int main() { launch(0, 1024, 256); auto f = launch; f(0, 7, 7); }",
        "int main() { launch(0, 1024, 256); run(launch); }",
        "#define GO(n) launch(0, n, n)\nint main() { launch(0, 1024, 256); GO(7); }",
        "static void (*table[])(float *, int, int) = {launch};\nint main() { launch(0, 1024, 256); }",
        "void launch(float *x, int n, long t);\nint main() { launch(0, 1024, 256); }\n"
        "void launch(float *x, int n, long t) {}",
        "int main() { launch(0, 1024, 256); }\ntemplate <class... T> void other(T... t) { launch(t...); }",
    ],
)
@pytest.mark.parametrize("linkage", ["", "static "])
def test_other_uses_may_pass_anything(linkage: str, rest: str) -> None:
    found = only_launch(linkage + LAUNCH + rest)
    assert found.block is None
    assert (None, None) in numbers(found)


@pytest.mark.parametrize(
    "body",
    [
        "t = size(); k<<<1, t>>>(x, n);",
        "if (size()) t *= 2; k<<<1, t>>>(x, n);",
        "{ int t = size(); k<<<1, t>>>(x, n); }",
        "for (int t : sizes) k<<<1, t>>>(x, n);",
        "for (int t = 32; t < 512; t *= 2) k<<<1, t>>>(x, n);",
        "auto go = [&](int t) { k<<<1, t>>>(x, n); }; go(7);",
        "choose(&t); k<<<1, t>>>(x, n);",
        "int &u = t; u = 7; k<<<1, t>>>(x, n);",
        "std::cin >> t; k<<<1, t>>>(x, n);",
        "auto [t, u] = sizes(); k<<<1, t>>>(x, n);",
        "if (int t = size()) k<<<1, t>>>(x, n);",
    ],
)
@pytest.mark.parametrize("linkage", ["", "static "])
def test_a_parameter_that_is_written_or_hidden_holds_anything(linkage: str, body: str) -> None:
    found = only_launch(
        f"{linkage}void launch(float *x, int n, int t) {{ {body} }}\nint main() {{ launch(0, 9, 64); }}"
    )
    assert numbers(found) == {(None, 9)}


@pytest.mark.parametrize(
    ("type_", "passed"), [("int", 300), ("unsigned", 300), ("unsigned char", None), ("float", None)]
)
def test_a_parameter_that_may_change_the_number_holds_anything(type_: str, passed: int | None) -> None:
    text = f"static void launch({type_} n) {{ k<<<1, 64>>>(0, n); }}\nint main() {{ launch(300); }}"
    assert numbers(only_launch(text)) == {(64, passed)}


def test_a_function_that_calls_itself_may_pass_anything() -> None:
    text = "static void launch(float *x, int n) { k<<<1, 64>>>(x, n); if (n) launch(x, n / 2); }\n"
    assert numbers(only_launch(text + "int main() { launch(0, 1024); }")) == {(64, None)}


@pytest.mark.parametrize(
    ("body", "widths"),
    [
        ("if (n == 7) k<<<1, 64>>>(x, n);", {64}),
        ("if (n != 7) k<<<1, 64>>>(x, n);", {None}),
        ("if (n == 7) return; k<<<1, 64>>>(x, n);", {None}),
        ("switch (n) { case 7: k<<<1, 64>>>(x, n); }", {64}),
        ("switch (n) { case 8: k<<<1, 64>>>(x, n); }", {None}),
        ("switch (n) { case 7: case 8: k<<<1, 64>>>(x, n); }", {64}),
        ("switch (n) { case 7: break; case 8: k<<<1, 64>>>(x, n); }", {None}),
        ("switch (n) { case 7: { read(); break; } case 8: k<<<1, 64>>>(x, n); }", {None}),
        ("switch (n) { case 7: break; default: k<<<1, 64>>>(x, n); }", {None}),
        ("switch (n) { case 8: break; default: k<<<1, 64>>>(x, n); }", {64}),
        ("switch (n) { default: read(); case 8: k<<<1, 64>>>(x, n); }", {64}),
        ("switch (n) { default: read(); break; case 8: k<<<1, 64>>>(x, n); }", {None}),
        ("switch (n) { case OTHER: break; default: k<<<1, 64>>>(x, n); }", {64}),
    ],
)
def test_a_launch_that_no_call_comes_to_is_not_made(body: str, widths: set[int | None]) -> None:
    found = only_launch(f"static void run(float *x, int n) {{ {body} }}\nint main() {{ run(0, 7); }}")
    assert {made.block and made.block.x for made in found.made} == widths


@pytest.mark.parametrize(
    ("body", "width"),
    [
        ("int t = 32; switch (n) { case 8: t = 64; break; case 9: t = 96; } k<<<1, t>>>(x, n);", 32),
        # What a case writes that is come to is not followed: a `break` may stand anywhere in it.
        ("int t = 32; switch (n) { case 7: t = 64; break; default: t = 96; } k<<<1, t>>>(x, n);", None),
        ("int t = 32; switch (n) { case 7: if (read()) break; t = 64; } k<<<1, t>>>(x, n);", None),
        ("int t = 32; switch (n) { case 7: if (read()) break; case 8: t = 64; } k<<<1, t>>>(x, n);", None),
        ("int t = 32; switch (read()) { case 7: t = 64; } k<<<1, t>>>(x, n);", None),
    ],
)
def test_cases_that_no_call_comes_to_write_nothing(body: str, width: int | None) -> None:
    found = only_launch(f"static void run(float *x, int n) {{ {body} }}\nint main() {{ run(0, 7); }}")
    assert found.block == (None if width is None else Shape(width))
