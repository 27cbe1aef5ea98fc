"""What one access to memory costs, in a line.

`32 sectors where 4 would do` is about one request of a full warp; what that rests on is said only where it matters:
a block shape that is not known and would change the number, lanes that may not all take part.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, assert_never

from analysis.access.model import BANK_BYTES, AccessKind, AccessPattern, Basis, Participation, RequestCost
from analysis.facts.model import AccessFact
from analysis.ir.types import MemorySpace
from analysis.rules.bank_conflict import conflicts, is_proven
from analysis.rules.stride_text import SymbolicStride
from analysis.rules.uncoalesced_access import waste
from analysis.rules.wording import counted
from analysis.verdict.barriers import Tier

MIN_RATIO: Final = 2
"""From so many times the sectors that are used an access is called uncoalesced, where there is room for a label."""

SPACE_WORDS: Final[Mapping[MemorySpace, str]] = {
    MemorySpace.GENERIC: "memory of unknown space",
    MemorySpace.GLOBAL: "global memory",
    MemorySpace.SHARED: "shared memory",
    MemorySpace.LOCAL: "local memory",
    MemorySpace.CONSTANT: "constant memory",
}

KIND_WORDS: Final[Mapping[AccessKind, str]] = {
    AccessKind.LOAD: "load from",
    AccessKind.STORE: "store to",
    AccessKind.ATOMIC: "atomic on",
}

_OWN_COPY: Final = "each lane's own copy, at one place: a register, or coalesced"
_ONE_ADDRESS: Final[Mapping[AccessKind, str]] = {
    AccessKind.LOAD: "every lane reads one address: broadcast",
    AccessKind.STORE: "every lane writes one address",
    AccessKind.ATOMIC: "every lane updates one address, one after the other",
}


def is_uncoalesced(access: AccessFact) -> bool:
    """Surely at least twice the sectors that the function uses, for the distance of lanes and not for a guard; a
    distance that is a size counts as large."""
    if access.pattern is AccessPattern.WARP_SEQUENTIAL:
        return False
    found = waste(access, MIN_RATIO)
    return found is not None and found.tier is Tier.PROVEN


def has_bank_conflict(access: AccessFact) -> bool:
    """Surely as many passes over the banks as the rule reports: two are ordinary in code that is well written."""
    request = access.request
    return conflicts(access) and request is not None and is_proven(access, request)


def kind_words(access: AccessFact) -> str:
    """`load from global memory`."""
    return f"{KIND_WORDS[access.kind]} {SPACE_WORDS[access.space]}"


def cost_words(access: AccessFact, stride: SymbolicStride | None = None) -> str | None:
    """`stride 128 B: 32 sectors where 4 would do (12 %)`; None where the cost is not known.

    `stride`: for one that is not a known number.
    """
    request = access.request
    if request is None:
        return None
    match access.space:
        case MemorySpace.SHARED:
            words = _bank_words(access, request)
        case MemorySpace.LOCAL:
            words = _local_words(access, request)
        case MemorySpace.GLOBAL | MemorySpace.GENERIC | MemorySpace.CONSTANT:
            words = _sector_words(access, request, stride)
        case _:
            assert_never(access.space)
    return words if words is None or words == _OWN_COPY else words + _condition(access, request)


def conflict_words(access: AccessFact) -> str:
    """`8-way bank conflict`, of an access that has one."""
    ways = 1 if access.request is None else access.request.bank_ways
    return f"{ways}-way bank conflict"


def _bank_words(access: AccessFact, request: RequestCost) -> str | None:
    ways = request.bank_ways
    if ways is None:
        return None
    least = "" if request.is_exact else "at least "
    if ways > 1:
        return f"{least}{ways}-way bank conflict{_stride_in_words(access)}"
    if access.pattern is AccessPattern.BROADCAST:
        return _one_address(access, request)
    return f"{_stride(access)}no bank conflict"


def _local_words(access: AccessFact, request: RequestCost) -> str | None:
    if access.pattern is AccessPattern.WARP_SEQUENTIAL:
        return _OWN_COPY
    if request.sectors is None:
        return None
    return f"each lane's own copy, at its own place: {_sectors(request)}"


def _sector_words(access: AccessFact, request: RequestCost, stride: SymbolicStride | None) -> str | None:
    if access.pattern is AccessPattern.BROADCAST:
        return _one_address(access, request)
    if not request.is_exact:
        return _bounds(access, request, stride)
    if request.sectors is None or request.ideal_sectors is None:
        return None
    if request.sectors > request.ideal_sectors:
        return f"{_stride(access, ': ')}{_sectors(request)}"
    if request.lanes == 1:
        return f"one lane: {counted(request.sectors, 'sector')}"
    return f"{_stride(access)}coalesced: {counted(request.sectors, 'sector')} (100 %)"


def _bounds(access: AccessFact, request: RequestCost, stride: SymbolicStride | None) -> str | None:
    """`stride 4*n B: up to 32 sectors`, `stride 4 B: 2 to 5 sectors`."""
    most = request.sectors_max
    if most is None:
        return None
    far = request.far_apart
    if stride is not None and far is not None and is_uncoalesced(access):
        share = (request.ideal_sectors or 0) * 100 // far.sectors
        costs = f"{counted(far.sectors, 'sector')} where {request.ideal_sectors} would do ({share} %)"
        return f"stride {stride.text} B: {costs}, {stride.unless(far.distance)}"
    least = "up to " if request.sectors is None else f"{request.sectors} to " if request.sectors < most else ""
    if access.stride is not None:
        named = _stride(access, ": ")
    elif stride is not None:
        named = f"stride {stride.text} B: "
    else:
        named = "unknown stride: " if access.pattern is AccessPattern.STRIDED else ""
    if_global = ", if it is global memory" if access.space is MemorySpace.GENERIC else ""
    return f"{named}{least}{counted(most, 'sector')}{if_global}"


def _one_address(access: AccessFact, request: RequestCost) -> str:
    return "one lane alone" if request.lanes == 1 else _ONE_ADDRESS[access.kind]


def _sectors(request: RequestCost) -> str:
    """`32 sectors where 4 would do (12 %)`."""
    sectors, ideal = request.sectors, request.ideal_sectors
    if sectors is None or ideal is None:
        return "cost not known"
    if sectors <= ideal:
        return f"{counted(sectors, 'sector')} (100 %)"
    share = ideal * 100 // sectors
    return f"{counted(sectors, 'sector')} where {ideal} would do ({share} %)"


def _stride(access: AccessFact, end: str = ", ") -> str:
    return f"stride {access.stride} B{end}" if access.stride else ""


def _stride_in_words(access: AccessFact) -> str:
    if not access.stride:
        return ""
    words, rest = divmod(access.stride, BANK_BYTES)
    return f" (stride {access.stride} B)" if rest else f" (stride {counted(words, 'word')})"


def _condition(access: AccessFact, request: RequestCost) -> str:
    """What the number rests on."""
    conditions: list[str] = []
    if rests_on_rows(request):
        conditions.append("blockDim.x % warpSize == 0")
    if access.participation is Participation.UNKNOWN and request.lanes > 1:
        conditions.append("all lanes take part")
    return f", if {' and '.join(conditions)}" if conditions else ""


def rests_on_rows(request: RequestCost) -> bool:
    """Whether rows that end within a warp would change the cost."""
    if request.far_apart is not None:
        return request.basis is Basis.ROW and request.far_apart.sectors != request.far_apart.in_short_rows
    cost = request.sectors if request.bank_ways is None else request.bank_ways
    return request.basis is Basis.ROW and cost is not None and cost != request.in_short_rows
