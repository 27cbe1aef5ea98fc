"""Forms or levels of declared variables, shown after their names; costs of accesses to memory, behind them.

Rules    At most one hint in a line, the dearest access or else the first form, unless all variables or all accesses are
         asked for; what the others would say is in its tooltip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from typing import assert_never, final

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import AccessFact, FunctionFacts, VariableFact
from analysis.features.access_hover import access_cost
from analysis.features.access_words import has_bank_conflict, is_uncoalesced, kind_words
from analysis.features.hint_words import access_label, form_label, may_shorten
from analysis.features.source_step import plain_step, source_steps
from analysis.features.value_form import FunctionForms
from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.ir.types import MemorySpace
from analysis.rules.access_text import address_span
from analysis.rules.source_text import FunctionText
from analysis.rules.wording import LEVEL_LABELS, LEVEL_WORDS


class InlayHintMode(Enum):
    """Which variables get a hint; the values are those of the setting."""

    OFF = "off"
    VARYING = "varying"
    FORMS = "forms"
    """How they depend on the thread, where that is known and the declaration does not say it."""
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


def inlay_hints(
    analysis: FileAnalysis,
    mode: InlayHintMode,
    memory: MemoryHintMode = MemoryHintMode.OFF,
    start: int = 0,
    end: int | None = None,
) -> tuple[InlayHint, ...]:
    """The hints of the file between two offsets, in text order."""
    last = len(analysis.document.text) if end is None else end
    found: dict[tuple[int, InlayHintKind, str], _Candidate] = {}
    for function in paced(analysis.facts.functions):
        if function.active and function.start < last and start < function.end:
            for one in (
                *_variable_hints(analysis, function, mode, start, last),
                *_memory_hints(analysis, function, memory, start, last),
            ):
                found[one.hint.offset, one.hint.kind, one.hint.label] = one
    candidates = sorted(found.values(), key=lambda one: one.hint.offset)
    if mode is InlayHintMode.ALL or memory is MemoryHintMode.ALL:
        return tuple(one.hint for one in candidates)
    lines: dict[int, list[_Candidate]] = {}
    for one in paced(candidates, 2):
        lines.setdefault(analysis.document.lines.line_of(one.hint.offset), []).append(one)
    return tuple(_one_of(line) for line in paced(lines.values(), 5))


@final
@record
class _Candidate:
    """`lost`: how many times the cost that would do, 0 for a variable; `subject`: what the hint is about."""

    hint: InlayHint
    lost: float
    subject: str


def _one_of(line: Sequence[_Candidate]) -> InlayHint:
    shown = max(line, key=lambda one: one.lost)  # the first of equals
    others = [f"{one.subject}: {one.hint.tooltip.splitlines()[0]}" for one in line if one is not shown]
    return replace(shown.hint, tooltip="\n".join((shown.hint.tooltip, *others)))


def _variable_hints(
    analysis: FileAnalysis, function: FunctionFacts, mode: InlayHintMode, start: int, end: int
) -> Iterator[_Candidate]:
    forms = FunctionForms(analysis, function)
    label = _label_maker(analysis, function, forms) if mode is InlayHintMode.FORMS else _level_of
    for variable in paced(function.variables, 100):
        offset = function.start + variable.span.end
        if start <= offset <= end and variable.name and _is_wanted(mode, function, variable):
            words = label(variable)
            if words is not None:
                tooltip = _tooltip(analysis, function, forms, variable)
                yield _Candidate(InlayHint(offset, InlayHintKind.VARIABLE, words, tooltip), 0, variable.name)


def _level_of(variable: VariableFact) -> str:
    return LEVEL_LABELS[variable.declared_level]


def _memory_hints(
    analysis: FileAnalysis, function: FunctionFacts, mode: MemoryHintMode, start: int, end: int
) -> Iterator[_Candidate]:
    if mode is MemoryHintMode.OFF:
        return
    text = FunctionText(analysis.facts.path, analysis.document, function)
    for access in paced(function.accesses, 20):
        if mode is MemoryHintMode.ALL or is_uncoalesced(access) or has_bank_conflict(access):
            words = access_label(access)
            span = address_span(text, access)
            offset = text.end(span)
            if words is not None and start <= offset <= end:
                tooltip = f"{kind_words(access)}, {access_cost(analysis, function, access)}"
                hint = InlayHint(offset, InlayHintKind.MEMORY, words, tooltip)
                yield _Candidate(hint, _lost(access), text.quoted(span))


def _lost(access: AccessFact) -> float:
    request = access.request
    assert request is not None, "an access with a label"
    if access.space is MemorySpace.SHARED:
        return request.bank_ways or 1
    sectors = request.sectors if request.far_apart is None else request.far_apart.sectors
    return (sectors or 1) / (request.ideal_sectors or 1)


def _label_maker(
    analysis: FileAnalysis, function: FunctionFacts, forms: FunctionForms
) -> Callable[[VariableFact], str | None]:
    text = analysis.document.text[function.start : function.end]
    tid = next((known for known in function.variables if known.name == "tid"), None)
    of_tid = None if tid is None else forms.at(function.start + tid.span.start).form
    is_short = may_shorten(function, text, of_tid)

    def label(variable: VariableFact) -> str | None:
        form = forms.at(function.start + variable.span.start)
        return form_label(form, text, variable, may_shorten=is_short)

    return label


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


def _tooltip(analysis: FileAnalysis, function: FunctionFacts, forms: FunctionForms, variable: VariableFact) -> str:
    verdict = f"{variable.name} is {LEVEL_WORDS[variable.declared_level]}"
    if variable.is_parameter and not function.callers_known and variable.declared_level is Level.VARYING:
        return f"{verdict}: no caller is known, so nothing is assumed about this parameter"
    if variable.declared_level is Level.GRID:
        return verdict
    offset = function.start + variable.span.start
    form = forms.at(offset).words()
    verdict += f", {form}" if form else ""
    expression = analysis.expression_at(offset)
    steps = () if expression is None else source_steps(analysis, expression.why)
    return "\n".join((verdict, *map(plain_step, steps)))
