"""Levels of declared variables, shown after their names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import assert_never, final

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts, VariableFact
from analysis.features.source_step import plain_step, source_steps
from analysis.rules.wording import LEVEL_LABELS, LEVEL_WORDS


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
    if mode is InlayHintMode.OFF:
        return ()
    last = len(analysis.document.text) if end is None else end
    hints = {
        hint.offset: hint
        for function in analysis.facts.functions
        if function.active and function.start < last and start < function.end
        for hint in _hints(analysis, function, mode, start, last)
    }
    return tuple(hints[offset] for offset in sorted(hints))


def _hints(
    analysis: FileAnalysis, function: FunctionFacts, mode: InlayHintMode, start: int, end: int
) -> Iterator[InlayHint]:
    for variable in function.variables:
        offset = function.start + variable.span.end
        if start <= offset <= end and variable.name and _is_wanted(mode, function, variable):
            yield InlayHint(
                offset, LEVEL_LABELS[variable.level], variable.level, _tooltip(analysis, function, variable)
            )


def _is_wanted(mode: InlayHintMode, function: FunctionFacts, variable: VariableFact) -> bool:
    match mode:
        case InlayHintMode.OFF:
            return False
        case InlayHintMode.VARYING:
            # A parameter of a function without known callers varies for want of knowledge: no news on every line.
            assumed = variable.is_parameter and not function.callers_known
            return variable.level is Level.VARYING and not assumed
        case InlayHintMode.ALL:
            return True
        case _:
            assert_never(mode)


def _tooltip(analysis: FileAnalysis, function: FunctionFacts, variable: VariableFact) -> str:
    verdict = f"{variable.name} is {LEVEL_WORDS[variable.level]}"
    if variable.is_parameter and not function.callers_known and variable.level is Level.VARYING:
        return f"{verdict}: no caller is known, so nothing is assumed about this parameter"
    if variable.level is Level.GRID:
        return verdict
    expression = analysis.expression_at(function.start + variable.span.start)
    steps = () if expression is None else source_steps(analysis, expression.why)
    return "\n".join((verdict, *map(plain_step, steps)))
