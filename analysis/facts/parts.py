"""What one place of the source takes of each kernel that comes to it."""

from __future__ import annotations

from typing import final

from analysis.facts.model import PartOf
from analysis.ir.function import Function, FunctionKind
from analysis.verdict.shares import NOTHING, Share


@final
class Parts:
    """Of a root that calls the place's function twice, the sum."""

    def __init__(self) -> None:
        self._shares: dict[int, tuple[Share, Function]] = {}

    def add(self, share: Share, root: Function) -> None:
        if share.high:
            before, _ = self._shares.get(id(root), (NOTHING, None))
            self._shares[id(root)] = before.plus(share), root

    def largest(self) -> PartOf | None:
        """A share of a kernel says more than one of a device function whose callers are not known."""
        parts = [PartOf(share, root.name, root.kind is FunctionKind.KERNEL) for share, root in self._shares.values()]
        return max(parts, key=lambda part: (part.is_kernel, part.share.expected), default=None)
