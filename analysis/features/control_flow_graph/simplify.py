"""Leaves out nodes that only lead on, joins straight lines, and numbers what is left."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from analysis.features.control_flow_graph.model import ControlFlowGraph, Dependence, GraphEdge, GraphNode, NodeId

ENTRY = NodeId(0)


def simplify(graph: ControlFlowGraph) -> ControlFlowGraph:
    """The same picture with fewer nodes; node 0 stays the entry and the order stays."""
    nodes = {node.id: node for node in graph.nodes}
    ways: dict[NodeId, dict[NodeId, str]] = {node.id: {} for node in graph.nodes}
    for edge in graph.edges:
        ways[edge.source][edge.target] = edge.label
    _leave_out_empty(nodes, ways)
    merged = _join_straight_lines(nodes, ways)
    return _renumbered(graph, nodes, ways, merged)


def _leave_out_empty(nodes: dict[NodeId, GraphNode], ways: dict[NodeId, dict[NodeId, str]]) -> None:
    for id in list(nodes):
        if id == ENTRY or not _is_empty(nodes[id]) or len(ways[id]) != 1:
            continue
        (target,) = ways[id]
        if target == id:
            continue
        for source in nodes:
            if id in ways[source]:
                ways[source] = _redirected(ways[source], id, target)
        del nodes[id], ways[id]


def _redirected(ways: dict[NodeId, str], gone: NodeId, target: NodeId) -> dict[NodeId, str]:
    """The ways out of a node in their order, with `target` for `gone`."""
    found: dict[NodeId, str] = {}
    for way, label in ways.items():
        there = target if way == gone else way
        known = found.get(there, "")
        both_cases = known.startswith("case ") and label.startswith("case ")
        found[there] = ", ".join(filter(None, (known, label.removeprefix("case ") if both_cases else label)))
    return found


def _is_empty(node: GraphNode) -> bool:
    return not (node.lines or node.calls or node.barriers or node.decision or node.ending)


def _join_straight_lines(nodes: dict[NodeId, GraphNode], ways: dict[NodeId, dict[NodeId, str]]) -> dict[NodeId, NodeId]:
    """Which node each node that is gone became part of."""
    incoming: defaultdict[NodeId, int] = defaultdict(int)
    for targets in ways.values():
        for target in targets:
            incoming[target] += 1
    merged: dict[NodeId, NodeId] = {}
    for id in list(nodes):
        while id in nodes and len(ways[id]) == 1 and nodes[id].decision is None:
            (follower,) = ways[id]
            straight = incoming[follower] == 1 and follower not in (id, ENTRY)
            alike = nodes[follower].convergent is nodes[id].convergent and nodes[follower].melded == nodes[id].melded
            if not straight or not alike:
                break
            nodes[id] = _joined(nodes[id], nodes.pop(follower))
            ways[id] = ways.pop(follower)
            merged[follower] = id
    return merged


def _joined(first: GraphNode, second: GraphNode) -> GraphNode:
    return replace(
        first,
        lines=tuple(dict.fromkeys(first.lines + second.lines)),
        calls=first.calls + second.calls,
        barriers=first.barriers + second.barriers,
        decision=second.decision,
        ending=second.ending,
    )


def _renumbered(
    graph: ControlFlowGraph,
    nodes: dict[NodeId, GraphNode],
    ways: dict[NodeId, dict[NodeId, str]],
    merged: dict[NodeId, NodeId],
) -> ControlFlowGraph:
    number = {id: NodeId(index) for index, id in enumerate(sorted(nodes))}
    for gone, kept in merged.items():
        while kept in merged:
            kept = merged[kept]
        number[gone] = number[kept]
    edges = [
        GraphEdge(number[source], number[target], label, number[target] <= number[source])
        for source in sorted(ways)
        for target, label in ways[source].items()
    ]
    pairs = {
        (number[item.decider], number[item.dependent])
        for item in graph.dependences
        if item.decider in number and item.dependent in number
    }
    return replace(
        graph,
        nodes=tuple(replace(nodes[id], id=number[id]) for id in sorted(nodes)),
        edges=tuple(edges),
        dependences=tuple(Dependence(*pair) for pair in sorted(pairs) if pair[0] != pair[1]),
    )
