"""The parameters of a host function, as far as a call that is seen decides what they hold.

Rules    Integers of four bytes or more and pointers hold what is passed; of objects that are passed by value, or as a
         reference to a constant one, the members do.  Template parameters that are numbers hold what a call writes in
         angle brackets.
         What a call leaves out is the default argument, of the definition or of the one declaration that has one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from analysis.ir.record import record
from analysis.ir.types import IntegerType
from analysis.launches.file_constants import FileConstants
from analysis.launches.host_records import HostRecords
from analysis.launches.host_writes import named_object, spelling_of
from analysis.lower.builtins import builtin_type
from analysis.syntax.tree import Node

_LISTED: Final = ("parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration")


@final
@record
class Parameter:
    """`name` is empty for one that may hold anything; `members` are those of an object."""

    name: str
    type: str = ""
    default: Node | None = None
    members: tuple[str, ...] = ()


@final
@record
class Parameters:
    """Those in parentheses, and those in angle brackets."""

    listed: tuple[Parameter, ...]
    of_template: tuple[str, ...]

    def __bool__(self) -> bool:
        return any(one.name for one in self.listed) or any(self.of_template)


def parameters_of(root: Node, templates: Sequence[Node], constants: FileConstants) -> Parameters:
    """`templates`: the lists of template parameters around the function."""
    names = tuple(_template_name(child) for child in templates[-1].children) if templates else ()
    return Parameters(tuple(_parameter(child, constants.records) for child in _list(root)), names)


def defaults_of(root: Node) -> tuple[Node | None, ...]:
    """The default arguments of a declaration by position."""
    return tuple(child.field("default_value") for child in _list(root))


def _list(root: Node) -> Sequence[Node]:
    for node in root.walk():
        if node.kind == "function_declarator":
            listed = node.field("parameters")
            return () if listed is None else [child for child in listed.children if child.kind in _LISTED]
    return ()


def _parameter(node: Node, records: HostRecords) -> Parameter:
    default = node.field("default_value")
    if node.kind == "variadic_parameter_declaration":
        return Parameter("")
    named = named_object(node)
    spelling = spelling_of(node)
    if named is not None and not isinstance(_type(spelling, records), IntegerType):
        members = records.number_paths(spelling)
        return Parameter(_text(named), spelling, default, members) if members else Parameter("", default=default)
    declarator, type = node.field("declarator"), node.field("type")
    if declarator is not None and declarator.kind == "pointer_declarator":
        inner = declarator.field("declarator")
        is_named = inner is not None and inner.kind == "identifier"
        return Parameter(_text(inner) if inner is not None and is_named else "", default=default)
    if declarator is None or declarator.kind != "identifier" or type is None:
        return Parameter("", default=default)
    held = _type(spelling, records)
    is_wide = isinstance(held, IntegerType) and held.bits >= 32
    return Parameter(_text(declarator) if is_wide else "", spelling, default)


def _type(spelling: str, records: HostRecords) -> object:
    return builtin_type(spelling, ()) or builtin_type(records.alias(spelling), ())


def _template_name(node: Node) -> str:
    declarator = node.field("declarator")
    is_number = isinstance(builtin_type(spelling_of(node), ()), IntegerType)
    return _text(declarator) if declarator is not None and declarator.kind == "identifier" and is_number else ""


def _text(node: Node) -> str:
    return node.text.decode("utf-8", "replace")
