"""What does the warp see here?  One answer per place: a value, a branch, a barrier or a function's name."""

from __future__ import annotations

from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import BarrierFact, BranchFact, ExpressionFact, FunctionFacts, OpaqueFact
from analysis.features.access_hover import access_lines
from analysis.features.barrier_orders import order_lines
from analysis.features.barrier_reason import barrier_reason
from analysis.features.branch_words import price_words
from analysis.features.callers_text import callers_text
from analysis.features.hover_info import BarrierSubject, BranchSubject, FunctionSubject, HoverInfo, ValueSubject
from analysis.features.launch_text import block_text, launches_text
from analysis.features.source_step import SourceStep, source_step, source_steps
from analysis.features.summary import one_per_place, summarize
from analysis.features.value_form import has_one_value, value_form_at
from analysis.ir.function import SourceBranchKind
from analysis.ir.source import OWN_FRAME, Span
from analysis.rules.source_text import FunctionText


def hover_at(analysis: FileAnalysis, offset: int) -> HoverInfo | None:
    """What to show at a byte offset; None where the analysis has nothing to say."""
    function = analysis.facts.function_at(offset)
    if function is None or not function.active:
        return None
    if _contains(function, function.name_span, offset):
        return _function_hover(analysis, function)
    branch = _innermost_branch(function, offset)
    expression = analysis.expression_at(offset)
    if branch is not None and not (expression is not None and _is_inside_call(branch, expression.span)):
        return _branch_hover(analysis, function, branch)
    barrier = _barrier_at(function, offset)
    if barrier is not None and (expression is None or _covers(expression.span, barrier.span)):
        return _barrier_hover(analysis, function, barrier)
    return None if expression is None else _value_hover(analysis, function, expression, offset)


def _contains(function: FunctionFacts, span: Span, offset: int) -> bool:
    return span.frame == OWN_FRAME and function.start + span.start <= offset < function.start + span.end


def _covers(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _is_inside_call(branch: BranchFact, expression: Span) -> bool:
    """A call whose function is chosen at run time is a branch as a whole: what stands in it has values of its own."""
    is_smaller = _covers(branch.keyword, expression) and not _covers(expression, branch.keyword)
    return branch.kind is SourceBranchKind.CALL and is_smaller


def _innermost_branch(function: FunctionFacts, offset: int) -> BranchFact | None:
    hit = [branch for branch in function.branches if _contains(function, branch.keyword, offset)]
    return min(hit, key=lambda branch: branch.extent.end - branch.extent.start, default=None)


def _barrier_at(function: FunctionFacts, offset: int) -> BarrierFact | None:
    return next((barrier for barrier in function.barriers if _contains(function, barrier.span, offset)), None)


def function_subject(analysis: FileAnalysis, function: FunctionFacts) -> FunctionSubject:
    """What its name shows, where it is defined and where it is launched."""
    summary = summarize(analysis, function)
    return FunctionSubject(
        function.name,
        function.kind,
        summary.branches,
        summary.divergent_branches,
        summary.bounds_checks,
        summary.barriers,
        summary.unsafe_barriers,
        summary.opaque,
        launches_text(block_text(analysis.launch_of(function)), analysis, function),
        function.callers_known,
        callers_text(analysis, function),
    )


def _function_hover(analysis: FileAnalysis, function: FunctionFacts) -> HoverInfo:
    subject = function_subject(analysis, function)
    text = _text(analysis, function)
    return HoverInfo(
        text.start(function.name_span),
        text.end(function.name_span),
        subject,
        (),
        None,
        (),
        _opaque_steps(analysis, function, function.opaque),
    )


def _branch_hover(analysis: FileAnalysis, function: FunctionFacts, branch: BranchFact) -> HoverInfo:
    text = _text(analysis, function)
    convergent, why_not_convergent = analysis.arrival_at(function, branch)
    return HoverInfo(
        text.start(branch.keyword),
        text.end(branch.keyword),
        BranchSubject(
            branch.kind,
            branch.level,
            branch.grade,
            branch.trips,
            price_words(branch, function),
            branch.last_along,
        ),
        source_steps(analysis, analysis.why_branch(function, branch)),
        convergent,
        source_steps(analysis, why_not_convergent),
        (),
    )


def _barrier_hover(analysis: FileAnalysis, function: FunctionFacts, barrier: BarrierFact) -> HoverInfo:
    text = _text(analysis, function)
    reason = barrier_reason(analysis, function, barrier)
    return HoverInfo(
        text.start(barrier.span),
        text.end(barrier.span),
        BarrierSubject(
            barrier.scope,
            barrier.verdict,
            None if reason is None else reason.tier,
            None if reason is None else reason.sentence,
            order_lines(analysis, function, barrier),
        ),
        source_steps(analysis, analysis.why_not_convergent(function, barrier)),
        None,
        (),
        (),
    )


def _value_hover(analysis: FileAnalysis, function: FunctionFacts, expression: ExpressionFact, offset: int) -> HoverInfo:
    text = _text(analysis, function)
    is_parameter = any(known.is_parameter and known.span == expression.span for known in function.variables)
    start, end = _on_one_line(text, expression.span, offset)
    return HoverInfo(
        start,
        end,
        ValueSubject(
            text.start(expression.span),
            text.end(expression.span),
            text.quoted(expression.span),
            expression.type if has_one_value(analysis, function, offset) else "",
            expression.level,
            value_form_at(analysis, function, offset).words(),
            access_lines(analysis, function, offset),
        ),
        source_steps(analysis, expression.why),
        None if is_parameter else expression.convergent,
        () if is_parameter else source_steps(analysis, expression.why_not_convergent),
        _opaque_steps(analysis, function, expression.opaque),
    )


def _on_one_line(text: FunctionText, span: Span, offset: int) -> tuple[int, int]:
    """Where an expression stands; of one of several lines (often a macro's call) its part on the line pointed at."""
    part = text.bytes(span)
    at = offset - text.start(span)
    first = part.rfind(b"\n", 0, at) + 1
    last = part.find(b"\n", at)
    line = part[first : len(part) if last < 0 else last]
    start = text.start(span) + first + len(line) - len(line.lstrip())
    return start, start + len(line.strip())


def _opaque_steps(
    analysis: FileAnalysis, function: FunctionFacts, opaque: tuple[OpaqueFact, ...]
) -> tuple[SourceStep, ...]:
    text = _text(analysis, function)
    return tuple(
        source_step(analysis, text.location(fact.span), fact.construct, fact.construct)
        for fact in one_per_place(opaque)
    )


def _text(analysis: FileAnalysis, function: FunctionFacts) -> FunctionText:
    return FunctionText(analysis.facts.path, analysis.document, function)
