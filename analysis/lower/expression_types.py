"""Types of expressions, from what the scope declares: `decltype(e)`, what `requires` asks, `sizeof e`.

Question  What does `cpp.expressions` say of an expression here?
Rules     Names, members and calls are answered from the declarations of the unit; a call is the function that the
          standard's rules choose.  What certainly does not exist is `INVALID`, which a substitution failure is about:
          a member of a number, a name that a complete class lacks.
Limits    Members of a class with anything private are not known where they are named from anywhere; of functions that
          the tables know the result is not known, nor is one that is declared `auto`.
Source    C++20 standard, [dcl.type.decltype], [temp.deduct] (on substitution failure), [over.match.oper].
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import replace
from typing import Final, TypeAlias, final

from analysis.cpp.conversions.model import Argument
from analysis.cpp.conversions.standard import decayed
from analysis.cpp.expressions.checker import NO_OPERATOR, Checker, NoOperator, is_no_function
from analysis.cpp.expressions.model import (
    INVALID,
    Checked,
    Invalid,
    called,
    decltype_of,
    lvalue,
    named,
    prvalue,
    xvalue,
)
from analysis.cpp.expressions.parts import part_category
from analysis.cpp.literals import character_literal, number_literal
from analysis.cpp.types import model as cpp
from analysis.cpp.types.model import SIZE, Fundamental, QualType, fundamental, pointer_to, qualified
from analysis.ir.types import PointerType, StructType, UnknownType, VectorType
from analysis.lower.associated import associated_with
from analysis.lower.builtins import builtin_function
from analysis.lower.builtins.types import canonical
from analysis.lower.class_deduction import deduced_class, deducible
from analysis.lower.class_knowledge import RecordClasses
from analysis.lower.closure_classes import closure_class
from analysis.lower.constants import evaluate
from analysis.lower.conversions import is_arithmetic
from analysis.lower.cpp_types import ir_type, of_library
from analysis.lower.exact_arguments import named as by_name
from analysis.lower.exact_arguments import record_name, structured
from analysis.lower.functions import NOWHERE, generic_signature, is_deduced, with_parameters
from analysis.lower.layouts import size_and_alignment
from analysis.lower.library.properties import is_dependent
from analysis.lower.library.source import is_library
from analysis.lower.lookup import find, is_template, size_constant, template_arguments, type_of_name
from analysis.lower.names import (
    AUTO,
    DECLTYPE,
    BuiltinName,
    Closure,
    ConstantName,
    Declarations,
    DeclaredType,
    DependentName,
    Entity,
    FunctionDeclaration,
    FunctionInstance,
    FunctionSet,
    GlobalVariable,
    LambdaName,
    LocalVariable,
    MemberAddress,
    MemberName,
    Record,
    Scope,
    TemplateArgument,
    TemplateValue,
    TypeName,
    TypeTemplate,
    VariableAddress,
    declared_as,
)
from analysis.lower.overloads import NoFunction, choose_exactly
from analysis.lower.packs import element_of, expanded, is_pack_size
from analysis.lower.records import methods_named
from analysis.lower.requirements import is_required
from analysis.lower.strings import string_text
from analysis.lower.types import NO_TYPE, dependent_type, descriptor_type, resolve_type
from analysis.syntax.items import ItemKind
from analysis.syntax.tree import Node

Typed: TypeAlias = DeclaredType | Invalid | None

_DEDUCED: ContextVar[frozenset[str]] = ContextVar("deduced results", default=frozenset())
"""The functions whose result is being looked for: one that calls itself has none that is known."""
_MOST_DEDUCED: Final = 20
_IDENTIFIERS: Final = frozenset({"identifier", "qualified_identifier", "template_function"})
_CHARACTER: Final = fundamental(Fundamental.CHAR)


def checked(scope: Scope, node: Node) -> Checked:
    """What an expression is; classes in its type go by the names of their records."""
    found = Checker(ScopeNames(scope)).check(node)
    return (
        Argument(by_name(found.type), found.category, found.is_null, found.bits)
        if isinstance(found, Argument)
        else found
    )


def certain_type(scope: Scope, node: Node) -> Typed:
    """`decltype((e))`; None also where the expression may be invalid for a reason that is not looked at."""
    checker = Checker(ScopeNames(scope))
    found = checker.check(node)
    if isinstance(found, Argument):
        return declared_as(by_name(decltype_of(found))) if checker.is_certain else None
    return found


def returned_type(instance: FunctionInstance) -> QualType | None:
    """What a function gives back, `auto` deduced where its body is one `return`; None where that is not known."""
    found = ScopeNames(instance.scope).returned(instance)
    return by_name(decltype_of(found)) if isinstance(found, Argument) else None


# -- what names mean ---------------------------------------------------------------------------------------------------


@final
class ScopeNames:
    """Answers the checker from one scope."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._program = scope.program
        self.classes = RecordClasses(scope.program)

    def _exact(self, declared: DeclaredType) -> QualType | None:
        exact = declared.exact
        return None if exact is None else structured(self._program, exact)

    def _record(self, type: cpp.Type) -> Record | None:
        """The class, if all of its members are known."""
        if not isinstance(type, cpp.ClassType):
            return None
        return complete_record(self._program.records.get(record_name(type)))

    def type_of(self, node: Node) -> QualType | None:
        if deducible(self._scope, node) is not None:
            return None
        is_descriptor = node.kind == "type_descriptor"
        return self._exact(descriptor_type(self._scope, node) if is_descriptor else resolve_type(self._scope, node))

    def expanded(self, nodes: Sequence[Node]) -> Sequence[Node]:
        return expanded(self._scope, nodes)

    def element(self, node: Node) -> tuple[ScopeNames, Node]:
        scope, pattern = element_of(self._scope, node)
        return ScopeNames(scope), pattern

    def literal(self, node: Node) -> QualType | None:
        if node.kind == "char_literal":
            return character_literal(node.text).type
        if node.kind == "number_literal":
            number = number_literal(node.text)
            return None if number is None else number.type
        if not node.text.startswith((b'"', b'R"')):
            return None
        length = len(string_text(node).encode("utf-8", "surrogateescape")) + 1
        return QualType(cpp.ArrayType(qualified(_CHARACTER, constant=True), length))

    def element_of(self, vector: VectorType) -> QualType | None:
        return of_library(vector.element)

    def named(self, node: Node) -> Checked:
        if node.kind == "this":
            this = self._this()
            return None if this is None else prvalue(pointer_to(this))
        return self._entity(find(self._scope, node))

    def _entity(self, entity: Entity | None) -> Checked:
        match entity:
            case LocalVariable(declared=declared):
                return None if entity.is_constant is None else self._variable(declared)
            case GlobalVariable(declaration=declaration):
                return self._variable(declaration.declared)
            case ConstantName(exact=exact):
                if exact is None:
                    return None
                return lvalue(exact) if exact.is_constant else prvalue(exact)
            case LambdaName(closure=closure):
                made = self._closure(closure)
                return None if made is None else lvalue(made)
            case VariableAddress(declaration=declaration):
                known = self._variable(declaration.declared)
                return None if known is None else prvalue(pointer_to(known.type))
            case MemberAddress(exact=exact):
                return prvalue(exact)
            case TemplateValue(exact=exact):
                return None if exact is None else prvalue(exact)
            case BuiltinName(builtin=builtin):
                exact = of_library(builtin.type)
                if exact is None:
                    return None
                return lvalue(qualified(exact, constant=True)) if builtin.registers else prvalue(exact)
            case MemberName(record=record, name=name):
                index, this = record.field_index(name), self._this()
                return None if index is None or this is None else self._field(record, index, lvalue(this))
            case _:
                return None

    def _this(self) -> QualType | None:
        """The class whose method's text is looked at, with the qualifiers that the object has there."""
        return None if self._scope.this is None else self._exact(declared_as(self._scope.this))

    def _variable(self, declared: DeclaredType) -> Argument | None:
        exact = self._exact(declared)
        return None if exact is None else named(exact)

    def closure(self, node: Node) -> Checked:
        scope, captures = self._scope.inside(), node.field("captures")
        if scope.origin is None:
            return None
        for capture in captures.children if captures is not None else ():
            if not self._capture(scope, capture, node):
                return None
        made = self._closure(Closure(node, scope, scope.origin.snippet, None, None, None))
        return None if made is None else prvalue(made)

    def _capture(self, scope: Scope, capture: Node, node: Node) -> bool:
        """Declares what a capture copies in the scope of the lambda; whether it is understood."""
        is_reference = capture.source[: capture.start].rstrip().endswith(b"&")
        match capture.kind:
            case "lambda_default_capture":
                names = {one.text for one in node.walk() if one.kind == "identifier"}
                copied = names if capture.text.strip() == b"=" else set[bytes]()
            case "identifier":
                copied = set[bytes]() if is_reference else {capture.text}
            case "this":
                return True
            case "lambda_capture_initializer" if not is_reference and not capture.text.startswith((b"&", b"...")):
                left, right = capture.field("left"), capture.field("right")
                value = None if right is None else Checker(self).check(right)
                if left is None or left.kind != "identifier" or not isinstance(value, Argument):
                    return False
                name, declared = left.text.decode(), declared_as(by_name(decayed(value.type).unqualified))
                scope.declare(name, LocalVariable(name, NOWHERE, declared, None))
                return True
            case _:
                return False
        for text in copied:
            entity = self._scope.find(text.decode("utf-8", "replace"))
            if isinstance(entity, LocalVariable):
                scope.declare(entity.name, entity)
        return True

    def _closure(self, closure: Closure) -> QualType | None:
        """The class of a lambda; None in host code, whose lambdas `closures.py` knows."""
        origin = closure.scope.origin
        is_hosts = origin is None or (origin.item.kind is ItemKind.FUNCTION and not origin.item.is_device)
        record = None if is_hosts else closure_class(self._program, closure)
        return None if record is None else self._exact(declared_as(QualType(cpp.ClassType(record.name))))

    # -- members -------------------------------------------------------------------------------------------------

    def member(self, object: Argument, name: Node) -> Checked:
        record = self._record(object.type.type)
        if record is None or name.kind != "field_identifier":
            return None
        text = name.text.decode("utf-8", "replace")
        if lacks(record, text):
            return INVALID
        if not is_public_member(record, text):
            return None
        index = record.field_index(text)
        if index is None:
            entity = record.member(text)
            return None if isinstance(entity, MemberName) else self._entity(entity)
        return self._field(record, index, object)

    def _field(self, record: Record, index: int, object: Argument) -> Checked:
        field = record.fields[index]
        known = field.type_in(object.type)
        type = None if known is None else structured(self._program, known)
        if type is None:
            return None
        if type.is_reference:
            return named(type)
        return Argument(type, part_category(object.category), bits=field.width)

    def method(self, object: Argument, name: Node, arguments: Sequence[Argument]) -> Checked:
        record = self._record(object.type.type)
        if record is None or name.kind not in ("field_identifier", "template_method"):
            return None
        named_by = name.field("name") if name.kind == "template_method" else name
        text = "" if named_by is None else named_by.text.decode("utf-8", "replace")
        if lacks(record, text):
            return INVALID
        if not is_public_member(record, text):
            return None
        index = record.field_index(text)
        if index is not None:
            return INVALID if is_arithmetic(record.fields[index].declared.type) else None
        methods = methods_named(record, text)
        explicit: tuple[TemplateArgument, ...] = ()
        if name.kind == "template_method":
            methods = tuple(filter(is_template, methods))
            explicit = template_arguments(self._scope, name.field("arguments"))
        return self._chosen(methods, explicit, arguments, replace(object, type=by_name(object.type)))

    # -- calls -----------------------------------------------------------------------------------------------------

    def call(self, function: Node, arguments: Sequence[Argument]) -> Checked:
        template = deducible(self._scope, function)
        if template is not None:
            return self._deduced(template, arguments)
        entity = find(self._scope, function)
        if isinstance(entity, TypeTemplate):
            entity = self._program.instantiate_type(entity, ())
        if isinstance(entity, TypeName):
            return self._converted(entity.declared, arguments)
        last = _last_name(function)
        explicit = template_arguments(self._scope, last.field("arguments")) if last is not None else ()
        if last is not None and _name_of(last) == b"declval" and not arguments:
            return self._declared_value(explicit)
        if isinstance(entity, FunctionSet):
            return self._function(entity, function, explicit, arguments)
        callee = self._entity(entity)
        if isinstance(callee, Argument) and isinstance(callee.type.type, cpp.ClassType):
            return self.called_object(callee, arguments)
        return INVALID if isinstance(callee, Argument) and is_no_function(callee) else None

    def called_object(self, object: Argument, arguments: Sequence[Argument]) -> Checked:
        found = self.operator("()", [object, *arguments])
        if not isinstance(found, NoOperator):
            return found
        assert isinstance(object.type.type, cpp.ClassType)
        record = self._record(object.type.type)
        methods = () if record is None else methods_named(record, "operator()")
        is_plain = not any(each.template_parameters or is_required(each) for each in methods)
        others = self.classes.conversion_functions(object.type.type, None)
        has_others = not all(each.is_explicit for each in others)  # to a pointer to a function, perhaps
        return INVALID if record is not None and is_plain and not has_others else None

    def _converted(self, declared: DeclaredType, arguments: Sequence[Argument]) -> Checked:
        """`T(a, b)`: an object of the class; of any other type a value, of which `T()` and `T(a)` may be one."""
        exact = self._exact(declared)
        if exact is None:
            return None
        if isinstance(exact.type, cpp.ClassType | cpp.DeviceType):
            return called(exact)
        return called(exact) if not arguments and _has_values(exact) else None

    def _declared_value(self, explicit: Sequence[TemplateArgument]) -> Checked:
        """`std::declval<T>()`"""
        first = explicit[0] if len(explicit) == 1 else None
        exact = self._exact(first.declared) if isinstance(first, TypeName) else None
        return None if exact is None else called(cpp.reference_to(exact, is_rvalue=True))

    def _deduced(self, template: TypeTemplate, arguments: Sequence[Argument]) -> Checked:
        """`Pair(a, b)`: an object of the class, whose arguments are deduced."""
        found = deduced_class(self._program, template, arguments)
        exact = self._exact(declared_as(QualType(cpp.ClassType(found.name)))) if isinstance(found, StructType) else None
        return None if exact is None else called(exact)

    def _function(
        self,
        entity: FunctionSet,
        function: Node,
        explicit: tuple[TemplateArgument, ...],
        arguments: Sequence[Argument],
    ) -> Checked:
        if entity.builtin is not None and builtin_function(entity.builtin) is not None:
            is_same = not entity.declarations and canonical(entity.builtin) == ("std", "move") and len(arguments) == 1
            return xvalue(arguments[0].type) if is_same else None
        if any(each.has_this for each in entity.declarations):
            return None
        declarations = entity.declarations
        if function.kind == "identifier" and not any(each.owner is not None for each in declarations):
            types = [ir_type(by_name(each.type)) for each in arguments]
            declarations += associated_with(self._program, entity.name, types)
        return self._chosen(declarations, explicit, arguments)

    def _chosen(
        self,
        declarations: Sequence[FunctionDeclaration],
        explicit: tuple[TemplateArgument, ...],
        arguments: Sequence[Argument],
        object: Argument | None = None,
    ) -> Checked:
        found = choose_exactly(self._program, declarations, explicit, arguments, object)
        if isinstance(found, FunctionInstance):
            return self.returned(found)
        is_plain = not any(each.template_parameters or is_required(each) for each in declarations)
        return INVALID if isinstance(found, NoFunction) and is_plain and declarations else None

    def returned(self, instance: FunctionInstance) -> Checked:
        if instance.declaration.node.child("delete_method_clause") is not None:
            return INVALID
        returns = instance.signature.returns
        exact = self._deduced_result(instance) if is_deduced(returns) else self._exact(returns)
        return None if exact is None else called(exact)

    def _deduced_result(self, instance: FunctionInstance) -> QualType | None:
        """What `auto` stands for in front of a function that does nothing but `return e;`."""
        body, declared = instance.declaration.body, instance.signature.returns
        statement = body.children[0] if body is not None and len(body.children) == 1 else None
        known = _DEDUCED.get()
        if statement is None or statement.kind != "return_statement" or len(statement.children) != 2:
            return None
        if declared != DeclaredType(AUTO) or instance.id in known or len(known) > _MOST_DEDUCED:
            return None
        scope = with_parameters(instance.scope, instance.signature.parameters)
        token = _DEDUCED.set(known | {instance.id})
        try:
            found = Checker(ScopeNames(scope)).check(statement.children[1])
        finally:
            _DEDUCED.reset(token)
        return decayed(found.type).unqualified if isinstance(found, Argument) else None

    def operator(self, sign: str, operands: Sequence[Argument]) -> Checked | NoOperator:
        name, first = f"operator{sign}", operands[0]
        methods: Sequence[FunctionDeclaration] = ()
        for operand in operands:
            if isinstance(operand.type.type, cpp.ClassType):
                record = self._record(operand.type.type)
                if record is None:
                    return None
                if operand is first:
                    methods = methods_named(record, name)
        types = [ir_type(by_name(each.type)) for each in operands]
        friends = associated_with(self._program, name, types, in_namespaces=False)
        free = (*friends, *_free_operators(self._program, name))
        by_method: FunctionInstance | NoFunction | None = NoFunction()
        if methods:
            object = replace(first, type=by_name(first.type))
            by_method = choose_exactly(self._program, methods, (), operands[1:], object)
        by_function = choose_exactly(self._program, free, (), operands) if free else NoFunction()
        match by_method, by_function:
            case FunctionInstance(), NoFunction():
                return self.returned(by_method)
            case NoFunction(), FunctionInstance():
                return self.returned(by_function)
            case NoFunction(), NoFunction():
                return None if self._is_rewritten(sign) else NO_OPERATOR
            case _:
                return None

    def _is_rewritten(self, sign: str) -> bool:
        """Whether the comparison may be another operator that is declared, or one with its operands swapped."""
        if sign not in _REWRITTEN:
            return False
        names = ("operator==", "operator!=") if sign in ("==", "!=") else ("operator<=>",)
        return any(self._program.unit.lookup(name) for name in names) or any(
            methods_named(record, name) for record in self._program.records.values() for name in names
        )


def _free_operators(program: Declarations, name: str) -> tuple[FunctionDeclaration, ...]:
    """All that are declared anywhere in the unit, each once."""
    found = list(program.operators(name))
    known = {_parameters(declaration) for declaration in found}
    for item in program.unit.lookup(name):
        if item.kind is ItemKind.FUNCTION and not item.is_definition and item.active and item.owner is None:
            declaration = program.declaration(item, None)
            if declaration is not None and _parameters(declaration) not in known:
                known.add(_parameters(declaration))
                found.append(declaration)
    return tuple(found)


def _parameters(declaration: FunctionDeclaration) -> tuple[object, ...]:
    return tuple(
        parameter.declared.exact or parameter.declared for parameter in generic_signature(declaration).parameters
    )


_REWRITTEN: Final = frozenset({"==", "!=", "<", ">", "<=", ">="})


def _last_name(function: Node) -> Node | None:
    """The component of a qualified name in which template arguments are written."""
    node: Node | None = function
    while node is not None and node.kind == "qualified_identifier":
        node = node.field("name")
    return node if node is not None and node.kind == "template_function" else None


def _name_of(node: Node) -> bytes:
    name = node.field("name")
    return b"" if name is None else name.text


def _has_values(type: QualType) -> bool:
    """Whether `T()` is a value: of numbers, enumerations and pointers."""
    is_void = isinstance(type.type, cpp.FundamentalType) and type.type.kind is Fundamental.VOID
    scalars = cpp.FundamentalType | cpp.EnumerationType | cpp.PointerType | cpp.MemberPointerType
    return isinstance(type.type, scalars) and not is_void


def lacks(record: Record, name: str) -> bool:
    """Whether neither the class nor a base declares the name; members without one are looked into."""
    if record.field_index(name) is not None or name == record.simple_name:
        return False
    return record.member(name) is None and not methods_named(record, name)


def complete_record(record: Record | None) -> Record | None:
    """The class, if all of its members are known."""
    if record is None or record.is_guess or record.has_unknown_base or is_library(record.item):
        return None
    return None if record.node.field("body") is None or record.node.has_error else record


def is_public(record: Record) -> bool:
    """Whether nothing in the class, or in a base, is private."""
    body = record.node.field("body")
    specifiers = [child.text for child in body.children if child.kind == "access_specifier"] if body is not None else []
    is_open = record.node.kind != "class_specifier" or specifiers[:1] == [b"public"]
    is_open = is_open and not any(each.strip(b": ") in (b"private", b"protected") for each in specifiers)
    clause = record.node.child("base_class_clause")
    is_open = is_open and (clause is None or (b"private" not in clause.text and b"protected" not in clause.text))
    return is_open and all(is_public(base) for base, _ in record.bases)


def is_public_member(record: Record, name: str) -> bool:
    """Whether a member of that name can be named from anywhere: of a class with bases, where nothing is private."""
    if is_public(record):
        return True
    body = record.node.field("body")
    if body is None or record.bases:
        return False
    is_open, found, text = record.node.kind != "class_specifier", False, name.encode("utf-8", "replace")
    for child in body.children:
        if child.kind == "access_specifier":
            is_open = child.text.strip(b": ") == b"public"
        elif any(each.role == "declarator" and each.text == text for each in child.walk()):
            if not is_open:
                return False
            found = True
    return found


# -- types that need it ------------------------------------------------------------------------------------------------


def named_type(scope: Scope, node: Node) -> DeclaredType:
    """The type that a name, an instance of a template, `typename T::name` or a `decltype` means."""
    match node.kind:
        case "decltype":
            return _decltype(scope, node)
        case "dependent_type":
            return _dependent(scope, node)
        case _:
            return type_of_name(scope, node)


def _decltype(scope: Scope, node: Node) -> DeclaredType:
    """`decltype(e)`: the declared type of a name or member, the type of any other expression."""
    expression = next((child for child in node.children if child.kind != "decltype"), None)
    if expression is None:
        return DeclaredType(DECLTYPE)
    entity = _declared_entity(scope, expression)
    if entity is not None:
        return entity
    found = checked(scope, expression)
    if isinstance(found, Invalid):
        return DeclaredType(NO_TYPE)
    if found is not None:
        member = _declared_member(scope, expression) if expression.kind == "field_expression" else None
        return member or declared_as(decltype_of(found))
    constant = evaluate(scope, expression)
    return DeclaredType(DECLTYPE if constant is None else constant.type)


def _declared_entity(scope: Scope, node: Node) -> DeclaredType | None:
    """What a name without parentheses is declared as."""
    if node.kind not in _IDENTIFIERS:
        return None
    entity = find(scope, node)
    match entity:
        case LocalVariable(declared=declared, is_binding=is_binding):
            return declared_as(declared.exact.object) if is_binding and declared.exact is not None else declared
        case GlobalVariable(declaration=declaration):
            return declaration.declared
        case ConstantName(type=type, exact=exact):
            return DeclaredType(type, spelled=exact)
        case MemberName(record=record, name=name):
            index = record.field_index(name)
            return None if index is None else record.fields[index].declared
        case _:
            return None


def _declared_member(scope: Scope, node: Node) -> DeclaredType | None:
    """What the class declares the member as, whatever object it is a part of."""
    argument, operator, field = node.field("argument"), node.field("operator"), node.field("field")
    base = None if argument is None else checked(scope, argument)
    if not isinstance(base, Argument) or operator is None or field is None or field.kind != "field_identifier":
        return None
    type = base.type.type
    if operator.kind == "->" and isinstance(type, cpp.PointerType):
        type = type.pointee.type
    record = scope.program.records.get(type.name) if isinstance(type, cpp.ClassType) else None
    complete = complete_record(record)
    index = None if complete is None else complete.field_index(field.text.decode("utf-8", "replace"))
    return None if complete is None or index is None else complete.fields[index].declared


def _dependent(scope: Scope, node: Node) -> DeclaredType:
    """`typename T::name`, of a number or of a complete class that has no such name: there is no such type."""
    return DeclaredType(NO_TYPE) if lacks_type(scope, node) else dependent_type(scope, node)


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
    if not isinstance(type, StructType) or is_dependent(scope.program, type):
        return False
    record = complete_record(scope.program.records.get(type.name))
    return record is not None and lacks(record, name.text.decode("utf-8", "replace"))


# -- sizes -------------------------------------------------------------------------------------------------------------


def size_of(scope: Scope, node: Node) -> ConstantName | None:
    """`sizeof e` of an expression, which is not evaluated; of a type, what the type says."""
    value, type = node.field("value"), node.field("type")
    if type is not None and len(type.children) == 1:  # an enumerator, say, parses as a type
        value = type.children[0]
    while value is not None and value.kind == "parenthesized_expression" and len(value.children) == 1:
        value = value.children[0]
    if value is None or is_pack_size(node) or (value.kind in _MAYBE_TYPES and _is_type(find(scope, value))):
        return size_constant(scope, node)
    if type is not None and value.kind not in _MAYBE_TYPES:
        return size_constant(scope, node)
    found = checked(scope, value)
    if not isinstance(found, Argument):
        return None
    size = size_and_alignment(ir_type(found.type), scope.program.layouts)[0]
    return None if size is None else ConstantName(size, ir_type(SIZE), SIZE)


def _is_type(entity: Entity | None) -> bool:
    return entity is None or isinstance(entity, TypeName | TypeTemplate | DependentName)


_MAYBE_TYPES: Final = frozenset({"identifier", "qualified_identifier", "template_function", "type_identifier"})
