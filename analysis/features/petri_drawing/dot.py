"""A diagram in the DOT language, for Graphviz and what reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.features.petri_drawing.model import Diagram, Node, Shape

_LOOKS: Final = {
    Shape.PLACE: 'shape="circle"',
    Shape.INDICATOR: 'shape="circle", style="filled", fillcolor="#fff3c4"',
    Shape.TRANSITION: 'shape="box", style="filled", fillcolor="black", width="0.5", height="0.06", fixedsize="true"',
    Shape.LONE_TRANSITION: 'shape="box", style="dashed", width="0.5", height="0.06", fixedsize="true"',
    Shape.STATE: 'shape="box"',
    Shape.RED_STATE: 'shape="box", style="filled", fillcolor="#f8b4b4"',
    Shape.DEAD_STATE: 'shape="box", style="dashed"',
}


def render_dot(diagram: Diagram) -> str:
    """One `digraph`; tokens are written as dots under the name."""
    title = _quoted(diagram.title)
    return "\n".join((f"digraph {title} {{", *(f"  {line};" for line in _statements(diagram)), "}", ""))


def _statements(diagram: Diagram) -> Iterator[str]:
    yield f"label={_quoted(diagram.title)}"
    yield 'labelloc="t"'
    yield from (f"N{index} [{_attributes(node)}]" for index, node in enumerate(diagram.nodes))
    for arrow in diagram.arrows:
        label = f" [label={_quoted(arrow.label)}]" if arrow.label else ""
        yield f"N{arrow.source} -> N{arrow.target}{label}"


def _attributes(node: Node) -> str:
    rows = (*node.text, "●" * node.tokens) if node.tokens else node.text
    label = r"\n".join(_escaped(row) for row in rows)
    double = ', peripheries="2"' if node.double else ""
    return f'label="{label}", {_LOOKS[node.shape]}{double}'


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
