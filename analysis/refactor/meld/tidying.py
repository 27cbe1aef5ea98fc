"""What a person would still do by hand after the arms are melded.

Rules     1. An `if` without statements goes, and a decision that nobody asks for or that was made before.
          2. Neighbouring `if`s with the same guard become one.
          3. A value that was loaded into a new variable is not loaded again before somebody may have changed it, and a
             variable that then only copies another one goes away.
          4. What was loaded early for nothing is loaded where it is used; what was stored late for nothing is stored
             where it is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import final

from analysis.refactor.meld.gathering import FIRST_GATHERED
from analysis.refactor.meld.planning import FIRST_FRESH
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
    followed,
    keys,
    mapped,
    own_term,
    renamed,
    terms_in,
    with_bodies,
    with_comments,
)
from analysis.refactor.meld.terms import (
    GUARD,
    IDENTIFIER,
    SELECT,
    Effect,
    Guard,
    GuardId,
    Local,
    Term,
    changed_names,
    guard_test,
    name_of,
    term,
    value_names,
)


def tidied(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """The statements after all rules."""
    placed = _stored_in_place(_loaded_in_place(statements))
    decided = _without_repeats(placed, {}, changed(placed))
    return _without_copies(_Reuse().sequence(_joined(_without_idle(decided))))


# -- what does nothing -------------------------------------------------------------------------------------------------


def _without_idle(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """A decision that nobody asks for may leave an `if` empty, and that may ask for the last time."""
    found = tuple(statements)
    while True:
        asked = frozenset(
            inner.meaning.number
            for whole in terms_in(found)
            for inner in whole.walk()
            if isinstance(inner.meaning, Guard)
        )
        less, texts = _kept(found, asked)
        less = followed(less, Comments(below=texts))
        if keys(less) == keys(found):
            return less
        found = less


def _kept(statements: Sequence[Statement], asked: frozenset[GuardId]) -> tuple[tuple[Statement, ...], tuple[str, ...]]:
    """The statements that do something, and the comments of the others that follow the last one."""
    out: list[Statement] = []
    waiting: tuple[str, ...] = ()
    for statement in statements:
        if (
            isinstance(statement, Decision)
            and statement.guard not in asked
            and Effect.CHANGES not in statement.condition.effects
        ):
            waiting += _texts(statement.comments, statement.hint)
            continue
        if isinstance(statement, Branching):
            found, texts = _kept_branch(statement, asked)
            waiting += texts
            if found is None:
                continue
        elif isinstance(statement, Switching):
            inside = [_kept(body, asked) for body in bodies(statement)]
            found = with_bodies(statement, tuple(body for body, _ in inside))
            waiting += tuple(text for _, texts in inside for text in texts)
        elif isinstance(statement, Looping | Nested):
            body, texts = _kept(statement.body, asked)
            found = replace(statement, body=body)
            waiting += texts
        else:
            found = statement
        out.append(_below(waiting, found))
        waiting = ()
    return (followed(out, Comments(below=waiting)), ()) if out else ((), waiting)


def _kept_branch(fork: Branching, asked: frozenset[GuardId]) -> tuple[Branching | None, tuple[str, ...]]:
    """The branch without empty arms, if anything is left, and the comments of those arms."""
    (then, texts), (otherwise, others) = _kept(fork.then, asked), _kept(fork.otherwise or (), asked)
    if not then and not otherwise and Effect.CHANGES not in fork.condition.effects:
        return None, (*_texts(fork.comments, *fork.openings), *texts, *others)
    guard = fork.condition.meaning
    if not then and isinstance(guard, Guard):
        opposite = guard_test(guard.number, fork.condition.rounds, negated=not guard.negated)
        return replace(fork, condition=opposite, then=otherwise, otherwise=None, openings=("", "")), (
            *_texts(Comments(), *fork.openings),
            *texts,
        )
    return replace(fork, then=then, otherwise=otherwise or None), (*texts, *others)


def _without_repeats(
    statements: Sequence[Statement], known: Mapping[str, GuardId], changing: frozenset[str | Local]
) -> tuple[Statement, ...]:
    """Two branches may have had the same condition; if nothing changes it, one variable does."""
    decided = dict(known)
    rest = list(statements)
    out: list[Statement] = []
    waiting: tuple[str, ...] = ()
    while rest:
        statement = rest.pop(0)
        match statement:
            case Decision(guard=guard, condition=condition) if (
                condition.effects is Effect.NONE and not condition.locals and not value_names(condition) & changing
            ):
                other = decided.setdefault(condition.key, guard)
                if other != guard:
                    rest = list(mapped(rest, lambda found, old=guard, new=other: _decided_by(found, old, new)))
                    waiting += _texts(statement.comments, statement.hint)
                    continue
            case Branching(then=then, otherwise=otherwise):
                second = None if otherwise is None else _without_repeats(otherwise, decided, changing)
                statement = replace(statement, then=_without_repeats(then, decided, changing), otherwise=second)
            case Switching():
                inside = tuple(_without_repeats(body, decided, changing) for body in bodies(statement))
                statement = with_bodies(statement, inside)
            case Looping(body=body) | Nested(body=body):
                statement = replace(statement, body=_without_repeats(body, decided, changing))
            case _:
                pass
        out.append(_below(waiting, statement))
        waiting = ()
    return followed(out, Comments(below=waiting))


def _decided_by(found: Term, old: GuardId, new: GuardId) -> Term | None:
    if not isinstance(found.meaning, Guard) or found.meaning.number != old:
        return None
    return term(GUARD, found.parts, found.types, found.own, found.rounds, meaning=Guard(new, found.meaning.negated))


def _texts(comments: Comments, *others: str) -> tuple[str, ...]:
    return tuple(text for text in (*comments.above, comments.beside, *comments.below, *others) if text)


def _below(texts: tuple[str, ...], statement: Statement) -> Statement:
    known = statement.comments
    return with_comments(statement, Comments((*texts, *known.above), known.beside, known.below)) if texts else statement


# -- loads that met no other -------------------------------------------------------------------------------------------


def _loaded_in_place(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """A load that was gathered goes back into the statement behind it, if that is its only use."""
    out: list[Statement] = []
    for statement in reversed([_with_bodies(one, _loaded_in_place) for one in statements]):
        local, value = _gathered_load(statement)
        following = out[-1] if out else None
        rest = sum(_mentions(whole, local) for whole in terms_in(out)) if local is not None else 0
        if (
            local is not None
            and value is not None
            and isinstance(following, Simple)
            and rest == _mentions(following.term, local) == 1
            and local not in changed((following,))
            and not any(inner.kind == SELECT for inner in value.walk())
        ):
            (changed_one,) = mapped((following,), _putting(local, value))
            out[-1] = changed_one
        else:
            out.append(statement)
    return tuple(reversed(out))


def _gathered_load(statement: Statement) -> tuple[Local, Term] | tuple[None, None]:
    if isinstance(statement, Simple) and len(statement.declares) == 1:
        local = statement.declares[0]
        for child in statement.term.children:
            is_load = child.kind == "init_declarator" and Effect.LOADS in child.children[-1].effects
            if is_load and FIRST_GATHERED <= local.number < FIRST_FRESH:
                return local, child.children[-1]
    return None, None


def _stored_in_place(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """A store that was made late goes back to where its value is computed, if that is not under another guard."""
    out = [_with_bodies(one, _stored_in_place) for one in statements]
    for index in range(len(out) - 1, -1, -1):
        statement = out[index]
        if not isinstance(statement, Simple) or len(statement.declares) != 1:
            continue
        local = statement.declares[0]
        values = [child.children[-1] for child in statement.term.children if child.kind == "init_declarator"]
        uses = [
            at for at in range(index + 1, len(out)) if any(_mentions(found, local) for found in terms_in([out[at]]))
        ]
        if not FIRST_GATHERED <= local.number < FIRST_FRESH or not values or len(uses) != 1:
            continue
        store = out[uses[0]]
        if (
            isinstance(store, Simple)
            and is_one_assignment(store.term)
            and store.term.children[0].children[2].meaning == local
        ):
            (out[index],) = mapped((store,), _putting(local, values[0]))
            del out[uses[0]]
    return tuple(out)


def _mentions(whole: Term, local: Local) -> int:
    return sum(inner.meaning == local for inner in whole.walk())


def _putting(local: Local, value: Term) -> Callable[[Term], Term | None]:
    return lambda found: value if found.meaning == local else None


# -- neighbours --------------------------------------------------------------------------------------------------------


def _joined(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    out: list[Statement] = []
    for statement in (_with_bodies(one, _joined) for one in statements):
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
            joined = Branching(known.condition, (*known.then, *statement.then), None, None, known.comments)
            out[-1:] = followed([joined], Comments((), statement.comments.beside, statement.comments.below))
        else:
            out.append(statement)
    return tuple(out)


def _with_bodies(statement: Statement, change: Callable[[Sequence[Statement]], tuple[Statement, ...]]) -> Statement:
    return with_bodies(statement, tuple(map(change, bodies(statement))))


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
            case Switching() | Looping() | Decision():
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
            case Switching():
                statement = _with_bodies(statement, _without_copies)
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
