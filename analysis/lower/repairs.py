"""Which names are types, for the repair of what the grammar misreads.

Rules   A variable or parameter of the text hides a type of the same name outside it.
"""

from __future__ import annotations

import re
from typing import Final

from analysis.lower.lookup import spelled_entity
from analysis.lower.names import (
    ConstantName,
    Declarations,
    Entity,
    FunctionSet,
    GlobalVariable,
    MemberName,
    Scope,
    TypeName,
    TypeTemplate,
)
from analysis.lower.templates import template_parameters
from analysis.lower.types import innermost
from analysis.syntax.repair import repair
from analysis.syntax.snippet import Snippet
from analysis.syntax.tree import Node


def repair_in(program: Declarations, path: tuple[str, ...], snippet: Snippet) -> None:
    """Repairs the tree of `snippet`, whose names are seen from that namespace, unless that was done."""
    if path not in snippet.repaired_in:
        repair_names(program.namespace_scope(path), snippet)
        snippet.repaired_in.add(path)


def repair_names(scope: Scope, snippet: Snippet) -> None:
    """Repairs the tree of `snippet`, whose names are seen from `scope`; a second time changes nothing."""
    local = _local_types(scope.program, snippet)
    known: dict[bytes, Entity | None] = {}
    variables = dict.fromkeys(_value_parameters(scope.program, snippet), True)

    def entity(name: bytes) -> Entity | None:
        if name not in known:
            known[name] = spelled_entity(scope, name.decode("utf-8", "replace"))
        return known[name]

    def is_variable(name: bytes) -> bool:
        if name not in variables:
            variables[name] = _is_declared(snippet, name)
        return variables[name]

    def is_type(name: bytes) -> bool:
        return name in local or (isinstance(entity(name), TypeName | TypeTemplate) and not is_variable(name))

    def is_value(name: bytes) -> bool:
        return is_variable(name) or isinstance(entity(name), ConstantName | GlobalVariable | MemberName)

    def is_template(name: bytes) -> bool:
        found = entity(name)
        if isinstance(found, FunctionSet):
            return not found.declarations or any(each.template_parameters for each in found.declarations)
        return isinstance(found, TypeTemplate | TypeName) or name in local

    for root in (snippet.root, *snippet.requirements):
        repair(root, is_type, is_template, is_value)


def _local_types(program: Declarations, snippet: Snippet) -> frozenset[bytes]:
    """Template parameters, and types declared inside the text."""
    names = {
        parameter.name.encode()
        for header in snippet.templates
        for parameter in template_parameters(program, header)
        if parameter.is_type
    }
    if any(word in snippet.text for word in (b"typedef", b"using", b"struct", b"class", b"enum", b"union")):
        for node in snippet.root.walk():
            if node.kind in _NAMED or node.kind == "type_definition":
                names.update(_declared(node))
    return frozenset(names)


def _value_parameters(program: Declarations, snippet: Snippet) -> list[bytes]:
    return [
        parameter.name.encode()
        for header in snippet.templates
        for parameter in template_parameters(program, header)
        if not parameter.is_type
    ]


def _declared(node: Node) -> list[bytes]:
    """The types that a definition names."""
    if node.kind == "type_definition":
        return [found.text for child in node.fields("declarator") for found in child.walk() if not found.children]
    name = node.field("name")
    return [] if name is None else [name.text]


def _is_declared(snippet: Snippet, name: bytes) -> bool:
    """Whether the text declares a variable or parameter of that name; most texts need no walk to answer."""
    if not re.search(rb"[\w>*&,.]\s*\b" + re.escape(name) + rb"\s*[=;,)\[({:]", snippet.text):
        return False
    for node in snippet.root.walk():
        if node.kind in _DECLARING:
            for declarator in node.fields("declarator"):
                found = innermost(declarator)
                if found is not None and found.kind == "identifier" and found.text == name:
                    return True
    return False


_NAMED: Final = frozenset(
    {"alias_declaration", "struct_specifier", "enum_specifier", "union_specifier", "class_specifier"}
)
_DECLARING: Final = frozenset(
    {"parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration", "declaration"}
)
