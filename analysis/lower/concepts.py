"""Concepts: `template <Number T>` declares a type that satisfies `Number`, not a number of that type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from analysis.lower.names import Declarations
from analysis.syntax.items import ItemKind
from analysis.syntax.tree import Node

STANDARD_CONCEPTS: Final[Mapping[str, str | None]] = {
    "integral": "is_integral_v",
    "floating_point": "is_floating_point_v",
    "same_as": "is_same_v",
    "convertible_to": "is_convertible_v",
    "signed_integral": "is_signed_integral_v",
    "unsigned_integral": "is_unsigned_integral_v",
    "derived_from": "is_derived_from_v",
    "invocable": None,
    "regular_invocable": None,
    "predicate": None,
    "copyable": None,
    "movable": None,
    "semiregular": None,
    "regular": None,
    "equality_comparable": None,
    "totally_ordered": None,
    "default_initializable": None,
}
"""Those of the standard library, with the trait that is the same question, if there is one here."""


def names_concept(program: Declarations, node: Node) -> bool:
    """Whether what stands in the place of a parameter's type is a concept."""
    if node.kind not in _NAMES:
        return False
    space, _, last = node.text.partition(b"<")[0].rpartition(b"::")
    name = last.strip().decode("utf-8", "replace")
    if space.rpartition(b"::")[2].strip() == b"std":
        return name in STANDARD_CONCEPTS
    items = program.unit.lookup(name)
    return any(item.kind is ItemKind.VARIABLE and b"concept" in item.identifiers for item in items)


_NAMES: Final = frozenset({"type_identifier", "template_type", "qualified_identifier"})
