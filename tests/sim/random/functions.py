"""Random device functions: plain ones that are inlined, and one that calls itself."""

from __future__ import annotations

from typing import Final, final

from analysis.divergence.levels import Level
from tests.sim.random.choices import Choices
from tests.sim.random.expressions import Expressions
from tests.sim.random.lines import Lines
from tests.sim.random.scope import S32, STORED, Context, Expression, Memory, Scope, Variable
from tests.sim.random.statements import Statements

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

    def __init__(self, choices: Choices, scope: Scope) -> None:
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
        return "".join(parts)

    def _function(self, name: str) -> str:
        own = Scope(self._scope.warp_size, self._scope.grid, self._scope.block)
        own.features = self._scope.features
        own.functions = list(self._scope.functions)
        own.constants += [Expression.read(letter, S32, Level.VARYING) for letter in "ab"]
        own.inputs.append(Memory("table", S32, (8,)))
        choices, lines = self._choices, Lines()
        expressions = Expressions(choices, own)
        context = Context(Level.VARYING, depth=2, rounds=4, in_function=True)
        for index in range(choices.between(1, 3)):
            kind = choices.pick((S32, *STORED))
            lines.declare(f"{kind.name} c{index} = {expressions.leaf(context, Level.VARYING).text};")
            own.variables.append(Variable(f"c{index}", kind, Level.VARYING))
        statements = Statements(choices, own, expressions, lines, None)
        statements.left = 2
        statements.some(context)
        result = expressions.converted(expressions.value(context), S32)
        lines.add(f"return {result.text};")
        return f"__device__ int {name}(int a, int b) {{\n{lines.text()}\n}}\n"
