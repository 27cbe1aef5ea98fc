"""A kernel's findings with a price: the dearest first, and of many only a handful.

Rules    Sorted by the share of the kernel that they take; they stand together, where the first of them stands in the
         text, so that a person reads the dearest one first.  Of more than `most` the cheapest are left out, and the
         last that is shown says how many and how cheap.  Hints come last.
         Applied to what suppressions and tiers leave.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from analysis.rules.diagnostic import Diagnostic, KernelShare, MoreFindings, Severity


def dearest_of_each_kernel(found: Iterable[Diagnostic], most: int) -> tuple[Diagnostic, ...]:
    """In the order of reports; of each kernel at most so many with a price, or all for 0."""
    kernels: defaultdict[str, list[tuple[KernelShare, Diagnostic]]] = defaultdict(list)
    shown: list[Diagnostic] = []
    for one in found:
        if one.cost is None:
            shown.append(one)
        else:
            kernels[one.cost.kernel].append((one.cost, one))
    for priced in kernels.values():
        priced.sort(key=lambda item: (_is_hint(item[1]), -item[0].share, item[1].start, item[1].end, item[1].code))
        kept = [one for _, one in priced[: most or None]]
        hidden = priced[len(kept) :]
        if hidden:
            kept[-1] = replace(
                kept[-1], more=MoreFindings(len(hidden), int(100 * max(cost.share for cost, _ in hidden)) + 1)
            )
        shown += kept
    return in_report_order(shown)


def _is_hint(found: Diagnostic) -> bool:
    return found.severity is Severity.HINT


def in_report_order(found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """By place, then code; those of a kernel with a price from its first place on, the dearest first."""
    everything = list(found)
    first: dict[str, int] = {}
    for one in everything:
        if one.cost is not None:
            first[one.cost.kernel] = min(first.get(one.cost.kernel, one.start), one.start)

    def place(one: Diagnostic) -> tuple[int, str, float, int, int, str]:
        if one.cost is None:
            return one.start, "", 0.0, one.start, one.end, one.code
        return first[one.cost.kernel], one.cost.kernel, -one.cost.share, one.start, one.end, one.code

    return tuple(sorted(everything, key=place))
