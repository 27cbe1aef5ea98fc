"""What is asked of the type of each value of a function: of thousands of values, and a few dozen types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from analysis.ir.pace import spend
from analysis.ir.types import Type

Answer = TypeVar("Answer")
_FASTER: Final = 10
"""How many values take what a round of a loop does."""


def of_each_type(types: Sequence[Type], ask: Callable[[Type], Answer]) -> list[Answer]:
    """The answers in the order of `types`; asked once of each object, for to compare two types costs as much."""
    spend(len(types) // _FASTER)
    keys = list(map(id, types))
    known = {key: ask(type_) for key, type_ in dict(zip(keys, types, strict=True)).items()}
    return list(map(known.__getitem__, keys))
