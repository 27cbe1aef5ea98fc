"""One sequence of statements that does what either of two sequences does: aligned, melded pairwise, the rest guarded.

Rules     Statements are aligned by what melding a pair saves (`analysis.meld.alignment`), keeping the order of both
          arms, so a lane does what it did before, in the same order.
          Two `if`s meld their conditions and both arms; two loops of a kind their heads and bodies; blocks their
          bodies.  A statement of one arm beside an `if` of the other: `if (guard || condition)` around both.
          A pair of anything but simple statements must save the share of its price that `threshold` asks for.
Price     An `if` that melding adds costs a slot in every round; so does each selection.
          What a pair saves is counted in slots and in instructions, and the smaller number counts: a load less does not
          pay for many selections.
Source    Saumya et al., CGO 2022, sections IV-C and IV-D: the subgraphs of structured code are its statements.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from analysis.ir.types import BOOLEAN
from analysis.meld.alignment import Aligned, Alignment, align_runs
from analysis.meld.settings import MeldMethod, MeldSettings
from analysis.refactor.meld.columns import Alone, Both, Column, UndeclarableError, arranged
from analysis.refactor.meld.contexts import Context
from analysis.refactor.meld.expressions import Named, TermMelder
from analysis.refactor.meld.structure import (
    Branching,
    Comments,
    Looping,
    Nested,
    Simple,
    Statement,
    key,
    merged_comments,
    missing_comments,
    own_term,
    slots,
    total,
    total_issued,
    united,
    with_comments,
)
from analysis.refactor.meld.terms import SELECT, Effect, GuardId, Term, bracketed, guard_use, name_of, term

MAX_TRIED: Final = 144
"""Of longer sequences only about so many pairs are melded to learn what they save: those near the diagonal, and equal
statements.  Each pair takes a millisecond or two."""
SAME: Final = 0.25
"""What it is worth to join two equal statements that cost nothing: the result is shorter."""


@final
class StatementMelder:
    """Melds statements under one guard."""

    def __init__(self, guard: GuardId, terms: TermMelder, method: MeldMethod, settings: MeldSettings) -> None:
        self.guard = guard
        self._terms = terms
        self._method = method
        self._settings = settings
        self._pairs: dict[tuple[int, int], tuple[Statement, ...] | None] = {}
        self._kept: list[Statement] = []
        """Statements whose identity is a key above stay alive."""

    def sequence(self, left: Sequence[Statement], right: Sequence[Statement]) -> tuple[Statement, ...]:
        """What the lanes of both arms run; raises `UndeclarableError`."""
        rounds = _rounds((*left, *right))
        if self._method is MeldMethod.TAIL:
            found = _tail(left, right)
        else:
            found = self._aligned(left, right, max(self._settings.subgraph_gap, rounds))
        columns: list[Column] = []
        for column in self._without_weak_pairs(found.columns, left, right):
            if column.left is not None and column.right is not None:
                joined = self._pair(left[column.left], right[column.right])
                assert joined is not None, "a pair of the alignment was melded for its score"
                columns.append(Both(joined))
            else:
                one = () if column.left is None else (left[column.left],)
                other = () if column.right is None else (right[column.right],)
                _append(columns, Alone(one, other))
        return arranged(columns, self.guard, rounds)

    def _aligned(self, left: Sequence[Statement], right: Sequence[Statement], gap: float) -> Alignment:
        """The best alignment of both sides, in which long ones are looked at near the diagonal alone."""
        longer = max(len(left), len(right), 1)
        reach = max(1, MAX_TRIED // longer // 2)

        def score(one: tuple[int, Statement], other: tuple[int, Statement]) -> float | None:
            distance = abs(one[0] * len(right) - other[0] * len(left))
            is_near = len(left) * len(right) <= MAX_TRIED or distance <= reach * longer
            return self._saved(one[1], other[1]) if is_near or key(one[1]) == key(other[1]) else None

        return align_runs(tuple(enumerate(left)), tuple(enumerate(right)), score, gap)

    def _without_weak_pairs(
        self, columns: Sequence[Aligned], left: Sequence[Statement], right: Sequence[Statement]
    ) -> list[Aligned]:
        """The columns without pairs that save nothing, beside statements that stand under the guard in any case."""

        def checked(given: Sequence[Aligned]) -> list[Aligned]:
            out: list[Aligned] = []
            alone = [False, False]
            for column in given:
                one, other = column.left, column.right
                if one is None or other is None:
                    alone = [alone[0] or one is not None, alone[1] or other is not None]
                elif all(alone) and self._is_weak(left[one], right[other]):
                    out += [Aligned(one, None), Aligned(None, other)]
                    continue
                else:
                    alone = [False, False]
                out.append(column)
            return out

        return checked(checked(columns)[::-1])[::-1]

    def _is_weak(self, left: Statement, right: Statement) -> bool:
        joined = self._pair(left, right)
        return joined is not None and total_issued(joined) >= total_issued((left, right))

    def _saved(self, left: Statement, right: Statement) -> float | None:
        """The score of a pair: the slots that it saves."""
        if key(left) == key(right):
            return slots(left) + SAME
        price, other_price = slots(left), slots(right)
        both = price + other_price
        if isinstance(left, Simple) and isinstance(right, Simple):
            joined = self._pair(left, right)
            if joined is None:
                return None
            saved = min(both - total(joined), total_issued((left, right)) - total_issued(joined))
            # Under a guard both would cost a slot more; and one selection reads better than two guarded statements.
            guard = max(left.term.rounds, right.term.rounds)
            bonus = SAME if _target(left) == _target(right) is not None else 0.0
            return bonus + max(saved, SAME) if saved > 0 or (saved >= -guard and len(joined) == 1) else None
        least = self._settings.threshold * both
        # What both share is at most the cheaper one.
        joined = None if min(price, other_price) < least else self._pair(left, right)
        if joined is None:
            return None
        slots_saved = both - total(joined)
        saved = min(slots_saved, total_issued((left, right)) - total_issued(joined))
        return saved if saved > 0 and slots_saved >= least else None

    def _pair(self, left: Statement, right: Statement) -> tuple[Statement, ...] | None:
        place = id(left), id(right)
        if place not in self._pairs:
            self._kept += (left, right)
            try:
                self._pairs[place] = self._melded(left, right)
            except UndeclarableError:
                self._pairs[place] = None
        return self._pairs[place]

    def _melded(self, left: Statement, right: Statement) -> tuple[Statement, ...] | None:
        if key(left) == key(right):
            return (united(left, right),)
        found = self._joined(left, right)
        missing = () if found is None else missing_comments((left, right), found)
        return _with_comments_above(found, missing) if found is not None and missing else found

    def _joined(self, left: Statement, right: Statement) -> tuple[Statement, ...] | None:
        match left, right:
            case Simple(), Simple():
                return self._simple(left, right)
            case Branching(), Branching():
                return self._branching(left, right)
            case Looping(), Looping():
                return self._looping(left, right)
            case Nested(), Nested():
                return (Nested(self.sequence(left.body, right.body), merged_comments(left, right)),)
            case Simple() | Looping(), Branching():
                return self._replicated(left, right, negated=False)
            case Branching(), Simple() | Looping():
                return self._replicated(right, left, negated=True)
            case _:
                return None

    def _simple(self, left: Simple, right: Simple) -> tuple[Statement, ...] | None:
        if left.declares != right.declares:
            return None
        found = self._terms.meld(left.term, right.term, Context.STATEMENT, may_name=True)
        if found is None:
            return None
        return _named(found.named, Simple(found.term, left.declares, merged_comments(left, right)))

    def _branching(self, left: Branching, right: Branching) -> tuple[Statement, ...] | None:
        if self._method is MeldMethod.FUSION:
            return None
        condition = self._terms.meld(left.condition, right.condition, Context.VALUE, may_name=True)
        if condition is None:
            return None
        then = self.sequence(left.then, right.then)
        otherwise = None
        if left.otherwise is not None or right.otherwise is not None:
            otherwise = self.sequence(left.otherwise or (), right.otherwise or ()) or None
        tested, named = self._settled(condition.term, "holds", is_plain=left.condition.key == right.condition.key)
        joined = Branching(tested, then, otherwise, None, merged_comments(left, right), left.openings)
        return _named((*condition.named, *named), joined)

    def _settled(self, condition: Term, role: str, *, is_plain: bool) -> tuple[Term, tuple[Named, ...]]:
        """The condition as a variable, if it would decide in several steps.

        Lanes that are sent into an arm by different steps of `a || b` run it one after the other; those that evaluate
        the condition first and then decide together run it once.
        """
        if is_plain or not _decides_in_steps(condition):
            return condition, ()
        local = self._terms.fresh(role, BOOLEAN)
        return name_of(local, condition.rounds), (Named(local, condition),)

    def _looping(self, left: Looping, right: Looping) -> tuple[Statement, ...] | None:
        if self._method is MeldMethod.FUSION or left.kind is not right.kind or left.declares != right.declares:
            return None
        head = self._terms.meld(left.head, right.head, Context.STATEMENT, may_name=False)
        if head is None:
            return None
        body = self.sequence(left.body, right.body)
        return (Looping(left.kind, head.term, body, left.declares, merged_comments(left, right)),)

    def _replicated(self, alone: Simple | Looping, other: Branching, *, negated: bool) -> tuple[Statement, ...] | None:
        """`if (guard || condition)` around a statement of one arm and the `if` of the other; `negated`: right arm.

        The statement keeps its comments where it stands then, and the `if` its own.
        """
        if self._method in (MeldMethod.FUSION, MeldMethod.TAIL) or not other.then:
            return None
        if isinstance(alone, Simple) and (alone.declares or _leaves(alone) or alone.term.slots <= alone.term.rounds):
            return None  # a small statement saves at most what the condition costs
        arms = ((alone,), other.then)
        then = self.sequence(*(arms[::-1] if negated else arms))
        rounds = other.condition.rounds
        either = term("||", ("||",))
        guard = guard_use(self.guard, rounds, negated=negated)
        parts = (guard, " ", either, " ", bracketed(other.condition, _LOOSER_THAN_OR))
        condition = term("binary_expression", parts, other.condition.types, rounds, rounds)
        tested, named = self._settled(condition, "active", is_plain=False)
        joined = Branching(tested, then, other.otherwise, None, other.comments, other.openings)
        return _named(named, joined)


def _decides_in_steps(condition: Term) -> bool:
    return any(
        inner.key in ("&&", "||") or (inner.kind == SELECT and Effect.LOADS in inner.effects)
        for inner in condition.walk()
    )


def _with_comments_above(statements: tuple[Statement, ...], texts: tuple[str, ...]) -> tuple[Statement, ...]:
    first = statements[0]
    known = first.comments
    above = Comments((*known.above, *(text for text in texts if text not in known.above)), known.beside, known.below)
    return (with_comments(first, above), *statements[1:])


def _named(named: Sequence[Named], last: Statement) -> tuple[Statement, ...]:
    """Declarations of new variables in front of the statement that reads them; its comments stay on top."""
    found: list[Statement] = []
    for one in named:
        local = one.local
        declarator = term("init_declarator", (name_of(local), " = ", one.value), local.types)
        whole = term("declaration", (local.spelling, " ", declarator, ";"), (), 0, one.value.rounds)
        found.append(Simple(whole, (local,)))
    if not found:
        return (last,)
    above = Comments(last.comments.above)
    found[0] = with_comments(found[0], above)
    return (*found, with_comments(last, Comments((), last.comments.beside, last.comments.below)))


def _append(columns: list[Column], alone: Alone) -> None:
    """Neighbours under the same guard become one."""
    if columns and isinstance(columns[-1], Alone):
        known = columns.pop()
        assert isinstance(known, Alone)
        alone = Alone((*known.left, *alone.left), (*known.right, *alone.right))
    columns.append(alone)


def _tail(left: Sequence[Statement], right: Sequence[Statement]) -> Alignment:
    """Equal simple statements at the end of both arms."""
    common = 0
    while common < min(len(left), len(right)):
        one, other = left[-1 - common], right[-1 - common]
        if not isinstance(one, Simple) or key(one) != key(other):
            break
        common += 1
    before, rest = len(left) - common, len(right) - common
    columns = [Aligned(index, None) for index in range(before)]
    columns += [Aligned(None, index) for index in range(rest)]
    columns += [Aligned(before + index, rest + index) for index in range(common)]
    return Alignment(tuple(columns), sum(slots(left[before + index]) for index in range(common)))


def _rounds(statements: Sequence[Statement]) -> float:
    """How often a guard at this level is asked."""
    return max([1.0, *(found.rounds for statement in statements for found in _heads(statement))])


def _heads(statement: Statement) -> list[Term]:
    """Terms that run as often as the statement itself."""
    match statement:
        case Looping():
            return []
        case Nested(body=body):
            return [found for inner in body for found in _heads(inner)]
        case _:
            own = own_term(statement)
            return [] if own is None else [own]


def _target(statement: Simple) -> str | None:
    """The place that an assignment stores to."""
    inner = next(iter(statement.term.children), None)
    if inner is None or inner.kind != "assignment_expression" or not inner.children:
        return None
    return inner.children[0].key


def _leaves(statement: Simple) -> bool:
    return statement.term.kind in ("break_statement", "continue_statement", "return_statement")


_LOOSER_THAN_OR: Final = frozenset({"select", "conditional_expression", "assignment_expression", "comma_expression"})
