"""Declaration specifiers and declarators to types.

Rules   Pointers that the source spells are GENERIC; where they point is found out later, or is known to the caller
        (kernel parameters).  A pointer to a function, or to a member, is a handle.
        What depends on a template parameter is a `TemplateType`, what is not visible an `UnknownType`.
        What a name, an instance of a template or a `decltype` means is asked of the program.
Limits  `decltype` of anything but a name is not computed: the type is `auto`, which takes the initialiser's type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias, final

from analysis.cpp.conversions.standard import decayed
from analysis.cpp.types import arithmetic, spelling
from analysis.cpp.types import model as cpp
from analysis.cpp.types.model import EnumerationType, Fundamental, FundamentalType, QualType, fundamental
from analysis.ir.pace import paced, spend
from analysis.ir.record import record
from analysis.ir.types import (
    F64,
    S32,
    ArrayType,
    HandleType,
    MemorySpace,
    PointerType,
    StructType,
    TemplateType,
    Type,
    UnknownType,
)
from analysis.lower.constant_values import Constant, ConstantObject
from analysis.lower.constants import constant_integer
from analysis.lower.cpp_types import BY_NAME, METHOD_POINTER, assumed, ir_type
from analysis.lower.cpp_types import FUNCTION_POINTER as FUNCTION_POINTER
from analysis.lower.names import (
    AUTO,
    DECLTYPE_AUTO,
    ArgumentPack,
    ConstantName,
    DeclaredType,
    DependentName,
    Entity,
    GlobalVariable,
    PackPattern,
    Scope,
    TemplateArgument,
    TemplateValue,
    TypeName,
    VariableAddress,
)
from analysis.lower.packs import element_scope, pack_length
from analysis.syntax.tree import Node

NO_TYPE: Final = UnknownType("no type")
"""What `enable_if` names where its condition is false."""


@final
@record
class Declarator:
    """What one declarator declares: `name` is None for an unnamed parameter."""

    name: Node | None
    declared: DeclaredType
    bindings: tuple[Node, ...] = ()
    """The names of a structured binding."""


def specifier_words(node: Node) -> frozenset[str]:
    """The keywords before the declarator: `const`, `static`, `__shared__`, `extern`."""
    words: list[str] = []
    for child in node.children:
        if child.role is None:
            kind = child.kind
            if kind in _WORD_HOLDERS:
                words.extend(grandchild.kind for grandchild in child.children)
            else:
                words.append(kind)
        elif child.kind == "sized_type_specifier":  # `unsigned const` is one node
            words.extend(word.kind for each in child.children if each.kind in _WORD_HOLDERS for word in each.children)
    return frozenset(words)


def base_type(scope: Scope, node: Node, words: frozenset[str] | None = None) -> DeclaredType:
    """The type that the specifiers of a declaration, parameter or type descriptor name."""
    type_node = node.field("type")
    if type_node is None:
        for child in node.children:
            if child.role is None and _names_type(child):
                type_node = child
                break
    if type_node is None:
        return DeclaredType(UnknownType(shown(node)))
    declared = resolve_type(scope, type_node)
    if words is None:
        words = specifier_words(node)
    constant = "const" in words or "constexpr" in words
    volatile = "volatile" in words
    if constant or volatile:
        exact = declared.exact
        return DeclaredType(
            declared.type,
            declared.is_reference,
            constant or declared.is_constant,
            volatile or declared.is_volatile,
            spelled=None if exact is None else cpp.qualified(exact, constant=constant, volatile=volatile),
        )
    return declared


def descriptor_type(scope: Scope, node: Node) -> DeclaredType:
    """The type that a `type_descriptor` (a cast's, a template argument's) spells."""
    base = base_type(scope, node)
    declarator = node.field("declarator")
    return base if declarator is None else declared_type(scope, base, declarator)


def declared_type(scope: Scope, base: DeclaredType, declarator: Node) -> DeclaredType:
    """What a declarator makes of a type where it may make a function of it: in an alias or a parameter."""
    return declare_any(scope, base, declarator).declared


def declare_any(scope: Scope, base: DeclaredType, declarator: Node) -> Declarator:
    """The same with the name: as `declare`, where a function may be declared without a pointer to it."""
    whole = declare(scope, base, declarator)
    function = _bare_function(declarator)
    if function is None:
        return whole
    return Declarator(
        whole.name, DeclaredType(FUNCTION_POINTER, spelled=_function_type(scope, whole.declared, function))
    )


def _bare_function(declarator: Node) -> Node | None:
    """The declarator of `int *(float)` or `int *f(float)`, which is a function and no pointer to one."""
    node: Node | None = declarator
    while node is not None:
        inner = node.field("declarator") or _inner(node)
        if node.kind in _FUNCTIONS:
            return node if inner is None or inner.kind in _NAMES else None
        node = inner
    return None


def resolve_type(scope: Scope, node: Node) -> DeclaredType:
    """The type that a type specifier names."""
    handler = _SPECIFIERS.get(node.kind)
    if handler is not None:
        return handler(scope, node)
    is_name = node.kind in _NAMED_TYPES
    return scope.program.named_type(scope, node) if is_name else DeclaredType(UnknownType(shown(node)))


def declare(scope: Scope, base: DeclaredType, declarator: Node | None) -> Declarator:
    """Applies pointers, references, arrays and functions of `declarator`, from outside in."""
    declared, depth = base, 0
    while declarator is not None:
        kind = declarator.kind
        if kind in _POINTERS:
            depth += 1
            spend(depth)  # the types so far are compared again
            words = specifier_words(declarator)
            constant, volatile = "const" in words, "volatile" in words
            exact = declared.exact
            is_function = exact is not None and isinstance(exact.type, cpp.FunctionType)
            stored = PointerType(
                declared.stored, MemorySpace.GENERIC, declared.is_volatile and not declared.is_reference
            )
            if exact is not None:
                exact = None if exact.is_reference else QualType(cpp.PointerType(exact), constant, volatile)
            declared = DeclaredType(
                FUNCTION_POINTER if is_function else stored,
                is_constant=constant,
                is_volatile=volatile,
                spelled=exact,
            )
        elif kind in _REFERENCES:
            is_rvalue = declarator.text.startswith(b"&&") and (declared.is_rvalue or not declared.is_reference)
            exact = declared.exact
            if exact is not None:
                exact = cpp.reference_to(exact, is_rvalue=is_rvalue)
            declared = DeclaredType(
                declared.type, True, declared.is_constant, declared.is_volatile, is_rvalue, spelled=exact
            )
        elif kind in _ARRAYS:
            return _declare_array(scope, declared, declarator)
        elif kind in _FUNCTIONS:
            inner = declarator.field("declarator") or _inner(declarator)
            if inner is not None and inner.kind in _GROUPS:
                function = _function_type(scope, declared, declarator)
                array = _array_of_pointers(inner)
                if array is not None:
                    pointer = None if function is None else QualType(cpp.PointerType(function))
                    return _declare_array(scope, DeclaredType(FUNCTION_POINTER, spelled=pointer), array)
                of_class = next((child for child in inner.children if _member_pointer(child) is not None), None)
                if of_class is not None:
                    return _declare_to_member(scope, function, of_class)
                exact = _to_function(inner, function)
                return Declarator(innermost(inner), DeclaredType(FUNCTION_POINTER, spelled=exact))
        elif _member_pointer(declarator) is not None:
            return _declare_to_member(scope, declared.exact, declarator)
        elif kind == "structured_binding_declarator":
            return Declarator(None, declared, tuple(declarator.children))
        elif kind not in _GROUPS:
            return Declarator(declarator, declared)
        declarator = declarator.field("declarator") or _inner(declarator)
    return Declarator(None, declared)


def _declare_array(scope: Scope, declared: DeclaredType, declarator: Node) -> Declarator:
    """`T name[2][3]` nests outermost-last, so the extents are collected before they are applied."""
    extents: list[int | None] = []
    names: list[str | None] = []
    while True:
        size = declarator.field("size")
        extents.append(None if size is None else constant_integer(scope, size))
        names.append(None if size is None else shown(size))
        inner = declarator.field("declarator") or _inner(declarator)
        if inner is None or inner.kind not in _ARRAYS:
            break
        declarator = inner
    type, exact = declared.stored, declared.exact
    for extent, text in zip(extents, names, strict=True):
        type = ArrayType(type, extent)
        length = text if extent is None else extent
        exact = None if exact is None or exact.is_reference else QualType(cpp.ArrayType(exact, length))
    whole = DeclaredType(type, False, declared.is_constant, declared.is_volatile, spelled=exact)
    if inner is None:
        return Declarator(None, whole)
    return declare(scope, whole, inner)


def _function_type(scope: Scope, result: DeclaredType, declarator: Node) -> QualType | None:
    """The type of a function that is declared so; None where one of its types is not known."""
    listed, returned = declarator.field("parameters"), result.exact
    parameters = None if listed is None or returned is None else parameter_types(scope, listed)
    if listed is None or returned is None or parameters is None:
        return None
    last = listed.children[-1].kind if listed.children else ""
    is_variadic = listed.text.rstrip(b" )").endswith(b"...") and last != _PACK
    is_constant = any(child.text == b"const" for child in declarator.children if child.kind == "type_qualifier")
    expands = last == _PACK and pack_length(scope, listed.children[-1]) is None
    return QualType(cpp.FunctionType(returned, parameters, is_variadic, is_constant, expands))


def parameter_types(scope: Scope, listed: Node) -> tuple[QualType, ...] | None:
    """The types in a parameter list, as those of a function's type; None where one is not known."""
    parameters: list[QualType] = []
    for node in listed.children:
        if node.kind not in _PARAMETERS:
            continue
        length = pack_length(scope, node) if node.kind == _PACK else None
        scopes = [scope] if length is None else [element_scope(scope, node, index) for index in range(length)]
        for each in scopes:
            exact = descriptor_type(each, node).exact
            if exact is None or (node.kind == _PACK and length is None and node is not listed.children[-1]):
                return None
            if exact != cpp.VOID:
                parameters.append(exact if exact.is_reference else decayed(exact).unqualified)
    return tuple(parameters)


def _array_of_pointers(declarator: Node) -> Node | None:
    """The array in `(*name[3])`, whose elements are pointers to the function behind; None for anything else."""
    pointer = _inner(declarator)
    if pointer is None or pointer.kind not in _POINTERS:
        return None
    inner = pointer.field("declarator") or _inner(pointer)
    return inner if inner is not None and inner.kind in _ARRAYS else None


def _to_function(declarator: Node, function: QualType | None) -> QualType | None:
    """What `(*name)` or `(&name)` makes of the function behind it; None for anything else."""
    inner = _inner(declarator)
    if function is None or inner is None or declarator.kind == "variadic_declarator":
        return None
    last = inner.field("declarator") or _inner(inner)
    if last is not None and last.kind not in _NAMES:
        return None
    if inner.kind in _POINTERS:
        words = specifier_words(inner)
        return QualType(cpp.PointerType(function), "const" in words, "volatile" in words)
    if inner.kind in _REFERENCES:
        return cpp.reference_to(function, is_rvalue=inner.text.startswith(b"&&"))
    return None


def _member_pointer(declarator: Node) -> Node | None:
    """The `*name` in `Class::*name`; None for anything else."""
    name = declarator.field("name") if declarator.kind == "qualified_identifier" else None
    return name if name is not None and name.kind == "pointer_type_declarator" else None


def _declare_to_member(scope: Scope, member: QualType | None, declarator: Node) -> Declarator:
    """A pointer to a member of that type, of the class that the declarator names; `Class::*name[3]` is an array."""
    qualifier, pointer = declarator.field("scope"), _member_pointer(declarator)
    owner = None if qualifier is None else resolve_type(scope, qualifier).exact
    words = set[str]() if pointer is None else specifier_words(pointer)
    exact = None
    if member is not None and owner is not None:
        exact = QualType(cpp.MemberPointerType(owner, member), "const" in words, "volatile" in words)
    is_method = member is not None and isinstance(member.type, cpp.FunctionType)
    stored = METHOD_POINTER if is_method else FUNCTION_POINTER
    declared = DeclaredType(stored, is_constant="const" in words, spelled=exact)
    return declare(scope, declared, None if pointer is None else pointer.field("declarator"))


def innermost(declarator: Node) -> Node | None:
    """The name inside a declarator."""
    node: Node | None = declarator
    while node is not None and node.kind not in _NAMES:
        node = node.field("declarator") or _inner(node)
    of_member = None if node is None else _member_pointer(node)
    if of_member is not None:
        inner = of_member.field("declarator")
        return None if inner is None else innermost(inner)
    return node


def _inner(declarator: Node) -> Node | None:
    """The declarator inside `&name` and `(name)`, which the grammar leaves without a field."""
    for child in reversed(declarator.children):
        if child.kind in _DECLARATORS and child.role is None:
            return child
    return None


# -- specifiers ------------------------------------------------------------------------------------------------


def _primitive(scope: Scope, node: Node) -> DeclaredType:
    found = _PRIMITIVES.get(node.text)
    return _named_type(scope, node) if found is None else found


def _sized(scope: Scope, node: Node) -> DeclaredType:
    words = node.text.split()
    if b"double" in words:
        return DeclaredType(F64)
    unsigned = b"unsigned" in words
    if b"char" in words:
        return _fundamental(Fundamental.UNSIGNED_CHAR if unsigned else Fundamental.SIGNED_CHAR)
    if b"short" in words:
        return _fundamental(Fundamental.UNSIGNED_SHORT if unsigned else Fundamental.SHORT)
    if words.count(b"long") > 1:
        return _fundamental(Fundamental.UNSIGNED_LONG_LONG if unsigned else Fundamental.LONG_LONG)
    if b"long" in words:
        return _fundamental(Fundamental.UNSIGNED_LONG if unsigned else Fundamental.LONG)
    inner = node.field("type")
    if inner is not None and inner.kind == "type_identifier":
        return _named_type(scope, inner)
    return _fundamental(Fundamental.UNSIGNED if unsigned else Fundamental.INT)


def _named_type(scope: Scope, node: Node) -> DeclaredType:
    name = node.text.decode("utf-8", "replace")
    return entity_type(scope.find(name), name)


def entity_type(entity: Entity | None, spelling: str) -> DeclaredType:
    """The type an entity names; a class template's own name inside the class is found as `TypeName`."""
    if isinstance(entity, TypeName):
        return entity.declared
    if isinstance(entity, DependentName):
        return DeclaredType(TemplateType(entity.spelling))
    return DeclaredType(UnknownType(spelling))


def _names_type(node: Node) -> bool:
    return node.kind in _SPECIFIERS or node.kind in _NAMED_TYPES


def dependent_type(scope: Scope, node: Node) -> DeclaredType:
    """`typename T::name`"""
    for child in node.children:
        if _names_type(child):
            declared = resolve_type(scope, child)
            if isinstance(declared.type, UnknownType) and declared.type != NO_TYPE:
                return DeclaredType(TemplateType(shown(child)))
            return declared
    return DeclaredType(TemplateType(shown(node)))


def _placeholder(scope: Scope, node: Node) -> DeclaredType:
    return DeclaredType(DECLTYPE_AUTO if node.child("decltype") is not None else AUTO)


def _record(scope: Scope, node: Node) -> DeclaredType:
    """`struct S { ... }` declares S here; `struct S` only names it."""
    if node.field("body") is not None:
        return DeclaredType(scope.program.declare_record(scope, node))
    name = node.field("name")
    return DeclaredType(UnknownType(shown(node))) if name is None else resolve_type(scope, name)


def _enum(scope: Scope, node: Node) -> DeclaredType:
    if node.field("body") is not None:
        return declare_enum(scope, node).declared
    name = node.field("name")
    return DeclaredType(S32) if name is None else resolve_type(scope, name)


def declare_enum(scope: Scope, node: Node) -> TypeName:
    """Declares an enumeration and, unless it is scoped, its enumerators in `scope`."""
    base = node.field("base")
    is_scoped = node.child("class") is not None or node.child("struct") is not None
    exact = _enumeration(scope, node, is_scoped=is_scoped)
    type = S32 if base is None else resolve_type(scope, base).type
    enumerators: dict[str, int | float | bool] = {}
    entity = TypeName(DeclaredType(type, spelled=exact), enumerators)
    name = node.field("name")
    if name is not None:
        scope.declare(name.text.decode("utf-8", "replace"), entity)
    body = node.field("body")
    inside = scope.inside() if is_scoped else scope
    following: int | None = 0
    for enumerator in paced(body.children, 5) if body is not None else ():
        name = enumerator.field("name")
        if enumerator.kind != "enumerator" or name is None:
            continue
        value = enumerator.field("value")
        if value is not None:
            following = constant_integer(inside, value)
        text = name.text.decode("utf-8", "replace")
        if following is None:
            inside.declare(text, TemplateValue(text, type, exact))
            continue
        enumerators[text] = following
        inside.declare(text, ConstantName(following, type, exact))
        following += 1
    return entity


def _enumeration(scope: Scope, node: Node, *, is_scoped: bool) -> QualType | None:
    """The enumeration that `node` declares; None where its underlying type is not known.

    Without a type behind the name the values decide; all but values beyond an `int` are promoted to `int`.
    """
    name, base = node.field("name"), node.field("base")
    prefix = "" if scope.origin is None else f"{scope.origin.prefix}::"
    text = f"enumeration at {node.start}" if name is None else name.text.decode("utf-8", "replace")
    declared = fundamental(Fundamental.INT) if base is None else resolve_type(scope, base).exact
    if declared is None or not isinstance(declared.type, FundamentalType):
        return None
    promoted = arithmetic.promoted(declared).type
    assert isinstance(promoted, FundamentalType)
    return QualType(EnumerationType(prefix + text, declared.type, promoted, is_scoped, base is not None or is_scoped))


# -- spelling ---------------------------------------------------------------------------------------------------


def spelled(type: Type) -> str:
    """A type as names of instances show it."""
    match type:
        case TemplateType(name=name) | HandleType(name=name) | StructType(name=name):
            return name
        case UnknownType(spelling=text):
            return text
        case PointerType(element=element):
            return f"{spelled(element)}*"
        case ArrayType(element=element, length=length):
            return f"{spelled(element)}[{'' if length is None else length}]"
        case _:
            return spelling.spelled(assumed(type))


def spelled_argument(argument: TemplateArgument) -> str:
    if isinstance(argument, TypeName):
        return _spelled_type(argument.declared)
    if isinstance(argument, ConstantName | ConstantObject):
        return _spelled_constant(argument)
    if isinstance(argument, ArgumentPack):
        return ", ".join(map(spelled_argument, argument.elements))
    if isinstance(argument, PackPattern):
        return f"{spelled_argument(argument.element)}..."
    if isinstance(argument, GlobalVariable | VariableAddress):
        sign = "&" if isinstance(argument, VariableAddress) else ""
        return f"{sign}{argument.declaration.name}"
    return argument.name


def _spelled_type(declared: DeclaredType) -> str:
    """The C++ type; `?` marks one that is only known by what it is stored as (`int?` may be an enumeration)."""
    exact = declared.exact
    if exact is not None:
        return spelling.spelled(exact)
    text = f"const {spelled(declared.type)}" if declared.is_constant else spelled(declared.type)
    if declared.is_reference:
        text += "&&" if declared.is_rvalue else "&"
    return text if isinstance(declared.type, UnknownType) else f"{text}?"


def _spelled_constant(constant: Constant | None) -> str:
    match constant:
        case None:
            return "?"
        case ConstantName(value=value, type=type, exact=exact, is_typed=True):
            known = exact or QualType(cpp.OpaqueType(spelled(type)))
            return spelling.spelled_argument(cpp.ValueArgument(value, known, is_typed=True))
        case ConstantName(value=value):
            return str(value).lower() if isinstance(value, bool) else str(value)
        case ConstantObject(type=type, members=members):
            return f"{spelled(type)}{{{', '.join(map(_spelled_constant, members))}}}"


def shown(node: Node) -> str:
    return " ".join(node.text.decode("utf-8", "replace").split())[:80]


_WORD_HOLDERS: Final = frozenset({"type_qualifier", "storage_class_specifier", "explicit_function_specifier"})
_POINTERS: Final = frozenset({"pointer_declarator", "abstract_pointer_declarator"})
_REFERENCES: Final = frozenset({"reference_declarator", "abstract_reference_declarator"})
_ARRAYS: Final = frozenset({"array_declarator", "abstract_array_declarator", "new_declarator"})
_FUNCTIONS: Final = frozenset({"function_declarator", "abstract_function_declarator"})
_PACK: Final = "variadic_parameter_declaration"
_PARAMETERS: Final = frozenset({"parameter_declaration", "optional_parameter_declaration", _PACK})
_GROUPS: Final = frozenset(
    {"variadic_declarator", "parenthesized_declarator", "abstract_parenthesized_declarator", "attributed_declarator"}
)
_NAMES: Final = frozenset(
    {
        "identifier",
        "field_identifier",
        "type_identifier",
        "qualified_identifier",
        "operator_name",
        "destructor_name",
        "template_function",
        "operator_cast",
        "primitive_type",
    }
)
_DECLARATORS: Final = (
    _POINTERS | _REFERENCES | _ARRAYS | _FUNCTIONS | _GROUPS | _NAMES | {"structured_binding_declarator"}
)


def _fundamental(kind: Fundamental) -> DeclaredType:
    type = fundamental(kind)
    return DeclaredType(ir_type(type), spelled=type)


_PRIMITIVES: Final = {name.encode(): _fundamental(kind) for name, kind in BY_NAME.items()}
Resolve: TypeAlias = Callable[[Scope, Node], DeclaredType]

_SPECIFIERS: Final[dict[str, Resolve]] = {
    "primitive_type": _primitive,
    "sized_type_specifier": _sized,
    "placeholder_type_specifier": _placeholder,
    "auto": _placeholder,
    "struct_specifier": _record,
    "class_specifier": _record,
    "union_specifier": _record,
    "enum_specifier": _enum,
}
_NAMED_TYPES: Final = frozenset(
    {
        "type_identifier",
        "identifier",
        "namespace_identifier",
        "qualified_identifier",
        "template_type",
        "template_function",
        "dependent_type",
        "decltype",
    }
)
"""What is looked up, instantiated or checked before it says a type: the program does that."""
