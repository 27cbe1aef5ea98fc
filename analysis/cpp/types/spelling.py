"""Types as C++ text, the way a declaration spells them; equal types have equal spellings, others do not."""

from __future__ import annotations

from typing import Final, assert_never

from analysis.cpp.types.model import (
    INT,
    ArrayType,
    ClassType,
    DependentType,
    DependentValue,
    DeviceType,
    EntityArgument,
    EnumerationType,
    Expansion,
    FunctionType,
    FundamentalType,
    MemberPointerType,
    OpaqueType,
    Pack,
    PlaceholderType,
    PointerType,
    QualType,
    ReferenceType,
    TemplateArgument,
    TemplateName,
    ValueArgument,
)
from analysis.ir.types import (
    BF16,
    F16,
    F32,
    F64,
    S8,
    S16,
    S32,
    S64,
    U8,
    U16,
    U32,
    U64,
    GroupType,
    HandleType,
    VectorType,
)
from analysis.ir.types import Type as IrType


def spelled(type: QualType) -> str:
    """The type as in `static_cast<...>`."""
    return declared("", type)


def declared(name: str, type: QualType) -> str:
    """A declaration of `name`: the declarator is built from the name outwards."""
    inner = type.type
    qualifiers = " ".join(
        word for word, given in (("const", type.is_constant), ("volatile", type.is_volatile)) if given
    )
    match inner:
        case PointerType(pointee=pointee):
            return declared(_around(f"*{_spaced(qualifiers, name)}", pointee), pointee)
        case MemberPointerType(owner=owner, member=member):
            return declared(_around(f"{spelled(owner)}::*{_spaced(qualifiers, name)}", member), member)
        case ReferenceType(referred=referred, is_rvalue=is_rvalue):
            return declared(_around(f"{'&&' if is_rvalue else '&'}{name}", referred), referred)
        case ArrayType(element=element, length=length):
            return declared(f"{name}[{'' if length is None else length}]", element)
        case FunctionType(result=result, parameters=parameters):
            own = [*map(spelled, parameters), *(["..."] if inner.is_variadic else [])]
            listed = f"{', '.join(own)}{'...' if inner.expands else ''}"
            return declared(f"{name}({listed}){' const' if inner.is_constant else ''}", result)
        case FundamentalType(kind=kind):
            return _spaced(_spaced(qualifiers, kind.value), name)
        case PlaceholderType(kind=kind):
            return _spaced(_spaced(qualifiers, kind.value), name)
        case ClassType(name=own, arguments=arguments):
            listed = f"<{', '.join(map(spelled_argument, arguments))}>" if arguments else ""
            return _spaced(_spaced(qualifiers, own + listed), name)
        case EnumerationType(name=own) | DependentType(name=own) | OpaqueType(spelling=own):
            return _spaced(_spaced(qualifiers, own), name)
        case DeviceType(object=object):
            return _spaced(_spaced(qualifiers, _device(object)), name)
        case _:
            assert_never(inner)


def spelled_argument(argument: TemplateArgument) -> str:
    match argument:
        case QualType():
            return spelled(argument)
        case ValueArgument(value=value, type=type, is_typed=is_typed):
            text = str(value).lower() if isinstance(value, bool) else str(value)
            return f"({spelled(type)}){text}" if is_typed and type != INT and not isinstance(value, bool) else text
        case DependentValue(name=name) | TemplateName(name=name) | EntityArgument(spelling=name):
            return name
        case Pack(elements=elements):
            return ", ".join(map(spelled_argument, elements))
        case Expansion(pattern=pattern):
            return f"{spelled_argument(pattern)}..."
        case _:
            assert_never(argument)


def _device(object: VectorType | GroupType | HandleType) -> str:
    match object:
        case VectorType(element=element, length=length):
            return f"{_VECTORS.get(element, 'vector of ')}{length}"
        case GroupType(kind=kind, size=size):
            return f"{kind.value} group" if size is None else f"{kind.value} group of {size}"
        case HandleType(name=name):
            return name
        case _:
            assert_never(object)


def _around(name: str, pointee: QualType) -> str:
    """Brackets where what is pointed to would bind stronger: an array, a function."""
    return f"({name})" if isinstance(pointee.type, ArrayType | FunctionType) else name


def _spaced(left: str, right: str) -> str:
    if not left or not right or right[0] == "[" or not right.strip("*&"):
        return left + right
    return f"{left} {right}"


_VECTORS: Final[dict[IrType, str]] = {
    S8: "char", U8: "uchar", S16: "short", U16: "ushort", S32: "int", U32: "uint", S64: "longlong", U64: "ulonglong",
    F16: "half", BF16: "bfloat16", F32: "float", F64: "double",
}  # fmt: skip
