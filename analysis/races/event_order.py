"""Which of two uses a thread comes by first, and whether they lie in one round of the loops around both."""

from __future__ import annotations

from analysis.graph.control_flow import ControlFlow
from analysis.ir.ids import BasicBlockId
from analysis.races.model import Order
from analysis.races.program import Program
from analysis.races.trace import Event


def in_order(program: Program, one: Event, other: Event) -> tuple[Event, Event, Order]:
    """Earlier rounds first, outer loops before inner ones; in one round as the ways through it lead."""
    places = [program.uses[event.use].block for event in (one, other)]
    around = [{cycle.header: None for cycle in program.control.cycles_around(place)} for place in places]
    headers = [header for header in around[0] if header in around[1]]  # innermost first
    for header in reversed(headers):
        rounds = [event.rounds.get(header, 0) for event in (one, other)]
        if rounds[0] != rounds[1]:
            return (one, other, Order.NEXT_ROUND) if rounds[0] < rounds[1] else (other, one, Order.NEXT_ROUND)
    if places[0] == places[1]:
        first, second = sorted((one, other), key=lambda event: (event.use, event.thread))
        return first, second, Order.SAME_ROUND
    is_first = _leads_to(program.control, places[0], places[1], headers[0] if headers else None)
    return (one, other, Order.SAME_ROUND) if is_first else (other, one, Order.SAME_ROUND)


def _leads_to(control: ControlFlow, start: BasicBlockId, end: BasicBlockId, without: BasicBlockId | None) -> bool:
    """Is there a way that does not come to `without` again?"""
    seen: set[BasicBlockId] = set()
    waiting = [start]
    while waiting:
        block = waiting.pop()
        if block == end:
            return True
        following = [after for after in control.successors[block] if after not in seen and after != without]
        seen.update(following)
        waiting.extend(following)
    return False
