"""Names at namespace scope: from the items of a translation unit to entities.

Rules   A name is looked for in the namespace itself, then in those that its `using namespace` names and in its inline
        namespaces, then in the tables of builtins (under the qualified name for a library's namespace).  A
        using-declaration and a namespace alias stand for their target.
        At global scope a name that nothing else explains is taken from the only namespace that declares it.
Limits  Using-directives count for the whole namespace, also before they are written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.ir.types import S32
from analysis.lower.constants import object_type
from analysis.lower.deduction_guides import is_guide
from analysis.lower.functions import is_specialisation
from analysis.lower.globals import declare_global, find_declarator
from analysis.lower.lookup import builtin_entity
from analysis.lower.member_definitions import specialised_pattern
from analysis.lower.names import (
    ConstantName,
    Declarations,
    Entity,
    FunctionDeclaration,
    FunctionSet,
    GlobalVariable,
    NamespaceName,
    Origin,
    Scope,
    TemplateValue,
    TypeName,
    TypeTemplate,
    TypeTemplateDeclaration,
)
from analysis.lower.repairs import repair_in
from analysis.lower.templates import template_parameters
from analysis.lower.types import base_type, declare_any, declare_enum, descriptor_type, innermost
from analysis.lower.usings import Path
from analysis.lower.variable_templates import VARIABLES, variable_pattern
from analysis.syntax.items import Item, ItemKind
from analysis.syntax.tree import Node


def resolve(program: Declarations, path: Path, name: str) -> Entity | None:
    """What `name` means in exactly the namespace `path` (and what that uses)."""
    found = _own(program, path, name)
    if found is not None:
        return found
    for used in _used(program, path):
        found = _own(program, used, name) or builtin_entity("::".join((*used, name)))
        if found is not None:
            return found
        if (*used, name) in program.usings.namespaces:
            return NamespaceName((*used, name))
    if (*path, name) in program.usings.namespaces:
        return NamespaceName((*path, name))
    return builtin_entity("::".join((*path, name))) if path else _last_resort(program, name)


def _own(program: Declarations, path: Path, name: str) -> Entity | None:
    """What the namespace itself declares, by a using-declaration or an alias too."""
    found = _declared(program, path, name) or _enumerator(program, path, name)
    if found is not None:
        return found
    usings = program.usings
    target = usings.names.get((path, name))
    if target is not None and (target[:-1], name) != (path, name):
        return qualified(program, target)
    alias = usings.aliases.get((path, name))
    return None if alias is None else NamespaceName(_resolved_path(program, path, alias))


def _used(program: Declarations, path: Path) -> list[Path]:
    """The namespaces whose names the directives of `path` bring in, those that these use too."""
    found = [path]
    for place in found:
        for directive in program.usings.directives.get(place, ()):
            used = _resolved_path(program, place, directive)
            if used not in found:
                found.append(used)
    return found[1:]


def qualified(program: Declarations, path: Path) -> Entity | None:
    """What `a::b::name` means, given from the root."""
    outer, name = path[:-1], path[-1]
    if outer and (outer not in program.usings.namespaces):
        record = resolve(program, outer[:-1], outer[-1])
        if isinstance(record, NamespaceName):
            return resolve(program, record.path, name)
    return resolve(program, outer, name)


def _resolved_path(program: Declarations, place: Path, path: Path, steps: int = 8) -> Path:
    """A namespace as written, made absolute: aliases followed, enclosing namespaces tried from inside out."""
    if steps == 0:
        return path
    for depth in range(len(place), -1, -1):
        alias = program.usings.aliases.get((place[:depth], path[0]))
        if alias is not None and alias[0] != path[0]:
            return (*_resolved_path(program, place[:depth], alias, steps - 1), *path[1:])
        if place[:depth] + path in program.usings.namespaces:
            return place[:depth] + path
    return path


def _last_resort(program: Declarations, name: str) -> Entity | None:
    """Builtins, else the one namespace that declares the name."""
    found = builtin_entity(name)
    if found is not None:
        return found
    spaces = {item.namespace for item in program.unit.lookup(name) if item.owner is None and item.namespace}
    return _declared(program, spaces.pop(), name) if len(spaces) == 1 else None


def _declared(program: Declarations, path: Path, name: str) -> Entity | None:
    items = [
        item
        for item in program.unit.lookup(name)
        if item.owner is None and (item.namespace == path or _is_qualified(item))
        if not _is_qualified(item) or _namespace_of(program, item) == path
    ]
    active = [item for item in items if item.active]
    return entity_of(program, path, name, active or items) if items else None


def _is_qualified(item: Item) -> bool:
    """Whether it may be `template <> struct inner::A<int>`, which belongs to the namespace that it names."""
    return item.kind is ItemKind.RECORD and item.is_template and b"::" in item.text.partition(b"{")[0]


def _namespace_of(program: Declarations, item: Item) -> Path:
    name = program.snippet(item).root.field("name")
    path = item.namespace
    while name is not None and name.kind == "qualified_identifier":
        scope = name.field("scope")
        path = path if scope is None else (*path, scope.text.decode("utf-8", "replace"))
        name = name.field("name")
    return path


def entity_of(program: Declarations, path: Path, name: str, items: Sequence[Item]) -> Entity | None:
    """The entity that these declarations of one name make up."""
    functions = [item for item in items if item.kind is ItemKind.FUNCTION and not is_guide(item)]
    for item in items:
        if item.kind in (ItemKind.RECORD, ItemKind.ALIAS, ItemKind.ENUM) and not functions:
            return _type_entity(program, path, name, items)
    if functions:
        builtin = name if path else None
        return FunctionSet(name, overloads(program, functions), builtin or name)
    variables = [item for item in items if item.kind is ItemKind.VARIABLE]
    variables.sort(key=lambda item: not item.is_definition)  # an `extern` declaration has no initialiser
    if variables and variables[0].is_template:
        return _variable_template(program, path, name, variables)
    return _variable(program, path, name, variables[0]) if variables else None


def _variable_template(program: Declarations, path: Path, name: str, items: Sequence[Item]) -> Entity:
    scope = program.namespace_scope(path)
    found: list[TypeTemplateDeclaration] = []
    for item in items:
        snippet = program.snippet(item)
        repair_in(program, path, snippet)
        if snippet.root.kind in VARIABLES and snippet.templates:
            parameters = template_parameters(program, snippet.templates[-1])
            pattern = variable_pattern(snippet.root)
            found.append(TypeTemplateDeclaration(item, scope, snippet.root, parameters, pattern))
    return TypeTemplate(name, tuple(found)) if found else TemplateValue(name, S32)


def overloads(program: Declarations, items: Sequence[Item]) -> tuple[FunctionDeclaration, ...]:
    """Definitions, and declarations that no definition matches in its number of parameters."""
    defined = [item for item in items if item.is_definition]
    found = [program.declaration(item, None) for item in defined]
    if all(each is None or is_specialisation(each) for each in found):  # the template itself is only declared
        found += [program.declaration(item, None) for item in items if not item.is_definition]
    return tuple(declaration for declaration in found if declaration is not None)


def _type_entity(program: Declarations, path: Path, name: str, items: Sequence[Item]) -> Entity | None:
    templates = [item for item in items if item.is_template]
    defined = [item for item in templates if item.is_definition] or templates
    scope = program.namespace_scope(path)
    if templates:
        found = [declaration for item in defined if (declaration := _template(program, scope, item)) is not None]
        if all(declaration.pattern is not None for declaration in found):  # the primary template is only declared
            declared = [_template(program, scope, item) for item in templates if not item.is_definition]
            found += [each for each in declared if each is not None and each.pattern is None][:1]
        return TypeTemplate(name, tuple(found))
    for kind in (ItemKind.RECORD, ItemKind.ALIAS, ItemKind.ENUM):
        chosen = [item for item in items if item.kind is kind]
        chosen = [item for item in chosen if item.is_definition] or chosen
        if chosen:
            return program.type_of_item(scope, chosen[0])
    return None


def _template(program: Declarations, scope: Scope, item: Item) -> TypeTemplateDeclaration | None:
    snippet = program.unit.snippet(item)
    node = snippet.root
    if node.kind not in _TYPE_NODES:
        return None
    parameters = template_parameters(program, snippet.templates[-1]) if snippet.templates else ()
    return TypeTemplateDeclaration(item, scope, node, parameters, specialised_pattern(node), snippet.requirements)


def _variable(program: Declarations, path: Path, name: str, item: Item) -> Entity | None:
    snippet = program.snippet(item)
    repair_in(program, path, snippet)
    declarator = find_declarator(snippet.root, name)
    if declarator is None:
        return None
    scope = program.namespace_scope(path).inside()
    scope.origin = Origin(item, snippet, "::".join(path))
    declaration = declare_global(scope, name, snippet.root, declarator, snippet)
    if declaration.constant is not None:
        exact = object_type(declaration.declared) or declaration.constant.exact
        return ConstantName(declaration.constant.value, declaration.constant.type, exact)
    return GlobalVariable(declaration)


def _enumerator(program: Declarations, path: Path, name: str) -> Entity | None:
    """An enumerator of an unscoped enumeration at this namespace."""
    wanted = name.encode("utf-8", "replace")
    for item in program.enumerations:
        if item.namespace == path and wanted in item.identifiers:
            scope = program.enumeration_scope(item)
            if scope is not None and name in scope.names:
                return scope.names[name]
    return None


def read_enumeration(program: Declarations, item: Item) -> Scope | None:
    """A scope that holds the enumeration's name and, unless it is scoped, its enumerators."""
    snippet = program.snippet(item)
    scope = program.namespace_scope(item.namespace).inside()
    scope.origin = Origin(item, snippet, "::".join(item.namespace))
    for node in snippet.root.walk():
        if node.kind == "enum_specifier" and node.field("body") is not None:
            entity = declare_enum(scope, node)
            if item.name and item.kind is not ItemKind.VARIABLE:
                scope.declare(item.name, entity)
            return scope
    return None


def declare_alias(scope: Scope, node: Node) -> None:
    """Declares the names of a typedef or an alias-declaration."""
    if node.kind == "alias_declaration":
        name, type_node = node.field("name"), node.field("type")
        if name is not None and type_node is not None:
            scope.declare(name.text.decode("utf-8", "replace"), TypeName(descriptor_type(scope, type_node)))
        return
    base = base_type(scope, node)
    for declarator in node.fields("declarator"):
        whole = declare_any(scope, base, declarator)
        found = whole.name or innermost(declarator)
        if found is not None:
            scope.declare(found.text.decode("utf-8", "replace"), TypeName(whole.declared))


_TYPE_NODES: Final = frozenset(
    {"struct_specifier", "class_specifier", "union_specifier", "alias_declaration", "type_definition"}
)
