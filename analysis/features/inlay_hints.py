"""Levels or forms of declared variables, shown after their names; costs of accesses to memory, behind them."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Final, assert_never, final

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import FunctionFacts, VariableFact
from analysis.features.access_hover import access_cost
from analysis.features.access_words import has_bank_conflict, is_uncoalesced, kind_words, label
from analysis.features.source_step import plain_step, source_steps
from analysis.features.value_form import value_form_at
from analysis.ir.record import record
from analysis.rules.access_text import address_span
from analysis.rules.source_text import FunctionText
from analysis.rules.stride_text import symbolic_stride
from analysis.rules.wording import LEVEL_LABELS, LEVEL_WORDS


class InlayHintMode(Enum):
    """Which variables get a hint; the values are those of the setting."""

    OFF = "off"
    VARYING = "varying"
    FORMS = "forms"
    """As `VARYING`, with the linear form in place of the word where there is one."""
    ALL = "all"


class MemoryHintMode(Enum):
    """Which accesses to memory get a hint; the values are those of the setting."""

    OFF = "off"
    COSTLY = "costly"
    ALL = "all"


class InlayHintKind(Enum):
    """What a hint is about."""

    VARIABLE = "variable"
    MEMORY = "memory"


@final
@record
class InlayHint:
    """`label` belongs right after `offset`, the end of a variable's name or of an access; `tooltip` is plain text."""

    offset: int
    kind: InlayHintKind
    label: str
    tooltip: str


MAX_LABEL: Final = 32
"""A longer form would push the code aside."""


def inlay_hints(
    analysis: FileAnalysis,
    mode: InlayHintMode,
    memory: MemoryHintMode = MemoryHintMode.OFF,
    start: int = 0,
    end: int | None = None,
) -> tuple[InlayHint, ...]:
    """The hints of the file between two offsets, in text order."""
    last = len(analysis.document.text) if end is None else end
    hints: dict[tuple[int, InlayHintKind, str], InlayHint] = {}
    for function in analysis.facts.functions:
        if function.active and function.start < last and start < function.end:
            for hint in (
                *_variable_hints(analysis, function, mode, start, last),
                *_memory_hints(analysis, function, memory, start, last),
            ):
                hints[hint.offset, hint.kind, hint.label] = hint
    return tuple(sorted(hints.values(), key=lambda hint: hint.offset))


def _variable_hints(
    analysis: FileAnalysis, function: FunctionFacts, mode: InlayHintMode, start: int, end: int
) -> Iterator[InlayHint]:
    for variable in function.variables:
        offset = function.start + variable.span.end
        if start <= offset <= end and variable.name and _is_wanted(mode, function, variable):
            form = None if mode is not InlayHintMode.FORMS else _form(analysis, function, variable)
            words = LEVEL_LABELS[variable.declared_level] if form is None else form
            yield InlayHint(offset, InlayHintKind.VARIABLE, words, _tooltip(analysis, function, variable))


def _memory_hints(
    analysis: FileAnalysis, function: FunctionFacts, mode: MemoryHintMode, start: int, end: int
) -> Iterator[InlayHint]:
    if mode is MemoryHintMode.OFF:
        return
    text = FunctionText(analysis.facts.path, analysis.document, function)
    for access in function.accesses:
        if mode is MemoryHintMode.ALL or is_uncoalesced(access) or has_bank_conflict(access):
            words = label(access, symbolic_stride(analysis, function, access))
            offset = text.end(address_span(text, access))
            if words is not None and start <= offset <= end:
                tooltip = f"{kind_words(access)}, {access_cost(analysis, function, access)}"
                yield InlayHint(offset, InlayHintKind.MEMORY, words, tooltip)


def _form(analysis: FileAnalysis, function: FunctionFacts, variable: VariableFact) -> str | None:
    form = value_form_at(analysis, function, function.start + variable.span.start).form
    return form if form is not None and len(form) <= MAX_LABEL else None


def _is_wanted(mode: InlayHintMode, function: FunctionFacts, variable: VariableFact) -> bool:
    match mode:
        case InlayHintMode.OFF:
            return False
        case InlayHintMode.VARYING | InlayHintMode.FORMS:
            # A parameter of a function without known callers varies for want of knowledge: no news on every line.
            assumed = variable.is_parameter and not function.callers_known
            return variable.declared_level is Level.VARYING and not assumed
        case InlayHintMode.ALL:
            return True
        case _:
            assert_never(mode)


def _tooltip(analysis: FileAnalysis, function: FunctionFacts, variable: VariableFact) -> str:
    verdict = f"{variable.name} is {LEVEL_WORDS[variable.declared_level]}"
    if variable.is_parameter and not function.callers_known and variable.declared_level is Level.VARYING:
        return f"{verdict}: no caller is known, so nothing is assumed about this parameter"
    if variable.declared_level is Level.GRID:
        return verdict
    offset = function.start + variable.span.start
    form = value_form_at(analysis, function, offset).words()
    verdict += f", {form}" if form else ""
    expression = analysis.expression_at(offset)
    steps = () if expression is None else source_steps(analysis, expression.why)
    return "\n".join((verdict, *map(plain_step, steps)))
