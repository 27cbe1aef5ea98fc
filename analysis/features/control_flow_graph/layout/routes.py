"""Puts the steps together: places of boxes and the paths of links between them.

Rules    Boxes of a row are aligned at their tops.  A link bends only between two rows, where no box and no label
         stands; in a row it runs straight, so it crosses neither.
         Links leave a box side by side in the order of their ways, each with room for its label.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, final

from analysis.features.control_flow_graph.layout.coordinates import horizontal_places
from analysis.features.control_flow_graph.layout.model import Box, BoxPosition, Layout, Link, Route
from analysis.features.control_flow_graph.layout.order import order_rows
from analysis.features.control_flow_graph.layout.ranks import Chain, Layers, make_layers
from analysis.ir.record import record

_GAPS: Final = (20.0, 10.0)
"""Beside a box, and between two links that pass."""
_WAYPOINT: Final = 4.0
_ROW_GAP: Final = 30.0
_MAX_ROW_GAP: Final = 110.0
_LEAN: Final = 0.09
"""Height that a row gap gets for each pixel that a link in it goes sideways."""
_PORT: Final = 16.0
_LABEL_GAP: Final = 5.0


@final
@record
class _Port:
    x: float
    label_x: float
    label_before: bool


def ports_width(labels: Sequence[float]) -> float:
    """The width that a box needs for the links that leave it, by the widths of their labels."""
    return sum(max(_PORT, width + 2 * _LABEL_GAP) for width in labels)


def lay_out(boxes: Sequence[Box], links: Sequence[Link]) -> Layout:
    """Places boxes and links; box 0 stands at the top."""
    layers = make_layers(len(boxes), links)
    rows = order_rows(layers)
    turns = {turn for chain in layers.chains if chain.turns is not None for turn in chain.turns}
    layers, rows = _without(layers, rows, turns)
    widths = [box.width for box in boxes] + [_WAYPOINT] * (len(layers.rank) - len(boxes))
    x = horizontal_places(layers, rows, widths, _GAPS)
    return _Drawing(boxes, links, layers, rows, x, widths).layout()


def _without(layers: Layers, rows: Sequence[Sequence[int]], turns: set[int]) -> tuple[Layers, list[list[int]]]:
    """The turns have done their service once the order is known."""
    kept = [[vertex for vertex in row if vertex not in turns] for row in rows]
    while kept and not kept[-1]:
        kept.pop()
    segments = tuple(pair for pair in layers.segments if turns.isdisjoint(pair))
    return Layers(layers.rank, tuple(map(tuple, kept)), layers.chains, segments, layers.ends, layers.boxes), kept


@final
class _Drawing:
    def __init__(
        self,
        boxes: Sequence[Box],
        links: Sequence[Link],
        layers: Layers,
        rows: Sequence[Sequence[int]],
        x: Sequence[float],
        widths: Sequence[float],
    ) -> None:
        self._boxes = boxes
        self._links = links
        self._chains = layers.chains
        self._rank = layers.rank
        drawn = [vertex for row in rows for vertex in row]
        left = min((x[vertex] - widths[vertex] / 2 for vertex in drawn), default=0.0)
        self._x = [value - left for value in x]
        self._width = max((self._x[vertex] + widths[vertex] / 2 for vertex in drawn), default=0.0)
        self._out = self._ports_out()
        self._in = self._ports_in()
        self._heights = [max((self._height(vertex) for vertex in row), default=0.0) for row in rows]
        self._gaps = self._row_gaps(len(rows))
        self._tops: list[float] = []
        top = 0.0
        for height, gap in zip(self._heights, self._gaps, strict=True):
            self._tops.append(top)
            top += height + gap
        self._bottom = top

    def layout(self) -> Layout:
        places = tuple(BoxPosition(self._x[box], self._tops[self._rank[box]]) for box in range(len(self._boxes)))
        routes = tuple(self._route(index, chain) for index, chain in enumerate(self._chains))
        return Layout(self._width, self._bottom, places, routes)

    def _height(self, vertex: int) -> float:
        return self._boxes[vertex].height + self._boxes[vertex].below if vertex < len(self._boxes) else 0.0

    # -- ports ------------------------------------------------------------------------------------------------------

    def _next_x(self, index: int) -> float:
        chain = self._chains[index]
        return self._x[chain.waypoints[0] if chain.waypoints else self._links[index].target]

    def _last_x(self, index: int) -> float:
        chain = self._chains[index]
        return self._x[chain.waypoints[-1] if chain.waypoints else self._links[index].source]

    def _ports_out(self) -> dict[int, _Port]:
        by_box: defaultdict[int, list[int]] = defaultdict(list)
        for index, link in enumerate(self._links):
            by_box[link.source].append(index)
        ports: dict[int, _Port] = {}
        for box, found in by_box.items():
            found.sort(key=lambda index: (self._next_x(index), index))
            rooms = [max(_PORT, self._links[index].label_width + 2 * _LABEL_GAP) for index in found]
            start = self._x[box] - sum(rooms) / 2
            for place, (index, room) in enumerate(zip(found, rooms, strict=True)):
                before = place == 0 and len(found) > 1 and self._links[index].label_width > 0
                if self._links[index].label_width == 0:
                    x = start + room / 2
                else:
                    x = start + room - _LABEL_GAP if before else start + _LABEL_GAP
                ports[index] = _Port(x, x - _LABEL_GAP if before else x + _LABEL_GAP, before)
                start += room
        return ports

    def _ports_in(self) -> dict[int, float]:
        by_box: defaultdict[int, list[int]] = defaultdict(list)
        for index, link in enumerate(self._links):
            by_box[link.target].append(index)
        ports: dict[int, float] = {}
        for box, found in by_box.items():
            found.sort(key=lambda index: (self._last_x(index), index))
            step = min(_PORT, self._boxes[box].width / (len(found) + 1))
            start = self._x[box] - step * (len(found) - 1) / 2
            ports |= {index: start + step * place for place, index in enumerate(found)}
        return ports

    # -- paths ------------------------------------------------------------------------------------------------------

    def _row_gaps(self, rows: int) -> list[float]:
        """Higher where links go far sideways; none below the last row unless a link turns there."""
        lean = [0.0] * rows
        turns = [0] * (rows + 1)
        for index, chain in enumerate(self._chains):
            for row, from_x, to_x in self._bends(index, chain):
                lean[row] = max(lean[row], abs(from_x - to_x))
                turns[row] += 1
        gaps = [min(_ROW_GAP + _LEAN * far, _MAX_ROW_GAP) for far in lean]
        if gaps and not turns[rows - 1]:
            gaps[-1] = 0.0
        return gaps

    def _bends(self, index: int, chain: Chain) -> list[tuple[int, float, float]]:
        """(row above the gap, x at one end, x at the other) for each gap that a link crosses or turns in."""
        link = self._links[index]
        first, last = self._rank[link.source], self._rank[link.target]
        way = [self._x[waypoint] for waypoint in chain.waypoints]
        if not chain.upwards:
            points = [self._out[index].x, *way, self._in[index]]
            return [(first + step, points[step], points[step + 1]) for step in range(len(points) - 1)]
        climbs = [(first - 1 - step, way[step], way[step + 1]) for step in range(len(way) - 1)]
        return [(first, self._out[index].x, way[0]), *climbs, (max(last - 1, 0), way[-1], self._in[index])]

    def _route(self, index: int, chain: Chain) -> Route:
        link = self._links[index]
        port = self._out[index]
        first, last = self._rank[link.source], self._rank[link.target]
        parts = [f"M{port.x:.1f} {self._tops[first] + self._boxes[link.source].height:.1f}"]
        way = [self._x[waypoint] for waypoint in chain.waypoints]
        if chain.upwards:
            parts += self._turn(first, port.x, way[0], below=True)
            for step in range(len(way) - 1):
                parts += self._climb(first - step, way[step], way[step + 1])
            parts.append(f"V{self._tops[last]:.1f}")
            parts += self._turn(last, way[-1], self._in[index], below=False)
        else:
            points = [port.x, *way, self._in[index]]
            for step in range(len(points) - 1):
                parts += self._descend(first + step, points[step], points[step + 1])
        return Route("".join(parts), port.label_x, port.label_before)

    def _descend(self, row: int, from_x: float, to_x: float) -> list[str]:
        bottom, next_top = self._tops[row] + self._heights[row], self._tops[row] + self._heights[row] + self._gaps[row]
        return [f"V{bottom:.1f}", _curve(from_x, bottom, to_x, next_top)]

    def _climb(self, row: int, from_x: float, to_x: float) -> list[str]:
        """Up through a row and the gap above it."""
        above = self._tops[row - 1] + self._heights[row - 1]
        return [f"V{self._tops[row]:.1f}", _curve(from_x, self._tops[row], to_x, above)]

    def _turn(self, row: int, from_x: float, to_x: float, *, below: bool) -> list[str]:
        """A half circle in the gap below or above a row."""
        if below:
            y, depth = self._tops[row] + self._heights[row], self._gaps[row]
        else:
            y, depth = self._tops[row], -(self._gaps[row - 1] if row else _ROW_GAP)
        reach = y + depth * 0.95
        return [f"V{y:.1f}", f"C{from_x:.1f} {reach:.1f} {to_x:.1f} {reach:.1f} {to_x:.1f} {y:.1f}"]


def _curve(from_x: float, from_y: float, to_x: float, to_y: float) -> str:
    if abs(from_x - to_x) < 0.5:
        return f"L{to_x:.1f} {to_y:.1f}"
    middle = (from_y + to_y) / 2
    return f"C{from_x:.1f} {middle:.1f} {to_x:.1f} {middle:.1f} {to_x:.1f} {to_y:.1f}"
