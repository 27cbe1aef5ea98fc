"""Functions as values: the number that a pointer to one holds, and which functions a pointer may lead to.

Rules   A function's address is a number made of its id, so it is the same whoever asks; it is no valid address.
        A pointer leads to a function of just its type whose address the unit takes (`syntax/function_values.py`).
        They are *known* only where the text knows all of them and each has a type that is known: templates are no
        candidates and leave the others not known, and so do names of several functions, of which the type of what is
        initialised, assigned or passed says one (`meant_as`).
Source  C++20 standard, [expr.call], [over.over].
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from typing import Final, final

from analysis.cpp.types import model as cpp
from analysis.cpp.types.model import QualType, pointer_to
from analysis.ir.ids import FunctionId
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import FUNCTION_POINTER
from analysis.lower import type_instances
from analysis.lower.context import LoweringContext, Operand
from analysis.lower.function_types import function_type
from analysis.lower.functions import instantiate
from analysis.lower.names import Declarations, FunctionDeclaration, FunctionInstance, FunctionSet

MAX_CANDIDATES: Final = 64
"""A call that may run more functions than this is not followed."""


@final
@record
class Candidates:
    """Functions that a call may run; `is_known`: it runs one of these."""

    functions: tuple[FunctionInstance, ...]
    is_known: bool


def number_of(function: FunctionId) -> int:
    """What a pointer to the function holds: not null, and above all addresses."""
    digest = blake2b(function.encode("utf-8", "surrogatepass"), digest_size=6).digest()
    return 1 << 62 | int.from_bytes(digest, "big") << 4


def number_of_named(functions: FunctionSet) -> int:
    """What the name of a function is as a value; of several functions, a number that no candidate has."""
    if len(functions.declarations) == 1 and not functions.declarations[0].template_parameters:
        return number_of(instantiate(functions.declarations[0], {}).id)
    return number_of(FunctionId(f"one of {functions.name}"))


def meant_as(ctx: LoweringContext, operand: Operand, target: QualType | None, span: Span) -> Operand:
    """What initialises an object of type `target`: of a name of several functions, the one of that type is meant."""
    named = ctx.functions.get(operand) if isinstance(operand, int) else None
    wanted = None if named is None or len(named.declarations) < 2 else pointed_function(target)
    if named is None or wanted is None:
        return operand
    found = [each for each in named.declarations if function_type(each) == QualType(wanted)]
    if len(found) != 1:
        return operand
    chosen = FunctionSet(named.name, (found[0],))
    pointer = ctx.builder.constant(number_of_named(chosen), FUNCTION_POINTER, span)
    ctx.functions[pointer] = chosen
    return ctx.typed(pointer, pointer_to(QualType(wanted)))


def pointed_function(type: QualType | None) -> cpp.FunctionType | None:
    """The function that a pointer or reference to one, or its name, is of."""
    inner = None if type is None else type.object.type
    if isinstance(inner, cpp.PointerType):
        inner = inner.pointee.type
    return inner if isinstance(inner, cpp.FunctionType) else None


def functions_of_type(program: Declarations, type: cpp.FunctionType) -> Candidates:
    """Those that a pointer to a function of that type may lead to, in the order of their ids."""
    declarations, is_known = program.addressed_functions()
    found = [each for each in declarations if function_type(each) == QualType(type)]
    instances = sorted([instantiate(each, {}) for each in found], key=lambda each: each.id)
    return Candidates(tuple(instances), is_known)


def addressed_functions(program: Declarations) -> tuple[Sequence[FunctionDeclaration], bool]:
    """The functions of the unit whose address may be taken and whose type is known, and whether there are no others."""
    values = program.unit.function_values
    names = Counter((item.namespace, item.owner, item.name) for item in values.items)
    found: list[FunctionDeclaration] = []
    is_known = values.is_known
    for item in values.items:
        owner = type_instances.record_of_owner(program, item) if item.owner is not None else None
        declaration = program.declaration(item, owner)
        if declaration is None or (item.owner is not None and owner is None):
            is_known = False
        elif declaration.has_this:
            continue
        elif (owner is not None and owner.arguments) or function_type(declaration) is None:
            is_known = False
        else:
            is_known = is_known and names[item.namespace, item.owner, item.name] == 1
            found.append(declaration)
    return found, is_known
