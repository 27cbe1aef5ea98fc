"""Functions of the file that make an object, or fill in one that they are given.

Forms    `Params make(int n) { Params p; p.n = n; return p; }`, `void fill(Params &p, int n) { p.n = n; }`,
         `void fill(Params *p, int n) { p->n = n; }`
Rules    A name with one definition, outside of records, no template, whose declarations all take the same types.
         What makes an object ends with its only `return`; what fills one in has none, and does nothing with the object
         but to write to its members and to read them.
Asked    Callers compute with the bodies of these functions: `asked` are the names of all that are one by their heads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, final

from analysis.ir.record import record
from analysis.ir.types import VectorType
from analysis.launches.host_records import HostRecords
from analysis.launches.host_writes import HostWrites, spelling_of
from analysis.launches.written_arguments import WrittenArguments
from analysis.lower.builtins import builtin_type
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.lexing import IDENTIFIER
from analysis.syntax.translation_unit import TranslationUnit
from analysis.syntax.tree import Node

_LISTED: Final = "parameter_declaration"


@final
@record
class ObjectFunction:
    """`parameters` are names and types as declared, empty for those that are not followed; `copied`: which are copies.

    `value` is what it returns, and `returns` the type; `filled` the position of the parameter that it fills in.
    """

    written: HostWrites
    parameters: tuple[tuple[str, str], ...]
    copied: tuple[bool, ...]
    end: int
    returns: str = ""
    value: Node | None = None
    filled: int | None = None


@final
class ObjectFunctions:
    """Those that one file and its headers define."""

    def __init__(self, unit: TranslationUnit) -> None:
        self._unit = unit
        self._written = WrittenArguments(unit)
        self._records = HostRecords(unit)
        self._found: dict[tuple[str, int | None], ObjectFunction | None] = {}
        self._items: dict[str, Item | None] = {}
        self.asked: Final[set[str]] = set()

    def making(self, name: str) -> ObjectFunction | None:
        """The function of that name that returns an object."""
        return self._get(name, None)

    def filling(self, name: str, position: int) -> ObjectFunction | None:
        """The function of that name that fills in the object which it gets at a position."""
        return self._get(name, position)

    def copied(self, name: str, position: int) -> Sequence[bool] | None:
        """Of such a function, which parameters are copies (`host_writes.Fills`)."""
        function = self.filling(name, position)
        return None if function is None else function.copied

    def item(self, name: str) -> Item | None:
        """The only definition of a function whose head may return a plain class, or take one that it can fill in."""
        if name not in self._items:
            found = self._items[name] = self._item(name)
            if found is not None:
                self.asked.add(name)
        return self._items[name]

    def _item(self, name: str) -> Item | None:
        items = [item for item in self._unit.lookup(name) if item.kind is ItemKind.FUNCTION]
        definitions = [item for item in items if item.is_definition]
        if len(definitions) != 1:
            return None
        item = definitions[0]
        is_plain = item.active and item.owner is None and not (item.is_kernel or item.is_template or item.from_macro)
        return item if is_plain and any(map(self._is_class, _objects_of(item))) else None

    def _is_class(self, word: bytes) -> bool:
        name = word.decode("utf-8", "replace")
        if word not in self._classes:
            return isinstance(builtin_type(name, ()), VectorType)
        record = self._records.get(name)
        return record is not None and record.is_plain

    @cached_property
    def _classes(self) -> frozenset[bytes]:
        items = (*self._unit.items, *self._unit.included_items)
        kinds = (ItemKind.RECORD, ItemKind.ALIAS)
        return frozenset(item.name.encode("utf-8", "replace") for item in items if item.kind in kinds)

    def _get(self, name: str, position: int | None) -> ObjectFunction | None:
        key = name, position
        if key not in self._found:
            self._found[key] = None  # of what calls itself
            item = self.item(name)
            if item is not None and self._declares_one(item):
                self._found[key] = self._read(self._unit.plain_snippet(item).root, position)
        return self._found[key]

    def _declares_one(self, item: Item) -> bool:
        items = [one for one in self._unit.lookup(item.name) if one.kind is ItemKind.FUNCTION]
        return len({_types(self._unit.plain_snippet(one).root) for one in items}) == 1

    def _read(self, root: Node, position: int | None) -> ObjectFunction | None:
        listed = _listed(root)
        if position is not None and position >= len(listed):
            return None
        if any(node.kind in ("lambda_expression", "goto_statement") or node.is_error for node in root.walk()):
            return None
        name = ""
        if position is not None:
            name, is_pointer = _object_of(listed[position])
            root = _through(root, name) if is_pointer else root
            if not name or (is_pointer and not _is_used_as_object(root, name)):
                return None
        written = HostWrites(root, self._written.may_write, fills=self.copied, filled=name)
        parameters, copied = tuple(map(_parameter, _listed(root))), tuple(map(_is_copied, _listed(root)))
        if position is None:
            return _making(root, written, parameters, copied)
        variable = written.variables.get(name)
        is_kept = variable is None or variable.is_lost or bool(variable.passed) or variable.declarations > 0
        if is_kept or variable is None or variable.parameters != 1 or written.paths.leaves or written.paths.has_jumps:
            return None
        given = tuple((name, variable.type) if at == position else one for at, one in enumerate(parameters))
        return ObjectFunction(written, given, copied, root.end, filled=position)


def _objects_of(item: Item) -> Iterator[bytes]:
    """The words of a head that may be the class of what a function returns, or fills in."""
    head = item.text.partition(b"{")[0]
    returned, name, parameters = head.partition(item.name.encode("utf-8", "replace"))
    words = IDENTIFIER.findall(returned)
    yield from words
    if not name or b"auto" in words:
        yield from IDENTIFIER.findall(parameters)
    else:
        parts = (part for part in _PARTS.findall(parameters) if not _OF_OTHERS.isdisjoint(part))
        yield from (word for part in parts for word in IDENTIFIER.findall(part))


_PARTS: Final = re.compile(rb"[^,(){};]+[,(){};]?")
"""Of a list of parameters: mostly one of them, with what is behind it."""
_OF_OTHERS: Final = frozenset(b"&*(")
"""One of these is in a part with a reference, a pointer, or a declarator in parentheses."""


def _making(
    root: Node, written: HostWrites, parameters: tuple[tuple[str, str], ...], copied: tuple[bool, ...]
) -> ObjectFunction | None:
    body, type = root.field("body"), root.field("type")
    declarator = root.field("declarator")
    last = body.children[-1] if body is not None and body.children else None
    is_value = declarator is not None and declarator.kind == "function_declarator"
    if last is None or type is None or not is_value or last.kind != "return_statement" or written.paths.has_jumps:
        return None
    values = [child for child in last.children if child.kind != "return"]
    if len(written.paths.leaves) != 1 or len(values) != 1:
        return None
    returns = type.text.decode("utf-8", "replace")
    return ObjectFunction(written, parameters, copied, root.end, returns=returns, value=values[0])


def _listed(root: Node) -> list[Node]:
    for node in root.walk():
        if node.kind == "function_declarator":
            listed = node.field("parameters")
            return [] if listed is None else [child for child in listed.children if "parameter" in child.kind]
    return []


def _types(root: Node) -> tuple[str, ...]:
    """Of the parameters, with how these are declared."""
    found: list[str] = []
    for parameter in _listed(root):
        declarator = parameter.field("declarator")
        kind = "" if declarator is None or declarator.kind == "identifier" else declarator.kind.partition("_")[0]
        found.append(f"{spelling_of(parameter)} {kind}")
    return tuple(found)


def _object_of(parameter: Node) -> tuple[str, bool]:
    """The name of a parameter that is a reference or a pointer to an object, and whether it is a pointer."""
    declarator, type = parameter.field("declarator"), parameter.field("type")
    if declarator is None or type is None or parameter.kind != _LISTED:
        return "", False
    if any(child.text in (b"const", b"volatile") for child in parameter.children):
        return "", False
    is_pointer = declarator.kind == "pointer_declarator"
    if not is_pointer and (declarator.kind != "reference_declarator" or declarator.text.startswith(b"&&")):
        return "", False
    name = declarator.child("identifier")
    return ("" if name is None else name.text.decode("utf-8", "replace")), is_pointer


def _parameter(node: Node) -> tuple[str, str]:
    declarator = node.field("declarator")
    if declarator is None or node.kind != _LISTED:
        return "", ""
    if declarator.kind == "reference_declarator" and any(child.text == b"const" for child in node.children):
        declarator = declarator.child("identifier") or declarator
    name = declarator.text.decode("utf-8", "replace") if declarator.kind == "identifier" else ""
    return name, spelling_of(node) if name else ""


def _is_copied(node: Node) -> bool:
    declarator = node.field("declarator")
    return node.kind == _LISTED and declarator is not None and declarator.kind == "identifier"


def _through(node: Node, pointer: str) -> Node:
    """The tree with `.` for the `->` of a pointer."""
    children = [_through(child, pointer) for child in node.children]
    argument, sign = node.field("argument"), node.field("operator")
    is_member = node.kind == "field_expression" and sign is not None and sign.text == b"->"
    if is_member and argument is not None and argument.text == pointer.encode("utf-8", "replace"):
        dot = Node(".", 0, 1, b".", role="operator")
        children = [dot if child.role == "operator" else child for child in children]
    return Node(node.kind, node.start, node.end, node.source, node.role, children, node.is_missing)


def _is_used_as_object(root: Node, name: str) -> bool:
    """Whether a pointer is used for the members of what it points to alone."""
    word, body = name.encode("utf-8", "replace"), root.field("body")
    for node in () if body is None else body.walk():
        for child in node.children:
            if child.text != word or child.kind != "identifier":
                continue
            sign = node.field("operator")
            if node.kind != "field_expression" or child.role != "argument" or sign is None or sign.text != b".":
                return False
    return True
