"""Spans around a place, found as a walk over all of them finds them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from analysis.facts.span_index import SpanIndex

SPANS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 6)).map(lambda one: (one[0], one[0] + one[1])))


@given(SPANS, st.integers(0, 14), st.integers(0, 4))
def test_all_spans_around_a_place_are_found_in_the_order_given(
    spans: list[tuple[int, int]], start: int, length: int
) -> None:
    end = start + length
    index = SpanIndex((first, last, number) for number, (first, last) in enumerate(spans))
    expected = [(*span, number) for number, span in enumerate(spans) if span[0] <= start and end <= span[1]]
    assert index.around(start, end) == expected


def test_nothing_stands_around_a_place_of_nothing() -> None:
    assert SpanIndex[int](()).around(0, 0) == []
