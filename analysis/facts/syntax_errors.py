"""Functions that cannot be read, in words: nothing else is said about them, since it would rest on a guess."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analysis.facts.model import FileProblem, FunctionFacts, ProblemKind
from analysis.syntax.line_index import LineIndex


def syntax_error_of(function: FunctionFacts, lines: LineIndex) -> FileProblem | None:
    """Where a function could not be read; None for one that could."""
    if function.unreadable is None or not function.active:
        return None
    start, end = function.start + function.unreadable.start, function.start + function.unreadable.end
    message = f"syntax error at line {lines.line_of(start) + 1}: `{function.name}` is not analysed"
    return FileProblem(ProblemKind.SYNTAX_ERROR, start, end, message)


def syntax_errors(functions: Iterable[FunctionFacts], lines: LineIndex) -> Iterator[FileProblem]:
    """Those of all functions."""
    for function in functions:
        problem = syntax_error_of(function, lines)
        if problem is not None:
            yield problem
