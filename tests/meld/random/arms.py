"""The text of an arm: its statements in order, with control flow inside."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, assert_never, final

from tests.meld.random.layout import Block, Branches, Line, Piece
from tests.meld.random.simple_statements import SimpleWriter
from tests.meld.random.surroundings import Inside, Surroundings
from tests.meld.random.tree import Body, Cases, Chain, Genes, Repeat, Simple, Statement
from tests.sim.random.expressions import COMPARISONS
from tests.sim.random.scope import S32, U8, U32, U64, Expression

_ROUNDS: Final = (4, 3, 2)
"""How often a loop runs at most, by how many are around it."""


@final
class ArmWriter:
    def __init__(self, surroundings: Surroundings) -> None:
        self._around = surroundings

    def body(self, body: Body, inside: Inside) -> tuple[Piece, ...]:
        """Statements in a block of their own."""
        with self._around.block():
            return self.flat(body, inside)

    def flat(self, body: Body, inside: Inside) -> tuple[Piece, ...]:
        made: list[Piece] = []
        for statement in body:
            made += self._statement(statement, inside)
            if self._around.returned:
                inside = replace(inside, alone=True)
        return tuple(made)

    def _statement(self, statement: Statement, inside: Inside) -> tuple[Piece, ...]:
        match statement:
            case Simple():
                return SimpleWriter(self._around, statement, inside).pieces()
            case Chain():
                return (self._chain(statement, inside),)
            case Cases():
                return (self._cases(statement, inside),)
            case Repeat():
                return self._repeat(statement, inside)
            case _:
                assert_never(statement)

    def _chain(self, chain: Chain, inside: Inside) -> Branches:
        inside = replace(inside, alone=True)
        heads = [f"if {self.condition(genes)}" for genes in chain.conditions]
        heads = [heads[0], *(f"else {head}" for head in heads[1:]), "else"]
        bodies = [self.body(body, inside) for body in chain.bodies]
        self._around.scope.features.add("else if" if len(chain.conditions) > 1 else "if")
        return Branches(tuple(zip(heads, bodies, strict=False)), chain.comments)

    def condition(self, genes: Genes) -> str:
        """In parentheses; now and then one with a side effect."""
        choices, expressions, _ = self._around.reader(genes)
        around = self._around
        pick = choices.below(12)
        if pick == 11:
            counted = [one for one in around.scope.variables if one.kind in (U8, U32, U64)]
            around.scope.features.add("side effect in a condition")
            if counted and choices.chance(2):
                return f"({choices.pick(counted).name}++ & {choices.between(1, 3)})"
            target = choices.pick(around.scope.variables)
            value = expressions.value(around.context)
            return f"(({target.name} = {value.text}) {choices.pick(COMPARISONS)} {choices.below(9)})"
        if pick >= 8:
            variable = choices.pick([one for one in around.scope.constants if one.kind == S32])
            return f"({variable.text} % {choices.between(2, 5)} == {choices.below(2)})"
        if pick >= 6:
            left, right = (expressions.element(around.context, choices.pick(around.cells))[0] for _ in "ab")
            return f"({left} {choices.pick(COMPARISONS)} {right})"
        return expressions.condition(around.context)[0]

    def _cases(self, cases: Cases, inside: Inside) -> Block:
        self._around.scope.features.add("switch")
        choices, expressions, _ = self._around.reader(cases.genes)
        falls = choices.below(8)
        ends_open = choices.chance(2)
        value = expressions.limited(expressions.value(self._around.context), len(cases.bodies) + 1)
        inside = replace(inside, alone=True, breaks=False)
        made: list[Piece] = []
        for number, body in enumerate(cases.bodies):
            is_last = number == len(cases.bodies) - 1
            head = "default:" if is_last and ends_open else f"case {number}:"
            falls_through = falls == number
            pieces = self.body(body, inside)
            made.append(Block(head, pieces if falls_through else (*pieces, Line("break;"))))
        return Block(f"switch ({value.text})", tuple(made))

    def _repeat(self, loop: Repeat, inside: Inside) -> tuple[Piece, ...]:
        """A counter that the body does not change, and a bound that varies or not."""
        choices, expressions, _ = self._around.reader(loop.genes)
        form, step, starts = choices.below(4), choices.pick((1, 1, 1, 2)), choices.pick((0, 0, 1))
        most = _ROUNDS[min(inside.loops, 2)]
        bound = expressions.number(choices.between(1, most))
        if choices.chance(2):
            bound = expressions.converted(expressions.limited(expressions.value(self._around.context), most + 1), S32)
        self._around.scope.features.add(("for", "for", "while", "do")[form])
        within = replace(inside, alone=True, breaks=True, continues=True, loops=inside.loops + 1)
        if form < 2:
            return (self._for(loop, within, (starts, step), bound),)
        name = self._around.declare(f"round{loop.name}")
        with self._around.block():
            self._around.add_constant(name, S32, 0, most + 1)
            body = self.flat(loop.body, within)
        start = Line(f"int {name} = 0;")
        if form == 2:
            return (start, Block(f"while ({name}++ < {bound.text})", body))
        return (start, Block("do", body, f" while (++{name} < {bound.text});"))

    def _for(self, loop: Repeat, inside: Inside, shape: tuple[int, int], bound: Expression) -> Block:
        start, step = shape
        with self._around.block():
            name = self._around.declare(f"{'jqr'[min(inside.loops - 1, 2)]}{loop.name}")
            self._around.add_constant(name, S32, start, max(bound.high - 1, start))
            ahead = f"{name}++" if step == 1 else f"{name} += {step}"
            with self._around.block():
                body = self.flat(loop.body, inside)
        return Block(f"for (int {name} = {start}; {name} < {bound.text}; {ahead})", body)
