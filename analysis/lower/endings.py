"""Which objects are still to end: those of the scopes around, and the temporaries of a full expression.

Words   An *ending* is an object whose destructor runs where its scope is left.  Endings are a chain, the newest first.
        A point of the function has one chain, and so has each place that control can go to: what lies in between ends
        on the way.  A chain is never changed, so a jump can be finished when its label is found.
        A *full expression* is one that is no part of another; its temporaries end with it, the newest first.
        A temporary that is made only on one side of a condition has a *flag*: it ends where that is set.
Source  C++ standard, "Temporary objects", "Jump statements"; cleanups and their flags as compilers keep them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

from analysis.ir.ids import BasicBlockId, SourceBranchId, SymbolId, ValueId
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import Type


@final
@dataclass(frozen=True, slots=True, eq=False)
class Ending:
    """An object of `type` at `address`; `before` it began what ends after it."""

    address: ValueId
    type: Type
    before: Ending | None


@final
@record
class Exit:
    """Where a jump goes, and what is still to end there."""

    block: BasicBlockId
    endings: Ending | None


@final
@record
class Temporary:
    """`flag` holds whether it was made, where the source branch `branch` decides that."""

    address: ValueId
    type: Type
    flag: SymbolId | None = None
    branch: SourceBranchId | None = None


@final
class FullExpression:
    """`deciding` are the branches that decide whether what is evaluated now is evaluated at all, outermost first."""

    __slots__ = ("deciding", "temporaries")

    def __init__(self) -> None:
        self.temporaries: list[Temporary] = []
        self.deciding: list[SourceBranchId | None] = []


@final
@dataclass(slots=True, eq=False)
class Label:
    """A label of a function, and the jumps to it that came before it: where each goes on, and what is to end there."""

    block: BasicBlockId
    is_found: bool = False
    endings: Ending | None = None
    jumps: list[tuple[Exit, Span]] = field(default_factory=list[tuple[Exit, Span]])
