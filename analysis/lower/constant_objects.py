"""Constant objects: `constexpr Config big{64, 4};`, tables, and what their members are.

Question  What does a `constexpr` object or array hold, and which constant is a member or an element of it?
Rules     An aggregate is filled member by member, what is left by default or with zero; a constructor is run
          (`constant_calls.py`).  A member whose value is not known is None, and so is all that is computed from it.
Limits    Unions, bit-fields and bases have no known members.  Braces may be left out around a single array only.
Source    C++ standard, "Aggregate initialization", "Constant expressions".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from analysis.ir.types import ArrayType, PointerType, StructType, Type, VectorType
from analysis.lower.constant_values import Constant, ConstantName, ConstantObject, converted_constant
from analysis.lower.constants import OBJECTS, entity_constant, evaluate, evaluate_any, evaluates_objects
from analysis.lower.conversions import is_arithmetic, wrapped
from analysis.lower.functions import generic_signature
from analysis.lower.lookup import constant_object, find
from analysis.lower.names import (
    Declarations,
    Entity,
    GlobalDeclaration,
    GlobalVariable,
    LocalVariable,
    Record,
    Scope,
    is_inferred,
)
from analysis.lower.packs import EXPANSION, expanded
from analysis.lower.records import has_defaulted_constructor, written_constructors
from analysis.lower.strings import STRINGS, array_of_string
from analysis.lower.types import descriptor_type, resolve_type
from analysis.syntax.tree import Node

MAX_ELEMENTS: Final = 4096
"""A longer array is not known."""
_VECTOR_FIELDS: Final = ("x", "y", "z", "w")

Constructed: TypeAlias = Callable[[Record, Sequence[Constant]], ConstantObject | None]
CONSTRUCTORS: Final[list[Constructed]] = []
"""Runs a constructor; filled by `constant_calls.py`, which needs the rest of this file."""


def object_of(entity: Entity | None) -> ConstantObject | None:
    """The constant object that a name stands for."""
    if isinstance(entity, ConstantObject):
        return entity
    if isinstance(entity, LocalVariable):
        return entity.object
    return declared_object(entity.declaration) if isinstance(entity, GlobalVariable) else None


def declared_object(declaration: GlobalDeclaration) -> ConstantObject | None:
    """What a `constexpr` variable outside functions holds."""
    if declaration.is_constexpr and not declaration.is_read:
        declaration.is_read = True  # asked again from inside: not known
        scope, type, value = declaration.scope, declaration.declared.type, declaration.value
        found = zero_value(scope.program, type) if value is None else initial_value(scope, type, value)
        declaration.contents = found if isinstance(found, ConstantObject) else None
    return declaration.contents


def declare_object(scope: Scope, name: str, value: Node) -> None:
    """Notes what the `constexpr` local variable `name` holds, if that is an object or array."""
    variable = scope.names.get(name)
    if isinstance(variable, LocalVariable) and not is_arithmetic(variable.declared.type):
        found = initial_value(scope, variable.declared.type, value)
        variable.object = found if isinstance(found, ConstantObject) else None


def initial_value(scope: Scope, type: Type, value: Node) -> Constant | None:
    """What a variable of `type` holds that is initialised with `= value`, `(arguments)` or `{list}`."""
    if value.kind in ("initializer_list", "argument_list"):
        nodes = expanded(scope, value.children)
        is_list = value.kind == "initializer_list"
        return None if any(node.kind == EXPANSION for node in nodes) else _from_nodes(scope, type, nodes, is_list)
    if value.kind in STRINGS:
        characters = array_of_string(type, value) if isinstance(type, ArrayType) else None
        return None if characters is None else _text(type, characters)
    if value.kind == "null":
        return zero_value(scope.program, type)
    found = evaluate_any(scope, value)
    if found is None or is_inferred(type):
        return found
    if isinstance(found, ConstantName) and isinstance(type, StructType):
        return _constructed(scope.program, type, (found,))
    return converted_constant(found, type)


def _from_nodes(scope: Scope, type: Type, nodes: Sequence[Node], is_list: bool) -> Constant | None:
    if isinstance(type, StructType):
        record = scope.program.records.get(type.name)
        return None if record is None or not _is_plain(record) else _object(scope, record, nodes, is_list)
    if isinstance(type, ArrayType):
        return _array(scope, type, nodes)
    if isinstance(type, VectorType):
        return _vector(scope, type, nodes)
    if not nodes and is_list:
        return zero_value(scope.program, type)
    return initial_value(scope, type, nodes[0]) if len(nodes) == 1 else None


def _is_plain(record: Record) -> bool:
    """Whether its members are all that there is to know, and it is copied member by member."""
    if record.is_guess or record.is_union or record.has_unknown_base or record.bases:
        return False
    signatures = [generic_signature(found).parameters for found in written_constructors(record)]
    return not any(len(each) == 1 and each[0].declared.type == record.type for each in signatures)


def _object(scope: Scope, record: Record, nodes: Sequence[Node], is_list: bool) -> ConstantObject | None:
    is_built = bool(written_constructors(record)) and (bool(nodes) or not has_defaulted_constructor(record))
    copied = _copied(scope, record, nodes)
    if copied is not None:
        return copied
    if is_built:
        arguments = [evaluate_any(scope, node) for node in nodes]
        known = [each for each in arguments if each is not None]
        return CONSTRUCTORS[0](record, known) if len(known) == len(arguments) else None
    designated = {name: node for node in nodes if node.kind == "initializer_pair" and (name := _designator(node))}
    if designated and len(designated) < len(nodes):
        return None
    if _takes_all(record, nodes):
        nodes = [_list_of(nodes)]
    values: list[Constant | None] = []
    inside = record.scope.inside()
    for index, member in enumerate(record.fields):
        value: Constant | None
        node = designated.get(member.name) if designated else nodes[index] if index < len(nodes) else None
        type = member.declared.type
        if member.declared.is_reference or member.width is not None:
            value = None
        elif node is not None:
            given = node.field("value") if designated else node
            if given is not None and _leaves_out_braces(scope, type, given):
                return None
            value = None if given is None else initial_value(scope, type, given)
        elif member.default is not None:
            value = initial_value(inside, type, member.default)
        else:
            value = zero_value(scope.program, type)
        values.append(value)
        if value is not None and member.name:
            inside.declare(member.name, value)
    return None if len(nodes) > len(record.fields) else ConstantObject(record.type, tuple(values))


def _copied(scope: Scope, record: Record, nodes: Sequence[Node]) -> ConstantObject | None:
    """`Config{other}`"""
    if len(nodes) != 1 or nodes[0].kind in ("initializer_list", "initializer_pair"):
        return None
    found = evaluate_any(scope, nodes[0])
    return found if isinstance(found, ConstantObject) and found.type == record.type else None


def _takes_all(record: Record, nodes: Sequence[Node]) -> bool:
    """`std::array<int, 3>{1, 2, 3}`: the braces of the only member may be left out."""
    is_array = len(record.fields) == 1 and isinstance(record.fields[0].declared.type, ArrayType)
    return is_array and bool(nodes) and nodes[0].kind not in ("initializer_list", "initializer_pair", *STRINGS)


def _list_of(nodes: Sequence[Node]) -> Node:
    first, last = nodes[0], nodes[-1]
    return Node("initializer_list", first.start, last.end, first.source, None, list(nodes))


def _leaves_out_braces(scope: Scope, type: Type, node: Node) -> bool:
    """Whether an inner aggregate takes the members that follow in the list of the outer one."""
    if node.kind == "initializer_list" or node.kind in STRINGS or not isinstance(type, StructType | ArrayType):
        return False
    found = evaluate_any(scope, node)
    return found is None or found.type != type


def _designator(node: Node) -> str:
    designator = node.field("designator")
    if designator is None:
        return ""
    children = designator.children
    is_name = len(children) == 1 and children[0].kind == "field_identifier"
    return children[0].text.decode("utf-8", "replace") if is_name else ""


def _array(scope: Scope, type: ArrayType, nodes: Sequence[Node]) -> ConstantObject | None:
    length = len(nodes) if type.length is None else type.length
    if length > MAX_ELEMENTS or len(nodes) > length or any(node.kind == "initializer_pair" for node in nodes):
        return None
    if any(_leaves_out_braces(scope, type.element, node) for node in nodes):
        return None
    if len(nodes) == 1 and nodes[0].kind in STRINGS:
        return None
    given = [initial_value(scope, type.element, node) for node in nodes]
    rest = zero_value(scope.program, type.element) if len(nodes) < length else None
    return ConstantObject(ArrayType(type.element, length), (*given, *[rest] * (length - len(nodes))))


def _vector(scope: Scope, type: VectorType, nodes: Sequence[Node]) -> ConstantObject | None:
    """Of all members: what a `dim3` has by default is not what an `int3` has."""
    if len(nodes) != type.length:
        return None
    return ConstantObject(type, tuple(initial_value(scope, type.element, node) for node in nodes))


def _text(type: Type, characters: Sequence[int]) -> ConstantObject | None:
    if not isinstance(type, ArrayType) or len(characters) > MAX_ELEMENTS:
        return None
    elements = [ConstantName(wrapped(each, type.element), type.element) for each in characters]
    missing = (type.length or 0) - len(elements)
    elements += [ConstantName(0, type.element)] * max(missing, 0)
    return ConstantObject(ArrayType(type.element, len(elements)), tuple(elements))


def zero_value(program: Declarations, type: Type) -> Constant | None:
    """What `T{}` holds."""
    if is_arithmetic(type) or isinstance(type, PointerType):
        return ConstantName(wrapped(0, type), type)
    if isinstance(type, StructType):
        record = program.records.get(type.name)
        return _object(record.scope, record, (), True) if record is not None and _is_plain(record) else None
    if isinstance(type, ArrayType) and type.length is not None and type.length <= MAX_ELEMENTS:
        return ConstantObject(type, (zero_value(program, type.element),) * type.length)
    if isinstance(type, VectorType):
        return ConstantObject(type, (zero_value(program, type.element),) * type.length)
    return None


def is_given(program: Declarations, record: Record) -> bool:
    """Have all members a value by default?"""
    for field in record.fields:
        type = field.declared.type
        inner = program.records.get(type.name) if isinstance(type, StructType) else None
        if field.default is None and (inner is None or not is_given(program, inner)):
            return False
    return True


def _constructed(program: Declarations, type: StructType, arguments: Sequence[Constant]) -> ConstantObject | None:
    record = program.records.get(type.name)
    if record is None or not _is_plain(record) or not written_constructors(record):
        return None
    return CONSTRUCTORS[0](record, arguments)


# -- expressions -------------------------------------------------------------------------------------------------------


def constant_part(scope: Scope, node: Node) -> ConstantName | None:
    """The number that a member or an element of a named constant object is; None for any other object, at once."""
    root: Node | None = node
    while root is not None and root.kind in ("field_expression", "subscript_expression"):
        root = root.field("argument")
    if root is None or root.kind not in ("identifier", "qualified_identifier"):
        return None
    entity = find(scope, root)
    is_constant = isinstance(entity, ConstantObject)
    if isinstance(entity, LocalVariable):
        is_constant = entity.object is not None
    elif isinstance(entity, GlobalVariable):
        is_constant = entity.declaration.is_constexpr
    return evaluate(scope, node) if is_constant else None


def member_index(program: Declarations, type: Type, name: str) -> int | None:
    """The number of the member of that name of an object."""
    if isinstance(type, VectorType):
        index = _VECTOR_FIELDS.index(name) if name in _VECTOR_FIELDS else type.length
        return index if index < type.length else None
    record = program.records.get(type.name) if isinstance(type, StructType) else None
    return None if record is None else record.field_index(name)


def _named(scope: Scope, node: Node) -> Constant | None:
    entity = find(scope, node)
    return entity_constant(entity) or object_of(entity)


@evaluates_objects("field_expression")
def _member(scope: Scope, node: Node) -> Constant | None:
    argument, field = node.field("argument"), node.field("field")
    if argument is None or field is None or (field.kind != "field_identifier"):
        return None
    name = field.text.decode("utf-8", "replace")
    whole = evaluate_any(scope, argument)
    if isinstance(whole, ConstantObject):
        index = member_index(scope.program, whole.type, name)
        if index is not None:
            return whole.members[index]
    type = _type_of(scope, argument) if whole is None else whole.type
    type = type.element if isinstance(type, PointerType) else type
    record = scope.program.records.get(type.name) if isinstance(type, StructType) else None
    entity = None if record is None or record.is_guess else record.member(name)
    return entity_constant(entity) or object_of(entity)  # a static member


def _type_of(scope: Scope, node: Node) -> Type | None:
    """The type of a variable, whose static members are constants whatever it holds."""
    entity = scope.find(node.text.decode("utf-8", "replace")) if node.kind == "identifier" else None
    if isinstance(entity, LocalVariable):
        return entity.declared.type
    return entity.declaration.declared.type if isinstance(entity, GlobalVariable) else None


@evaluates_objects("this")
def _this(scope: Scope, node: Node) -> Constant | None:
    return object_of(scope.find("this"))


@evaluates_objects("pointer_expression")
def _pointed(scope: Scope, node: Node) -> Constant | None:
    """`*this`"""
    argument = node.field("argument")
    is_this = argument is not None and argument.kind == "this" and node.text[:1] == b"*"
    return object_of(scope.find("this")) if is_this else None


def _parenthesized(scope: Scope, node: Node) -> Constant | None:
    return evaluate_any(scope, node.children[0]) if len(node.children) == 1 else None


def _conditional(scope: Scope, node: Node) -> Constant | None:
    condition = node.field("condition")
    test = None if condition is None else evaluate(scope, condition)
    chosen = None if test is None else node.field("consequence" if test.value else "alternative")
    found = None if chosen is None else evaluate_any(scope, chosen)
    return evaluate(scope, node) if isinstance(found, ConstantName) else found


@evaluates_objects("compound_literal_expression")
def _literal(scope: Scope, node: Node) -> Constant | None:
    type_node, value = node.field("type"), node.field("value")
    if type_node is None or value is None:
        return None
    number = None if value.children else constant_object(scope, type_node)
    if number is not None:
        return number
    is_descriptor = type_node.kind == "type_descriptor"
    declared = descriptor_type(scope, type_node) if is_descriptor else resolve_type(scope, type_node)
    return initial_value(scope, declared.type, value)


OBJECTS.update(dict.fromkeys(("identifier", "type_identifier", "qualified_identifier", "template_function"), _named))
OBJECTS.update({"parenthesized_expression": _parenthesized, "conditional_expression": _conditional})
