"""A diagram as one SVG document: no scripts, nothing from the network, light or dark as the page is."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

from analysis.features.control_flow_graph.layout.model import Box, Layout, Link
from analysis.features.control_flow_graph.layout.routes import lay_out, ports_width
from analysis.features.petri_drawing.model import Arrow, Diagram, Node, Shape

_MARGIN: Final = 20.0
_TITLE: Final = 30.0
_LEGEND_ROW: Final = 18.0
_CHARACTER: Final = 7.25
_ROW: Final = 16.0
_BAR_WIDTH: Final = 40.0
_BAR_HEIGHT: Final = 7.0
_LABEL_ZONE: Final = 14.0
_TRANSITIONS: Final = frozenset({Shape.TRANSITION, Shape.LONE_TRANSITION})
_ROUND: Final = frozenset({Shape.PLACE, Shape.INDICATOR})

_LIGHT: Final = (
    "--page: var(--vscode-editor-background, #ffffff); --ink: #1f2430; --quiet: #6b7280; --line: #4b5563; "
    "--even: #f6f8fb; --note: #fff3c4; --red: #dc2626;"
)
_DARK: Final = (
    "--page: var(--vscode-editor-background, #16191f); --ink: #e4e7ec; --quiet: #98a1b0; --line: #a9b2c1; "
    "--even: #333b49; --note: #5a4a12; --red: #ff9a9a;"
)
_STYLE: Final = f"""
:root {{ color-scheme: light dark; }}
svg.petri {{ {_LIGHT} }}
@media (prefers-color-scheme: dark) {{ svg.petri {{ {_DARK} }} }}
body.vscode-light svg.petri, body.vscode-high-contrast-light svg.petri {{ {_LIGHT} }}
body.vscode-dark svg.petri, body.vscode-high-contrast:not(.vscode-high-contrast-light) svg.petri {{{_DARK}}}
.petri .page {{ fill: var(--page); }}
.petri text {{
  font: 12px ui-monospace, "SFMono-Regular", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace;
  fill: var(--ink);
}}
.petri text.title {{ font-weight: 600; font-size: 14px; }}
.petri text.caption, .petri text.legend, .petri text.label {{ fill: var(--quiet); font-size: 11px; }}
.petri .shape {{ fill: var(--even); stroke: var(--line); stroke-width: 1.3; }}
.petri .indicator .shape {{ fill: var(--note); }}
.petri .transition .shape {{ fill: var(--ink); }}
.petri .lone .shape {{ fill: var(--page); stroke-dasharray: 3 2; }}
.petri .red .shape {{ fill: url(#hatch); stroke: var(--red); }}
.petri .dead .shape {{ stroke-dasharray: 5 3; }}
.petri .border {{ fill: none; stroke: var(--line); }}
.petri .token, .petri .head {{ fill: var(--line); }}
.petri .token {{ fill: var(--ink); }}
.petri .hatching {{ stroke: var(--red); stroke-width: 1.2; stroke-opacity: 0.55; }}
.petri .arrow {{ fill: none; stroke: var(--line); stroke-width: 1.1; }}
"""


def render_svg(diagram: Diagram) -> str:
    """A whole document, ready for a file or a web view."""
    loops = [arrow for arrow in diagram.arrows if arrow.source == arrow.target]
    arrows = [arrow for arrow in diagram.arrows if arrow.source != arrow.target]
    boxes = [_box(index, node, arrows, bool(loops)) for index, node in enumerate(diagram.nodes)]
    links = [Link(arrow.source, arrow.target, _label_width(arrow)) for arrow in arrows]
    layout = lay_out(boxes, links)
    parts: list[str] = []
    for arrow, route in zip(arrows, layout.routes, strict=True):
        parts.append(f'<path class="arrow" marker-end="url(#head)" d="{route.path}"/>')
        if arrow.label:
            y = layout.places[arrow.source].top + boxes[arrow.source].height + 11
            anchor = ' text-anchor="end"' if route.label_before else ""
            parts.append(
                f'<text class="label" x="{route.label_x:.1f}" y="{y:.1f}"{anchor}>{escape(arrow.label)}</text>'
            )
    for index, node in enumerate(diagram.nodes):
        parts += _node(node, layout, index, boxes[index], any(loop.source == index for loop in loops))
    return _document(diagram, layout, parts)


def _document(diagram: Diagram, layout: Layout, parts: list[str]) -> str:
    text = max((len(row) for row in (diagram.title, *diagram.legend)), default=0) * 7.3
    width = max(layout.width, text) + 2 * _MARGIN
    below = len(diagram.legend) * _LEGEND_ROW
    height = _TITLE + layout.height + below + 3 * _MARGIN
    title = escape(diagram.title)
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="petri" width="{width:.0f}" height="{height:.0f}"'
            f' viewBox="0 0 {width:.0f} {height:.0f}" role="img">',
            f"<title>{title}</title>",
            f"<style>{_STYLE}</style>",
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="7" markerHeight="7"'
            ' markerUnits="userSpaceOnUse" orient="auto"><path class="head" d="M0 0.5L8 4L0 7.5z"/></marker>'
            '<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
            '<line class="hatching" x1="0" y1="0" x2="0" y2="6"/></pattern></defs>',
            f'<rect class="page" width="{width:.0f}" height="{height:.0f}"/>',
            f'<text class="title" x="{_MARGIN:.0f}" y="{_MARGIN + 10:.0f}">{title}</text>',
            f'<g transform="translate({(width - layout.width) / 2:.1f} {_MARGIN + _TITLE:.1f})">',
            *parts,
            "</g>",
            *_legend(diagram, height - below - _MARGIN / 2),
            "</svg>",
            "",
        )
    )


def _legend(diagram: Diagram, top: float) -> Iterator[str]:
    for index, row in enumerate(diagram.legend):
        y = top + index * _LEGEND_ROW
        yield f'<text class="legend" x="{_MARGIN:.0f}" y="{y:.0f}">{escape(row)}</text>'


def _box(index: int, node: Node, arrows: list[Arrow], has_loops: bool) -> Box:
    leaving = [_label_width(arrow) for arrow in arrows if arrow.source == index]
    zone = _LABEL_ZONE if any(leaving) else 0.0
    if node.shape in _TRANSITIONS:
        return Box(max(_BAR_WIDTH, ports_width(leaving)), _BAR_HEIGHT, zone)
    text = max((len(row) for row in node.text), default=0) * _CHARACTER
    rows = len(node.text) + bool(node.tokens)
    height = max(36.0 if node.shape in _ROUND else 24.0, rows * _ROW + 10)
    return Box(max(text + 18, height, ports_width(leaving)) + (20 if has_loops else 0), height, zone)


def _label_width(arrow: Arrow) -> float:
    return len(arrow.label) * 6.7


def _node(node: Node, layout: Layout, index: int, box: Box, has_loop: bool) -> Iterator[str]:
    place = layout.places[index]
    width, height = box.width, box.height
    if node.shape in _TRANSITIONS:
        width = _BAR_WIDTH
    radius = height / 2 if node.shape in _ROUND else 4.0 if node.text else 1.0
    yield f'<g class="{node.shape.value}" transform="translate({place.x - width / 2:.1f} {place.top:.1f})">'
    yield f'<rect class="shape" width="{width:.1f}" height="{height:.1f}" rx="{radius:.1f}"/>'
    if node.double:
        inner = max(radius - 3, 1.0)
        yield (f'<rect class="border" x="3" y="3" width="{width - 6:.1f}" height="{height - 6:.1f}" rx="{inner:.1f}"/>')
    rows = len(node.text) + bool(node.tokens)
    first = (height - rows * _ROW) / 2 + 12
    for number, row in enumerate(node.text):
        kind = ' class="caption"' if number else ""
        y = first + number * _ROW
        yield f'<text{kind} text-anchor="middle" x="{width / 2:.1f}" y="{y:.1f}">{escape(row)}</text>'
    for token in range(node.tokens):
        x = width / 2 + (token - (node.tokens - 1) / 2) * 11
        yield f'<circle class="token" cx="{x:.1f}" cy="{first + len(node.text) * _ROW - 4:.1f}" r="4"/>'
    if has_loop:
        out, low, high = width + 16, height - 7, 7.0
        curve = f"M{width:.1f} {low:.1f}C{out:.1f} {low:.1f} {out:.1f} {high:.1f} {width:.1f} {high:.1f}"
        yield f'<path class="arrow" marker-end="url(#head)" d="{curve}"/>'
    yield "</g>"
