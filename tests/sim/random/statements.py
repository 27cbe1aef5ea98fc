"""Random statements: control flow of every shape, memory that threads own, and what groups of threads do together.

No races: a thread writes only what it owns, shared arrays change hands at barriers, atomics commute.  Barriers and
exchanges stand only where the whole group comes: `Context.level` says which one that is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import final

from analysis.divergence.levels import Level
from tests.sim.random.choices import Choices
from tests.sim.random.expressions import Expressions
from tests.sim.random.lines import Lines
from tests.sim.random.numbers import Numbers
from tests.sim.random.scope import S32, Context, Expression, Loop, Scope
from tests.sim.random.together import Together

MAX_DEPTH = 4
MAX_ROUNDS = 8
"""No loop is written where a statement runs more often than that."""


@final
class Statements:
    def __init__(
        self,
        choices: Choices,
        scope: Scope,
        expressions: Expressions,
        lines: Lines,
        together: Together | None,
        numbers: Numbers | None,
    ) -> None:
        """`together`: what groups do; None in functions, where threads are alone.  `numbers`: where there are any."""
        self._choices = choices
        self._scope = scope
        self._expressions = expressions
        self._lines = lines
        self._together = together
        self._numbers = numbers
        self.left = 8
        """How many more compound statements may be written."""

    # -- sequences --------------------------------------------------------------------------------------------------

    def some(self, context: Context, most: int = 3) -> None:
        for _ in range(self._choices.between(1, most)):
            self.one(context)

    def one(self, context: Context) -> None:
        context = replace(context, level=max(context.level, self._scope.level))
        if self._together is not None and context.level <= Level.WARP and self._choices.chance(4):
            self._together.something(context, self.some)
            return
        if context.loops and self._choices.chance(8):
            self._jump(context)
            return
        pick = self._choices.below(20)
        if pick < 8 or self.left <= 0 or context.depth >= MAX_DEPTH:
            self._simple(context)
            return
        self.left -= 1
        if pick < 11:
            self._if(context)
        elif pick == 14:
            self._switch(context)
        elif pick < 16 and context.rounds <= MAX_ROUNDS:
            self._choices.pick((self._for, self._for, self._while, self._do, self._tangle))(context)
        elif pick == 16:
            self._jump(context)
        elif self._together is not None:
            self._together.something(context, self.some)
        else:
            self._simple(context)

    def _block(self, head: str, context: Context) -> None:
        self._lines.open(head)
        self.some(context)
        self._lines.close()

    # -- single statements ------------------------------------------------------------------------------------------

    def _simple(self, context: Context) -> None:
        if self._numbers is not None and self._choices.chance(3):
            self._assign_number(context, self._numbers)
            return
        if self._scope.struct_functions and self._choices.chance(6):
            self._scope.features.add("struct argument")
            name = self._choices.pick(self._scope.struct_functions)
            self._lines.add(
                f"p = {name}(p, {self._expressions.converted(self._expressions.value(context), S32).text});"
            )
            return
        pick = self._choices.below(8)
        if pick < 5 or self._together is None:
            self.assign(context)
        elif pick == 5 and self._scope.locals:
            place, _ = self._expressions.element(context, self._choices.pick(self._scope.locals))
            self._scope.features.add("local array")
            self._lines.add(f"{place} = {self._expressions.value(context).text};")
        else:
            self._together.own_memory(context)

    def assign(self, context: Context) -> None:
        """To a variable of a level that the place may change."""
        targets = [one for one in self._scope.variables if one.level >= context.level]
        if not targets:
            return
        target = self._choices.pick(targets)
        value = self._expressions.value(context, target.level)
        if self._choices.chance(4):
            current = Expression.read(target.name, target.kind, target.level)
            value = self._expressions.combined("+", current, value)
        self._lines.add(f"{target.name} = {value.text};")

    def _assign_number(self, context: Context, numbers: Numbers) -> None:
        targets = [one for one in self._scope.numbers if one.level >= context.level]
        if not targets:
            return
        target = self._choices.pick(targets)
        self._scope.features.add(target.kind.value)
        self._lines.add(f"{target.text} = {numbers.of(context, target.kind, target.level).text};")

    def _jump(self, context: Context) -> None:
        """break, continue, return or goto, where that leaves groups whole that must be."""
        ways: list[tuple[str, Level]] = []
        for loop in context.loops[-1:]:
            if context.level <= loop.level:
                ways += [("break;", Level.GRID)] if loop.can_break else []
                ways.append(("continue;", Level.GRID))
        if context.returns and all(context.level <= loop.level for loop in context.loops):
            ways.append(("return;", context.level))
        ways += [(f"goto {label};", Level.GRID) for label in context.labels]
        if not ways:
            self._simple(context)
            return
        way, _ = self._choices.pick(ways)
        limit = self._level_of(context, way)
        condition, level = self._expressions.condition(context, limit)
        if way == "return;":
            if context.in_function:
                way = f"return {self._expressions.converted(self._expressions.value(context), S32).text};"
            else:
                self._scope.level = max(self._scope.level, level, context.level)
        self._scope.features.add(way.split()[0].rstrip(";"))
        self._lines.add(f"if ({condition}) {way}")

    def _level_of(self, context: Context, way: str) -> Level:
        """Within which group the threads must agree to go this way."""
        if way.startswith("goto"):
            return Level.VARYING
        if way == "return;":
            return min((loop.level for loop in context.loops), default=self._any_level(context))
        return context.loops[-1].level

    def _any_level(self, context: Context) -> Level:
        """Mostly a level that leaves larger groups whole."""
        if context.in_function:
            return Level.VARYING
        return self._choices.pick((Level.BLOCK, Level.VARYING, Level.VARYING, Level.WARP, Level.GRID))

    # -- structured control flow ------------------------------------------------------------------------------------

    def _decision_level(self) -> Level:
        return self._choices.pick((Level.VARYING, Level.VARYING, Level.VARYING, Level.BLOCK, Level.WARP))

    def _if(self, context: Context) -> None:
        condition, level = self._expressions.condition(context, self._decision_level())
        inside = context.within(level)
        self._block(f"if ({condition})", inside)
        if self._choices.chance(2):
            self._block("else", inside)

    def _switch(self, context: Context) -> None:
        self._scope.features.add("switch")
        count = self._choices.between(2, 4)
        value = self._expressions.limited(self._expressions.value(context, self._decision_level()), count)
        inside = context.within(value.level)
        inside = replace(inside, loops=tuple(replace(loop, can_break=False) for loop in inside.loops))
        self._lines.open(f"switch ({value.text})")
        arms = self._choices.between(1, count)
        for arm in range(arms):
            is_last = arm == arms - 1
            self._lines.add("default:" if is_last and self._choices.chance(2) else f"case {arm}:")
            self.some(inside, 2)
            if is_last or not self._choices.chance(3):
                self._lines.add("break;")
        self._lines.close()

    def _rounds(self, context: Context) -> Expression:
        """How often a loop runs at most: a small number."""
        level = self._decision_level()
        if self._choices.chance(2):
            return self._expressions.limited(self._expressions.value(context, level, 1), 5)
        return self._expressions.number(self._choices.between(1, 4))

    def _inside_loop(self, context: Context, rounds: Level) -> Context:
        """A body in which threads may part is one where they may also leave apart."""
        level = max(context.level, rounds, self._decision_level() if self._choices.chance(2) else Level.GRID)
        return replace(
            context,
            level=level,
            depth=context.depth + 1,
            rounds=context.rounds * 4,
            loops=(*context.loops, Loop(level)),
        )

    def _for(self, context: Context) -> None:
        """The counter starts and steps by numbers or by the shape of the block."""
        name = self._lines.fresh("j")
        start, step, bound = self._counted(context)
        inside = self._inside_loop(context, max(start.level, bound.level))
        self._scope.features.add("loop, varying" if inside.level is Level.VARYING else "loop, uniform")
        level = inside.level
        counter = Expression(name, S32, start.low, max(bound.high - 1, start.low), level)
        self._lines.open(f"for (int {name} = {start.text}; {name} < {bound.text}; {name} += {step})")
        self._scope.constants.append(counter)
        self.some(inside)
        self._scope.constants.remove(counter)
        self._lines.close()

    def _counted(self, context: Context) -> tuple[Expression, int, Expression]:
        expressions, choices = self._expressions, self._choices
        if choices.chance(3):
            starts = [one for one in self._scope.constants if one.kind == S32 and one.low >= 0 and one.high < 4096]
            if starts:
                start = choices.pick(starts)
                length = start.high - start.low + 1
                step = choices.between(max(1, length // 2), length + 2)
                return start, step, expressions.number(start.high + choices.between(0, 3 * step))
        rounds = expressions.converted(self._rounds(context), S32)
        start = expressions.number(choices.pick((0, 0, 1, -1)))
        step = choices.pick((1, 1, 1, 2, 3))
        return start, step, rounds

    def _while(self, context: Context) -> None:
        name = self._lines.fresh("w")
        rounds = self._rounds(context)
        inside = self._inside_loop(context, rounds.level)
        self._scope.features.add("while")
        self._lines.declare(f"int {name} = 0;")
        self._lines.add(f"{name} = 0;")
        self._block(f"while ({name}++ < {self._expressions.converted(rounds, S32).text})", inside)
        self._name_counter(name)

    def _do(self, context: Context) -> None:
        name = self._lines.fresh("w")
        rounds = self._rounds(context)
        inside = self._inside_loop(context, rounds.level)
        self._scope.features.add("do")
        self._lines.declare(f"int {name} = 0;")
        self._lines.add(f"{name} = 0;")
        self._lines.open("do")
        self.some(inside)
        self._lines.close(f" while (++{name} < {self._expressions.converted(rounds, S32).text});")
        self._name_counter(name)

    def _name_counter(self, name: str) -> None:
        """What a loop counted may be read behind it, where lanes that left apart hold different numbers."""
        self._scope.constants.append(Expression(name, S32, 0, 6, Level.VARYING))

    # -- unstructured control flow ----------------------------------------------------------------------------------

    def _tangle(self, context: Context) -> None:
        """Labelled parts with jumps in both directions, into and out of blocks; all end at the last label."""
        choices, lines = self._choices, self._lines
        self._scope.features.add("goto")
        name = lines.fresh("L")
        fuel = lines.fresh("fuel")
        lines.declare(f"int {fuel} = 0;")
        count = choices.between(1, 4)
        labels = [f"{name}_{index}" for index in range(count)]
        end = f"{name}_end"
        lines.add(f"{fuel} = 0;")
        inside = replace(context, level=Level.VARYING, depth=context.depth + 1, rounds=context.rounds * 3)
        inside = replace(inside, loops=() if context.level is not Level.VARYING else context.loops)
        if context.level is not Level.VARYING:
            inside = replace(inside, returns=False)
        for index, label in enumerate(labels):
            later = (*labels[index + 1 :], end)
            part = replace(inside, labels=later)
            opened = self._opened(part, fuel)
            lines.add(f"{label}:;")
            self.some(part, 2)
            self._leap(part, fuel, labels, later)
            for _ in range(opened):
                lines.close()
        lines.add(f"{end}:;")

    def _opened(self, context: Context, fuel: str) -> int:
        """Opens a block around a label now and then, so that jumps lead into it."""
        pick = self._choices.below(4)
        if pick < 2:
            return 0
        condition, _ = self._expressions.condition(context)
        if pick == 2:
            self._lines.open(f"if ({condition})")
        else:
            self._lines.open(f"while ({fuel}++ < 4 && {condition})")
        return 1

    def _leap(self, context: Context, fuel: str, labels: list[str], later: tuple[str, ...]) -> None:
        condition, _ = self._expressions.condition(context)
        if self._choices.chance(2):
            target = self._choices.pick(labels)
            self._lines.add(f"if ({fuel}++ < 4 && {condition}) goto {target};")
        else:
            self._lines.add(f"if ({condition}) goto {self._choices.pick(later)};")
