"""What references can refer to: an argument is an object or a value, constant or not, as far as that is known.

Source  C++ standard, "References", "Ranking implicit conversion sequences", "Deducing from a call" (`T &&`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, final

from analysis.cpp.conversions import model as cpp
from analysis.ir.types import TemplateType, Type
from analysis.lower.names import (
    Closure,
    DeclaredType,
    FunctionDeclaration,
    Signature,
    TemplateArgument,
    TypeName,
)

ArgumentType: TypeAlias = Type | Closure | None
"""None for an initialiser list or void."""


@final
@dataclass(frozen=True, slots=True)
class Argument:
    """What is known of an argument beside its type; None where it is not."""

    type: ArgumentType
    is_null: bool | None = None
    """Whether it is a literal zero, which is a null pointer."""
    is_lvalue: bool | None = None
    is_constant: bool | None = None
    exact: cpp.Argument | None = None
    """With its C++ type; None where that, or whether it is an object, is not known."""

    @property
    def is_value(self) -> bool:
        return self.is_lvalue is False


def may_bind(
    declaration: FunctionDeclaration, pattern: DeclaredType, declared: DeclaredType, argument: Argument
) -> bool:
    """Whether a parameter, which the template declares as `pattern`, can refer to the argument."""
    if not declared.is_reference or argument.type != declared.type:
        return True
    if declared.is_rvalue:
        return argument.is_lvalue is not True or _is_forwarding(declaration, pattern)
    if declared.is_constant:
        return True
    return argument.is_lvalue is not False and not (argument.is_constant and not declaration.template_parameters)


def _is_forwarding(declaration: FunctionDeclaration, pattern: DeclaredType) -> bool:
    """Whether it is `T &&` for a template parameter, which any object fits."""
    names = [parameter.name for parameter in declaration.template_parameters]
    return pattern.is_rvalue and isinstance(pattern.type, TemplateType) and pattern.type.name in names


def binds_better(one: Signature, other: Signature, arguments: Sequence[Argument]) -> bool:
    """Whether the two differ in what their references are to alone, and those of `one` fit the arguments better.

    Source: C++ standard, "Ranking implicit conversion sequences".
    """
    is_better = False
    pairs = zip(one.parameters, other.parameters, strict=False)
    for (first, second), argument in zip(pairs, arguments, strict=False):
        mine, theirs = first.declared, second.declared
        if mine.type != theirs.type or mine.type != argument.type:
            return False
        if mine.is_reference and theirs.is_reference and _is_nearer(mine, theirs, argument):
            is_better = True
        elif mine != theirs:
            return False
    return is_better


def is_open(one: Signature, other: Signature, arguments: Sequence[Argument]) -> bool:
    """Whether what is not known of an argument decides which of two references fits it better."""
    pairs = zip(one.parameters, other.parameters, strict=False)
    for (first, second), argument in zip(pairs, arguments, strict=False):
        mine, theirs = first.declared, second.declared
        if mine.type == theirs.type == argument.type and mine.is_reference and theirs.is_reference:
            if mine.is_rvalue != theirs.is_rvalue and argument.is_lvalue is None:
                return True
            if mine.is_constant != theirs.is_constant and argument.is_constant is None and not argument.is_value:
                return True
    return False


def _is_nearer(mine: DeclaredType, theirs: DeclaredType, argument: Argument) -> bool:
    if mine.is_rvalue and not theirs.is_rvalue and argument.is_lvalue is False:
        return True
    is_mutable = argument.is_constant is False and argument.is_lvalue is True
    return is_mutable and theirs.is_constant and not theirs.is_rvalue and not mine.is_constant


def refer_to_objects(
    declaration: FunctionDeclaration,
    generic: Signature,
    passed: Sequence[Argument],
    named: dict[str, TemplateArgument],
    written: set[str],
) -> None:
    """What `T &&` makes of an object: `T` is a reference to it."""
    for parameter, argument in zip(generic.parameters, passed, strict=False):
        pattern = parameter.declared
        if not argument.is_lvalue or parameter.is_pack or not _is_forwarding(declaration, pattern):
            continue
        name = pattern.type.name if isinstance(pattern.type, TemplateType) else ""
        found = named.get(name)
        if isinstance(found, TypeName) and name not in written and not found.declared.is_reference:
            named[name] = TypeName(DeclaredType(found.declared.type, True, bool(argument.is_constant)))
