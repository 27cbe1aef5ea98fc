"""What rules that read the text of host functions look at beside a function: the same for all functions of a file.

Question  Does another version of the file say the same of all that its host functions can name?
Rules     It does if it declares the same in the same order, with macros that mean the same, and each item reads as it
          did, but for bodies of functions, which nobody sees from outside.  Where the items stand counts for nothing.
Cost      One look at each item.
"""

from __future__ import annotations

from typing import final

from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.sides.sides import Sides
from analysis.syntax.environment import Environment
from analysis.syntax.items import Item, ItemKind, declares_the_same, differ
from analysis.syntax.macros import MacroTable


@final
@record
class HostSurroundings:
    """Of one version, read for one side; `flags` are what is said of the whole file."""

    items: tuple[Item, ...]
    included_items: tuple[Item, ...]
    macros: MacroTable
    environment: Environment
    flags: tuple[bool, ...]

    @classmethod
    def of(cls, sides: Sides) -> HostSurroundings:
        """What the functions of a unit see."""
        unit = sides.unit
        flags = sides.is_incomplete, sides.is_unchecked, unit.is_included
        return cls(unit.items, unit.included_items, unit.macros, unit.environment, flags)

    def are_as(self, other: HostSurroundings) -> bool:
        """Whether every host function sees the same in both."""
        return (
            len(self.items) == len(other.items)
            and self.flags == other.flags
            and self.environment == other.environment
            and self.included_items == other.included_items
            and self.macros.left_out == other.macros.left_out
            and self.macros.means_the_same(other.macros)
            and all(_look_the_same(one, now) for one, now in paced(zip(self.items, other.items, strict=True), 2))
        )


def _look_the_same(one: Item, now: Item) -> bool:
    if not differ(one, now):
        return True
    return one.kind is ItemKind.FUNCTION and declares_the_same(one, now) and seen_text(one) == seen_text(now)


def seen_text(one: Item) -> bytes:
    """What others see of an item: of a function its head."""
    return one.text.partition(b"{")[0] if one.kind is ItemKind.FUNCTION else one.text
