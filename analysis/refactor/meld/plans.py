"""The plans of one passage: a function of the passage and the settings alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, TypeAlias, final

from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.meld.settings import MeldMethod, MeldSettings
from analysis.refactor.meld.distinct_types import DistinctTypes
from analysis.refactor.meld.model import Obstacle
from analysis.refactor.meld.passage import Passage, Place
from analysis.refactor.meld.places import UnreadableError
from analysis.refactor.meld.planning import NoGain, NotAlike, Plan, Planner, Undeclarable
from analysis.refactor.meld.reading import Reader
from analysis.refactor.meld.structure import Branching, Switching, all_statements
from analysis.refactor.meld.switch_planning import SwitchPlanner


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
    distinct = DistinctTypes(dict(passage.spelled), passage.enumerations)
    reader = Reader(passage)
    try:
        if reader.is_switch:
            return {passage.asked[0]: _switch_planned(reader.switch(), passage, distinct, settings)}
        whole = reader.fork()
    except UnreadableError as error:
        return Unreadable(error.obstacle, error.place, error.message)
    planner = Planner(passage.in_registers, distinct, passage.parting, settings)
    forks = {
        (fork.keyword.start, fork.keyword.end): fork
        for fork in all_statements((whole,))
        if isinstance(fork, Branching) and fork.keyword is not None
    }
    return {keyword: _planned(planner, forks[keyword]) for keyword in passage.asked if keyword in forks}


def _planned(planner: Planner, fork: Branching) -> Planned:
    return planner.plan(fork) if fork.then and fork.otherwise else EmptyArm()


def _switch_planned(read: Switching, passage: Passage, distinct: DistinctTypes, settings: MeldSettings) -> Planned:
    if sum(bool(case.body) for case in read.cases) < 2:
        return EmptyArm()
    types = dict(passage.spelled)

    def planned(method: MeldMethod) -> Planned:
        planner = Planner(passage.in_registers, distinct, passage.parting, replace(settings, method=method))
        return SwitchPlanner(read, planner, method, types, is_total=passage.has_all_cases).plan()

    if settings.method is not MeldMethod.BEST:
        return planned(settings.method)
    # Of what is melded some stays under a guard, which flattening would take for a condition of the author's.
    found, simple = planned(MeldMethod.DARM), planned(MeldMethod.TAIL)
    if isinstance(found, Plan) and isinstance(simple, Plan):
        return simple if simple.saved >= SIMPLER * found.saved else found
    return simple if isinstance(simple, Plan) else found


SIMPLER: Final = 0.9
"""The share of the saving that is enough for cases which stay as they are but for what ends all of them."""
