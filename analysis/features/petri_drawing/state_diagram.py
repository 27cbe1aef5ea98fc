"""A state space as a diagram: one box per marking, red where the selected block ran an odd number of times."""

from __future__ import annotations

from analysis.features.petri_drawing.model import Arrow, Diagram, Node, Shape, in_reading_order
from analysis.petri.net import INDICATORS, Marking, PetriNet
from analysis.petri.state_space import StateSpace


def state_diagram(space: StateSpace, title: str) -> Diagram:
    dead = set(space.dead_states())
    nodes = tuple(
        Node(_shape(space.net, marking, index in dead), (words(space.net, marking),), 0, space.net.is_final(marking))
        for index, marking in enumerate(space.markings)
    )
    pairs = dict.fromkeys((firing.source, firing.target) for firing in space.firings)
    arrows = tuple(Arrow(source, target) for source, target in pairs)
    return in_reading_order(Diagram(title, nodes, arrows, tuple(_legend(space))), 0)


def words(net: PetriNet, marking: Marking) -> str:
    """`p1 p2`: where the two threads stand."""
    return " ".join(net.places[place].name for place in marking if net.places[place].role not in INDICATORS)


def _shape(net: PetriNet, marking: Marking, is_dead: bool) -> Shape:
    if is_dead:
        return Shape.DEAD_STATE
    return Shape.RED_STATE if net.is_red(marking) else Shape.STATE


def _legend(space: StateSpace) -> list[str]:
    legend = ["box: where the two threads stand; double border: both have ended"]
    if space.net.odd is not None:
        legend.append("hatched: the selected block has been executed an odd number of times;")
        legend.append("a hatched box with a double border means that the block is divergent")
    if space.dead_states():
        legend.append("dashed border: one thread waits for ever")
    return legend
