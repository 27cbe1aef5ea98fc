"""Which share of its kernel do the accesses of one site lose, and at which of them should a finding stand?"""

from __future__ import annotations

from dataclasses import replace

from analysis.facts.model import AccessFact, FunctionFacts, PartOf
from analysis.ir.function import FunctionKind
from analysis.rules.access_text import Site
from analysis.rules.price import range_text

SECTOR_FACTOR = 3
"""Sectors that are not used need that much more of what is moved than slots of what is issued: other warps run while
memory answers, and a cache may keep the rest of a sector until somebody wants it."""


def at_dearest(site: Site) -> Site:
    """The same, at the access that loses most; at the first of equals."""
    everything = (site.first, *site.others)
    dearest = max(everything, key=_expected)
    return Site(dearest, tuple(one for one in everything if one is not dearest))


def lost_at(site: Site) -> PartOf | None:
    """By all accesses together, of the kernel in which the first loses most."""
    part = site.first.lost_part
    if part is None:
        return None
    share = part.share
    for other in site.others:
        if other.lost_part is not None and other.lost_part.whole == part.whole:
            share = share.plus(other.lost_part.share)
    return replace(part, share=share)


def sectors_text(part: PartOf, function: FunctionFacts) -> str:
    """`about 43 % of all sectors that this kernel moves`; the kernel is named where the access is in what it calls."""
    is_own = part.whole == function.name
    words = "kernel" if function.kind is FunctionKind.KERNEL else "function"
    whole = f"this {words}" if is_own else f"kernel `{part.whole}`" if part.is_kernel else f"`{part.whole}`"
    return f"{range_text(part.share)} of all sectors that {whole} moves"


def _expected(access: AccessFact) -> float:
    return 0.0 if access.lost_part is None else access.lost_part.share.expected
