"""The closed set of instructions.

Every instruction is frozen data with the same four members:

- `result`: the value it defines, or None;
- `operands`: the values it reads, in a fixed order;
- `span`: the source text it stands for (the *use* where a macro was expanded);
- `rebuilt(result, operands, span)`: the same instruction over other values (inlining, renaming).

Types of values stand in `Function.types`; an instruction does not repeat them.  Passes that give meaning to
instructions use `match` over `Instruction` with `assert_never`; passes that only move values use the members above.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NewType, TypeAlias, final

from analysis.ir.operators import (
    AtomicOperator,
    BarrierReduction,
    BinaryOperator,
    CompareOperator,
    FenceScope,
    MatchKind,
    MathFunction,
    ShuffleMode,
    SpecialRegister,
    TextureOperation,
    UnaryOperator,
    VoteKind,
)
from analysis.ir.source import Span

ValueId = NewType("ValueId", int)
"""Printed `%7`."""
BasicBlockId = NewType("BasicBlockId", int)
"""Printed `block3`; index into `Function.blocks`."""
SymbolId = NewType("SymbolId", int)
"""Printed `$2`; index into `Function.symbols`."""
SourceBranchId = NewType("SourceBranchId", int)
"""Printed `!4`; index into `Function.branches`."""
FunctionId = NewType("FunctionId", str)
"""Names one device function of a translation unit (overloads differ); printed `@name`."""


# -- values from nowhere ----------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Constant:
    """A literal; its C type is the result's type.  `None` stands for "some constant" (sizeof of an unknown type)."""

    result: ValueId
    value: int | float | bool | str | None
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return ()

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Constant:
        assert result is not None
        return Constant(result, self.value, span)


@final
@dataclass(frozen=True, slots=True)
class Undefined:
    """An uninitialised value: whatever the thread finds."""

    result: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return ()

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Undefined:
        assert result is not None
        return Undefined(result, span)


@final
@dataclass(frozen=True, slots=True)
class ReadSpecial:
    """Reads a special register: `threadIdx.x`, the lane id, the clock."""

    result: ValueId
    register: SpecialRegister
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return ()

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> ReadSpecial:
        assert result is not None
        return ReadSpecial(result, self.register, span)


@final
@dataclass(frozen=True, slots=True)
class TemplateArgument:
    """A template's non-type parameter, in an analysis without arguments: one constant for the whole grid."""

    result: ValueId
    name: str
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return ()

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> TemplateArgument:
        assert result is not None
        return TemplateArgument(result, self.name, span)


@final
@dataclass(frozen=True, slots=True)
class SymbolAddress:
    """The address of a local, shared, constant or global variable."""

    result: ValueId
    symbol: SymbolId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return ()

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> SymbolAddress:
        assert result is not None
        return SymbolAddress(result, self.symbol, span)


# -- arithmetic -------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Unary:
    """Arithmetic negation, bitwise complement, logical not."""

    result: ValueId
    operator: UnaryOperator
    operand: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.operand,)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Unary:
        assert result is not None
        return Unary(result, self.operator, operands[0], span)


@final
@dataclass(frozen=True, slots=True)
class Binary:
    """Arithmetic over operands of the result's type (shift counts may have another integer type)."""

    result: ValueId
    operator: BinaryOperator
    left: ValueId
    right: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.left, self.right)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Binary:
        assert result is not None
        return Binary(result, self.operator, operands[0], operands[1], span)


@final
@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison of two values of one type; the result is boolean."""

    result: ValueId
    operator: CompareOperator
    left: ValueId
    right: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.left, self.right)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Compare:
        assert result is not None
        return Compare(result, self.operator, operands[0], operands[1], span)


@final
@dataclass(frozen=True, slots=True)
class Select:
    """`condition ? if_true : if_false` with both sides already computed: a source branch without control flow."""

    result: ValueId
    condition: ValueId
    if_true: ValueId
    if_false: ValueId
    branch: SourceBranchId | None
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.condition, self.if_true, self.if_false)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Select:
        assert result is not None
        return Select(result, operands[0], operands[1], operands[2], self.branch, span)


@final
@dataclass(frozen=True, slots=True)
class Convert:
    """A conversion that keeps the number where it can (C's casts); the types say from what to what."""

    result: ValueId
    operand: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.operand,)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Convert:
        assert result is not None
        return Convert(result, operands[0], span)


@final
@dataclass(frozen=True, slots=True)
class Bitcast:
    """The same bits under another type: pointer casts, `__float_as_int`."""

    result: ValueId
    operand: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.operand,)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Bitcast:
        assert result is not None
        return Bitcast(result, operands[0], span)


@final
@dataclass(frozen=True, slots=True)
class Math:
    """A pure library function of its operands (`sinf`, `__popc`, `min`); the types give the precision."""

    result: ValueId
    function: MathFunction
    arguments: tuple[ValueId, ...]
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return self.arguments

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Math:
        assert result is not None
        return Math(result, self.function, tuple(operands), span)


# -- aggregates and addresses -------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class BuildAggregate:
    """A struct, vector or array value from its members in order."""

    result: ValueId
    elements: tuple[ValueId, ...]
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return self.elements

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> BuildAggregate:
        assert result is not None
        return BuildAggregate(result, tuple(operands), span)


@final
@dataclass(frozen=True, slots=True)
class ExtractElement:
    """Member `index` of an aggregate value."""

    result: ValueId
    aggregate: ValueId
    index: int
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.aggregate,)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> ExtractElement:
        assert result is not None
        return ExtractElement(result, operands[0], self.index, span)


@final
@dataclass(frozen=True, slots=True)
class InsertElement:
    """The aggregate with member `index` replaced."""

    result: ValueId
    aggregate: ValueId
    index: int
    value: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.aggregate, self.value)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> InsertElement:
        assert result is not None
        return InsertElement(result, operands[0], self.index, operands[1], span)


@final
@dataclass(frozen=True, slots=True)
class ElementAddress:
    """`base + index * sizeof(E)` where E is the element type of the *result's* pointer type.

    So `p[i]` of `int (*p)[10]` strides by 40 bytes, and the following `[j]` strides by 4.
    """

    result: ValueId
    base: ValueId
    index: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.base, self.index)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> ElementAddress:
        assert result is not None
        return ElementAddress(result, operands[0], operands[1], span)


@final
@dataclass(frozen=True, slots=True)
class FieldAddress:
    """The address of member `field` of the struct or vector that `base` points to."""

    result: ValueId
    base: ValueId
    field: int
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.base,)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> FieldAddress:
        assert result is not None
        return FieldAddress(result, operands[0], self.field, span)


@final
@dataclass(frozen=True, slots=True)
class PointerDifference:
    """`left - right` in elements of the operands' element type."""

    result: ValueId
    left: ValueId
    right: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.left, self.right)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> PointerDifference:
        assert result is not None
        return PointerDifference(result, operands[0], operands[1], span)


# -- memory -------------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Load:
    """Reads a value of the result's type; the space stands in the address's pointer type."""

    result: ValueId
    address: ValueId
    volatile: bool
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.address,)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Load:
        assert result is not None
        return Load(result, operands[0], self.volatile, span)


@final
@dataclass(frozen=True, slots=True)
class Store:
    """Writes `value`; defines nothing."""

    address: ValueId
    value: ValueId
    volatile: bool
    span: Span

    @property
    def result(self) -> None:
        return None

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.address, self.value)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Store:
        return Store(operands[0], operands[1], self.volatile, span)


@final
@dataclass(frozen=True, slots=True)
class Atomic:
    """A read-modify-write; `arguments` is (value,), or (compare, value) for COMPARE_AND_SWAP; the result is the old value."""

    result: ValueId
    operator: AtomicOperator
    address: ValueId
    arguments: tuple[ValueId, ...]
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.address, *self.arguments)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Atomic:
        assert result is not None
        return Atomic(result, self.operator, operands[0], tuple(operands[1:]), span)


@final
@dataclass(frozen=True, slots=True)
class Texture:
    """A fetch from (or a store to) a texture or surface; `arguments` as written, the handle first."""

    result: ValueId | None
    operation: TextureOperation
    arguments: tuple[ValueId, ...]
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return self.arguments

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Texture:
        return Texture(result, self.operation, tuple(operands), span)


@final
@dataclass(frozen=True, slots=True)
class Allocate:
    """Device-side `malloc` or `new`: a fresh address per thread; `size` in bytes."""

    result: ValueId
    size: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.size,)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Allocate:
        assert result is not None
        return Allocate(result, operands[0], span)


# -- threads together ---------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class BlockBarrier:
    """`__syncthreads()` and its `_count`, `_and`, `_or` forms, which take a predicate and define a value."""

    result: ValueId | None
    reduction: BarrierReduction
    predicate: ValueId | None
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return () if self.predicate is None else (self.predicate,)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> BlockBarrier:
        return BlockBarrier(result, self.reduction, operands[0] if operands else None, span)


@final
@dataclass(frozen=True, slots=True)
class NamedBarrier:
    """PTX `bar.sync`/`bar.arrive` on a numbered barrier; `count` in threads, None for the whole block."""

    barrier: ValueId
    count: ValueId | None
    arrive_only: bool
    span: Span

    @property
    def result(self) -> None:
        return None

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.barrier,) if self.count is None else (self.barrier, self.count)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> NamedBarrier:
        return NamedBarrier(operands[0], operands[1] if len(operands) > 1 else None, self.arrive_only, span)


@final
@dataclass(frozen=True, slots=True)
class WarpBarrier:
    """`__syncwarp(mask)`, and `sync()` of groups no larger than a warp."""

    mask: ValueId
    span: Span

    @property
    def result(self) -> None:
        return None

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.mask,)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> WarpBarrier:
        return WarpBarrier(operands[0], span)


@final
@dataclass(frozen=True, slots=True)
class GridBarrier:
    """`grid.sync()`: all blocks of a cooperative launch."""

    span: Span

    @property
    def result(self) -> None:
        return None

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return ()

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> GridBarrier:
        return GridBarrier(span)


@final
@dataclass(frozen=True, slots=True)
class Fence:
    """`__threadfence*()`: orders memory, does not wait."""

    scope: FenceScope
    span: Span

    @property
    def result(self) -> None:
        return None

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return ()

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Fence:
        return Fence(self.scope, span)


@final
@dataclass(frozen=True, slots=True)
class Shuffle:
    """A warp shuffle; `mask` is None for the legacy forms without `_sync`; `lane` is the lane, delta or xor mask."""

    result: ValueId
    mode: ShuffleMode
    mask: ValueId | None
    value: ValueId
    lane: ValueId
    width: ValueId | None
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        optional = (self.mask, self.width)
        return (self.value, self.lane, *(value for value in optional if value is not None))

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Shuffle:
        assert result is not None
        rest = list(operands[2:])
        mask = rest.pop(0) if self.mask is not None else None
        width = rest.pop(0) if self.width is not None else None
        return Shuffle(result, self.mode, mask, operands[0], operands[1], width, span)


@final
@dataclass(frozen=True, slots=True)
class Vote:
    """A warp vote over a predicate; `mask` is None for the legacy forms."""

    result: ValueId
    kind: VoteKind
    mask: ValueId | None
    predicate: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.predicate,) if self.mask is None else (self.predicate, self.mask)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Vote:
        assert result is not None
        return Vote(result, self.kind, operands[1] if len(operands) > 1 else None, operands[0], span)


@final
@dataclass(frozen=True, slots=True)
class Match:
    """`__match_any_sync`, `__match_all_sync`: the mask of the lanes with an equal value."""

    result: ValueId
    kind: MatchKind
    mask: ValueId
    value: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.value, self.mask)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Match:
        assert result is not None
        return Match(result, self.kind, operands[1], operands[0], span)


@final
@dataclass(frozen=True, slots=True)
class WarpReduce:
    """`__reduce_*_sync` and `cooperative_groups::reduce`: the same value in every participating lane."""

    result: ValueId
    operator: AtomicOperator
    mask: ValueId
    value: ValueId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.value, self.mask)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> WarpReduce:
        assert result is not None
        return WarpReduce(result, self.operator, operands[1], operands[0], span)


# -- calls and the outside ------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Call:
    """A call of a device function whose body is known; the inliner replaces it where its budget allows.

    A by-value aggregate is passed as a value, a reference as an address, `this` as the first argument.
    """

    result: ValueId | None
    callee: FunctionId
    arguments: tuple[ValueId, ...]
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return self.arguments

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Call:
        return Call(result, self.callee, tuple(operands), span)


@final
@dataclass(frozen=True, slots=True)
class Print:
    """Device `printf`; `format` is None where it is not a literal."""

    result: ValueId | None
    format: str | None
    arguments: tuple[ValueId, ...]
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return self.arguments

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Print:
        return Print(result, self.format, tuple(operands), span)


@final
@dataclass(frozen=True, slots=True)
class Assert:
    """Device `assert(condition)`: a thread for which it fails ends the kernel."""

    condition: ValueId
    span: Span

    @property
    def result(self) -> None:
        return None

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.condition,)

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Assert:
        return Assert(operands[0], span)


@final
@dataclass(frozen=True, slots=True)
class Opaque:
    """Something that is not understood: the result is VARYING, any reachable memory may be read and written.

    `construct` says what it was, for `facts`, hovers and counts.  `may_contain_barrier` is set for unknown callees.
    """

    result: ValueId | None
    construct: str
    arguments: tuple[ValueId, ...]
    may_contain_barrier: bool
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return self.arguments

    def rebuilt(self, result: ValueId | None, operands: Sequence[ValueId], span: Span) -> Opaque:
        return Opaque(result, self.construct, tuple(operands), self.may_contain_barrier, span)


Instruction: TypeAlias = (
    Constant
    | Undefined
    | ReadSpecial
    | TemplateArgument
    | SymbolAddress
    | Unary
    | Binary
    | Compare
    | Select
    | Convert
    | Bitcast
    | Math
    | BuildAggregate
    | ExtractElement
    | InsertElement
    | ElementAddress
    | FieldAddress
    | PointerDifference
    | Load
    | Store
    | Atomic
    | Texture
    | Allocate
    | BlockBarrier
    | NamedBarrier
    | WarpBarrier
    | GridBarrier
    | Fence
    | Shuffle
    | Vote
    | Match
    | WarpReduce
    | Call
    | Print
    | Assert
    | Opaque
)


@final
@dataclass(frozen=True, slots=True)
class Phi:
    """The value that arrives over the edge the thread came by; one entry per predecessor block."""

    result: ValueId
    incoming: tuple[tuple[BasicBlockId, ValueId], ...]
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return tuple(value for _, value in self.incoming)


# -- terminators ----------------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True)
class Jump:
    """Goes on at `target`."""

    target: BasicBlockId
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return ()

    @property
    def successors(self) -> tuple[BasicBlockId, ...]:
        return (self.target,)


@final
@dataclass(frozen=True, slots=True)
class Branch:
    """Two-way branch; several may belong to one source branch (`if (a && p[i])`)."""

    condition: ValueId
    if_true: BasicBlockId
    if_false: BasicBlockId
    branch: SourceBranchId | None
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.condition,)

    @property
    def successors(self) -> tuple[BasicBlockId, ...]:
        return (self.if_true, self.if_false)


@final
@dataclass(frozen=True, slots=True)
class SwitchCase:
    """One label; `value` is None where the constant is not known (a template argument)."""

    value: int | None
    target: BasicBlockId


@final
@dataclass(frozen=True, slots=True)
class Switch:
    """Goes to the case whose value equals `value`, else to `default`."""

    value: ValueId
    cases: tuple[SwitchCase, ...]
    default: BasicBlockId
    branch: SourceBranchId | None
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return (self.value,)

    @property
    def successors(self) -> tuple[BasicBlockId, ...]:
        """Distinct targets, in order of first mention, the default last."""
        return tuple(dict.fromkeys([*(case.target for case in self.cases), self.default]))


@final
@dataclass(frozen=True, slots=True)
class Return:
    """The thread leaves the function."""

    value: ValueId | None
    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return () if self.value is None else (self.value,)

    @property
    def successors(self) -> tuple[BasicBlockId, ...]:
        return ()


@final
@dataclass(frozen=True, slots=True)
class Trap:
    """The kernel ends with an error (`__trap()`, `asm("trap;")`)."""

    span: Span

    @property
    def operands(self) -> tuple[ValueId, ...]:
        return ()

    @property
    def successors(self) -> tuple[BasicBlockId, ...]:
        return ()


Terminator: TypeAlias = Jump | Branch | Switch | Return | Trap
