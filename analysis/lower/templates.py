"""Template parameters and what they are bound to.

Rules   Without arguments a type parameter is a `TemplateType` and a value parameter a `TemplateValue`: one constant for
        the whole grid.  A bound instance has real types and constants.
        A partial specialisation is taken when its pattern matches the arguments; an explicit one when they are equal.
        A template template parameter is bound to the class template itself.
        A pack is bound to all arguments that are left; without arguments to none (in an instance) or to itself.
Limits  Overlapping partial specialisations: the last one that matches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analysis.ir.types import ArrayType, PointerType, StructType, TemplateType, Type, VectorType
from analysis.lower.concepts import names_concept
from analysis.lower.constant_values import ConstantObject
from analysis.lower.constants import evaluate_any
from analysis.lower.names import (
    ArgumentPack,
    ConstantName,
    Declarations,
    DeclaredType,
    FunctionSet,
    PackPattern,
    Scope,
    TemplateArgument,
    TemplateParameter,
    TemplateValue,
    TypeName,
    TypeTemplate,
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


def deduce(program: Declarations, pattern: Type, actual: Type, found: dict[str, TemplateArgument]) -> bool:
    """Matches `pattern`, in which parameters stand for themselves, with `actual`; False where they cannot agree."""
    if isinstance(pattern, TemplateType):
        before = found.get(pattern.name)
        if before is None:
            found[pattern.name] = TypeName(DeclaredType(actual))
        return True
    if isinstance(pattern, PointerType):
        return isinstance(actual, PointerType) and deduce(program, pattern.element, actual.element, found)
    if isinstance(pattern, ArrayType):
        return isinstance(actual, ArrayType) and deduce(program, pattern.element, actual.element, found)
    if isinstance(pattern, StructType) and isinstance(actual, StructType):
        return _deduce_record(program, pattern, actual, found)
    if isinstance(pattern, VectorType):
        return pattern == actual
    return True


def _deduce_record(
    program: Declarations, pattern: StructType, actual: StructType, found: dict[str, TemplateArgument]
) -> bool:
    """Matches `Base<T>` with an instance of it, or with a class that is derived from one."""
    wanted, given = program.records.get(pattern.name), program.records.get(actual.name)
    if wanted is None or given is None or wanted.template is None:
        return pattern == actual
    if wanted.template != given.template:
        return any(_deduce_record(program, pattern, base.type, found) for base, _ in given.bases)
    return deduce_arguments(program, wanted.arguments, given.arguments, found)


def deduce_arguments(
    program: Declarations,
    patterns: Sequence[TemplateArgument],
    actuals: Sequence[TemplateArgument],
    found: dict[str, TemplateArgument],
) -> bool:
    """Matches the arguments of a pattern with actual ones; `T...` takes all that are left."""
    for index, pattern in enumerate(patterns):
        if isinstance(pattern, PackPattern):
            return deduce_pack(program, pattern, actuals[index:], found)
        if index >= len(actuals) or not deduce_argument(program, pattern, actuals[index], found):
            return False
    return len(actuals) == len(patterns)


def deduce_pack(
    program: Declarations,
    pattern: PackPattern,
    actuals: Sequence[TemplateArgument],
    found: dict[str, TemplateArgument],
) -> bool:
    """Matches each of the arguments with the pattern: the packs that it names become as long as `actuals`."""
    columns: dict[str, list[TemplateArgument]] = {name: [] for name in _named_in(pattern.element)}
    for actual in actuals:
        inner = actual.element if isinstance(actual, PackPattern) else actual
        each: dict[str, TemplateArgument] = {}
        if not deduce_argument(program, pattern.element, inner, each):
            return False
        for name, column in columns.items():
            if name in each:
                column.append(PackPattern(each[name]) if isinstance(actual, PackPattern) else each[name])
    for name, column in columns.items():
        if len(column) == len(actuals):
            found.setdefault(name, ArgumentPack(tuple(column)))
    return True


def _named_in(pattern: TemplateArgument) -> list[str]:
    """The parameters that a pattern names directly, or behind pointers."""
    if isinstance(pattern, TemplateValue):
        return [pattern.name]
    if not isinstance(pattern, TypeName):
        return []
    type = pattern.declared.type
    while isinstance(type, PointerType | ArrayType):
        type = type.element
    return [type.name] if isinstance(type, TemplateType) else []


def deduce_argument(
    program: Declarations, pattern: TemplateArgument, actual: TemplateArgument, found: dict[str, TemplateArgument]
) -> bool:
    """Matches one template argument of a pattern with an actual one."""
    if isinstance(actual, PackPattern | ArgumentPack):
        return False
    if isinstance(pattern, TypeTemplate) or isinstance(actual, TypeTemplate):
        return _deduce_template(pattern, actual, found)
    if isinstance(pattern, TemplateValue):
        if not isinstance(actual, TypeName):
            found.setdefault(pattern.name, actual)
        return not isinstance(actual, TypeName)
    if isinstance(pattern, TypeName) and isinstance(actual, TypeName):
        if _is_concrete(pattern.declared.type):
            return pattern.declared.type == actual.declared.type
        if pattern.declared == DeclaredType(pattern.declared.type) and isinstance(pattern.declared.type, TemplateType):
            found.setdefault(pattern.declared.type.name, actual)
            return True
        return deduce(program, pattern.declared.type, actual.declared.type, found)
    if isinstance(pattern, ConstantName) and isinstance(actual, ConstantName):
        is_typed = pattern.is_typed or actual.is_typed
        return pattern.value == actual.value and (not is_typed or pattern.type == actual.type)
    if isinstance(pattern, FunctionSet) and isinstance(actual, FunctionSet):
        return pattern.declarations == actual.declarations
    return isinstance(pattern, ConstantObject) and pattern == actual


def _deduce_template(pattern: TemplateArgument, actual: TemplateArgument, found: dict[str, TemplateArgument]) -> bool:
    """A template template parameter, which stands for itself as a type does, takes any class template."""
    if isinstance(pattern, TypeName) and isinstance(pattern.declared.type, TemplateType):
        found.setdefault(pattern.declared.type.name, actual)
        return True
    return pattern == actual


def _is_concrete(type: Type) -> bool:
    return not isinstance(type, TemplateType | PointerType | ArrayType | StructType)


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
