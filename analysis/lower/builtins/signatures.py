"""The notation for signatures, and how a call is fitted to one.

Notation  `result(parameter, parameter?, ...)`; alternatives are separated by `|`.
          A type is an IR scalar (`s32`, `u64`, `f16`, `bf16`, `bool`, `void`), a CUDA type name (`float4`, `half2`,
          `cudaTextureObject_t`) or a *generic* below; `X*` takes a pointer to it, `X&` the address of an lvalue.
          `?` ends an optional parameter; a last `...` takes any further arguments as they are.

          T   usual arithmetic conversions over all `T` arguments (C's `a + b`)
          F   the same for floating-point functions: integers count as double
          I   the same for integers
          V W a template parameter: the type of the first such argument, or the explicit template argument
          S   the argument's type after integer promotion (warp shuffles have no form for char)
          E   what the `E*` argument points to
          R   the explicit template argument, else what the texture named first holds
          P   any pointer, kept as it is
          any, handle, group   kept as they are; the last two must be objects of that kind
          function  something that can be called: a function object, a lambda, a function's name
          mask    lanes of a warp: u32, or u64 where a warp has 64 lanes

Example   `atomicAdd` is `E(E*, E)`; `pow` is `F(F, F)`, so `pow(float, int)` is double, as C++11 says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from analysis.ir.enumeration import Enumeration
from analysis.ir.ids import ValueId
from analysis.ir.types import (
    F64,
    U32,
    U64,
    ArrayType,
    BooleanType,
    FloatType,
    GroupType,
    HandleType,
    IntegerType,
    MemorySpace,
    PointerType,
    StructType,
    TemplateType,
    Type,
    UnknownType,
    VectorType,
    VoidType,
)
from analysis.lower.builtins.arithmetic import common_floating, common_integer, common_type, promoted_alone
from analysis.lower.builtins.call import BuiltinCall
from analysis.lower.builtins.spelling import spelled_type
from analysis.lower.builtins.types import builtin_type, element_of_handle
from analysis.lower.conversions import convert


class Generic(Enumeration):
    """A type that the call decides; the values are the notation."""

    ARITHMETIC = "T"
    FLOATING = "F"
    INTEGRAL = "I"
    VALUE = "V"
    OTHER_VALUE = "W"
    PROMOTED = "S"
    ELEMENT = "E"
    REQUESTED = "R"
    POINTER = "P"
    ANY = "any"
    HANDLE = "handle"
    GROUP = "group"
    MASK = "mask"
    FUNCTION = "function"


class Passing(Enum):
    """How a parameter takes its argument."""

    VALUE = ""
    POINTER = "*"
    REFERENCE = "&"


class Slot(NamedTuple):
    """A parameter, or the result."""

    type: Type | Generic
    passing: Passing
    is_optional: bool

    @property
    def fixed(self) -> Type | None:
        """The type where no call decides it."""
        return None if isinstance(self.type, Generic) or self.passing is not Passing.VALUE else self.type


class Signature(NamedTuple):
    """One declared form of a builtin."""

    result: Slot
    parameters: tuple[Slot, ...]
    is_variadic: bool
    required: int
    """How many of the parameters every call gives."""


@lru_cache(maxsize=4096)
def signatures_of(declared: str) -> tuple[Signature, ...]:
    """The alternatives that the notation lists; a mistake in a table raises, which a test over all tables catches."""
    return tuple(_signature(alternative.strip()) for alternative in declared.split("|"))


def cost_of(signature: Signature, call: BuiltinCall) -> int | None:
    """How much conversion the call needs to fit; None where it cannot."""
    count = len(call.arguments)
    if count < signature.required or (count > len(signature.parameters) and not signature.is_variadic):
        return None
    total = 0
    for index, slot in enumerate(signature.parameters[:count]):
        cost = _slot_cost(slot, index, call)
        if cost is None:
            return None
        total += cost
    return total


def bind(signature: Signature, call: BuiltinCall) -> tuple[tuple[ValueId, ...], Type]:
    """The arguments converted to the parameter types, and the type of the result; the call must fit."""
    decided = _decide(signature, call)
    arguments: list[ValueId] = []
    for index, value in enumerate(call.arguments):
        slot = signature.parameters[index] if index < len(signature.parameters) else _AS_IT_IS
        if slot.passing is Passing.REFERENCE:
            address = call.addresses[index]
            assert address is not None  # `cost_of` refused the call otherwise
            arguments.append(address)
        elif slot.passing is Passing.POINTER:
            arguments.append(value)
        else:
            target = _resolved(slot.type, decided, call)
            arguments.append(value if target is None else convert_argument(call, value, target))
    result = _resolved(signature.result.type, decided, call)
    if result is None:
        result = call.builder.type_of(call.arguments[0]) if call.arguments else UnknownType(call.name)
    if signature.result.passing is Passing.POINTER:
        result = PointerType(result, MemorySpace.GENERIC)
    return tuple(arguments), result


def convert_argument(call: BuiltinCall, value: ValueId, target: Type) -> ValueId:
    """`value` as a parameter of type `target`; pointers and objects stay what they are."""
    have = call.builder.type_of(value)
    if isinstance(target, VectorType):
        return value if isinstance(have, VectorType) else call.builder.convert(value, target, call.span)
    if isinstance(target, PointerType | HandleType | GroupType) and not isinstance(have, IntegerType):
        return value
    return convert(call.builder, value, target, call.span)


# -- fitting ------------------------------------------------------------------------------------------------------

_DEPENDENT: Final = (TemplateType, UnknownType)
_SCALAR: Final = (BooleanType, IntegerType, FloatType)


def _slot_cost(slot: Slot, index: int, call: BuiltinCall) -> int | None:
    if slot.passing is Passing.REFERENCE:
        return None if index >= len(call.addresses) or call.addresses[index] is None else 0
    have = call.builder.type_of(call.arguments[index])
    if slot.passing is Passing.POINTER:
        return _pointer_cost(slot, have)
    if isinstance(have, _DEPENDENT):
        return 1
    if isinstance(slot.type, Generic):
        return _generic_cost(slot.type, have)
    return _conversion_cost(have, slot.type)


def _pointer_cost(slot: Slot, have: Type) -> int | None:
    if isinstance(have, _DEPENDENT):
        return 1
    if not isinstance(have, PointerType):
        return None
    if isinstance(slot.type, Generic | VoidType) or have.element == slot.type:
        return 0
    return 2


def _generic_cost(generic: Generic, have: Type) -> int | None:
    match generic:
        case Generic.ARITHMETIC | Generic.FLOATING:
            return 0 if isinstance(have, (*_SCALAR, VectorType)) else None
        case Generic.INTEGRAL | Generic.MASK:
            return 0 if isinstance(have, _SCALAR) else None
        case Generic.POINTER:
            return 0 if isinstance(have, PointerType) else None
        case Generic.HANDLE:
            return 0 if isinstance(have, HandleType | IntegerType) else None
        case Generic.FUNCTION:
            return 0 if isinstance(have, HandleType | StructType) else None
        case Generic.GROUP:
            is_group = isinstance(have, GroupType) or have == HandleType("cooperative_groups::thread_group")
            return 0 if is_group else None
        case Generic.ELEMENT:
            return None if isinstance(have, VoidType) else 0
        case _:
            return None if isinstance(have, VoidType) else 3


def _conversion_cost(have: Type, want: Type) -> int | None:
    if have == want:
        return 0
    if isinstance(want, BooleanType) and isinstance(have, PointerType):
        return 4
    if isinstance(have, _SCALAR) and isinstance(want, _SCALAR):
        return _scalar_cost(have, want)
    if isinstance(want, HandleType):
        return 1 if isinstance(have, HandleType | IntegerType) else None
    if isinstance(want, PointerType):
        return 1 if isinstance(have, PointerType | IntegerType | ArrayType) else None
    if isinstance(want, VectorType) and isinstance(have, VectorType):
        return 1 if (have.element, have.length) == (want.element, want.length) else None
    return None


def _scalar_cost(have: Type, want: Type) -> int:
    """Promotions cost less than conversions, and conversions inside a kind less than those across kinds."""
    if isinstance(have, IntegerType) and isinstance(want, IntegerType):
        return 1 if have.bits <= want.bits else 2
    if isinstance(have, FloatType) and isinstance(want, FloatType):
        return 1 if FLOAT_RANK[have.format.value] <= FLOAT_RANK[want.format.value] else 2
    return 3


FLOAT_RANK: Final = {"f16": 0, "bf16": 0, "f32": 1, "f64": 2}


# -- deciding generics ----------------------------------------------------------------------------------------------

_KEPT: Final = frozenset((Generic.ANY, Generic.POINTER, Generic.HANDLE, Generic.GROUP, Generic.FUNCTION))
"""Arguments that stay as they are."""

_Decided: TypeAlias = dict[Generic, Type]


def _decide(signature: Signature, call: BuiltinCall) -> _Decided:
    """The generics' types in this call."""
    seen: dict[Generic, list[Type]] = {}
    decided: _Decided = {Generic.MASK: U64 if call.warp_size > 32 else U32}
    for index, slot in enumerate(signature.parameters[: len(call.arguments)]):
        if not isinstance(slot.type, Generic) or slot.type in _KEPT:
            continue
        # An argument taken by reference need not have been loaded: its type is what its address points to.
        address = call.addresses[index] if slot.passing is Passing.REFERENCE else None
        have = call.builder.type_of(call.arguments[index] if address is None else address)
        if slot.passing is not Passing.VALUE:
            decided.setdefault(slot.type, have.element if isinstance(have, PointerType) else have)
        else:
            seen.setdefault(slot.type, []).append(have)
    for generic, types in seen.items():
        if generic in _COMMON:
            decided[generic] = _COMMON[generic](types)
    explicit = [argument for argument in call.template_arguments if not isinstance(argument, int | None)]
    for generic, position in ((Generic.VALUE, 0), (Generic.OTHER_VALUE, 1)):
        if generic in seen:
            decided.setdefault(generic, explicit[position] if position < len(explicit) else seen[generic][0])
    decided[Generic.REQUESTED] = explicit[0] if explicit else _texel(call)
    return decided


def _texel(call: BuiltinCall) -> Type:
    for value in call.arguments:
        type = call.builder.type_of(value)
        element = element_of_handle(type) if isinstance(type, HandleType) else None
        if element is not None:
            return element
    return UnknownType(call.name)


_COMMON: Final[Mapping[Generic, Callable[[Sequence[Type]], Type]]] = {
    Generic.ARITHMETIC: common_type,
    Generic.FLOATING: common_floating,
    Generic.INTEGRAL: common_integer,
    Generic.PROMOTED: promoted_alone,
}


def _resolved(type: Type | Generic, decided: _Decided, call: BuiltinCall) -> Type | None:
    """The type that a slot asks for; None where the argument is kept as it is."""
    if not isinstance(type, Generic):
        return type
    if type is Generic.FLOATING and type not in decided:
        return F64
    return decided.get(type)


# -- reading the notation ---------------------------------------------------------------------------------------------

_AS_IT_IS: Final = Slot(Generic.ANY, Passing.VALUE, is_optional=True)
_GENERICS: Final = {generic.value: generic for generic in Generic}
_SIGNATURE: Final = re.compile(r"([^(]+)\((.*)\)$")


def _signature(text: str) -> Signature:
    match = _SIGNATURE.match(text)
    if match is None:
        raise ValueError(f"not a signature: {text!r}")
    words = [word.strip() for word in match[2].split(",") if word.strip()]
    is_variadic = bool(words) and words[-1] == "..."
    if is_variadic:
        words.pop()
    parameters = tuple(_slot(word) for word in words)
    required = sum(not parameter.is_optional for parameter in parameters)
    return Signature(_slot(match[1].strip()), parameters, is_variadic, required)


def _slot(text: str) -> Slot:
    is_optional = text.endswith("?")
    text = text.removesuffix("?").strip()
    passing = Passing.VALUE
    if text[-1] in "*&":
        passing = Passing(text[-1])
        text = text[:-1].strip()
    type = _GENERICS.get(text) or spelled_type(text) or builtin_type(text)
    if type is None:
        raise ValueError(f"not a type: {text!r}")
    return Slot(type, passing, is_optional)
