"""Variables at file level that host code writes, and what launches that read them say."""

from __future__ import annotations

import pytest

from analysis.launches import Launch, Shape
from analysis.launches.model import NumbersFrom
from tests.launches.test_host_calls import only_launch
from tests.support.project_analysis import analyzed

SIZE = "static int size = 64;\n"
GO = "static void go() { k<<<4, size>>>(0, 1); }\n"
MAIN = "int main(int argc, char **argv) { go(); }\n"


def widths(launch: Launch, *, made: bool) -> set[int | None]:
    """The threads of blocks, of all launches that there may be, or of those without arguments."""
    shapes = [one.block for one in (launch.made if made else launch.every)]
    return {None if shape is None else shape.x for shape in shapes}


@pytest.mark.parametrize(
    ("rest", "every", "made"),
    [
        pytest.param(GO + MAIN, {64}, {64}, id="never written"),
        pytest.param(GO + MAIN.replace("go();", "size = 32; go();"), {32}, {32}, id="written before the call"),
        pytest.param(
            GO + MAIN.replace("go();", "if (argc > 1) size = 32; go();"), {32, 64}, {64}, id="one of two numbers"
        ),
        pytest.param(
            GO + MAIN.replace("go();", "if (argc > 1) size = atoi(argv[1]); go();"), {None}, {64}, id="an argument"
        ),
        pytest.param(
            "static void put(int n) { size = n; }\n" + GO + MAIN.replace("go();", "put(32); go();"),
            {32, 64},
            {None},
            id="behind a function that writes it",
        ),
        pytest.param(
            "static void put() { size = 32; }\n"
            + GO.replace("k<<<", "int size_before = size; put(); k<<<").replace(", size>", ", size_before>")
            + MAIN,
            {64},
            {64},
            id="read before it is written",
        ),
        pytest.param(
            GO + "struct Early { Early() { size = 32; } } early;\n" + MAIN,
            {None},
            {None},
            id="a constructor before main",
        ),
        pytest.param(GO + "static int *at = &size;\n" + MAIN, {None}, {None}, id="a pointer"),
        pytest.param(GO + MAIN.replace("go();", "scanf(argv[1], &size); go();"), {None}, {None}, id="its address"),
        pytest.param(GO + MAIN.replace("go();", "int &it = size; it = 3; go();"), {None}, {None}, id="a reference"),
        pytest.param(GO + MAIN.replace("go();", "::size = 3; go();"), {None}, {None}, id="a qualified name"),
        pytest.param(GO + MAIN.replace("go();", "size *= 2; go();"), {None}, {None}, id="a change"),
        pytest.param(GO + MAIN.replace("go();", "{ int size = 3; } go();"), {64}, {64}, id="a local of that name"),
    ],
)
def test_what_a_variable_holds(rest: str, every: set[int | None], made: set[int | None]) -> None:
    found = only_launch(SIZE + rest)
    assert (widths(found, made=False), widths(found, made=True)) == (every, made)


def test_a_block_that_is_a_variable_of_the_file_has_one_row() -> None:
    assert only_launch("int size;\n" + GO + MAIN).has_line
    assert not only_launch("dim3 size;\n" + GO + MAIN).has_line


def test_numbers_of_variables_say_where_they_come_from() -> None:
    found = only_launch(SIZE + GO + MAIN.replace("go();", "size = 32; go();"))
    assert found.block == Shape(32)
    several = only_launch(SIZE + GO + MAIN.replace("go();", "if (argc > 1) size = 32; go();"))
    assert several.numbers_from == {NumbersFrom.VARIABLES}


def test_a_name_means_the_local_only_where_it_is_in_scope() -> None:
    assert only_launch("const int T = 64;\nvoid go() { { int T = 3; } k<<<1, T>>>(0, 1); }").block is None
    assert only_launch("void go() { int T = 64; { k<<<1, T>>>(0, 1); } }").block == Shape(64)


def test_constants_without_a_sign_are_computed_without_one() -> None:
    text = "const %s N = 3;\nint main() { k<<<1, 64>>>(0, (N - 5) / 2); }"
    assert only_launch(text % "unsigned").argument_values[1] is None
    assert only_launch(text % "int").argument_values[1] == -1


KERNEL = "__global__ void k(float *x, int n) { if (threadIdx.x < 32) x[threadIdx.y] = n; }\n"


def _shapes(files: dict[str, str]) -> set[int]:
    analysis = analyzed(files, "a.cu")
    (function,) = (one for one in analysis.facts.functions if one.name == "k")
    launch = analysis.launch_of(function)
    assert launch is not None
    return {shape.x for shape in launch.shapes}


def test_other_files_may_write_what_they_declare() -> None:
    files = {"a.cu": KERNEL + "int size = 64;\n" + GO + "int main() { go(); }\n"}
    assert _shapes(files) == {64}
    for declared in ("extern int size;\nvoid put() { size = 32; }\n", "void put() { extern int size; size = 32; }\n"):
        assert _shapes({**files, "b.cu": declared}) != {64}
    assert _shapes({**files, "b.cu": "static int size = 7;\nvoid put() { size = 32; }\n"}) == {64}
    called = {**files, "a.cu": KERNEL + "void put();\nint size = 64;\n" + GO + "int main() { go(); put(); go(); }\n"}
    assert _shapes({**called, "b.cu": "extern int size;\nvoid put() { size = 32; }\n"}) == {32, 64}
    read = {**files, "b.cu": "extern int size;\nvoid put() { size = read(); }\n"}
    assert _shapes(read) == set()
