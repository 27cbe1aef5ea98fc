"""The cases of a `switch` as conditions: which values each guard stands for, and what the conditions cost.

Rules     `case 1: case 2:` is `value == 1 || value == 2`; `default` is what no other case is.  The value is repeated as
          text where it is a plain variable that no case changes; else it is named, in front, and asked by that name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, final

from analysis.ir.types import BOOLEAN
from analysis.refactor.meld.structure import Decision, Statement, Switching, all_statements, changed
from analysis.refactor.meld.terms import (
    IDENTIFIER,
    Effect,
    Guard,
    GuardId,
    Local,
    Term,
    bracketed,
    name_of,
    term,
    value_names,
)
from analysis.verdict.latency import switch_latency

CaseNumber = int
"""Where a case stands among those of its `switch`, from 0."""


@final
class Ladder:
    """The conditions of one `switch`; `name` makes the variable that holds its value, if it needs one."""

    def __init__(self, switching: Switching, name: Callable[[], Local]) -> None:
        self.switching = switching
        asked = switching.subject.children[0]
        bodies = [statement for case in switching.cases for statement in case.body]
        self.rounds = switching.subject.rounds
        stays = asked.kind == IDENTIFIER and asked.effects is Effect.NONE and not value_names(asked) & changed(bodies)
        self.named = None if stays else name()
        self.value = asked if self.named is None else name_of(self.named, self.rounds)
        self._members: dict[str, frozenset[CaseNumber]] = {}

    def condition(self, members: Iterable[CaseNumber]) -> Term:
        """Whether the value is that of one of the cases, none of which is `default`."""
        numbers = sorted(members)
        found: Term | None = None
        for label in (label for number in numbers for label in self.switching.cases[number].labels):
            parts = (self.value, " ", term("==", ("==",)), " ", bracketed(label, _LOOSE_LABELS))
            equal = term("binary_expression", parts, (BOOLEAN,), self.rounds, self.rounds)
            if found is None:
                found = equal
            else:
                either = term("||", ("||",))
                operands = (found, " ", either, " ", equal)
                found = term("binary_expression", operands, (BOOLEAN,), self.rounds, self.rounds)
        assert found is not None, "a case that is not `default` has a label"
        self._members[found.key] = frozenset(numbers)
        return found

    def subject(self, labels: int) -> Term:
        """What is asked in the parentheses of a new `switch` with so many labels."""
        slots = switch_latency(labels) * self.rounds
        return term("switch_value", (self.value,), self.value.types, slots, self.rounds, own_issued=self.rounds)

    def guards(self, statements: Sequence[Statement]) -> Mapping[GuardId, frozenset[CaseNumber]]:
        """For each guard of the statements that stands for some of the cases, which they are."""
        return {
            found.guard: self._members[found.condition.key]
            for found in all_statements(statements)
            if isinstance(found, Decision) and found.condition.key in self._members
        }


def holds(condition: Term, number: CaseNumber, guards: Mapping[GuardId, frozenset[CaseNumber]]) -> bool | None:
    """What guards, joined by `&&`, `||` and `!`, come to in one case; None if that is not known."""
    children = condition.children
    if isinstance(condition.meaning, Guard):
        members = guards.get(condition.meaning.number)
        return None if members is None else (number in members) != condition.meaning.negated
    if condition.kind == "parenthesized_expression" and len(children) == 1:
        return holds(children[0], number, guards)
    if condition.kind == "binary_expression" and len(children) == 3 and children[1].key in ("&&", "||"):
        one, other = holds(children[0], number, guards), holds(children[2], number, guards)
        if one is None or other is None:
            return None
        return (one and other) if children[1].key == "&&" else (one or other)
    return None


_LOOSE_LABELS: Final = frozenset({"binary_expression", "conditional_expression", "assignment_expression", "macro_use"})
