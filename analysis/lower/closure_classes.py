"""The classes of lambdas: what they hold, and how they are called.

Rules   What a lambda captures by value is a member, by reference a member of reference type, `this` a pointer of that
        name.  Its `operator()` is declared as the lambda is.
Limits  There is no class for lambdas that capture packs or other lambdas.
Source  C++20 standard, [expr.prim.lambda.closure].
"""

from __future__ import annotations

from functools import partial
from typing import Final

from analysis.cpp.conversions.standard import decayed
from analysis.ir.types import StructType
from analysis.lower.functions import parameter_list
from analysis.lower.names import (
    Closure,
    Declarations,
    DeclaredType,
    FunctionDeclaration,
    LambdaName,
    LocalVariable,
    MemberName,
    Origin,
    Record,
    RecordField,
    VariablePack,
)
from analysis.lower.records import layout_of, resolve_member
from analysis.lower.templates import abbreviated_parameters, template_parameters
from analysis.lower.types import innermost
from analysis.syntax.tree import Node

THIS: Final = "this"


def closure_class(program: Declarations, closure: Closure) -> Record | None:
    """The class of a lambda; lambdas of one text that capture the same types have one."""
    origin, body = closure.scope.origin, closure.node.field("body")
    fields = _fields(closure)
    if origin is None or body is None or fields is None:
        return None
    name = f"{origin.prefix}::<anonymous lambda {_number(closure)}>"
    known = program.records.get(name)
    while known is not None and (known.node is not closure.node or known.fields != fields):
        name += "'"
        known = program.records.get(name)
    if known is not None:
        return known
    inner = closure.scope.inside()
    inner.origin = Origin(origin.item, origin.snippet, name)
    record = Record(
        name, "<lambda>", StructType(name), closure.node, closure.snippet, origin.item, True, inner, None, ()
    )
    record.fields += fields
    record.closure = closure
    inner.resolver = partial(resolve_member, record)
    program.records[name] = record
    program.layouts[name] = layout_of(record)
    record.methods["operator()"] = (_call_operator(record, closure, body),)
    return record


def _call_operator(record: Record, closure: Closure, body: Node) -> FunctionDeclaration:
    """The method that stands for the body where functions are chosen."""
    node, declarator = closure.node, closure.node.field("declarator")
    listed = declarator if declarator is not None else Node("lambda_declarator", body.start, body.start, body.source)
    header = node.field("template_parameters")
    own = () if header is None else template_parameters(record.scope.program, header)
    own = (*own, *abbreviated_parameters(parameter_list(listed)))
    return FunctionDeclaration(
        record.item,
        closure.snippet,
        node,
        listed,
        "operator()",
        record.scope,
        record,
        own,
        is_static=False,
        is_virtual=False,
    )


def _fields(closure: Closure) -> list[RecordField] | None:
    """The members, in the order in which the text names them; None where something cannot be one."""
    fields: list[RecordField] = []
    own = _parameters(closure.node)
    for name in dict.fromkeys(node.text.decode() for node in closure.node.walk() if node.kind == "identifier"):
        entity = None if name in own else closure.scope.find(name)
        match entity:
            case LocalVariable():
                fields.append(RecordField(name, _member(closure, name, entity), None))
            case LambdaName() | VariablePack():
                return None
            case _:
                pass
    if closure.this is not None and _uses_this(closure):
        fields.append(RecordField(THIS, closure.this.declared, None))
    return fields


def _member(closure: Closure, name: str, entity: LocalVariable) -> DeclaredType:
    declared = entity.declared
    exact = None if declared.exact is None else declared.exact.object
    if name not in closure.scope.names:
        return DeclaredType(declared.type, True, bool(entity.is_constant), declared.is_volatile)
    return DeclaredType(declared.type, spelled=None if exact is None else decayed(exact).unqualified)


def _parameters(node: Node) -> set[str]:
    """The names of the lambda's own parameters."""
    declarator = node.field("declarator")
    listed = None if declarator is None else parameter_list(declarator)
    names = [each.field("declarator") for each in (() if listed is None else listed.children)]
    found = [innermost(each) for each in names if each is not None]
    return {each.text.decode() for each in found if each is not None}


def _uses_this(closure: Closure) -> bool:
    """Whether the body names `this`, or a member of the class around."""
    names = {node.text for node in closure.node.walk() if node.kind == "identifier"}
    is_named = any(node.kind == "this" for node in closure.node.walk())
    entities = [closure.scope.find(name.decode("utf-8", "replace")) for name in names]
    return is_named or any(isinstance(each, MemberName) for each in entities)


def _number(closure: Closure) -> int:
    """How many lambdas stand in front of it in the text."""
    lambdas = [node for node in closure.snippet.root.walk() if node.kind == "lambda_expression"]
    return sum(1 for node in lambdas if node.start < closure.node.start)
