"""Random integer expressions and conditions with defined behaviour: no signed overflow, no index out of bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, final

from analysis.divergence.levels import Level
from tests.sim.random.choices import Choices
from tests.sim.random.scope import (
    COMPUTED,
    S32,
    S64,
    STORED,
    U32,
    U64,
    UNSIGNED_OF,
    Context,
    Expression,
    IntegerKind,
    Memory,
    Scope,
)


class Numbers(Protocol):
    def whole(self, context: Context, level: Level, depth: int) -> Expression: ...

    def condition(self, context: Context, level: Level, depth: int) -> tuple[str, Level]: ...


INTERESTING = (0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 33, 63, 100, 127, 128, 255, 1000, 65535, -1, -2, -7, -128)
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


@final
class Expressions:
    def __init__(self, choices: Choices, scope: Scope) -> None:
        self._choices = choices
        self._scope = scope
        self.numbers: Numbers | None = None
        """Floating-point expressions, where the kernel has them."""

    # -- values -----------------------------------------------------------------------------------------------------

    def value(self, context: Context, level: Level = Level.VARYING, depth: int = 0) -> Expression:
        """Anything that agrees within the groups of `level`."""
        choices = self._choices
        if depth >= 3 or choices.below(3) == 0:
            return self.leaf(context, level, depth)
        if self.numbers is not None and choices.chance(8):
            return self.numbers.whole(context, level, depth)
        pick = choices.below(16)
        if pick < 7:
            return self._arithmetic(context, level, depth)
        if pick < 9:
            return self._shift(context, level, depth)
        if pick == 9:
            return self._division(context, level, depth)
        if pick == 10:
            return self._chosen(context, level, depth)
        if pick == 11:
            self._scope.features.add("cast")
            return self.converted_to(self.value(context, level, depth + 1), choices.pick(STORED))
        if pick == 12:
            condition, of = self.condition(context, level, depth + 1)
            return Expression(f"(int)({condition})", S32, 0, 1, of)
        if pick == 13:
            return self._call(context, level, depth)
        return self._intrinsic(context, level, depth)

    def leaf(self, context: Context, level: Level, depth: int = 0) -> Expression:
        choices, scope = self._choices, self._scope
        pick = choices.below(10)
        if pick < 2:
            return self.number(choices.pick(INTERESTING))
        if pick < 5:
            named = [one for one in scope.constants if one.level <= level]
            if named:
                return choices.pick(named)
        if pick < 8:
            variables = [one for one in scope.variables if one.level <= level]
            if variables:
                one = choices.pick(variables)
                return Expression.read(one.name, one.kind, one.level)
        arrays = [one for one in (*context.readable, *scope.inputs, *scope.locals) if one.level <= level]
        if not arrays or depth > 3:
            return self.number(3)
        memory = choices.pick(arrays)
        text, of = self.element(context, memory, level, depth + 1)
        return Expression.read(text, memory.kind, of)

    def element(
        self, context: Context, memory: Memory, level: Level = Level.VARYING, depth: int = 1
    ) -> tuple[str, Level]:
        """Any element, and within which group it is the same."""
        indices = [self.index(context, extent, level, depth) for extent in memory.extents]
        brackets = "".join(f"[{index.text}]" for index in indices)
        return f"{memory.name}{brackets}{memory.member}", max(memory.level, *(index.level for index in indices))

    def number(self, number: int) -> Expression:
        text = str(number) if number >= 0 else f"({number})"
        return Expression(text, S32, number, number, Level.GRID)

    def index(self, context: Context, length: int, level: Level, depth: int) -> Expression:
        """In [0, length)."""
        choices, scope = self._choices, self._scope
        pick = choices.below(6)
        found: Expression | None = None
        if pick < 4:
            fitting = [one for one in scope.constants if one.level <= level]
            if fitting:
                found = choices.pick(fitting)
                if pick == 1:
                    found = self.combined("+", found, self.number(choices.below(9)))
                elif pick == 2:
                    found = self.combined("*", found, self.number(choices.between(1, 5)))
                elif pick == 3 and found.high < length:
                    found = self.combined("-", self.number(length - 1), found)
        if found is None:
            found = self.value(context, level, depth + 1)
        return self.limited(found, length)

    def limited(self, value: Expression, length: int) -> Expression:
        """The value, brought into [0, length) if it may lie outside."""
        if value.low >= 0 and value.high < length:
            return value
        if value.low >= 0 or value.kind in (U32, U64):
            return Expression(f"({value.text} % {length})", value.kind, 0, length - 1, value.level)
        if length & (length - 1) == 0:
            return Expression(f"({value.text} & {length - 1})", value.kind, 0, length - 1, value.level)
        unsigned = self.converted(value, UNSIGNED_OF[value.kind])
        return Expression(f"({unsigned.text} % {length}u)", unsigned.kind, 0, length - 1, value.level)

    # -- conversions ------------------------------------------------------------------------------------------------

    def converted(self, value: Expression, kind: IntegerKind) -> Expression:
        """Of one of the types that arithmetic has."""
        if kind == value.kind:
            return value
        return self._cast(value, kind, kind)

    def converted_to(self, value: Expression, kind: IntegerKind) -> Expression:
        """Through any type, promoted again."""
        return self._cast(value, kind, kind if kind in COMPUTED else S32)

    def _cast(self, value: Expression, kind: IntegerKind, promoted: IntegerKind) -> Expression:
        fits = kind.holds(value.low, value.high)
        low, high = (value.low, value.high) if fits else (kind.low, kind.high)
        return Expression(f"(({kind.name}){value.text})", promoted, low, high, value.level)

    # -- operations -------------------------------------------------------------------------------------------------

    def _arithmetic(self, context: Context, level: Level, depth: int) -> Expression:
        operator = self._choices.pick(("+", "+", "-", "*", "&", "^", "|"))
        left, right = self.value(context, level, depth + 1), self.value(context, level, depth + 1)
        return self.combined(operator, left, right)

    def combined(self, operator: str, left: Expression, right: Expression) -> Expression:
        kind = max(left.kind, right.kind, key=COMPUTED.index)
        left, right = self.converted(left, kind), self.converted(right, kind)
        level = max(left.level, right.level)
        low, high = _range_of(operator, left, right, kind)
        text = f"({left.text} {operator} {right.text})"
        if operator in "&|^":
            return Expression(text, kind, low, high, level)
        if kind.holds(low, high):
            return Expression(text, kind, low, high, level)
        if kind.signed:
            unsigned = UNSIGNED_OF[kind]
            text = f"({kind.name})(({unsigned.name}){left.text} {operator} ({unsigned.name}){right.text})"
            text = f"({text})"
        return Expression(text, kind, kind.low, kind.high, level)

    def _shift(self, context: Context, level: Level, depth: int) -> Expression:
        value = self.value(context, level, depth + 1)
        bits = value.kind.bits
        if self._choices.chance(3):
            amount = self.limited(self.value(context, level, depth + 2), bits)
        else:
            amount = self.number(self._choices.between(0, bits - 1 if self._choices.chance(4) else 6))
        of = max(value.level, amount.level)
        if self._choices.chance(2):
            low, high = min(value.low, 0), max(value.high, -1)
            return Expression(f"({value.text} >> {amount.text})", value.kind, low, high, of)
        low, high = value.low << amount.high, value.high << amount.high
        if low >= 0 and value.kind.holds(low, high):
            return Expression(f"({value.text} << {amount.text})", value.kind, 0, high, of)
        unsigned = UNSIGNED_OF[value.kind]
        text = f"(({value.kind.name})(({unsigned.name}){value.text} << {amount.text}))"
        return Expression(text, value.kind, value.kind.low, value.kind.high, of)

    def _division(self, context: Context, level: Level, depth: int) -> Expression:
        self._scope.features.add("division")
        left = self.value(context, level, depth + 1)
        if self._choices.chance(3):
            some = self.limited(self.value(context, level, depth + 2), 8)
            right = self.combined("+", self.converted(some, S32), self.number(1))
        else:
            right = self.number(self._choices.pick((2, 3, 4, 5, 8, 16, 7, 10, 32)))
        right = self.converted(right, left.kind)
        of = max(left.level, right.level)
        if self._choices.chance(2):
            low, high = min(left.low, 0), max(left.high, 0)
            return Expression(f"({left.text} / {right.text})", left.kind, low, high, of)
        rest = right.high - 1
        return Expression(f"({left.text} % {right.text})", left.kind, -rest if left.low < 0 else 0, rest, of)

    def _chosen(self, context: Context, level: Level, depth: int) -> Expression:
        self._scope.features.add("ternary")
        condition, of = self.condition(context, level, depth + 1)
        left, right = self.value(context, level, depth + 1), self.value(context, level, depth + 1)
        kind = max(left.kind, right.kind, key=COMPUTED.index)
        left, right = self.converted(left, kind), self.converted(right, kind)
        low, high = min(left.low, right.low), max(left.high, right.high)
        return Expression(
            f"({condition} ? {left.text} : {right.text})", kind, low, high, max(of, left.level, right.level)
        )

    def _call(self, context: Context, level: Level, depth: int) -> Expression:
        if not self._scope.functions:
            return self._arithmetic(context, level, depth)
        name = self._choices.pick(self._scope.functions)
        left, right = (self.converted(self.value(context, level, depth + 2), S32) for _ in range(2))
        of = max(left.level, right.level)
        return Expression(f"{name}({left.text}, {right.text})", S32, S32.low, S32.high, of)

    def _intrinsic(self, context: Context, level: Level, depth: int) -> Expression:
        self._scope.features.add("intrinsic")
        name, kinds, result, (low, high) = self._choices.pick(INTRINSICS)
        values = [self.converted(self.value(context, level, depth + 1), kind) for kind in kinds]
        text = f"{name}({', '.join(value.text for value in values)})"
        return Expression(text, result, low, high, max(value.level for value in values))

    # -- conditions -------------------------------------------------------------------------------------------------

    def condition(self, context: Context, level: Level = Level.VARYING, depth: int = 0) -> tuple[str, Level]:
        """An expression of type bool, in parentheses, and within which group it agrees."""
        choices = self._choices
        if self.numbers is not None and choices.chance(3):
            return self.numbers.condition(context, level, depth)
        pick = choices.below(8 if depth < 2 else 5)
        if pick < 5:
            left, right = self.value(context, level, depth + 1), self._bound(context, level, depth)
            kind = max(left.kind, right.kind, key=COMPUTED.index)
            left, right = self.converted(left, kind), self.converted(right, kind)
            return f"({left.text} {choices.pick(COMPARISONS)} {right.text})", max(left.level, right.level)
        if pick == 5:
            inner, of = self.condition(context, level, depth + 1)
            return f"(!{inner})", of
        self._scope.features.add("short circuit")
        left_text, left_level = self.condition(context, level, depth + 1)
        right_text, right_level = self.condition(context, level, depth + 1)
        operator = choices.pick(("&&", "||"))
        return f"({left_text} {operator} {right_text})", max(left_level, right_level)

    def _bound(self, context: Context, level: Level, depth: int) -> Expression:
        if self._choices.chance(2):
            return self.value(context, level, depth + 2)
        return self.number(self._choices.pick(INTERESTING))


def _range_of(operator: str, left: Expression, right: Expression, kind: IntegerKind) -> tuple[int, int]:
    """Of the result in the integers of mathematics; of bit operations in the type."""
    match operator:
        case "+":
            return left.low + right.low, left.high + right.high
        case "-":
            return left.low - right.high, left.high - right.low
        case "*":
            corners = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
            return min(corners), max(corners)
        case _:
            if left.low < 0 or right.low < 0:
                if operator == "&" and max(left.low, right.low) >= 0:
                    return 0, left.high if left.low >= 0 else right.high
                return kind.low, kind.high
            if operator == "&":
                return 0, min(left.high, right.high)
            return 0, (1 << max(left.high, right.high).bit_length()) - 1


WHOLE_S32 = (S32.low, S32.high)
WHOLE_U32 = (U32.low, U32.high)
WHOLE_S64 = (S64.low, S64.high)
WHOLE_U64 = (U64.low, U64.high)
INTRINSICS: Sequence[tuple[str, tuple[IntegerKind, ...], IntegerKind, tuple[int, int]]] = (
    ("__popc", (U32,), S32, (0, 32)),
    ("__clz", (S32,), S32, (0, 32)),
    ("__ffs", (S32,), S32, (0, 32)),
    ("__brev", (U32,), U32, WHOLE_U32),
    ("min", (S32, S32), S32, WHOLE_S32),
    ("max", (S32, S32), S32, WHOLE_S32),
    ("min", (U32, U32), U32, WHOLE_U32),
    ("max", (U64, U64), U64, WHOLE_U64),
    ("min", (S64, S64), S64, WHOLE_S64),
    ("__mulhi", (S32, S32), S32, WHOLE_S32),
    ("__umulhi", (U32, U32), U32, WHOLE_U32),
    ("__umul24", (U32, U32), U32, WHOLE_U32),
    ("__mul24", (S32, S32), S32, WHOLE_S32),
    ("__funnelshift_l", (U32, U32, U32), U32, WHOLE_U32),
    ("__funnelshift_r", (U32, U32, U32), U32, WHOLE_U32),
    ("__byte_perm", (U32, U32, U32), U32, WHOLE_U32),
    ("__popcll", (U64,), S32, (0, 64)),
    ("__clzll", (S64,), S32, (0, 64)),
    ("__ffsll", (S64,), S32, (0, 64)),
    ("__brevll", (U64,), U64, WHOLE_U64),
    ("__umul64hi", (U64, U64), U64, WHOLE_U64),
    ("__mul64hi", (S64, S64), S64, WHOLE_S64),
    ("__sad", (S32, S32, U32), U32, WHOLE_U32),
    ("__usad", (U32, U32, U32), U32, WHOLE_U32),
    ("__rhadd", (S32, S32), S32, WHOLE_S32),
    ("__uhadd", (U32, U32), U32, WHOLE_U32),
)
"""Name, parameters, result and its range."""
