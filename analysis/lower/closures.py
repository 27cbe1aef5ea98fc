"""Lambdas of host code that kernels are passed: a class whose members are what the lambda captures.

Rules    A captured variable is a member of the same name and type; a constant one needs no member.
         Calling the object runs the lambda's body: its `operator()` is a constant method of that class.
Limits   What `this` of the host object has is not known in the body.
Source   C++ standard, "Closure types"; CUDA C++ Programming Guide, "Extended Lambdas".
"""

from __future__ import annotations

from functools import partial

from analysis.ir.types import StructType
from analysis.lower.constants import object_type
from analysis.lower.functions import parameter_list
from analysis.lower.names import (
    ConstantName,
    DeclaredType,
    FunctionDeclaration,
    LocalVariable,
    Origin,
    Record,
    RecordField,
    Scope,
)
from analysis.lower.records import layout_of, resolve_member
from analysis.lower.templates import abbreviated_parameters, template_parameters
from analysis.syntax.tree import Node


def closure_type(scope: Scope, node: Node, owner: str) -> StructType | None:
    """The class of a lambda expression that stands in host code, where names mean what `scope` says.

    `owner` names the function around it: the class is called after it.
    """
    origin = scope.origin
    declarator, body = node.field("declarator"), node.field("body")
    if origin is None or body is None:
        return None
    name = f"{owner}::<lambda {node.start}>"
    known = scope.program.records.get(name)
    if known is not None:
        return known.type
    inner = scope.inside()
    inner.origin = Origin(origin.item, origin.snippet, name)
    record = Record(
        name, "<lambda>", StructType(name), node, origin.snippet, origin.item, True, inner, None, (), is_guess=False
    )
    _capture(record, scope, body)
    inner.resolver = partial(resolve_member, record)
    scope.program.records[name] = record
    scope.program.layouts[name] = layout_of(record)
    listed = declarator if declarator is not None else Node("lambda_declarator", body.start, body.start, body.source)
    header = node.field("template_parameters")
    own = () if header is None else template_parameters(scope.program, header)
    own = (*own, *abbreviated_parameters(parameter_list(listed)))
    method = FunctionDeclaration(
        origin.item, origin.snippet, node, listed, "operator()", inner, record, own, is_static=False, is_virtual=False
    )
    record.methods["operator()"] = (method,)
    return record.type


def _capture(record: Record, scope: Scope, body: Node) -> None:
    """The variables of the host function that the body names."""
    for text in dict.fromkeys(node.text for node in body.walk() if node.kind == "identifier"):
        name = text.decode("utf-8", "replace")
        entity = scope.find(name)
        if not isinstance(entity, LocalVariable):
            continue
        if entity.constant is not None:
            record.scope.declare(
                name, ConstantName(entity.constant, entity.declared.type, object_type(entity.declared))
            )
        else:
            declared = entity.declared
            member = DeclaredType(declared.type, False, declared.is_constant, declared.is_volatile)
            record.fields.append(RecordField(name, member, None))
