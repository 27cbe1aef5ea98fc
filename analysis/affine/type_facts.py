"""What is asked of the type of each value of a function: of thousands of values, and a few dozen types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from analysis.ir.pace import paced
from analysis.ir.types import Type

Answer = TypeVar("Answer")


def of_each_type(types: Sequence[Type], ask: Callable[[Type], Answer]) -> list[Answer]:
    """The answers in the order of `types`; asked once of each object, for to compare two types costs as much."""
    known: dict[int, Answer] = {}
    found: list[Answer] = []
    for type_ in paced(types):
        key = id(type_)
        if key not in known:
            known[key] = ask(type_)
        found.append(known[key])
    return found
