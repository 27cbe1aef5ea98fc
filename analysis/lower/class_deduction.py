"""Template arguments of a class from an initialiser: `Pair p{1.0f, 2.0f};`, `return Pair(a, b);`.

Question  Which instance of a class template does its bare name mean, for arguments of these types?
Rules     An object of an instance of the template is copied.  Otherwise the deduction guides of the text, the
          constructors, and the members of an aggregate are candidates; what one of them deduces twice must agree.
          Where all C++ types are known, `exact_class_deduction.py` chooses.  Elsewhere the least distance of overload
          resolution wins, then the more specialised, then a guide.
          None where nothing fits, or where what remains does not agree: then the class is generic.
Limits    Alias templates, designated and nested lists, `initializer_list` constructors are not deduced from.
          Arguments that are lambdas give no type.
Source    C++ standard, "Class template argument deduction".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.cpp.conversions.model import Argument
from analysis.cpp.types.model import CLOSURE
from analysis.ir.types import ArrayType, StructType, Type, UnknownType
from analysis.lower.builtins import builtin_type
from analysis.lower.cpp_types import ir_type
from analysis.lower.deduction_guides import read_guides
from analysis.lower.exact_class_deduction import deduce_class
from analysis.lower.functions import instantiate
from analysis.lower.library.source import guide_items, is_library, is_written, written_template
from analysis.lower.lookup import find
from analysis.lower.names import (
    Declarations,
    Entity,
    FunctionDeclaration,
    Record,
    Scope,
    TemplateArgument,
    TypeName,
    TypeTemplate,
    TypeTemplateDeclaration,
)
from analysis.lower.templates import bind, flattened, stands_for_itself
from analysis.lower.type_instances import generic_instance
from analysis.syntax.tree import Node

_NAMES: Final = frozenset({"type_identifier", "identifier", "qualified_identifier"})
_CLASSES: Final = frozenset({"struct_specifier", "class_specifier", "union_specifier"})
_TABLED: Final = frozenset({"std::pair", "std::tuple", "std::complex"})
"""Class templates that the tables declare, whose arguments are the types of their members."""


def deducible(scope: Scope, node: Node | None) -> TypeTemplate | None:
    """The class template whose bare name `node` is; None for every other type."""
    if node is None or node.kind not in _NAMES or node.text.endswith(b">"):
        return None
    entity = find(scope, node)
    if isinstance(entity, TypeName) and isinstance(entity.declared.type, StructType):
        name = entity.declared.type.name
        return TypeTemplate(name, ()) if name in _TABLED else None
    if not isinstance(entity, TypeTemplate):
        return None
    if not entity.declarations:
        return written_template(scope.program, entity.name) if is_written(entity.name) else None
    return entity if all(each.node.kind in _CLASSES for each in entity.declarations) else None


def deduced_class(program: Declarations, template: TypeTemplate, arguments: Sequence[Argument]) -> Type | None:
    """The instance of `template` that these arguments initialise; None where that is not known."""
    if len(arguments) == 1 and _is_instance(program, ir_type(arguments[0].type), template.name):
        only = ir_type(arguments[0].type)
        return only if isinstance(only, StructType) else None
    if not template.declarations:
        return _tabled(template.name, arguments)
    return _deduced(program, template, arguments)


def _deduced(program: Declarations, template: TypeTemplate, arguments: Sequence[Argument]) -> Type | None:
    primary = next((each for each in template.declarations if each.pattern is None), None)
    generic = None if primary is None else _record(program, generic_instance(program, template))
    if primary is None or generic is None:
        return None
    guides = _guides(program, template.name, primary)
    found = deduce_class(program, primary, generic, guides, arguments)
    if found is None:
        return None
    if found.guide is None:
        record = _instance(program, template, primary, found.arguments)
        return None if record is None else record.type
    type = instantiate(found.guide, found.arguments).signature.returns.type
    return type if isinstance(type, StructType) and _is_closed(program, type) else None


def _is_instance(program: Declarations, type: Type, name: str) -> bool:
    if not isinstance(type, StructType):
        return False
    record = program.records.get(type.name)
    return type.name.startswith(f"{name}<") if record is None else record.template == name


def _tabled(name: str, arguments: Sequence[Argument]) -> Type | None:
    """`std::pair`, `std::tuple`, `std::complex`: references decay; what arrays are is not known."""
    types = [ir_type(argument.type) for argument in arguments]
    if any(isinstance(type, ArrayType | UnknownType) for type in types):
        return None
    if any(argument.type.type == CLOSURE for argument in arguments):
        return None
    if name == "std::complex":
        types = types[:1] if len(types) in (1, 2) and len(set(types)) == 1 else []
    is_allowed = bool(types) and (name != "std::pair" or len(types) == 2)
    found = builtin_type(name, tuple(types)) if is_allowed else None
    return found if isinstance(found, StructType) else None


def _guides(program: Declarations, name: str, primary: TypeTemplateDeclaration) -> list[FunctionDeclaration]:
    if is_library(primary.item):
        return read_guides(program, guide_items(name))
    found = [item for item in program.unit.lookup(name) if item.namespace == primary.item.namespace]
    return read_guides(program, found)


def _instance(
    program: Declarations,
    template: TypeTemplate,
    primary: TypeTemplateDeclaration,
    found: dict[str, TemplateArgument],
) -> Record | None:
    """The class for these arguments; None where a parameter has neither one nor a default."""
    for parameter in primary.parameters:
        if parameter.name not in found and (parameter.default is None or parameter.is_pack):
            return None
    bound = bind(primary.scope.inside(), primary.parameters, found, defaults=True)
    for parameter, argument in zip(primary.parameters, bound, strict=True):
        if parameter.name not in found and stands_for_itself(parameter, argument):
            return None  # a default that is not known
    record = _record(program, program.instantiate_type(template, flattened(bound)))
    return None if record is None or record.is_guess else record


def _record(program: Declarations, entity: Entity | None) -> Record | None:
    type = entity.declared.type if isinstance(entity, TypeName) else None
    return program.records.get(type.name) if isinstance(type, StructType) else None


def _is_closed(program: Declarations, type: StructType) -> bool:
    record = program.records.get(type.name)
    return record is not None and not record.is_guess
