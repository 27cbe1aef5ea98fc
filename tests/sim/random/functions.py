"""Random device functions: plain ones that are inlined, one that calls itself, ones for whole warps and of structs."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, final

from analysis.divergence.levels import Level
from tests.sim.random.choices import Choices
from tests.sim.random.expressions import Expressions
from tests.sim.random.lines import Lines
from tests.sim.random.numbers import Numbers
from tests.sim.random.scope import (
    PAIR,
    S32,
    STORED,
    Context,
    Expression,
    FloatKind,
    Memory,
    Number,
    Scope,
    Variable,
)
from tests.sim.random.statements import Statements
from tests.sim.random.together import Together

RECURSIVE: Final = """__device__ int deep_(int depth, int a, int b) {
  if (depth <= 0) return a;
  int left = deep_(depth - 1, (int)((unsigned)a * 3u + (unsigned)b), a);
  if ((left & 3) == 1) return left;
  return (int)((unsigned)left + (unsigned)deep_(depth - 2, b, left));
}
__device__ int deep(int a, int b) { return deep_((a ^ b) & 3, a, b); }
"""


@final
class Functions:
    """Writes functions and names them in the kernel's scope."""

    def __init__(self, choices: Choices, scope: Scope, *, has_numbers: bool) -> None:
        self._has_numbers = has_numbers
        self._choices = choices
        self._scope = scope

    def text(self) -> str:
        parts: list[str] = []
        for index in range(self._choices.below(2)):
            name = f"f{index}"
            parts.append(self._function(name))
            self._scope.functions.append(name)
            self._scope.features.add("function")
        if self._choices.chance(8):
            parts.append(RECURSIVE)
            self._scope.functions.append("deep")
            self._scope.features.add("recursion")
        if self._choices.chance(4):
            parts.append(self._struct_function("g0"))
            self._scope.struct_functions.append("g0")
        if self._scope.warp_size <= 32 and self._choices.chance(4):
            parts.append(self._warp_function("h0"))
            self._scope.warp_functions.append("h0")
        return "".join(parts)

    def _function(self, name: str) -> str:
        body = _Body(self._choices, self._scope, self._has_numbers)
        body.own.constants += [Expression.read(letter, S32, Level.VARYING) for letter in "ab"]
        context = Context(Level.VARYING, depth=2, rounds=4, in_function=True)
        body.declare(context)
        body.statements.some(context)
        return f"__device__ int {name}(int a, int b) {{\n{body.text(context)}\n}}\n"

    def _struct_function(self, name: str) -> str:
        """Takes a struct by value, changes its copy, and returns it."""
        body = _Body(self._choices, self._scope, self._has_numbers)
        body.own.constants.append(Expression.read("a", S32, Level.VARYING))
        body.own.variables += [Variable(f"p.{member}", kind, Level.VARYING) for member, kind in PAIR]
        context = Context(Level.VARYING, depth=2, rounds=4, in_function=True, returns=False)
        body.statements.some(context)
        body.lines.add("return p;")
        return f"__device__ Pair {name}(Pair p, int a) {{\n{body.lines.text()}\n}}\n"

    def _warp_function(self, name: str) -> str:
        """Its lanes exchange values: whole warps call it, and nobody leaves before its end."""
        body = _Body(self._choices, self._scope, self._has_numbers)
        body.own.constants += [Expression.read(letter, S32, Level.VARYING) for letter in "ab"]
        context = Context(Level.VARYING, depth=2, rounds=4, in_function=True, returns=False)
        body.declare(context)
        together = Together(self._choices, body.own, body.expressions, body.lines, (), ())
        for _ in range(self._choices.between(1, 2)):
            together.exchange(replace(context, level=Level.WARP))
            body.statements.some(context, 2)
        return f"__device__ int {name}(int a, int b) {{\n{body.text(context)}\n}}\n"


@final
class _Body:
    """The inside of a function, with a scope of its own."""

    def __init__(self, choices: Choices, scope: Scope, has_numbers: bool) -> None:
        self.own = Scope(scope.warp_size, scope.grid, scope.block)
        self.own.features = scope.features
        self.own.functions = list(scope.functions)
        self.own.inputs.append(Memory("table", S32, (8,)))
        self.lines = Lines()
        self._choices = choices
        self.expressions = Expressions(choices, self.own)
        numbers = Numbers(choices, self.own, self.expressions) if has_numbers else None
        self.expressions.numbers = numbers
        self.statements = Statements(choices, self.own, self.expressions, self.lines, None, numbers)
        self.statements.left = 2
        if numbers is not None:
            kind = choices.pick(tuple(FloatKind))
            self.lines.declare(f"{kind.value} e0 = ({kind.value})1.25f;")
            self.own.numbers.append(Number("e0", kind, Level.VARYING))

    def declare(self, context: Context) -> None:
        for index in range(self._choices.between(1, 3)):
            kind = self._choices.pick((S32, *STORED))
            self.lines.declare(f"{kind.name} c{index} = {self.expressions.leaf(context, Level.VARYING).text};")
            self.own.variables.append(Variable(f"c{index}", kind, Level.VARYING))

    def text(self, context: Context) -> str:
        """All statements, and an `int` that is returned."""
        result = self.expressions.converted(self.expressions.value(context), S32)
        self.lines.add(f"return {result.text};")
        return self.lines.text()
