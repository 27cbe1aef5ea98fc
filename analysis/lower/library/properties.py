"""Traits with a value: `std::is_same`, `std::is_integral`, `std::is_base_of`, ...

Question  Is it true of these types?  None where an argument depends on a template parameter, or what is asked does not
          show in our types.
Limits    Types whose C++ type is not known may be different ones though they are stored alike; of an integer it is then
          assumed that it is no enumeration.
Source    C++ standard, "Metaprogramming and type traits".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from analysis.cpp.types.model import EnumerationType
from analysis.ir.types import (
    ArrayType,
    BooleanType,
    FloatFormat,
    FloatType,
    HandleType,
    IntegerType,
    PointerType,
    StructType,
    TemplateType,
    Type,
    UnknownType,
    VectorType,
    VoidType,
)
from analysis.lower.layouts import size_and_alignment
from analysis.lower.names import Declarations, DeclaredType, PackPattern, TemplateArgument, TemplateValue, TypeName

Answer: TypeAlias = bool | int | None
_Question: TypeAlias = Callable[[Declarations, Sequence[TypeName]], Answer]


def property_of(program: Declarations, name: str, arguments: Sequence[TypeName]) -> Answer:
    """The value of the trait `name`; the caller knows that there is one."""
    question, count = PROPERTIES[name]
    if len(arguments) < count or any(is_dependent(program, each.declared.type) for each in arguments):
        return None
    return question(program, arguments)


def is_dependent(program: Declarations, type: Type) -> bool:
    """Whether the type, or what it is made of, is not known here."""
    match type:
        case TemplateType() | UnknownType():
            return True
        case PointerType(element=element) | ArrayType(element=element) | VectorType(element=element):
            return is_dependent(program, element)
        case StructType(name=name):
            record = program.records.get(name)
            if record is None:
                return False
            return record.is_guess or any(_is_open(program, each) for each in record.arguments)
        case _:
            return False


def _is_open(program: Declarations, argument: TemplateArgument) -> bool:
    if isinstance(argument, TypeName):
        return is_dependent(program, argument.declared.type)
    return isinstance(argument, TemplateValue | PackPattern)


def _of_type(test: Callable[[Type], Answer], *, takes_enumerations: bool = False) -> tuple[_Question, int]:
    """A question about the type of an object: never true of a reference."""

    def ask(program: Declarations, arguments: Sequence[TypeName]) -> Answer:
        declared = arguments[0].declared
        if declared.is_reference or (_is_known_enumeration(declared) and not takes_enumerations):
            return False
        return test(declared.type)

    return ask, 1


def _is_known_enumeration(declared: DeclaredType) -> bool:
    return declared.exact is not None and isinstance(declared.exact.object.type, EnumerationType)


def _is_same(program: Declarations, arguments: Sequence[TypeName]) -> Answer:
    first, second = arguments[0].declared, arguments[1].declared
    if first.exact is not None and second.exact is not None:
        return first.exact == second.exact
    if first.type != second.type or first.is_reference != second.is_reference:
        return False
    if (first.is_constant, first.is_volatile) != (second.is_constant, second.is_volatile):
        return False
    return None


def _is_floating(type: Type) -> bool:
    """The half types are classes of CUDA's."""
    return isinstance(type, FloatType) and type.format in (FloatFormat.SINGLE, FloatFormat.DOUBLE)


def _is_integral(type: Type) -> bool:
    return isinstance(type, IntegerType | BooleanType)


def _is_arithmetic(type: Type) -> bool:
    return _is_floating(type) or _is_integral(type)


def _is_class(type: Type) -> Answer:
    if isinstance(type, HandleType):
        return None
    return isinstance(type, StructType | VectorType) or (isinstance(type, FloatType) and not _is_floating(type))


def _is_scalar(type: Type) -> Answer:
    return None if isinstance(type, HandleType) else _is_arithmetic(type) or isinstance(type, PointerType)


def _is_plain(type: Type) -> Answer:
    """Trivially copyable: known for everything that has no code of its own."""
    return True if isinstance(type, IntegerType | BooleanType | FloatType | PointerType | VectorType) else None


def _integral(program: Declarations, arguments: Sequence[TypeName]) -> Answer:
    return arguments[0].enumerators is None and _of_type(_is_integral)[0](program, arguments)


def _is_enumeration(program: Declarations, arguments: Sequence[TypeName]) -> Answer:
    declared = arguments[0].declared
    if arguments[0].enumerators is not None:
        return True
    if declared.exact is not None:
        return _is_known_enumeration(declared) and not declared.is_reference
    return None if isinstance(arguments[0].declared.type, IntegerType) else False


def _is_base(program: Declarations, arguments: Sequence[TypeName]) -> Answer:
    base, derived = arguments[0].declared.type, arguments[1].declared.type
    if not isinstance(base, StructType) or not isinstance(derived, StructType):
        return False
    return base == derived or _has_base(program, derived.name, base.name)


def _is_derived(program: Declarations, arguments: Sequence[TypeName]) -> Answer:
    """`std::derived_from`: publicly, which is said of a class only where its text has no other access."""
    derived = arguments[0].declared.type
    answer = _is_base(program, (arguments[1], arguments[0]))
    record = program.records.get(derived.name) if isinstance(derived, StructType) else None
    if answer is not True or record is None or derived == arguments[1].declared.type:
        return answer
    clause = record.node.child("base_class_clause")
    is_public = record.node.kind == "struct_specifier" and clause is not None
    is_direct = any(base.type == arguments[1].declared.type for base, _ in record.bases)
    hides = clause is None or b"private" in clause.text or b"protected" in clause.text
    return True if is_public and is_direct and not hides else None


def _has_base(program: Declarations, derived: str, base: str) -> Answer:
    record = program.records.get(derived)
    if record is None:
        return None
    answers = [parent.name == base or _has_base(program, parent.name, base) for parent, _ in record.bases]
    return True if True in answers else None if None in answers or record.has_unknown_base else False


def _is_convertible(program: Declarations, arguments: Sequence[TypeName]) -> Answer:
    source, target = arguments[0].declared.type, arguments[1].declared.type
    both = _is_arithmetic(source) and _is_arithmetic(target)
    return True if both and not arguments[1].declared.is_reference else None


def _of_declared(test: Callable[[DeclaredType], Answer]) -> tuple[_Question, int]:
    return lambda program, arguments: test(arguments[0].declared), 1


def _alignment(program: Declarations, arguments: Sequence[TypeName]) -> Answer:
    size, alignment = size_and_alignment(arguments[0].declared.type, program.layouts)
    return None if size is None else alignment


PROPERTIES: Final[dict[str, tuple[_Question, int]]] = {
    "is_same": (_is_same, 2),
    "is_integral": (_integral, 1),
    "is_floating_point": _of_type(_is_floating),
    "is_arithmetic": _of_type(_is_arithmetic),
    "is_fundamental": _of_type(lambda type: _is_arithmetic(type) or isinstance(type, VoidType)),
    "is_scalar": _of_type(_is_scalar, takes_enumerations=True),
    "is_signed": _of_type(lambda type: _is_floating(type) or (isinstance(type, IntegerType) and type.signed)),
    "is_unsigned": _of_type(lambda type: isinstance(type, BooleanType) or _is_unsigned(type)),
    "is_pointer": _of_type(lambda type: isinstance(type, PointerType)),
    "is_void": _of_type(lambda type: isinstance(type, VoidType)),
    "is_class": _of_type(_is_class),
    "is_trivially_copyable": _of_type(_is_plain, takes_enumerations=True),
    "is_trivial": _of_type(_is_plain, takes_enumerations=True),
    "is_enum": (_is_enumeration, 1),
    "is_reference": _of_declared(lambda declared: declared.is_reference),
    "is_base_of": (_is_base, 2),
    "is_derived_from": (_is_derived, 2),
    "is_signed_integral": _of_type(lambda type: isinstance(type, IntegerType) and type.signed),
    "is_unsigned_integral": _of_type(lambda type: isinstance(type, BooleanType) or _is_unsigned(type)),
    "is_convertible": (_is_convertible, 2),
    "alignment_of": (_alignment, 1),
}
"""By name: the question, and how many types it is about."""


def _is_unsigned(type: Type) -> bool:
    return isinstance(type, IntegerType) and not type.signed
