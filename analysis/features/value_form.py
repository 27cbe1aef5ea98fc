"""How does a value depend on the thread, and between which numbers does it lie?  Merged over the calls of a function.

Said     only what is news: not a form that repeats the expression, not a range that the type or the hardware gives.
Merging  One form if all calls agree; if only their thread parts do, that part and `…`.  The widest range.
Cost     The names of one view at a time, and no more calls than `MAX_CALLS`: a hover must not wait.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Final, final

from analysis.affine.interval import Interval, type_range
from analysis.affine.linear_form import LinearForm
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.merge import FrameView
from analysis.facts.model import FunctionFacts
from analysis.ir.function import VariableId
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import IntegerType, PointerType
from analysis.rules.form_names import names_of
from analysis.rules.form_text import REGISTER_NAMES, UNNAMED, FormText, FormWriter, element_size, joined
from analysis.rules.source_text import one_line

MAX_CALLS: Final = 16
MAX_SPAN: Final = 1 << 20
"""A wider range is the type's, less what some comparison took away."""
MAX_SPAN_OF_ANY_BLOCK: Final = 1022
"""Where the launch is not known, a wider one only says how large a block can be at most."""

_TOKEN: Final = re.compile(r"[A-Za-z_]\w*|\d+|…")


@final
@record
class ValueForm:
    """`form` in source terms, None where it says no more than the text; `low` to `high`, None where that is no news.

    `thread`: the part of the form that differs between threads, None where nothing does.
    `is_exact`: False where the form holds only if index arithmetic did not wrap before it was widened.
    """

    form: str | None
    low: int | None
    high: int | None
    is_exact: bool = True
    thread: str | None = None

    def words(self) -> str:
        """`= 4*threadIdx.x + n, from 0 to 1020`; empty where there is nothing to tell."""
        condition = "" if self.is_exact else " if no index wraps"
        parts = [] if self.form is None else [f"= {self.form}{condition}"]
        if self.low is not None and self.high is not None:
            parts.append(f"from {self.low} to {self.high}")
        return ", ".join(parts)


NO_FORM: Final = ValueForm(None, None, None)


@final
class FunctionForms:
    """What is asked of many places of one function takes one walk over each of its views."""

    def __init__(self, analysis: FileAnalysis, function: FunctionFacts) -> None:
        self._analysis = analysis
        self._function = function
        self._text = analysis.document.text[function.start : function.end]
        self._assigned_again: dict[int, frozenset[Span]] = {}

    def at(self, offset: int) -> ValueForm:
        """Of the innermost expression or declared name at a file offset."""
        found = list(islice(self._analysis.values_at(self._function, offset), MAX_CALLS + 1))
        if not found or len(found) > MAX_CALLS:
            return NO_FORM
        own = one_line(self._text[found[0][1].start : found[0][1].end])
        if self._is_assigned_again(found[0][0], found[0][1]) or _is_of_several_values(found):
            return NO_FORM
        merged = _merged(self._forms(found))
        form = None if merged is None else _news(merged.whole, own)
        thread = None if merged is None else merged.thread or None
        ranges = [_range(view, value, block) for view, _, value, block in found]
        widest = _joined(ranges)
        is_number = widest is not None and widest.low == widest.high
        is_limit = own in REGISTER_NAMES.values() and not own.startswith("threadIdx")  # of the hardware
        is_exact = all(_is_exact(view, value, block) for view, _, value, block in found)
        if widest is None or is_number or is_limit:
            return ValueForm(form, None, None, is_exact, thread)
        return ValueForm(form, widest.low, widest.high, is_exact, thread)

    def _is_assigned_again(self, view: FrameView, span: Span) -> bool:
        """A declared name whose first value is not the only one: what holds of that value does not hold of the name."""
        known = self._assigned_again.get(id(view.root))
        if known is None:
            function = view.root.function
            times = Counter(each.variable for each in paced(function.definitions))
            declared = enumerate(paced(function.variables))
            known = frozenset(variable.span for number, variable in declared if times[VariableId(number)] > 1)
            self._assigned_again[id(view.root)] = known
        return span in known

    def _forms(self, found: list[tuple[FrameView, Span, ValueId, BasicBlockId]]) -> Iterator[FormText | None]:
        for view, span, value, block in found:
            form = view.root.affine.form_at(value, block)
            yield None if form is None else self._written(view, span, value, form)

    def _written(self, view: FrameView, span: Span, value: ValueId, form: LinearForm) -> FormText | None:
        match view.root.function.types[value]:
            case IntegerType():
                return self._writer(view, span).integer(form)
            case PointerType():
                return self._writer(view, span).pointer(form, element_size(view, value))
            case _:
                return None

    def _writer(self, view: FrameView, span: Span) -> FormWriter:
        return FormWriter(view, names_of(self._analysis, self._function, view), span.end)


def value_form_at(analysis: FileAnalysis, function: FunctionFacts, offset: int) -> ValueForm:
    """Of the innermost expression or declared name at a file offset."""
    return FunctionForms(analysis, function).at(offset)


def has_one_value(analysis: FileAnalysis, function: FunctionFacts, offset: int) -> bool:
    """Whether the text of the innermost expression stands for one value in each call: a macro's may for many."""
    found = list(islice(analysis.values_at(function, offset), MAX_CALLS + 1))
    return not _is_of_several_values(found)


def _is_of_several_values(found: list[tuple[FrameView, Span, ValueId, BasicBlockId]]) -> bool:
    """Whether one text stands for several values of one call, as a macro's does: what holds of a part is no answer."""
    values = {(id(view.root), view.frame, span.start, value) for view, span, value, _ in found}
    return len(values) > len({entry[:3] for entry in values})


def _is_exact(view: FrameView, value: ValueId, block: BasicBlockId) -> bool:
    form = view.root.affine.form_at(value, block)
    return form is None or form.exact


def _merged(forms: Iterator[FormText | None]) -> FormText | None:
    """None as soon as two calls do not even share their thread part."""
    first: FormText | None = None
    for form in forms:
        if form is None:
            return None
        if first is None:
            first = form
        elif form.thread != first.thread:
            return None
        elif form.whole != first.whole:
            first = FormText(first.thread, joined(first.thread, UNNAMED))
    return first


def _news(form: str, own: str) -> str | None:
    """Not the expression's own text, in whatever order; not a form without any name or number in it."""
    if form == UNNAMED:
        return None
    return None if sorted(_TOKEN.findall(form)) == sorted(_TOKEN.findall(own)) else form


def _range(view: FrameView, value: ValueId, block: BasicBlockId) -> Interval | None:
    type_ = view.root.function.types[value]
    if not isinstance(type_, IntegerType):
        return None
    found = view.root.affine.range_at(value, block)
    span = MAX_SPAN if view.root.launch.shapes else MAX_SPAN_OF_ANY_BLOCK
    return found if found.high - found.low <= span and found != type_range(type_) else None


def _joined(ranges: list[Interval | None]) -> Interval | None:
    """None where one of them is no news."""
    widest: Interval | None = None
    for found in ranges:
        if found is None:
            return None
        widest = found if widest is None else widest.join(found)
    return widest
