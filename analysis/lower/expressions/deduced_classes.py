"""Objects of class templates whose arguments are deduced: `Pair p(1, 2.0f);`, `Pair{a, b}`, `Pair(a, b)`.

Rules   The initialiser is evaluated once; its types say which class it is (`class_deduction.py`).
        Where they do not, the object is one of the generic class.
Limits  Lists inside of lists, and designated members, are left to the generic class.
"""

from __future__ import annotations

from collections.abc import Sequence

from analysis.ir.source import Span
from analysis.ir.types import StructType, Type, UnknownType
from analysis.lower.bit_fields import store_to
from analysis.lower.class_deduction import deduced_class, deducible
from analysis.lower.closure_objects import as_objects
from analysis.lower.construct import construct, construct_at
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.convert import implicit
from analysis.lower.expressions.arguments import argument_operands
from analysis.lower.expressions.dispatch import load, lower
from analysis.lower.names import TypeTemplate
from analysis.lower.overloads import argument_of
from analysis.lower.types import shown
from analysis.syntax.tree import Node

_LISTS = frozenset({"argument_list", "initializer_list"})
_NESTED = frozenset({"initializer_list", "initializer_pair"})


def deduced_template(ctx: LoweringContext, type_node: Node | None, type: Type, value: Node) -> TypeTemplate | None:
    """The class template that an initialised object names without arguments; None for any other object.

    `type` is what its name means by itself: a class that stands for all instances, or nothing that is known.
    """
    if isinstance(type, StructType):
        record = ctx.program.records.get(type.name)
        is_possible = "<" not in type.name if record is None else record.template is not None
    else:
        is_possible = isinstance(type, UnknownType) and type_node is not None and type.spelling == shown(type_node)
    if not is_possible or (value.kind in _LISTS and any(child.kind in _NESTED for child in value.children)):
        return None
    return deducible(ctx.scope, type_node)


def initialiser_operands(ctx: LoweringContext, value: Node) -> Sequence[Operand]:
    """What stands after the name: `= value`, `(arguments)` or `{list}`; lambdas as objects."""
    operands = argument_operands(ctx, value) if value.kind in _LISTS else (lower(ctx, value),)
    return as_objects(ctx, operands, ctx.span(value))


def deduced_type(ctx: LoweringContext, template: TypeTemplate, operands: Sequence[Operand], generic: Type) -> Type:
    """The class that the operands say; else the generic one, which a template with a pack does not have."""
    found = deduced_class(ctx.program, template, [argument_of(ctx, operand) for operand in operands])
    if found is not None:
        return found
    has_pack = any(parameter.is_pack for each in template.declarations for parameter in each.parameters)
    return UnknownType(template.name) if has_pack else generic


def initialise_deduced(ctx: LoweringContext, target: LValue, operands: Sequence[Operand], span: Span) -> None:
    """Initialises a variable whose class is known by now."""
    record = ctx.program.records.get(target.type.name) if isinstance(target.type, StructType) else None
    if record is not None:
        construct_at(ctx, target, record, operands, span)
        return
    built = construct(ctx, target.type, operands, span)
    store_to(ctx.builder, target, implicit(ctx, load(ctx, built, span), target.type, span), span)


def deduced_object(ctx: LoweringContext, type_node: Node, type: Type, arguments: Node, span: Span) -> Operand:
    """The temporary `Pair{a, b}` or `Pair(a, b)`; None where its class is not deduced."""
    template = deduced_template(ctx, type_node, type, arguments)
    if template is None or not arguments.children:
        return None
    operands = as_objects(ctx, argument_operands(ctx, arguments), span)
    return construct(ctx, deduced_type(ctx, template, operands, type), operands, span)
