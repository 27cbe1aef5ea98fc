"""The picture as one SVG document: no scripts, nothing from the network, light or dark as the page is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final, final

from analysis.divergence.levels import Level
from analysis.features.control_flow_graph.layout.model import Box, Layout, Link, Route
from analysis.features.control_flow_graph.layout.routes import lay_out, ports_width
from analysis.features.control_flow_graph.model import ControlFlowGraph, GraphEdge, GraphNode, NodeId
from analysis.features.control_flow_graph.rows import Row, RowKind, columns, rows_of, title_of
from analysis.features.control_flow_graph.svg_legend import LEGEND_HEIGHT, LEGEND_WIDTH, MELDED_WIDTH, legend
from analysis.features.control_flow_graph.svg_style import CHARACTER, LINE_HEIGHT, STYLE
from analysis.ir.record import record

_MARGIN: Final = 20.0
_PADDING: Final = 9.0
_TITLE_HEIGHT: Final = 30.0
_GAP: Final = 48.0
"""Between two graphs."""
_LABEL_ZONE: Final = 18.0
_LOOP_WIDTH: Final = 26.0
_LABEL_CHARACTER: Final = 6.7
_MANY_DEPENDENCES: Final = 60

_LEVEL_CLASSES: Final = {Level.GRID: "", Level.BLOCK: "", Level.WARP: " warps", Level.VARYING: " split"}


@final
@record
class _Drawn:
    """A node with its rows and measures; `numbers` and `remarks` are the widths of its columns."""

    node: GraphNode
    rows: tuple[Row, ...]
    numbers: float
    width: float
    height: float
    loop: GraphEdge | None

    @property
    def loop_width(self) -> float:
        return 0.0 if self.loop is None else _LOOP_WIDTH + _label_width(self.loop.label)


@final
@record
class _Panel:
    """One graph, laid out."""

    title: str
    parts: tuple[str, ...]
    width: float
    height: float
    all_dependences: bool


def render_svg(*graphs: ControlFlowGraph, titles: Sequence[str] = ()) -> str:
    """A whole document, ready for a file or a web view; several graphs stand side by side under their titles."""
    panels = [_panel(graph, title) for graph, title in zip(graphs, titles or [""] * len(graphs), strict=True)]
    melded = any(node.melded for graph in graphs for node in graph.nodes)
    name = title_of(graphs[0]) if len(graphs) == 1 else graphs[0].function
    return _document(panels, name, has_melded=melded)


def _panel(graph: ControlFlowGraph, title: str) -> _Panel:
    loops = {edge.source: edge for edge in graph.edges if edge.source == edge.target}
    edges = [edge for edge in graph.edges if edge.source != edge.target]
    drawn = [_measured(node, edges, loops.get(node.id)) for node in graph.nodes]
    labelled = {edge.source for edge in edges if edge.label}
    boxes = [
        Box(item.width + 2 * item.loop_width, item.height, _LABEL_ZONE if item.node.id in labelled else 0.0)
        for item in drawn
    ]
    dependences = _drawn_dependences(graph)
    links = [Link(edge.source, edge.target, _label_width(edge.label)) for edge in edges]
    links += [Link(decider, dependent, 0.0) for decider, dependent in dependences]
    layout = lay_out(boxes, links)
    parts = (
        *_edges(edges, layout),
        *(_path(route, "depends") for route in layout.routes[len(edges) :]),
        *(_node(item, layout) for item in drawn),
        *_labels(edges, drawn, layout),
    )
    every = len(dependences) == len(graph.hidden_dependences())
    return _Panel(title, parts, max(layout.width, len(title) * 8.6), layout.height, every)


def _document(panels: Sequence[_Panel], name: str, *, has_melded: bool) -> str:
    inner = sum(panel.width for panel in panels) + _GAP * (len(panels) - 1)
    width = max(inner, LEGEND_WIDTH + (MELDED_WIDTH if has_melded else 0), len(name) * 8.6) + 2 * _MARGIN
    top = _MARGIN + _TITLE_HEIGHT + (_TITLE_HEIGHT if any(panel.title for panel in panels) else 0)
    height = top + max(panel.height for panel in panels) + LEGEND_HEIGHT + 2 * _MARGIN
    title = escape(name)
    every = all(panel.all_dependences for panel in panels)
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="cfg" width="{width:.0f}" height="{height:.0f}"'
            f' viewBox="0 0 {width:.0f} {height:.0f}" role="img">',
            f"<title>{title}</title>",
            f"<style>{STYLE}</style>",
            _heads(),
            f'<rect class="page" width="{width:.0f}" height="{height:.0f}"/>',
            f'<text class="title" x="{_MARGIN:.0f}" y="{_MARGIN + 12:.0f}">{title}</text>',
            *_placed(panels, (width - inner) / 2, top),
            legend(_MARGIN, height - LEGEND_HEIGHT - _MARGIN / 2, all_dependences=every, has_melded=has_melded),
            "</svg>",
            "",
        )
    )


def _placed(panels: Sequence[_Panel], left: float, top: float) -> Iterator[str]:
    for panel in panels:
        if panel.title:
            yield f'<text class="name" x="{left:.1f}" y="{top - 12:.1f}">{escape(panel.title)}</text>'
        yield f'<g transform="translate({left:.1f} {top:.1f})">'
        yield from panel.parts
        yield "</g>"
        left += panel.width + _GAP


def _heads() -> str:
    heads = "".join(
        f'<marker id="{name}" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="7" markerHeight="7"'
        f' markerUnits="userSpaceOnUse" orient="auto"><path class="head of-{name}" d="M0 0.5L8 4L0 7.5z"/></marker>'
        for name in ("edge", "back", "depends")
    )
    return f"<defs>{heads}</defs>"


# -- what is drawn -----------------------------------------------------------------------------------------------------


def _drawn_dependences(graph: ControlFlowGraph) -> list[tuple[NodeId, NodeId]]:
    """Those that no edge shows; of very many, only those on decisions that vary."""
    hidden = [(item.decider, item.dependent) for item in graph.hidden_dependences()]
    if len(hidden) <= _MANY_DEPENDENCES:
        return hidden
    return [pair for pair in hidden if _varies(graph.nodes[pair[0]])][:_MANY_DEPENDENCES]


def _varies(node: GraphNode) -> bool:
    return node.decision is not None and node.decision.level is Level.VARYING


def _measured(node: GraphNode, edges: Sequence[GraphEdge], loop: GraphEdge | None) -> _Drawn:
    rows = rows_of(node)
    digits = max((len(str(row.number)) for row in rows if row.number is not None), default=0)
    numbers = digits * CHARACTER + 10 if digits else 0.0
    texts = [columns(row.text) + (columns(row.remark) + 2 if row.remark else 0) for row in rows]
    content = numbers + max(texts, default=2) * CHARACTER
    ports = ports_width([_label_width(edge.label) for edge in edges if edge.source == node.id])
    width = max(content, ports, columns(_name(node)) * CHARACTER) + 2 * _PADDING
    height = (len(rows) + 1) * LINE_HEIGHT + 2 * _PADDING - 3
    return _Drawn(node, rows, numbers, width, height, loop)


def _name(node: GraphNode) -> str:
    return f"B{node.id}" + ("  entry" if node.id == 0 else "")


def _label_width(label: str) -> float:
    return columns(label) * _LABEL_CHARACTER


# -- parts -------------------------------------------------------------------------------------------------------------


def _edges(edges: Sequence[GraphEdge], layout: Layout) -> Iterator[str]:
    for edge, route in zip(edges, layout.routes, strict=False):
        yield _path(route, "back" if edge.is_back else "edge")


def _path(route: Route, kind: str) -> str:
    classes = "edge" if kind == "edge" else f"edge {kind}"
    return f'<path class="{classes}" marker-end="url(#{kind})" d="{route.path}"/>'


def _labels(edges: Sequence[GraphEdge], drawn: Sequence[_Drawn], layout: Layout) -> Iterator[str]:
    for edge, route in zip(edges, layout.routes, strict=False):
        if edge.label:
            y = layout.places[edge.source].top + drawn[edge.source].height + 13
            anchor = ' text-anchor="end"' if route.label_before else ""
            yield f'<text class="label" x="{route.label_x:.1f}" y="{y:.1f}"{anchor}>{escape(edge.label)}</text>'


def _node(item: _Drawn, layout: Layout) -> str:
    place = layout.places[item.node.id]
    left, top = place.x - item.width / 2, place.top
    parts = [
        f'<g class="node{_class(item.node)}" transform="translate({left:.1f} {top:.1f})">',
        f'<rect class="box" width="{item.width:.1f}" height="{item.height:.1f}" rx="5"/>',
        f'<text class="name" x="{_PADDING:.0f}" y="{_baseline(0):.1f}">{escape(_name(item.node))}</text>',
    ]
    for index, row in enumerate(item.rows, 1):
        parts += _row(item, row, _baseline(index))
    if item.loop is not None:
        parts += _self_loop(item, item.loop)
    return "\n".join((*parts, "</g>"))


def _class(node: GraphNode) -> str:
    return " melded" if node.melded else _LEVEL_CLASSES[node.convergent]


def _baseline(row: int) -> float:
    return _PADDING + row * LINE_HEIGHT + 9


def _row(item: _Drawn, row: Row, y: float) -> Iterator[str]:
    kind = row.kind.value
    if row.kind in (RowKind.UNIFORM, RowKind.VARYING) and item.rows[0] is not row:
        rule = y - LINE_HEIGHT + 4.5
        yield f'<line class="rule" x1="0" x2="{item.width:.1f}" y1="{rule:.1f}" y2="{rule:.1f}"/>'
    if row.number is not None:
        x = _PADDING + item.numbers - 10
        yield f'<text class="number" text-anchor="end" x="{x:.1f}" y="{y:.1f}">{row.number}</text>'
    yield f'<text class="{kind}" x="{_PADDING + item.numbers:.1f}" y="{y:.1f}">{escape(row.text)}</text>'
    if row.remark:
        x = item.width - _PADDING
        yield f'<text class="{kind} remark" text-anchor="end" x="{x:.1f}" y="{y:.1f}">{escape(row.remark)}</text>'


def _self_loop(item: _Drawn, loop: GraphEdge) -> Iterator[str]:
    """At the right side, in the room that the box got for it."""
    right, low, high = item.width, item.height - 14, 14.0
    out = right + _LOOP_WIDTH - 8
    path = f"M{right:.1f} {low:.1f}C{out:.1f} {low:.1f} {out:.1f} {high:.1f} {right:.1f} {high:.1f}"
    yield f'<path class="edge back" marker-end="url(#back)" d="{path}"/>'
    if loop.label:
        middle = (low + high) / 2 + 4
        yield f'<text class="label" x="{right + _LOOP_WIDTH - 6:.1f}" y="{middle:.1f}">{escape(loop.label)}</text>'
