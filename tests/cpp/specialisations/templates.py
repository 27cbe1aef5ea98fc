"""Random class templates with specialisations, and lists of arguments, as types and as C++ text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

from analysis.cpp.templates.parameters import TemplateParameter
from analysis.cpp.templates.specialisations import Specialisation
from analysis.cpp.templates.substitution import names_in, substituted
from analysis.cpp.types.model import (
    DOUBLE,
    INT,
    ArrayType,
    ClassType,
    DependentType,
    DependentValue,
    Expansion,
    FunctionType,
    Fundamental,
    QualType,
    TemplateArgument,
    TemplateName,
    ValueArgument,
    fundamental,
    pointer_to,
    qualified,
    reference_to,
)
from analysis.cpp.types.spelling import spelled_argument
from tests.cpp.template_heads import listed
from tests.sim.random.choices import Choices

_T: Final = QualType(DependentType("T"))
_LONG: Final = fundamental(Fundamental.LONG)
_PATTERNS: Final = (
    pointer_to(_T),
    qualified(_T, constant=True),
    pointer_to(qualified(_T, constant=True)),
    reference_to(_T),
    reference_to(_T, is_rvalue=True),
    reference_to(qualified(_T, constant=True)),
    qualified(pointer_to(_T), constant=True),
    pointer_to(pointer_to(_T)),
    QualType(ClassType("Box", (_T,))),
    QualType(ClassType("Box", (pointer_to(_T),))),
    QualType(ClassType("Box", (_T,)), is_constant=True),
    QualType(ClassType("Row", (_T, DependentValue("N")))),
    QualType(ClassType("Row", (INT, DependentValue("N")))),
    QualType(ClassType("Row", (_T, ValueArgument(2, INT)))),
    QualType(ClassType("C", (_T,), is_parameter=True)),
    QualType(ArrayType(_T, "N")),
    QualType(ArrayType(_T, None)),
    QualType(ArrayType(qualified(_T, constant=True), "N")),
    QualType(FunctionType(_T, (INT,))),
    QualType(FunctionType(_T, (QualType(DependentType("U")),))),
    pointer_to(QualType(FunctionType(INT, (_T,)))),
    _T,
    INT,
    _LONG,
    pointer_to(INT),
    QualType(ClassType("Box", (INT,))),
)
_TYPES: Final = (INT, _LONG, DOUBLE, fundamental(Fundamental.LONG_LONG), QualType(ClassType("Base")))
_USES: Final = 8


@final
@dataclass(frozen=True, slots=True)
class TemplateSet:
    """A primary template with `width` parameters (0 for a pack); each use is a list of arguments."""

    width: int
    specialisations: tuple[Specialisation, ...]
    uses: tuple[tuple[TemplateArgument, ...], ...]

    @property
    def declarations(self) -> list[str]:
        """Each class has as many bytes as its number, the primary template one."""
        own = ", ".join(f"class P{index}" for index in range(self.width)) or "class... P"
        lines = [f"template <{own}> struct A {{ char bytes[1]; }};"]
        for number, one in enumerate(self.specialisations):
            pattern = ", ".join(map(spelled_argument, one.pattern))
            lines.append(f"template <{listed(one.template)}> struct A<{pattern}> {{ char bytes[{number + 2}]; }};")
        return lines


def random_templates(choices: Choices) -> TemplateSet:
    width = choices.pick((1, 1, 2, 0))
    made = [_pattern(choices, width) for _ in range(choices.between(1, 4))]
    patterns = dict.fromkeys(one for one in made if not _is_primary(one))
    found = tuple(Specialisation(number, _parameters(one), one) for number, one in enumerate(patterns))
    uses = dict.fromkeys(tuple(_type(choices) for _ in range(width or choices.below(4))) for _ in range(_USES))
    return TemplateSet(width, found, tuple(uses))


def _pattern(choices: Choices, width: int) -> tuple[TemplateArgument, ...]:
    if not width:
        first = [choices.pick(_PATTERNS)] if choices.chance(2) else []
        rest = choices.pick((QualType(DependentType("R")), pointer_to(QualType(DependentType("R")))))
        return (*first, Expansion(rest)) if choices.chance(2) else (choices.pick(_PATTERNS), choices.pick(_PATTERNS))
    if width == 1:
        return (choices.pick(_PATTERNS),)
    second = choices.pick(_PATTERNS)
    return choices.pick(_PATTERNS), second if choices.chance(2) else _renamed(second)


def _is_primary(pattern: tuple[TemplateArgument, ...]) -> bool:
    """Whether the pattern takes all that the primary template takes."""
    inner = [one.pattern if isinstance(one, Expansion) else one for one in pattern]
    bare = [one.type.name for one in inner if isinstance(one, QualType) and isinstance(one.type, DependentType)]
    plain = [one for one in inner if isinstance(one, QualType) and not (one.is_constant or one.is_volatile)]
    return len(bare) == len(pattern) == len(set(bare)) and len(plain) == len(pattern)


def _renamed(pattern: QualType) -> QualType:
    return substituted(pattern, {"T": QualType(DependentType("U"))})


def _parameters(pattern: tuple[TemplateArgument, ...]) -> tuple[TemplateParameter, ...]:
    named = frozenset[str]().union(*map(names_in, pattern))
    found = [TemplateParameter(name) for name in ("T", "U") if name in named]
    found += [TemplateParameter("N", DependentValue)] if "N" in named else []
    if any(isinstance(one, QualType) and one.type == ClassType("C", (_T,), is_parameter=True) for one in pattern):
        found.append(TemplateParameter("C", TemplateName))
    if any(
        isinstance(one, QualType) and one.type == ClassType("C", (QualType(DependentType("U")),), is_parameter=True)
        for one in pattern
    ):
        found.append(TemplateParameter("C", TemplateName))
    return (*dict.fromkeys(found), *([TemplateParameter("R", is_pack=True)] if "R" in named else []))


def _type(choices: Choices) -> QualType:
    inner = choices.pick(_TYPES)
    match choices.below(9):
        case 0:
            return pointer_to(qualified(inner, constant=choices.chance(2)))
        case 1:
            return qualified(inner, constant=True)
        case 2:
            return reference_to(qualified(inner, constant=choices.chance(2)), is_rvalue=choices.chance(2))
        case 3:
            return qualified(pointer_to(choices.pick((inner, pointer_to(inner)))), constant=choices.chance(2))
        case 4:
            own = choices.pick((inner, pointer_to(inner)))
            return QualType(ClassType("Box", (own,)), is_constant=choices.chance(3))
        case 5:
            return QualType(ClassType("Row", (inner, ValueArgument(choices.between(1, 3), INT))))
        case 6:
            return QualType(ArrayType(qualified(inner, constant=choices.chance(3)), choices.pick((None, 2, 3))))
        case 7:
            function = QualType(FunctionType(inner, (choices.pick(_TYPES),)))
            return choices.pick((function, pointer_to(function)))
        case _:
            return inner
