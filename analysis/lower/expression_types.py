"""Types of expressions that are not evaluated: `decltype(a.x)`, `void_t<decltype(std::declval<T&>().size())>`.

Question  Which type does the expression have, or is there no such expression?  None where that is not known.
Rules     An object is a reference, as `decltype((e))` has it; `INVALID` is what a substitution failure is about.
          Only what certainly does not exist is invalid: a member of a number, a name that a complete class lacks.
Limits    Calls of free functions, operators of classes, members that are not public, and methods that are `const` or
          not are not known.
Source    C++ standard, "Decltype specifiers", "Template argument deduction" (on substitution failure).
"""

from __future__ import annotations

from typing import Final, TypeAlias, final

from analysis.cpp.conversions.model import Argument, ValueCategory
from analysis.cpp.types import arithmetic
from analysis.cpp.types import model as cpp
from analysis.cpp.types.arithmetic import common_arithmetic, is_floating
from analysis.cpp.types.model import QualType, qualified, reference_to
from analysis.ir.types import (
    BOOLEAN,
    ArrayType,
    FloatType,
    PointerType,
    StructType,
    Type,
    UnknownType,
    VectorType,
)
from analysis.lower.class_deduction import deduced_class, deducible
from analysis.lower.constants import evaluate
from analysis.lower.conversions import arithmetic_type, is_arithmetic, promoted
from analysis.lower.cpp_types import literal_type, of_library
from analysis.lower.functions import is_deduced, is_for_constants
from analysis.lower.library.properties import is_dependent
from analysis.lower.library.source import is_library
from analysis.lower.lookup import find, template_arguments
from analysis.lower.names import (
    ConstantName,
    DeclaredType,
    FunctionDeclaration,
    GlobalVariable,
    LocalVariable,
    Record,
    Scope,
    TypeName,
    declared_as,
)
from analysis.lower.overloads import choose_by_types
from analysis.lower.records import methods_named
from analysis.lower.types import NO_TYPE, RESOLVERS, resolve_type
from analysis.syntax.tree import Node


@final
class Invalid:
    """There is no such expression."""


INVALID: Final = Invalid()
Typed: TypeAlias = DeclaredType | Invalid | None

_VECTOR_FIELDS: Final = "xyzw"
_COMPARING: Final = frozenset({"<", ">", "<=", ">=", "==", "!=", "&&", "||"})
_INTEGRAL: Final = frozenset({"%", "&", "|", "^", "<<", ">>"})


def expression_type(scope: Scope, node: Node) -> Typed:
    """The type of an expression, a reference for an object."""
    match node.kind:
        case "parenthesized_expression" if len(node.children) == 1:
            return expression_type(scope, node.children[0])
        case "identifier" | "qualified_identifier":
            return _named(scope, node)
        case "call_expression":
            return _called(scope, node)
        case "field_expression":
            return _member(scope, node)
        case "subscript_expression":
            return _element(scope, node)
        case "binary_expression":
            return _binary(scope, node)
        case "number_literal":
            exact = literal_type(node.text)
            return _constant(scope, node) if exact is None else declared_as(exact)
        case "compound_literal_expression":
            type, listed = node.field("type"), node.field("value")
            return None if type is None or listed is None else _made(scope, type, listed)
        case _:
            return _constant(scope, node)


def exact_argument_of(scope: Scope, node: Node) -> Argument | None:
    """An expression as overload resolution in C++ types sees it; None where its type is not known."""
    typed = expression_type(scope, node)
    return _argument(typed, node) if isinstance(typed, DeclaredType) else None


def _made(scope: Scope, type: Node, listed: Node) -> Typed:
    """`Pair{a, b}` or `Pair(a, b)`: an object of the class, whose arguments may be deduced."""
    template = deducible(scope, type)
    if template is None:
        declared = resolve_type(scope, type)
        return declared if isinstance(declared.type, StructType) and declared.exact is not None else None
    given = [expression_type(scope, each) for each in listed.children]
    types = [each for each in given if isinstance(each, DeclaredType)]
    if len(types) < len(given):
        return None
    exact = [_argument(each, node) for each, node in zip(types, listed.children, strict=True)]
    found = deduced_class(scope.program, template, [each.type for each in types], exact)
    return declared_as(QualType(cpp.ClassType(found.name))) if isinstance(found, StructType) else None


def _argument(declared: DeclaredType, node: Node) -> Argument | None:
    exact = declared.exact
    if exact is None:
        return None
    if not declared.is_reference:
        return Argument(exact, is_null=node.text in (b"0", b"nullptr"))
    return Argument(exact.object, ValueCategory.XVALUE if declared.is_rvalue else ValueCategory.LVALUE)


def _constant(scope: Scope, node: Node) -> Typed:
    constant = evaluate(scope, node)
    if constant is None:
        return None
    exact = constant.exact or of_library(constant.type)
    return DeclaredType(constant.type, spelled=None if exact is None else exact.unqualified)


def _object_of(exact: QualType | None, otherwise: DeclaredType) -> DeclaredType:
    """An lvalue of the C++ type, where that is known."""
    return otherwise if exact is None else declared_as(reference_to(exact.object))


def _pointed(declared: DeclaredType) -> DeclaredType | None:
    """The object that a pointer points to, or the first one of an array."""
    if not isinstance(declared.type, PointerType | ArrayType):
        return None
    exact = None if declared.exact is None else declared.exact.object.type
    target: QualType | None = None
    match exact:
        case cpp.PointerType(pointee=inner) | cpp.ArrayType(element=inner):
            target = inner
        case _:
            pass
    return _object_of(target, DeclaredType(declared.type.element, True))


def _named(scope: Scope, node: Node) -> Typed:
    entity = find(scope, node)
    declared: DeclaredType | None = None
    if isinstance(entity, LocalVariable):
        declared = entity.declared
    elif isinstance(entity, GlobalVariable):
        declared = entity.declaration.declared
    if declared is not None:
        otherwise = DeclaredType(declared.type, True, declared.is_constant, declared.is_volatile)
        return _object_of(declared.exact, otherwise)
    return _constant(scope, node)


def _called(scope: Scope, node: Node) -> Typed:
    function, listed = node.field("function"), node.field("arguments")
    if function is None or listed is None:
        return None
    if function.kind == "field_expression":
        return _method(scope, function, listed)
    if deducible(scope, function) is not None:
        return _made(scope, function, listed)
    inner = function.field("name") if function.kind == "qualified_identifier" else function
    name = None if inner is None or inner.kind != "template_function" else inner.field("name")
    if inner is not None and name is not None and name.text == b"declval" and not listed.children:
        arguments = template_arguments(scope, inner.field("arguments"))
        first = arguments[0] if len(arguments) == 1 else None
        return first.declared if isinstance(first, TypeName) else None
    return None


def _object(scope: Scope, node: Node) -> tuple[Typed, Node | None]:
    """What stands before `.`, or what the pointer before `->` points to; and the name behind it."""
    argument, operator, field = node.field("argument"), node.field("operator"), node.field("field")
    base = None if argument is None else expression_type(scope, argument)
    if not isinstance(base, DeclaredType) or operator is None or is_dependent(scope.program, base.type):
        return (base if isinstance(base, Invalid) else None), field
    if operator.kind == "->":
        if isinstance(base.type, PointerType):
            pointed = _pointed(base)
            return (None if pointed is None or pointed.spelled is None else pointed), field
        return (INVALID if is_arithmetic(base.type) else None), field
    return base, field


def _member(scope: Scope, node: Node) -> Typed:
    base, field = _object(scope, node)
    if not isinstance(base, DeclaredType):
        return base
    if field is None or field.kind != "field_identifier":
        return None
    name = field.text.decode("utf-8", "replace")
    type = base.type
    if is_arithmetic(type) or isinstance(type, PointerType | ArrayType):
        return INVALID
    if isinstance(type, VectorType):
        index = _VECTOR_FIELDS.find(name) if len(name) == 1 else -1
        found = DeclaredType(type.element, base.is_reference, base.is_constant) if 0 <= index < type.length else None
        return found if found is not None else INVALID
    record = _complete(scope, type)
    if record is None:
        return None
    index = record.field_index(name)
    if index is not None and _is_public(record):
        declared = record.fields[index].declared
        is_constant = declared.is_constant or (base.is_constant and not declared.is_reference)
        otherwise = DeclaredType(declared.type, base.is_reference or declared.is_reference, is_constant)
        if declared.exact is None or base.exact is None:
            return otherwise
        exact = qualified(declared.exact, constant=is_constant, volatile=base.is_volatile)
        if declared.is_reference or (base.is_reference and not base.is_rvalue):
            return _object_of(exact, otherwise)
        return declared_as(reference_to(exact, is_rvalue=True))
    entity = record.member(name) if index is None and _is_public(record) else None
    if isinstance(entity, ConstantName | GlobalVariable):  # a static member
        type = entity.type if isinstance(entity, ConstantName) else entity.declaration.declared.type
        return DeclaredType(type, True)
    return INVALID if index is None and _lacks(record, name) else None


def _lacks(record: Record, name: str) -> bool:
    """Whether neither the class nor a base declares the name; members without one are looked into."""
    return record.member(name) is None and not methods_named(record, name) and name != record.simple_name


def _complete(scope: Scope, type: Type) -> Record | None:
    """The class, if all of its members are known."""
    record = scope.program.records.get(type.name) if isinstance(type, StructType) else None
    if record is None or record.is_guess or record.has_unknown_base or is_library(record.item):
        return None
    return None if record.node.field("body") is None or record.node.has_error else record


def _is_public(record: Record) -> bool:
    """Whether nothing in the class, or in a base, is private."""
    body = record.node.field("body")
    specifiers = [child.text for child in body.children if child.kind == "access_specifier"] if body is not None else []
    is_open = record.node.kind != "class_specifier" or specifiers[:1] == [b"public"]
    is_open = is_open and not any(each.strip(b": ") in (b"private", b"protected") for each in specifiers)
    clause = record.node.child("base_class_clause")
    is_open = is_open and (clause is None or (b"private" not in clause.text and b"protected" not in clause.text))
    return is_open and all(_is_public(base) for base, _ in record.bases)


def _method(scope: Scope, function: Node, listed: Node) -> Typed:
    base, field = _object(scope, function)
    if not isinstance(base, DeclaredType):
        return base
    if field is None or field.kind != "field_identifier":
        return None
    if is_arithmetic(base.type) or isinstance(base.type, PointerType | ArrayType | VectorType):
        return INVALID
    record = _complete(scope, base.type)
    if record is None:
        return None
    name = field.text.decode("utf-8", "replace")
    if _lacks(record, name):
        return INVALID
    index = record.field_index(name)
    if index is not None:
        return INVALID if is_arithmetic(record.fields[index].declared.type) else None
    methods = methods_named(record, name)
    arguments = [expression_type(scope, each) for each in listed.children]
    types = [each.type for each in arguments if isinstance(each, DeclaredType)]
    if len(types) != len(arguments) or not _is_public(record) or not all(_is_usable(each, base) for each in methods):
        return None
    choice = choose_by_types(scope.program, methods, (), types)
    if choice is None or choice.rivals or not choice.is_certain:
        return None
    signature = choice.instance.signature
    is_exact = all(each.declared.type == type for each, type in zip(signature.parameters, types, strict=False))
    return signature.returns if is_exact and not is_deduced(signature.returns) else None


def _is_usable(method: FunctionDeclaration, base: DeclaredType) -> bool:
    """Whether any object like this one has the method: not `= delete`, and not for other objects alone."""
    if method.node.child("delete_method_clause") is not None or method.declarator.child("ref_qualifier") is not None:
        return False
    return not base.is_constant or is_for_constants(method)


def _element(scope: Scope, node: Node) -> Typed:
    argument = node.field("argument")
    base = None if argument is None else expression_type(scope, argument)
    if not isinstance(base, DeclaredType) or is_dependent(scope.program, base.type):
        return base if isinstance(base, Invalid) else None
    if isinstance(base.type, PointerType | ArrayType):
        return _pointed(base)
    return INVALID if is_arithmetic(base.type) else None


def _binary(scope: Scope, node: Node) -> Typed:
    """Of two numbers."""
    left, sign, right = node.field("left"), node.field("operator"), node.field("right")
    if left is None or sign is None or right is None:
        return None
    first, second = expression_type(scope, left), expression_type(scope, right)
    if isinstance(first, Invalid) or isinstance(second, Invalid):
        return INVALID
    if first is None or second is None or not is_arithmetic(first.type) or not is_arithmetic(second.type):
        return None
    if sign.kind in _COMPARING:
        return DeclaredType(BOOLEAN)
    if first.exact is not None and second.exact is not None and sign.kind in "+-*/%&|^":
        exact = common_arithmetic(first.exact.object.unqualified, second.exact.object.unqualified)
        is_integral = sign.kind not in _INTEGRAL or exact is None or not is_floating(exact)
        return None if exact is None else declared_as(exact) if is_integral else INVALID
    if sign.kind in _INTEGRAL and (isinstance(first.type, FloatType) or isinstance(second.type, FloatType)):
        return INVALID
    if sign.kind in ("<<", ">>"):
        exact = None if first.exact is None else arithmetic.promoted(first.exact.object)
        return DeclaredType(promoted(first.type), spelled=exact)
    return DeclaredType(arithmetic_type(first.type, second.type)) if sign.kind in "+-*/%&|^" else None


# -- types that need it ------------------------------------------------------------------------------------------------

_plain_decltype: Final = RESOLVERS["decltype"]
_plain_dependent: Final = RESOLVERS["dependent_type"]


def _decltype(scope: Scope, node: Node) -> DeclaredType:
    """`decltype(e)`: the declared type of a member, the type of any other expression."""
    expression = next((child for child in node.children if child.kind in _EXPRESSIONS), None)
    if expression is None:
        return _plain_decltype(scope, node)
    found = expression_type(scope, expression)
    if isinstance(found, Invalid):
        return DeclaredType(NO_TYPE)
    if found is None:
        return _plain_decltype(scope, node)
    if expression.kind == "field_expression":
        return _declared_member(scope, expression) or DeclaredType(found.type)
    return found


def _declared_member(scope: Scope, node: Node) -> DeclaredType | None:
    """What the class declares the member as, whatever object it is a part of."""
    base, field = _object(scope, node)
    record = _complete(scope, base.type) if isinstance(base, DeclaredType) else None
    index = None if record is None or field is None else record.field_index(field.text.decode("utf-8", "replace"))
    return None if record is None or index is None else record.fields[index].declared


def _dependent(scope: Scope, node: Node) -> DeclaredType:
    """`typename T::name`, of a number or of a complete class that has no such name: there is no such type."""
    return DeclaredType(NO_TYPE) if lacks_type(scope, node) else _plain_dependent(scope, node)


def lacks_type(scope: Scope, node: Node) -> bool:
    """Whether `typename T::name` names a member that a known type certainly does not have."""
    named = next((child for child in node.children if child.kind == "qualified_identifier"), None)
    outer, name = (None, None) if named is None else (named.field("scope"), named.field("name"))
    if outer is None or name is None or name.kind not in ("type_identifier", "identifier"):
        return False
    entity = find(scope, outer)
    type = entity.declared.type if isinstance(entity, TypeName) else UnknownType("")
    if is_arithmetic(type) or isinstance(type, PointerType):
        return True
    record = None if is_dependent(scope.program, type) else _complete(scope, type)
    return record is not None and _lacks(record, name.text.decode("utf-8", "replace"))


_EXPRESSIONS: Final = frozenset(
    {
        "call_expression",
        "field_expression",
        "subscript_expression",
        "binary_expression",
        "parenthesized_expression",
        "compound_literal_expression",
        "number_literal",
    }
)
RESOLVERS["decltype"] = _decltype
RESOLVERS["dependent_type"] = _dependent
