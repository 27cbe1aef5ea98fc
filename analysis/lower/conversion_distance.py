"""How far an argument is from a parameter, by the types of the IR: where C++ types are not known.

Rules   0 for the same type, 1 for promotion and for what is not known, 2 for other arithmetic conversions and bases,
        3 for pointers that lose their type, 4 for conversions that classes define.
"""

from __future__ import annotations

from analysis.ir.types import (
    ArrayType,
    BooleanType,
    GroupType,
    HandleType,
    IntegerType,
    MemorySpace,
    PointerType,
    StructType,
    Type,
    VectorType,
    VoidType,
)
from analysis.lower.binding import ArgumentType
from analysis.lower.conversions import is_arithmetic, is_vague, promoted
from analysis.lower.functions import (
    THREAD_GROUP,
)
from analysis.lower.names import (
    Closure,
    Declarations,
    DeclaredType,
)
from analysis.lower.records import constructors_of


def without_space(type: Type) -> Type:
    """The type with generic pointers."""
    if isinstance(type, PointerType):
        return PointerType(without_space(type.element), MemorySpace.GENERIC, type.volatile)
    return type


def conversion_distance(program: Declarations, declared: DeclaredType, argument: ArgumentType) -> float | None:
    wanted = declared.type
    if argument is None:
        return 1.0
    if isinstance(argument, Closure):
        return 1.0 if is_vague(wanted) else None
    if argument == wanted:
        return 0.0
    if isinstance(argument, VoidType):
        return None
    if is_vague(wanted) or is_vague(argument):
        return 1.0
    if isinstance(wanted, PointerType):
        return _pointer_distance(program, wanted, argument)
    if isinstance(wanted, BooleanType) and isinstance(argument, PointerType | ArrayType):
        return None if declared.is_reference and not declared.is_constant else 3.0
    if isinstance(wanted, ArrayType):
        return 0.0 if isinstance(argument, ArrayType) and argument.element == wanted.element else None
    if is_arithmetic(wanted) and is_arithmetic(argument):
        if declared.is_reference and not declared.is_constant:
            return None
        return 1.0 if promoted(argument) == wanted else 2.0
    if isinstance(argument, GroupType) and (isinstance(wanted, GroupType) or wanted == THREAD_GROUP):
        return 1.0
    if isinstance(wanted, StructType) and isinstance(argument, StructType):
        return 2.0 if _derives(program, argument.name, wanted.name) else None
    return _class_distance(program, wanted, argument)


def _class_distance(program: Declarations, wanted: Type, argument: Type) -> float | None:
    if isinstance(wanted, VectorType | HandleType) or isinstance(argument, VectorType | HandleType):
        return None
    if isinstance(wanted, StructType):
        record = program.records.get(wanted.name)
        return 4.0 if record is None or record.inherited or constructors_of(record) else None
    if isinstance(argument, StructType):
        record = program.records.get(argument.name)
        return 4.0 if record is None or any(name.startswith("operator ") for name in record.method_nodes) else None
    return None


def _pointer_distance(program: Declarations, wanted: PointerType, argument: Type) -> float | None:
    if isinstance(argument, ArrayType):
        argument = PointerType(argument.element, wanted.space)
    if isinstance(argument, IntegerType):
        return 3.0  # a null pointer
    if not isinstance(argument, PointerType):
        return None
    if without_space(argument.element) == without_space(wanted.element):
        return 0.0
    if isinstance(argument.element, VoidType):
        return 3.0  # no other `void *` than a null pointer becomes another pointer without a cast
    if isinstance(wanted.element, VoidType):
        return 2.0
    if is_vague(wanted.element) or is_vague(argument.element):
        return 1.0
    if isinstance(wanted.element, StructType) and isinstance(argument.element, StructType):
        return 2.0 if _derives(program, argument.element.name, wanted.element.name) else None
    if isinstance(wanted.element, PointerType):
        return _pointer_distance(program, wanted.element, argument.element)
    return None


def _derives(program: Declarations, derived: str, base: str) -> bool:
    record = program.records.get(derived)
    if record is None:
        return False
    return any(parent.name == base or _derives(program, parent.name, base) for parent, _ in record.bases)
