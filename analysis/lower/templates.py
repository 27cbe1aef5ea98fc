"""Template parameters and what they are bound to.

Rules   Without arguments a type parameter is a `TemplateType` and a value parameter a `TemplateValue`: one constant for
        the whole grid.  A bound instance has real types and constants.
        A template template parameter is bound to the class template itself.
        A pack is bound to all arguments that are left; without arguments to none (in an instance) or to itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analysis.ir.types import TemplateType
from analysis.lower.concepts import names_concept
from analysis.lower.constants import evaluate_any
from analysis.lower.names import (
    ArgumentPack,
    Declarations,
    DeclaredType,
    PackPattern,
    Scope,
    TemplateArgument,
    TemplateParameter,
    TemplateValue,
    TypeName,
)
from analysis.lower.types import descriptor_type, innermost, resolve_type
from analysis.lower.value_arguments import converted, value_type
from analysis.syntax.tree import Node


def template_parameters(program: Declarations, listed: Node) -> tuple[TemplateParameter, ...]:
    """The parameters in a `template_parameter_list`."""
    return tuple(
        _parameter(program, child, index) for index, child in enumerate(listed.children) if child.kind in _PARAMETERS
    )


def abbreviated_parameters(listed: Node | None) -> tuple[TemplateParameter, ...]:
    """The template parameters that `auto` in a function's parameter list declares, named by `placeholder_names`."""
    return tuple(
        TemplateParameter(name, True, False, node, None, type.field("constraint"))
        for node, type, name in placeholder_names(listed)
    )


def placeholder_names(listed: Node | None) -> list[tuple[Node, Node, str]]:
    """The parameters declared `auto` (packs are not among them), their type's node, and a name for that type."""
    found: list[tuple[Node, Node, str]] = []
    for node in () if listed is None else listed.children:
        type = node.field("type")
        is_parameter = node.kind in ("parameter_declaration", "optional_parameter_declaration")
        if is_parameter and type is not None and type.kind == "placeholder_type_specifier" and b"(" not in type.text:
            found.append((node, type, "auto" if not found else f"auto {len(found) + 1}"))
    return found


def _parameter(program: Declarations, node: Node, index: int) -> TemplateParameter:
    default = node.field("default_type") or node.field("default_value")
    type = node.field("type")
    concept = type if type is not None and names_concept(program, type) else None
    is_type = "type_parameter" in node.kind or node.kind == _TEMPLATE
    is_pack = node.kind.startswith("variadic")
    name: Node | None
    if node.kind == _TEMPLATE:
        inner = next((child for child in node.children if child.kind in _PARAMETERS), None)
        is_pack = inner is not None and inner.kind.startswith("variadic")
        name = None if inner is None else inner.child("type_identifier")
    elif is_type:
        name = node.field("name") or node.child("type_identifier")
    else:
        declarator = node.field("declarator")
        name = None if declarator is None else innermost(declarator)
    text = f"<{index}>" if name is None else name.text.decode("utf-8", "replace")
    return TemplateParameter(text, is_type or concept is not None, is_pack, node, default, concept)


def generic_argument(scope: Scope, parameter: TemplateParameter) -> TemplateArgument:
    """The parameter standing for itself."""
    if parameter.is_type:
        is_template = parameter.node.kind == _TEMPLATE
        return TypeName(DeclaredType(TemplateType(parameter.name)), template=parameter.name if is_template else None)
    declared = value_type(scope, parameter)
    exact = declared.exact
    is_value = exact is not None and not exact.is_reference
    return TemplateValue(parameter.name, declared.stored, exact.unqualified if exact and is_value else None)


def stands_for_itself(parameter: TemplateParameter, argument: TemplateArgument) -> bool:
    """Whether a parameter is bound to nothing but itself."""
    if isinstance(argument, TypeName):
        return argument.declared.type == TemplateType(parameter.name)
    return isinstance(argument, TemplateValue) and argument.name == parameter.name


def bind(
    scope: Scope, parameters: Sequence[TemplateParameter], arguments: Mapping[str, TemplateArgument], *, defaults: bool
) -> tuple[TemplateArgument, ...]:
    """Declares every parameter in `scope`: by argument, else by default (if `defaults`), else for itself."""
    bound: list[TemplateArgument] = []
    for parameter in parameters:
        argument = arguments.get(parameter.name)
        if argument is None and defaults and parameter.default is not None:
            argument = _default(scope, parameter, parameter.default)
        if argument is None and defaults and parameter.is_pack:
            argument = ArgumentPack(())
        if argument is None:
            argument = generic_argument(scope, parameter)
        elif not parameter.is_type:
            argument = converted(scope, parameter, argument)
        if not isinstance(argument, PackPattern):
            scope.declare(parameter.name, argument)
        bound.append(argument)
    return tuple(bound)


def _default(scope: Scope, parameter: TemplateParameter, default: Node) -> TemplateArgument | None:
    if parameter.is_type:
        declared = (
            descriptor_type(scope, default) if default.kind == "type_descriptor" else resolve_type(scope, default)
        )
        return TypeName(declared)
    return evaluate_any(scope, default)


def positional(
    parameters: Sequence[TemplateParameter], arguments: Sequence[TemplateArgument]
) -> dict[str, TemplateArgument]:
    """Explicit arguments by parameter name; a pack takes all that are left."""
    named: dict[str, TemplateArgument] = {}
    for index, parameter in enumerate(parameters):
        if index < len(arguments) and parameter.is_pack:
            named[parameter.name] = ArgumentPack(tuple(arguments[index:]))
            break
        if index >= len(arguments) or isinstance(arguments[index], PackPattern):
            break
        named[parameter.name] = arguments[index]
    return named


def flattened(arguments: Sequence[TemplateArgument]) -> tuple[TemplateArgument, ...]:
    """The arguments in a row, packs spread out."""
    found: list[TemplateArgument] = []
    for argument in arguments:
        if isinstance(argument, ArgumentPack):
            found += argument.elements
        else:
            found.append(argument)
    return tuple(found)


_TEMPLATE = "template_template_parameter_declaration"
_PARAMETERS = frozenset(
    {
        "type_parameter_declaration",
        "optional_type_parameter_declaration",
        "variadic_type_parameter_declaration",
        "parameter_declaration",
        "optional_parameter_declaration",
        "variadic_parameter_declaration",
        _TEMPLATE,
    }
)
