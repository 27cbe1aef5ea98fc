"""Does copying an object run code, or are its bytes copied?

Rules   A class with a copy constructor or an `operator=` of its own runs that; any other class copies base by base and
        member by member, and so runs those of its bases and members.
        A copy constructor that only copies each base and member (`C(const C &o) : v(o.v) {}`) copies bytes.
        A temporary that becomes a variable, a parameter or a result is not copied at all; of a local variable that is
        returned, `elision.py` tells.
Limits  What the assignment of a member or base runs is opaque.
Source  C++ standard, "Copy/move constructors", "Copy/move elision".
"""

from __future__ import annotations

from analysis.ir.source import Span
from analysis.ir.types import ArrayType, StructType, Type
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.functions import generic_signature
from analysis.lower.names import Declarations, FunctionDeclaration, Record
from analysis.lower.records import constructors_of, find_methods


def copy_constructor(record: Record) -> FunctionDeclaration | None:
    """A user-written constructor from another object that does more than to copy each member."""
    for constructor in constructors_of(record):
        if constructor.body is None or constructor.owner is not record:
            continue
        parameters = generic_signature(constructor).parameters
        is_copy = len(parameters) == 1 and parameters[0].declared.type == record.type
        if is_copy and not _is_plain(constructor, record, parameters[0].name):
            return constructor
    return None


def assignment_operator(record: Record) -> FunctionDeclaration | None:
    """The class's own `operator=` with a body; a base's assigns the base alone."""
    return next((method for method in find_methods(record, "operator=") if method.body is not None), None)


def assigns_itself(record: Record) -> bool:
    """Whether some `operator=` of its own takes an object of the class; no template is a copy assignment."""
    parameters = [
        generic_signature(method).parameters
        for method in find_methods(record, "operator=")
        if not method.template_parameters
    ]
    return any(len(one) == 1 and one[0].declared.type == record.type for one in parameters)


def part_with_copy_constructor(record: Record) -> Record | None:
    """A base or member whose copy runs code, at any depth."""
    return next((part for part in _parts(record) if copy_constructor(part) or part_with_copy_constructor(part)), None)


def part_with_assignment(record: Record) -> Record | None:
    """A base or member whose assignment runs code, at any depth."""
    return next((part for part in _parts(record) if assignment_operator(part) or part_with_assignment(part)), None)


def copy_runs_code(record: Record) -> bool:
    return copy_constructor(record) is not None or part_with_copy_constructor(record) is not None


def copies_by_code(program: Declarations, type: Type) -> bool:
    """Of an object of any type."""
    found = _class_of(program, type)
    return found is not None and copy_runs_code(found)


def moves_parts(record: Record) -> bool:
    """Whether a class without a constructor of its own from another object moves base by base and member by member.

    One that says how it is copied, assigned or destroyed is copied instead, unless it asks for the move.
    """
    from_object = [
        parameters[0].declared
        for constructor in constructors_of(record)
        if len(parameters := generic_signature(constructor).parameters) == 1
        and parameters[0].declared.type == record.type
    ]
    if from_object:
        return any(declared.is_rvalue for declared in from_object)
    return not record.method_nodes.get("operator=") and not record.method_nodes.get("~" + record.simple_name)


def copied(ctx: LoweringContext, operand: Operand, span: Span) -> Operand:
    """The value of an operand that is copied, arrays whole; opaque where that runs code."""
    if not isinstance(operand, LValue) or operand.is_temporary:
        return operand
    record = _class_of(ctx.program, operand.type)
    if record is not None and copy_runs_code(record):
        construct = f"copy of {record.name}, which copies by code"
        return ctx.builder.opaque(construct, (operand.address,), operand.type, span)
    if isinstance(operand.type, ArrayType):
        return ctx.builder.load(operand.address, operand.type, span)
    return operand


def _parts(record: Record) -> list[Record]:
    """Direct bases, and the classes of members and of elements of arrays."""
    parts = [base for base, _ in record.bases]
    for member in record.fields[record.own_fields :]:
        part = None if member.declared.is_reference else _class_of(record.scope.program, member.declared.type)
        if part is not None and part is not record:
            parts.append(part)
    return parts


def _class_of(program: Declarations, type: Type) -> Record | None:
    while isinstance(type, ArrayType):
        type = type.element
    return program.records.get(type.name) if isinstance(type, StructType) else None


def _is_plain(constructor: FunctionDeclaration, record: Record, other: str) -> bool:
    """Whether the constructor copies each base and member from `other`, in its initialisers, and does nothing else."""
    body, listed = constructor.body, constructor.node.child("field_initializer_list")
    if body is None or any(child.kind != "comment" for child in body.children):
        return False
    written: dict[str, str] = {}
    for child in listed.children if listed is not None else ():
        if child.kind == "field_initializer" and len(child.children) == 2:
            name, value = (part.text.decode("utf-8", "replace") for part in child.children)
            written[name] = "".join(value.split())[1:-1]
    members = {member.name: f"{other}.{member.name}" for member in record.fields[record.own_fields :]}
    return written == members | {base.simple_name: other for base, _ in record.bases}
