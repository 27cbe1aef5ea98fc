from __future__ import annotations

import pytest

from simt_lsp.cli.exit_status import UsageError
from simt_lsp.cli.targets import FunctionTarget, LineTarget, function_target, line_target, region_target


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ("a.cu:12", "a.cu", 12),
        ("a.cu:12:7", "a.cu", 12),
        ("a.cu:12:7:", "a.cu", 12),
        (r"C:\kernels\a.cu:3", r"C:\kernels\a.cu", 3),
        ("C:/kernels/a.cu:3:1", "C:/kernels/a.cu", 3),
        ("odd:name.cu:4", "odd:name.cu", 4),
        ("sub dir/a b.cu:1", "sub dir/a b.cu", 1),
    ],
)
def test_a_line_follows_the_last_colon_of_the_file(text: str, path: str, line: int) -> None:
    assert line_target(text) == LineTarget(path, line)


@pytest.mark.parametrize("text", ["a.cu", r"C:\kernels\a.cu", "a.cu:", "a.cu:x", ":5", "a.cu:-1"])
def test_without_a_line_the_message_says_what_to_write(text: str) -> None:
    with pytest.raises(UsageError, match="FILE:LINE"):
        line_target(text)


def test_lines_count_from_one() -> None:
    with pytest.raises(UsageError, match="count from 1"):
        line_target("a.cu:0")


@pytest.mark.parametrize(
    ("text", "path", "function"),
    [
        ("a.cu", "a.cu", None),
        ("a.cu:sum", "a.cu", "sum"),
        ("a.cu:math::sum", "a.cu", "math::sum"),
        (r"C:\a.cu", r"C:\a.cu", None),
        (r"C:\a.cu:sum", r"C:\a.cu", "sum"),
        (r"C:\a.cu:math::sum", r"C:\a.cu", "math::sum"),
        ("with:colon.cu", "with:colon.cu", None),
        ("with:colon.cu:sum", "with:colon.cu", "sum"),
        ("missing.cu:sum", "missing.cu:sum", None),
    ],
)
def test_the_longest_beginning_that_is_a_file_is_the_file(text: str, path: str, function: str | None) -> None:
    files = {"a.cu", r"C:\a.cu", "with:colon.cu"}
    assert function_target(text, files.__contains__) == FunctionTarget(path, function)


@pytest.mark.parametrize(
    ("text", "path", "function", "line"),
    [
        ("a.cu", "a.cu", None, None),
        ("a.cu:sum", "a.cu", "sum", None),
        ("a.cu:math::sum", "a.cu", "math::sum", None),
        ("a.cu:sum:12", "a.cu", "sum", 12),
        ("a.cu:math::sum:12", "a.cu", "math::sum", 12),
        ("a.cu:12", "a.cu", None, 12),
        ("a.cu:sum2", "a.cu", "sum2", None),
        (r"C:\a.cu:sum:3", r"C:\a.cu", "sum", 3),
        ("missing.cu:sum:3", "missing.cu:sum:3", None, None),
    ],
)
def test_a_region_is_named_by_function_and_line(text: str, path: str, function: str | None, line: int | None) -> None:
    assert region_target(text, {"a.cu", r"C:\a.cu"}.__contains__) == (FunctionTarget(path, function), line)


def test_lines_of_regions_count_from_one() -> None:
    with pytest.raises(UsageError, match="count from 1"):
        region_target("a.cu:sum:0", {"a.cu"}.__contains__)
