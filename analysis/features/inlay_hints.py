"""Levels of declared variables, shown after their names."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import final

from analysis.divergence.levels import Level
from analysis.facts.analyzer import FileAnalysis


class InlayHintMode(Enum):
    """Which variables get a hint; the values are those of the setting."""

    OFF = "off"
    VARYING = "varying"
    ALL = "all"


@final
@dataclass(frozen=True, slots=True)
class InlayHint:
    """`label` belongs right after `offset`, the end of the variable's name; `tooltip` is plain text."""

    offset: int
    label: str
    level: Level
    tooltip: str


def inlay_hints(
    analysis: FileAnalysis, mode: InlayHintMode, start: int = 0, end: int | None = None
) -> tuple[InlayHint, ...]:
    """The hints of the file between two offsets, in text order."""
    raise NotImplementedError
