"""The final names of local variables: the author's own where nothing else would be captured, else a fresh one.

Rules     A variable keeps its name unless, where it is visible, another variable or a name from outside of the same
          spelling is used.  New variables get a name that occurs nowhere in the function, nor in a macro or among
          the names that all functions see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

from analysis.refactor.meld.gathering import FIRST_GATHERED
from analysis.refactor.meld.guards import FIRST_GUARD
from analysis.refactor.meld.structure import (
    Looping,
    Simple,
    Statement,
    bodies,
    declared,
    free_names,
    mapped,
    mentioned,
)
from analysis.refactor.meld.terms import Local, Term, term


class NoNameError(Exception):
    """A variable that a macro spells would have to get another name."""


def with_final_names(statements: Sequence[Statement], taken: frozenset[str]) -> tuple[Statement, ...]:
    """The statements with every local variable spelled; `taken` are the words that no new name may be."""
    names = _Namer(taken).names(statements)

    def spelled(found: Term) -> Term | None:
        if not isinstance(found.meaning, Local):
            return None
        return term(found.kind, (names.get(found.meaning, found.meaning.name),), meaning=found.meaning)

    return mapped(statements, spelled)


@final
class _Namer:
    def __init__(self, taken: frozenset[str]) -> None:
        self._taken = set(taken)
        self._names: dict[Local, str] = {}

    def names(self, statements: Sequence[Statement]) -> Mapping[Local, str]:
        self._visit(statements)
        return self._names

    def _visit(self, statements: Sequence[Statement]) -> None:
        """Names what these statements declare for those after them, then what they contain."""
        here: set[str] = set()
        for index, statement in enumerate(statements):
            if isinstance(statement, Simple):
                for local in statement.declares:
                    self._name(local, statements[index:], here)
            if isinstance(statement, Looping):
                for local in statement.declares:
                    self._name(local, (statement,), set())
            for body in bodies(statement):
                self._visit(body)

    def _name(self, local: Local, visible: Sequence[Statement], here: set[str]) -> None:
        name = self._names.get(local, local.name)
        if local in self._names and name not in here and not (name == local.name and self._clashes(local, visible)):
            here.add(name)
            return  # declared in both arms of a guard
        if local.number >= FIRST_GATHERED:
            name = self._fresh(local)
        elif self._clashes(local, visible) or name in here:
            if local.fixed:
                raise NoNameError
            name = self._fresh(local)
        here.add(name)
        self._names[local] = name

    def _clashes(self, local: Local, visible: Sequence[Statement]) -> bool:
        inside = declared(visible)
        others = mentioned(visible) - {local}
        spelled = {self._names.get(other, other.name) for other in others if other not in inside}
        return local.name in spelled or local.name in free_names(visible)

    def _fresh(self, local: Local) -> str:
        name = next((name for name in (local.name, *local.others) if name not in self._taken), local.name)
        base, number = name, 2
        while name in self._taken:
            name = f"{base}_{number}"
            number += 1
        self._taken.add(name)
        return name


assert FIRST_GATHERED < FIRST_GUARD, "new variables and guards count apart"
