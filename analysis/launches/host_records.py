"""The data members of records, as host code initialises and passes them.

Rules    A record is plain if it has no bases, constructors, assignment operators or virtual functions: then its objects
         are what their initialisers and the members' own ones say, and a copy is the same.
Limits   Two records of one name count as none.  Bit-fields, arrays and pointers are members without a value.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final, final

from analysis.ir.record import record
from analysis.syntax.items import ItemKind
from analysis.syntax.translation_unit import TranslationUnit
from analysis.syntax.tree import Node

_INITIALISERS: Final = frozenset({"number_literal", "initializer_list"})


@final
@record
class HostField:
    """`type` is empty for what holds no single number; `default` is its own initialiser."""

    name: str
    type: str
    default: Node | None


@final
@record
class HostRecord:
    """`names`: of all members, static ones and functions too; `bases` those of the classes that it is derived from."""

    fields: tuple[HostField, ...]
    is_plain: bool
    names: frozenset[str]
    statics: frozenset[str]
    bases: tuple[str, ...]

    def field(self, name: str) -> HostField | None:
        return next((field for field in self.fields if field.name == name), None)


@final
class HostRecords:
    """The records that one file and its headers define."""

    def __init__(self, unit: TranslationUnit) -> None:
        self._unit = unit
        self._found: dict[str, HostRecord | None] = {}

    def get(self, name: str) -> HostRecord | None:
        """The one record of that name."""
        last = name.rpartition("::")[2].strip()
        if last not in self._found:
            items = [item for item in self._unit.lookup(last) if item.kind is ItemKind.RECORD and item.is_definition]
            roots = {item.text: self._unit.snippet(item).root for item in items if item.active and not item.is_template}
            self._found[last] = _read(last, next(iter(roots.values()))) if len(roots) == len(items) == 1 else None
        return self._found[last]

    def alias(self, name: str) -> str:
        """What a type of the file is another name for, else the name itself."""
        for _ in range(4):
            items = self._unit.lookup(name.rpartition("::")[2].strip())
            spelled = {_aliased(self._unit.snippet(item).root) for item in items if item.kind is ItemKind.ALIAS}
            if len(spelled) != 1 or len(items) != 1 or not (found := spelled.pop()):
                break
            name = found
        return name

    @cached_property
    def enumerations(self) -> frozenset[str]:
        """The names of enumerations."""
        items = (*self._unit.items, *self._unit.included_items)
        return frozenset(item.name for item in items if item.kind is ItemKind.ENUM and item.name)

    def hidden_in(self, owner: str) -> frozenset[str] | None:
        """The members that methods of a record see before the names of the file; None where not all are known."""
        found: set[str] = set()
        waiting = [owner]
        for name in waiting:
            items = [one for one in self._unit.lookup(name) if one.kind is ItemKind.RECORD and one.is_definition]
            if not items or len(waiting) > _MOST_BASES:
                return None
            for item in items:
                one = _read(name, self._unit.snippet(item).root)
                found |= one.names - one.statics
                waiting += one.bases
        return frozenset(found)


_MOST_BASES: Final = 8


def _read(name: str, root: Node) -> HostRecord:
    body = root.field("body")
    fields: list[HostField] = []
    names: set[str] = set()
    statics: set[str] = set()
    clause = root.child("base_class_clause")
    is_plain = clause is None
    for member in () if body is None else body.children:
        is_static = any(child.text in (b"static", b"constexpr") for child in member.children)
        if member.kind == "field_declaration":
            is_plain = is_plain and not any(child.text == b"virtual" for child in member.children)
            found = list(_fields(member))
            names |= {field.name for field in found}
            if is_static:
                statics |= {field.name for field in found}
            else:
                fields += found
        elif member.kind in ("function_definition", "declaration", "template_declaration"):
            is_plain = is_plain and not _is_special(name, member)
        elif member.kind not in (
            "access_specifier",
            "type_definition",
            "alias_declaration",
            "static_assert_declaration",
        ):
            is_plain = False
    bases = (
        ()
        if clause is None
        else tuple(
            child.text.decode("utf-8", "replace").partition("<")[0].rpartition("::")[2].strip()
            for child in clause.children
            if child.kind in ("type_identifier", "qualified_identifier", "template_type")
        )
    )
    return HostRecord(
        tuple(fields), is_plain and root.kind != "union_specifier", frozenset(names), frozenset(statics), bases
    )


def _fields(declaration: Node) -> list[HostField]:
    type = declaration.field("type")
    spelling = "" if type is None else type.text.decode("utf-8", "replace")
    is_cut = declaration.child("bitfield_clause") is not None
    found: list[HostField] = []
    for at, child in enumerate(declaration.children):
        if child.role != "declarator":
            continue
        following = declaration.children[at + 1] if at + 1 < len(declaration.children) else None
        default = following if following is not None and following.role == "default_value" else None
        plain = child.kind == "field_identifier" and not is_cut
        for inner in child.walk():
            if inner.kind in ("field_identifier", "identifier"):
                found.append(HostField(inner.text.decode("utf-8", "replace"), spelling if plain else "", default))
                break
    return found


def _is_special(name: str, member: Node) -> bool:
    """Whether it is a constructor, a destructor, an assignment, or a virtual function."""
    head = member.text.partition(b"{")[0]
    if b"virtual" in head or b"operator" in head or b"~" in head:
        return True
    for inner in member.walk():
        if inner.kind == "function_declarator":
            declarator = inner.field("declarator")
            return declarator is not None and declarator.text == name.encode()
    return False


def _aliased(root: Node) -> str:
    type = root.field("type")
    if type is None:
        return ""
    declarator = root.field("declarator")
    if root.kind == "type_definition" and (declarator is None or declarator.kind != "type_identifier"):
        return ""
    is_plain = type.kind in ("primitive_type", "sized_type_specifier", "type_identifier") or (
        type.kind == "type_descriptor" and type.field("declarator") is None
    )
    return type.text.decode("utf-8", "replace") if is_plain else ""
