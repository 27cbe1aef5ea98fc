"""A function in SSA form over a control-flow graph, with the source names that people know it by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from enum import Enum
from itertools import chain, repeat
from typing import NewType, final

from analysis.ir.enumeration import Enumeration
from analysis.ir.instructions import BasicBlockId, FunctionId, Instruction, Phi, SymbolId, Terminator, ValueId
from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.ir.source import OWN_FRAME, FrameId, Span
from analysis.ir.types import StructLayout, Type

ENTRY = BasicBlockId(0)

VariableId = NewType("VariableId", int)
"""Index into `Function.variables`."""


class FunctionKind(Enum):
    KERNEL = "kernel"
    DEVICE = "device"


class SymbolKind(Enumeration):
    """Where a named object lives."""

    LOCAL = "local"
    SHARED = "shared"
    DYNAMIC_SHARED = "dynamic_shared"
    GLOBAL = "global"
    CONSTANT = "constant"
    TEXTURE = "texture"


class SourceBranchKind(Enumeration):
    """What the programmer wrote; the values are those of the `facts` contract."""

    IF = "if"
    LOOP = "loop"
    SWITCH = "switch"
    CONDITIONAL = "conditional"
    SHORT_CIRCUIT = "short-circuit"
    CALL = "call"
    """Of a function that is chosen at run time, by a pointer or by the class of an object."""


@final
@record
class Parameter:
    """A formal parameter; a reference parameter is a pointer, `this` is the first parameter of a method."""

    value: ValueId
    name: str
    span: Span


@final
@record
class Symbol:
    """A named object in memory; `type` is the object's type, not a pointer to it."""

    name: str
    kind: SymbolKind
    type: Type
    span: Span


@final
@record
class SourceBranch:
    """One place where the programmer lets threads go different ways.

    `keyword` covers the `if`/`for`/`while`/`switch`/`?`/`&&` token: what is reported; `extent` the whole construct.
    """

    kind: SourceBranchKind
    keyword: Span
    extent: Span


@final
@record
class Variable:
    """A declared variable or parameter; `span` covers its name in the declaration."""

    name: str
    type: Type
    span: Span


@final
@record
class Definition:
    """`value` became the contents of `variable` at `span` (initialisation or assignment)."""

    variable: VariableId
    value: ValueId
    span: Span


@final
@record
class Expression:
    """The source expression at `span` has this value."""

    span: Span
    value: ValueId


@final
@record
class Frame:
    """One inlined body.  Value `v` of the callee is `value_base + v` here, its branch `b` is `branch_base + b`.

    `call` is the span of the call, in the caller's frame.  `arguments` are what it passes, one for each parameter, None
    for a value that nothing needs, and `block` is where the body begins, None where no thread comes there; both are
    known of what the inliner made, and are no part of the printed form.
    """

    function: FunctionId
    parent: FrameId
    call: Span
    value_base: int
    branch_base: int
    variable_base: int
    arguments: tuple[ValueId | None, ...] = field(default=(), compare=False, repr=False)
    block: BasicBlockId | None = field(default=None, compare=False, repr=False)


@final
@record
class BasicBlock:
    """Phis, instructions, one terminator.  A block's id is its index in `Function.blocks`."""

    phis: tuple[Phi, ...]
    instructions: tuple[Instruction, ...]
    terminator: Terminator


@final
@record
class Function:
    """One kernel or device function.  Block 0 is the entry and has no predecessors.

    `frames[0]` is the function itself; the inliner appends one frame per inlined call.
    """

    id: FunctionId
    name: str
    kind: FunctionKind
    parameters: tuple[Parameter, ...]
    return_type: Type
    blocks: tuple[BasicBlock, ...]
    types: tuple[Type, ...]
    structs: Mapping[str, StructLayout] = field(default_factory=dict[str, StructLayout])
    symbols: tuple[Symbol, ...] = ()
    branches: tuple[SourceBranch, ...] = ()
    variables: tuple[Variable, ...] = ()
    definitions: tuple[Definition, ...] = ()
    expressions: Sequence[Expression] = ()
    frames: tuple[Frame, ...] = ()

    def type_of(self, value: ValueId) -> Type:
        return self.types[value]

    def symbol(self, symbol: SymbolId) -> Symbol:
        return self.symbols[symbol]

    def instructions(self) -> Iterator[tuple[BasicBlockId, Instruction]]:
        """All instructions except phis and terminators, block by block."""
        return chain.from_iterable(
            zip(repeat(BasicBlockId(index)), paced(block.instructions), strict=False)
            for index, block in enumerate(paced(self.blocks))
        )


def own_frame(function: FunctionId) -> Frame:
    """The frame of a function that nothing was inlined into yet."""
    return Frame(function, OWN_FRAME, Span(0, 0), 0, 0, 0)


def values_of_frame(function: Function, frame: FrameId) -> Iterator[ValueId]:
    """The values that came with an inlined body; without the few that were made later."""
    frames = function.frames
    end = frames[frame + 1].value_base if frame + 1 < len(frames) else len(function.types)
    return map(ValueId, range(frames[frame].value_base if frames else 0, end))
