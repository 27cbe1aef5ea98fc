"""A template of the standard library with its arguments: a type, a constant, or something that depends on a parameter.

Rules   The class form of a trait is the class that it inherits from: `std::is_same<A, B>` is an
        `integral_constant<bool, ...>`, `std::conditional<...>` a `type_identity<...>`; so `::value`, `::type`, `{}` and
        a use as a base class work alike.  `_v` is the constant, `_t` the type.
        Where an argument depends on a template parameter, so does the result: it is one constant, or one type, for the
        whole grid.
        `enable_if` of a false condition is `NO_TYPE`: a function that names it is no candidate, a specialisation with
        it never matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from analysis.cpp.types.model import SIZE
from analysis.ir.types import (
    BOOLEAN,
    S32,
    U64,
    VOID,
    ArrayType,
    IntegerType,
    PointerType,
    StructType,
    TemplateType,
    Type,
)
from analysis.lower.builtins import builtin_layout
from analysis.lower.builtins.types import canonical
from analysis.lower.concepts import STANDARD_CONCEPTS
from analysis.lower.library.properties import PROPERTIES, property_of
from analysis.lower.library.source import array_elements, is_written, written_template
from analysis.lower.library.transformations import TRANSFORMATIONS, transformed
from analysis.lower.names import (
    ConstantName,
    Declarations,
    DeclaredType,
    DependentName,
    Entity,
    PackPattern,
    TemplateArgument,
    TemplateValue,
    TypeName,
    TypeTemplate,
    declared_as,
)
from analysis.lower.types import NO_TYPE, spelled_argument

_MAX_SEQUENCE: Final = 1024


@lru_cache(maxsize=1024)
def library_template(name: str) -> TypeTemplate | None:
    """The template of that qualified name, which has no declarations; None where it is none that is known here."""
    space, last = canonical(name)
    if space != "std":
        return None
    last = STANDARD_CONCEPTS.get(last) or last
    stem = last[:-2] if last.endswith(("_v", "_t")) else last
    is_known = stem in PROPERTIES or stem in TRANSFORMATIONS or stem in _OTHERS or last in _OTHERS or is_written(last)
    return TypeTemplate(last, ()) if is_known else None


def apply(program: Declarations, name: str, arguments: Sequence[TemplateArgument]) -> Entity | None:
    """What `std::name<arguments>` means."""
    if name in ("true_type", "false_type"):
        return _constant_class(program, ConstantName(name == "true_type", BOOLEAN))
    if not arguments and name != "index_sequence":
        return None
    spelling = f"std::{name}<{', '.join(map(spelled_argument, arguments))}>"
    if is_written(name):
        return program.instantiate_type(written_template(program, name), tuple(arguments))
    if name in ("index_sequence", "make_index_sequence", "make_integer_sequence", "index_sequence_for"):
        return _sequence(program, name, arguments, spelling)
    stem, is_class = (name[:-2], False) if name.endswith(("_v", "_t")) and name != "void_t" else (name, True)
    constant = _constant(program, stem, arguments)
    if constant is not None:
        return constant if not is_class or name == "void_t" else _constant_class(program, constant)
    if stem in TRANSFORMATIONS or stem in _TYPES:
        found = _type(program, stem, arguments)
        if name == "void_t" or not is_class:
            return TypeName(DeclaredType(TemplateType(spelling)) if found is None else found)
        return DependentName(spelling) if found is None else _holder(program, found)
    return DependentName(spelling) if is_class else TemplateValue(spelling, BOOLEAN)


def _constant(program: Declarations, stem: str, arguments: Sequence[TemplateArgument]) -> ConstantName | None:
    """The value of a trait that has one."""
    if stem in PROPERTIES:
        types = [each for each in arguments if isinstance(each, TypeName)]
        answer = property_of(program, stem, types) if len(types) == len(arguments) else None
        return None if answer is None else ConstantName(answer, BOOLEAN if isinstance(answer, bool) else U64)
    if stem in ("conjunction", "disjunction", "negation"):
        return _combined(program, stem, arguments)
    if stem == "tuple_size" and arguments and isinstance(arguments[0], TypeName):
        length = _tuple_length(program, arguments[0].declared.type)
        return None if length is None else ConstantName(length, U64)
    if stem == "bool_constant" and arguments and isinstance(arguments[0], ConstantName):
        return ConstantName(bool(arguments[0].value), BOOLEAN)
    return None


def _combined(program: Declarations, stem: str, arguments: Sequence[TemplateArgument]) -> ConstantName | None:
    """`conjunction<A, B...>` and its siblings: in order, up to the one that decides."""
    decisive = stem == "disjunction"
    is_open = False
    for argument in arguments:
        value = _value_of(program, argument)
        if stem == "negation":
            return None if value is None else ConstantName(not value, BOOLEAN)
        if value is None:
            is_open = True
        elif value == decisive:
            return ConstantName(decisive, BOOLEAN)
    return None if is_open else ConstantName(not decisive, BOOLEAN)


def _value_of(program: Declarations, argument: TemplateArgument) -> bool | None:
    type = argument.declared.type if isinstance(argument, TypeName) else None
    record = program.records.get(type.name) if isinstance(type, StructType) else None
    value = None if record is None or record.is_guess else record.member("value")
    return bool(value.value) if isinstance(value, ConstantName) else None


def _type(program: Declarations, stem: str, arguments: Sequence[TemplateArgument]) -> DeclaredType | None:
    """The type of a trait that has one; None where it depends on a template parameter."""
    types = [each.declared for each in arguments if isinstance(each, TypeName)]
    if any(isinstance(each, PackPattern) for each in arguments):
        return None
    match stem:
        case "conditional" if len(arguments) == 3 and len(types) == 2:
            condition = arguments[0]
            if isinstance(condition, ConstantName):
                return types[0] if condition.value else types[1]
            return types[0] if types[0] == types[1] else None
        case "enable_if" if arguments:
            condition = arguments[0]
            if not isinstance(condition, ConstantName):
                return None
            return (types[0] if types else DeclaredType(VOID)) if condition.value else DeclaredType(NO_TYPE)
        case "tuple_element" if len(arguments) == 2 and len(types) == 1:
            index = arguments[0]
            return _element_type(program, types[0].type, int(index.value)) if isinstance(index, ConstantName) else None
        case "conditional" | "enable_if" | "tuple_element":
            return None
        case _:
            return transformed(stem, types) if len(types) == len(arguments) else None


def _tuple_length(program: Declarations, type: Type) -> int | None:
    elements = array_elements(program, type)
    if elements is not None:
        return elements.length
    layout = builtin_layout(type)
    return None if layout is None else len(layout.fields)


def _element_type(program: Declarations, type: Type, index: int) -> DeclaredType | None:
    elements = array_elements(program, type)
    if elements is not None:
        return DeclaredType(elements.element)
    layout = builtin_layout(type)
    return None if layout is None or index >= len(layout.fields) else DeclaredType(layout.fields[index].type)


def _constant_class(program: Declarations, constant: ConstantName) -> Entity | None:
    arguments = TypeName(DeclaredType(constant.type)), constant
    return program.instantiate_type(written_template(program, "integral_constant"), arguments)


def _holder(program: Declarations, declared: DeclaredType) -> Entity | None:
    """A class whose `type` it is."""
    if declared.type == NO_TYPE:
        return TypeName(declared)
    return program.instantiate_type(written_template(program, "type_identity"), (TypeName(declared),))


def _sequence(program: Declarations, name: str, arguments: Sequence[TemplateArgument], spelling: str) -> Entity | None:
    """`index_sequence<I...>`, and the sequences from zero that `make_...` counts."""
    template = written_template(program, "integer_sequence")
    index = TypeName(declared_as(SIZE))
    if name == "index_sequence":
        return program.instantiate_type(template, (index, *arguments))
    if name == "index_sequence_for":
        count = None if any(isinstance(each, PackPattern) for each in arguments) else len(arguments)
    else:
        if name == "make_integer_sequence" and arguments and isinstance(arguments[0], TypeName):
            index, arguments = arguments[0], arguments[1:]
        length = arguments[0] if len(arguments) == 1 else None
        count = int(length.value) if isinstance(length, ConstantName) else None
    if count is None or not 0 <= count <= _MAX_SEQUENCE:
        return TypeName(DeclaredType(TemplateType(spelling)))
    type = index.declared.type
    exact = index.declared.exact
    numbers = [ConstantName(number, type if isinstance(type, IntegerType) else S32, exact) for number in range(count)]
    return program.instantiate_type(template, (index, *numbers))


def is_excluded(declared: DeclaredType) -> bool:
    """Whether a declaration is none for these template arguments: its type does not exist."""
    type = declared.type
    while isinstance(type, PointerType | ArrayType):
        type = type.element
    return type == NO_TYPE


_TYPES: Final = frozenset({"conditional", "enable_if", "tuple_element", "common_type", "void_t"})
_OTHERS: Final = _TYPES | {
    "true_type",
    "false_type",
    "conjunction",
    "disjunction",
    "negation",
    "tuple_size",
    "bool_constant",
    "index_sequence",
    "make_index_sequence",
    "make_integer_sequence",
    "index_sequence_for",
}
