"""The plans of one passage: a function of the passage and the settings alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, final

from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.meld.settings import MeldSettings
from analysis.refactor.meld.distinct_types import DistinctTypes
from analysis.refactor.meld.model import Obstacle
from analysis.refactor.meld.passage import Passage, Place
from analysis.refactor.meld.planning import NoGain, NotAlike, Plan, Planner, Undeclarable
from analysis.refactor.meld.reading import Reader, UnreadableError
from analysis.refactor.meld.structure import Branching, all_statements


@final
@record
class Unreadable:
    """The branch cannot be taken apart; the place counts in the passage."""

    obstacle: Obstacle
    place: Span
    message: str


@final
@record
class EmptyArm:
    """One arm does nothing."""


Planned: TypeAlias = Plan | NotAlike | NoGain | Undeclarable | EmptyArm
"""What became of one branch."""


def plans_of(passage: Passage, settings: MeldSettings) -> Mapping[Place, Planned] | Unreadable:
    """How the branches that are asked for are melded best, by their keywords; those inside of macros are missing."""
    try:
        whole = Reader(passage).fork()
    except UnreadableError as error:
        return Unreadable(error.obstacle, error.place, error.message)
    distinct = DistinctTypes(dict(passage.spelled), passage.enumerations)
    planner = Planner(passage.in_registers, distinct, passage.parting, settings)
    forks = {
        (fork.keyword.start, fork.keyword.end): fork
        for fork in all_statements((whole,))
        if isinstance(fork, Branching) and fork.keyword is not None
    }
    return {keyword: _planned(planner, forks[keyword]) for keyword in passage.asked if keyword in forks}


def _planned(planner: Planner, fork: Branching) -> Planned:
    return planner.plan(fork) if fork.then and fork.otherwise else EmptyArm()
