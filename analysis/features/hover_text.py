"""A hover as text: first the verdict, then why, then the place.

Both forms say the same; `_Style` is all that differs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, assert_never, final

from analysis.divergence.levels import Level
from analysis.facts.model import StepKind
from analysis.features.hover_info import (
    BarrierSubject,
    BranchSubject,
    FunctionSubject,
    HoverInfo,
    LaunchSubject,
    Subject,
    ValueSubject,
)
from analysis.features.source_step import SourceStep, place_text, without_repeats
from analysis.ir.function import SourceBranchKind
from analysis.ir.record import record
from analysis.rules.wording import CONVERGENCE_WORDS, LEVEL_WORDS, SCOPE_WORDS, counted, grade_words
from analysis.verdict.barriers import BarrierVerdict, Tier

MAX_STEPS: Final = 6
"""A longer chain shows its first and last links; `explain` shows all."""


def render_markdown(info: HoverInfo) -> str:
    """For editors that show Markdown."""
    return "\n\n".join(_paragraphs(info, _MARKDOWN))


def render_text(info: HoverInfo) -> str:
    """For editors and terminals that do not."""
    return "\n".join(_paragraphs(info, _PLAIN))


@final
@record
class _Style:
    strong: Callable[[str], str]
    code: Callable[[str], str]
    prose: Callable[[str], str]
    item: str


def _markdown_code(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`"


_OUTSIDE_CODE: Final = re.compile(r"(`[^`]*`)|([*_<\[\]\\])")


def _escaped(text: str) -> str:
    """Words that may quote code in backticks; what Markdown would read as markup elsewhere is escaped."""
    return _OUTSIDE_CODE.sub(lambda match: match[1] or "\\" + match[2], text)


_MARKDOWN: Final = _Style(lambda text: f"**{text}**", _markdown_code, _escaped, "- ")
_PLAIN: Final = _Style(str, str, str, "  ")


def _paragraphs(info: HoverInfo, style: _Style) -> Iterator[str]:
    yield _first_line(info.subject, style)
    detail = _detail(info.subject, style)
    if detail:
        yield detail
    remarks = _remarks(info.subject)
    if remarks:
        yield "\n".join(style.item + style.prose(line) for line in remarks)
    if isinstance(info.subject, LaunchSubject):
        yield from _of_kernel(info.subject, style)
    if info.why:
        yield "\n".join(_steps(info.why, style))
    if info.convergent is not None:
        yield _place(info.convergent, info.why_not_convergent, style)
    if info.opaque:
        yield "\n".join((style.prose("Opaque to the analysis, so treated as varying:"), *_steps(info.opaque, style)))


def _first_line(subject: Subject, style: _Style) -> str:
    match subject:
        case ValueSubject(text=text, type=type_name, level=level):
            verdict = f"{style.code(text)} is {style.strong(LEVEL_WORDS[level])}"
            return verdict + (f" · {style.code(type_name)}" if type_name else "")
        case BranchSubject():
            return style.strong(_branch_verdict(subject))
        case BarrierSubject():
            return style.strong(_barrier_verdict(subject))
        case FunctionSubject():
            return style.strong(function_verdict(subject))
        case LaunchSubject(kernel=kernel, place=place):
            where = "; its definition is not in sight" if place is None else f", defined in {place}"
            return f"launch of {style.code(kernel)}{style.prose(where)}"
        case _:
            assert_never(subject)


def _of_kernel(subject: LaunchSubject, style: _Style) -> Iterator[str]:
    """What the name of the kernel shows where it is defined."""
    if subject.summary is not None:
        yield f"{style.code(subject.kernel)}: {style.strong(function_verdict(subject.summary))}"
        detail = _detail(subject.summary, style)
        if detail:
            yield detail


def _remarks(subject: Subject) -> tuple[str, ...]:
    match subject:
        case ValueSubject(accesses=accesses):
            return accesses
        case BranchSubject(price=price):
            return price
        case BarrierSubject(orders=orders):
            return orders
        case FunctionSubject():
            return ()
        case LaunchSubject(passed=passed, problems=problems):
            return *problems, *passed
        case _:
            assert_never(subject)


def _branch_verdict(subject: BranchSubject) -> str:
    if subject.trips is not None:
        return f"trip count {LEVEL_WORDS[subject.trips]}"
    subject_words = "function that is called" if subject.kind is SourceBranchKind.CALL else "condition"
    return f"{subject_words} {LEVEL_WORDS[subject.level]}"


def function_verdict(subject: FunctionSubject) -> str:
    """`1 of 2 branches divergent · no barrier unsafe`."""
    branches = _share(subject.divergent_branches, subject.branches, "branch", "branches", "divergent")
    if subject.bounds_checks and not subject.divergent_branches:
        branches = f"{branches} but {counted(subject.bounds_checks, 'bounds check')}"
    parts = [branches]
    if subject.barriers:
        parts.append(_share(subject.unsafe_barriers, subject.barriers, "barrier", "barriers", "unsafe"))
    return " · ".join(parts)


def _share(count: int, total: int, noun: str, plural: str, what: str) -> str:
    """`2 of 5 branches divergent`, `no branch divergent`, `no branches`."""
    if not total:
        return f"no {plural}"
    return f"{count} of {counted(total, noun, plural)} {what}" if count else f"no {noun} {what}"


def _barrier_verdict(subject: BarrierSubject) -> str:
    words = SCOPE_WORDS[subject.scope]
    match subject.verdict:
        case BarrierVerdict.CONVERGENT:
            return f"convergent {words}"
        case BarrierVerdict.DIVERGENT:
            return f"divergent {words}"
        case BarrierVerdict.UNKNOWN:
            return f"{words} of unknown convergence"
        case _:
            assert_never(subject.verdict)


def _detail(subject: Subject, style: _Style) -> str:
    match subject:
        case ValueSubject(form=form):
            return style.code(form) if form else ""
        case BranchSubject(level=level, grade=grade, trips=trips, last_along=last):
            parts = [grade_words(grade, of_loop=trips is not None, last_along=last)] if grade is not None else []
            if trips is not None and trips is not level:
                parts.append(f"the condition alone is {LEVEL_WORDS[level]}")
            return style.prose("; ".join(parts))
        case BarrierSubject(reason=reason, tier=tier):
            return style.prose(f"{reason or ''}{_tier_words(tier)}".strip())
        case FunctionSubject():
            return style.prose(_function_detail(subject))
        case LaunchSubject(shape=shape):
            return style.prose(" · ".join(shape))
        case _:
            assert_never(subject)


def _tier_words(tier: Tier | None) -> str:
    return "" if tier is None or tier is Tier.PROVEN else f" ({tier.value}, not proven)"


def _function_detail(subject: FunctionSubject) -> str:
    parts: list[str] = []
    if subject.block is not None:
        parts.append(subject.block)
    if not subject.callers_known:
        parts.append("no caller known: its parameters count as varying")
    if subject.callers is not None:
        parts.append(subject.callers)
    return " · ".join(parts)


_ABOUT_PATHS: Final = (StepKind.CONTROL, StepKind.TIME)


def _place(convergent: Level, why_not: tuple[SourceStep, ...], style: _Style) -> str:
    """Who arrives here together, and the nearest branch that is to blame."""
    words = CONVERGENCE_WORDS[convergent]
    sentence = style.prose(words[0].upper() + words[1:])
    blamed = next((step for step in why_not if step.kind not in _ABOUT_PATHS and step.source), None)
    if blamed is None or blamed.source is None:
        return sentence
    return f"{sentence}: {place_text(blamed)} {style.code(blamed.source)}"


def _steps(steps: tuple[SourceStep, ...], style: _Style) -> Iterator[str]:
    steps = without_repeats(steps)
    shown = steps if len(steps) <= MAX_STEPS else (*steps[: MAX_STEPS // 2], *steps[-(MAX_STEPS // 2) :])
    for index, step in enumerate(shown):
        if len(shown) < len(steps) and index == MAX_STEPS // 2:
            yield f"{style.item}{style.prose(f'… {len(steps) - len(shown)} more')}"
        yield style.item + _step(step, style)


def _step(step: SourceStep, style: _Style) -> str:
    if not step.source:
        return f"{place_text(step)}: {style.prose(step.text)}"
    remark = f" ({style.prose(step.remark)})" if step.remark else ""
    return f"{place_text(step)}: {style.code(step.source)}{remark}"
