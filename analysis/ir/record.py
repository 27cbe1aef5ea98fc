"""`record`: frozen data for a third of the price.

The type checker sees a frozen dataclass: to assign to a field is an error.  At run time the class is an ordinary one
with slots, because `dataclass(frozen=True)` calls `object.__setattr__` once per field: 0.9 instead of 0.3 microseconds
for four fields, and the passes make thousands of instructions, spans and types for each keystroke.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

Class = TypeVar("Class")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[Class]) -> type[Class]:
    """A dataclass with slots, compared and hashed by its fields, which nobody changes."""
    return dataclass(slots=True, unsafe_hash=True)(cls)
