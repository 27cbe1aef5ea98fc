"""A Petri net as a diagram: places as circles, transitions as bars, tokens as dots.

Left out  The arcs that keep two threads in step (`rank` of a place): one from each place to each transition behind it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from analysis.features.petri_drawing.model import Arrow, Diagram, Node, Shape, in_reading_order
from analysis.ir.ids import BasicBlockId
from analysis.petri.net import INDICATORS, PetriNet, Place, PlaceId, Role, Transition


def net_diagram(net: PetriNet, title: str, captions: Mapping[BasicBlockId, str]) -> Diagram:
    """`captions` say in a few characters what stands in a block."""
    tokens = Counter(net.start)
    nodes = [
        _place(place, tokens[PlaceId(index)], index == net.ended, captions) for index, place in enumerate(net.places)
    ]
    arrows: list[Arrow] = []
    for transition in net.transitions:
        bar = len(nodes)
        nodes.append(Node(Shape.LONE_TRANSITION if transition.alone else Shape.TRANSITION))
        arrows += _arrows(transition, bar)
    diagram = Diagram(title, tuple(nodes), tuple(arrows), tuple(_legend(net)))
    return in_reading_order(diagram, net.start[-1])


def _place(place: Place, tokens: int, is_end: bool, captions: Mapping[BasicBlockId, str]) -> Node:
    shape = Shape.INDICATOR if place.role in INDICATORS else Shape.PLACE
    caption = "" if place.block is None else captions.get(place.block, "")
    is_named = place.role in (Role.AT_BLOCK, Role.PAST_BLOCK, Role.PAST_BARRIER)
    text = (place.name, caption) if caption and is_named else (place.name,)
    return Node(shape, text, tokens, is_end)


def _arrows(transition: Transition, bar: int) -> list[Arrow]:
    taken, given = Counter(transition.takes), Counter(transition.gives)
    return [
        *(Arrow(place, bar, "2" if count == 2 else "") for place, count in taken.items()),
        *(Arrow(bar, place, "2" if count == 2 else "") for place, count in given.items()),
    ]


def _legend(net: PetriNet) -> list[str]:
    legend = ["circle: place, a block of the program; dot: token, one of two threads; bar: transition"]
    if any(place.role is Role.AT_BLOCK and place.name.endswith("_i") for place in net.places):
        legend.append("_i, _o: before and behind a barrier or the selected block; 2: both threads at once")
    if net.odd is not None:
        legend.append("even, odd: how often both threads together executed the selected block")
    if any(place.rank is not None for place in net.places):
        legend.append(
            "dashed bar: fires for a thread that is alone there; the thread that is behind goes first (not drawn)"
        )
    if any(place.role is Role.NEXT_ITERATION for place in net.places):
        legend.append("n: a thread that has finished an iteration of the loop with this header")
    return legend
