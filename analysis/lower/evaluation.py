"""What the machine of `analysis/cpp/constants` asks: names, types, classes and functions of the unit, as C++ types.

Rules   A scope answers for what stands in it (`ScopeNames`).  Variables of functions that the machine runs are declared
        in scopes of their own, so that types in the function's text may depend on them.
        A function may be run where its declaration says `constexpr` or `consteval`, and nothing in its text is unclear.
Limits  Classes with destructors, unions, anonymous members, and constructors that are inherited are not known.
        What one evaluation causes (the bound of a local array) shares its budget.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Final, final

from analysis.cpp.constants import machine
from analysis.cpp.constants.budget import Budget
from analysis.cpp.constants.program import (
    Callee,
    Capture,
    ClassShape,
    Declarator,
    Field,
    FieldName,
    FunctionNames,
    KnownName,
    LocalName,
    Meaning,
    Names,
    Parameter,
    Passed,
    StaticName,
    TypeMeant,
)
from analysis.cpp.constants.values import Aggregate, Frozen, Number
from analysis.cpp.conversions.implicit import implicit_conversion
from analysis.cpp.conversions.model import Argument as CppArgument
from analysis.cpp.conversions.model import UserConversion
from analysis.cpp.types import model as cpp
from analysis.cpp.types.model import CLOSURE, ClassType, DeviceType, QualType, qualified
from analysis.ir import types as ir
from analysis.ir.ids import SymbolId
from analysis.lower.associated import associated_with
from analysis.lower.class_deduction import deduced_class, deducible
from analysis.lower.class_knowledge import RecordClasses
from analysis.lower.closure_classes import closure_class
from analysis.lower.constant_values import Constant, ConstantName, ConstantObject
from analysis.lower.constants import declared_object, entity_constant, literal
from analysis.lower.copies import assignment_operator, copy_constructor, copy_runs_code, part_with_assignment
from analysis.lower.cpp_types import ir_type, of_library
from analysis.lower.exact_arguments import named, structured
from analysis.lower.expression_types import size_of
from analysis.lower.functions import (
    generic_signature,
    instantiate,
    is_for_constants,
    is_guess,
    is_mutable,
    pack_names,
    parameter_list,
    read_parameters,
)
from analysis.lower.inlining import declare_packs
from analysis.lower.layouts import size_and_alignment
from analysis.lower.lookup import constant_object, find, functions_named, template_arguments
from analysis.lower.names import (
    AUTO,
    DECLTYPE,
    DECLTYPE_AUTO,
    BuiltinName,
    Closure,
    DeclaredType,
    Entity,
    FunctionDeclaration,
    FunctionInstance,
    FunctionSet,
    GlobalVariable,
    LambdaName,
    LocalVariable,
    MemberName,
    ParameterDeclaration,
    Record,
    Scope,
    TemplateArgument,
    TypeName,
    TypeTemplate,
    declared_as,
)
from analysis.lower.overloads import UNKNOWN, choose_for
from analysis.lower.packs import EXPANSION, element_of, expanded, fold
from analysis.lower.records import (
    has_defaulted_constructor,
    has_destructor,
    has_virtual_base,
    methods_named,
    written_constructors,
)
from analysis.lower.requirements import all_hold
from analysis.lower.requires_expressions import requirement_constant
from analysis.lower.strings import STRINGS, string_bytes
from analysis.lower.types import base_type, declare, descriptor_type, resolve_type, specifier_words
from analysis.syntax.tree import Node

_BUDGET: ContextVar[Budget | None] = ContextVar("budget", default=None)
_NOWHERE: Final = SymbolId(-1)


def evaluate(scope: Scope, node: Node, *, is_required: bool = True) -> Constant | None:
    """The value of a constant expression; `is_required`: whether it stands where the program must have one."""
    with _budget() as budget:
        return _constant(machine.evaluated(ScopeNames(scope), node, budget, is_required=is_required))


def closure_constant(scope: Scope, node: Node) -> ConstantObject | None:
    """The object of a lambda that captures nothing, which may be a template argument."""
    captures, origin = node.field("captures"), scope.origin
    if origin is None or captures is None or captures.children:
        return None
    record = closure_class(scope.program, Closure(node, scope.inside(), origin.snippet, None, None, None))
    return None if record is None or record.fields else ConstantObject(record.type, ())


def initial_constant(scope: Scope, declared: DeclaredType, value: Node | None) -> Constant | None:
    """What a constant holds that `value` initialises; as `T x{}` without any."""
    type = _type(declared)
    if type is None:
        return None
    with _budget() as budget:
        return _constant(machine.initialised(ScopeNames(scope), type, value, budget))


@contextmanager
def _budget() -> Generator[Budget]:
    known = _BUDGET.get()
    if known is not None:
        yield known
        return
    token = _BUDGET.set(budget := Budget())
    try:
        yield budget
    finally:
        _BUDGET.reset(token)


# -- constants and types, here and there -------------------------------------------------------------------------------


def _constant(known: Frozen | None) -> Constant | None:
    match known:
        case None:
            return None
        case Number(value=value, type=type, is_guess=is_guess):
            return ConstantName(value, ir_type(type), None if is_guess else type)
        case Aggregate(type=type, members=members):
            return ConstantObject(ir_type(type), tuple(map(_constant, members)))


def _frozen(known: Constant | None) -> Frozen | None:
    match known:
        case None:
            return None
        case ConstantName(value=value, type=type, exact=exact):
            if exact is not None:
                return Number(value, named(exact))
            guess = _guessed(type)
            return None if guess is None else Number(value, guess, is_guess=True)
        case ConstantObject(type=type, members=members):
            guess = _guessed(type)
            return None if guess is None else Aggregate(guess, tuple(map(_frozen, members)))


def _guessed(type: ir.Type) -> QualType | None:
    """A C++ type that is stored so: `int` may be an enumeration, and `long` a `long long`."""
    match type:
        case ir.ArrayType(element=element, length=length):
            inner = _guessed(element)
            return None if inner is None else QualType(cpp.ArrayType(inner, length))
        case ir.PointerType(element=element):
            inner = _guessed(element)
            return None if inner is None else cpp.pointer_to(inner)
        case ir.VectorType():
            return QualType(DeviceType(type))
        case _:
            known = of_library(type)
            return _LONG.get(type) if known is None else known


def _type(declared: DeclaredType) -> QualType | None:
    """The C++ type of a declared name, with a placeholder for `auto`."""
    exact = declared.exact
    if exact is not None:
        return named(exact) if _is_known(exact) else None
    placeholder = _placeholder(declared.type)
    if placeholder is None:
        return None
    placeholder = qualified(placeholder, constant=declared.is_constant, volatile=declared.is_volatile)
    return cpp.reference_to(placeholder, is_rvalue=declared.is_rvalue) if declared.is_reference else placeholder


def _placeholder(type: ir.Type) -> QualType | None:
    if isinstance(type, ir.PointerType):
        inner = _placeholder(type.element)
        return None if inner is None else cpp.pointer_to(inner)
    kind = _PLACEHOLDERS.get(type)
    return None if kind is None else QualType(cpp.PlaceholderType(kind))


def _is_known(type: QualType) -> bool:
    match type.type:
        case cpp.DependentType() | cpp.OpaqueType():
            return False
        case cpp.PointerType(pointee=inner) | cpp.ReferenceType(referred=inner) | cpp.ArrayType(element=inner):
            return _is_known(inner)
        case _:
            return True


@final
class ScopeNames:
    """A scope, as the machine asks it."""

    __slots__ = ("scope",)

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def inside(self) -> ScopeNames:
        return ScopeNames(self.scope.inside())

    # -- names --------------------------------------------------------------------------------------------------------

    def find(self, node: Node) -> Meaning | None:
        entity = find(self.scope, node)
        if isinstance(entity, FunctionSet):
            named_here = functions_named(self.scope, node)
            return None if named_here is None else replace(_functions(*named_here), builtin=entity.builtin)
        return _meaning(entity)

    def declare(self, name: str, type: QualType, known: Frozen | None, closure: object | None = None) -> object:
        if isinstance(closure, Closure):
            handle = replace(closure)
            self.scope.declare(name, LambdaName(handle))
            return handle
        variable = LocalVariable(name, _NOWHERE, declared_as(type), None)
        constant = _constant(known)
        if isinstance(constant, ConstantName):
            variable.constant = constant.value
        self.scope.declare(name, variable)
        return variable

    def declare_type(self, node: Node) -> None:
        if node.kind in ("alias_declaration", "type_definition"):
            self.scope.program.declare_alias(self.scope, node)
        else:
            resolve_type(self.scope, node)

    def declare_packs(self, callee: Callee) -> None:
        if isinstance(callee.handle, FunctionInstance):
            packs = pack_names(parameter_list(callee.handle.declaration.declarator))
            if packs:
                declare_packs(self.scope, packs, callee.handle.signature.parameters)

    def constant(self, node: Node) -> Frozen | None:
        return _frozen(literal(node) or _needing_nothing(self.scope, node))

    def text(self, node: Node) -> bytes | None:
        is_plain = node.kind in STRINGS and all(child.text[:1] in b'"R' for child in _literals(node))
        return string_bytes(node) if is_plain else None

    def expanded(self, nodes: Sequence[Node]) -> Sequence[Node] | None:
        found = expanded(self.scope, nodes)
        return None if any(node.kind == EXPANSION for node in found) else found

    def element(self, node: Node) -> tuple[Names, Node]:
        scope, pattern = element_of(self.scope, node)
        return ScopeNames(scope), pattern

    def folded(self, node: Node) -> Node | Frozen | None:
        found = fold(self.scope, node)
        return found if isinstance(found, Node) else _frozen(found)

    # -- types --------------------------------------------------------------------------------------------------------

    def is_type(self, node: Node) -> bool:
        if node.kind in _TYPES:
            return True
        return node.kind in _NAMES and isinstance(find(self.scope, node), TypeName | TypeTemplate)

    def type_at(self, node: Node) -> QualType | None:
        is_descriptor = node.kind == "type_descriptor"
        return _type(descriptor_type(self.scope, node) if is_descriptor else resolve_type(self.scope, node))

    def declarators(self, node: Node) -> Sequence[Declarator]:
        words = specifier_words(node)
        is_static = not words.isdisjoint(_STATIC) and "constexpr" not in words
        base = base_type(self.scope, node, words)
        found: list[Declarator] = []
        for declarator in node.fields("declarator"):
            value = declarator.field("value") if declarator.kind == "init_declarator" else None
            inner = declarator.field("declarator") if declarator.kind == "init_declarator" else declarator
            whole = declare(self.scope, base, inner)
            type = None if is_static else _type(whole.declared)
            bindings = tuple(each.text.decode("utf-8", "replace") for each in whole.bindings)
            if whole.name is None and not bindings:
                type = None
            name = "" if whole.name is None else whole.name.text.decode("utf-8", "replace")
            template = None if is_static or deducible(self.scope, node.field("type")) is None else node.field("type")
            type = type if template is None else None
            found.append(Declarator(name, type, value, bindings, template))
        return found

    def element_type(self, type: QualType) -> tuple[QualType, int] | None:
        object = type.type.object if isinstance(type.type, DeviceType) else None
        element = _guessed(object.element) if isinstance(object, ir.VectorType) else None
        return None if element is None or not isinstance(object, ir.VectorType) else (element, object.length)

    def size_of(self, type: QualType) -> Frozen | None:
        return _frozen(_size(self.scope, type))

    def class_of(self, type: ClassType) -> ClassShape | None:
        record = self._record(type)
        return None if record is None else _shape(record)

    def _record(self, type: ClassType) -> Record | None:
        return self.scope.program.records.get(type.name)

    def member(self, type: ClassType, node: Node) -> Meaning | None:
        record = self._record(type)
        if record is None:
            return None
        if node.kind == "qualified_identifier":
            entity = find(record.scope, node)
            return _functions(entity.declarations, ()) if isinstance(entity, FunctionSet) else _meaning(entity)
        explicit: tuple[TemplateArgument, ...] = ()
        name: Node | None = node
        if node.kind in ("template_method", "dependent_name"):
            inner = node if node.kind == "template_method" else node.children[-1]
            if inner.kind != "template_method":
                return None
            explicit, name = _explicit(self.scope, inner), inner.field("name")
        if name is None:
            return None
        text = name.text.decode("utf-8", "replace")
        methods = methods_named(record, text)
        return _functions(methods, explicit) if methods else _meaning(record.member(text))

    # -- functions ----------------------------------------------------------------------------------------------------

    def constructors(self, type: ClassType) -> FunctionNames | None:
        record = self._record(type)
        found = () if record is None else tuple(written_constructors(record))
        return _functions(found, ()) if found else None

    def operators(
        self, spelling: str, operands: Sequence[QualType]
    ) -> tuple[FunctionNames | None, FunctionNames | None]:
        name = f"operator{spelling}"
        owner = operands[0].type
        record = self._record(owner) if isinstance(owner, ClassType) else None
        own = () if record is None else methods_named(record, name)
        methods = tuple(each for each in own if each.has_this)
        free = [each for each in own if not each.has_this]
        if spelling not in _MEMBERS_ONLY:
            for operand in operands[1:]:
                other = self._record(operand.type) if isinstance(operand.type, ClassType) else None
                found = () if other is None else methods_named(other, name)
                free += [each for each in found if not each.has_this]
            free += self.scope.program.operators(name)
            types = [ir_type(each) for each in operands]
            free += associated_with(self.scope.program, name, types, in_namespaces=False)
        functions = tuple(dict.fromkeys(free))
        return (_functions(methods, ()) if methods else None), (_functions(functions, ()) if functions else None)

    def explicit_truth(self, type: ClassType) -> FunctionNames | None:
        record = self._record(type)
        found = () if record is None else methods_named(record, "operator bool")
        return _functions(found, ()) if found else None

    def associated(
        self, node: Node, functions: FunctionNames | None, types: Sequence[QualType]
    ) -> FunctionNames | None:
        known = functions.handle if functions is not None else None
        if node.kind != "identifier" or (functions is not None and functions.has_methods):
            return functions
        found = associated_with(self.scope.program, node.text.decode("utf-8", "replace"), list(map(ir_type, types)))
        if isinstance(known, _Functions):
            return _functions(tuple(dict.fromkeys((*known.declarations, *found))), known.explicit)
        return _functions(found, ()) if found else None

    def deduced_class(self, node: Node, arguments: Sequence[Passed]) -> QualType | None:
        template = deducible(self.scope, node)
        if template is None or any(each.argument is None or each.is_guess for each in arguments):
            return None
        found = deduced_class(self.scope.program, template, list(map(_argument, arguments)))
        return QualType(ClassType(found.name)) if isinstance(found, ir.StructType) else None

    def choose(
        self, functions: FunctionNames, arguments: Sequence[Passed], object: CppArgument | None
    ) -> Callee | None:
        assert isinstance(functions.handle, _Functions)
        program = self.scope.program
        given = [_argument(each) for each in arguments]
        declarations = functions.handle.declarations
        if object is not None and len(declarations) > 1:
            declarations = _fitting(declarations, is_constant=object.type.is_constant)
        choice = choose_for(program, declarations, functions.handle.explicit, given, object)
        if choice is None or choice.rivals or not choice.is_certain:
            return None
        return _callee(choice.instance)

    def conversion(self, argument: CppArgument, target: QualType) -> tuple[Callee, bool] | None:
        program = self.scope.program
        source, wanted = structured(program, argument.type), structured(program, target)
        if source is None or wanted is None:
            return None
        found = implicit_conversion(RecordClasses(program), replace(argument, type=source), wanted)
        function = found.function if isinstance(found, UserConversion) else None
        if not isinstance(function, FunctionDeclaration) or function.template_parameters:
            return None
        return _callee(instantiate(function, {})), function.is_constructor

    # -- lambdas ------------------------------------------------------------------------------------------------------

    def closure(self, node: Node) -> tuple[object, Sequence[Capture], bool] | None:
        origin, body = self.scope.origin, node.field("body")
        if origin is None or body is None or node.has_error or node.field("template_parameters") is not None:
            return None
        captures = _captures(node, body)
        handle = Closure(node, self.scope, origin.snippet, None, None, None)
        return None if captures is None else (handle, captures, is_mutable(node))

    def closure_names(self, handle: object) -> Names:
        assert isinstance(handle, Closure)
        return ScopeNames(handle.scope.inside())

    def closure_body(self, handle: object, names: Names) -> Callee | None:
        assert isinstance(handle, Closure)
        assert isinstance(names, ScopeNames)
        declarator = handle.node.field("declarator")
        parameters, is_variadic = read_parameters(
            names.scope, None if declarator is None else parameter_list(declarator)
        )
        if is_variadic or any(each.is_pack for each in parameters):
            return None
        trailing = None if declarator is None else declarator.child("trailing_return_type")
        returns = None
        if trailing is not None:
            returns = _type(descriptor_type(names.scope, trailing.children[0]))
            if returns is None:
                return None
        body = handle.node.field("body")
        return Callee(handle, names, _parameters(parameters), returns, body, None, None, False, True, True, False)


# -- functions ---------------------------------------------------------------------------------------------------------


@final
class _Functions:
    """Functions of one name, and the template arguments behind it."""

    __slots__ = ("declarations", "explicit")

    def __init__(self, declarations: Sequence[FunctionDeclaration], explicit: tuple[TemplateArgument, ...]) -> None:
        self.declarations = declarations
        self.explicit = explicit


def _functions(declarations: Sequence[FunctionDeclaration], explicit: tuple[TemplateArgument, ...]) -> FunctionNames:
    return FunctionNames(
        _Functions(declarations, explicit),
        any(map(_is_constexpr, declarations)),
        any(each.has_this for each in declarations),
    )


def _fitting(declarations: Sequence[FunctionDeclaration], *, is_constant: bool) -> Sequence[FunctionDeclaration]:
    """Without the methods that the object's `const` rules out, of which others with the same parameters are better."""
    methods = [each for each in declarations if each.has_this]
    if is_constant:
        return [each for each in declarations if not each.has_this or is_for_constants(each)]
    plain = {_parameters_text(each) for each in methods if not is_for_constants(each)}
    return [
        each
        for each in declarations
        if not each.has_this or not is_for_constants(each) or _parameters_text(each) not in plain
    ]


def _parameters_text(declaration: FunctionDeclaration) -> tuple[object, bytes]:
    listed = parameter_list(declaration.declarator)
    reference = declaration.declarator.child("ref_qualifier")
    text = b"" if listed is None else b"".join(listed.text.split())
    return declaration.owner, text + (b"" if reference is None else reference.text)


def _is_constexpr(declaration: FunctionDeclaration) -> bool:
    """Methods of local classes have no item of their own."""
    return declaration.item.is_constexpr or not _CONSTEXPR.isdisjoint(specifier_words(declaration.node))


def _callee(instance: FunctionInstance) -> Callee:
    declaration, signature = instance.declaration, instance.signature
    owner = declaration.owner
    parameters = signature.parameters
    body = declaration.body
    is_known = body is not None and body.kind == "compound_statement" and not is_guess(declaration)
    is_known = is_known and not any(each.is_pack for each in parameters)
    return Callee(
        instance,
        ScopeNames(instance.scope),
        _parameters(parameters),
        _type(signature.returns) or QualType(cpp.OpaqueType("?")),
        body,
        declaration.node.child("field_initializer_list"),
        None if owner is None else ClassType(owner.name),
        declaration.has_this,
        is_for_constants(declaration),
        is_known and _is_constexpr(declaration),
        declaration.is_virtual or _may_override(declaration),
        declaration.node.child("default_method_clause") is not None,
        signature.is_variadic,
    )


def _may_override(declaration: FunctionDeclaration) -> bool:
    """Whether a base declares a virtual method of that name."""
    owner = declaration.owner
    bases = [] if owner is None else [base for base, _ in owner.bases]
    return any(
        method.is_virtual or _may_override(method) for base in bases for method in methods_named(base, declaration.name)
    )


def _parameters(parameters: Sequence[ParameterDeclaration]) -> tuple[Parameter, ...]:
    return tuple(
        [Parameter(one.name, _type(one.declared), one.default, one.declared.is_reference) for one in parameters]
    )


def _argument(passed: Passed) -> CppArgument:
    """What overload choice knows of the argument."""
    if isinstance(passed.closure, Closure):
        return CppArgument(QualType(CLOSURE))
    given = passed.argument
    if given is None:
        return UNKNOWN
    return replace(given, is_assumed=passed.is_guess)


def _explicit(scope: Scope, node: Node) -> tuple[TemplateArgument, ...]:
    return template_arguments(scope, node.field("arguments"))


def _captures(node: Node, body: Node) -> list[Capture] | None:
    """What a lambda copies, and what its captures initialise; None for what is not understood."""
    listed = node.field("captures")
    found: list[Capture] = []
    by_reference: set[str] = set()
    copies_all = False
    for child in () if listed is None else listed.children:
        before = child.source[: child.start].rstrip()
        text = child.text.decode("utf-8", "replace")
        match child.kind:
            case "lambda_default_capture":
                copies_all = child.text.strip() == b"="
            case "identifier" if before.endswith(b"&"):
                by_reference.add(text)
            case "identifier":
                found.append(Capture(text, False, None))
            case "this" if not before.endswith(b"*"):
                pass
            case "lambda_capture_initializer":
                left, right = child.field("left"), child.field("right")
                if left is None or right is None:
                    return None
                name = left.text.decode("utf-8", "replace")
                is_reference = before.endswith(b"&") or "&" in child.text.decode("utf-8", "replace").partition("=")[0]
                found.append(Capture(name.lstrip("& \t\n"), is_reference, right))
            case _:
                return None
    if copies_all:
        known = by_reference | {one.name for one in found}
        names = dict.fromkeys(one.text.decode("utf-8", "replace") for one in body.walk() if one.kind == "identifier")
        found += [Capture(name, False, None) for name in names if name not in known]
    return found


# -- names -------------------------------------------------------------------------------------------------------------


def _meaning(entity: Entity | None) -> Meaning | None:
    match entity:
        case LocalVariable():
            known = _frozen(entity_constant(entity) or entity.object)
            return LocalName(entity, _type(entity.declared), known)
        case LambdaName(closure=closure):
            captures = closure.node.field("captures")
            is_plain = captures is not None and not captures.children
            return LocalName(closure, None, None, (ScopeNames(closure.scope), closure.node) if is_plain else None)
        case ConstantName():
            known = _frozen(entity)
            is_object = entity.exact is not None and entity.exact.is_constant
            return None if known is None else KnownName(known, is_object)
        case ConstantObject():
            known = _frozen(entity)
            return None if known is None else KnownName(known, True)
        case GlobalVariable():
            return _global(entity)
        case MemberName(name=name):
            return FieldName(name)
        case FunctionSet(declarations=declarations):
            return _functions(declarations, ())
        case TypeName(declared=declared):
            type = _type(declared)
            return None if type is None else TypeMeant(type)
        case BuiltinName():
            known = _frozen(entity_constant(entity))
            return None if known is None else KnownName(known, False)
        case _:
            return None


def _global(variable: GlobalVariable) -> Meaning | None:
    declaration = variable.declaration
    type = _type(declaration.declared)
    known = _frozen(declaration.constant or declared_object(declaration))
    if declaration.is_constexpr and declaration.value is not None and not _is_whole(known):
        known = None  # pointers and references among its members are made again
    if type is None:
        return None if known is None else KnownName(known, False)
    value = declaration.value if declaration.is_constexpr else None
    return StaticName(declaration, type, known, value, ScopeNames(declaration.scope))


def _is_whole(known: Frozen | None) -> bool:
    match known:
        case Aggregate(members=members):
            return all(map(_is_whole, members))
        case _:
            return known is not None


def _shape(record: Record) -> ClassShape | None:
    """The class as the machine makes its objects; None where something about that is not known."""
    if record.is_guess or record.is_union or record.has_unknown_base or record.inherited or has_destructor(record):
        return None
    if record.node.field("body") is None or any(not one.name or one.is_class_number for one in record.fields):
        return None
    constructors = written_constructors(record)
    if any(map(_takes_anything, constructors)) or has_virtual_base(record):
        return None
    fields = [Field(one.name, _type(one.declared), one.default, one.width, one.is_mutable) for one in record.fields]
    is_copied = copy_runs_code(record) or any(_takes_own(record, one) for one in constructors)
    return ClassShape(
        ClassType(record.name),
        tuple(fields),
        tuple((ClassType(base.name), start) for base, start in record.bases),
        record.own_fields,
        ScopeNames(record.scope.inside()),
        bool(constructors),
        has_defaulted_constructor(record),
        is_copied or copy_constructor(record) is not None,
        assignment_operator(record) is not None or part_with_assignment(record) is not None,
    )


def _takes_own(record: Record, constructor: FunctionDeclaration) -> bool:
    """Whether it is a copy or move constructor."""
    parameters = generic_signature(constructor).parameters
    return len(parameters) >= 1 and parameters[0].declared.type == record.type and parameters[0].declared.is_reference


def _takes_anything(constructor: FunctionDeclaration) -> bool:
    """Whether it is a template that may fit an object of the class better than its copy constructor."""
    parameters = generic_signature(constructor).parameters
    first = parameters[0].declared if constructor.template_parameters and parameters else None
    return first is not None and first.is_reference and not first.is_constant


def _literals(node: Node) -> Iterator[Node]:
    if node.kind == "concatenated_string":
        for child in node.children:
            yield from _literals(child)
    else:
        yield node


# -- what needs nothing to run -----------------------------------------------------------------------------------------


def _needing_nothing(scope: Scope, node: Node) -> ConstantName | None:
    match node.kind:
        case "sizeof_expression" | "alignof_expression":
            return size_of(scope, node)
        case "requires_expression":
            return requirement_constant(scope, node)
        case "null":
            return ConstantName(0, ir.U64, cpp.NULL_POINTER)
        case "constraint_conjunction" | "constraint_disjunction":
            return _combined(scope, node, decisive=node.kind == "constraint_disjunction")
        case "compound_literal_expression":
            type = node.field("type")
            return None if type is None else constant_object(scope, type)
        case "call_expression":
            function = node.field("function")
            return None if function is None else constant_object(scope, function)
        case _:
            return entity_constant(find(scope, node)) if node.kind in _NAMES else None


def _combined(scope: Scope, node: Node, *, decisive: bool) -> ConstantName | None:
    """`A<T> && B<T>` in a requirement: one side that is `decisive` decides, the other need not be known."""
    values = [evaluate(scope, child) for child in node.children if child.kind not in _BETWEEN_CONSTRAINTS]
    numbers = [value if isinstance(value, ConstantName) else None for value in values]
    answers = [None if each is None else bool(each.value) is not decisive for each in numbers]
    answer = all_hold(answers)
    return None if answer is None else ConstantName(answer is not decisive, ir.BOOLEAN, cpp.BOOL)


def _size(scope: Scope, type: QualType) -> ConstantName | None:
    size, _ = size_and_alignment(ir_type(type), scope.program.layouts)
    return None if size is None else ConstantName(size, ir.U64, cpp.SIZE)


_LONG: Final[dict[ir.Type, QualType]] = {
    ir.S64: cpp.fundamental(cpp.Fundamental.LONG),
    ir.U64: cpp.fundamental(cpp.Fundamental.UNSIGNED_LONG),
}
_PLACEHOLDERS: Final[dict[ir.Type, cpp.Placeholder]] = {
    AUTO: cpp.Placeholder.AUTO,
    DECLTYPE_AUTO: cpp.Placeholder.DECLTYPE_AUTO,
    DECLTYPE: cpp.Placeholder.DECLTYPE_AUTO,
}
_BETWEEN_CONSTRAINTS: Final = frozenset({"&&", "||", "and", "or", "(", ")"})
"""The grammar puts the brackets around an operand beside it."""
_CONSTEXPR: Final = frozenset({"constexpr", "consteval"})
_STATIC: Final = frozenset({"static", "thread_local", "extern", "__shared__"})
_MEMBERS_ONLY: Final = frozenset({"=", "[]", "()", "->"})
_TYPES: Final = frozenset({"primitive_type", "sized_type_specifier", "decltype", "dependent_type"})
_NAMES: Final = frozenset(
    {"identifier", "type_identifier", "qualified_identifier", "template_function", "template_type", "dependent_name"}
)
