"""A divergent branch of the kernel's body: its condition, what the condition protects, and arms that are alike."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, final

from analysis.divergence.levels import Level
from tests.meld.random.arms import ArmWriter
from tests.meld.random.grow import Grower
from tests.meld.random.layout import Block, Branches, Line, Piece
from tests.meld.random.surroundings import Arm, Inside, Surroundings
from tests.meld.random.tree import Body, Kind, Simple
from tests.sim.random.choices import Choices
from tests.sim.random.scope import S32, Expression

_ANY_ARM: Final = Arm()


@final
@dataclass(frozen=True, slots=True)
class _Condition:
    """`before` makes it; what each side may compute comes with its arm."""

    text: str
    first: Arm = _ANY_ARM
    second: Arm = _ANY_ARM
    before: tuple[str, ...] = ()


@final
class RegionWriter:
    def __init__(self, choices: Choices, surroundings: Surroundings, grower: Grower) -> None:
        self._choices = choices
        self._around = surroundings
        self._grower = grower
        self._arms = ArmWriter(surroundings)
        self._features = surroundings.scope.features
        self._count = 0

    def region(self) -> tuple[Piece, ...]:
        """Alone, or in a loop, or in another branch."""
        if not self._around.returned and self._choices.chance(8):
            self._features.add("barrier in uniform code")
            inner = self._region(Inside(Arm(), alone=True))
            return (Branches(((f"if {self._choices.pick(_WHOLE_BLOCK)}", (Line("__syncthreads();"), *inner)),)),)
        pick = self._choices.below(8)
        if pick == 7:
            self._features.add("branch in a branch")
            inner = self._region(Inside(Arm(), alone=True))
            return (Branches(((f"if {self._arms.condition(self._grower.genes())}", inner),)),)
        if pick < 5:
            return self._region(Inside(Arm()))
        self._features.add("branch in a loop")
        bound = "LIMIT" if pick == 5 else "t % 3 + 1"
        with self._around.block():
            self._around.add_constant("turn", S32, 0, 5)
            with self._around.block():
                body = self._region(Inside(Arm(), breaks=True, continues=True, alone=True, loops=1))
        return (Block(f"for (int turn = 0; turn < {bound}; turn++)", body),)

    def _region(self, inside: Inside) -> tuple[Piece, ...]:
        first = self._grower.body()
        pick = self._choices.below(12)
        if pick == 11:
            return self._cases(first, inside)
        if pick == 10:
            return self._chain(first, inside)
        if pick == 9:
            self._features.add("one arm")
            return self._branch((first, ()), inside)
        second = self._grower.alike(first, 0)
        return self._branch((second, first) if self._choices.chance(4) else (first, second), inside)

    def _branch(self, arms: tuple[Body, Body], inside: Inside) -> tuple[Piece, ...]:
        condition = self._condition(inside)
        if condition.first.mask and self._choices.chance(2):
            exchange = Simple(Kind.EXCHANGE, self._grower.genes())
            arms = (exchange, *arms[0]), (exchange, *arms[1])
        parts = [(f"if {condition.text}", self._arms.body(arms[0], replace(inside, arm=condition.first)))]
        if arms[1]:
            parts.append(("else", self._arms.body(arms[1], replace(inside, arm=condition.second))))
        fork = Branches(tuple(parts), self._grower.comments(len(parts)))
        return (*(Line(line) for line in condition.before), fork)

    def _chain(self, first: Body, inside: Inside) -> tuple[Piece, ...]:
        self._features.add("chain")
        inside = replace(inside, alone=True)
        count = self._choices.between(2, 3)
        parts: list[tuple[str, tuple[Piece, ...]]] = []
        for number in range(count):
            condition = self._arms.condition(self._grower.genes())
            body = first if number == 0 else self._grower.alike(first, 0)
            parts.append((f"{'else ' if number else ''}if {condition}", self._arms.body(body, inside)))
        if not self._choices.chance(3):
            parts.append(("else", self._arms.body(self._grower.alike(first, 0), inside)))
        return (Branches(tuple(parts)),)

    def _cases(self, first: Body, inside: Inside) -> tuple[Piece, ...]:
        self._features.add("switch over arms")
        inside = replace(inside, alone=True, breaks=False)
        made: list[Piece] = []
        for number in range(self._choices.between(2, 3)):
            body = first if number == 0 else self._grower.alike(first, 0)
            made.append(Block(f"case {number}:", (*self._arms.body(body, inside), Line("break;"))))
        return (Block(f"switch ({self._choices.pick(('t % 3', 'lane & 1', 'x[i & 63] & 3'))})", tuple(made)),)

    # -- conditions -------------------------------------------------------------------------------------------------

    def _condition(self, inside: Inside) -> _Condition:
        self._count += 1
        pick = self._choices.below(15)
        if pick < 5:
            return _Condition(self._arms.condition(self._grower.genes()))
        if pick < 7:
            return _Condition(self._choices.pick(_VARYING))
        if pick == 7:
            return _Condition(self._choices.pick(_UNIFORM))
        if pick == 8:
            return self._in_range()
        if pick == 9:
            return self._divisor()
        if pick == 10:
            return self._null_pointer()
        if pick == 11:
            name = f"chosen{self._count}"
            text = self._arms.condition(self._grower.genes())
            return _Condition(f"({name})", before=(f"const bool {name} = {text};",))
        return self._declared() if inside.alone or pick == 12 else self._lanes()

    def _value(self, high: int) -> str:
        _, expressions, _ = self._around.reader(self._grower.genes())
        return expressions.limited(expressions.value(self._around.context), high).text

    def _in_range(self) -> _Condition:
        """An index that only one side may use as it is."""
        self._features.add("guarded access")
        name = f"at{self._count}"
        first = tuple(Expression.read(f"{array}[{name}]", S32, Level.VARYING) for array in ("x", "x2"))
        second = tuple(Expression.read(f"{array}[{name} - 64]", S32, Level.VARYING) for array in ("x", "x2"))
        before = (f"const int {name} = (int){self._value(128)};",)
        if self._choices.chance(2):
            return _Condition(f"({name} >= 64)", Arm(second), Arm(first), before)
        return _Condition(f"({name} < 64)", Arm(first), Arm(second), before)

    def _divisor(self) -> _Condition:
        self._features.add("guarded division")
        name = f"by{self._count}"
        first = tuple(Expression(f"(n {sign} {name})", S32, 0, 40, Level.VARYING) for sign in "/%")
        second = tuple(Expression(f"(n {sign} 7)", S32, 0, 40, Level.VARYING) for sign in "/%")
        before = (f"const int {name} = (int){self._value(4)};",)
        return _Condition(f"({name} != 0)", Arm(first), Arm(second), before)

    def _null_pointer(self) -> _Condition:
        self._features.add("null pointer")
        name = f"from{self._count}"
        index = self._value(64)
        first, second = (
            tuple(Expression.read(text, S32, Level.VARYING) for text in (f"{array}[{index}]", f"*{array}"))
            for array in (name, "x2")
        )
        before = (f"const int *{name} = {self._arms.condition(self._grower.genes())} ? x : nullptr;",)
        return _Condition(f"({name})", Arm(first), Arm(second), before)

    def _declared(self) -> _Condition:
        """The condition is a declaration."""
        self._features.add("declaration as condition")
        name = f"made{self._count}"
        arm = Arm((Expression(name, S32, 0, 2, Level.VARYING),))
        return _Condition(f"(int {name} = (int){self._value(3)})", arm, arm)

    def _lanes(self) -> _Condition:
        """Each arm knows which lanes of its warp come to it."""
        scope = self._around.scope
        text = self._choices.pick(("lane & 1", "lane < 3", "x[t & 63] > 0"))
        if scope.warp_size > 32 or not scope.has_whole_warps or self._around.returned:
            return _Condition(f"({text})")
        self._features.add("lanes of an arm")
        every = f"0x{(1 << scope.warp_size) - 1:x}u"
        first, second = f"with{self._count}", f"without{self._count}"
        before = (
            f"const unsigned {first} = __ballot_sync({every}, {text});",
            f"const unsigned {second} = {every} & ~{first};",
        )
        return _Condition(f"({text})", Arm(mask=first), Arm(mask=second), before)


_VARYING: Final = ("(t & 1)", "(lane < 3)", "(t % 3 == 1)", "(i & 2)", "(x[t & 63] > 0)")
_WHOLE_BLOCK: Final = ("(n > 20)", "(b & 1)", "(m & 4)")
_UNIFORM: Final = ("(n > 20)", "(b & 1)", "(warp & 1)", "(m & 4)")
