"""`record`: frozen data for a third of the price.

The type checker sees a frozen dataclass: to assign to a field is an error.  At run time the class is an ordinary one
with slots, because `dataclass(frozen=True)` calls `object.__setattr__` once per field: 0.9 instead of 0.3 microseconds
for four fields, and the passes make thousands of instructions, spans and types for each keystroke.

A class is cheap to define as well: `dataclass` compiles each method on its own when a module is loaded, 0.6 ms for a
frozen class, and a process loads hundreds of classes before it can answer.  Here that is the constructor alone; few
classes are ever compared or printed, so these methods wait for their first use.  With `dataclass(slots=True,
unsafe_hash=True)` in its place the check of one small file costs 8 % more processor time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, make_dataclass
from typing import Any, TypeVar, dataclass_transform

Class = TypeVar("Class")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[Class]) -> type[Class]:
    """A dataclass with slots, compared and hashed by its fields, which nobody changes."""
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__  # `dataclass` would work the signature out for it
    made = dataclass(slots=True, eq=False, repr=False)(cls)
    _define(made, __repr__=_spell)
    _compare_by_fields(made)
    return made


def _spell(self: Any) -> str:
    shown = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({shown})"


def _compare_by_fields(cls: type[Any]) -> None:
    """Give `cls` an equality and a hash that are compiled when one of them is first asked for."""

    def compile_both() -> None:
        compared = [(one.name, Any, field(compare=one.compare, hash=one.hash)) for one in fields(cls)]
        model = make_dataclass(
            cls.__name__, compared, init=False, repr=False, unsafe_hash=True, namespace={"__doc__": cls.__doc__}
        )
        _define(cls, __eq__=model.__eq__, __hash__=model.__hash__)

    def equal(self: object, other: object) -> Any:
        compile_both()
        return self.__eq__(other)

    def hashed(self: object) -> int:
        compile_both()
        return self.__hash__()

    _define(cls, __eq__=equal, __hash__=hashed)


def _define(cls: type[Any], **methods: Callable[..., Any]) -> None:
    for name, method in methods.items():
        setattr(cls, name, method)
