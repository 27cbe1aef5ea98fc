"""Names and types in host code, as far as they are needed to tell what a kernel is launched with.

Rules    A block's declarations are seen after they stand there.  A constant has its value, any other variable a type.
         Types of calls are known for constructors, casts and functions whose return type is written.
Limits   None for everything else; `auto` takes the type of its initialiser where that is known.
"""

from __future__ import annotations

from typing import Final

from analysis.ir.ids import SymbolId
from analysis.ir.types import ArrayType, MemorySpace, PointerType, StructType, TemplateType, Type, UnknownType
from analysis.lower.closures import closure_type
from analysis.lower.constants import declare_object, evaluate
from analysis.lower.conversions import arithmetic_type, is_arithmetic, wrapped
from analysis.lower.functions import generic_signature
from analysis.lower.lookup import find, template_arguments
from analysis.lower.names import (
    AUTO,
    DeclaredType,
    FunctionSet,
    GlobalVariable,
    LocalVariable,
    Scope,
    TypeName,
    is_inferred,
)
from analysis.lower.types import base_type, declare, descriptor_type, resolve_type, specifier_words
from analysis.syntax.tree import Node

NOWHERE: Final = SymbolId(-1)
"""Host variables have no place in a function of the device."""
_MAX_DEPTH: Final = 30
_COMPARING: Final = frozenset({"<", ">", "<=", ">=", "==", "!=", "&&", "||"})


def declare_variables(scope: Scope, node: Node, owner: str) -> None:
    """Declares the variables of a declaration in `scope`."""
    base = base_type(scope, node)
    for declarator in node.fields("declarator"):
        value: Node | None = None
        inner = declarator
        if declarator.kind == "init_declarator":
            value, inner = declarator.field("value"), declarator.field("declarator") or declarator
        whole = declare(scope, base, inner)
        if whole.name is None or whole.name.kind != "identifier":
            continue
        declared = whole.declared
        if is_inferred(declared.type):
            found = None if value is None else host_type(scope, value, owner)
            declared = DeclaredType(found or AUTO, declared.is_reference, declared.is_constant)
        declare_variable(scope, whole.name, declared, value)
        if value is not None and "constexpr" in specifier_words(node):
            declare_object(scope, whole.name.text.decode("utf-8", "replace"), value)


def declare_variable(scope: Scope, name: Node, declared: DeclaredType, value: Node | None) -> None:
    """One variable of the host."""
    constant = None
    if value is not None and declared.is_constant and is_arithmetic(declared.type):
        known = evaluate(scope, value.children[0] if _is_list_of_one(value) else value)
        constant = None if known is None else wrapped(known.value, declared.type)
    text = name.text.decode("utf-8", "replace")
    scope.declare(text, LocalVariable(text, NOWHERE, declared, None, constant))


def _is_list_of_one(node: Node) -> bool:
    return node.kind in ("initializer_list", "argument_list") and len(node.children) == 1


def host_type(scope: Scope, node: Node, owner: str, depth: int = 0) -> Type | None:
    """The type of an expression of host code; None where it is not known."""
    if depth > _MAX_DEPTH:
        return None
    match node.kind:
        case "identifier" | "qualified_identifier":
            return _named(scope, node)
        case "parenthesized_expression" if len(node.children) == 1:
            return host_type(scope, node.children[0], owner, depth + 1)
        case "initializer_list" | "argument_list" if len(node.children) == 1:
            return host_type(scope, node.children[0], owner, depth + 1)
        case "lambda_expression":
            return closure_type(scope, node, owner)
        case "cast_expression" | "compound_literal_expression":
            return _spelled(scope, node.field("type"))
        case "call_expression":
            return _called(scope, node)
        case "pointer_expression" | "unary_expression":
            return _unary(scope, node, owner, depth)
        case "subscript_expression":
            argument = node.field("argument")
            outer = None if argument is None else host_type(scope, argument, owner, depth + 1)
            return outer.element if isinstance(outer, PointerType | ArrayType) else None
        case "field_expression":
            return _member(scope, node, owner, depth)
        case "binary_expression":
            return _binary(scope, node, owner, depth)
        case "conditional_expression":
            chosen = node.field("consequence")
            return None if chosen is None else host_type(scope, chosen, owner, depth + 1)
        case _:
            constant = evaluate(scope, node)
            return None if constant is None else constant.type


def is_known(type: Type) -> bool:
    """Whether nothing in a type depends on what is not visible."""
    while isinstance(type, PointerType | ArrayType):
        type = type.element
    return not isinstance(type, UnknownType | TemplateType)


def _named(scope: Scope, node: Node) -> Type | None:
    entity = find(scope, node)
    if isinstance(entity, LocalVariable):
        return _checked(entity.declared.type)
    if isinstance(entity, GlobalVariable):
        return _checked(entity.declaration.declared.type)
    constant = evaluate(scope, node)
    return None if constant is None else constant.type


def _checked(type: Type) -> Type | None:
    return type if is_known(type) else None


def _spelled(scope: Scope, node: Node | None) -> Type | None:
    if node is None:
        return None
    declared = descriptor_type(scope, node) if node.kind == "type_descriptor" else resolve_type(scope, node)
    return _checked(declared.type)


def _called(scope: Scope, node: Node) -> Type | None:
    """`T(...)`, `static_cast<T>(...)`, and functions that say what they return."""
    function = node.field("function")
    if function is None:
        return None
    name = function.field("name")
    if function.kind == "template_function" and name is not None and name.text.endswith(b"_cast"):
        listed = template_arguments(scope, function.field("arguments"))
        first = listed[0] if listed else None
        return _checked(first.declared.type) if isinstance(first, TypeName) else None
    if function.kind in ("primitive_type", "sized_type_specifier"):
        return resolve_type(scope, function).type
    entity = find(scope, function)
    if isinstance(entity, TypeName):
        return _checked(entity.declared.type)
    if isinstance(entity, FunctionSet) and len(entity.declarations) == 1:
        declaration = entity.declarations[0]
        return None if declaration.template_parameters else _checked(generic_signature(declaration).returns.type)
    return None


def _unary(scope: Scope, node: Node, owner: str, depth: int) -> Type | None:
    argument, sign = node.field("argument"), node.field("operator")
    inner = None if argument is None else host_type(scope, argument, owner, depth + 1)
    if inner is None or sign is None:
        return None
    if sign.kind == "&":
        return PointerType(inner, MemorySpace.GENERIC)
    if sign.kind == "*":
        return inner.element if isinstance(inner, PointerType | ArrayType) else None
    return inner if is_arithmetic(inner) else None


def _member(scope: Scope, node: Node, owner: str, depth: int) -> Type | None:
    argument, name = node.field("argument"), node.field("field")
    outer = None if argument is None else host_type(scope, argument, owner, depth + 1)
    outer = outer.element if isinstance(outer, PointerType) else outer
    record = scope.program.records.get(outer.name) if isinstance(outer, StructType) else None
    if record is None or name is None:
        return None
    index = record.field_index(name.text.decode("utf-8", "replace"))
    return None if index is None else _checked(record.fields[index].declared.type)


def _binary(scope: Scope, node: Node, owner: str, depth: int) -> Type | None:
    left_node, sign, right_node = node.field("left"), node.field("operator"), node.field("right")
    if left_node is None or sign is None or right_node is None:
        return None
    if sign.kind in _COMPARING:
        constant = evaluate(scope, node)
        return None if constant is None else constant.type
    left, right = (host_type(scope, each, owner, depth + 1) for each in (left_node, right_node))
    for pointer in (left, right):
        if isinstance(pointer, PointerType | ArrayType):
            return PointerType(pointer.element, MemorySpace.GENERIC)
    if left is None or right is None or not is_arithmetic(left) or not is_arithmetic(right):
        return None
    return arithmetic_type(left, right)
