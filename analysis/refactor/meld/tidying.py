"""What a person would still do by hand after the arms are melded.

Rules     1. Neighbouring `if`s with the same guard become one.
          2. A value that was loaded into a new variable is not loaded again before somebody may have changed it, and a
             variable that then only copies another one goes away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import final

from analysis.refactor.meld.planning import FIRST_FRESH
from analysis.refactor.meld.structure import (
    Branching,
    Decision,
    Looping,
    Nested,
    Simple,
    Statement,
    changed,
    mapped,
    own_term,
    renamed,
)
from analysis.refactor.meld.terms import GUARD, IDENTIFIER, Effect, Local, Term, changed_names, name_of


def tidied(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements after all rules."""
    return _without_copies(_Reuse().sequence(_joined(statements)))


# -- neighbours --------------------------------------------------------------------------------------------------------


def _joined(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    out: list[Statement] = []
    for statement in (_inside(one) for one in statements):
        known = out[-1] if out else None
        if (
            isinstance(known, Branching)
            and isinstance(statement, Branching)
            and known.condition.kind == GUARD
            and known.condition.key == statement.condition.key
            and known.otherwise is None
            and statement.otherwise is None
            and not statement.comments.above
        ):
            out[-1] = Branching(known.condition, (*known.then, *statement.then), None, None, known.comments)
        else:
            out.append(statement)
    return tuple(out)


def _inside(statement: Statement) -> Statement:
    match statement:
        case Branching(then=then, otherwise=otherwise):
            other = None if otherwise is None else _joined(otherwise)
            return replace(statement, then=_joined(then), otherwise=other)
        case Looping(kind=kind, head=head, body=body, declares=declares, comments=comments):
            return Looping(kind, head, _joined(body), declares, comments)
        case Nested(body=body, comments=comments):
            return Nested(_joined(body), comments)
        case Simple() | Decision():
            return statement


# -- values that are known ---------------------------------------------------------------------------------------------


@final
class _Reuse:
    """Follows new variables that hold what was loaded, until something is stored."""

    def __init__(self) -> None:
        self._held: dict[str, Local] = {}

    def sequence(self, statements: Sequence[Statement]) -> tuple[Statement, ...]:
        return tuple(self._one(statement) for statement in statements)

    def _one(self, statement: Statement) -> Statement:
        match statement:
            case Simple(term=whole, declares=declares, comments=comments):
                found = Simple(self._read(whole), declares, comments)
                self._forget(whole)
                self._learn(found, whole)
                return found
            case Branching(condition=condition, then=then, otherwise=otherwise):
                read = self._read(condition)
                self._forget(condition)
                known = dict(self._held)
                first = self.sequence(then)
                after = self._held
                self._held = dict(known)
                second = None if otherwise is None else self.sequence(otherwise)
                self._held = {key: held for key, held in self._held.items() if after.get(key) == held}
                return replace(statement, condition=read, then=first, otherwise=second)
            case Nested(body=body, comments=comments):
                return Nested(self.sequence(body), comments)
            case Looping() | Decision():
                self._held = {}
                return statement

    def _read(self, whole: Term) -> Term:
        """The term with loads replaced; places that are assigned stay."""
        if not self._held or (Effect.CHANGES in whole.effects and not is_one_assignment(whole)):
            return whole
        target = _assigned_place(whole)

        def known(found: Term) -> Term | None:
            if found is target:
                return found
            local = self._held.get(found.key) if Effect.LOADS in found.effects else None
            return None if local is None else name_of(local, found.rounds)

        (read,) = mapped((Simple(whole),), known)
        own = own_term(read)
        assert own is not None
        return own

    def _forget(self, whole: Term) -> None:
        if Effect.CHANGES in whole.effects:
            self._held = {}

    def _learn(self, statement: Simple, before: Term) -> None:
        for child in before.children:
            if child.kind == "init_declarator" and len(statement.declares) == 1:
                local, value = statement.declares[0], child.children[-1]
                if (
                    local.number >= FIRST_FRESH
                    and Effect.LOADS in value.effects
                    and Effect.CHANGES not in value.effects
                ):
                    self._held[value.key] = local


def is_one_assignment(whole: Term) -> bool:
    """`place = value;` with nothing else in it that changes anything."""
    if whole.kind != "expression_statement" or not whole.children:
        return False
    inner = whole.children[0]
    if inner.kind != "assignment_expression" or len(inner.children) != 3 or inner.children[1].key != "=":
        return False
    return not any(
        one.kind in ("assignment_expression", "update_expression", "macro_use")
        or (one.kind == "call_expression" and (Effect.CHANGES in one.effects or changed_names(one)))
        for child in inner.children
        for one in child.walk()
    )


def _assigned_place(whole: Term) -> Term | None:
    return whole.children[0].children[0] if is_one_assignment(whole) else None


def _without_copies(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """`const int t = left;` goes where `t` never changes: its uses read `left`."""
    out: list[Statement] = []
    rest = list(statements)
    while rest:
        statement = rest.pop(0)
        source = _copied(statement)
        if isinstance(statement, Simple) and source is not None and statement.declares[0] not in changed(rest):
            rest = list(renamed(rest, {statement.declares[0]: source}))
            continue
        match statement:
            case Branching(then=then, otherwise=otherwise):
                other = None if otherwise is None else _without_copies(otherwise)
                statement = replace(statement, then=_without_copies(then), otherwise=other)
            case Looping(kind=kind, head=head, body=body, declares=declares, comments=comments):
                statement = Looping(kind, head, _without_copies(body), declares, comments)
            case Nested(body=body, comments=comments):
                statement = Nested(_without_copies(body), comments)
            case _:
                pass
        out.append(statement)
    return tuple(out)


def _copied(statement: Statement) -> Local | None:
    """The new variable that a declaration only copies."""
    if not isinstance(statement, Simple) or len(statement.declares) != 1 or statement.comments.above:
        return None
    local = statement.declares[0]
    for child in statement.term.children:
        if child.kind == "init_declarator" and child.children[-1].kind == IDENTIFIER:
            source = child.children[-1].meaning
            if isinstance(source, Local) and source.number >= FIRST_FRESH and source.types == local.types:
                return source
    return None
