"""The alignment against brute force: every way to pair two short sequences is tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from analysis.meld.alignment import Alignment, align, align_runs

Scores = dict[tuple[int, int], float]


def all_pairings(left: int, right: int) -> Iterator[tuple[tuple[int, int], ...]]:
    for size in range(min(left, right) + 1):
        for lefts in combinations(range(left), size):
            for rights in combinations(range(right), size):
                yield tuple(zip(lefts, rights, strict=True))


def worth(pairs: Sequence[tuple[int, int]], scores: Scores, gap: float) -> float | None:
    """What an alignment with these pairs is worth; None where one of them must not be."""
    if any(pair not in scores for pair in pairs):
        return None
    inside = 0
    for (i, j), (k, m) in pairwise(pairs):
        inside += (k - i - 1) + (m - j - 1)
    return sum(scores[pair] for pair in pairs) - gap * inside


@st.composite
def problems(draw: st.DrawFn) -> tuple[int, int, Scores, float]:
    left, right = draw(st.integers(0, 5)), draw(st.integers(0, 5))
    places = [(i, j) for i in range(left) for j in range(right)]
    scores = draw(st.fixed_dictionaries({place: st.none() | st.integers(0, 9) for place in places}))
    gap = draw(st.integers(0, 4))
    return left, right, {place: float(score) for place, score in scores.items() if score is not None}, float(gap)


def aligned(left: int, right: int, scores: Scores, gap: float) -> Alignment:
    return align(range(left), range(right), lambda i, j: scores.get((i, j)), gap)


@given(problems())
def test_no_pairing_is_worth_more(problem: tuple[int, int, Scores, float]) -> None:
    left, right, scores, gap = problem
    found = aligned(left, right, scores, gap)
    best = max(w for pairs in all_pairings(left, right) if (w := worth(pairs, scores, gap)) is not None)
    assert found.score == best
    assert worth(found.pairs, scores, gap) == best


@given(problems())
def test_no_pairing_is_worth_more_where_a_gap_costs_once(problem: tuple[int, int, Scores, float]) -> None:
    left, right, scores, gap = problem

    def worth_in_runs(pairs: Sequence[tuple[int, int]]) -> float | None:
        if any(pair not in scores for pair in pairs):
            return None
        gaps = sum(then != (i + 1, j + 1) for (i, j), then in pairwise(pairs))
        return sum(scores[pair] for pair in pairs) - gap * gaps

    found = align_runs(range(left), range(right), lambda i, j: scores.get((i, j)), gap)
    best = max(w for pairs in all_pairings(left, right) if (w := worth_in_runs(pairs)) is not None)
    assert found.score == best
    assert worth_in_runs(found.pairs) == best
    assert [column.left for column in found.columns if column.left is not None] == list(range(left))
    assert [column.right for column in found.columns if column.right is not None] == list(range(right))


@given(problems())
def test_every_element_occurs_once_and_in_order(problem: tuple[int, int, Scores, float]) -> None:
    left, right, scores, gap = problem
    columns = aligned(left, right, scores, gap).columns
    assert [column.left for column in columns if column.left is not None] == list(range(left))
    assert [column.right for column in columns if column.right is not None] == list(range(right))
    assert all(column.left is not None or column.right is not None for column in columns)


def test_a_gap_inside_costs_and_one_outside_does_not() -> None:
    text, other = "xab", "aqb"
    found = align(text, other, lambda a, b: 5.0 if a == b else None, 2.0)
    assert found.pairs == ((1, 0), (2, 2))
    assert found.score == 8.0


def test_a_pair_that_does_not_pay_for_its_gaps_is_left_out() -> None:
    found = align("ab", "axxxb", lambda a, b: 5.0 if a == b else None, 2.0)
    assert len(found.pairs) == 1
    assert found.score == 5.0
