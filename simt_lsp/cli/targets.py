"""`FILE:LINE` and `FILE:FUNCTION`, where FILE may contain colons itself (`C:\\kernels\\a.cu:12`)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from simt_lsp.cli.exit_status import UsageError

# The column that compilers print after the line is accepted and ignored.
_LINE = re.compile(r"(?P<file>.+?):(?P<line>[0-9]+)(?::[0-9]+)?:?", re.DOTALL)


@final
@dataclass(frozen=True, slots=True)
class LineTarget:
    """A line of a file, counted from 1."""

    path: str
    line: int


@final
@dataclass(frozen=True, slots=True)
class FunctionTarget:
    """A function of a file, or all of them."""

    path: str
    function: str | None


def line_target(text: str) -> LineTarget:
    """`a.cu:12`; raises `UsageError` with what is missing."""
    match = _LINE.fullmatch(text)
    if match is None:
        raise UsageError(f"'{text}' names no line: write FILE:LINE, for example kernel.cu:12")
    line = int(match["line"])
    if line == 0:
        raise UsageError(f"'{text}': lines count from 1")
    return LineTarget(match["file"], line)


def function_target(text: str, is_file: Callable[[str], bool] = os.path.isfile) -> FunctionTarget:
    """`a.cu`, `a.cu:kernel` or `a.cu:space::kernel`: the longest beginning that is a file is the file."""
    if is_file(text):
        return FunctionTarget(text, None)
    colons = [index for index, character in enumerate(text) if character == ":"]
    for colon in reversed(colons):
        if is_file(text[:colon]) and text[colon + 1 :]:
            return FunctionTarget(text[:colon], text[colon + 1 :])
    return FunctionTarget(text, None)
