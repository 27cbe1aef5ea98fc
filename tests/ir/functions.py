"""Random functions for the textual form: every instruction, type and record, without regard to sense.

Parameters take the value ids 0 to 9, so that every operand from that range exists.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from analysis.ir.function import (
    BasicBlock,
    Definition,
    Expression,
    Frame,
    Function,
    FunctionKind,
    Parameter,
    SourceBranch,
    SourceBranchKind,
    Symbol,
    SymbolKind,
    Variable,
    VariableId,
    own_frame,
)
from analysis.ir.instructions import (
    Allocate,
    Assert,
    Atomic,
    BasicBlockId,
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
    FunctionId,
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
    PointerDifference,
    Print,
    ReadSpecial,
    Return,
    Select,
    Shuffle,
    SourceBranchId,
    Store,
    Switch,
    SwitchCase,
    SymbolAddress,
    SymbolId,
    TemplateArgument,
    Terminator,
    Texture,
    Trap,
    Unary,
    Undefined,
    ValueId,
    Vote,
    WarpBarrier,
    WarpReduce,
)
from analysis.ir.operators import (
    AtomicOperator,
    BarrierOperator,
    BarrierReduction,
    BinaryOperator,
    CompareOperator,
    MatchKind,
    MathFunction,
    MemoryScope,
    PhaseQuestion,
    ShuffleMode,
    SpecialRegister,
    TextureOperation,
    UnaryOperator,
    VoteKind,
)
from analysis.ir.source import FrameId, Span
from analysis.ir.types import (
    BOOLEAN,
    F32,
    S32,
    U8,
    VOID,
    ArrayType,
    Field,
    FloatFormat,
    FloatType,
    GroupKind,
    GroupType,
    HandleType,
    IntegerType,
    MemorySpace,
    PointerType,
    StructLayout,
    StructType,
    TemplateType,
    Type,
    UnknownType,
    VectorType,
)

PARAMETERS = 10
BLOCKS = 4
TABLE = 3
"""The number of symbols, source branches, variables and frames."""

Some = st.SearchStrategy

small = st.integers(0, 300)
names = st.one_of(st.sampled_from(["x", "inf", "nan", "block0", "tile<int>", "", 'a "b"\n', "ü"]), st.text(max_size=5))
values = st.integers(0, PARAMETERS - 1).map(ValueId)
many = st.lists(values, max_size=4).map(tuple)
results = st.just(ValueId(-1))
"""Replaced by a fresh id."""
maybe_results = st.one_of(st.none(), results)
spans = st.one_of(st.just(Span(0, 0)), st.builds(Span, small, small, st.integers(0, TABLE - 1).map(FrameId)))
branches = st.one_of(st.none(), st.integers(0, TABLE - 1).map(SourceBranchId))
blocks = st.integers(0, BLOCKS - 1).map(BasicBlockId)
literals = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**64), 2**64), st.floats(allow_nan=False), st.text(max_size=5)
)
types: Some[Type] = st.recursive(
    st.one_of(
        st.just(VOID),
        st.just(BOOLEAN),
        st.builds(IntegerType, st.sampled_from([8, 16, 32, 64, 128]), st.booleans()),
        st.builds(FloatType, st.sampled_from(FloatFormat)),
        st.builds(StructType, names),
        st.builds(GroupType, st.sampled_from(GroupKind), st.one_of(st.none(), small)),
        st.builds(HandleType, names),
        st.builds(TemplateType, names),
        st.builds(UnknownType, names),
    ),
    lambda inner: st.one_of(
        st.builds(VectorType, inner, st.integers(1, 4), st.integers(1, 16)),
        st.builds(PointerType, inner, st.sampled_from(MemorySpace), st.booleans()),
        st.builds(ArrayType, inner, st.one_of(st.none(), small)),
    ),
    max_leaves=3,
)


def _maybe(strategy: Some[Any]) -> Some[Any]:
    return st.one_of(st.none(), strategy)


instructions: Some[Instruction] = st.one_of(
    st.builds(Constant, results, literals, spans),
    st.builds(Undefined, results, spans),
    st.builds(ReadSpecial, results, st.sampled_from(SpecialRegister), spans),
    st.builds(TemplateArgument, results, names, spans),
    st.builds(SymbolAddress, results, st.integers(0, TABLE - 1).map(SymbolId), spans),
    st.builds(Unary, results, st.sampled_from(UnaryOperator), values, spans),
    st.builds(Binary, results, st.sampled_from(BinaryOperator), values, values, spans),
    st.builds(Compare, results, st.sampled_from(CompareOperator), values, values, spans),
    st.builds(Select, results, values, values, values, branches, spans),
    st.builds(Convert, results, values, spans),
    st.builds(Bitcast, results, values, spans),
    st.builds(Math, results, st.sampled_from(MathFunction), many, spans),
    st.builds(BuildAggregate, results, many, spans),
    st.builds(ExtractElement, results, values, small, spans),
    st.builds(InsertElement, results, values, small, values, spans),
    st.builds(ElementAddress, results, values, values, spans),
    st.builds(FieldAddress, results, values, small, spans),
    st.builds(PointerDifference, results, values, values, spans),
    st.builds(Load, results, values, st.booleans(), spans),
    st.builds(Store, values, values, st.booleans(), spans),
    st.builds(Atomic, results, st.sampled_from((*AtomicOperator, *BarrierOperator)), values, many, spans),
    st.builds(Texture, maybe_results, st.sampled_from(TextureOperation), many, spans),
    st.builds(Allocate, results, values, spans),
    st.builds(BlockBarrier, maybe_results, st.sampled_from(BarrierReduction), _maybe(values), spans),
    st.builds(NamedBarrier, values, _maybe(values), st.booleans(), spans),
    st.builds(PhaseWait, results, st.sampled_from(PhaseQuestion), values, values, spans),
    st.builds(WarpBarrier, values, spans),
    st.builds(GridBarrier, spans),
    st.builds(Fence, st.sampled_from(MemoryScope), spans),
    st.builds(Shuffle, results, st.sampled_from(ShuffleMode), _maybe(values), values, values, _maybe(values), spans),
    st.builds(Vote, results, st.sampled_from(VoteKind), _maybe(values), values, spans),
    st.builds(Match, results, st.sampled_from(MatchKind), values, values, spans),
    st.builds(WarpReduce, results, st.sampled_from(AtomicOperator), values, values, spans),
    st.builds(Call, maybe_results, names.map(FunctionId), many, spans),
    st.builds(Print, maybe_results, _maybe(names), many, spans),
    st.builds(Assert, values, spans),
    st.builds(DeviceLaunch, many, spans),
    st.builds(Opaque, maybe_results, names, many, st.booleans(), spans),
)
phis = st.builds(Phi, results, st.lists(st.tuples(blocks, values), max_size=3).map(tuple), spans)
cases = st.builds(SwitchCase, st.one_of(st.none(), st.integers(-5, 5)), blocks)
terminators: Some[Terminator] = st.one_of(
    st.builds(Jump, blocks, spans),
    st.builds(Branch, values, blocks, blocks, branches, spans),
    st.builds(Switch, values, st.lists(cases, max_size=3).map(tuple), blocks, branches, spans),
    st.builds(Return, _maybe(values), spans),
    st.builds(Trap, spans),
)
layouts = st.builds(
    StructLayout,
    names,
    st.lists(st.builds(Field, names, types, small), max_size=3).map(tuple),
    small,
    small,
    st.booleans(),
)


@st.composite
def functions(draw: st.DrawFn) -> Function:
    value_types: list[Type] = [draw(st.sampled_from([S32, F32, BOOLEAN, U8])) for _ in range(PARAMETERS)]

    def numbered(item: Any) -> Any:
        """Gives the item's result the next value id."""
        if item.result is None:
            return item
        value_types.append(draw(types))
        result = ValueId(len(value_types) - 1)
        if isinstance(item, Phi):
            return Phi(result, item.incoming, item.span)
        return replace(item, result=result)

    made = [
        BasicBlock(
            tuple(numbered(phi) for phi in draw(st.lists(phis, max_size=2))),
            tuple(numbered(instruction) for instruction in draw(st.lists(instructions, max_size=6))),
            draw(terminators),
        )
        for _ in range(BLOCKS)
    ]
    value_types += [VOID] * draw(st.integers(0, 2))
    id = FunctionId(draw(names))
    spare = [
        Frame(FunctionId(draw(names)), FrameId(draw(small)), draw(spans), draw(small), draw(small), draw(small))
        for _ in range(draw(st.integers(0, TABLE - 1)))
    ]
    variables = st.integers(0, TABLE - 1).map(VariableId)
    three: Any = {"min_size": TABLE, "max_size": TABLE}
    return Function(
        id=id,
        name=draw(st.one_of(st.just(str(id)), names)),
        kind=draw(st.sampled_from(FunctionKind)),
        parameters=tuple(Parameter(ValueId(index), draw(names), draw(spans)) for index in range(PARAMETERS)),
        return_type=draw(types),
        blocks=tuple(made),
        types=tuple(value_types),
        structs={layout.name: layout for layout in draw(st.lists(layouts, max_size=2))},
        symbols=tuple(draw(st.lists(st.builds(Symbol, names, st.sampled_from(SymbolKind), types, spans), **three))),
        branches=tuple(
            draw(st.lists(st.builds(SourceBranch, st.sampled_from(SourceBranchKind), spans, spans), **three))
        ),
        variables=tuple(draw(st.lists(st.builds(Variable, names, types, spans), **three))),
        definitions=tuple(draw(st.lists(st.builds(Definition, variables, values, spans), max_size=3))),
        expressions=tuple(draw(st.lists(st.builds(Expression, spans, values), max_size=3))),
        frames=draw(st.sampled_from([(), (own_frame(id),), (own_frame(id), *spare), tuple(spare)])),
    )
