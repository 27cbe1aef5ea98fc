"""Loads first, stores last: an arm in an order in which the accesses of both arms can meet.

Question  Two arms load, compute and store.  What they compute is not alike, but every load and store could be one for
          both.  In the order of the text a meeting in the middle parts the computation, and each part needs a guard.
Result    the loads of both arms in front, as variables; then what each arm computes, under one guard; then the stores.
Rules     Only within a run of simple statements that assign variables, load, and store to elements of arrays.
          A load moves up over assignments to variables that it does not read, never over a store.
          A store moves down over assignments to variables that its address does not read, never over a load; what it
          stores is computed where it was.  Stores keep their order.
          A load that is evaluated only under a condition stays where it is.
Example   `int x = a[t]; a[t] = x - 1; x *= n; b[t] = x;` becomes
          `int x = a[t]; int result = x - 1; x *= n; int result_2 = x; a[t] = result; b[t] = result_2;`
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, final

from analysis.facts.spelling import spell_type
from analysis.ir.record import record
from analysis.ir.types import BooleanType, FloatType, IntegerType, Type
from analysis.refactor.meld.expressions import accessed, loads_in
from analysis.refactor.meld.structure import (
    Branching,
    Comments,
    Decision,
    Looping,
    Nested,
    Simple,
    Statement,
    Switching,
    bodies,
    changed,
    with_bodies,
)
from analysis.refactor.meld.terms import (
    IDENTIFIER,
    Effect,
    Local,
    LocalId,
    Term,
    name_of,
    replaced,
    term,
    value_names,
    with_children,
)

FIRST_GATHERED: Final = 500_000
"""Numbers of the variables that hold what is loaded early and stored late; they may change, as an author's do."""


def gathered(
    statements: Sequence[Statement], numbers: Iterator[int], in_registers: frozenset[str]
) -> tuple[Statement, ...]:
    """The statements in the other order; `in_registers`: arrays whose elements are no memory."""
    return _Gatherer(numbers, in_registers).sequence(statements)


@final
@record
class _Store:
    """`place = value;`"""

    statement: Simple
    place: Term
    value: Term


@final
class _Gatherer:
    def __init__(self, numbers: Iterator[int], in_registers: frozenset[str]) -> None:
        self._numbers = numbers
        self._in_registers = in_registers
        self._out: list[Statement] = []
        self._loads: list[Statement] = []
        self._run: list[Simple | _Store] = []
        """What is computed and stored, in the order of the text."""

    def sequence(self, statements: Sequence[Statement]) -> tuple[Statement, ...]:
        for statement in statements:
            if isinstance(statement, Simple) and self._takes(statement):
                continue
            self._finish()
            self._out.append(self._inside(statement))
        self._finish()
        return tuple(self._out)

    def _inside(self, statement: Statement) -> Statement:
        def again(inner: Sequence[Statement]) -> tuple[Statement, ...]:
            return gathered(inner, self._numbers, self._in_registers)

        match statement:
            case Branching(then=then, otherwise=otherwise):
                other = None if otherwise is None else again(otherwise)
                return replace(statement, then=again(then), otherwise=other)
            case Switching():
                return with_bodies(statement, tuple(map(again, bodies(statement))))
            case Looping(body=body) | Nested(body=body):
                return replace(statement, body=again(body))
            case Simple() | Decision():
                return statement

    def _takes(self, statement: Simple) -> bool:
        """Whether the statement belongs to the run; a new run begins where a load would pass a store."""
        store = self._store(statement)
        if store is None and not _only_computes(statement.term):
            return False
        read = statement.term if store is None else store.value  # A store itself counts as an access, too.
        if Effect.LOADS in read.effects and any(isinstance(one, _Store) for one in self._run):
            self._finish()
        if store is not None:
            self._run.append(replace(store, value=self._loaded_early(store.value)))
            return True
        value = _initial_value(statement)
        if value is not None and loads_in(value) == (value,) and self._may_come_first(value):
            self._loads.append(statement)
        else:
            self._run.append(replace(statement, term=self._loaded_early(statement.term)))
        return True

    def _loaded_early(self, whole: Term) -> Term:
        """The term with variables in place of what it always loads."""
        known: dict[str, Local] = {}
        for load in _needed_loads(whole):
            types = load.types
            if load.key in known or len(types) != 1 or not _is_scalar(types[0]) or not self._may_come_first(load):
                continue
            local = self._fresh("value", types[0])
            known[load.key] = local
            self._loads.append(_declared(local, load))
        target = _target(whole)

        def named(inner: Term) -> Term | None:
            if inner is target:
                return inner
            local = known.get(inner.key) if Effect.LOADS in inner.effects else None
            return None if local is None else name_of(local, inner.rounds)

        return replaced(whole, named) if known else whole

    def _may_come_first(self, load: Term) -> bool:
        """Whether nothing in the run changes what the load reads; stores are not in it where loads are asked."""
        reads = value_names(load) | load.locals
        return not reads & (changed(self._computed()) | _declared_in(self._computed()))

    def _computed(self) -> list[Simple]:
        return [one for one in self._run if isinstance(one, Simple)]

    def _finish(self) -> None:
        """What was gathered, in its new order; stores in the old one where nothing follows or one cannot wait."""
        last = max((index for index, one in enumerate(self._run) if isinstance(one, Simple)), default=-1)
        is_late = any(isinstance(one, _Store) for one in self._run[:last])
        self._out += self._loads
        if not is_late or not all(self._may_wait(index) for index in range(last)):
            self._out += [_written(one) if isinstance(one, _Store) else one for one in self._run]
        else:
            stores: list[Statement] = []
            for one in self._run:
                if isinstance(one, Simple):
                    self._out.append(one)
                    continue
                local = self._fresh("result", accessed(one.place)[0])
                self._out.append(_declared(local, one.value))
                stores.append(_written(replace(one, value=name_of(local, one.value.rounds))))
            self._out += stores
        self._loads, self._run = [], []

    def _may_wait(self, index: int) -> bool:
        """Whether the place of a store is the same at the end."""
        store = self._run[index]
        if not isinstance(store, _Store):
            return True
        later = [one for one in self._run[index + 1 :] if isinstance(one, Simple)]
        return not (value_names(store.place) | store.place.locals) & changed(later)

    def _store(self, statement: Simple) -> _Store | None:
        """The statement as a store to an element of an array of numbers."""
        inner = statement.term.children
        if statement.term.kind != "expression_statement" or len(inner) != 1 or not _is_plain_assignment(inner[0]):
            return None
        place, _, value = inner[0].children
        types = accessed(place)
        if place.kind != "subscript_expression" or len(types) != 1 or not _is_scalar(types[0]):
            return None
        base = "".join(map(str, place.children[0].parts))
        if place.effects is not Effect.NONE or Effect.CHANGES in value.effects or base in self._in_registers:
            return None
        return _Store(statement, place, value)

    def _fresh(self, role: str, type_: Type) -> Local:
        number = LocalId(FIRST_GATHERED + next(self._numbers))
        return Local(number, role, spell_type(type_), "", "", (type_,), fixed=False)


def _is_plain_assignment(whole: Term) -> bool:
    return whole.kind == "assignment_expression" and len(whole.children) == 3 and whole.children[1].key == "="


def _written(store: _Store) -> Simple:
    (assignment,) = store.statement.term.children
    place, operator, _ = assignment.children
    changed_assignment = with_children(assignment, (place, operator, store.value))
    return replace(store.statement, term=with_children(store.statement.term, (changed_assignment,)))


def _declared(local: Local, value: Term) -> Simple:
    declarator = term("init_declarator", (name_of(local), " = ", value), local.types)
    return Simple(term("declaration", (local.spelling, " ", declarator, ";"), (), 0, value.rounds), (local,))


def _declared_in(statements: Iterable[Simple]) -> frozenset[Local]:
    return frozenset(local for statement in statements for local in statement.declares)


def _initial_value(statement: Simple) -> Term | None:
    """Of a declaration of one variable, `T name = value;`."""
    if len(statement.declares) != 1 or statement.comments != Comments():
        return None
    values = [child.children[-1] for child in statement.term.children if child.kind == "init_declarator"]
    return values[0] if len(values) == 1 and "&" not in statement.declares[0].before else None


def _needed_loads(whole: Term) -> tuple[Term, ...]:
    """What a declaration or an assignment always loads."""
    target = _target(whole)
    values = [child.children[-1] for child in whole.walk() if child.kind == "init_declarator"]
    if target is not None and whole.children[0].kind == "assignment_expression":
        values = [whole.children[0].children[-1]]
    if whole.kind not in ("declaration", "expression_statement"):
        values = [whole]
    return tuple(load for value in values for load in loads_in(value))


def _target(whole: Term) -> Term | None:
    """The place that a statement assigns."""
    if whole.kind != "expression_statement" or not whole.children or not whole.children[0].children:
        return None
    return next((child for child in whole.children[0].children if child.kind not in ("++", "--")), None)


def _only_computes(whole: Term) -> bool:
    """Whether it declares or assigns a variable in a register and changes nothing else."""
    if whole.kind == "declaration":
        return Effect.CHANGES not in whole.effects and "static" not in whole.key.split()
    if whole.kind != "expression_statement" or len(whole.children) != 1:
        return False
    inner, target = whole.children[0], _target(whole)
    if inner.kind not in ("assignment_expression", "update_expression") or target is None:
        return False
    others = [child for child in inner.children if child is not target]
    in_register = target.kind == IDENTIFIER and target.effects is Effect.NONE
    return in_register and not any(Effect.CHANGES in child.effects for child in others)


def _is_scalar(type_: Type) -> bool:
    return isinstance(type_, IntegerType | FloatType | BooleanType)
