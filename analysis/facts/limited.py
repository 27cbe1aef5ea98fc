"""What was cut off because it would take too long, as problems of the file that name the place.

Rules    One problem per function: the first place, and how many more there are.
         A function that is not analysed at all says so at its name; others at what is opaque in them, at variables
         whose type was cut off, and at calls that were not followed because of the size of what they lead to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from analysis.facts.model import FileProblem, FunctionFacts, OpaqueFact, ProblemKind
from analysis.ir.function import Function
from analysis.ir.inline import RefusalReason, RefusedCall
from analysis.ir.instructions import Opaque
from analysis.ir.limits import CUT_OFF, Limit
from analysis.ir.source import FrameId, Span
from analysis.ir.types import ArrayType, PointerType, StructType, Type, UnknownType
from analysis.lower.program import Program
from analysis.syntax.items import Item
from analysis.syntax.problems import ProblemKind as SyntaxProblemKind


def cut_off_places(
    function: Function, opaques: Iterable[Opaque], refused: Iterable[RefusedCall]
) -> Iterator[tuple[FrameId, OpaqueFact]]:
    """Each place in the inlined function of which nothing is known, with the body that it belongs to."""
    for opaque in opaques:
        if opaque.construct in CUT_OFF:
            yield _place(opaque.span, opaque.construct)
    for variable in function.variables:
        spelling = _cut_off(variable.type, function)
        if spelling is not None:
            yield _place(variable.span, spelling)
    for call in refused:
        if call.reason is RefusalReason.BUDGET:
            yield _place(call.call, "a call of more code than is looked at in one function")


def unexpanded(program: Program, item: Item | None) -> tuple[OpaqueFact, ...]:
    """The uses of macros in a function that grow without bound."""
    problems = () if item is None else program.snippet(item).problems
    grown = (problem.span for problem in problems if problem.kind is SyntaxProblemKind.MACRO_GROWTH)
    return tuple(OpaqueFact(span, Limit.MACRO.value) for span in grown)


def _place(span: Span, construct: str) -> tuple[FrameId, OpaqueFact]:
    return span.frame, OpaqueFact(Span(span.start, span.end), construct)


def _cut_off(type: Type, function: Function) -> str | None:
    """What of a variable's type was cut off: all of it, or a member."""
    while isinstance(type, ArrayType | PointerType):
        type = type.element
    layout = function.structs.get(type.name) if isinstance(type, StructType) else None
    types = (type,) if layout is None else tuple(member.type for member in layout.fields)
    return next((one.spelling for one in types if isinstance(one, UnknownType) and one.spelling in CUT_OFF), None)


def limit_problem(facts: FunctionFacts) -> FileProblem | None:
    """What the user is told of a function that was not analysed, or not wholly."""
    if facts.is_too_large:
        name, message = facts.name_span, "is not analysed: it is too large; split it into smaller functions"
    elif facts.cut_off:
        name, more = facts.cut_off[0].span, len(facts.cut_off) - 1
        message = f"is not analysed here: {facts.cut_off[0].construct}"
        message += f"; nor in {more} more place{'s' * (more > 1)}" if more else ""
    else:
        return None
    start, end = facts.start + name.start, facts.start + name.end
    return FileProblem(ProblemKind.TOO_LARGE, start, end, f"{facts.name} {message}")
