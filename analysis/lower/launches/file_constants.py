"""Constants that host code names at file level: `const` and `constexpr` variables, enumerators."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Final, TypeAlias, final

from analysis.syntax.items import Item, ItemKind
from analysis.syntax.translation_unit import TranslationUnit
from analysis.syntax.tree import Node

Number: TypeAlias = int | float
Evaluate: TypeAlias = "Callable[[FileConstants, Node], Number | None]"

_CONSTANT: Final = re.compile(rb"\bconst(?:expr)?\b")


@final
class FileConstants:
    """Values by name; `evaluate` reads an initialiser, which may name further constants."""

    def __init__(self, unit: TranslationUnit, evaluate: Evaluate) -> None:
        self._unit = unit
        self._evaluate = evaluate
        self._values: dict[str, Number | None] = {}
        self._enumerators: dict[str, Number | None] | None = None
        self._members: dict[int, dict[bytes, list[Node]]] = {}

    def value(self, name: str) -> Number | None:
        """The one value of that name; None where it is not constant or declared with several values."""
        if name not in self._values:
            self._values[name] = None  # a constant that needs itself has no value
            self._values[name] = self._find(name)
        return self._values[name]

    def _find(self, name: str) -> Number | None:
        items = [item for item in self._unit.lookup(name) if item.kind is ItemKind.VARIABLE and item.active]
        if not items:
            found = self._enumerator(name)
            return self._member(name) if found is None else found
        values = {self._initial(item) for item in items if item.is_definition}
        return values.pop() if len(values) == 1 else None

    def _initial(self, item: Item) -> Number | None:
        if not (item.is_constexpr or _CONSTANT.search(item.text)):
            return None
        for node in self._unit.snippet(item).root.walk():
            if node.kind == "init_declarator":
                declarator, value = node.field("declarator"), node.field("value")
                if declarator is not None and value is not None and declarator.text == item.name.encode():
                    return self._evaluate(self, value)
        return None

    def _member(self, name: str) -> Number | None:
        """A static constant of a record; the record's name does not count."""
        word = name.encode()
        values: set[Number | None] = set()
        for item in (*self._unit.items, *self._unit.included_items):
            if item.kind is ItemKind.RECORD and item.active and word in item.identifiers:
                values |= {self._evaluate(self, value) for value in self._members_of(item).get(word, ())}
        return values.pop() if len(values) == 1 else None

    def _members_of(self, record: Item) -> dict[bytes, list[Node]]:
        """The initialisers of a record's static constants by name."""
        known = self._members.get(id(record))
        if known is None:
            known = self._members[id(record)] = {}
            for node in self._unit.snippet(record).root.walk():
                if node.kind == "field_declaration" and _CONSTANT.search(node.text):
                    for name, value in _defaults(node):
                        known.setdefault(name, []).append(value)
        return known

    def _enumerator(self, name: str) -> Number | None:
        if self._enumerators is None:
            self._enumerators = {}
            for item in (*self._unit.items, *self._unit.included_items):
                if item.kind is ItemKind.ENUM and item.active:
                    self._read_enumerators(item, self._enumerators)
        return self._enumerators.get(name)

    def _read_enumerators(self, item: Item, values: dict[str, Number | None]) -> None:
        following: Number | None = 0
        for node in self._unit.snippet(item).root.walk():
            if node.kind != "enumerator":
                continue
            name, given = node.field("name"), node.field("value")
            value = following if given is None else self._evaluate(self, given)
            if name is not None:
                text = name.text.decode("utf-8", "replace")
                values[text] = None if text in values and values[text] != value else value
            following = None if value is None else value + 1


def _defaults(declaration: Node) -> list[tuple[bytes, Node]]:
    """The members that have an initialiser, and that; each follows its declarator."""
    return [
        (declarator.text, following)
        for declarator, following in pairwise(declaration.children)
        if declarator.role == "declarator" and following.role == "default_value"
    ]
