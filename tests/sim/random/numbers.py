"""Random floating-point expressions of correctly rounded operations alone, so that every machine agrees on each bit.

No operation is written so that a compiler may fuse it differently: native code is compiled without contraction.  What
becomes an integer does so through functions that are defined for every number, NaN among them.
"""

from __future__ import annotations

from typing import Final, final

from analysis.divergence.levels import Level
from tests.sim.random.choices import Choices
from tests.sim.random.expressions import COMPARISONS, Expressions
from tests.sim.random.scope import S32, S64, U32, Context, Expression, FloatKind, Number, Scope

_FLOAT, _DOUBLE, _HALF = FloatKind.FLOAT, FloatKind.DOUBLE, FloatKind.HALF
_KINDS: Final = (_FLOAT, _FLOAT, _DOUBLE, _HALF)
_LITERALS: Final = ("0.0", "1.0", "0.5", "-1.5", "3.0", "0.1", "-7.25", "65504.0", "1e-7", "-0.0", "16777217.0")
_OPERATORS: Final = ("+", "-", "*", "/")
# Of one operand, of two, of three, by kind.
_ONE: Final = {
    _FLOAT: ("fabsf", "floorf", "sqrtf", "-"),
    _DOUBLE: ("fabs", "floor", "sqrt", "-"),
    _HALF: ("__habs", "hfloor", "hsqrt", "-"),
}
_TWO: Final = {_FLOAT: ("fminf", "fmaxf"), _DOUBLE: ("fmin", "fmax"), _HALF: ("__hmin", "__hmax")}
_THREE: Final = {_FLOAT: "fmaf", _DOUBLE: "fma", _HALF: "__hfma"}
# To one kind from another.
_CASTS: Final = {
    (_FLOAT, _DOUBLE): "((float){})",
    (_FLOAT, _HALF): "__half2float({})",
    (_DOUBLE, _FLOAT): "((double){})",
    (_DOUBLE, _HALF): "((double)__half2float({}))",
    (_HALF, _FLOAT): "__float2half({})",
    (_HALF, _DOUBLE): "__double2half({})",
}
_WHOLE: Final = {
    _FLOAT: (("__float2int_rz", S32), ("__float2uint_rn", U32), ("__float2ll_rd", S64)),
    _DOUBLE: (("__double2int_rz", S32), ("__double2uint_ru", U32), ("__double2ll_rn", S64)),
    _HALF: (("__half2int_rz", S32), ("__half2uint_rn", U32), ("__half2ll_rz", S64)),
}
INPUTS: Final = {_FLOAT: ("fx", 64), _DOUBLE: ("dx", 32), _HALF: ("hx", 48)}
"""Arrays that everybody reads, with their lengths."""


@final
class Numbers:
    def __init__(self, choices: Choices, scope: Scope, expressions: Expressions) -> None:
        self._choices = choices
        self._scope = scope
        self._expressions = expressions

    def value(self, context: Context, level: Level, depth: int = 0) -> Number:
        """Of any kind, the same within the groups of `level`."""
        return self.of(context, self._choices.pick(_KINDS), level, depth)

    def of(self, context: Context, kind: FloatKind, level: Level, depth: int = 0) -> Number:
        choices = self._choices
        if depth >= 3 or choices.below(3) == 0:
            return self._leaf(context, kind, level, depth)
        pick = choices.below(10)
        if pick < 5:
            left, right = (self.of(context, kind, level, depth + 1) for _ in range(2))
            return self._joined(f"({{}} {choices.pick(_OPERATORS)} {{}})", kind, left, right)
        if pick == 5:
            return self._joined(f"{choices.pick(_ONE[kind])}({{}})", kind, self.of(context, kind, level, depth + 1))
        if pick == 6:
            left, right = (self.of(context, kind, level, depth + 1) for _ in range(2))
            return self._joined(f"{choices.pick(_TWO[kind])}({{}}, {{}})", kind, left, right)
        if pick == 7:
            self._scope.features.add("fused multiply-add")
            three = (self.of(context, kind, level, depth + 1) for _ in range(3))
            return self._joined(f"{_THREE[kind]}({{}}, {{}}, {{}})", kind, *three)
        if pick == 8:
            condition, of = self._expressions.condition(context, level, depth + 1)
            left, right = (self.of(context, kind, level, depth + 1) for _ in range(2))
            found = self._joined(f"({condition} ? {{}} : {{}})", kind, left, right)
            return Number(found.text, kind, max(of, found.level))
        return self._converted(context, kind, level, depth)

    def condition(self, context: Context, level: Level, depth: int) -> tuple[str, Level]:
        """A comparison in parentheses."""
        self._scope.features.add("comparison of numbers")
        kind = self._choices.pick(_KINDS)
        left, right = (self.of(context, kind, level, depth + 1) for _ in range(2))
        return f"({left.text} {self._choices.pick(COMPARISONS)} {right.text})", max(left.level, right.level)

    def whole(self, context: Context, level: Level, depth: int) -> Expression:
        """As an integer."""
        value = self.value(context, level, depth + 1)
        function, kind = self._choices.pick(_WHOLE[value.kind])
        return Expression(f"{function}({value.text})", kind, kind.low, kind.high, value.level)

    def _leaf(self, context: Context, kind: FloatKind, level: Level, depth: int) -> Number:
        choices = self._choices
        pick = choices.below(8)
        variables = [one for one in self._scope.numbers if one.kind is kind and one.level <= level]
        if pick < 4 and variables:
            return choices.pick(variables)
        if pick < 6:
            text = choices.pick(_LITERALS)
            if kind is _DOUBLE:
                return Number(f"({text})", kind, Level.GRID)
            return Number(f"({text}f)" if kind is _FLOAT else f"__float2half({text}f)", kind, Level.GRID)
        if pick == 6 and depth < 4 and not context.in_function:
            name, length = INPUTS[kind]
            index = self._expressions.index(context, length, level, depth + 1)
            return Number(f"{name}[{index.text}]", kind, index.level)
        return self._from_whole(context, kind, level, depth)

    def _from_whole(self, context: Context, kind: FloatKind, level: Level, depth: int) -> Number:
        value = self._expressions.value(context, level, depth + 1)
        if kind is _HALF:
            return Number(f"__int2half_rn({self._expressions.converted(value, S32).text})", kind, value.level)
        return Number(f"(({kind.value}){value.text})", kind, value.level)

    def _converted(self, context: Context, kind: FloatKind, level: Level, depth: int) -> Number:
        """From another kind, or an operator between single and double precision."""
        if kind is _DOUBLE and self._choices.chance(2):
            left, right = self.of(context, _FLOAT, level, depth + 1), self.of(context, kind, level, depth + 1)
            return self._joined(f"({{}} {self._choices.pick(_OPERATORS)} {{}})", kind, left, right)
        source = self._choices.pick([other for other in FloatKind if other is not kind])
        return self._joined(_CASTS[kind, source], kind, self.of(context, source, level, depth + 1))

    def _joined(self, template: str, kind: FloatKind, *operands: Number) -> Number:
        text = template.format(*(one.text for one in operands))
        return Number(text if text[0] != "-" else f"({text})", kind, max(one.level for one in operands))
