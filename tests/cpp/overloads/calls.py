"""Random sets of functions of one parameter or two and calls of them, as types and as C++ text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

from analysis.cpp.conversions.model import Argument, ValueCategory
from analysis.cpp.overloads.choice import Candidate
from analysis.cpp.templates.functions import FunctionTemplate
from analysis.cpp.templates.parameters import TemplateParameter
from analysis.cpp.templates.substitution import names_in, substituted
from analysis.cpp.types.model import (
    INT,
    NULL_POINTER,
    VOID,
    ArrayType,
    ClassType,
    DependentType,
    DependentValue,
    Fundamental,
    QualType,
    TemplateName,
    ValueArgument,
    fundamental,
    pointer_to,
    qualified,
    reference_to,
)
from analysis.cpp.types.spelling import declared, spelled
from tests.cpp.overloads.world import CLASSES, PLAIN, SCOPED, SMALL
from tests.cpp.template_heads import listed
from tests.sim.random.choices import Choices

_NUMBERS: Final = [
    fundamental(kind)
    for kind in Fundamental
    if kind
    not in (
        Fundamental.VOID,
        Fundamental.NULL_POINTER,
        Fundamental.INT128,
        Fundamental.UNSIGNED_INT128,
        Fundamental.HALF,
        Fundamental.BFLOAT16,
        Fundamental.WCHAR,
        Fundamental.CHAR8,
        Fundamental.CHAR16,
        Fundamental.CHAR32,
    )
]
_OBJECTS: Final = [QualType(ClassType(name)) for name in CLASSES]
_ENUMERATIONS: Final = [PLAIN, SCOPED, SMALL]
_LITERALS: Final = (
    ("1", Fundamental.INT),
    ("2u", Fundamental.UNSIGNED),
    ("3l", Fundamental.LONG),
    ("4ull", Fundamental.UNSIGNED_LONG_LONG),
    ("'a'", Fundamental.CHAR),
    ("true", Fundamental.BOOL),
    ("1.5f", Fundamental.FLOAT),
    ("2.5", Fundamental.DOUBLE),
)
_CALLS: Final = 6


@final
@dataclass(frozen=True, slots=True)
class Call:
    text: str
    arguments: tuple[Argument, ...]


@final
@dataclass(frozen=True, slots=True)
class OverloadSet:
    """`templates` come after `candidates` in the text."""

    candidates: tuple[Candidate, ...]
    templates: tuple[FunctionTemplate, ...]
    calls: tuple[Call, ...]
    variables: tuple[str, ...]

    @property
    def declarations(self) -> list[str]:
        """Each function gives an array whose length says which one it is."""
        plain = [f"char (&f({_listed(one)}))[{number + 1}];" for number, one in enumerate(self.candidates)]
        first = len(plain) + 1
        return plain + [
            f"template <{listed(one.template)}> char (&f({_listed(one)}))[{first + number}];"
            for number, one in enumerate(self.templates)
        ]


def _listed(candidate: Candidate | FunctionTemplate) -> str:
    listed = [spelled(each) for each in candidate.parameters]
    if isinstance(candidate, FunctionTemplate) and candidate.expands:
        listed[-1] = declared("...", candidate.parameters[-1])
    return ", ".join([*listed, *(["..."] if candidate.is_variadic else [])])


def random_set(choices: Choices) -> OverloadSet:
    width = 1 + choices.chance(3)
    signatures = dict.fromkeys(tuple(_parameter(choices) for _ in range(width)) for _ in range(choices.between(2, 5)))
    candidates = [Candidate(number, one, width) for number, one in enumerate(signatures)]
    if choices.chance(4):
        candidates.append(Candidate(len(candidates), (), 0, is_variadic=True))
    variables: dict[QualType, str] = {}
    calls: dict[str, Call] = {}
    for _ in range(_CALLS):
        given = [_argument(choices, variables) for _ in range(width)]
        text = f"f({', '.join(text for text, _ in given)})"
        calls[text] = Call(text, tuple(argument for _, argument in given))
    declarations = [f"extern {declared(name, type)};" for type, name in variables.items()]
    templates = dict.fromkeys(_template(choices, width) for _ in range(choices.below(4)))
    numbered = [FunctionTemplate(len(candidates) + index, *shape) for index, shape in enumerate(templates)]
    return OverloadSet(tuple(candidates), tuple(numbered), tuple(calls.values()), tuple(declarations))


_T: Final = QualType(DependentType("T"))
_SHAPES: Final = (
    _T,
    reference_to(_T),
    reference_to(qualified(_T, constant=True)),
    reference_to(_T, is_rvalue=True),
    reference_to(qualified(_T, constant=True), is_rvalue=True),
    pointer_to(_T),
    pointer_to(qualified(_T, constant=True)),
    reference_to(pointer_to(_T)),
    reference_to(qualified(pointer_to(_T), constant=True)),
    pointer_to(pointer_to(_T)),
    pointer_to(pointer_to(qualified(_T, constant=True))),
    reference_to(QualType(ArrayType(_T, 2))),
    reference_to(QualType(ArrayType(_T, "N"))),
    reference_to(QualType(ArrayType(qualified(_T, constant=True), "N"))),
    QualType(ClassType("Box", (_T,))),
    reference_to(QualType(ClassType("Box", (_T,)))),
    reference_to(QualType(ClassType("Box", (_T,)), is_constant=True)),
    QualType(ClassType("Box", (pointer_to(_T),))),
    pointer_to(QualType(ClassType("Box", (_T,)))),
    QualType(ClassType("C", (_T,), is_parameter=True)),
    reference_to(QualType(ClassType("C", (_T,), is_parameter=True), is_constant=True)),
    QualType(ClassType("Row", (_T, DependentValue("N")))),
    QualType(ClassType("Row", (_T, ValueArgument(2, INT)))),
    QualType(ClassType("Row", (INT, DependentValue("N")))),
)


def _template(choices: Choices, width: int) -> tuple[tuple[TemplateParameter, ...], tuple[QualType, ...], int, bool]:
    """A template's parameters, the patterns, how many arguments it needs, and whether the last is a pack."""
    if choices.chance(6):
        pattern = choices.pick(_SHAPES[:7])
        parameters = [_T] * (width - 1) + [_renamed(pattern)]
        own = [TemplateParameter("T")] if width > 1 else []
        return (*own, TemplateParameter("U", is_pack=True)), tuple(parameters), width - 1, True
    patterns = [choices.pick(_SHAPES) for _ in range(width)]
    if width > 1 and choices.chance(2):
        patterns[1] = choices.pick((_renamed(choices.pick(_SHAPES[:7])), _some(choices), patterns[0]))
    named = frozenset[str]().union(*map(names_in, patterns))
    found = [TemplateParameter(name) for name in ("T", "U") if name in named]
    found += [TemplateParameter("N", DependentValue)] if "N" in named else []
    if any(isinstance(one.object.type, ClassType) and one.object.type.name == "C" for one in patterns):
        found.append(TemplateParameter("C", TemplateName))
    return tuple(found), tuple(patterns), width, False


def _renamed(pattern: QualType) -> QualType:
    return substituted(pattern, {"T": QualType(DependentType("U"))})


def _some(choices: Choices) -> QualType:
    return choices.pick(choices.pick((_NUMBERS, _NUMBERS, _OBJECTS, _ENUMERATIONS)))


def _pointer(choices: Choices) -> QualType:
    """To something, to a pointer, or to nothing known."""
    to = qualified(choices.pick((_some(choices), VOID)), constant=choices.chance(2))
    found = pointer_to(to)
    return pointer_to(qualified(found, constant=choices.chance(2))) if choices.chance(4) else found


def _instance(choices: Choices) -> QualType:
    inner = choices.pick((_some(choices), _pointer(choices)))
    if choices.chance(2):
        return QualType(ClassType("Row", (inner, ValueArgument(choices.between(1, 3), INT))))
    return QualType(ClassType("Box", (inner,)))


def _parameter(choices: Choices) -> QualType:
    match choices.below(6):
        case 0 | 1:
            return _some(choices)
        case 2:
            return _pointer(choices)
        case 3:
            return reference_to(qualified(_some(choices), constant=choices.chance(2)))
        case 4:
            inner = choices.pick((_some(choices), _pointer(choices)))
            return reference_to(qualified(inner, constant=choices.chance(3)), is_rvalue=choices.chance(2))
        case _:
            return choices.pick(
                (NULL_POINTER, fundamental(Fundamental.BOOL), pointer_to(qualified(VOID, constant=True)))
            )


def _argument(choices: Choices, variables: dict[QualType, str]) -> tuple[str, Argument]:
    match choices.below(6):
        case 0:
            text, kind = choices.pick(_LITERALS)
            return text, Argument(fundamental(kind))
        case 1:
            return choices.pick((("nullptr", Argument(NULL_POINTER, is_null=True)), ("0", Argument(INT, is_null=True))))
        case 2:
            type = choices.pick((_some(choices), QualType(ArrayType(_some(choices), 2))))
        case _:
            type = choices.pick((_some(choices), _pointer(choices), _instance(choices)))
    type = qualified(type, constant=choices.chance(3))
    name = variables.setdefault(type, f"v{len(variables)}")
    if choices.chance(4):
        moved = spelled(reference_to(type, is_rvalue=True))
        return f"static_cast<{moved}>({name})", Argument(type, ValueCategory.XVALUE)
    return name, Argument(type, ValueCategory.LVALUE)
