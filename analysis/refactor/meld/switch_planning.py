"""How the cases of one `switch` are best melded: which of them become one, and what is left of the `switch`.

Question  The cases exclude each other, so any two of them are the arms of an `if` on the value.  The two whose melding
          saves most become one, then the next two, as far as there are any; each stage is a candidate.
Result    Where all values are melded no `switch` is left around them; else the melded cases share their labels.  What
          still differs inside is a `switch` again (`cases_again.py`).
Price     Before: one choice, and all cases.  After: what a run issues for the result.  As for other branches both slots
          and instructions must fall.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import Final, TypeAlias, final

from analysis.ir.pace import spend
from analysis.ir.record import record
from analysis.meld.settings import MeldMethod
from analysis.refactor.meld.cases_again import CasesAgain
from analysis.refactor.meld.ladder import CaseNumber, Ladder
from analysis.refactor.meld.planning import LIVE_RANGE, Cost, NoGain, NotAlike, Plan, Planner, Undeclarable
from analysis.refactor.meld.spelled_types import SpelledTypes
from analysis.refactor.meld.structure import (
    Branching,
    Case,
    Comments,
    Simple,
    Statement,
    Switching,
    changed,
    declared,
    followed,
    mapped,
    terms_in,
    total,
    total_issued,
    with_comments,
)
from analysis.refactor.meld.terms import Effect, Local, Term, bracketed, name_of, term, value_names
from analysis.refactor.meld.tidying import tidied

MAX_PAIRED: Final = 6
"""Of more cases only neighbours are tried."""


@final
@record
class _Group:
    """Cases that run the same statements."""

    members: tuple[CaseNumber, ...]
    body: tuple[Statement, ...]
    opening: str = ""


@final
class SwitchPlanner:
    """Plans one `switch` by one method; `is_total`: every value has a case."""

    def __init__(
        self, switching: Switching, planner: Planner, method: MeldMethod, types: SpelledTypes, *, is_total: bool
    ) -> None:
        self._switching = switching
        self._planner = planner
        self._method = method
        self._types = types
        self._has_default = any(case.is_default for case in switching.cases)
        self._is_total = is_total or self._has_default
        self._ladder = Ladder(switching, lambda: planner.fresh("choice", switching.subject.types))
        self._pairs: dict[tuple[tuple[CaseNumber, ...], tuple[CaseNumber, ...]], _Found] = {}

    def plan(self) -> Plan | NotAlike | NoGain | Undeclarable:
        """The cheapest stage, if it pays."""
        serial = Cost(total((self._switching,)), total_issued((self._switching,)))
        plans = [self._planned(groups, serial) for groups in self._stages()]
        if not plans:
            failed = self._pairs.values()
            return next((one for one in failed if isinstance(one, Undeclarable)), self._nothing(failed))
        gains = [plan for plan in plans if plan.cost.is_below(serial)]
        return min(gains, key=lambda plan: plan.cost.slots, default=NoGain())

    def _nothing(self, failed: Iterable[_Found]) -> NotAlike | NoGain:
        return NoGain() if any(isinstance(one, NoGain) for one in failed) else NotAlike()

    # -- groups -----------------------------------------------------------------------------------------------------

    def _stages(self) -> Iterator[Sequence[_Group]]:
        """The groups after each melding of two of them."""
        cases = self._switching.cases
        groups = [_Group((at,), _with_lines(case), case.opening) for at, case in enumerate(cases)]
        while True:
            found: list[tuple[float, int, int, Plan]] = []
            for one, other in self._candidates(groups):
                plan = self._pair(groups[one], groups[other])
                if isinstance(plan, Plan):
                    found.append((-plan.saved, one, other, plan))
            if not found:
                return
            _, one, other, plan = min(found, key=lambda each: each[:3])
            melded = _Group((*groups[one].members, *groups[other].members), plan.statements)
            groups = [*groups[:one], melded, *groups[one + 1 : other], *groups[other + 1 :]]
            yield groups

    def _candidates(self, groups: Sequence[_Group]) -> Iterator[tuple[int, int]]:
        full = [at for at, group in enumerate(groups) if group.body]
        return combinations(full, 2) if len(full) <= MAX_PAIRED else pairwise(full)

    def _pair(self, one: _Group, other: _Group) -> _Found:
        """Both as the arms of an `if`: that with fewer labels is asked for, `default` never."""
        place = one.members, other.members
        if place not in self._pairs:
            first, second = sorted((one, other), key=self._weight)
            spend(200)
            condition = self._ladder.condition(first.members)
            openings = first.opening, second.opening
            self._pairs[place] = self._planner.plan(
                Branching(condition, first.body, second.body, None, Comments(), openings)
            )
        return self._pairs[place]

    def _weight(self, group: _Group) -> tuple[bool, int, tuple[CaseNumber, ...]]:
        cases = [self._switching.cases[number] for number in group.members]
        return any(case.is_default for case in cases), sum(len(case.labels) for case in cases), group.members

    # -- results ----------------------------------------------------------------------------------------------------

    def _planned(self, groups: Sequence[_Group], serial: Cost) -> Plan:
        spend(50 * len(groups))
        is_whole = len(groups) == 1 and self._is_total
        body = tidied(self._again(groups[0]) if is_whole else (self._kept(groups),))
        if self._ladder.named is not None:
            body = _with_value(body, self._ladder.named, self._switching.subject.children[0])
        known = self._switching.comments
        body = followed(_below(body, known.above), known)
        added = declared(body) - declared((self._switching,))
        slots = total(body) + LIVE_RANGE * len(added)
        return Plan(body, self._method, Cost(slots, total_issued(body)), serial.slots - slots)

    def _again(self, group: _Group) -> tuple[Statement, ...]:
        statements = tidied(group.body)
        again = CasesAgain(self._ladder, self._ladder.guards(statements), self._types)
        return again.sequence(statements, group.members)

    def _kept(self, groups: Sequence[_Group]) -> Switching:
        """The `switch` with melded cases where the first of each stood."""
        cases: list[Case] = []
        for group in sorted(groups, key=lambda group: min(group.members)):
            if len(group.members) == 1:
                cases.append(self._switching.cases[group.members[0]])
                continue
            own = [self._switching.cases[number] for number in sorted(group.members)]
            is_default = any(case.is_default for case in own)
            labels = () if is_default else tuple(label for case in own for label in case.labels)
            cases.append(Case(labels, is_default, self._again(group)))
        cases.sort(key=lambda case: case.is_default and not case.labels)
        subject = self._ladder.subject(sum(len(case.labels) for case in cases))
        return Switching(subject, tuple(cases), last_breaks=self._switching.last_breaks)


_Found: TypeAlias = Plan | NotAlike | NoGain | Undeclarable


def _with_lines(case: Case) -> tuple[Statement, ...]:
    """The statements with the comments above the label."""
    return _below(case.body, tuple(text for text in case.above if text))


def _below(statements: tuple[Statement, ...], above: tuple[str, ...]) -> tuple[Statement, ...]:
    if not statements or not above:
        return statements
    first, *others = statements
    known = first.comments
    return (with_comments(first, Comments((*above, *known.above), known.beside, known.below)), *others)


def _with_value(statements: Sequence[Statement], named: Local, value: Term) -> tuple[Statement, ...]:
    """The value in a variable; where it is asked once and at once, it stays where it is asked."""
    first = statements[0]
    is_first = isinstance(first, Switching) and any(inner.meaning == named for inner in first.subject.walk())
    stays = value.effects is Effect.NONE and not value_names(value) & changed(statements)
    if _uses(statements, named) == 1 and (is_first or stays):
        binds = value.kind == "binary_expression" and value.children[1].key in _TIGHTER_THAN_EQUAL
        asked = value if is_first or binds else bracketed(value, _LOOSE_VALUES)
        return mapped(statements, lambda found: asked if found.meaning == named else None)
    declarator = term("init_declarator", (name_of(named), " = ", value), named.types)
    whole = term("declaration", (named.spelling, " ", declarator, ";"), (), 0, value.rounds)
    return (Simple(whole, (named,), Comments()), *statements)


def _uses(statements: Sequence[Statement], local: Local) -> int:
    return sum(inner.meaning == local for whole in terms_in(statements) for inner in whole.walk())


_TIGHTER_THAN_EQUAL: Final = frozenset({"*", "/", "%", "+", "-", "<<", ">>"})
_LOOSE_VALUES: Final = frozenset(
    {"binary_expression", "conditional_expression", "assignment_expression", "comma_expression", "macro_use"}
)
