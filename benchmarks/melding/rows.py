"""The lines of the table: one for each different outcome of a kernel with one block.

Methods that lead to the same counts share a line; those that change nothing share the line of the original.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import final

from analysis.ir.record import record
from benchmarks.melding.counts import Counts
from benchmarks.melding.paper import PaperFigures, figures_of
from benchmarks.melding.study import Comparison, Variant


@final
@record
class Line:
    """`variants`: who leads to it, in the order of the enumeration; `before` is None for the original itself."""

    variants: tuple[Variant, ...]
    counts: Counts
    before: Counts | None
    darm_in_paper: float | None = None
    """The paper's speed-up by DARM, where DARM is one of the variants; likewise by branch fusion."""
    fusion_in_paper: float | None = None

    @property
    def issued_share(self) -> float:
        return _share(self.counts.issued, self.counts.issued if self.before is None else self.before.issued)

    @property
    def speed_up(self) -> float:
        """In issue slots."""
        return 1.0 if self.before is None else _share(self.before.slots, self.counts.slots)

    @property
    def shared_share(self) -> float | None:
        """None where the original has no such request."""
        return None if self.before is None else _known(self.counts.shared_requests, self.before.shared_requests)

    @property
    def global_share(self) -> float | None:
        return None if self.before is None else _known(self.counts.global_requests, self.before.global_requests)


def lines_of(comparison: Comparison) -> Iterator[Line]:
    """The original first, with the variants that change nothing; then the others in the order of the enumeration."""
    paper = figures_of(comparison.subject)
    by_counts: dict[Counts, list[Variant]] = {comparison.before: []}
    for variant in Variant:
        by_counts.setdefault(comparison.after[variant], []).append(variant)
    for counts, variants in by_counts.items():
        before = None if counts == comparison.before else comparison.before
        yield _line(tuple(variants), counts, before, paper, comparison.threads)


def _line(
    variants: tuple[Variant, ...], counts: Counts, before: Counts | None, paper: PaperFigures, threads: int
) -> Line:
    return Line(
        variants,
        counts,
        before,
        paper.darm_at(threads) if Variant.DARM in variants else None,
        paper.fusion_at(threads) if Variant.FUSION in variants else None,
    )


def _known(after: int, before: int) -> float | None:
    return after / before if before else None


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
