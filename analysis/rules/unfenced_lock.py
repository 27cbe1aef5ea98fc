"""RAC304: a lock that does not order what it guards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, final

from tree_sitter import Node

from analysis.facts.model import Location
from analysis.facts.warp_records import WarpRecord
from analysis.ir.record import record
from analysis.refactor.layout import before
from analysis.rules.diagnostic import Applicability, Fix, Related, Severity
from analysis.rules.rule import Subject
from analysis.rules.warp_text import records_of
from analysis.verdict.barriers import Tier
from analysis.warp.model import WarpProblemKind

FENCE: Final = "__threadfence();"


@final
@record
class UnfencedLock:
    """## What it does

    Reports a lock in global memory, taken by `atomicCAS` or `atomicExch`, without a `__threadfence()` between a write
    under the lock and its release, or between taking the lock and a read under it.

    ## Why is this bad?

    Atomics order nothing but themselves. The next holder may get the lock before it gets the data, and a read may see
    what memory held before the lock was taken. It fails seldom, and on other devices than the one it was tried on.

    ## Example

    ```cuda
    __global__ void count(int *lock, int *total) {
      if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        *total = *total + 1;
        atomicExch(lock, 0);  //~ unfenced-lock
      }
    }
    ```

    ## Use instead

    ```cuda
    __global__ void count(int *lock, int *total) {
      if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) {}
        __threadfence();
        *total = *total + 1;
        __threadfence();
        atomicExch(lock, 0);
      }
    }
    ```

    The fix inserts the fence. `cuda::atomic_ref` with `memory_order_acquire` and `memory_order_release` does the same.

    ## Known noise

    None is known. Accesses through `volatile` and atomics are not reported. A read after the taking is a possible
    finding only: it waits for the branch, and is wrong where it hits an old line of a cache.
    """

    code: ClassVar[str] = "RAC304"
    slug: ClassVar[str] = "unfenced-lock"
    severity: ClassVar[Severity] = Severity.WARNING

    site: Location
    tier: Tier | None
    is_release: bool
    other: Location
    replacement: Fix | None

    @classmethod
    def find(cls, subject: Subject) -> Iterator[UnfencedLock]:
        for kind in (WarpProblemKind.UNFENCED_TAKING, WarpProblemKind.UNFENCED_RELEASE):
            for found in records_of(subject, kind):
                if found.other is not None:
                    is_release = kind is WarpProblemKind.UNFENCED_RELEASE
                    fenced = found.operation if is_release else found.other
                    yield cls(found.site, found.problem.tier, is_release, found.other, _fix(subject, found, fenced))

    def message(self) -> str:
        if self.is_release:
            return (
                "The lock is released here with no `__threadfence()` behind what is written under it: others may get "
                "the lock before the data."
            )
        return (
            "The lock is taken here with no `__threadfence()` before what is read under it: the read may see what was "
            "there before."
        )

    def related(self) -> tuple[Related, ...]:
        return (Related(self.other, "The write." if self.is_release else "The read."),)

    def fix(self) -> Fix | None:
        return self.replacement


def _fix(subject: Subject, found: WarpRecord, fenced: Location) -> Fix | None:
    """A fence before the statement of `fenced`; None where it does not stand in a block of this file."""
    tree = subject.analysis.document.tree
    if tree is None or fenced.path != subject.analysis.facts.path:
        return None
    node: Node | None = tree.root_node.descendant_for_byte_range(fenced.start, max(fenced.end - 1, fenced.start))
    while node is not None and (node.parent is None or node.parent.type != "compound_statement"):
        node = node.parent
    is_after_taking = found.kind is WarpProblemKind.UNFENCED_RELEASE or (
        node is not None and node.start_byte > found.operation.end
    )
    if node is None or not is_after_taking:
        return None
    edit = before(subject.analysis.document.text, node, FENCE)
    return Fix("Insert `__threadfence()`", (edit,), Applicability.SAFE)
