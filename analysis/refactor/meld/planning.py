"""How one branch is best melded: every method that is asked for, with and without melding the branches inside first.

Gain      what both arms cost one after the other, less what the melded statements cost, as a share of the kernel's
          issue slots.  Each variable that melding adds counts half a slot.  The number of issued instructions must fall
          as well: that is what a run confirms, and it holds for any prices.
          Branches inside are melded first; the outer one is melded only where that costs less than melding the inner
          ones alone.
Methods   fusion: both arms are simple statements; tail: equal simple statements at the end of both; linear: nested
          `if`s are flattened to guarded statements first; darm: hierarchical.
Source    Saumya et al., CGO 2022, section VI-B: melding in the order of profit keeps SRAD from getting slower.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Final, final

from analysis.facts.spelling import spell_type
from analysis.ir.record import record
from analysis.ir.types import BooleanType, FloatType, IntegerType, Type
from analysis.meld.settings import MeldMethod, MeldSettings
from analysis.refactor.meld.columns import UndeclarableError
from analysis.refactor.meld.distinct_types import DistinctTypes
from analysis.refactor.meld.expressions import TermMelder
from analysis.refactor.meld.flattening import flattened
from analysis.refactor.meld.gathering import gathered
from analysis.refactor.meld.pairing import paired_locals
from analysis.refactor.meld.statements import StatementMelder
from analysis.refactor.meld.structure import (
    Branching,
    Comments,
    Decision,
    Simple,
    Statement,
    all_statements,
    bodies,
    declared,
    followed,
    opened,
    renamed,
    terms_in,
    total,
    total_issued,
    with_bodies,
)
from analysis.refactor.meld.terms import GUARD, Effect, GuardId, Local, LocalId

LIVE_RANGE: Final = 0.5
"""Issue slots that a variable costs which melding adds, for the registers that it keeps busy."""
FIRST_FRESH: Final = 1_000_000
"""Numbers of variables that melding introduces; the reader counts from 0."""


@final
@record
class Cost:
    """Issue slots, and instructions that a warp issues."""

    slots: float
    issued: float

    def is_below(self, other: Cost) -> bool:
        """Whether it is less in both respects."""
        return self.slots < other.slots and self.issued < other.issued


@final
@record
class Plan:
    """What takes the place of a branch, its price, and the issue slots that it saves."""

    statements: tuple[Statement, ...]
    method: MeldMethod
    cost: Cost
    saved: float


@final
@record
class NotAlike:
    """No statement of one arm was joined with one of the other."""


@final
@record
class NoGain:
    """Melding costs as much as it saves."""


@final
@record
class Undeclarable:
    """A variable of one arm would have to be declared without its value."""


@final
class Planner:
    """Plans the branches of one passage (`passage.py`)."""

    def __init__(
        self,
        in_registers: frozenset[str],
        distinct: DistinctTypes,
        parting: frozenset[tuple[int, int]],
        settings: MeldSettings,
    ) -> None:
        self._in_registers = in_registers
        self._distinct = distinct
        self._parting = parting
        self._settings = settings
        self._locals = count(FIRST_FRESH)
        self._guards = count()
        self._gatherings = count()
        self._plans: dict[int, Plan | NotAlike | NoGain | Undeclarable] = {}
        self._in_other_names: dict[tuple[int, frozenset[tuple[LocalId, LocalId]]], Statement] = {}
        self._kept: list[Statement] = []
        """Statements whose identity is a key above stay alive."""

    def plan(self, fork: Branching) -> Plan | NotAlike | NoGain | Undeclarable:
        """The cheapest way to meld both arms, if it pays."""
        if id(fork) not in self._plans:
            self._kept.append(fork)
            self._plans[id(fork)] = self._plan(fork)
        return self._plans[id(fork)]

    def _plan(self, fork: Branching) -> Plan | NotAlike | NoGain | Undeclarable:
        left, right = fork.then, fork.otherwise or ()
        inner = self._inner_melded(left), self._inner_melded(right)
        variants = [(left, right)]
        if inner != variants[0]:
            variants.append(inner)
        variants += self._gathered(left, right)
        serial, bar = _serial(fork, left, right), _serial(fork, *inner)
        guard = GuardId(next(self._guards))
        terms = TermMelder(guard, self._in_registers, self._distinct, self.fresh)
        candidates: list[Plan] = []
        refused: list[NotAlike | Undeclarable] = []
        for method in self._methods():
            # One of the candidates is chosen in the end, so they may share what they are made of.
            melder = StatementMelder(guard, terms, method, self._settings)
            for one, other in variants:
                found = self._candidate(fork, one, other, method, melder, serial)
                if isinstance(found, Plan):
                    candidates.append(found)
                else:
                    refused.append(found)
        if not candidates:
            return next((one for one in refused if isinstance(one, Undeclarable)), NotAlike())
        gains = [plan for plan in candidates if plan.cost.is_below(serial) and plan.cost.is_below(bar)]
        return min(gains, key=lambda plan: plan.cost.slots, default=NoGain())

    def _methods(self) -> Sequence[MeldMethod]:
        if self._settings.method is MeldMethod.BEST:
            # Fusion and tail merging are restrictions of the hierarchical method: they cannot save more.
            return (MeldMethod.DARM, MeldMethod.LINEAR)
        return (self._settings.method,)

    def _candidate(
        self,
        fork: Branching,
        left: tuple[Statement, ...],
        right: tuple[Statement, ...],
        method: MeldMethod,
        melder: StatementMelder,
        serial: Cost,
    ) -> Plan | NotAlike | Undeclarable:
        if method is MeldMethod.FUSION and not all(isinstance(one, Simple) for one in (*left, *right)):
            return NotAlike()
        if method is MeldMethod.LINEAR:
            if not any(isinstance(one, Branching) for one in (*left, *right)):
                return NotAlike()
            left, right = flattened(left, self._guards), flattened(right, self._guards)
        names = paired_locals(left, right)
        attempts: list[Mapping[Local, Local]] = [names, {}] if names else [{}]
        for mapping in attempts:
            try:
                statements = melder.sequence(left, self._renamed(right, mapping))
            except UndeclarableError:
                continue
            if _is_untouched(statements):
                return NotAlike()
            whole = (_decision(melder.guard, fork), *followed(opened(statements, fork.openings[1]), fork.comments))
            # The branch itself is gone; what guards cost is counted.
            rounds = fork.condition.rounds
            slots = total(whole) - rounds + self._live_ranges(whole, (*fork.then, *(fork.otherwise or ())))
            return Plan(whole, method, Cost(slots, total_issued(whole) - rounds), serial.slots - slots)
        return Undeclarable()

    def _renamed(self, statements: tuple[Statement, ...], names: Mapping[Local, Local]) -> tuple[Statement, ...]:
        """The same object for the same statement and names: what was melded with it is known by that."""
        if not names:
            return statements
        pairs = frozenset((before.number, after.number) for before, after in names.items())
        out: list[Statement] = []
        for statement in statements:
            place = id(statement), pairs
            if place not in self._in_other_names:
                self._kept.append(statement)
                self._in_other_names[place] = renamed((statement,), names)[0]
            out.append(self._in_other_names[place])
        return tuple(out)

    def _gathered(
        self, left: tuple[Statement, ...], right: tuple[Statement, ...]
    ) -> list[tuple[tuple[Statement, ...], tuple[Statement, ...]]]:
        """Both arms with loads first and stores last, where both access memory and that changes something."""
        if self._settings.method not in (MeldMethod.BEST, MeldMethod.DARM):
            return []
        if not all(any(Effect.LOADS in found.effects for found in terms_in(arm)) for arm in (left, right)):
            return []
        left_first, right_first = (gathered(arm, self._gatherings, self._in_registers) for arm in (left, right))
        found = left_first, right_first
        return [] if found == (left, right) else [found]

    def _live_ranges(self, melded: Sequence[Statement], before: Sequence[Statement]) -> float:
        added = declared(melded) - declared(before)
        return LIVE_RANGE * len(added)

    def _inner_melded(self, statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
        """The statements with every divergent branch inside melded where that pays; what stays is the same object."""
        if not any(isinstance(one, Branching) for one in all_statements(statements)):
            return statements
        out: list[Statement] = []
        for statement in statements:
            plan = self.plan(statement) if isinstance(statement, Branching) and self._is_divergent(statement) else None
            if isinstance(plan, Plan):
                out += plan.statements
            else:
                out.append(self._melded_inside(statement))
        return statements if _are_same(out, statements) else tuple(out)

    def _melded_inside(self, statement: Statement) -> Statement:
        before = bodies(statement)
        after = tuple(map(self._inner_melded, before))
        return statement if _are_same(after, before) else with_bodies(statement, after)

    def _is_divergent(self, fork: Branching) -> bool:
        keyword = fork.keyword
        return keyword is not None and fork.otherwise is not None and (keyword.start, keyword.end) in self._parting

    def fresh(self, role: str, types: tuple[Type, ...]) -> Local:
        plain = all(isinstance(type_, IntegerType | FloatType | BooleanType) for type_ in types)
        spelling = f"const {spell_type(types[0])}" if plain and len(set(types)) == 1 else "const auto"
        return Local(LocalId(next(self._locals)), role, spelling, "", "", types, fixed=False)


def _are_same(one: Sequence[object], other: Sequence[object]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


def _serial(fork: Branching, left: Sequence[Statement], right: Sequence[Statement]) -> Cost:
    """The price of both arms one after the other."""
    condition = fork.condition
    slots = condition.slots + total(left) + total(right)
    return Cost(slots, condition.issued + total_issued(left) + total_issued(right))


def _decision(guard: GuardId, fork: Branching) -> Decision:
    return Decision(guard, fork.condition, Comments(fork.comments.above), fork.openings[0])


def _is_untouched(statements: Sequence[Statement]) -> bool:
    """Whether nothing is left but both arms under the guard."""
    guarded = [one for one in statements if isinstance(one, Branching) and one.condition.kind == GUARD]
    return len(guarded) == len(statements) or not statements
