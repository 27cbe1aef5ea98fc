"""Function declarations and signatures: what can be called, with what, and what comes back.

Rules   A parameter of array type is a pointer.  A kernel's pointer parameters point into global memory.
        `this` is the first parameter of a method that is not static.
        A `FunctionId` is the qualified name, the template arguments of an instance, the text of the parameters, `const`
        behind them, and what is required of the arguments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from analysis.cpp.conversions.standard import decayed
from analysis.cpp.types import model as cpp
from analysis.ir.ids import FunctionId, SymbolId
from analysis.ir.types import FUNCTION_POINTER, VOID, ArrayType, GroupType, HandleType, MemorySpace, PointerType
from analysis.lower.lookup import template_arguments
from analysis.lower.names import (
    AUTO,
    DECLTYPE,
    DECLTYPE_AUTO,
    DeclaredType,
    FunctionDeclaration,
    FunctionInstance,
    FunctionSet,
    LambdaName,
    LocalVariable,
    Origin,
    ParameterDeclaration,
    Record,
    Scope,
    Signature,
    TemplateArgument,
    TypeName,
    VariablePack,
    is_inferred,
    pointer_to,
)
from analysis.lower.packs import element_scope, is_open, pack_length
from analysis.lower.templates import bind, placeholder_names, positional, stands_for_itself
from analysis.lower.types import (
    base_type,
    declare,
    declare_any,
    descriptor_type,
    innermost,
    specifier_words,
    spelled,
    spelled_argument,
)
from analysis.syntax.tree import Node


def function_declarator(node: Node) -> Node | None:
    """The declarator that holds the parameters: below the return type's pointers and references."""
    declarator = node.field("declarator")
    while declarator is not None and declarator.kind not in ("function_declarator", "operator_cast"):
        inner = declarator.field("declarator")
        if inner is None and declarator.children:
            inner = declarator.children[-1]
        declarator = inner
    if declarator is not None and declarator.kind == "function_declarator":
        inner = declarator.field("declarator")
        if (
            inner is not None
            and inner.kind == "parenthesized_declarator"
            and "*" in inner.text.decode("utf-8", "replace")
        ):
            return None
    return declarator


def function_name(declarator: Node) -> str:
    """The last component of the name; operators as `operator+`."""
    if declarator.kind == "operator_cast":
        words = _WORD.findall(declarator.text.decode("utf-8", "replace").partition("(")[0])
        return "operator" + "".join(f" {word}" if word[0].isalnum() or word[0] == "_" else word for word in words[1:])
    name = innermost(declarator)
    while name is not None and name.kind == "qualified_identifier":
        name = name.field("name")
    if name is None:
        return ""
    if name.kind == "template_function":
        inner = name.field("name")
        name = name if inner is None else inner
    text = name.text.decode("utf-8", "replace")
    return "".join(text.split()) if name.kind == "operator_name" and not text[-1:].isalnum() else text


def generic_signature(declaration: FunctionDeclaration) -> Signature:
    """The signature in which template parameters stand for themselves."""
    if declaration.generic is None:
        scope = declaration.scope.inside()
        bind(scope, declaration.template_parameters, {}, defaults=False)
        declaration.generic = read_signature(declaration, scope)
    return declaration.generic


def _signature_in(declaration: FunctionDeclaration, scope: Scope) -> Signature:
    """The signature of an instance, whose parameters are bound in `scope`."""
    origin = declaration.scope.origin
    if declaration.template_parameters or declaration.owner is not None or scope.origin is not origin:
        return read_signature(declaration, scope)
    return generic_signature(declaration)  # there is nothing that it could be generic in


def requirements_of(declaration: FunctionDeclaration) -> list[Node]:
    """The `requires` clauses in front of the function and behind its parameters."""
    is_whole = declaration.node is declaration.snippet.root
    found = list(declaration.snippet.requirements) if is_whole else []
    trailing = declaration.declarator.child("requires_clause")
    return found if trailing is None else [*found, trailing]


def is_for_constants(declaration: FunctionDeclaration) -> bool:
    """Whether a method may be called on constant objects: `const` stands behind its parameters, or it is a lambda's."""
    declarator = declaration.declarator
    if declaration.node.kind == "lambda_expression":
        return not is_mutable(declaration.node)
    if declarator.kind == "operator_cast":
        declarator = _parameters_of_cast(declarator)
    return any(child.kind == "type_qualifier" and child.text == b"const" for child in declarator.children)


def is_mutable(node: Node) -> bool:
    """Whether calls of a lambda expression may change what it has captured by value."""
    declarator = node.field("declarator")
    specifiers = () if declarator is None else declarator.children
    return any(child.kind == "lambda_specifier" and child.text == b"mutable" for child in specifiers)


def _parameters_of_cast(declarator: Node) -> Node:
    """The declarator in `operator T *() const` that ends in the parameters and `const`."""
    inner: Node | None = declarator
    while inner is not None and inner.field("parameters") is None:
        inner = inner.field("declarator")
    return declarator if inner is None else inner


def instantiate(
    declaration: FunctionDeclaration, arguments: dict[str, TemplateArgument], *, defaults: bool = True
) -> FunctionInstance:
    """The instance for these arguments; parameters without one take their default, or stand for themselves."""
    scope = declaration.scope.inside()
    bound = bind(scope, declaration.template_parameters, arguments, defaults=defaults)
    key = (bound, tuple(map(spelled_argument, bound)))
    known = declaration.instances.get(key)
    if known is not None:
        return known
    this = scope.this = None
    if declaration.owner is not None and not declaration.is_static:
        this = DeclaredType(pointer_to(DeclaredType(declaration.owner.type)))
        own = cpp.QualType(cpp.ClassType(declaration.owner.name))
        scope.this = cpp.qualified(own, constant=is_for_constants(declaration))
    is_generic = all(map(stands_for_itself, declaration.template_parameters, bound))  # whoever asks first
    _name_types(declaration, scope, () if is_generic else bound)
    identity = function_id(declaration, () if is_generic else bound)
    instance = FunctionInstance(identity, declaration, scope, _signature_in(declaration, scope), this)
    declaration.instances[key] = instance
    declaration.scope.program.register(instance)
    return instance


def _name_types(declaration: FunctionDeclaration, scope: Scope, bound: tuple[TemplateArgument, ...]) -> None:
    """Types that the function declares are named after the instance, and after its number among overloads."""
    origin, item = scope.origin, declaration.item
    if origin is None or not _MAY_DECLARE_TYPES.search(item.text):
        return
    owner = declaration.owner
    path = [*item.namespace, *([item.owner] if item.owner else [])] if owner is None else [owner.name]
    same = [one for one in declaration.scope.program.unit.lookup(item.name) if one.is_definition]
    name = item.name if len(same) < 2 or item not in same else f"{item.name}#{same.index(item) + 1}"
    listed = f"<{', '.join(map(spelled_argument, bound))}>" if bound else ""
    scope.origin = Origin(origin.item, origin.snippet, "::".join([*path, name + listed]))


def for_groups(instance: FunctionInstance, arguments: Sequence[object]) -> FunctionInstance:
    """The instance whose `thread_group` parameters are the groups that a call passes.

    A parameter that the body assigns to may become another kind of group: it stays a `thread_group`.
    """
    declaration, signature = instance.declaration, instance.signature
    parameters: list[ParameterDeclaration] = list(signature.parameters)
    named: list[str] = []
    for index, (parameter, argument) in enumerate(zip(signature.parameters, arguments, strict=False)):
        declared = parameter.declared
        if (
            declared.type == THREAD_GROUP
            and isinstance(argument, GroupType)
            and not _is_assigned(declaration, parameter)
        ):
            exact = DeclaredType(argument, declared.is_reference, declared.is_constant, declared.is_volatile)
            parameters[index] = replace(parameter, declared=exact)
            named.append(f"{parameter.name} = {spelled(argument)}")
    if not named:
        return instance
    parameters_of_call = replace(signature, parameters=tuple(parameters))
    return _for_call(replace(instance, id=_of_call(instance, ", ".join(named)), signature=parameters_of_call))


def for_functions(instance: FunctionInstance, pointed: Mapping[str, FunctionSet]) -> FunctionInstance:
    """The instance whose parameters of these names point to these functions, whatever is passed."""
    named = ", ".join(f"{name} = {one.name}" for name, one in pointed.items())
    return _for_call(replace(instance, id=_of_call(instance, named), pointed=pointed))


def for_class(instance: FunctionInstance, whole: Record) -> FunctionInstance:
    """The instance for objects whose class is certainly `whole`: its virtual calls are of functions of that class."""
    return _for_call(replace(instance, id=_of_call(instance, f"*this = {whole.name}"), most_derived=whole))


def _of_call(instance: FunctionInstance, what: str) -> FunctionId:
    return FunctionId(f"{instance.id} [{what}]")


def _for_call(instance: FunctionInstance) -> FunctionInstance:
    """The instance of that name: the one that an earlier call asked for, or else this one."""
    declaration = instance.declaration
    known = declaration.for_calls.get(instance.id)
    if known is None:
        known = declaration.for_calls[instance.id] = instance
        declaration.scope.program.register(instance)
    return known


def _is_assigned(declaration: FunctionDeclaration, parameter: ParameterDeclaration) -> bool:
    name = re.escape(parameter.name.encode("utf-8", "replace"))
    return re.search(rb"\b" + name + rb"\s*=(?!=)", declaration.snippet.text) is not None


def function_id(declaration: FunctionDeclaration, arguments: tuple[TemplateArgument, ...]) -> FunctionId:
    owner = declaration.owner
    arguments = arguments or specialised_for(declaration) or ()
    if owner is not None:
        path = [owner.name]
    else:
        path = [*declaration.item.namespace, *([declaration.item.owner] if declaration.item.owner else [])]
    name = "::".join([*path, declaration.name])
    if arguments:
        name += "<" + ", ".join(spelled_argument(argument) for argument in arguments) + ">"
    listed = parameter_list(declaration.declarator)
    text = "()" if listed is None else listed.text.decode("utf-8", "replace")
    qualifiers = ["const"] if is_for_constants(declaration) else []
    required = [node.text.decode("utf-8", "replace") for node in requirements_of(declaration)]
    required += [
        f"{parameter.concept.text.decode('utf-8', 'replace')} {parameter.name}"
        for parameter in declaration.template_parameters
        if parameter.concept is not None
    ]
    return FunctionId(_SPACE.sub(" ", " ".join([name + text, *qualifiers, *required])))


def specialised_for(declaration: FunctionDeclaration) -> tuple[TemplateArgument, ...] | None:
    """The arguments of an explicit specialisation, `template <> float f<3>(float)`; None for any other function."""
    name = innermost(declaration.declarator)
    while name is not None and name.kind == "qualified_identifier":
        name = name.field("name")
    if name is None or name.kind != "template_function" or declaration.template_parameters:
        return None
    return template_arguments(declaration.scope, name.field("arguments"))


def is_specialisation(declaration: FunctionDeclaration) -> bool:
    """Whether it is `template <> int f(float)`, with or without arguments behind the name: what `f` means for those.

    A member of an instance of a class template has a header of the same form for the class.
    """
    if declaration.template_parameters or declaration.node is not declaration.snippet.root:
        return False
    headers = declaration.snippet.templates
    classes = 0 if declaration.owner is None else declaration.headers_of_classes
    return len(headers) > classes or specialised_for(declaration) is not None


def parameter_list(declarator: Node) -> Node | None:
    """The parenthesised parameters of a function's, a conversion operator's or a lambda's declarator."""
    inner: Node | None = declarator
    while inner is not None:
        listed = inner.field("parameters")
        if listed is not None:
            return listed
        inner = inner.field("declarator")
    return None


def read_signature(declaration: FunctionDeclaration, scope: Scope) -> Signature:
    """Parameters and return type, with names meaning what `scope` says."""
    is_kernel = declaration.item.is_kernel
    parameters, is_variadic = read_parameters(scope, parameter_list(declaration.declarator), is_kernel=is_kernel)
    return Signature(parameters, as_returned(_returns(declaration, scope, parameters)), is_variadic)


def read_parameters(
    scope: Scope, listed: Node | None, *, is_kernel: bool = False
) -> tuple[tuple[ParameterDeclaration, ...], bool]:
    """The parameters in a parameter list, and whether it ends in `...`."""
    parameters: list[ParameterDeclaration] = []
    placeholders = {node.start: name for node, _, name in placeholder_names(listed)}
    for node in listed.children if listed is not None else ():
        if node.kind not in _PARAMETERS:
            continue
        elements = _elements(scope, node, is_kernel=is_kernel)
        if elements is not None:
            parameters += elements
            continue
        declarator = node.field("declarator")
        declared = base_type(scope, node)
        bound = scope.names.get(placeholders.get(node.start, ""))
        if isinstance(bound, TypeName):
            declared = _deduced(declared, bound.declared)
        name: Node | None = None
        if declarator is not None:
            whole = declare_any(scope, declared, declarator)
            name, declared = whole.name, whole.declared
        elif declared.type == VOID:
            continue
        text = "" if name is None else name.text.decode("utf-8", "replace")
        is_pack = node.kind == "variadic_parameter_declaration"
        default = node.field("default_value")
        parameters.append(ParameterDeclaration(text, node, _adjusted(declared, is_kernel), default, is_pack))
    is_variadic = listed is not None and listed.text.rstrip(b" )").endswith(b"...")
    return tuple(parameters), is_variadic


def _deduced(declared: DeclaredType, bound: DeclaredType) -> DeclaredType:
    """What `auto` or `const auto` declares for the type that was deduced."""
    constant, volatile = declared.is_constant or bound.is_constant, declared.is_volatile or bound.is_volatile
    exact = None if bound.exact is None else cpp.qualified(bound.exact, constant=constant, volatile=volatile)
    return replace(declared, type=bound.type, is_constant=constant, is_volatile=volatile, spelled=exact)


def _elements(scope: Scope, node: Node, *, is_kernel: bool) -> list[ParameterDeclaration] | None:
    """The parameters that a function parameter pack is; None for any other, and while the pack is not known."""
    type = node.field("type")
    if node.kind != "variadic_parameter_declaration" or type is None:
        return None
    length = pack_length(scope, type)
    if length is None or any(is_open(scope, type, index) for index in range(length)):
        return None
    parameters: list[ParameterDeclaration] = []
    declarator = node.field("declarator")
    pack = pack_name(node)
    for index in range(length):
        inner = element_scope(scope, type, index)
        declared = base_type(inner, node)
        if declarator is not None:
            declared = declare(inner, declared, declarator).declared
        adjusted = _adjusted(declared, is_kernel)
        parameters.append(ParameterDeclaration(f"{pack}[{index}]", node, adjusted, None, pack=pack))
    return parameters


def pack_name(node: Node) -> str:
    """The name of a function parameter pack; empty where it has none."""
    declarator = node.field("declarator")
    name = None if declarator is None else innermost(declarator)
    return "" if name is None else name.text.decode("utf-8", "replace")


def pack_names(listed: Node | None) -> list[str]:
    """The function parameter packs that a parameter list declares."""
    nodes = () if listed is None else listed.children
    return [name for node in nodes if node.kind == "variadic_parameter_declaration" and (name := pack_name(node))]


def _adjusted(declared: DeclaredType, is_kernel: bool) -> DeclaredType:
    """Arrays and functions become pointers; a kernel's pointers are global."""
    type, exact = declared.type, declared.exact
    if declared.is_reference:
        return declared
    if exact is not None and isinstance(exact.type, cpp.ArrayType | cpp.FunctionType):
        exact = decayed(exact)
    space = MemorySpace.GLOBAL if is_kernel else MemorySpace.GENERIC
    if exact is not None and exact is not declared.exact and type == FUNCTION_POINTER:
        return DeclaredType(type, spelled=exact)
    if isinstance(type, ArrayType):
        return DeclaredType(PointerType(type.element, space, declared.is_volatile), spelled=exact)
    if isinstance(type, PointerType) and is_kernel:
        pointer = PointerType(type.element, space, type.volatile)
        return DeclaredType(pointer, False, declared.is_constant, declared.is_volatile, spelled=exact)
    return declared


def _returns(
    declaration: FunctionDeclaration, scope: Scope, parameters: Sequence[ParameterDeclaration]
) -> DeclaredType:
    declarator = declaration.declarator
    if declarator.kind == "operator_cast":
        target = declarator.field("declarator")
        converted = base_type(scope, declarator)
        return converted if target is None else declare(scope, converted, target).declared
    node = declaration.node
    trailing = declarator.child("trailing_return_type")
    if trailing is not None and trailing.children:
        named = b"decltype" in trailing.text
        return descriptor_type(with_parameters(scope, parameters) if named else scope, trailing.children[0])
    if node.field("type") is None:
        return DeclaredType(AUTO) if node.kind == "lambda_expression" else _NONE
    outer = node.field("declarator")
    base = base_type(scope, node, specifier_words(node) - _OF_FUNCTIONS)
    return base if outer is None else declare(scope, base, outer).declared


def with_parameters(scope: Scope, parameters: Sequence[ParameterDeclaration]) -> Scope:
    """What a return type behind the parameters, or an expression in the body, sees of them."""
    inner = scope.inside()
    packs: dict[str, list[LocalVariable | LambdaName]] = {}
    for parameter in parameters:
        variable = LocalVariable(parameter.name, NOWHERE, parameter.declared, None)
        if parameter.pack:
            packs.setdefault(parameter.pack, []).append(variable)
        elif parameter.name and not parameter.is_pack:
            inner.declare(parameter.name, variable)
    for name, variables in packs.items():
        inner.declare(name, VariablePack(tuple(variables)))
    return inner


def as_returned(declared: DeclaredType) -> DeclaredType:
    """A return type; where it may be a reference or not, a reference: to a temporary if it is a value."""
    return replace(declared, type=AUTO, is_reference=True) if declared.type in (DECLTYPE_AUTO, DECLTYPE) else declared


def bind_explicit(
    declaration: FunctionDeclaration, arguments: tuple[TemplateArgument, ...]
) -> dict[str, TemplateArgument]:
    return positional(declaration.template_parameters, arguments)


def is_guess(declaration: FunctionDeclaration) -> bool:
    """Whether the text of the function could not be read; errors in other members of its class do not count."""
    snippet = declaration.snippet
    if declaration.owner is not None and declaration.node is not snippet.root:
        return snippet.is_guess(declaration.node)
    return snippet.unreadable() is not None


def is_deduced(declared: DeclaredType) -> bool:
    """Whether the return type is `auto`."""
    return is_inferred(declared.type)


_MAY_DECLARE_TYPES: Final = re.compile(rb"\b(?:struct|class|union|enum)\b|\[[^\]]*\]\s*(?:\(|\{|<|mutable)")
"""In text that may hold a class or a lambda."""
NOWHERE: Final = SymbolId(-1)
"""The symbol of a variable in text that is not run."""
THREAD_GROUP: Final = HandleType("cooperative_groups::thread_group")
"""Any group: what it is depends on who makes it."""
_NONE: Final = DeclaredType(VOID)
_OF_FUNCTIONS: Final = frozenset({"constexpr", "consteval"})
"""Words in front of a function that say nothing of the type it returns, as `constexpr` does of a variable's."""
_WORD: Final = re.compile(r"\w+|[^\s\w]")
_SPACE: Final = re.compile(r"\s+")
_PARAMETERS: Final = frozenset(
    {"parameter_declaration", "optional_parameter_declaration", "variadic_parameter_declaration"}
)
