"""What an instruction costs a warp, in issue slots: one slot is the time in which a warp adds two 32-bit numbers.

Figures   ratios of throughputs in the CUDA C++ Programming Guide, "Arithmetic Instructions" (compute capability 8.0: 64
          additions per clock and multiprocessor), and the usual number of instructions where the compiler emits a
          sequence.  They order the arms of a branch by size; they do not predict a time.
Limits    memory counts what it keeps busy (address and data paths), not how long an answer takes: other warps run in
          the meantime.  What the compiler merges, hoists or predicates is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from analysis.divergence.result import DivergenceResult
from analysis.ir.instructions import (
    Allocate,
    Assert,
    Atomic,
    Binary,
    Bitcast,
    BlockBarrier,
    Branch,
    BuildAggregate,
    Call,
    Compare,
    Constant,
    Convert,
    DeviceLaunch,
    ElementAddress,
    ExtractElement,
    Fence,
    FieldAddress,
    GridBarrier,
    InsertElement,
    Instruction,
    Jump,
    Load,
    Match,
    Math,
    NamedBarrier,
    Opaque,
    PhaseWait,
    Phi,
    Print,
    ReadSpecial,
    Shuffle,
    Store,
    Switch,
    SymbolAddress,
    TemplateArgument,
    Terminator,
    Texture,
    Undefined,
    ValueId,
    Vote,
    WarpBarrier,
    WarpReduce,
)
from analysis.ir.operators import COLLECTIVES, BinaryOperator, MathFunction
from analysis.ir.types import FloatFormat, FloatType, IntegerType, MemorySpace, Type
from analysis.memory.spaces import SpaceResult

SIMPLE: Final = 1
"""Integer and 32-bit floating-point arithmetic, comparisons, selects, addresses of elements."""
CONVERSION: Final = 4
"""Between integers and floats, and of 64 bits: 16 per clock."""
DIVISION_BY_CONSTANT: Final = 4
"""A multiplication by the reciprocal, with corrections; a shift or a mask for powers of two costs 1."""
INTEGER_DIVISION: Final = 20
"""A sequence around a reciprocal; nothing in hardware."""
WIDE_INTEGER_DIVISION: Final = 70
"""64 bits: a subroutine."""
FLOAT_DIVISION: Final = 10
"""Reciprocal, a Newton step, and the check for denormal results; square roots alike."""
DOUBLE: Final = 2
"""Half rate where it is fast; far less on consumer devices, which the source does not name."""
DOUBLE_DIVISION: Final = 30
"""Newton steps in double precision; square roots alike."""
SPECIAL: Final = 4
"""One instruction of the special function unit (`__sinf`, `rsqrtf`, bit counts): 16 per clock."""
TRANSCENDENTAL: Final = 20
"""`sinf`, `expf`, `logf` and their kin: range reduction and a polynomial."""
HARD_FUNCTION: Final = 50
"""`powf`, `tgammaf`, Bessel functions: several of the above."""
DOUBLE_FUNCTION: Final = 3
"""How many times more a function of double precision takes."""
SHARED_ACCESS: Final = 4
"""A load or store of shared or local memory: the address and data path takes 32 bytes per lane group and clock."""
GLOBAL_ACCESS: Final = 8
"""The same with tags and sectors to look up; the wait for data is not counted, since other warps run in it."""
CONSTANT_ACCESS: Final = 1
"""An operand of the instruction that uses it, where all lanes read one word."""
TEXTURE_ACCESS: Final = 8
ATOMIC_ACCESS: Final = 16
"""Reads, modifies and writes at the cache; lanes at one address follow each other."""
EXCHANGE: Final = 2
"""Shuffles and votes: 32 lanes per clock."""
WARP_REDUCTION: Final = 10
"""Five exchanges, or one instruction of that price; matching of values alike."""
BARRIER: Final = 4
"""To arrive; the wait is for others and no price of the branch."""
FENCE: Final = 8
CALL: Final = 32
"""What is called is not known: saving registers, jump, and some work."""
PRINT: Final = 100
ALLOCATION: Final = 200
"""A subroutine that locks the heap."""
LAUNCH: Final = 200
"""A subroutine that puts a grid into a queue."""
UNKNOWN: Final = 4
"""What is not understood."""
FREE: Final = 0
"""Constants, addresses of variables and members, and moves between registers: part of other instructions."""

_NOT_ISSUED: Final = (Constant, Undefined, SymbolAddress, TemplateArgument, Bitcast, Jump)
_FREE: Final = (
    Constant,
    Undefined,
    TemplateArgument,
    SymbolAddress,
    FieldAddress,
    Bitcast,
    BuildAggregate,
    ExtractElement,
    InsertElement,
)

_SPECIAL: Final = frozenset(
    {
        MathFunction.RSQRT,
        MathFunction.RECIPROCAL,
        MathFunction.FAST_DIVIDE,
        MathFunction.EXP2,
        MathFunction.LOG2,
        MathFunction.POPULATION_COUNT,
        MathFunction.COUNT_LEADING_ZEROS,
        MathFunction.FIND_FIRST_SET,
        MathFunction.REVERSE_BITS,
        MathFunction.FLOOR,
        MathFunction.CEIL,
        MathFunction.TRUNC,
        MathFunction.RINT,
        MathFunction.ROUND,
        MathFunction.CONVERT_ROUND,
        MathFunction.CONVERT_FLOOR,
        MathFunction.CONVERT_CEIL,
        MathFunction.CONVERT_TRUNC,
        MathFunction.RANDOM_BITS,
    }
)

_SIMPLE: Final = frozenset(
    {
        MathFunction.MINIMUM,
        MathFunction.MAXIMUM,
        MathFunction.COPYSIGN,
        MathFunction.DIM,
        MathFunction.FUSED_MULTIPLY_ADD,
        MathFunction.DIRECTED_ADD,
        MathFunction.DIRECTED_MULTIPLY,
        MathFunction.DIRECTED_FUSED_MULTIPLY_ADD,
        MathFunction.SATURATE,
        MathFunction.CLAMP,
        MathFunction.ABSOLUTE,
        MathFunction.IS_NAN,
        MathFunction.IS_INFINITE,
        MathFunction.IS_FINITE,
        MathFunction.SIGN_BIT,
        MathFunction.NAN,
        MathFunction.BYTE_PERMUTE,
        MathFunction.FUNNEL_SHIFT_LEFT,
        MathFunction.FUNNEL_SHIFT_RIGHT,
        MathFunction.FUNNEL_SHIFT_LEFT_CLAMP,
        MathFunction.FUNNEL_SHIFT_RIGHT_CLAMP,
        MathFunction.MULTIPLY_HIGH,
        MathFunction.MULTIPLY_24,
        MathFunction.SUM_ABSOLUTE_DIFFERENCE,
        MathFunction.HALVING_ADD,
        MathFunction.ROUNDED_HALVING_ADD,
        MathFunction.DOT_PRODUCT_4,
        MathFunction.DOT_PRODUCT_2_LOW,
        MathFunction.DOT_PRODUCT_2_HIGH,
        MathFunction.BIT_FIELD_EXTRACT,
        MathFunction.BIT_FIELD_INSERT,
        MathFunction.LOOKUP_3,
        MathFunction.SIMD_IN_WORD,
        MathFunction.RANDOM_ADVANCE,
        MathFunction.IS_GLOBAL,
        MathFunction.IS_SHARED,
        MathFunction.IS_CONSTANT,
        MathFunction.IS_LOCAL,
        MathFunction.IS_CONSTANT_EVALUATED,
    }
)

_ROOTS: Final = frozenset(
    {
        MathFunction.SQRT,
        MathFunction.DIRECTED_SQRT,
        MathFunction.DIRECTED_DIVIDE,
        MathFunction.HYPOT,
        MathFunction.NORM3,
        MathFunction.NORM4,
    }
)

_HARD: Final = frozenset(
    {
        MathFunction.POWER,
        MathFunction.FMOD,
        MathFunction.IEEE_REMAINDER,
        MathFunction.ERFINV,
        MathFunction.ERFCINV,
        MathFunction.NORMCDFINV,
        MathFunction.LGAMMA,
        MathFunction.TGAMMA,
        MathFunction.BESSEL_J0,
        MathFunction.BESSEL_J1,
        MathFunction.BESSEL_JN,
        MathFunction.BESSEL_Y0,
        MathFunction.BESSEL_Y1,
        MathFunction.BESSEL_YN,
        MathFunction.CYL_BESSEL_I0,
        MathFunction.CYL_BESSEL_I1,
        MathFunction.RANDOM_SEED,
        MathFunction.RANDOM_POISSON,
        MathFunction.RANDOM_DISCRETE,
        *COLLECTIVES,
    }
)

_BY_KIND: Final[dict[type[Instruction], int]] = {
    ReadSpecial: SIMPLE,
    Compare: SIMPLE,
    ElementAddress: SIMPLE,
    Texture: TEXTURE_ACCESS,
    Atomic: ATOMIC_ACCESS,
    Allocate: ALLOCATION,
    BlockBarrier: BARRIER,
    NamedBarrier: BARRIER,
    PhaseWait: BARRIER,
    WarpBarrier: BARRIER,
    GridBarrier: BARRIER,
    Fence: FENCE,
    Shuffle: EXCHANGE,
    Vote: EXCHANGE,
    Match: WARP_REDUCTION,
    WarpReduce: WARP_REDUCTION,
    Call: CALL,
    DeviceLaunch: LAUNCH,
    Print: PRINT,
    Assert: SIMPLE,
    Opaque: UNKNOWN,
    **dict.fromkeys(_FREE, FREE),
}


_DIVISIONS: Final = frozenset({BinaryOperator.DIVIDE, BinaryOperator.REMAINDER})

Definition: TypeAlias = Callable[[ValueId], Instruction | Phi | None]
"""What defines a value; None for parameters."""


def is_issued(instruction: Instruction | Terminator) -> bool:
    """Whether it counts as an instruction that a warp issues, at whatever price."""
    return not isinstance(instruction, _NOT_ISSUED)


def latency(divergence: DivergenceResult, spaces: SpaceResult, item: Instruction) -> int:
    """Issue slots of one instruction."""
    known = _BY_KIND.get(type(item))
    if known is not None:
        return known
    if type(item) is Load or type(item) is Store:
        return _of_access(spaces.space(item.address))
    return _of_types(item, divergence.function.types, divergence.definition)


def latencies(divergence: DivergenceResult, spaces: SpaceResult, items: Iterable[Instruction]) -> list[int]:
    """Issue slots of each instruction."""
    of_kind = _BY_KIND.get
    return [latency(divergence, spaces, one) if (slots := of_kind(type(one))) is None else slots for one in items]


def latency_of_types(item: Instruction, types: Sequence[Type], definition: Definition) -> int:
    """The same of anything but loads and stores, by types alone."""
    known = _BY_KIND.get(type(item))
    return _of_types(item, types, definition) if known is None else known


def _of_types(item: Instruction, types: Sequence[Type], definition: Definition) -> int:
    match item:
        case Binary():
            return _of_binary(item, types[item.result], definition)
        case Convert():
            return _of_conversion(types[item.operand], types[item.result])
        case Math():
            return _of_function(item.function, types[item.result])
        case _:
            return DOUBLE if item.result is not None and _is_double(types[item.result]) else SIMPLE


def terminator_latency(terminator: Terminator) -> int:
    match terminator:
        case Branch():
            return SIMPLE
        case Switch(cases=cases):
            return switch_latency(len(cases))
        case _:
            return FREE


def switch_latency(labels: int) -> int:
    """Of a `switch` with so many values: a jump table, or a few comparisons."""
    return min(labels, 4) * SIMPLE


def _of_binary(item: Binary, type_: Type, definition: Definition) -> int:
    if item.operator in _DIVISIONS:
        if isinstance(type_, FloatType):
            return DOUBLE_DIVISION if _is_double(type_) else FLOAT_DIVISION
        divisor = _constant(item.right, definition)
        if divisor is not None:
            return DIVISION_BY_CONSTANT if divisor & divisor - 1 else SIMPLE
        return WIDE_INTEGER_DIVISION if isinstance(type_, IntegerType) and type_.bits > 32 else INTEGER_DIVISION
    is_wide = type_.bits > 32 if isinstance(type_, IntegerType) else _is_double(type_)
    return DOUBLE if is_wide else SIMPLE


def _constant(value: ValueId, definition: Definition) -> int | None:
    """The number that a divisor is written as: `32` in `index / 32` is converted where the index is unsigned."""
    found = definition(value)
    while isinstance(found, Convert):
        found = definition(found.operand)
    return found.value if isinstance(found, Constant) and isinstance(found.value, int) else None


def _of_conversion(source: Type, target: Type) -> int:
    """Between integers at most a sign extension; a boolean is a comparison."""
    if isinstance(source, FloatType) or isinstance(target, FloatType):
        return CONVERSION
    widens = isinstance(source, IntegerType) and isinstance(target, IntegerType) and target.bits > source.bits
    return SIMPLE if widens else FREE


def _of_function(function: MathFunction, type_: Type) -> int:
    is_double = _is_double(type_)
    if function in _SIMPLE:
        return DOUBLE if is_double else SIMPLE
    if function in _ROOTS:
        return DOUBLE_DIVISION if is_double else FLOAT_DIVISION
    base = SPECIAL if function in _SPECIAL else HARD_FUNCTION if function in _HARD else TRANSCENDENTAL
    return base * DOUBLE_FUNCTION if is_double else base


def _of_access(space: MemorySpace) -> int:
    match space:
        case MemorySpace.CONSTANT:
            return CONSTANT_ACCESS
        case MemorySpace.SHARED | MemorySpace.LOCAL:
            return SHARED_ACCESS
        case MemorySpace.GLOBAL | MemorySpace.GENERIC:
            return GLOBAL_ACCESS


def _is_double(type_: Type) -> bool:
    return isinstance(type_, FloatType) and type_.format is FloatFormat.DOUBLE
