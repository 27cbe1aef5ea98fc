"""Runs with races observed, and what they say about barriers at which some threads arrive and others wait."""

from __future__ import annotations

import pytest

from sim.faults import DataRace, Deadlock, PhaseState, StuckBarrier
from sim.observers.races import RaceObserver
from sim.policies.protocol import PolicyFactory
from sim.policies.registry import POLICIES
from sim.policies.stackless import Stackless
from sim.result import Result
from tests.sim.running import Given, run

EVERY_POLICY = pytest.mark.parametrize("policy", [pytest.param(policy, id=name) for name, policy in POLICIES.items()])


def observed(
    text: str, arguments: Given, *, block: int = 64, grid: int = 1, policy: PolicyFactory = Stackless
) -> Result:
    return run(text, arguments, block=block, grid=grid, policy=policy, observers=(RaceObserver(),))


def races(result: Result) -> list[str]:
    """The objects that threads race for."""
    return [fault.buffer for fault in result.faults if isinstance(fault, DataRace)]


def deadlock(result: Result) -> Deadlock:
    """The first of them."""
    return next(fault for fault in result.faults if isinstance(fault, Deadlock))


def stuck(result: Result, name: str = "") -> tuple[str, int, int, PhaseState | None]:
    """The first barrier of the first deadlock, or the one of that name."""
    barriers = deadlock(result).barriers
    return summary(next(barrier for barrier in barriers if barrier.name.startswith(name)))


def summary(barrier: StuckBarrier) -> tuple[str, int, int, PhaseState | None]:
    """All but the place."""
    return barrier.name, barrier.arrived, barrier.expected, barrier.phase
