"""What one place of the source takes of each kernel that comes to it."""

from __future__ import annotations

from dataclasses import replace
from typing import final

from analysis.facts.model import PartOf
from analysis.facts.roots import RootAnalysis
from analysis.verdict.shares import NOTHING, Share, scaled


@final
class Parts:
    """Of a root that calls the place's function twice, the sum."""

    def __init__(self) -> None:
        self._shares: dict[int, tuple[Share, PartOf]] = {}

    def add(self, share: Share, root: RootAnalysis, whole: PartOf) -> None:
        """A share of a root, which is itself a part of `whole`."""
        if share.high:
            before, _ = self._shares.get(id(root), (NOTHING, None))
            self._shares[id(root)] = before.plus(share), whole

    def largest(self) -> PartOf | None:
        """A share of a kernel says more than one of a device function whose callers are not known, and that more than
        one of a kernel that nothing launches."""
        if not self._shares:  # as of most branches
            return None
        parts = [replace(whole, share=scaled(share, *whole.share.ends)) for share, whole in self._shares.values()]
        return max(parts, key=lambda part: (_weight(part), part.share.expected))


def larger(one: PartOf | None, other: PartOf | None) -> PartOf | None:
    """By the same order; of equals the first by name."""
    if one is None or other is None:
        return one or other
    return min(one, other, key=lambda part: (-_weight(part), -part.share.expected, part.whole))


def _weight(part: PartOf) -> int:
    return (2 if part.is_kernel else 1) if not part.launched_instead else 0
