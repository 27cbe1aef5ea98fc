"""A diagram of shapes and arrows: what both drawings have in common, whatever it is written as."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import final

from analysis.ir.control_flow import reverse_post_order
from analysis.ir.record import record


class Shape(Enum):
    """How a node looks, and what it stands for; the values are names of classes in the SVG."""

    PLACE = "place"
    INDICATOR = "indicator"
    TRANSITION = "transition"
    LONE_TRANSITION = "lone"
    STATE = "state"
    RED_STATE = "red"
    DEAD_STATE = "dead"


@final
@record
class Node:
    """`text` is one row each; `tokens` are drawn as dots; `double`: an end, drawn with two borders."""

    shape: Shape
    text: tuple[str, ...] = ()
    tokens: int = 0
    double: bool = False


@final
@record
class Arrow:
    """From node to node, by number."""

    source: int
    target: int
    label: str = ""


@final
@record
class Diagram:
    """`legend` is one sentence each, under the picture."""

    title: str
    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]
    legend: tuple[str, ...]


def in_reading_order(diagram: Diagram, first: int) -> Diagram:
    """The same diagram, numbered so that only an arrow that closes a cycle leads to a smaller number."""
    targets: list[list[int]] = [[] for _ in diagram.nodes]
    for arrow in diagram.arrows:
        targets[arrow.source].append(arrow.target)
    order = reverse_post_order(first, [reached[::-1] for reached in targets])
    order += _others(order, len(diagram.nodes))
    number = {node: index for index, node in enumerate(order)}
    arrows = [Arrow(number[arrow.source], number[arrow.target], arrow.label) for arrow in diagram.arrows]
    nodes = tuple(diagram.nodes[node] for node in order)
    return Diagram(diagram.title, nodes, tuple(arrows), diagram.legend)


def _others(order: Sequence[int], count: int) -> list[int]:
    known = set(order)
    return [node for node in range(count) if node not in known]
