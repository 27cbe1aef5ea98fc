"""What is left of the cases after melding, as a `switch` again: statements that differ, and operands that differ.

Rules     A ladder of guards with three outcomes or more becomes a `switch`; cases with the same outcome share their
          labels.  A selection among three operands or more becomes a variable that a small `switch` sets: all those of
          one list of statements in front of the first one that needs any.
Only      operands without effects, of names that nothing in the statements around changes; others right in front of the
          statement that selects them, if it does so in any case and before it changes anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, final

from analysis.ir.record import record
from analysis.refactor.meld.ladder import CaseNumber, Ladder, holds
from analysis.refactor.meld.sharing import Use, variable_of
from analysis.refactor.meld.shortening import changes_last
from analysis.refactor.meld.spelled_types import SpelledTypes
from analysis.refactor.meld.structure import (
    Branching,
    Case,
    Comments,
    Decision,
    Simple,
    Statement,
    Switching,
    bodies,
    changed,
    declared,
    keys,
    mapped,
    opened,
    own_term,
    terms_in,
    with_bodies,
    with_comments,
)
from analysis.refactor.meld.terms import (
    GUARD,
    SELECT,
    Effect,
    Guard,
    GuardId,
    Local,
    LocalId,
    Term,
    is_leaf,
    name_of,
    selected,
    term,
    value_names,
)

FIRST_PICKED: Final = 1_600_000
"""Numbers of the variables that a small `switch` sets."""
MANY: Final = 3
"""Of so many outcomes a `switch` reads better than conditions."""


@final
@record
class _Pick:
    """A selection, its operand in each case, and the variable that takes its place."""

    selection: Term
    operands: Mapping[CaseNumber, Term]
    variable: Local


@final
class CasesAgain:
    """Rewrites melded cases of one `switch`."""

    def __init__(self, ladder: Ladder, guards: Mapping[GuardId, frozenset[CaseNumber]], types: SpelledTypes) -> None:
        self._ladder = ladder
        self._guards = guards
        self._types = types
        self._numbers = 0

    def sequence(self, statements: Sequence[Statement], within: Sequence[CaseNumber]) -> tuple[Statement, ...]:
        """The statements that the lanes of some cases run; those lanes have no other cases."""
        hints = {
            self._guards[one.guard]: one.hint
            for one in statements
            if isinstance(one, Decision) and one.hint and one.guard in self._guards
        }
        made = [self._one(one, within, hints) for one in statements]
        said = {case.opening for one in made if isinstance(one, Switching) for case in one.cases}
        quiet = [replace(one, hint="") if isinstance(one, Decision) and one.hint in said else one for one in made]
        return self._picked(tuple(quiet), within)

    # -- statements that differ -------------------------------------------------------------------------------------

    def _one(
        self, statement: Statement, within: Sequence[CaseNumber], known_hints: Mapping[frozenset[CaseNumber], str]
    ) -> Statement:
        if not self._is_ladder(statement):
            if isinstance(statement, Switching):
                return statement
            return with_bodies(statement, tuple(self.sequence(body, within) for body in bodies(statement)))
        said: list[str] = []
        hints = dict(known_hints)
        outcomes: dict[str, tuple[list[CaseNumber], tuple[Statement, ...]]] = {}
        for number in within:
            body = self._outcome(statement, number, said, hints)
            outcomes.setdefault(keys(body), ([], body))[0].append(number)
        if len(outcomes) < MANY:
            return self._narrowed(statement, within)
        made = [self._case(members, body, hints) for members, body in outcomes.values()]
        cases = self._in_order(made, is_total=len(within) == len(self._ladder.switching.cases))
        labels = sum(len(case.labels) for case in cases)
        known = statement.comments
        above = dict.fromkeys((*known.above, *said))
        comments = Comments(tuple(above), known.beside, known.below)
        return Switching(self._ladder.subject(labels), cases, comments, self._ladder.switching.last_breaks)

    def _is_ladder(self, statement: Statement) -> bool:
        return isinstance(statement, Branching) and self._members_of(statement.condition) is not None

    def _members_of(self, condition: Term) -> frozenset[CaseNumber] | None:
        """The cases in which a guard holds."""
        if condition.kind != GUARD or not isinstance(condition.meaning, Guard):
            return None
        members = self._guards.get(condition.meaning.number)
        everything = frozenset(range(len(self._ladder.switching.cases)))
        return members if members is None or not condition.meaning.negated else everything - members

    def _outcome(
        self, statement: Statement, number: CaseNumber, said: list[str], hints: dict[frozenset[CaseNumber], str]
    ) -> tuple[Statement, ...]:
        """What one case runs of a statement; the comments of what is taken apart are noted."""
        if not isinstance(statement, Branching) or not self._is_ladder(statement):
            return (statement,)
        members = self._members_of(statement.condition)
        assert members is not None, "it is part of the ladder"
        side = statement.then if number in members else opened(statement.otherwise or (), statement.openings[1])
        out: list[Statement] = []
        # What several cases share besides a further choice must not stand in each of them.
        is_rung = sum(not isinstance(one, Decision) for one in side) == 1
        for one in side:
            if is_rung and self._is_ladder(one):
                out += self._outcome(one, number, said, hints)
                said += [text for text in (*one.comments.above, one.comments.beside, *one.comments.below) if text]
            else:
                out.append(one)
        used = {guard for whole in terms_in(out) for guard in whole.guards}
        kept: list[Statement] = []
        for one in out:
            if isinstance(one, Decision) and one.guard in self._guards and one.guard not in used:
                said += one.comments.above
                if one.hint:
                    hints[self._guards[one.guard]] = one.hint
            else:
                kept.append(one)
        if statement.openings[0]:
            hints[members] = statement.openings[0]
        return tuple(kept)

    def _narrowed(self, statement: Statement, within: Sequence[CaseNumber]) -> Statement:
        assert isinstance(statement, Branching), "it is part of the ladder"
        members = self._members_of(statement.condition) or frozenset()
        then = self.sequence(statement.then, [number for number in within if number in members])
        otherwise = statement.otherwise
        if otherwise is not None:
            otherwise = self.sequence(otherwise, [number for number in within if number not in members])
        return replace(statement, then=then, otherwise=otherwise)

    def _case(
        self, members: Sequence[CaseNumber], body: tuple[Statement, ...], hints: Mapping[frozenset[CaseNumber], str]
    ) -> Case:
        labels = tuple(label for number in members for label in self._ladder.switching.cases[number].labels)
        is_default = any(self._ladder.switching.cases[number].is_default for number in members)
        opening = hints.get(frozenset(members), "")
        return Case(() if is_default else labels, is_default, self.sequence(body, members), (), opening)

    def _in_order(self, cases: Sequence[Case], *, is_total: bool) -> tuple[Case, ...]:
        """`default` last; where no other value comes here, the last case is `default`, and nobody runs an empty one."""
        known = [case for case in cases if not case.is_default]
        rest = [case for case in cases if case.is_default]
        if not rest and not is_total:
            *known, last = known
            rest = [replace(last, labels=(), is_default=True)]
        if any(not case.body for case in rest) or not rest:
            return tuple(case for case in known if case.body)
        return (*known, *rest)

    # -- operands that differ ---------------------------------------------------------------------------------------

    def _picked(self, statements: tuple[Statement, ...], within: Sequence[CaseNumber]) -> tuple[Statement, ...]:
        fixed, inner = changed(statements), declared(statements)

        def is_early(operand: Term) -> bool:
            moves = operand.effects is Effect.NONE and not operand.locals & inner
            return moves and not value_names(operand) & fixed

        at = [number for number, one in enumerate(statements) if any(self._picks([one], within, is_early))]
        if at:
            picks = list(self._picks(statements[at[0] :], within, is_early))
            statements = (*statements[: at[0]], *self._with_picks(picks, statements[at[0] :], within))
        out: list[Statement] = []
        for statement in statements:
            late = list(self._picks([statement], within, _is_late)) if _picks_at_once(statement) else []
            out += self._with_picks(late, (statement,), within)
        return tuple(out)

    def _picks(
        self, statements: Sequence[Statement], within: Sequence[CaseNumber], may_move: Callable[[Term], bool]
    ) -> Iterator[_Pick]:
        """Each selection once, if its operands may stand in front of the statements."""
        seen: set[str] = set()
        for use in (use for statement in statements for use in self._selections(statement)):
            operands = {number: self._operand(use.selection, number) for number in within}
            known = {number: operand for number, operand in operands.items() if operand is not None}
            if use.selection.key in seen or len(known) < len(operands):
                continue
            seen.add(use.selection.key)
            is_many = len({operand.key for operand in known.values()}) >= MANY
            if is_many and all(may_move(operand) and not operand.guards for operand in known.values()):
                local = self._variable(use, known.values())
                if local is not None:
                    yield _Pick(use.selection, known, local)

    def _with_picks(
        self, picks: Sequence[_Pick], statements: Sequence[Statement], within: Sequence[CaseNumber]
    ) -> tuple[Statement, ...]:
        """The statements behind the `switch` that sets the variables they need."""
        if not picks:
            return tuple(statements)
        variables = {pick.selection.key: pick.variable for pick in picks}

        def named(found: Term) -> Term | None:
            bare = found.children[0] if found.kind == "parenthesized_expression" and found.children else found
            known = variables.get(bare.key)
            return None if known is None else name_of(known, found.rounds)

        first, *others = mapped(statements, named)
        declarations = [_empty(pick.variable, self._ladder.rounds) for pick in picks]
        declarations[0] = replace(declarations[0], comments=Comments(first.comments.above))
        first = with_comments(first, replace(first.comments, above=()))
        return (*declarations, self._choosing(picks, within), first, *others)

    def _choosing(self, picks: Sequence[_Pick], within: Sequence[CaseNumber]) -> Switching:
        """The `switch` that sets the variables."""
        outcomes: dict[str, tuple[list[CaseNumber], tuple[Statement, ...]]] = {}
        for number in within:
            body = tuple(_assignment(pick.variable, pick.operands[number]) for pick in picks)
            outcomes.setdefault(keys(body), ([], body))[0].append(number)
        cases = [self._case(members, body, {}) for members, body in outcomes.values()]
        if not any(case.is_default for case in cases):
            cases[-1] = replace(cases[-1], labels=(), is_default=True)
        ordered = self._in_order(cases, is_total=False)
        labels = sum(len(case.labels) for case in ordered)
        return Switching(self._ladder.subject(labels), ordered, last_breaks=self._ladder.switching.last_breaks)

    def _selections(self, statement: Statement) -> Iterator[Use]:
        """The selections of a statement and of those inside that run for the same cases."""
        if isinstance(statement, Switching) or self._is_ladder(statement):
            return
        own = own_term(statement)
        if own is not None:
            yield from _outermost(own, "chosen")
        for body in bodies(statement):
            for one in body:
                yield from self._selections(one)

    def _operand(self, selection: Term, number: CaseNumber) -> Term | None:
        while selection.kind == "parenthesized_expression" and selection.children[0].kind == SELECT:
            selection = selection.children[0]
        if selection.kind != SELECT:
            return selection
        condition, one, other = selection.children
        answer = holds(condition, number, self._guards)
        return None if answer is None else self._operand(one if answer else other, number)

    def _variable(self, use: Use, operands: Iterable[Term]) -> Local | None:
        """A variable that can be declared without its value, named after the operands in the order of the cases."""
        role = "result" if use.role == "chosen" and not all(map(is_leaf, operands)) else use.role
        *others, chain = {operand.key: operand for operand in operands}.values()
        for operand in reversed(others):
            chain = selected(use.selection.children[0], operand, chain)
        use = replace(use, selection=replace(chain, types=use.selection.types), role=role)
        found = variable_of(use, LocalId(FIRST_PICKED + self._numbers), self._types)
        self._numbers += 1
        spelling = found.spelling if found.before else found.spelling.removeprefix("const ")
        return None if "auto" in spelling.split() else replace(found, spelling=spelling)


def _outermost(whole: Term, role: str) -> Iterator[Use]:
    """The selections in a term that it evaluates in any case, outermost ones only, each with what it is for."""
    if whole.kind == "conditional_expression" or any(child.key in ("&&", "||") for child in whole.children):
        return
    for position, child in enumerate(whole.children):
        inner = role
        match whole.kind:
            case "binary_expression":
                inner = _OPERANDS.get(whole.children[1].key, "chosen") if len(whole.children) == 3 else "chosen"
            case "subscript_expression":
                inner = ("target" if role == "target" else "source") if position == 0 else "index"
            case "assignment_expression":
                inner = "target" if position == 0 else _OPERANDS.get(whole.children[1].key.rstrip("="), "chosen")
            case "pointer_expression":
                inner = "target" if role == "target" else "source"
            case "parenthesized_expression" | "subscript_argument_list":
                pass
            case _:
                inner = "chosen"
        if child.kind == SELECT:
            yield Use(child, inner)
        else:
            yield from _outermost(child, inner)


def _is_late(operand: Term) -> bool:
    return Effect.CHANGES not in operand.effects


def _picks_at_once(statement: Statement) -> bool:
    """Whether what it selects may as well be evaluated right in front of it."""
    return isinstance(statement, Simple) and changes_last(statement.term)


def _empty(local: Local, rounds: float) -> Simple:
    glue = "" if local.before.endswith("*") else " "
    parts = (local.spelling, " " if local.before else glue, local.before, name_of(local), ";")
    return Simple(term("declaration", [part for part in parts if part], (), 0, rounds), (local,))


def _assignment(local: Local, value: Term) -> Simple:
    assigned = term("assignment_expression", (name_of(local), " ", term("=", ("=",)), " ", value), local.types)
    return Simple(term("expression_statement", (assigned, ";"), (), 0, value.rounds, Effect.CHANGES))


_OPERANDS: Final = {"*": "factor", "/": "divisor", "+": "term", "-": "term"}
"""What a number that an operator takes is called."""
