"""The state space of a net: every marking that can be reached, and every firing between two of them.

Rules     Breadth first, so the path that leads to a marking first is a shortest one.
Bound     `limit` markings; a net with more is given up, and the answer says at how many.
Cost      about 10 microseconds per firing.  Two tokens over n places: at most n * n / 2 markings, twice that with an
          indicator; in step, a net has little more than n, since threads are apart only inside divergent regions.
"""

from __future__ import annotations

from typing import Final, NewType, final

from analysis.ir.record import record
from analysis.petri.net import Marking, PetriNet, TransitionId, successors

StateId = NewType("StateId", int)

DEFAULT_LIMIT: Final = 20_000


@final
@record
class Firing:
    """An edge of the state space."""

    source: StateId
    target: StateId
    transition: TransitionId


@final
@record
class StateSpace:
    """`reached_by` is the first firing that led to each state; None for the first state."""

    net: PetriNet
    markings: tuple[Marking, ...]
    firings: tuple[Firing, ...]
    reached_by: tuple[Firing | None, ...]

    def final_states(self) -> tuple[StateId, ...]:
        """The states in which both threads have ended: one at most of each colour."""
        return tuple(StateId(index) for index, one in enumerate(self.markings) if self.net.is_final(one))

    def dead_states(self) -> tuple[StateId, ...]:
        """The states in which nothing can fire although not both threads have ended."""
        live = {firing.source for firing in self.firings}
        return tuple(
            StateId(index)
            for index, marking in enumerate(self.markings)
            if index not in live and not self.net.is_final(marking)
        )

    def path_to(self, state: StateId) -> tuple[Firing, ...]:
        """A shortest sequence of firings that leads there."""
        path: list[Firing] = []
        step = self.reached_by[state]
        while step is not None:
            path.append(step)
            step = self.reached_by[step.source]
        return tuple(reversed(path))


@final
@record
class GaveUp:
    """The net has more markings than were asked for."""

    limit: int


def enumerate_states(net: PetriNet, limit: int = DEFAULT_LIMIT) -> StateSpace | GaveUp:
    leaving = net.leaving()
    number: dict[Marking, StateId] = {net.start: StateId(0)}
    markings = [net.start]
    firings: list[Firing] = []
    reached_by: list[Firing | None] = [None]
    for position, marking in enumerate(markings):  # which grows
        source = StateId(position)
        for transition, after in successors(net, leaving, marking):
            target = number.get(after)
            firing = Firing(source, StateId(len(markings)) if target is None else target, transition)
            firings.append(firing)
            if target is None:
                if len(markings) >= limit:
                    return GaveUp(limit)
                number[after] = firing.target
                markings.append(after)
                reached_by.append(firing)
    return StateSpace(net, tuple(markings), tuple(firings), tuple(reached_by))
