"""Traits with a type: `std::remove_reference`, `std::make_unsigned`, `std::common_type`, ...

Question  Which type do they name?  None where an argument depends on a template parameter.
Rules     Where the C++ type is known, `analysis/cpp/types/transformations.py` answers.
Limits    Elsewhere, whether a pointer's target is constant is not kept.
Source    C++ standard, "Transformations between types".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from analysis.cpp.templates.substitution import names_in
from analysis.cpp.types import transformations
from analysis.cpp.types.arithmetic import common_arithmetic
from analysis.cpp.types.model import QualType
from analysis.ir.types import (
    VOID,
    ArrayType,
    IntegerType,
    MemorySpace,
    PointerType,
    TemplateType,
    UnknownType,
    VoidType,
)
from analysis.lower.conversions import arithmetic_type, is_arithmetic
from analysis.lower.names import DeclaredType, declared_as
from analysis.lower.types import NO_TYPE

_Change: TypeAlias = Callable[[DeclaredType], DeclaredType | None]


def transformed(name: str, arguments: Sequence[DeclaredType]) -> DeclaredType | None:
    """What the trait `name` makes of its arguments; the caller knows that there is one."""
    if name == "common_type":
        return _common(arguments)
    if name == "void_t":
        if any(each.type == NO_TYPE for each in arguments):
            return DeclaredType(NO_TYPE)
        is_known = not any(isinstance(each.type, TemplateType | UnknownType) for each in arguments)
        return DeclaredType(VOID) if is_known else None
    return _changed(name, arguments[0]) if arguments else None


def _changed(name: str, declared: DeclaredType) -> DeclaredType | None:
    exact = declared.exact
    if exact is None or names_in(exact):
        return TRANSFORMATIONS[name](replace(declared, spelled=None))
    made = transformations.TRANSFORMATIONS[name](exact)
    return None if made is None else declared_as(made)


def _without_reference(declared: DeclaredType) -> DeclaredType:
    return replace(declared, is_reference=False)


def _without_constant(declared: DeclaredType) -> DeclaredType:
    return declared if declared.is_reference else replace(declared, is_constant=False)


def _without_qualifiers(declared: DeclaredType) -> DeclaredType:
    return declared if declared.is_reference else DeclaredType(declared.type)


def _plain(declared: DeclaredType) -> DeclaredType:
    return DeclaredType(declared.type)


def _decayed(declared: DeclaredType) -> DeclaredType:
    if isinstance(declared.type, ArrayType):
        return DeclaredType(PointerType(declared.type.element, MemorySpace.GENERIC))
    return DeclaredType(declared.type)


def _target(declared: DeclaredType) -> DeclaredType | None:
    if isinstance(declared.type, TemplateType | UnknownType):
        return None
    if isinstance(declared.type, PointerType) and not declared.is_reference:
        return DeclaredType(declared.type.element)
    return declared


def _pointer(declared: DeclaredType) -> DeclaredType:
    return DeclaredType(PointerType(declared.type, MemorySpace.GENERIC, declared.is_volatile))


def _element(declared: DeclaredType) -> DeclaredType | None:
    if isinstance(declared.type, TemplateType | UnknownType):
        return None
    return DeclaredType(declared.type.element) if isinstance(declared.type, ArrayType) else declared


def _innermost(declared: DeclaredType) -> DeclaredType | None:
    inner = _element(declared)
    while inner is not None and inner != declared:
        declared, inner = inner, _element(inner)
    return inner


def _with_sign(signed: bool) -> _Change:
    def change(declared: DeclaredType) -> DeclaredType | None:
        type = declared.type
        return replace(declared, type=IntegerType(type.bits, signed)) if isinstance(type, IntegerType) else None

    return change


def _referred(declared: DeclaredType) -> DeclaredType:
    return declared if isinstance(declared.type, VoidType) else replace(declared, is_reference=True)


def _integer(declared: DeclaredType) -> DeclaredType | None:
    """Of an enumeration: our types keep the integer only."""
    return _plain(declared) if isinstance(declared.type, IntegerType) else None


def _common(arguments: Sequence[DeclaredType]) -> DeclaredType | None:
    types = [each.type for each in arguments]
    if not types or any(isinstance(type, TemplateType | UnknownType) for type in types):
        return None
    common = types[0]
    exact = _exact_common(arguments)
    if exact is not None:
        return declared_as(exact)
    for type in types[1:]:
        if type == common:
            continue
        if not is_arithmetic(type) or not is_arithmetic(common):
            return None
        common = arithmetic_type(common, type)
    return DeclaredType(common)


def _exact_common(arguments: Sequence[DeclaredType]) -> QualType | None:
    """Of numbers."""
    known = [each.exact.object.unqualified for each in arguments if each.exact is not None]
    common = known[0] if len(known) == len(arguments) else None
    for type in known[1:]:
        if common is not None and type != common:
            common = common_arithmetic(common, type)
    return common


TRANSFORMATIONS: Final[dict[str, _Change]] = {
    "remove_reference": _without_reference,
    "remove_const": _without_constant,
    "remove_volatile": lambda declared: replace(declared, is_volatile=False),
    "remove_cv": _without_qualifiers,
    "remove_cvref": _plain,
    "decay": _decayed,
    "remove_pointer": _target,
    "add_pointer": _pointer,
    "add_const": lambda declared: declared if declared.is_reference else replace(declared, is_constant=True),
    "add_lvalue_reference": _referred,
    "add_rvalue_reference": _referred,
    "remove_extent": _element,
    "remove_all_extents": _innermost,
    "make_unsigned": _with_sign(False),
    "make_signed": _with_sign(True),
    "underlying_type": _integer,
    "type_identity": lambda declared: declared,
}
"""Those of one type, by name; `common_type` and `void_t` take any number."""
