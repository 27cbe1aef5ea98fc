"""The heaviest common subsequence of several sequences: how much of their work can be aligned?

Exact by dynamic programming over all positions for two sequences, and for more where the product of their lengths is
small; otherwise bounded: from below by folding the sequences one after the other into what they have in common, from
above by the worst pair and by what all of them contain.
Cost       O(product of the lengths), at most `max_cells`.
Source     The multiple longest common subsequence problem; Maier, "The complexity of some problems on subsequences and
           supersequences", JACM 1978 (NP-hard in the number of sequences).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product
from math import prod
from typing import TypeAlias, final

from analysis.ir.record import record

Symbols: TypeAlias = tuple[int, ...]

MAX_PAIRS = 16


@final
@record
class Alignment:
    """The heaviest common subsequence weighs at least `low` and at most `high`."""

    low: int
    high: int

    @property
    def is_exact(self) -> bool:
        return self.low == self.high


def align(
    sequences: Sequence[Symbols], weights: Mapping[int, int], max_cells: int, check: Callable[[], None] = lambda: None
) -> Alignment:
    """`weights` by symbol, none negative; equal sequences count once.  `check` is called often, and may raise."""
    different = sorted(set(sequences), key=len)
    if len(different) == 1:
        whole = sum(weights[symbol] for symbol in different[0])
        return Alignment(whole, whole)
    start, end = _shared_ends(different)
    sure = sum(weights[symbol] for symbol in (*different[0][:start], *different[0][len(different[0]) - end :]))
    middles = [sequence[start : len(sequence) - end] for sequence in different]
    inner = _align_middles(middles, weights, max_cells, check)
    return Alignment(sure + inner.low, sure + inner.high)


def _align_middles(
    sequences: Sequence[Symbols], weights: Mapping[int, int], max_cells: int, check: Callable[[], None]
) -> Alignment:
    check()
    if not all(sequences):
        return Alignment(0, 0)
    if prod(len(sequence) + 1 for sequence in sequences) <= max_cells:
        best = _heaviest(sequences, weights)
        return Alignment(best, best)
    high = _contained_in_all(sequences, weights)
    folded: Symbols | None = sequences[0]
    for sequence in sequences[1:]:
        if len(folded) * len(sequence) > max_cells:
            folded = None
            break
        check()
        folded = _common(folded, sequence, weights)
    for one, other in list(combinations(sequences, 2))[:MAX_PAIRS]:
        if len(one) * len(other) <= max_cells:
            check()
            high = min(high, _weight(_common(one, other, weights), weights))
    return Alignment(0 if folded is None else _weight(folded, weights), high)


def _shared_ends(sequences: Sequence[Symbols]) -> tuple[int, int]:
    """Lengths of what all begin with and all end with: some best alignment pairs these with each other."""
    shortest = min(map(len, sequences))
    start = 0
    while start < shortest and len({sequence[start] for sequence in sequences}) == 1:
        start += 1
    end = 0
    while end < shortest - start and len({sequence[-1 - end] for sequence in sequences}) == 1:
        end += 1
    return start, end


def _heaviest(sequences: Sequence[Symbols], weights: Mapping[int, int]) -> int:
    """Exact, over every combination of positions."""
    best: dict[tuple[int, ...], int] = {}
    for cell in product(*(range(len(sequence) + 1) for sequence in sequences)):
        if 0 in cell:
            best[cell] = 0
            continue
        found = max(best[(*cell[:axis], cell[axis] - 1, *cell[axis + 1 :])] for axis in range(len(cell)))
        ends = {sequence[at - 1] for sequence, at in zip(sequences, cell, strict=True)}
        if len(ends) == 1:
            found = max(found, best[tuple(at - 1 for at in cell)] + weights[ends.pop()])
        best[cell] = found
    return best[tuple(map(len, sequences))]


def _common(one: Symbols, other: Symbols, weights: Mapping[int, int]) -> Symbols:
    """A heaviest common subsequence of two."""
    rows: list[list[int]] = [[0] * (len(other) + 1)]
    for symbol in one:
        above, row = rows[-1], [0]
        for index, against in enumerate(other):
            both = above[index] + weights[symbol] if symbol == against else 0
            row.append(max(above[index + 1], row[index], both))
        rows.append(row)
    chosen: list[int] = []
    i, j = len(one), len(other)
    while i and j:
        if rows[i][j] == rows[i - 1][j]:
            i -= 1
        elif rows[i][j] == rows[i][j - 1]:
            j -= 1
        else:
            chosen.append(one[i - 1])
            i, j = i - 1, j - 1
    return tuple(reversed(chosen))


def _contained_in_all(sequences: Sequence[Symbols], weights: Mapping[int, int]) -> int:
    shared = Counter(sequences[0])
    for sequence in sequences[1:]:
        shared &= Counter(sequence)
    return sum(weights[symbol] * count for symbol, count in shared.items())


def _weight(symbols: Symbols, weights: Mapping[int, int]) -> int:
    return sum(weights[symbol] for symbol in symbols)
