"""Functions that a call finds by the types of its arguments (argument-dependent lookup).

Rules   Associated with a class are itself, its bases, its template arguments, and the namespaces of all of these: the
        friends that their bodies define, and the free functions of the namespaces.
Source  C++ standard, "Argument-dependent name lookup".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analysis.ir.types import ArrayType, PointerType, StructType, Type
from analysis.lower.context import LoweringContext, Operand
from analysis.lower.names import Declarations, FunctionDeclaration, FunctionSet, Record, TypeName
from analysis.lower.records import friends_named

MAX_CLASSES = 24
"""A bound on nested template arguments."""


def associated_functions(
    ctx: LoweringContext, name: str, operands: Sequence[Operand], *, in_namespaces: bool = True
) -> tuple[FunctionDeclaration, ...]:
    """The functions called `name` that the operands' classes bring along."""
    types = [ctx.type_of(operand) for operand in operands]
    return associated_with(ctx.program, name, types, in_namespaces=in_namespaces)


def associated_with(
    program: Declarations, name: str, types: Sequence[Type | None], *, in_namespaces: bool = True
) -> tuple[FunctionDeclaration, ...]:
    """The same for operands of these types."""
    found: dict[int, FunctionDeclaration] = {}
    spaces: dict[tuple[str, ...], None] = {}
    for record in _associated_classes(program, types):
        found |= {id(each): each for each in friends_named(record, name)}
        spaces[record.item.namespace] = None
    for space in spaces if in_namespaces else ():
        entity = program.find_in_namespace(space, name) if space else None
        if isinstance(entity, FunctionSet):
            found |= {id(each): each for each in entity.declarations}
    return tuple(found.values())


def _associated_classes(program: Declarations, types: Sequence[Type | None]) -> list[Record]:
    found: dict[str, Record] = {}
    pending = list(types)
    while pending and len(found) < MAX_CLASSES:
        type = pending.pop(0)
        while isinstance(type, PointerType | ArrayType):
            type = type.element
        record = program.records.get(type.name) if isinstance(type, StructType) else None
        if record is not None and record.name not in found:
            found[record.name] = record
            pending += _inside(record)
    return list(found.values())


def _inside(record: Record) -> Iterator[Type]:
    for base, _ in record.bases:
        yield base.type
    for argument in record.arguments:
        if isinstance(argument, TypeName):
            yield argument.declared.type
