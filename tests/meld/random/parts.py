"""What one statement of a random arm is made from: its genes, and what is in scope where it stands."""

from __future__ import annotations

from typing import TypeAlias, final

from tests.meld.random.layout import Piece
from tests.meld.random.surroundings import Inside, Surroundings
from tests.meld.random.tree import Simple
from tests.sim.random.scope import S32, STORED, Expression, IntegerKind, Variable

Text: TypeAlias = "list[str | Piece]"


@final
class Parts:
    """Each answer takes genes, so the order of questions is part of the statement."""

    def __init__(self, surroundings: Surroundings, statement: Simple, inside: Inside) -> None:
        self.around = surroundings
        self.statement = statement
        self.inside = inside
        self.choices, self.expressions, self.numbers = surroundings.reader(statement.genes)
        self.context = surroundings.context
        self.features = surroundings.scope.features

    def value(self) -> Expression:
        return self.expressions.value(self.context)

    def as_int(self) -> str:
        return self.expressions.converted(self.value(), S32).text

    def small(self) -> str:
        """In [0, 1000)."""
        return self.expressions.limited(self.value(), 1000).text

    def condition(self) -> str:
        """In parentheses."""
        return self.expressions.condition(self.context)[0]

    def target(self, kinds: tuple[IntegerKind, ...] = STORED) -> Variable | None:
        """A variable of one of the types that may be assigned; None where none is in scope."""
        fitting = [one for one in self.around.scope.variables if one.kind in kinds]
        return self.choices.pick(fitting) if fitting else None

    def any_target(self) -> str:
        target = self.target()
        assert target is not None
        return target.name

    def cell(self) -> str:
        """An `int` in memory that belongs to the thread."""
        memory = self.choices.pick(self.around.cells)
        return self.expressions.element(self.context, memory)[0]

    def place(self) -> str:
        """An `int` in memory or in a variable."""
        target = self.target((S32,))
        return self.cell() if target is None or self.choices.chance(2) else target.name

    def index(self, length: int) -> str:
        return self.expressions.index(self.context, length, self.context.level, 1).text

    def new(self, stem: str) -> str:
        """A name that this block does not declare yet; what it hides can no longer be named."""
        return self.around.declare(f"{stem}{self.statement.name}")
