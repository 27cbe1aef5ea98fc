"""Every builtin function with a numeric meaning, on edge values and random ones: kernels made from the tables.

Functions with the same parameters share a kernel: `out_float[3 * n + i] = f(a[i], b[i])` for each of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from analysis.ir.operators import MathFunction
from analysis.ir.types import BooleanType, FloatFormat, FloatType, IntegerType, Type, VectorType, VoidType
from analysis.lower.builtins import casts, half, integer, math
from analysis.lower.builtins.core import Table
from analysis.lower.builtins.signatures import Generic, Passing, Signature, Slot, signatures_of
from tests.sim.native.comparison import Case
from tests.sim.native.compiler import Unit
from tests.sim.native.program import Value

_TABLES: Final[tuple[Table, ...]] = (integer.TABLE, math.TABLE, half.TABLE, casts.TABLE)
LEFT_OUT: Final[Mapping[str, str]] = {
    **dict.fromkeys(("nan", "nanf"), "takes a string; the value is NaN"),
    "bit_cast": "a template with an explicit argument",
    **dict.fromkeys(("__vhadds2", "__vhadds4"), "in no documentation"),
    **dict.fromkeys(
        [f"__{name}{suffix}" for name in ("isnan", "isinf", "finite", "signbit") for suffix in ("", "f", "d")],
        "internal names of the host's library: any value but 0 is true",
    ),
    **dict.fromkeys(
        ("saturate", "__frcp_approx", "__nv_fast_tanhf", "float2half", "half2float", "__float2half_rna"),
        "no name of CUDA's",
    ),
    **dict.fromkeys(("float_as_int", "int_as_float", "ffs", "__builtin_parity"), "another name of a function compared"),
    **dict.fromkeys(("__double_as_ulonglong", "__ulonglong_as_double"), "another name of a function compared"),
    **{
        f"__{wide}2{narrow}_{mode}": "no name of CUDA's"
        for wide in ("float", "double")
        for narrow in ("short", "ushort", "char", "uchar")
        for mode in ("rn", "rz", "ru", "rd")
    },
}

_AMBIGUOUS: Final = {("abs", (IntegerType(bits, signed=False),)) for bits in (32, 64)}
_INTEGER_NAMES: Final = {8: "char", 16: "short", 32: "int", 64: "long long"}
_FLOATS: Final = {
    FloatFormat.HALF: ("__half", "float16"),
    FloatFormat.BFLOAT16: ("__nv_bfloat16", "uint16"),
    FloatFormat.SINGLE: ("float", "float32"),
    FloatFormat.DOUBLE: ("double", "float64"),
}
_SINGLE, _DOUBLE = FloatType(FloatFormat.SINGLE), FloatType(FloatFormat.DOUBLE)
_INTEGERS: Final = tuple(IntegerType(bits, signed=signed) for bits in (32, 64) for signed in (True, False))
_ALTERNATIVES: Final[Mapping[Generic, Sequence[Type]]] = {
    Generic.FLOATING: (_SINGLE, _DOUBLE),
    Generic.INTEGRAL: _INTEGERS,
    Generic.ARITHMETIC: (*_INTEGERS, _SINGLE, _DOUBLE),
}


@final
@dataclass(frozen=True, slots=True)
class Function:
    """One form of a builtin: values in, one value back (void: None) and others through pointers."""

    name: str
    parameters: tuple[Type, ...]
    pointers: tuple[Type, ...]
    result: Type | None

    @property
    def results(self) -> tuple[Type, ...]:
        return (*(() if self.result is None else (self.result,)), *self.pointers)


def functions() -> list[Function]:
    """All forms of all functions that are compared, generic ones for each type they may have."""
    return [
        function
        for table in _TABLES
        for name, (operation, declared) in table.items()
        if name not in LEFT_OUT and operation is not MathFunction.SIMD_IN_WORD  # which the simulator refuses
        for signature in signatures_of(declared)
        for function in _forms(name, signature)
        if (name, function.parameters) not in _AMBIGUOUS
    ]


def _forms(name: str, signature: Signature) -> Iterator[Function]:
    generic = next((slot.type for slot in signature.parameters if isinstance(slot.type, Generic)), None)
    choices = _ALTERNATIVES[generic] if generic is not None else (None,)
    for chosen in choices:
        values = [_type(slot, chosen) for slot in signature.parameters if slot.passing is Passing.VALUE]
        pointers = [_type(slot, chosen) for slot in signature.parameters if slot.passing is Passing.POINTER]
        result = _type(signature.result, chosen)
        yield Function(name, tuple(values), tuple(pointers), None if isinstance(result, VoidType) else result)


def _type(slot: Slot, chosen: Type | None) -> Type:
    found = chosen if isinstance(slot.type, Generic) else slot.type
    assert found is not None
    return found


def c_type(type: Type) -> str:
    match type:
        case BooleanType():
            return "bool"
        case IntegerType(bits=8, signed=True):
            return "signed char"
        case IntegerType(bits=bits, signed=signed):
            return ("" if signed else "unsigned ") + _INTEGER_NAMES[bits]
        case FloatType(format=format):
            return _FLOATS[format][0]
        case VectorType(element=FloatType(format=FloatFormat.HALF)):
            return "__half2"
        case VectorType(element=FloatType(format=FloatFormat.BFLOAT16)):
            return "__nv_bfloat162"
        case VectorType(element=IntegerType(bits=bits, signed=signed), length=length):
            return f"{'' if signed else 'u'}{_INTEGER_NAMES[bits]}{length}"
        case VectorType(length=length):
            return f"float{length}"
        case _:
            raise AssertionError(type)


def numpy_type(type: Type) -> str:
    """The elements of an array of such values in memory; vectors have a second axis."""
    match type:
        case BooleanType():
            return "bool"
        case IntegerType(bits=bits, signed=signed):
            return f"{'' if signed else 'u'}int{bits}"
        case FloatType(format=format):
            return _FLOATS[format][1]
        case VectorType(element=element):
            return numpy_type(element)
        case _:
            raise AssertionError(type)


# -- inputs -----------------------------------------------------------------------------------------------------------

_NUMBERS: Final = (0.0, 0.5, 0.75, 1.0, 1.5, 2.5, 3.0, 7.0, 100.25, 1e-3, 1e-5, 2.0**-130, 2.0**-140, 1e-300, 65000.0)
_BEYOND: Final = (126.6, 255.5, 32767.6, 65535.5, 2147483520.0, 3e9, 1e10, 9.3e18, 1.8e19, 1e30, 1e300)
_BF16: Final = FloatType(FloatFormat.BFLOAT16)


def edges(type: Type) -> NDArray[Any]:
    """Values at which something may go wrong, in the memory format of a scalar type."""
    if isinstance(type, BooleanType):
        return np.array([False, True])
    if isinstance(type, IntegerType):
        bounds = np.iinfo(numpy_type(type))
        small = [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 100, 0x55, bounds.max, bounds.max - 1, bounds.max // 3, bounds.min]
        # Beside halfway between two numbers of each shorter format: rounding twice goes wrong.
        places = (53, 61) if type.bits == 64 else ()
        small += [(1 << place) + (1 << place >> kept) + 1 for place in places for kept in (8, 11, 24)]
        small += [bounds.min + 1, -1, -2, -7, -64] if type.signed else [bounds.max // 2, bounds.max // 2 + 1]
        return np.array(small, numpy_type(type))
    positive = [*_NUMBERS, *_BEYOND, np.inf]
    numbers = np.array([*positive, *(-number for number in positive), np.nan])
    with np.errstate(over="ignore"):
        return _stored(numbers, type)


def _stored(numbers: NDArray[Any], type: Type) -> NDArray[Any]:
    if type == _BF16:
        return (numbers.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return numbers.astype(numpy_type(type))


def _random(type: Type, count: int, random: np.random.Generator) -> NDArray[Any]:
    if isinstance(type, BooleanType):
        return random.integers(0, 2, count).astype(bool)
    if isinstance(type, IntegerType):
        bounds = np.iinfo(numpy_type(type))
        return random.integers(bounds.min, bounds.max, count, numpy_type(type), endpoint=True)
    with np.errstate(over="ignore"):
        return _stored(random.normal(size=count) * 2.0 ** random.uniform(-12, 12, count), type)


def inputs(types: Sequence[Type], count: int, random: np.random.Generator) -> list[NDArray[Any]]:
    """`count` tuples: every edge of a single scalar, else edges and random values mixed."""
    return [_column(type, count, random, shuffled=len(types) > 1) for type in types]


def _column(type: Type, count: int, random: np.random.Generator, *, shuffled: bool) -> NDArray[Any]:
    if isinstance(type, VectorType):
        parts = [_column(type.element, count, random, shuffled=True) for _ in range(type.length)]
        return np.stack(parts, axis=1)
    special = edges(type)
    if not shuffled:
        return np.concatenate([special, _random(type, count - len(special), random)])
    chosen = special[random.integers(0, len(special), count)]
    return np.where(random.integers(0, 4, count) < 3, chosen, _random(type, count, random))


# -- kernels ----------------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Batch:
    """Functions with the same parameters in one kernel; `places` tells where the results of each lie."""

    case: Case
    functions: Sequence[Function]
    places: Mapping[tuple[str, int], tuple[str, int]]
    count: int


Calls = Callable[[Function, Sequence[str]], str]


def call(function: Function, arguments: Sequence[str]) -> str:
    return f"{function.name}({', '.join(arguments)})"


def batch(name: str, group: Sequence[Function], columns: Sequence[NDArray[Any]], expression: Calls = call) -> Batch:
    """One kernel for `group` on the given columns of inputs."""
    count = len(columns[0])
    parameters = group[0].parameters
    letters = "abcd"[: len(parameters)]
    used: dict[str, tuple[Type, int]] = {}
    places: dict[tuple[str, int], tuple[str, int]] = {}
    lines: list[str] = []
    for number, function in enumerate(group):
        arguments = [*letters, *(f"&p{number}_{at}" for at in range(len(function.pointers)))]
        called = expression(function, arguments)
        lines += [f"{c_type(type)} p{number}_{at};" for at, type in enumerate(function.pointers)]
        returned = function.result is not None
        lines.append(
            f"{c_type(function.result)} r{number} = {called};" if function.result is not None else f"{called};"
        )
        values = ([f"r{number}"] if returned else []) + [f"p{number}_{at}" for at in range(len(function.pointers))]
        for at, (type, value) in enumerate(zip(function.results, values, strict=True)):
            array = "out_" + c_type(type).replace(" ", "_")
            _, slot = used.get(array, (type, 0))
            used[array] = (type, slot + 1)
            places[function.name, at] = (array, slot)
            lines.append(f"{array}[{slot} * n + i] = {_as_stored(type, value)};")
    declared = [f"const {c_type(type)} *in_{letter}" for type, letter in zip(parameters, letters, strict=True)]
    declared += [f"{_out_type(type)} *{array}" for array, (type, _) in used.items()]
    loads = [f"{c_type(type)} {letter} = in_{letter}[i];" for type, letter in zip(parameters, letters, strict=True)]
    body = "\n  ".join(["int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;", *loads, *lines])
    headers = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
    text = f"{headers}__global__ void k({', '.join(declared)}, int n) {{\n  {body}\n}}\n"
    given: dict[str, Value] = {f"in_{letter}": column for letter, column in zip(letters, columns, strict=True)}
    given |= {array: _out_array(type, slots * count) for array, (type, slots) in used.items()}
    case = Case(Unit(name, text), {**given, "n": count}, (-(-count // 64), 1, 1), (64, 1, 1))
    return Batch(case, group, places, count)


def is_bfloat16(type: Type) -> bool:
    return type == _BF16 or (isinstance(type, VectorType) and type.element == _BF16)


def _out_type(type: Type) -> str:
    """bfloat16 results are kept as float, which NumPy knows."""
    if is_bfloat16(type):
        return "float2" if isinstance(type, VectorType) else "float"
    return c_type(type)


def _as_stored(type: Type, value: str) -> str:
    if is_bfloat16(type):
        return f"__bfloat1622float2({value})" if isinstance(type, VectorType) else f"__bfloat162float({value})"
    return value


def _out_array(type: Type, length: int) -> NDArray[Any]:
    kind = "float32" if is_bfloat16(type) else numpy_type(type)
    return np.zeros((length, type.length) if isinstance(type, VectorType) else length, kind)


def by_parameters(all_functions: Sequence[Function]) -> list[list[Function]]:
    """Groups that share a kernel: the same parameters, and each name once."""
    groups: dict[tuple[Any, ...], list[Function]] = {}
    for function in all_functions:
        for attempt in itertools.count():
            group = groups.setdefault((function.parameters, attempt), [])
            if all(other.name != function.name for other in group):
                group.append(function)
                break
    return list(groups.values())
