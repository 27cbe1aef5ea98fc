"""Initial contents of variables outside functions: which numbers their initialisers put where.

Rules   An initialiser list fills members in order, nested lists their own members; what is not mentioned is zero.
        A list without inner braces fills the scalars of nested members one after the other.
        What a constructor or a default of a member gives is what `constants.py` knows of it.
Limits  None where a value is no constant expression, and for designated initialisers of arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias, final

from analysis.ir.record import record
from analysis.ir.types import ArrayType, PointerType, StructLayout, StructType, Type, VectorType
from analysis.lower.constant_values import Constant, ConstantName, ConstantObject
from analysis.lower.constants import declared_object, evaluate, initial_value
from analysis.lower.conversions import is_arithmetic, wrapped
from analysis.lower.function_values import number_of_named
from analysis.lower.layouts import size_of
from analysis.lower.lookup import find
from analysis.lower.names import Declarations, FunctionSet, GlobalDeclaration, Scope
from analysis.lower.records import written_constructors
from analysis.lower.strings import STRINGS, array_of_string
from analysis.lower.types import FUNCTION_POINTER
from analysis.syntax.tree import Node


@final
@record
class InitialNumber:
    """A scalar of type `type`, `offset` bytes from the start of the variable."""

    offset: int
    type: Type
    value: int | float


Contents: TypeAlias = tuple[InitialNumber, ...] | None


_NAMES: Final = ("identifier", "qualified_identifier", "template_function")


class _NotKnown(Exception):
    """The value of some part cannot be told."""


def initial_contents(declaration: GlobalDeclaration, structs: Mapping[str, StructLayout]) -> Contents:
    """The numbers that the initialiser of `declaration` gives; None where they cannot be told."""
    if declaration.declared.is_reference:
        return None
    reader = _Reader(declaration.scope, structs)
    type, value = declaration.declared.type, declaration.value
    known: Constant | None = declared_object(declaration)
    is_built = _is_built(declaration.scope.program, type)
    if known is None and is_built:
        known = initial_value(declaration.scope, declaration.declared, value)
    try:
        if known is not None:
            reader.copy(known, type, 0)
        elif is_built:
            raise _NotKnown
        elif value is not None:
            reader.read(type, 0, value)
    except _NotKnown:
        return None
    return tuple(reader.found)


def _is_built(program: Declarations, type: Type) -> bool:
    """Whether a class says what its objects hold, in a constructor or by what its members have by default."""
    while isinstance(type, ArrayType):
        type = type.element
    record = program.records.get(type.name) if isinstance(type, StructType) else None
    if record is None:
        return False
    is_own = bool(written_constructors(record)) or any(field.default is not None for field in record.fields)
    return is_own or any(_is_built(program, field.declared.stored) for field in record.fields)


@final
class _Reader:
    def __init__(self, scope: Scope, structs: Mapping[str, StructLayout]) -> None:
        self._scope = scope
        self._structs = structs
        self.found: list[InitialNumber] = []

    def copy(self, value: Constant | None, type: Type, offset: int) -> None:
        """What is known of a constant object, member by member."""
        members = self._members(type, offset)
        if isinstance(value, ConstantObject) and members is not None:
            for member, (inner, place) in zip(value.members, members, strict=True):
                self.copy(member, inner, place)
        elif isinstance(value, ConstantName) and members is None:
            if not isinstance(type, PointerType):  # a null pointer is what is there already
                self.found.append(InitialNumber(offset, type, value.value))
        else:
            raise _NotKnown

    def read(self, type: Type, offset: int, node: Node) -> None:
        if node.kind == "initializer_list":
            self._list(type, offset, node.children)
        elif node.kind in STRINGS and isinstance(type, ArrayType):
            self._string(type, offset, node)
        else:
            self._scalar(type, offset, node)

    def _string(self, type: ArrayType, offset: int, node: Node) -> None:
        characters = array_of_string(type, node)
        if characters is None:
            raise _NotKnown
        for index, character in enumerate(characters):
            number = wrapped(character, type.element)
            self.found.append(InitialNumber(offset + index, type.element, number))

    def _scalar(self, type: Type, offset: int, node: Node) -> None:
        if type == FUNCTION_POINTER:
            self.found.append(InitialNumber(offset, type, self._function(node)))
            return
        constant = evaluate(self._scope, node)
        if constant is None or not is_arithmetic(type):
            raise _NotKnown
        self.found.append(InitialNumber(offset, type, wrapped(constant.value, type)))

    def _function(self, node: Node) -> int:
        """What a pointer to a function holds that is initialised so."""
        named = node.children[-1] if node.kind == "pointer_expression" and node.children else node
        entity = find(self._scope, named) if named.kind in _NAMES else None
        if isinstance(entity, FunctionSet):
            return number_of_named(entity)
        constant = evaluate(self._scope, node)
        if node.kind != "null" and (constant is None or constant.value != 0):
            raise _NotKnown
        return 0

    def _list(self, type: Type, offset: int, nodes: Sequence[Node]) -> None:
        members = self._members(type, offset)
        if members is None:
            if len(nodes) > 1:
                raise _NotKnown
            for node in nodes:
                self.read(type, offset, node)
            return
        rest = list(nodes)
        for member, place in members:
            if not rest:
                return
            self._next(member, place, rest)

    def _next(self, type: Type, offset: int, rest: list[Node]) -> None:
        """One member, from its own list or from as many scalars as it has."""
        node = rest[0]
        if node.kind == "initializer_pair":
            raise _NotKnown
        members = self._members(type, offset)
        if members is None or node.kind == "initializer_list" or node.kind in STRINGS:
            self.read(type, offset, rest.pop(0))
            return
        for member, place in members:
            if not rest:
                return
            self._next(member, place, rest)

    def _members(self, type: Type, offset: int) -> Iterable[tuple[Type, int]] | None:
        """Types and places of the members of an aggregate; None for a scalar."""
        match type:
            case ArrayType(element=element, length=length) if length is not None:
                return self._elements(element, length, offset)
            case VectorType(element=element, length=length):
                return self._elements(element, length, offset)
            case StructType(name=name) if name in self._structs:
                layout = self._structs[name]
                if layout.has_bit_fields:
                    raise _NotKnown
                fields = layout.fields[:1] if layout.is_union else layout.fields
                return [(field.type, offset + field.offset) for field in fields]
            case _:
                return None

    def _elements(self, element: Type, length: int, offset: int) -> Iterable[tuple[Type, int]]:
        """One by one: an array may be longer than any list."""
        size = size_of(element, self._structs)
        if size is None:
            raise _NotKnown
        return ((element, offset + index * size) for index in range(length))
