"""The data members of records, as host code initialises and passes them.

Rules    A record is plain if it has no bases, references, constructors, assignment operators or virtual functions: then
         its objects are what their initialisers and the members' own ones say, and a copy is the same.
         CUDA's vectors are plain records of `x` to `w`; a member that is an array of `N` elements is one of `0` to
         `N - 1`, its type spelled `int[N]`.
Limits   Two records of one name count as none.  Bit-fields, pointers, and arrays of several dimensions or of more than
         `MAX_ELEMENTS` elements are members without a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final, final

from analysis.cpp.literals import number_literal
from analysis.ir.record import record
from analysis.ir.types import IntegerType, VectorType
from analysis.lower.builtins import builtin_type
from analysis.syntax.items import ItemKind
from analysis.syntax.translation_unit import TranslationUnit
from analysis.syntax.tree import Node

MAX_ELEMENTS: Final = 16
"""Of a member that is an array."""
MAX_NUMBERS: Final = 64
"""Of one object."""
_MAX_NESTING: Final = 2
UNREAD_ARRAY: Final = "[]"
"""The type of a member that is an array without a value."""
_INITIALISERS: Final = frozenset({"number_literal", "initializer_list"})
_ARRAY: Final = re.compile(r"(.*[^\]\s])\s*\[(\d+)\]")
_AXES: Final = ("x", "y", "z", "w")


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
        self._paths: dict[str, tuple[str, ...]] = {}

    def get(self, name: str) -> HostRecord | None:
        """The one record of that name."""
        if (known := _ARRAY.fullmatch(name)) is not None:
            return _elements(known[1], int(known[2]))
        last = plain_name(name)
        if last not in self._found:
            self._found[last] = None  # of names that stand for each other
            self._found[last] = self._find(last)
        return self._found[last]

    def _find(self, name: str) -> HostRecord | None:
        items = [item for item in self._unit.lookup(name) if item.kind is ItemKind.RECORD and item.is_definition]
        if not items:
            other = plain_name(self.alias(name))
            return self.get(other) if other != name else _vector(name)
        roots = {item.text: self._unit.snippet(item).root for item in items if item.active and not item.is_template}
        return _read(name, next(iter(roots.values()))) if len(roots) == len(items) == 1 else None

    def name(self, type: str) -> str:
        """The name of the record that a type means, or what CUDA calls it."""
        last = plain_name(type)
        known = any(item.kind is ItemKind.RECORD for item in self._unit.lookup(last))
        return last if known else plain_name(self.alias(last))

    def number_paths(self, type: str) -> tuple[str, ...]:
        """The members of a plain object that are integers, those of members too: `n`, `in.b`, `sizes.2`; none where
        they are too many."""
        if type not in self._paths:
            found = tuple(self._number_paths(type, 0))
            self._paths[type] = found if len(found) <= MAX_NUMBERS else ()
        return self._paths[type]

    def _number_paths(self, type: str, depth: int) -> Iterator[str]:
        if type in ("dim3", "uint3"):
            yield from _AXES[:3]
            return
        record = self.get(type)
        for field in () if record is None or not record.is_plain or depth > _MAX_NESTING else record.fields:
            if isinstance(builtin_type(field.type, ()) or builtin_type(self.alias(field.type), ()), IntegerType):
                yield field.name
            else:
                yield from (f"{field.name}.{path}" for path in self._number_paths(field.type, depth + 1))

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


def plain_name(type: str) -> str:
    """The last word of a type: `Params` of `struct app::Params`."""
    return type.rpartition("::")[2].strip().rpartition(" ")[2]


def _vector(name: str) -> HostRecord | None:
    """`int3`, and the like."""
    type = builtin_type(name, ())
    if not isinstance(type, VectorType) or name == "dim3":
        return None
    element = type.element
    spelled = ""
    if isinstance(element, IntegerType):
        spelled = (_SIGNED if element.signed else _UNSIGNED).get(element.bits, "")
    return _plain([HostField(axis, spelled, None) for axis in _AXES[: type.length]])


_SIGNED: Final = {8: "signed char", 16: "short", 32: "int", 64: "long long"}
_UNSIGNED: Final = {8: "unsigned char", 16: "unsigned short", 32: "unsigned", 64: "unsigned long long"}


def _elements(type: str, count: int) -> HostRecord:
    return _plain([HostField(str(at), type, None) for at in range(count)])


def _plain(fields: list[HostField]) -> HostRecord:
    names = frozenset(field.name for field in fields)
    return HostRecord(tuple(fields), is_plain=True, names=names, statics=frozenset(), bases=())


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
            unlike = any(child.text == b"virtual" or child.kind == "reference_declarator" for child in member.children)
            is_plain = is_plain and not unlike
            found = list(_fields(member))
            names |= {field.name for field in found} | _methods(member)
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
        if child.role != "declarator" or _is_method(child):
            continue
        following = declaration.children[at + 1] if at + 1 < len(declaration.children) else None
        default = following if following is not None and following.role == "default_value" else None
        plain = child.kind == "field_identifier" and not is_cut
        array = array_type(spelling, child)
        for inner in child.walk():
            if inner.kind in ("field_identifier", "identifier"):
                found.append(HostField(inner.text.decode("utf-8", "replace"), spelling if plain else array, default))
                break
    return found


def _methods(declaration: Node) -> set[str]:
    """The names of the functions that are declared without a body."""
    declared = (child for child in declaration.children if child.role == "declarator" and _is_method(child))
    names = (child.field("declarator") for child in declared)
    return {name.text.decode("utf-8", "replace") for name in names if name is not None}


def _is_method(declarator: Node) -> bool:
    """Whether a function is declared, no pointer to one."""
    name = declarator.field("declarator") if declarator.kind == "function_declarator" else None
    return name is not None and name.kind == "field_identifier"


def array_type(element: str, declarator: Node) -> str:
    """`int[3]`, for what is declared as one; empty of what is no array."""
    if declarator.kind != "array_declarator":
        return ""
    inner, size = declarator.field("declarator"), declarator.field("size")
    count = None if size is None else number_literal(size.text)
    is_read = inner is not None and inner.kind in ("field_identifier", "identifier") and count is not None
    is_small = is_read and count is not None and isinstance(count[0], int) and 0 < count[0] <= MAX_ELEMENTS
    return f"{element}[{count[0]}]" if is_small and count is not None else UNREAD_ARRAY


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
    if type.kind in ("struct_specifier", "class_specifier") and (name := type.field("name")) is not None:
        return name.text.decode("utf-8", "replace")
    is_plain = type.kind in ("primitive_type", "sized_type_specifier", "type_identifier") or (
        type.kind == "type_descriptor" and type.field("declarator") is None
    )
    return type.text.decode("utf-8", "replace") if is_plain else ""
