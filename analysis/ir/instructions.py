"""The closed set of instructions; each family has its own file, this one exports them all.

Every instruction is frozen data with the same four members:

- `result`: the value it defines, or None;
- `operands`: the values it reads, in a fixed order;
- `span`: the source text it stands for (the *use* where a macro was expanded);
- `renamed(names, span)`: the same instruction with the value `names[v]` for each `v` (inlining, renumbering).

Types of values stand in `Function.types`; an instruction does not repeat them.  Passes that give meaning to
instructions use `match` over `Instruction` with `assert_never`; passes that only move values use the members above.
"""

from __future__ import annotations

from typing import TypeAlias

from analysis.ir.arithmetic import (
    Binary,
    Bitcast,
    Compare,
    Constant,
    Convert,
    Math,
    ReadSpecial,
    Select,
    SymbolAddress,
    TemplateArgument,
    Unary,
    Undefined,
)
from analysis.ir.calls import Assert, Call, DeviceLaunch, Opaque, Print
from analysis.ir.collectives import (
    BlockBarrier,
    Fence,
    GridBarrier,
    Match,
    NamedBarrier,
    PhaseWait,
    Shuffle,
    Vote,
    WarpBarrier,
    WarpReduce,
)
from analysis.ir.control import Branch, Jump, Phi, Return, Switch, SwitchCase, Trap
from analysis.ir.ids import BasicBlockId, FunctionId, SourceBranchId, SymbolId, ValueId
from analysis.ir.memory import (
    Allocate,
    Atomic,
    BuildAggregate,
    ElementAddress,
    ExtractElement,
    FieldAddress,
    InsertElement,
    Load,
    PointerDifference,
    Store,
    Texture,
)

__all__ = [
    "Allocate",
    "Assert",
    "Atomic",
    "BasicBlockId",
    "Binary",
    "Bitcast",
    "BlockBarrier",
    "Branch",
    "BuildAggregate",
    "Call",
    "Compare",
    "Constant",
    "Convert",
    "DeviceLaunch",
    "ElementAddress",
    "ExtractElement",
    "Fence",
    "FieldAddress",
    "FunctionId",
    "GridBarrier",
    "InsertElement",
    "Instruction",
    "Jump",
    "Load",
    "Match",
    "Math",
    "NamedBarrier",
    "Opaque",
    "PhaseWait",
    "Phi",
    "PointerDifference",
    "Print",
    "ReadSpecial",
    "Return",
    "Select",
    "Shuffle",
    "SourceBranchId",
    "Store",
    "Switch",
    "SwitchCase",
    "SymbolAddress",
    "SymbolId",
    "TemplateArgument",
    "Terminator",
    "Texture",
    "Trap",
    "Unary",
    "Undefined",
    "ValueId",
    "Vote",
    "WarpBarrier",
    "WarpReduce",
]

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
    | PhaseWait
    | WarpBarrier
    | GridBarrier
    | Fence
    | Shuffle
    | Vote
    | Match
    | WarpReduce
    | Call
    | DeviceLaunch
    | Print
    | Assert
    | Opaque
)

Terminator: TypeAlias = Jump | Branch | Switch | Return | Trap
