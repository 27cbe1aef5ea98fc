"""How far a walk of `preprocessing` has come, and what it has found so far; a copy goes on in its own way."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import final

from analysis.syntax.includes import IncludeUse
from analysis.syntax.items import Item
from analysis.syntax.macros import MacroTable
from analysis.syntax.problems import Problem


@final
@dataclass(slots=True)
class Preprocessed:
    """What a walk found."""

    macros: MacroTable = field(default_factory=MacroTable)
    items: list[Item] = field(default_factory=list[Item])
    included_items: list[Item] = field(default_factory=list[Item])
    includes: list[IncludeUse] = field(default_factory=list[IncludeUse])
    problems: list[Problem] = field(default_factory=list[Problem])
    inline_namespaces: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]])
    texts: dict[str, bytes] = field(default_factory=dict[str, bytes])

    def copy(self) -> Preprocessed:
        """Another one, which may go on in another way."""
        return Preprocessed(
            self.macros.copy(),
            [*self.items],
            [*self.included_items],
            [*self.includes],
            [*self.problems],
            {*self.inline_namespaces},
            {**self.texts},
        )


@final
@dataclass(slots=True)
class Branch:
    """One open conditional."""

    outer: bool
    active: bool
    taken: bool


@final
@dataclass(slots=True)
class WalkState:
    """How far a walk has come."""

    result: Preprocessed = field(default_factory=Preprocessed)
    order: int = 0
    branches: list[Branch] = field(default_factory=list[Branch])
    active: bool = True
    open_files: list[str] = field(default_factory=list[str])
    once: set[str] = field(default_factory=set[str])
    files: int = 0
    namespaces: set[str] = field(default_factory=set[str])

    def copy(self) -> WalkState:
        """Another walk that has come as far."""
        return replace(
            self,
            result=self.result.copy(),
            branches=[replace(branch) for branch in self.branches],
            open_files=[*self.open_files],
            once={*self.once},
            namespaces={*self.namespaces},
        )
