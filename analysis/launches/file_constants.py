"""Constants that host code names at file level: `const` and `constexpr` variables, enumerators."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final, TypeAlias, final

from analysis.ir.types import BooleanType, IntegerType
from analysis.launches.host_functions import HostFunctions
from analysis.launches.host_records import HostRecords
from analysis.launches.object_functions import ObjectFunctions
from analysis.lower.builtins import builtin_type
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.translation_unit import TranslationUnit
from analysis.syntax.tree import Node

Number: TypeAlias = int | float
Evaluate: TypeAlias = "Callable[[FileConstants, Node, str], Number | None]"

_CONSTANT: Final = re.compile(rb"\bconst(?:expr)?\b")


@final
class FileConstants:
    """Values by name; `evaluate` reads an initialiser, which may name further constants, as a value of a type."""

    def __init__(self, unit: TranslationUnit, evaluate: Evaluate) -> None:
        self._unit = unit
        self._evaluate = evaluate
        self.records: Final = HostRecords(unit)
        self.functions: Final = HostFunctions(unit)
        self.object_functions: Final = ObjectFunctions(unit)
        self._values: dict[str, Number | None] = {}
        self._elements: dict[str, tuple[Number | None, ...]] = {}
        self._enumerators: dict[str, Number | None] | None = None
        self._spellings: dict[str, str] = {}
        self._members: dict[int, dict[bytes, list[tuple[Node, str]]]] = {}

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
        if not all(item.is_constexpr or _CONSTANT.search(item.text) for item in items):
            return None
        values = {self._initial(item) for item in items if item.is_definition}
        return values.pop() if len(values) == 1 else None

    def _initial(self, item: Item) -> Number | None:
        for type, declarator, value in _initialised(self._unit.snippet(item).root):
            if declarator.text == item.name.encode():
                return self._evaluate(self, value, type)
        return None

    def declared(self, item: Item) -> tuple[str, Number | None] | None:
        """The type of a variable, and what it is initialised with (None where that is not known); None if it is
        declared as something else than a plain name."""
        name = item.name.encode()
        root = self._unit.snippet(item).root
        for type, declarator, value in _initialised(root):
            if declarator.kind == "identifier" and declarator.text == name:
                return type, self._evaluate(self, value, type)
        plain = (node for node in root.walk() if node.kind == "declaration")
        for node in plain:
            if any(one.kind == "identifier" and one.text == name for one in node.fields("declarator")):
                return _type(node), 0
        return None

    def is_integer(self, type: str) -> bool:
        """Whether a type is one of whole numbers."""
        found = builtin_type(type, ()) or builtin_type(self.records.alias(type), ())
        return isinstance(found, IntegerType | BooleanType)

    def spelling(self, name: str) -> str:
        """The type of the one variable at file level of that name; empty where that is not known."""
        if name not in self._spellings:
            items = [item for item in self._unit.lookup(name) if item.active]
            is_variable = all(item.kind is ItemKind.VARIABLE and item.owner is None for item in items)
            found = {self.declared(item) for item in items} if is_variable else set[tuple[str, Number | None] | None]()
            types = {"" if one is None else one[0] for one in found}
            self._spellings[name] = types.pop() if len(types) == 1 else ""
        return self._spellings[name]

    def elements(self, name: str) -> tuple[Number | None, ...]:
        """Of the one array of that name, if it is constant; none where they are not known."""
        if name not in self._elements:
            items = [item for item in self._unit.lookup(name) if item.kind is ItemKind.VARIABLE]
            is_constant = len(items) == 1 and items[0].active and _CONSTANT.search(items[0].text)
            self._elements[name] = self._elements_of(items[0]) if is_constant else ()
        return self._elements[name]

    def _elements_of(self, item: Item) -> tuple[Number | None, ...]:
        for type, declarator, value in _initialised(self._unit.snippet(item).root):
            inner = declarator.field("declarator") if declarator.kind == "array_declarator" else None
            if inner is not None and inner.text == item.name.encode() and value.kind == "initializer_list":
                return tuple(self._evaluate(self, element, type) for element in value.children)
        return ()

    def default(self, value: Node, type: str) -> Number | None:
        """What a member's own initialiser gives it."""
        return self._evaluate(self, value, type)

    def member(self, name: str) -> Number | None:
        """A static constant of a record."""
        return self._member(name)

    def _member(self, name: str) -> Number | None:
        """A static constant of a record; the record's name does not count."""
        word = name.encode()
        values: set[Number | None] = set()
        for item in (*self._unit.items, *self._unit.included_items):
            if item.kind is ItemKind.RECORD and item.active and word in item.identifiers:
                values |= {self._evaluate(self, value, type) for value, type in self._members_of(item).get(word, ())}
        return values.pop() if len(values) == 1 else None

    def _members_of(self, record: Item) -> dict[bytes, list[tuple[Node, str]]]:
        """The initialisers of a record's static constants by name, with their types; a constant that is not static may
        be another one in each object."""
        known = self._members.get(id(record))
        if known is None:
            known = self._members[id(record)] = {}
            for node in self._unit.snippet(record).root.walk():
                words = {child.text for child in node.children} if node.kind == "field_declaration" else set[bytes]()
                if b"constexpr" in words or words >= {b"static", b"const"}:
                    for name, value in _defaults(node):
                        known.setdefault(name, []).append((value, _type(node)))
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
            value = following if given is None else self._evaluate(self, given, "")
            if name is not None:
                text = name.text.decode("utf-8", "replace")
                values[text] = None if text in values and values[text] != value else value
            following = None if value is None else value + 1


def _initialised(root: Node) -> Iterator[tuple[str, Node, Node]]:
    """The variables of a declaration that have an initialiser, with their type, and that."""
    for node in root.walk():
        if node.kind == "declaration":
            for child in node.fields("declarator"):
                declarator, value = child.field("declarator"), child.field("value")
                if child.kind == "init_declarator" and declarator is not None and value is not None:
                    yield _type(node), declarator, value


def _type(declaration: Node) -> str:
    type = declaration.field("type")
    return "" if type is None else type.text.decode("utf-8", "replace")


def _defaults(declaration: Node) -> list[tuple[bytes, Node]]:
    """The members that have an initialiser, and that; each follows its declarator."""
    return [
        (declarator.text, following)
        for declarator, following in pairwise(declaration.children)
        if declarator.role == "declarator" and following.role == "default_value"
    ]
