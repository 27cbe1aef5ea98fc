"""Selections that ask no more than they need: a ladder of `else if` is taken apart into the comparisons it is made of.

Rules     The conditions of several branches are taken apart at `&&`, `||` and `!`.  What a selection picks depends on
          the comparisons that are left, and it is written with the fewest of them (`choices.py`).  Of comparisons of
          one integer with constants only those combinations count that some value has.
Only      conditions without effects, of variables that nothing in the melded statements changes: those may be asked in
          any order, and in lanes that did not ask them before.  Any other condition is one question, whose answer is
          known where its branch stood.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from operator import eq, ge, gt, le, lt, ne
from typing import Final, TypeAlias, final

from analysis.ir.record import record
from analysis.ir.types import IntegerType
from analysis.refactor.meld.choices import (
    MAX_QUESTIONS,
    OPERAND,
    Answer,
    Chain,
    Choice,
    Condition,
    Joined,
    length,
    smallest_choice,
)
from analysis.refactor.meld.structure import (
    Branching,
    Decision,
    Looping,
    Nested,
    Simple,
    Statement,
    Switching,
    bodies,
    changed,
    mapped,
    with_bodies,
)
from analysis.refactor.meld.terms import (
    SELECT,
    Effect,
    Guard,
    GuardId,
    Local,
    Term,
    are_integers,
    guard_use,
    replaced,
    selected,
    term,
    value_names,
)

FIRST_QUESTION: Final = 100_000
"""Numbers of the guards that stand for one comparison; planning counts from 0."""

Combination: TypeAlias = int
"""Bit `q` is the answer to question `q`."""
_Formula: TypeAlias = Callable[[Combination], bool]


def with_reduced_selections(statements: Sequence[Statement], constants: Mapping[str, int]) -> tuple[Statement, ...]:
    """The same choices with fewer questions; `constants` are the values of pieces of text, written without spaces."""
    return _Reduction(changed(statements), constants).sequence(statements, {})


@final
class _Reduction:
    def __init__(self, changing: frozenset[str | Local], constants: Mapping[str, int]) -> None:
        self._changing = changing
        self._constants = constants
        self._numbers = count(FIRST_QUESTION)

    def sequence(self, statements: Sequence[Statement], around: Mapping[GuardId, Term]) -> tuple[Statement, ...]:
        """A selection is looked at where all of its guards are decided: here, or around."""
        decided = dict(around)
        out: list[Statement] = []
        for statement in statements:
            if isinstance(statement, Decision):
                decided[statement.guard] = statement.condition
                out.append(statement)
                continue
            before = set(decided)
            (shorter,) = mapped((statement,), lambda found: self._shorter(found, decided))
            out += [Decision(guard, decided[guard]) for guard in decided if guard not in before]
            out.append(self._inside(shorter, decided))
        return tuple(out)

    def _inside(self, statement: Statement, decided: Mapping[GuardId, Term]) -> Statement:
        match statement:
            case Branching(then=then, otherwise=otherwise):
                other = None if otherwise is None else self.sequence(otherwise, decided)
                return replace(statement, then=self.sequence(then, decided), otherwise=other)
            case Switching():
                return with_bodies(statement, tuple(self.sequence(body, decided) for body in bodies(statement)))
            case Looping(body=body) | Nested(body=body):
                return replace(statement, body=self.sequence(body, decided))
            case Simple() | Decision():
                return statement

    def _shorter(self, whole: Term, decided: dict[GuardId, Term]) -> Term | None:
        """The selection with fewer questions, if there is a way; its comparisons are added to `decided`."""
        if whole.kind != SELECT:
            return None
        guards = [each.meaning.number for each in _asked(whole) if isinstance(each.meaning, Guard)]
        if len(set(guards)) < 2 or not decided.keys() >= set(guards):
            return None
        questions = _Questions(self._is_free, decided)
        picks = _Picks(questions)
        pick = picks.of(whole)
        if len(questions.all) > MAX_QUESTIONS:
            return None
        can_occur = _possible(questions.all, self._constants)
        picked = [pick(each) if can_occur(each) else None for each in range(1 << len(questions.all))]
        choice = smallest_choice(len(questions.all), picked)
        if choice is None or length(choice) >= len(guards) + OPERAND * _selections(whole):
            return None
        used = [self._guard_of(condition, decided) for condition in questions.all]
        operands = [replaced(each, lambda found: self._shorter(found, decided)) for each in picks.operands]
        return _written(choice, used, operands)

    def _is_free(self, condition: Term) -> bool:
        """Whether it may be asked anywhere."""
        return condition.effects is Effect.NONE and not condition.locals and not value_names(condition) & self._changing

    def _guard_of(self, condition: Term, decided: dict[GuardId, Term]) -> Guard:
        """The guard that is decided by this condition, or by its opposite."""
        if isinstance(condition.meaning, Guard):
            return condition.meaning
        key, negated = _canonical(condition)
        for guard, known in decided.items():
            other, opposite = _canonical(known)
            if other == key and self._is_free(known):
                return Guard(guard, negated != opposite)
        guard = GuardId(next(self._numbers))
        decided[guard] = condition
        return Guard(guard)


# -- questions ---------------------------------------------------------------------------------------------------------


@final
class _Questions:
    """Numbers the comparisons that conditions are made of."""

    def __init__(self, is_free: Callable[[Term], bool], decided: Mapping[GuardId, Term]) -> None:
        self._is_free = is_free
        self._decided = decided
        self.all: list[Term] = []
        self._numbers: dict[str, int] = {}

    def formula(self, condition: Term) -> _Formula:
        """What the answers to the questions make of the condition."""
        children = condition.children
        if isinstance(condition.meaning, Guard):
            known = self._decided.get(condition.meaning.number)
            negated = condition.meaning.negated
            if known is None or not self._is_free(known):
                plain = guard_use(condition.meaning.number, condition.rounds)
                return _opposite(self._answer(plain.key, plain), negated)
            return _opposite(self.formula(known), negated)
        if condition.kind == "parenthesized_expression" and len(children) == 1:
            return self.formula(children[0])
        if condition.kind == "unary_expression" and children[0].key == "!":
            return _opposite(self.formula(children[-1]), True)
        if condition.kind == "binary_expression" and children[1].key in ("&&", "||"):
            one, other = self.formula(children[0]), self.formula(children[2])
            if children[1].key == "&&":
                return lambda answers: one(answers) and other(answers)
            return lambda answers: one(answers) or other(answers)
        key, negated = _canonical(condition)
        return _opposite(self._answer(key, condition), negated != _canonical(self._first(key, condition))[1])

    def _first(self, key: str, condition: Term) -> Term:
        return self.all[self._numbers[key]] if key in self._numbers else condition

    def _answer(self, key: str, condition: Term) -> _Formula:
        if key not in self._numbers:
            self._numbers[key] = len(self.all)
            self.all.append(condition)
        number = self._numbers[key]
        return lambda answers: bool(answers >> number & 1)


def _opposite(formula: _Formula, negated: bool) -> _Formula:
    return (lambda answers: not formula(answers)) if negated else formula


def _canonical(condition: Term) -> tuple[str, bool]:
    """The same key for a comparison and its opposite, and whether this is the opposite."""
    condition = _bare(condition)
    children = condition.children
    if condition.kind == "unary_expression" and children[0].key == "!":
        key, negated = _canonical(children[-1])
        return key, not negated
    if condition.kind == "binary_expression" and len(children) == 3:
        left, operator, right = (child.key for child in children)
        if operator in ("==", "!="):
            return f"{min(left, right)} == {max(left, right)}", operator == "!="
        if operator in (">=", ">") and are_integers(condition):
            return f"{left} {'<' if operator == '>=' else '<='} {right}", True
    return condition.key, False


def _bare(condition: Term) -> Term:
    while condition.kind == "parenthesized_expression" and len(condition.children) == 1:
        condition = condition.children[0]
    return condition


# -- combinations ------------------------------------------------------------------------------------------------------


@final
@record
class _Comparison:
    """Of an integer with a constant, as question number `question`."""

    question: int
    operator: str
    constant: int
    is_unsigned: bool


def _possible(questions: Sequence[Term], constants: Mapping[str, int]) -> Callable[[Combination], bool]:
    """Whether a combination of answers can occur."""
    groups: dict[str, list[_Comparison]] = {}
    for number, question in enumerate(questions):
        for left, comparison in _comparisons(number, question, constants):
            groups.setdefault(left, []).append(comparison)
    checks: list[tuple[int, set[int]]] = []
    for group in groups.values():
        bits = sum(1 << one.question for one in group)
        checks.append((bits, {_answers(group, value) for value in _interesting(group)}))
    return lambda answers: all(answers & bits in occurring for bits, occurring in checks)


def _comparisons(number: int, question: Term, constants: Mapping[str, int]) -> Iterator[tuple[str, _Comparison]]:
    question = _bare(question)
    if question.kind != "binary_expression" or len(question.children) != 3:
        return
    left, operator, right = question.children
    symbol = operator.key
    if _text(left) in constants:
        left, right, symbol = right, left, _MIRRORED.get(symbol, symbol)
    value = constants.get(_text(right))
    integers = [type_ for type_ in left.types if isinstance(type_, IntegerType)]
    if symbol not in _OPERATORS or value is None or not integers or len(integers) != len(left.types):
        return
    are_unsigned = not any(type_.signed for type_ in integers)
    are_signed = all(type_.signed for type_ in (*integers, *right.types) if isinstance(type_, IntegerType))
    # Beside an unsigned constant a negative number is a large one.
    if symbol in ("==", "!=") or (are_unsigned and value >= 0) or (are_signed and right.types):
        yield left.key, _Comparison(number, symbol, value, are_unsigned and value >= 0)


def _interesting(group: Sequence[_Comparison]) -> set[int]:
    """Values of which every possible combination of answers has one."""
    found = {one.constant + step for one in group for step in (-1, 0, 1)}
    return {value for value in found if value >= 0 or not all(one.is_unsigned for one in group)}


def _answers(group: Sequence[_Comparison], value: int) -> Combination:
    return sum(1 << one.question for one in group if _OPERATORS[one.operator](value, one.constant))


def _text(whole: Term) -> str:
    return "".join(whole.key.split())


# -- selections --------------------------------------------------------------------------------------------------------


@final
class _Picks:
    """Numbers the operands of a selection."""

    def __init__(self, questions: _Questions) -> None:
        self._questions = questions
        self.operands: list[Term] = []
        self._numbers: dict[str, int] = {}

    def of(self, whole: Term) -> Callable[[Combination], int]:
        """Which operand the answers pick."""
        inner = _bare(whole)
        if inner.kind != SELECT:
            number = self._numbers.setdefault(inner.key, len(self.operands))
            if number == len(self.operands):
                self.operands.append(inner)
            return lambda _: number
        condition, left, right = inner.children
        asked = self._questions.formula(condition)
        one, other = self.of(left), self.of(right)
        return lambda answers: one(answers) if asked(answers) else other(answers)


def _asked(whole: Term) -> Iterator[Term]:
    """The guards in the conditions of a selection, and of those that it selects."""
    inner = _bare(whole)
    if inner.kind == SELECT:
        condition, left, right = inner.children
        yield from (found for found in condition.walk() if isinstance(found.meaning, Guard))
        yield from _asked(left)
        yield from _asked(right)


def _selections(whole: Term) -> int:
    inner = _bare(whole)
    return 0 if inner.kind != SELECT else 1 + sum(map(_selections, inner.children[1:]))


def _written(choice: Choice, guards: Sequence[Guard], operands: Sequence[Term]) -> Term:
    match choice:
        case int():
            return operands[choice]
        case Chain(condition=condition, picked=picked, rest=rest):
            left, right = _written(picked, guards, operands), _written(rest, guards, operands)
            return selected(_condition(condition, guards, max(left.rounds, right.rounds)), left, right)


def _condition(condition: Condition, guards: Sequence[Guard], rounds: float) -> Term:
    match condition:
        case Answer(question=question, negated=negated):
            guard = guards[question]
            return guard_use(guard.number, rounds, negated=guard.negated != negated)
        case Joined(parts=parts, is_all=is_all):
            operator = "&&" if is_all else "||"
            found: Term | None = None
            for part in parts:
                operand = _condition(part, guards, rounds)
                if isinstance(part, Joined):
                    operand = term("parenthesized_expression", ("(", operand, ")"), (), 0, rounds)
                if found is None:
                    found = operand
                else:
                    between = term(operator, (operator,))
                    found = term("binary_expression", (found, " ", between, " ", operand), (), rounds, rounds)
            assert found is not None, "several parts are joined"
            return found


_OPERATORS: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "==": eq,
    "!=": ne,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
}
_MIRRORED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
