"""Template parameters, and the types, values and templates that stand for them where they are compared.

Source  C++20 standard, [temp.param], [temp.func.order].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from analysis.cpp.templates.substitution import substituted_arguments
from analysis.cpp.types.model import (
    DependentType,
    DependentValue,
    Expansion,
    OpaqueType,
    QualType,
    TemplateArgument,
    TemplateName,
)
from analysis.ir.record import record


@final
@record
class TemplateParameter:
    """`kind` says what it stands for; a default names no later parameter."""

    name: str
    kind: type[DependentType] | type[DependentValue] | type[TemplateName] = DependentType
    is_pack: bool = False
    default: TemplateArgument | None = None


def names_of(template: Sequence[TemplateParameter]) -> frozenset[str]:
    return frozenset(parameter.name for parameter in template)


def unique(template: Sequence[TemplateParameter]) -> dict[str, TemplateArgument]:
    """For each parameter something that nothing else is; a pack stands for itself with a unique pattern."""
    return {one.name: _unique(one) for one in template}


def _unique(parameter: TemplateParameter) -> TemplateArgument:
    own = f"unique {parameter.name}"
    if parameter.kind is DependentType:
        return QualType(OpaqueType(own))
    return DependentValue(own) if parameter.kind is DependentValue else TemplateName(own)


def unique_arguments(
    template: Sequence[TemplateParameter], arguments: Sequence[TemplateArgument]
) -> list[TemplateArgument]:
    """The arguments with unique ones for all parameters; an expansion stays one."""
    bindings = unique(template)
    found: list[TemplateArgument] = []
    for argument in arguments:
        if isinstance(argument, Expansion):
            found += [Expansion(each) for each in substituted_arguments([argument.pattern], bindings)]
        else:
            found += substituted_arguments([argument], bindings)
    return found
