"""The accesses to memory at a place: what a hover says about `a[i]`, one line for each.

A place is about an access if it is its array or pointer, its brackets, its members: not what stands in a subscript,
which is a place of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from analysis.access.model import AccessKind
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import AccessFact, FunctionFacts
from analysis.features.access_address import BY_DATA, why_unpredictable
from analysis.features.access_words import KIND_WORDS, SPACE_WORDS, cost_words
from analysis.ir.source import Span
from analysis.rules.access_text import address_span
from analysis.rules.source_text import FunctionText
from analysis.rules.stride_text import symbolic_stride


def access_lines(analysis: FileAnalysis, function: FunctionFacts, offset: int) -> tuple[str, ...]:
    """`load from global memory · stride 4 B, coalesced: 4 sectors (100 %)`; what has nothing to tell has no line."""
    kinds: dict[str, list[AccessFact]] = {}
    for access in accesses_at(analysis, function, offset):
        words = access_cost(analysis, function, access)
        if words is not None:
            kinds.setdefault(f"{SPACE_WORDS[access.space]} · {words}", []).append(access)
    return tuple(f"{kinds_in_words(found)} {line}" for line, found in kinds.items())


def access_cost(analysis: FileAnalysis, function: FunctionFacts, access: AccessFact) -> str | None:
    """`stride 4*n B: up to 32 sectors`, or why the data decides; None where nothing is known."""
    words = cost_words(access, symbolic_stride(analysis, function, access))
    if words is not None:
        return words
    blamed = why_unpredictable(analysis, function, access)
    return blamed.words() if blamed is not None and blamed.reason in BY_DATA else None


def accesses_at(analysis: FileAnalysis, function: FunctionFacts, offset: int) -> tuple[AccessFact, ...]:
    """The accesses with the smallest text around the place; `a[i] += 1` has two."""
    text = FunctionText(analysis.facts.path, analysis.document, function)
    relative = offset - function.start
    found = [(span, access) for span, access in _around(text, relative) if _is_about(text, span, relative)]
    shortest = min((span.end - span.start for span, _ in found), default=0)
    return tuple(access for span, access in found if span.end - span.start == shortest)


def _around(text: FunctionText, offset: int) -> Iterator[tuple[Span, AccessFact]]:
    for access in text.function.accesses:
        if access.span.start <= offset < access.span.end:
            span = address_span(text, access)
            if span.start <= offset < span.end:
                yield span, access


def _is_about(text: FunctionText, span: Span, offset: int) -> bool:
    before = text.bytes(Span(span.start, offset))
    at_bracket = text.bytes(Span(offset, offset + 1)) == b"]"
    return before.count(b"[") - before.count(b"]") <= at_bracket


def kinds_in_words(found: Collection[AccessFact]) -> str:
    """`load from`, `load from and store to`."""
    return " and ".join(KIND_WORDS[kind] for kind in AccessKind if any(access.kind is kind for access in found))
