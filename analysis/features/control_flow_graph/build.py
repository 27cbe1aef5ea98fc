"""From facts to the picture: nodes, edges, decisions and control dependence of one function.

Rules    A function has one picture for each place where it was inlined; those of equal shape are merged at the worst
         of each node.  Where the shapes differ (instances of a template) the most divergent one is shown.
         Nodes without text that only lead on are left out; a node and its only follower become one if both are
         equally convergent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, final

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.merge import VERDICT_RANK, FrameView, scope_of
from analysis.facts.model import FunctionFacts
from analysis.features.control_flow_graph.grouping import Group, Grouping, frames_inside, group_blocks
from analysis.features.control_flow_graph.model import (
    ControlFlowGraph,
    Decision,
    Dependence,
    Ending,
    GraphBarrier,
    GraphCall,
    GraphEdge,
    GraphNode,
    NodeId,
    SourceLine,
)
from analysis.features.control_flow_graph.simplify import simplify
from analysis.features.control_flow_graph.source_lines import SourceText
from analysis.ir.ids import BasicBlockId
from analysis.ir.instructions import Branch, FunctionId, Return, Switch, Trap
from analysis.ir.source import OWN_FRAME, FrameId, Span
from analysis.syntax.items import Item

_MAX_CASES: Final = 6


def control_flow_graph(
    analysis: FileAnalysis, function: FunctionFacts, *, inlined: bool = False
) -> ControlFlowGraph | None:
    """The picture of one function; None where it could not be analysed.

    `inlined`: the functions it calls are drawn as well.
    """
    views = analysis.views(function)
    if not views:
        return None
    drawn = [picture_of(analysis, function, view, frozenset(), inlined=inlined) for view in views]
    pictures = [graph for graph in drawn if graph.nodes] or [_without_code(function, views)]
    worst = max(pictures, key=lambda graph: (sum(node.divergent for node in graph.nodes), len(graph.nodes)))
    same = [graph for graph in pictures if _shape(graph) == _shape(worst)]
    nodes = tuple(_worst_node(versions) for versions in zip(*(graph.nodes for graph in same), strict=True))
    return replace(worst, nodes=nodes)


def picture_of(
    analysis: FileAnalysis, function: FunctionFacts, view: FrameView, melded: frozenset[BasicBlockId], *, inlined: bool
) -> ControlFlowGraph:
    """The picture of one place where the function was inlined; `melded` are the blocks to be marked so."""
    return _Picture(analysis, function, view, melded, inlined=inlined).graph()


def _without_code(facts: FunctionFacts, views: Sequence[FrameView]) -> ControlFlowGraph:
    """A function that only passes values on: nothing of it is left where it was inlined."""
    roots = [view.root for view in views]
    convergent = max(root.divergence.convergence(block) for root in roots for block in root.control.order)
    node = GraphNode(NodeId(0), (), (), (), None, Ending.RETURN, convergent)
    return ControlFlowGraph(facts.name, facts.kind, (node,), (), ())


def _shape(graph: ControlFlowGraph) -> object:
    parts = [(node.lines, len(node.calls), len(node.barriers), node.decision is None) for node in graph.nodes]
    return parts, graph.edges


def _worst_node(versions: Sequence[GraphNode]) -> GraphNode:
    first = versions[0]
    decision = first.decision
    if decision is not None:
        decision = replace(decision, level=max(node.decision.level for node in versions if node.decision is not None))
    return replace(
        first,
        decision=decision,
        calls=tuple(
            max(calls, key=lambda call: call.diverges) for calls in zip(*(n.calls for n in versions), strict=True)
        ),
        barriers=tuple(
            max(sites, key=lambda site: VERDICT_RANK[site.verdict])
            for sites in zip(*(n.barriers for n in versions), strict=True)
        ),
        convergent=max(node.convergent for node in versions),
    )


@final
class _Picture:
    """One function in one place where it was inlined."""

    def __init__(
        self,
        analysis: FileAnalysis,
        facts: FunctionFacts,
        view: FrameView,
        melded: frozenset[BasicBlockId],
        *,
        inlined: bool,
    ) -> None:
        self._facts = facts
        self._melded = melded
        self._view = view
        self._function = view.root.function
        self._grouping: Grouping = group_blocks(view, inlined=inlined)

        def item_of(frame: FrameId) -> Item | None:
            return analysis.item_of(view, frame)

        self._text = SourceText(self._grouping, item_of, analysis.line_in)

    def graph(self) -> ControlFlowGraph:
        groups = self._grouping.groups
        nodes = tuple(self._node(NodeId(index), group) for index, group in enumerate(groups))
        edges = tuple(edge for index, group in enumerate(groups) for edge in self._edges(NodeId(index), group))
        whole = ControlFlowGraph(self._facts.name, self._facts.kind, nodes, edges, tuple(self._dependences()))
        return simplify(whole)

    # -- nodes ------------------------------------------------------------------------------------------------------

    def _node(self, id: NodeId, group: Group) -> GraphNode:
        decision = self._decision(group)
        span = None if decision is None or group.last is None else self._function.blocks[group.last].terminator.span
        return GraphNode(
            id,
            self._text.lines(group, span),
            tuple(self._calls(group)),
            tuple(self._barriers(group)),
            decision,
            self._ending(group),
            group.convergent,
            not self._melded.isdisjoint(group.blocks),
        )

    def _decision(self, group: Group) -> Decision | None:
        if group.last is None:
            return None
        terminator = self._function.blocks[group.last].terminator
        if not isinstance(terminator, Branch | Switch):
            return None
        keyword = "switch" if isinstance(terminator, Switch) else "if"
        if terminator.branch is not None:
            branch = self._function.branches[terminator.branch]
            written = self._text.keyword(branch.keyword)
            keyword = written if written in _KEYWORDS else branch.kind.value
        level = self._view.root.divergence.terminator_level(group.last)
        line = self._text.line(self._text.condition(terminator)) or SourceLine(self._line_of(terminator.span), "…")
        return Decision(line, keyword, level)

    def _line_of(self, span: Span) -> int:
        line = self._text.line(Span(span.start, span.end + 1, span.frame))
        return 0 if line is None else line.number

    def _ending(self, group: Group) -> Ending | None:
        terminator = None if group.last is None else self._function.blocks[group.last].terminator
        match terminator:
            case Return():
                return Ending.RETURN
            case Trap():
                return Ending.TRAP
            case _:  # an inlined body goes on in its caller
                inlined = self._view.frame != OWN_FRAME
                return Ending.RETURN if inlined and not any(self._targets(group)) else None

    def _calls(self, group: Group) -> Iterator[GraphCall]:
        """The direct calls out of what is drawn, if there is more in them than straight code."""
        function, divergence = self._function, self._view.root.divergence
        hidden = self._grouping.inside - self._grouping.own
        for frame in sorted(hidden):
            if function.frames[frame].parent not in self._grouping.own:
                continue
            within = frames_inside(function, frame)
            blocks = [block for block in group.blocks if function.blocks[block].terminator.span.frame in within]
            has_barrier = any(
                site.span.frame in within and site.block in group.blocks for site in self._view.root.barriers
            )
            if blocks or has_barrier:
                inner = [block for block in blocks if block != group.blocks[0]]
                diverges = any(divergence.convergence(block) > group.convergent for block in inner)
                varies = any(divergence.terminator_level(block) is Level.VARYING for block in blocks)
                yield GraphCall(_short_name(function.frames[frame].function), diverges or varies)

    def _barriers(self, group: Group) -> Iterator[GraphBarrier]:
        for site in self._view.root.barriers:
            if site.block in group.blocks and site.span.frame in self._grouping.inside:
                hidden = site.span.frame not in self._grouping.own
                callee = _short_name(self._function.frames[site.span.frame].function) if hidden else None
                yield GraphBarrier(scope_of(site.instruction), site.verdict, callee)

    # -- edges ------------------------------------------------------------------------------------------------------

    def _edges(self, source: NodeId, group: Group) -> Iterator[GraphEdge]:
        labels: dict[NodeId, list[str]] = {}
        for block, label in self._targets(group):
            labels.setdefault(NodeId(self._grouping.group_of[block]), []).append(label)
        for target, found in labels.items():
            yield GraphEdge(source, target, _label(found), is_back=False)  # `simplify` knows the final order

    def _targets(self, group: Group) -> Iterator[tuple[BasicBlockId, str]]:
        if group.last is None:
            return
        match self._function.blocks[group.last].terminator:
            case Branch(if_true=if_true, if_false=if_false):
                ways = [(if_true, "true"), (if_false, "false")]
            case Switch(cases=cases, default=default):
                ways = [(case.target, "case ?" if case.value is None else f"case {case.value}") for case in cases]
                ways.append((default, "default"))
            case terminator:
                ways = [(target, "") for target in terminator.successors]
        yield from ((block, label) for block, label in ways if block in self._grouping.group_of)

    def _dependences(self) -> Iterator[Dependence]:
        grouping, control = self._grouping, self._view.root.control
        last = {group.last: NodeId(index) for index, group in enumerate(grouping.groups) if group.last is not None}
        found: dict[tuple[NodeId, NodeId], None] = {}
        for index, group in enumerate(grouping.groups):
            for block in group.blocks:
                for controller in control.controllers(block):
                    if controller in last and last[controller] != index:
                        found[last[controller], NodeId(index)] = None
        return (Dependence(*pair) for pair in sorted(found))


_KEYWORDS: Final = frozenset({"if", "for", "while", "do", "switch", "?", "&&", "||"})


def _label(labels: Sequence[str]) -> str:
    """`case 1, 2` for several cases, `true, false` where both ways lead to one node."""
    cases = [label.removeprefix("case ") for label in labels if label.startswith("case ")]
    others = [label for label in labels if not label.startswith("case ")]
    if len(cases) > _MAX_CASES:
        cases = [*cases[: _MAX_CASES - 1], "…"]
    return ", ".join((["case " + ", ".join(cases)] if cases else []) + others)


def _short_name(function: FunctionId) -> str:
    return str(function).split("(")[0].split("#")[0].split("<")[0]
