"""Which object an argument in braces is: `f({1, 2})`.

Rules    A list becomes an object where all functions that may take it have one class or vector there: nothing is
         deduced from a list, and it fits no number if it has several elements, nor a reference through which its object
         could be changed.
Limits   Where packs, several classes or parameters that depend on template arguments may take it, the list stays
         without a type, and its call opaque.
Source   C++20 standard, [over.ics.list], [dcl.init.list].
"""

from __future__ import annotations

from collections.abc import Sequence

from analysis.ir.types import ArrayType, StructType, Type, VectorType
from analysis.lower.calls import is_generic
from analysis.lower.context import LoweringContext
from analysis.lower.conversions import is_vague
from analysis.lower.declared_types import DeclaredType
from analysis.lower.functions import generic_signature
from analysis.lower.names import FunctionDeclaration
from analysis.lower.packs import expanded
from analysis.lower.records import written_constructors
from analysis.syntax.tree import Node


def listed_type(
    ctx: LoweringContext, declarations: Sequence[FunctionDeclaration], index: int, count: int, node: Node
) -> Type | None:
    """The class or vector that every function which may take the list has there; None where that is open.

    The list `node` is the argument `index` of `count`.
    """
    types: set[Type] = set()
    for declaration in declarations:
        signature = generic_signature(declaration)
        if not signature.accepts(count) or index >= len(signature.parameters):
            continue
        parameter = signature.parameters[index]
        if parameter.is_pack or _depends(ctx, parameter.declared.type):
            return None
        if _fits(ctx, parameter.declared, len(expanded(ctx.scope, node.children))):
            types.add(parameter.declared.type)
    type = types.pop() if len(types) == 1 else None
    return type if isinstance(type, StructType | VectorType) else None


def _depends(ctx: LoweringContext, type: Type) -> bool:
    """Whether what the type is depends on template arguments, or is not known."""
    record = ctx.program.records.get(type.name) if isinstance(type, StructType) else None
    return is_vague(type) or (record is not None and is_generic(record))


def _fits(ctx: LoweringContext, declared: DeclaredType, elements: int) -> bool:
    """Whether a list of so many elements may initialise the parameter; yes where that is not known."""
    if declared.is_reference and not declared.is_constant and not declared.is_rvalue:
        return False
    match declared.type:
        case StructType(name=name):
            record = ctx.program.records.get(name)
            is_aggregate = record is not None and not record.bases and not written_constructors(record)
            return record is None or not is_aggregate or _has_arrays(ctx, name) or elements <= len(record.fields)
        case VectorType(length=length):
            return elements <= length
        case ArrayType():
            return True
        case _:
            return elements <= 1


def _has_arrays(ctx: LoweringContext, name: str) -> bool:
    """Whether members may take several elements each, without braces of their own."""
    record = ctx.program.records[name]
    return any(isinstance(each.declared.type, ArrayType | StructType) for each in record.fields)
