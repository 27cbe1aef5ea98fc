"""From aligned statements to a sequence: guards around what one arm has alone, declarations where they are seen.

Rules     What one arm has alone runs under the guard; neighbours share one `if`.
          A variable that is declared under a guard and used outside of it is declared before, without a value.  If its
          value is free of memory accesses and divisions, the declaration itself simply stays outside of the guard: a
          lane that does not need the value may compute it.
          The condition of an inner meld that only one arm has becomes `guard && condition`, or stays as it is where
          evaluating it is harmless.
Refused   to declare a variable without its value: references, `auto`, arrays with values, and types that may have
          constructors.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias, final

from analysis.ir.record import record
from analysis.ir.types import ArrayType, BooleanType, FloatType, IntegerType, PointerType, Type, VectorType
from analysis.refactor.meld.structure import (
    NO_COMMENTS,
    Branching,
    Comments,
    Decision,
    Simple,
    Statement,
    mentioned,
    terms_in,
    with_comments,
)
from analysis.refactor.meld.terms import (
    Effect,
    GuardId,
    Local,
    bracketed,
    comments_in,
    guard_test,
    guard_use,
    name_of,
    term,
)


class UndeclarableError(Exception):
    """A variable would have to be declared without the value that makes it."""


@final
@record
class Both:
    """Statements that the lanes of both arms run."""

    statements: tuple[Statement, ...]


@final
@record
class Alone:
    """Statements of the left arm alone, and of the right arm alone."""

    left: tuple[Statement, ...]
    right: tuple[Statement, ...]


Column: TypeAlias = Both | Alone


def arranged(columns: Sequence[Column], guard: GuardId, rounds: float) -> tuple[Statement, ...]:
    """The statements of all columns in order; raises `UndeclarableError`."""
    return _Arrangement(columns, guard, rounds).statements()


@final
class _Arrangement:
    def __init__(self, columns: Sequence[Column], guard: GuardId, rounds: float) -> None:
        self._guard = guard
        self._rounds = rounds
        self._columns = list(columns)
        self._mentions = [mentioned(_all(column)) for column in self._columns]
        self._hoisted: set[Local] = set()

    def statements(self) -> tuple[Statement, ...]:
        parted: list[tuple[list[Statement], Column]] = []
        for index, column in enumerate(self._columns):
            parted.append(self._outside(index, column))
        for index, (_, column) in enumerate(parted):
            self._find_hoisted(index, column)
        out: list[Statement] = []
        waiting = sorted(self._hoisted, key=lambda local: local.number)
        for index, (outside, column) in enumerate(parted):
            here = [local for local in waiting if local in self._mentions[index]]
            waiting = [local for local in waiting if local not in here]
            out += [with_comments(_empty_declaration(local, self._rounds), self._said_of(local)) for local in here]
            out += self._assigned(outside)
            out += self._emitted(column)
        return tuple(out)

    def _said_of(self, local: Local) -> Comments:
        """The comments of a declaration that leaves no assignment behind."""
        found = NO_COMMENTS
        for statement in (one for column in self._columns for one in _all(column)):
            if isinstance(statement, Simple) and statement.declares[:1] == (local,) and not _has_values(statement):
                known, more = found, statement.comments
                above = (*known.above, *more.above, *comments_in(statement.term))
                found = Comments(above, known.beside or more.beside, (*known.below, *more.below))
        return found

    def _emitted(self, column: Column) -> list[Statement]:
        match column:
            case Both(statements=statements):
                return self._assigned(statements)
            case Alone(left=left, right=right):
                one, other = tuple(self._assigned(left)), tuple(self._assigned(right))
                if not one and not other:
                    return []
                condition = guard_test(self._guard, self._rounds, negated=not one)
                return [Branching(condition, one or other, (other or None) if one else None)]

    def _outside(self, index: int, column: Column) -> tuple[list[Statement], Column]:
        """Declarations that need no guard, and what is left under it."""
        if isinstance(column, Both):
            return [], column
        outside: list[Statement] = []
        rests: list[tuple[Statement, ...]] = []
        for negated, side, other in ((False, column.left, column.right), (True, column.right, column.left)):
            position = 0
            for statement in side:
                opened = self._without_guard(index, statement, other, negated=negated)
                if opened is None:
                    break
                outside.append(opened)
                position += 1
            rests.append(side[position:])
        return outside, Alone(rests[0], rests[1])

    def _without_guard(
        self, index: int, statement: Statement, other: Iterable[Statement], *, negated: bool
    ) -> Statement | None:
        if isinstance(statement, Decision):
            if statement.condition.effects is Effect.NONE:
                return statement
            if not any(_decides(column, statement.guard) for column in self._others(index)):
                return None
            condition = bracketed(statement.condition, _LOOSER_THAN_AND)
            guarded = (guard_use(self._guard, self._rounds, negated=negated), " ", term("&&", ("&&",)), " ", condition)
            whole = term("binary_expression", guarded, (), self._rounds, self._rounds)
            return replace(statement, condition=whole)
        if not isinstance(statement, Simple) or len(statement.declares) != 1:
            return None
        local = statement.declares[0]
        used_elsewhere = any(local in mentions for at, mentions in enumerate(self._mentions) if at != index)
        first = not any(local in mentions for mentions in self._mentions[:index])
        if not used_elsewhere or not first or local in mentioned(other) or statement.term.effects is not Effect.NONE:
            return None
        if not _has_values(statement) or len(mentioned([statement])) > 1 or "static" in local.spelling:
            return None
        return statement

    def _others(self, index: int) -> Iterable[Column]:
        return (column for at, column in enumerate(self._columns) if at != index)

    def _find_hoisted(self, index: int, column: Column) -> None:
        sides = [column.statements] if isinstance(column, Both) else [column.left, column.right]
        for number, side in enumerate(sides):
            elsewhere = set[Local]().union(*(m for at, m in enumerate(self._mentions) if at != index))
            if isinstance(column, Both):
                elsewhere = set[Local]().union(*self._mentions[:index])
            for other, found in enumerate(sides):
                if other != number:
                    elsewhere |= mentioned(found)
            for statement in side:
                if isinstance(statement, Simple):
                    self._hoisted |= {local for local in statement.declares if local in elsewhere}
            if isinstance(column, Alone):
                self._check_decisions(index, side)

    def _check_decisions(self, index: int, side: Iterable[Statement]) -> None:
        """A condition that is evaluated under the guard must not decide anything outside of it."""
        for statement in side:
            if isinstance(statement, Decision) and any(
                _decides(column, statement.guard) for column in self._others(index)
            ):
                raise UndeclarableError

    def _assigned(self, statements: Iterable[Statement]) -> list[Statement]:
        """Declarations of hoisted variables become assignments."""
        out: list[Statement] = []
        for statement in statements:
            if isinstance(statement, Simple) and self._hoisted.intersection(statement.declares):
                out += _assignments(statement, self._hoisted)
            else:
                out.append(statement)
        return out


def _all(column: Column) -> tuple[Statement, ...]:
    return column.statements if isinstance(column, Both) else (*column.left, *column.right)


def _decides(column: Column, guard: GuardId) -> bool:
    return any(guard in whole.guards for whole in terms_in(_all(column)))


def _has_values(declaration: Simple) -> bool:
    return any(child.kind == "init_declarator" for child in declaration.term.children)


def _assignments(statement: Simple, hoisted: set[Local]) -> list[Statement]:
    if not hoisted.issuperset(statement.declares):
        raise UndeclarableError  # `int a = 1, b = 2;` of which one alone is needed outside
    found: list[Statement] = []
    known = statement.comments
    comments = Comments((*known.above, *_left_over(statement)), known.beside, known.below)
    for child in statement.term.children:
        if child.kind != "init_declarator":
            continue
        names = [inner for inner in child.children[0].walk() if isinstance(inner.meaning, Local)]
        value = child.children[-1]
        if len(names) != 1 or value.kind in ("initializer_list", "argument_list"):
            raise UndeclarableError
        assigned = term("assignment_expression", (names[0], " ", term("=", ("=",)), " ", value), names[0].types)
        whole = term("expression_statement", (assigned, ";"), (), 0, statement.term.rounds, Effect.CHANGES)
        found.append(Simple(whole, (), comments))
        comments = Comments()
    return found


def _left_over(statement: Simple) -> tuple[str, ...]:
    """The comments of a declaration that neither its values nor the declarations without values repeat."""
    repeated = [text for local in statement.declares for text in (local.spelling, local.before, local.after)]
    values = [child.children[-1] for child in statement.term.children if child.kind == "init_declarator"]
    repeated += [text for value in values for text in comments_in(value)]
    return tuple(text for text in comments_in(statement.term) if not any(text in other for other in repeated))


def _empty_declaration(local: Local, rounds: float) -> Simple:
    """`T name;`"""
    if not local.types or not all(map(_is_trivial, local.types)):
        raise UndeclarableError
    words = [word for word in local.spelling.split() if word != "const" or "*" in local.before]
    if not words or set(words) & _STORAGE or "&" in local.before:
        raise UndeclarableError
    if "const" in local.spelling.split() and local.after:
        raise UndeclarableError
    before = local.before.replace("const", "").rstrip() if "*" in local.before else local.before
    parts = (" ".join(words), " ", before, name_of(local), local.after, ";")
    return Simple(term("declaration", [part for part in parts if part], (), 0, rounds), (local,))


def _is_trivial(type_: Type) -> bool:
    if isinstance(type_, ArrayType):
        return _is_trivial(type_.element)
    return isinstance(type_, IntegerType | FloatType | BooleanType | PointerType | VectorType)


_STORAGE: Final = frozenset({"auto", "static", "extern", "constexpr", "__shared__", "volatile", "thread_local"})
_LOOSER_THAN_AND: Final = frozenset(
    {"select", "conditional_expression", "assignment_expression", "comma_expression", "binary_expression"}
)
