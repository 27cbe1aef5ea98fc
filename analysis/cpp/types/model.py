"""C++ types: canonical, by identity, with qualifiers at every level.

Rules   Two types are the same if and only if they are equal: aliases are resolved, `long` is not `long long`, an
        enumeration is not its underlying type, a class is its name with template arguments spelled in full.
        `const` of an array is `const` of its elements; references are never qualified, and refer to objects.
        What a template parameter will say is a `DependentType`, what is not visible an `OpaqueType`.
Source  C++20 standard, [basic.types], [basic.type.qualifier]; address spaces as CUDA has them.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from typing import Final, TypeAlias, final

from analysis.ir.enumeration import Enumeration
from analysis.ir.record import record
from analysis.ir.types import GroupType, HandleType, MemorySpace, VectorType


class Fundamental(Enumeration):
    """The fundamental types, and CUDA's short floating-point numbers; the values are their spelling."""

    VOID = "void"
    NULL_POINTER = "decltype(nullptr)"
    BOOL = "bool"
    CHAR = "char"
    SIGNED_CHAR = "signed char"
    UNSIGNED_CHAR = "unsigned char"
    CHAR8 = "char8_t"
    CHAR16 = "char16_t"
    CHAR32 = "char32_t"
    WCHAR = "wchar_t"
    SHORT = "short"
    UNSIGNED_SHORT = "unsigned short"
    INT = "int"
    UNSIGNED = "unsigned"
    LONG = "long"
    UNSIGNED_LONG = "unsigned long"
    LONG_LONG = "long long"
    UNSIGNED_LONG_LONG = "unsigned long long"
    INT128 = "__int128"
    UNSIGNED_INT128 = "unsigned __int128"
    HALF = "half"
    BFLOAT16 = "bfloat16"
    FLOAT = "float"
    DOUBLE = "double"


@final
@record
class FundamentalType:
    kind: Fundamental


@final
@record
class EnumerationType:
    """By its qualified name; `underlying` is what it is stored as, `promoted` what `+x` is of."""

    name: str
    underlying: FundamentalType
    promoted: FundamentalType
    is_scoped: bool
    is_fixed: bool
    """Whether the declaration says the underlying type: a value may then be promoted to that as well."""


@final
@record
class ClassType:
    """A class, struct or union by its qualified name; of an instance the template's, with all of its arguments."""

    name: str
    arguments: tuple[TemplateArgument, ...] = ()
    is_parameter: bool = False
    """Whether the name is that of a template template parameter, as in `C<T>`."""


@final
@record
class DeviceType:
    """An object that CUDA has instead of a class: `float4`, a cooperative group, a texture."""

    object: VectorType | GroupType | HandleType


THREAD_GROUP: Final = DeviceType(HandleType("cooperative_groups::thread_group"))
"""What every cooperative group converts to."""
CLOSURE: Final = DeviceType(HandleType("lambda"))
"""The class of a lambda expression, whichever; calls that pass one are lowered in place."""


@final
@record
class PointerType:
    """`space` is where it points, as far as the declaration says so (a kernel's parameter points to global memory)."""

    pointee: QualType
    space: MemorySpace = MemorySpace.GENERIC


@final
@record
class MemberPointerType:
    """A pointer to a member of class `owner`."""

    owner: QualType
    member: QualType


@final
@record
class ReferenceType:
    referred: QualType
    is_rvalue: bool = False


@final
@record
class ArrayType:
    """`length` is None for `T[]`; the name of a template parameter, or an expression, while it depends on one."""

    element: QualType
    length: int | str | None


@final
@record
class FunctionType:
    """Parameters as callers see them: arrays and functions are pointers, the outermost `const` is gone."""

    result: QualType
    parameters: tuple[QualType, ...]
    is_variadic: bool = False
    is_constant: bool = False
    """Of a method: whether it may be called for constant objects."""
    expands: bool = False
    """Whether the last parameter is a pattern that a pack repeats, as in `R(A...)`."""


@final
@record
class DependentType:
    """A template parameter by its name, or a type that depends on one, as it is spelled."""

    name: str


@final
@record
class OpaqueType:
    """A type whose declaration is not visible."""

    spelling: str


class Placeholder(Enum):
    """What takes its type from an initialiser; the values are the spelling."""

    AUTO = "auto"
    DECLTYPE_AUTO = "decltype(auto)"


@final
@record
class PlaceholderType:
    kind: Placeholder


Type: TypeAlias = (
    FundamentalType
    | EnumerationType
    | ClassType
    | DeviceType
    | PointerType
    | MemberPointerType
    | ReferenceType
    | ArrayType
    | FunctionType
    | DependentType
    | OpaqueType
    | PlaceholderType
)


@final
@record
class QualType:
    """A type with its outermost qualifiers."""

    type: Type
    is_constant: bool = False
    is_volatile: bool = False

    @property
    def unqualified(self) -> QualType:
        """Without the outermost qualifiers; those of an array are its elements'."""
        if isinstance(self.type, ArrayType):
            element = self.type.element.unqualified
            return self if element is self.type.element else QualType(ArrayType(element, self.type.length))
        return QualType(self.type) if self.is_constant or self.is_volatile else self

    @property
    def object(self) -> QualType:
        """What a reference refers to; itself for all else."""
        return self.type.referred if isinstance(self.type, ReferenceType) else self

    @property
    def is_reference(self) -> bool:
        return isinstance(self.type, ReferenceType)


@final
@record
class ValueArgument:
    """A constant as a template argument, of the type that it has there."""

    value: int | float | bool
    type: QualType
    is_typed: bool = field(default=False, compare=False)
    """Whether the parameter is declared `auto`, so that names of instances say the type."""


@final
@record
class EntityArgument:
    """A constant object or a function as a template argument: whoever asks knows what `entity` is."""

    entity: object
    spelling: str = field(compare=False)


@final
@record
class DependentValue:
    """A template parameter that stands for a constant, by its name, or an expression with one."""

    name: str


@final
@record
class TemplateName:
    """A class template as a template argument, by its qualified name, or a template parameter that stands for one."""

    name: str
    is_parameter: bool = False


@final
@record
class Pack:
    """What a parameter pack is bound to."""

    elements: tuple[TemplateArgument, ...]


@final
@record
class Expansion:
    """`pattern...` where the packs in it are not known."""

    pattern: TemplateArgument


TemplateArgument: TypeAlias = (
    QualType | ValueArgument | EntityArgument | DependentValue | TemplateName | Pack | Expansion
)


def qualified(type: QualType, *, constant: bool = False, volatile: bool = False) -> QualType:
    """The type with more qualifiers: those of an array are its elements', a reference has none."""
    if not (constant or volatile) or isinstance(type.type, ReferenceType | FunctionType):
        return type
    if isinstance(type.type, ArrayType):
        element = qualified(type.type.element, constant=constant, volatile=volatile)
        return QualType(ArrayType(element, type.type.length))
    return QualType(type.type, type.is_constant or constant, type.is_volatile or volatile)


def qualifiers_of(type: QualType) -> tuple[bool, bool]:
    """Whether it is `const`, and `volatile`; an array has the qualifiers of its elements ([basic.type.qualifier])."""
    while isinstance(type.type, ArrayType):
        type = type.type.element
    return type.is_constant, type.is_volatile


def reference_to(type: QualType, *, is_rvalue: bool = False) -> QualType:
    """`T &` or `T &&`; of a reference, what reference collapsing makes of it ([dcl.ref])."""
    if isinstance(type.type, ReferenceType):
        return QualType(ReferenceType(type.type.referred, type.type.is_rvalue and is_rvalue))
    return QualType(ReferenceType(type, is_rvalue))


def pointer_to(type: QualType, space: MemorySpace = MemorySpace.GENERIC) -> QualType:
    return QualType(PointerType(type, space))


def fundamental(kind: Fundamental) -> QualType:
    return _FUNDAMENTAL[kind]


_FUNDAMENTAL: Final = {kind: QualType(FundamentalType(kind)) for kind in Fundamental}
VOID: Final = fundamental(Fundamental.VOID)
BOOL: Final = fundamental(Fundamental.BOOL)
INT: Final = fundamental(Fundamental.INT)
SIZE: Final = fundamental(Fundamental.UNSIGNED_LONG)
"""`std::size_t`."""
DOUBLE: Final = fundamental(Fundamental.DOUBLE)
NULL_POINTER: Final = fundamental(Fundamental.NULL_POINTER)
