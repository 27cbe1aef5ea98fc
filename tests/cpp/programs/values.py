"""Arguments for calls: variables of any type, with and without `const`, literals, temporaries, braces."""

from __future__ import annotations

from typing import Final, final

from tests.cpp.world import CLASSES, ENUMERATIONS, LITERALS, OBJECTS, SCALARS
from tests.sim.random.choices import Choices

_BEGIN: Final = {
    "FromInt": "{3}",
    "FromDouble": "{2.0}",
    "OnlyExplicit": "{4}",
    "Plain": " = PLAIN_A",
    "Scoped": " = Scoped::A",
    "Small": " = SMALL_A",
}


@final
class Values:
    """Hands out arguments, and declares the variables that they name."""

    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        self._named: dict[str, str] = {}

    @property
    def variables(self) -> list[str]:
        return list(self._named.values())

    def variable(self, type_: str, *, const: bool = False) -> str:
        """The variable of that type."""
        name = f"{'const_' if const else 'a_'}{type_.replace(' ', '_').lower()}"
        begin = _BEGIN.get(type_, "{}" if type_ in CLASSES else " = 1")
        self._named.setdefault(name, f"{'const ' if const else ''}{type_} {name}{begin};")
        return name

    def pointer(self, type_: str, *, const: bool = False) -> str:
        return f"&{self.variable(type_, const=const)}"

    def array(self, type_: str, length: int) -> str:
        name = f"array_of_{length}_{type_.replace(' ', '_').lower()}"
        self._named.setdefault(name, f"{type_} {name}[{length}] = {{}};")
        return name

    def number(self) -> str:
        """A variable or literal of arithmetic type."""
        if self._choices.chance(3):
            return self._choices.pick(LITERALS[:10])
        return self.variable(self._choices.pick(SCALARS), const=self._choices.chance(4))

    def any(self) -> str:
        """Whatever may stand in a call."""
        choices = self._choices
        match choices.below(9):
            case 0 | 1:
                return self.number()
            case 2:
                return choices.pick(LITERALS)
            case 3:
                return choices.pick(OBJECTS)
            case 4:
                return self.variable(choices.pick(CLASSES), const=choices.chance(3))
            case 5:
                return self.pointer(choices.pick((*SCALARS, *CLASSES[:4])), const=choices.chance(3))
            case 6:
                return self.variable(choices.pick(ENUMERATIONS), const=choices.chance(3))
            case 7:
                type_ = choices.pick((*SCALARS, *CLASSES[:4]))
                return f"static_cast<{type_} &&>({self.variable(type_)})"
            case _:
                return self.array(choices.pick(("int", "float", "char", "Base")), choices.between(2, 3))
