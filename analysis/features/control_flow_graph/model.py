"""The picture as data: basic blocks as a reader of the source knows them, the ways between them, who decides.

Colours  A node is *divergent* if not even the lanes of one warp arrive together: dark, as in the source's Fig. 2(b).
Source   Lee et al., section 3.1 and Fig. 2.
"""

from __future__ import annotations

from enum import Enum
from typing import NewType, final

from analysis.divergence.levels import Level
from analysis.facts.model import BarrierScope
from analysis.ir.function import FunctionKind
from analysis.ir.record import record
from analysis.verdict.barriers import BarrierVerdict

NodeId = NewType("NodeId", int)
"""Index into `ControlFlowGraph.nodes`: reverse post-order, the entry is 0; shown as `B4`."""


class Ending(Enum):
    """How threads leave the function at a node; the values are shown."""

    RETURN = "return"
    TRAP = "trap"


@final
@record
class SourceLine:
    """One statement, or the part of it that runs in the node, on one line and whole; `number` counts from 1."""

    number: int
    text: str


@final
@record
class GraphCall:
    """A call of a function with control flow or barriers of its own that is one line here; does it diverge inside?"""

    name: str
    diverges: bool


@final
@record
class GraphBarrier:
    """A barrier of the node; `callee` is the called function that it stands in, None for the function itself."""

    scope: BarrierScope
    verdict: BarrierVerdict
    callee: str | None


@final
@record
class Decision:
    """The branch at the end of a node; `level` is the group that agrees on it."""

    line: SourceLine
    keyword: str
    level: Level


@final
@record
class GraphNode:
    """`convergent` is the widest group of which all live threads run the node, or none does (VARYING: no group)."""

    id: NodeId
    lines: tuple[SourceLine, ...]
    calls: tuple[GraphCall, ...]
    barriers: tuple[GraphBarrier, ...]
    decision: Decision | None
    ending: Ending | None
    convergent: Level
    melded: bool = False
    """Whether melding makes it one with code of the other arm, or has made it so."""

    @property
    def divergent(self) -> bool:
        return self.convergent is Level.VARYING


@final
@record
class GraphEdge:
    """`label` is `true`, `false`, `case 1, 2`, `default`, or empty; a back edge leads to a loop's next iteration."""

    source: NodeId
    target: NodeId
    label: str
    is_back: bool


@final
@record
class Dependence:
    """The branch at the end of `decider` decides whether `dependent` runs (in this iteration)."""

    decider: NodeId
    dependent: NodeId


@final
@record
class ControlFlowGraph:
    """One function; edges in the order of their sources, `dependences` without those from a node to itself."""

    function: str
    kind: FunctionKind
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    dependences: tuple[Dependence, ...]

    def hidden_dependences(self) -> tuple[Dependence, ...]:
        """The dependences that no edge shows: what a picture has to draw beside the edges."""
        shown = {(edge.source, edge.target) for edge in self.edges}
        return tuple(item for item in self.dependences if (item.decider, item.dependent) not in shown)
