"""Records compare, hash and print as frozen dataclasses do, although these methods are made at their first use."""

from __future__ import annotations

import operator
import pickle
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, ClassVar

import pytest

from analysis.ir.record import changed, record


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
    one = own(1, "y", [2], "there", 3)
    for changes in ({}, {"name": "z"}, {"secret": 4, "number": 2}):
        assert asdict(changed(one, **changes)) == asdict(replace(one, **changes))


def test_what_is_inherited_is_changed_too() -> None:
    @record
    class Base:
        number: int

    @record
    class Derived(Base):
        name: str = "x"

    assert changed(Derived(1), number=2) == Derived(2)
    assert changed(Base(1), number=2) == Base(2)
    with pytest.raises(KeyError):
        changed(Base(1), name="y")


def test_equal_fields_of_two_classes_are_not_equal() -> None:
    own, _ = classes()
    other, _ = classes()
    assert own(1) != other(1)
    assert own(1) != (1, "x")
    assert own(1) in {own(1)}


@record
class Kept:
    """At the top of a module, where pickle finds it."""

    kind: ClassVar[str] = "kept"
    number: int
    notes: list[int] = field(default_factory=list[int])
    checked: bool = True

    def __post_init__(self) -> None:
        if self.number < 0:
            raise ValueError("below zero")


@record
class Younger(Kept):
    """With the fields of its base, which the type checker knows as well."""

    name: str = "y"

    def twice(self) -> int:
        return 2 * self.number


def test_fields_of_a_base_are_fields_of_it() -> None:
    one = Younger(2, [1], checked=False, name="z")
    assert (one.twice(), one.checked, one.name) == (4, False, "z")
    assert [field.name for field in fields(Younger)] == ["number", "notes", "checked", "name"]
    assert repr(replace(one, number=3)) == "Younger(number=3, notes=[1], checked=False, name='z')"
    assert Younger(2) == Younger(2)
    assert Younger(2) != Kept(2)


def test_constructed_as_dataclasses_are() -> None:
    own, reference = classes()
    assert own(1).notes is not own(1).notes
    assert repr(own(name="y", number=1, notes=[2])) == repr(reference(name="y", number=1, notes=[2]))
    for cls in (own, reference):
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'number'"):
            cls()
        with pytest.raises(TypeError, match="unexpected keyword argument 'other'"):
            cls(1, other=2)
    with pytest.raises(AttributeError):
        own(1).other = 2
    assert [one.name for one in fields(own)] == [one.name for one in fields(reference)]
    assert asdict(own(1)) == asdict(reference(1))


def test_a_new_class_is_checked_before_anything_was_made() -> None:
    with pytest.raises(ValueError, match="below zero"):
        Kept(-1)
    match pickle.loads(pickle.dumps(Kept(3, [1], checked=False))):
        case Kept(3, [1], False):
            pass
        case other:
            pytest.fail(f"{other!r}")
    assert Kept.kind == "kept"
    assert [one.name for one in fields(Kept)] == ["number", "notes", "checked"]
