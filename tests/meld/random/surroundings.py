"""Where a statement of a random arm stands, and what it may name there."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import final

from analysis.divergence.levels import Level
from tests.meld.random.names import CELLS, OUTPUTS
from tests.meld.random.tree import Genes
from tests.sim.random.choices import Choices, Replayed
from tests.sim.random.expressions import Expressions
from tests.sim.random.numbers import Numbers
from tests.sim.random.scope import Context, Expression, FloatKind, IntegerKind, Memory, Number, Scope, Variable


@final
@dataclass(frozen=True, slots=True)
class Arm:
    """`guarded`: what may be computed only here, because of the condition; `mask` names the lanes of the warp that
    come here, where that is known; `loops`: which of `break` and `continue` belong to a loop of the arm."""

    guarded: tuple[Expression, ...] = ()
    mask: str = ""
    may_return: bool = True


@final
@dataclass(frozen=True, slots=True)
class Inside:
    """`breaks`, `continues`: whether such a jump stays inside the arm; `alone`: fewer lanes may be here than came to
    the arm; `loops` counts the loops around."""

    arm: Arm
    breaks: bool = False
    continues: bool = False
    alone: bool = False
    loops: int = 0


@final
@dataclass(slots=True)
class Surroundings:
    """Names in scope, grown and shrunken while the text is written."""

    scope: Scope
    numbers: list[Number] = field(default_factory=list[Number])
    """Floating-point variables that may be assigned."""
    cells: tuple[Memory, ...] = ()
    """Pointers into what the thread owns; they alias each other."""
    own_tiles: tuple[Memory, ...] = ()
    readable: tuple[Memory, ...] = ()
    returned: bool = False
    """Some thread may have left the kernel."""
    has_lambda: bool = False
    """`nudge(by)` changes `a0`."""
    _labels: int = 0
    _declared: list[set[str]] = field(default_factory=lambda: [set[str]()])

    @property
    def context(self) -> Context:
        return Context(Level.VARYING, readable=(*self.readable, *self.cells))

    def reader(self, genes: Genes) -> tuple[Choices, Expressions, Numbers]:
        """The genes as choices, and who writes expressions from them."""
        choices = Choices(Replayed(genes))
        expressions = Expressions(choices, self.scope)
        numbers = Numbers(choices, self.scope, expressions)
        return choices, expressions, numbers

    @contextmanager
    def block(self) -> Generator[None]:
        """Declarations inside end with it, and what they hide comes back."""
        scope = self.scope
        kept = list(scope.variables), list(scope.constants), list(scope.numbers), list(self.numbers)
        self._declared.append(set())
        yield
        self._declared.pop()
        scope.variables[:], scope.constants[:], scope.numbers[:], self.numbers[:] = kept

    def declare(self, name: str) -> str:
        """A name that this block does not declare yet; what it hides can no longer be named."""
        while name in self._declared[-1]:
            name += "_"
        self._declared[-1].add(name)
        scope = self.scope
        scope.variables[:] = [one for one in scope.variables if one.name != name]
        scope.constants[:] = [one for one in scope.constants if one.text != name]
        scope.numbers[:] = [one for one in scope.numbers if one.text != name]
        self.numbers[:] = [one for one in self.numbers if one.text != name]
        return name

    def new_label(self) -> str:
        self._labels += 1
        return f"skip{self._labels}"

    def add_variable(self, name: str, kind: IntegerKind) -> None:
        self.scope.variables.append(Variable(name, kind, Level.VARYING))

    def add_constant(self, name: str, kind: IntegerKind, low: int, high: int) -> None:
        self.scope.constants.append(Expression(name, kind, low, high, Level.VARYING))

    def add_number(self, name: str, kind: FloatKind) -> None:
        number = Number(name, kind, Level.VARYING)
        self.numbers.append(number)
        self.scope.numbers.append(number)

    def output(self, array: str, choice: int) -> str:
        """An element that belongs to the thread."""
        total = self.scope.threads * self.scope.blocks
        if array == "out":
            return f"out[{choice % OUTPUTS} * {total} + i]"
        return f"{array}[i * {OUTPUTS} + {choice % OUTPUTS}]"

    def own_cell(self, index: str) -> str:
        return f"cells[i * {CELLS} + {index}]"
