"""`FILE:LINE` and `FILE:FUNCTION`, where FILE may contain colons itself (`C:\\kernels\\a.cu:12`)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import final

from analysis.ir.record import record
from analysis.lower.program import DeviceFunction
from simt_lsp.cli.exit_status import UsageError

# The column that compilers print after the line is accepted and ignored.
_LINE = re.compile(r"(?P<file>.+?):(?P<line>[0-9]+)(?::[0-9]+)?:?", re.DOTALL)


@final
@record
class LineTarget:
    """A line of a file, counted from 1."""

    path: str
    line: int


@final
@record
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


def region_target(text: str, is_file: Callable[[str], bool] = os.path.isfile) -> tuple[FunctionTarget, int | None]:
    """`a.cu`, `a.cu:kernel`, `a.cu:kernel:12` or `a.cu:12`: what `function_target` reads, and a line."""
    target = function_target(text, is_file)
    match = None if target.function is None else _REGION.fullmatch(target.function)
    if match is None or match["line"] is None:
        return target, None
    line = int(match["line"])
    if line == 0:
        raise UsageError(f"'{text}': lines count from 1")
    return FunctionTarget(target.path, match["function"]), line


_REGION = re.compile(r"(?:(?P<function>[^0-9].*?)(?::|$))?(?P<line>[0-9]+)?", re.DOTALL)


def functions_named(
    functions: Sequence[DeviceFunction], path: str, name: str | None, what: str
) -> Sequence[DeviceFunction]:
    """Those with this name, with or without the scopes around it (`get`, `Pair::get`, `math::Pair::get`); None: all.

    `what` they are, for messages.  Raises `UsageError` where there is none.
    """
    if not functions:
        raise UsageError(f"{path} has no {what}s")
    found = [function for function in functions if name is None or f"::{_scoped_name(function)}".endswith(f"::{name}")]
    if not found:
        names = ", ".join(dict.fromkeys(function.item.name for function in functions))
        raise UsageError(f"{path} has no {what} '{name}'; it has: {names}")
    return found


def _scoped_name(function: DeviceFunction) -> str:
    item = function.item
    return "::".join((*item.namespace, *filter(None, [item.owner]), item.name))
