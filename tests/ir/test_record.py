"""Records compare, hash and print as frozen dataclasses do, although these methods are made at their first use."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from analysis.ir.record import record


def entry() -> type[Any]:
    """A new class each time: no method of it was asked for before."""

    class Entry:
        number: int
        name: str = "x"
        notes: list[int] = field(default_factory=list[int], hash=False)
        origin: str = field(default="here", compare=False)
        secret: int = field(default=0, repr=False)

    return Entry


def classes() -> tuple[type[Any], type[Any]]:
    return record(entry()), dataclass(frozen=True, slots=True)(entry())


ARGUMENTS: list[tuple[Any, ...]] = [(1,), (1, "y"), (2,), (1, "x", [1]), (1, "x", [], "there"), (1, "x", [], "here", 4)]


def same_hash(one: object, other: object) -> bool:
    return hash(one) == hash(other)


@pytest.mark.parametrize("first", ARGUMENTS)
@pytest.mark.parametrize("second", ARGUMENTS)
@pytest.mark.parametrize("ask", [operator.eq, operator.ne, same_hash])
def test_compared_as_dataclasses_are(
    first: tuple[Any, ...], second: tuple[Any, ...], ask: Callable[[Any, Any], bool]
) -> None:
    own, reference = classes()
    expected = ask(reference(*first), reference(*second))
    assert [ask(own(*first), own(*second)) for _ in range(2)] == [expected, expected]
    assert hash(own(*first)) == hash(reference(*first))


def test_printed_and_replaced_as_dataclasses_are() -> None:
    own, reference = classes()
    assert repr(replace(own(1), name="z")) == repr(replace(reference(1), name="z"))


def test_equal_fields_of_two_classes_are_not_equal() -> None:
    own, _ = classes()
    other, _ = classes()
    assert own(1) != other(1)
    assert own(1) != (1, "x")
    assert own(1) in {own(1)}
