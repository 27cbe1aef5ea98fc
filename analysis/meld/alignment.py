"""Which elements of two sequences belong together?  Smith and Waterman's local alignment, as a pure function.

A *pair* joins one element of each sequence.  Pairs keep the order of both sequences.  An element without a partner
stands in a *gap*.  Alignment is local: elements before the first pair and after the last one are gaps that cost
nothing, because a piece of code that belongs to one side alone needs no branch of its own there: the branch that parts
the sides is there already.  A gap between two pairs costs `gap` for each element, since it needs such a branch.

Answer    the alignment whose pairs' scores, less the gaps between pairs, add up to the most; all elements of both
          sequences occur in it, in order.  Of equal alignments the one whose pairs stand furthest to the front.
Cost      O(len(left) * len(right)) calls of `score` and as much memory.
Source    Smith and Waterman, J. Mol. Biol. 147 (1981); Saumya et al., CGO 2022, section IV-C: subgraphs are aligned
          with gap 0, instructions with gap 2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, final

from analysis.ir.record import record

Left = TypeVar("Left")
Right = TypeVar("Right")


@final
@record
class Aligned:
    """One column of an alignment: indices into both sequences, None for the side that has a gap there."""

    left: int | None
    right: int | None


@final
@record
class Alignment:
    """`columns` name every element of both sequences once; `score` is what the pairs are worth, less the gaps."""

    columns: tuple[Aligned, ...]
    score: float

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The columns without a gap."""
        return tuple(
            (column.left, column.right)
            for column in self.columns
            if column.left is not None and column.right is not None
        )


def align(
    left: Sequence[Left], right: Sequence[Right], score: Callable[[Left, Right], float | None], gap: float
) -> Alignment:
    """The best alignment; `score` is None where two elements must not be joined, and `gap` is at least 0."""
    scores = [[score(one, other) for other in right] for one in left]
    # best[i][j]: the most that an alignment of left[i:] and right[j:] is worth whose first column is a pair or a gap
    # that costs; 0 where it is better to stop.
    best = [[0.0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in range(len(left) - 1, -1, -1):
        for j in range(len(right) - 1, -1, -1):
            pair = scores[i][j]
            best[i][j] = max(
                0.0,
                best[i + 1][j] - gap,
                best[i][j + 1] - gap,
                -1.0 if pair is None else pair + best[i + 1][j + 1],
            )
    start = max(
        ((i, j) for i in range(len(left) + 1) for j in range(len(right) + 1)),
        key=lambda at: (best[at[0]][at[1]], -at[0] - at[1], -at[0]),
    )
    return Alignment(tuple(_columns(scores, best, start, gap)), best[start[0]][start[1]])


def align_runs(
    left: Sequence[Left], right: Sequence[Right], score: Callable[[Left, Right], float | None], gap: float
) -> Alignment:
    """The best alignment where a gap between two pairs costs `gap` once, however many elements of both sides it has.

    So it is where one branch parts the sides for the whole gap.
    """
    never = float("-inf")
    pairs = [[never] * (len(right) + 1) for _ in range(len(left) + 1)]
    after = [[0.0] * (len(right) + 1) for _ in range(len(left) + 1)]
    inside = [[never] * (len(right) + 1) for _ in range(len(left) + 1)]
    # From (i, j) on, the most that is reached with a pair there, after a pair, and inside a gap that is paid for.
    for i in range(len(left) - 1, -1, -1):
        for j in range(len(right) - 1, -1, -1):
            found = score(left[i], right[j])
            if found is not None:
                pairs[i][j] = found + after[i + 1][j + 1]
            inside[i][j] = max(pairs[i][j], inside[i + 1][j], inside[i][j + 1])
            after[i][j] = max(0.0, pairs[i][j], inside[i][j] - gap)
    columns: list[Aligned] = []
    i, j, is_inside = 0, 0, inside[0][0] > 0  # Elements before the first pair cost nothing.
    while is_inside or after[i][j] > 0:
        if pairs[i][j] == (inside if is_inside else after)[i][j]:
            columns.append(Aligned(i, j))
            i, j, is_inside = i + 1, j + 1, False
            if i == len(left) or j == len(right):
                break
        elif not is_inside:
            is_inside = True
        elif inside[i][j] == inside[i + 1][j]:
            columns.append(Aligned(i, None))
            i += 1
        else:
            columns.append(Aligned(None, j))
            j += 1
    columns += [Aligned(rest, None) for rest in range(i, len(left))]
    columns += [Aligned(None, rest) for rest in range(j, len(right))]
    return Alignment(tuple(columns), max(0.0, inside[0][0]))


def _columns(
    scores: Sequence[Sequence[float | None]], best: Sequence[Sequence[float]], start: tuple[int, int], gap: float
) -> list[Aligned]:
    """The columns of the alignment that begins at `start`, with what stands before and after it."""
    i, j = start
    columns = [*(Aligned(before, None) for before in range(i)), *(Aligned(None, before) for before in range(j))]
    while best[i][j] > 0:
        pair = scores[i][j]
        if pair is not None and best[i][j] == pair + best[i + 1][j + 1]:
            columns.append(Aligned(i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j] - gap:
            columns.append(Aligned(i, None))
            i += 1
        else:
            columns.append(Aligned(None, j))
            j += 1
    width = len(best[0]) - 1
    columns += [Aligned(after, None) for after in range(i, len(best) - 1)]
    columns += [Aligned(None, after) for after in range(j, width)]
    return columns
