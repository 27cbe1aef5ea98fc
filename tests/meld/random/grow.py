"""Random arms, and copies of them that differ a little: what melding is for."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, final

from tests.meld.random.tree import Body, Cases, Chain, Feature, Genes, Kind, Repeat, Simple, Statement
from tests.sim.random.choices import Choices

GENES: Final = 14
"""Choices of one expression; those after the last are the smallest ones."""
GENE: Final = 96
MAX_DEPTH: Final = 3
NAMES: Final = 4
"""Local names are few, so that arms and nested blocks use the same ones."""

_COMMON: Final = (
    Kind.ASSIGN, Kind.ASSIGN, Kind.ASSIGN, Kind.ADD, Kind.COUNT, Kind.DECLARE, Kind.DECLARE, Kind.STORE, Kind.STORE,
    Kind.CELL, Kind.CELL, Kind.SWAP, Kind.ELEMENT, Kind.NUMBER, Kind.NUMBER, Kind.NUMBER_STORE, Kind.CALL,
    Kind.CALL_BY_POINTER, Kind.MEMBER, Kind.TILE, Kind.GUARDED, Kind.GUARDED, Kind.MACRO, Kind.COMMA, Kind.CHOSEN,
    Kind.LEAVE, Kind.LEAVE,
)  # fmt: skip
_RARE: Final = (Kind.TOTAL, Kind.OWN_ATOMIC, Kind.VOLATILE, Kind.EXCHANGE, Kind.RETURN, Kind.EMPTY)
"""What melders refuse or treat with care; two kernels in three have none of it."""
_SIZES: Final = ((2, 1, 1, 1), (3, 2, 1, 1), (3, 2, 2, 1), (5, 3, 2, 1))
"""How many statements stand in a row at most, by depth."""


@final
class Grower:
    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        self._comments = 0
        self._sizes = choices.pick(_SIZES)
        self._has_rare = choices.chance(3)
        drawn = choices.pick((0, 1, 1, 2, 2, 3))  # Some are refused in the source: more would leave little to meld.
        self._features = tuple(choices.pick(tuple(Feature)) for _ in range(drawn))

    # -- new arms -------------------------------------------------------------------------------------------------

    def body(self, depth: int = 0) -> Body:
        most = self._sizes[min(depth, 3)]
        return tuple(self.statement(depth) for _ in range(self._choices.between(1, most)))

    def statement(self, depth: int) -> Statement:
        choices = self._choices
        pick = choices.below(12)
        if pick < 8 or depth >= MAX_DEPTH:
            return self._simple()
        if pick < 10:
            return self._chain(depth)
        if pick == 10:
            return Repeat(self.genes(), choices.below(NAMES), self.body(depth + 1))
        return Cases(self.genes(), tuple(self.body(depth + 1) for _ in range(choices.between(2, 3))))

    def genes(self) -> Genes:
        return tuple(self._choices.below(GENE) for _ in range(GENES))

    def _simple(self) -> Simple:
        choices = self._choices
        if self._features and choices.chance(2):
            return Simple(choices.pick(self._features), self.genes(), choices.below(NAMES), self._comment())
        kind = choices.pick(_RARE) if self._has_rare and choices.chance(7) else choices.pick(_COMMON)
        return Simple(kind, self.genes(), choices.below(NAMES), self._comment())

    def _comment(self) -> int:
        if not self._choices.chance(6):
            return 0
        self._comments += 1
        return self._comments

    def comments(self, count: int) -> tuple[int, ...]:
        return tuple(self._comment() for _ in range(count))

    def _chain(self, depth: int) -> Chain:
        """Half of the nested branches have arms that are alike, too."""
        choices = self._choices
        count = choices.pick((1, 1, 1, 2))
        first = self.body(depth + 1)
        others = tuple(
            self.alike(first, depth + 1) if choices.chance(2) else self.body(depth + 1)
            for _ in range(count - 1 + choices.below(2))
        )
        comments = self.comments(1 + len(others))
        return Chain(tuple(self.genes() for _ in range(count)), (first, *others), comments)

    # -- copies ---------------------------------------------------------------------------------------------------

    def alike(self, body: Body, depth: int) -> Body:
        """The body again, with some things changed; comments get numbers of their own."""
        made: list[Statement] = []
        one_in = self._choices.pick((2, 3, 6, 30))
        for statement in body:
            if not self._choices.chance(one_in):
                made.append(self._same(statement, depth))
            else:
                made += self._changed(statement, depth)
        if len(made) > 1 and self._choices.chance(6):
            at = self._choices.below(len(made) - 1)
            made[at], made[at + 1] = made[at + 1], made[at]
        return tuple(made) or (self._simple(),)

    def _same(self, statement: Statement, depth: int) -> Statement:
        """Nothing changes at this level, but may inside."""
        match statement:
            case Simple():
                return replace(statement, comment=self._comment())
            case Chain():
                bodies = tuple(self.alike(body, depth + 1) for body in statement.bodies)
                return replace(statement, bodies=bodies, comments=self.comments(len(bodies)))
            case Cases():
                return replace(statement, bodies=tuple(self.alike(body, depth + 1) for body in statement.bodies))
            case Repeat():
                return replace(statement, body=self.alike(statement.body, depth + 1))

    def _changed(self, statement: Statement, depth: int) -> tuple[Statement, ...]:
        choices = self._choices
        pick = choices.below(12)
        if pick < 6:
            return (self._other_genes(self._same(statement, depth)),)
        if pick == 6:
            return ()
        if pick == 7:
            return (self._same(statement, depth), self.statement(max(depth, 1)))
        if pick == 8:
            return (self.statement(max(depth, 1)), self._same(statement, depth))
        if pick == 9 and depth < MAX_DEPTH:
            return (Chain((self.genes(),), ((self._same(statement, depth + 1),),)),)
        if pick == 10:
            return self._unwrapped(statement, depth)
        return (self._renamed(self._same(statement, depth)),)

    def _other_genes(self, statement: Statement) -> Statement:
        match statement:
            case Simple():
                if self._choices.chance(6):
                    return replace(statement, kind=self._choices.pick(_COMMON))
                return replace(statement, genes=self._other(statement.genes))
            case Chain():
                at = self._choices.below(len(statement.conditions))
                changed = list(statement.conditions)
                changed[at] = self._other(changed[at])
                return replace(statement, conditions=tuple(changed))
            case Cases() | Repeat():
                return replace(statement, genes=self._other(statement.genes))

    def _other(self, genes: Genes) -> Genes:
        """One choice among the first ones differs: another operand, array, index, constant, operator or type."""
        at = self._choices.below(8)
        return (*genes[:at], self._choices.below(GENE), *genes[at + 1 :])

    def _unwrapped(self, statement: Statement, depth: int) -> tuple[Statement, ...]:
        match statement:
            case Simple():
                return (self._other_genes(statement),)
            case Chain() | Cases():
                return self.alike(statement.bodies[0], depth)
            case Repeat():
                return self.alike(statement.body, depth)

    def _renamed(self, statement: Statement) -> Statement:
        match statement:
            case Simple() | Repeat():
                return replace(statement, name=NAMES + self._choices.below(NAMES))
            case Chain() | Cases():
                return statement
