"""Everything the analysis can say about one line, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, final

from analysis.divergence.levels import Level
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import BarrierFact, BranchFact, ExpressionFact, FunctionFacts, OpaqueFact, VariableFact
from analysis.facts.syntax_errors import syntax_errors
from analysis.features.access_words import conflict_words, has_bank_conflict, is_uncoalesced
from analysis.features.barrier_orders import order_lines
from analysis.features.barrier_reason import barrier_reason
from analysis.features.branch_words import price_words
from analysis.features.callers_text import callers_text
from analysis.features.explain_access import explain_accesses
from analysis.features.launch_text import block_text, launches_text
from analysis.features.meld_words import meld_outcome, meld_words
from analysis.features.source_step import SourceStep, plain_step, source_step, source_steps, without_repeats
from analysis.features.summary import counts_in_words, deciding_level, is_divergent, one_per_place, summarize
from analysis.features.told_together import told_together
from analysis.features.value_form import value_form_at
from analysis.ir.function import FunctionKind, SourceBranchKind
from analysis.ir.record import record
from analysis.ir.source import OWN_FRAME, Span
from analysis.meld.settings import DEFAULT_MELD_SETTINGS, MeldSettings
from analysis.refactor.meld.model import Obstacle, Refusal
from analysis.rules.access_text import address_span
from analysis.rules.check import check
from analysis.rules.condition import condition_text, keyword_text
from analysis.rules.settings import RuleSettings
from analysis.rules.source_text import FunctionText, one_line
from analysis.rules.unlaunched_text import unlaunched_text
from analysis.rules.wording import CONVERGENCE_WORDS, LEVEL_WORDS, SCOPE_WORDS, grade_words
from analysis.syntax.lexing import HIDDEN, IDENTIFIER
from analysis.verdict.barriers import BarrierVerdict, Tier


@final
@record
class ExplainedItem:
    """One function, branch, barrier, access, variable, opaque or finding on the line.

    `what` names it, `verdict` answers in a sentence, `details` are more of them; `varies` tells whether threads differ
    or part there.
    """

    start: int
    end: int
    what: str
    verdict: str
    why: tuple[SourceStep, ...]
    place: str | None
    why_not_convergent: tuple[SourceStep, ...]
    varies: bool
    details: tuple[str, ...] = ()


@final
@record
class Explanation:
    """`line` counts from 1; `summary` stands for the items when there are none ("nothing varies here")."""

    line: int
    source: str
    function: str | None
    summary: str
    items: tuple[ExplainedItem, ...]


def explain_line(analysis: FileAnalysis, line: int, meld: MeldSettings = DEFAULT_MELD_SETTINGS) -> Explanation:
    """What stands on a line (from 1), each with its chain; `meld` says how arms would be melded."""
    if not 1 <= line <= analysis.document.lines.line_count:
        count = analysis.document.lines.line_count
        return Explanation(line, "", None, f"the file has {count} lines", ())
    start = analysis.document.lines.line_start(line - 1)
    source = one_line(analysis.document.lines.line_text(line - 1))
    end = start + len(analysis.document.lines.line_text(line - 1))
    functions = _functions(analysis, start, end)
    if not functions:
        return Explanation(line, source, None, "no device function stands on this line", ())
    name = " and ".join(function.name for function in functions)
    if not any(function.active for function in functions):
        return Explanation(line, source, name, f"`{name}` is excluded by `#if`: nothing is known about it", ())
    broken = next(syntax_errors(functions, analysis.document.lines), None)
    if broken is not None:
        return Explanation(line, source, name, broken.message, ())
    items = _items(analysis, functions, start, end, meld)
    return Explanation(line, source, name, _summary(items), items)


def render_explanation(explanation: Explanation) -> str:
    """As plain text, for a terminal."""
    function = "" if explanation.function is None else f" in {explanation.function}"
    lines = [f"line {explanation.line}{function}: {explanation.source}".rstrip(": ")]
    if not explanation.items or explanation.summary == NOTHING_VARIES:
        lines.append(f"  {explanation.summary}")
    for item in explanation.items:
        lines.append(f"  {item.what}: {item.verdict}")
        lines += [f"    {detail}" for detail in item.details]
        lines += _chain(item.why)
        if item.place is not None:
            lines.append(f"    {item.place}")
        lines += _chain(item.why_not_convergent)
    return "\n".join(lines)


NOTHING_VARIES: Final = "nothing varies here"
_WITHOUT_TWO_ARMS: Final = (Obstacle.NOT_A_STATEMENT, Obstacle.ONE_ARM)
MAX_PLACES: Final = 12
"""A function's line shows so many places, barriers before branches: an editor shows the text in a message."""


def _chain(steps: Sequence[SourceStep]) -> Iterator[str]:
    return (f"      {plain_step(step)}" for step in without_repeats(steps))


def _summary(items: Sequence[ExplainedItem]) -> str:
    varying = sum(item.varies for item in items)
    if not varying:
        return NOTHING_VARIES
    if len(items) == 1:
        return "not the same for all threads of the grid"
    return f"not the same for all threads of the grid in {varying} of {len(items)} places"


def _functions(analysis: FileAnalysis, start: int, end: int) -> tuple[FunctionFacts, ...]:
    return tuple(
        function for function in analysis.facts.functions if function.start <= end and start < max(function.end, 1)
    )


def _items(
    analysis: FileAnalysis, functions: Sequence[FunctionFacts], start: int, end: int, meld: MeldSettings
) -> tuple[ExplainedItem, ...]:
    items: list[ExplainedItem] = []
    for function in functions:
        line = _Line(analysis, FunctionText(analysis.facts.path, analysis.document, function), start, end, meld)
        if function.active:
            items += [line.function()] if line.has(function.name_span) else []
            items += [line.branch(fact) for fact in function.branches if line.has(fact.keyword)]
            items += [line.barrier(fact) for fact in function.barriers if line.has(fact.span)]
            items += [line.variable(fact) for fact in function.variables if fact.name and line.has(fact.span)]
            items += [line.opaque(fact) for fact in one_per_place(function.opaque) if line.has(fact.span)]
    items += _findings_at_calls(analysis, start, end)
    if not items and functions[0].active:
        items = _Line(
            analysis, FunctionText(analysis.facts.path, analysis.document, functions[0]), start, end, meld
        ).values()
    for function in functions:
        if function.active:
            items += _Line(
                analysis, FunctionText(analysis.facts.path, analysis.document, function), start, end, meld
            ).accesses()
    return tuple(sorted(items, key=lambda item: (item.start, item.end)))


@final
@record
class _Line:
    """One line of one function."""

    analysis: FileAnalysis
    text: FunctionText
    start: int
    end: int
    meld: MeldSettings

    def has(self, span: Span) -> bool:
        return span.frame == OWN_FRAME and self.start <= self.text.start(span) <= self.end

    def function(self) -> ExplainedItem:
        """The function whose name stands here: what is counted above it in an editor, and where that is."""
        function = self.text.function
        places = [
            (fact.span, f"{'unsafe' if fact.verdict is BarrierVerdict.DIVERGENT else 'unproven'} barrier")
            for fact in function.barriers
            if fact.verdict is not BarrierVerdict.CONVERGENT
        ]
        places += [(fact.keyword, "divergent branch") for fact in function.branches if is_divergent(fact)]
        places += [
            (address_span(self.text, access), "uncoalesced") for access in function.accesses if is_uncoalesced(access)
        ]
        places += [
            (address_span(self.text, access), conflict_words(access))
            for access in function.accesses
            if has_bank_conflict(access)
        ]
        places += [(fact.span, f"opaque: {fact.construct}") for fact in one_per_place(function.opaque)]
        places = list(dict.fromkeys(places))  # `a[i] += 1` reads and writes there
        shown = sorted(places[:MAX_PLACES], key=lambda place: place[0].start)
        steps = [source_step(self.analysis, self.text.location(span), words, words) for span, words in shown]
        kind = "kernel" if function.kind is FunctionKind.KERNEL else "device function"
        callers = callers_text(self.analysis, function)
        cut = f"; {MAX_PLACES} of them" if len(places) > MAX_PLACES else ""
        is_launched = bool(self.analysis.launch_places(function))
        launched = launches_text(block_text(self.analysis.launch_of(function)), self.analysis, function, most=None)
        unlaunched = None if function.unlaunched is None else unlaunched_text(function.unlaunched)
        return ExplainedItem(
            self.text.start(function.name_span),
            self.text.end(function.name_span),
            f"{kind} `{function.name}`",
            counts_in_words(summarize(self.analysis, function))
            + cut
            + "".join(f"; {one}" for one in (callers, unlaunched) if one is not None),
            tuple(steps),
            None,
            (),
            bool(steps),
            (launched,) if is_launched and launched is not None else (),
        )

    def branch(self, fact: BranchFact) -> ExplainedItem:
        condition = condition_text(self.text, fact)
        level = deciding_level(fact)
        is_call = fact.kind is SourceBranchKind.CALL
        subject = "the trip count" if fact.trips is not None else "the function" if is_call else "the condition"
        link = "through" if is_call else "on"
        words = None
        if fact.grade is not None:
            words = grade_words(fact.grade, of_loop=fact.trips is not None, last_along=fact.last_along)
        grade = "" if words is None else f"; {words}"
        steps = self.analysis.why_branch(self.text.function, fact)
        convergent, why_not_convergent = self.analysis.arrival_at(self.text.function, fact)
        return ExplainedItem(
            self.text.start(fact.keyword),
            self.text.end(fact.keyword),
            f"`{keyword_text(self.text, fact)}`" + ("" if condition is None else f" {link} `{condition}`"),
            f"{subject} is {LEVEL_WORDS[level]}{grade}",
            () if level is Level.GRID else source_steps(self.analysis, steps),
            CONVERGENCE_WORDS[convergent],
            source_steps(self.analysis, why_not_convergent),
            level is not Level.GRID,
            (*self.prices(fact), *self.melding(fact)),
        )

    def prices(self, fact: BranchFact) -> Iterator[str]:
        """Of the branch, then with those that a finding tells together with it."""
        words = price_words(fact, self.text.function)
        yield from words
        together = told_together(self.text, fact) if words and not fact.is_unreached else ""
        if together:
            yield together

    def melding(self, fact: BranchFact) -> tuple[str, ...]:
        """Whether the two arms of a divergent branch can be melded, as far as that can be said without running them."""
        outcome = meld_outcome(self.analysis, self.text.function, fact, self.meld)
        if outcome is None or (isinstance(outcome, Refusal) and outcome.obstacle in _WITHOUT_TWO_ARMS):
            return ()
        words = meld_words(outcome, self.text.function).rstrip(".")
        return (words[0].lower() + words[1:],)

    def barrier(self, fact: BarrierFact) -> ExplainedItem:
        reason = barrier_reason(self.analysis, self.text.function, fact)
        verdict = f"{fact.verdict.value}" if reason is None else f"{fact.verdict.value}: {reason.sentence}"
        steps = self.analysis.why_not_convergent(self.text.function, fact)
        return ExplainedItem(
            self.text.start(fact.span),
            self.text.end(fact.span),
            f"{SCOPE_WORDS[fact.scope]} `{self.text.quoted(fact.span)}`",
            verdict,
            () if fact.verdict is BarrierVerdict.CONVERGENT else source_steps(self.analysis, steps),
            None,
            (),
            fact.verdict is not BarrierVerdict.CONVERGENT,
            order_lines(self.analysis, self.text.function, fact),
        )

    def accesses(self) -> list[ExplainedItem]:
        return [
            ExplainedItem(
                self.text.start(found.span),
                self.text.end(found.span),
                f"`{self.text.quoted(found.span)}`",
                found.verdict,
                (),
                None,
                (),
                not found.is_uniform,
                found.details,
            )
            for found in explain_accesses(self.analysis, self.text, self.start, self.end)
        ]

    def _level(self, level: Level, offset: int) -> str:
        """`varying, = 4*threadIdx.x + n`."""
        form = value_form_at(self.analysis, self.text.function, offset).words()
        return LEVEL_WORDS[level] + (f", {form}" if form else "")

    def variable(self, fact: VariableFact) -> ExplainedItem:
        expression = self.analysis.expression_at(self.text.start(fact.span))
        assumed = fact.is_parameter and not self.text.function.callers_known and fact.declared_level is Level.VARYING
        return ExplainedItem(
            self.text.start(fact.span),
            self.text.end(fact.span),
            f"`{fact.name}`",
            self._level(fact.declared_level, self.text.start(fact.span))
            + (": no caller is known, so nothing is assumed about it" if assumed else ""),
            () if expression is None else source_steps(self.analysis, expression.why),
            None if expression is None or fact.is_parameter else CONVERGENCE_WORDS[expression.convergent],
            () if expression is None or fact.is_parameter else self._why_not(expression),
            fact.declared_level is not Level.GRID,
        )

    def value(self, fact: ExpressionFact, offset: int) -> ExplainedItem:
        return ExplainedItem(
            self.text.start(fact.span),
            self.text.end(fact.span),
            f"`{self.text.quoted(fact.span)}`",
            self._level(fact.level, offset),
            source_steps(self.analysis, fact.why),
            CONVERGENCE_WORDS[fact.convergent],
            self._why_not(fact),
            fact.level is not Level.GRID,
        )

    def values(self) -> list[ExplainedItem]:
        """The names on the line that are not uniform, once each: for lines that declare and decide nothing."""
        found: dict[str, ExplainedItem] = {}
        for offset in _names(self.analysis.document.text, self.start, self.end):
            fact = self.analysis.expression_at(offset)
            if fact is not None and fact.level is not Level.GRID and not self._is_access(fact):
                item = self.value(fact, offset)
                found.setdefault(item.what, item)
        return list(found.values())

    def _is_access(self, fact: ExpressionFact) -> bool:
        """What is loaded or stored has an item of its own."""
        return any(
            fact.span in (access.span, address_span(self.text, access)) for access in self.text.function.accesses
        )

    def _why_not(self, fact: ExpressionFact) -> tuple[SourceStep, ...]:
        return source_steps(self.analysis, fact.why_not_convergent)

    def opaque(self, fact: OpaqueFact) -> ExplainedItem:
        return ExplainedItem(
            self.text.start(fact.span),
            self.text.end(fact.span),
            f"`{self.text.quoted(fact.span)}`",
            f"opaque to the analysis ({fact.construct}), so its result counts as varying",
            (),
            None,
            (),
            True,
        )


def _names(text: bytes, start: int, end: int) -> Iterator[int]:
    """The offsets of identifiers outside comments and strings."""
    blanked = HIDDEN.sub(lambda match: b" " * len(match[0]), text[start:end])
    return (start + match.start() for match in IDENTIFIER.finditer(blanked))


def _findings_at_calls(analysis: FileAnalysis, start: int, end: int) -> list[ExplainedItem]:
    """What is reported at a call because of a barrier in the called function; its own line shows nothing of it."""
    settings = RuleSettings(select=frozenset({"SYN104"}), tiers=frozenset(Tier))
    return [
        ExplainedItem(
            found.start,
            found.end,
            f"call `{one_line(analysis.document.text[found.start : found.end])}`",
            found.message,
            (),
            None,
            (),
            True,
        )
        for found in check(analysis, settings)
        if start <= found.start <= end
    ]
