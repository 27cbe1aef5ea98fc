"""What messages about sides say of a function or variable, and where it is declared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.facts.item_text import name_span
from analysis.facts.model import Location
from analysis.rules.diagnostic import Related
from analysis.sides.side import Side
from analysis.syntax.items import Item, ItemKind


def declared_at(items: Sequence[Item], words: str) -> tuple[Related, ...]:
    """Where functions are declared, those with a body first."""
    ordered = sorted(items, key=lambda item: (not item.is_definition, item.path, item.span.start))
    return tuple(Related(_name_place(item), words) for item in ordered[:MAX_PLACES])


def _name_place(item: Item) -> Location:
    name = name_span(item)
    if item.kind is ItemKind.FUNCTION and not item.from_macro:
        return Location(item.path, item.span.start + name.start, item.span.start + name.end)
    return Location(item.path, item.span.start, item.span.end)


MAX_PLACES: Final = 4
CALLERS: Final = {
    Side.HOST: "host code",
    Side.DEVICE: "device code",
    Side.BOTH: "a function for both sides",
    Side.KERNEL: "a kernel",
}
