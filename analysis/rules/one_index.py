"""Which wasteful accesses would one change of the index mend, so that they are one finding?

Rules    Two sites of different arrays whose lanes are equally far apart, by the same number or the same product of
         names, and which stand in one innermost loop, or else in one statement or in neighbouring ones: it is the way
         in which lanes are mapped to elements that a person would change, and the rest follows.
         Only what would be reported alone is joined, and only of one tier and one kernel.
Limits   Found from the text, so statements that a macro hides are not neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import TypeVar

from analysis.facts.model import AccessFact
from analysis.ir.function import SourceBranchKind
from analysis.ir.source import Span
from analysis.rules.access_text import Site
from analysis.rules.source_text import FunctionText
from analysis.syntax.lexing import without_hidden

Found = TypeVar("Found")


def by_one_index(
    text: FunctionText, found: Sequence[Found], site_of: Callable[[Found], Site], distance_of: Callable[[Found], object]
) -> list[list[Found]]:
    """In the order of the first of each group; `distance_of` is equal where lanes are equally far apart."""
    groups: list[list[Found]] = []
    for one in found:
        alike = (group for group in groups if distance_of(group[0]) == distance_of(one))
        near = next(
            (group for group in alike if any(_near(text, site_of(other), site_of(one)) for other in group)), None
        )
        if near is None:
            groups.append([one])
        else:
            near.append(one)
    return groups


def _near(text: FunctionText, one: Site, other: Site) -> bool:
    return any(_are_near(text, *pair) for pair in product(_accesses(one), _accesses(other)))


def _accesses(site: Site) -> tuple[AccessFact, ...]:
    return site.first, *site.others


def _are_near(text: FunctionText, one: AccessFact, other: AccessFact) -> bool:
    loop = _innermost_loop(text, one)
    if loop != _innermost_loop(text, other):
        return False
    return loop is not None or _are_neighbours(text, *sorted((one.span, other.span), key=lambda span: span.start))


def _innermost_loop(text: FunctionText, access: AccessFact) -> Span | None:
    around = (
        branch.extent
        for branch in text.function.branches
        if branch.kind is SourceBranchKind.LOOP
        and branch.extent.start <= access.span.start
        and access.span.end <= branch.extent.end
    )
    return min(around, key=lambda extent: extent.end - extent.start, default=None)


def _are_neighbours(text: FunctionText, first: Span, second: Span) -> bool:
    between = without_hidden(text.bytes(Span(first.end, second.start))) if first.end < second.start else b""
    return between.count(b";") <= 1 and b"{" not in between and b"}" not in between
