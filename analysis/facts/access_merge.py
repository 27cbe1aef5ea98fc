"""Accesses of one function, at their worst over all views."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from typing import Final, TypeAlias

from analysis.access.model import Access, AccessKind, AccessPattern, Basis, Participation, RequestCost
from analysis.facts.merge import FrameView
from analysis.facts.model import AccessFact, PartOf
from analysis.facts.parts import Parts
from analysis.ir.function import Function
from analysis.ir.pace import paced
from analysis.ir.source import Span
from analysis.ir.types import MemorySpace
from analysis.verdict.memory_losses import loses_slots

_Place: TypeAlias = tuple[int, int, AccessKind, int]
"""Start, end, kind, and the number among several such accesses at one place (members of a struct, macros)."""

_PATTERN_RANK: Final = {pattern: rank for rank, pattern in enumerate(AccessPattern)}
_BASIS_RANK: Final = {basis: rank for rank, basis in enumerate(Basis)}
_PARTICIPATION_RANK: Final = {participation: rank for rank, participation in enumerate(Participation)}


def access_facts(views: Sequence[FrameView]) -> tuple[AccessFact, ...]:
    """One fact per access in the text, in source order."""
    found: defaultdict[_Place, list[tuple[Function, Access]]] = defaultdict(list)
    losses: defaultdict[_Place, Parts] = defaultdict(Parts)
    for view in views:
        numbers: Counter[tuple[int, int, AccessKind]] = Counter()
        records = view.root.records[view.frame]
        of_slots, of_sectors = view.part_of_slots, view.part_of_sectors
        for access, lost in paced(list(zip(records.accesses, records.losses, strict=True)), 5):
            place = (access.span.start, access.span.end, access.kind)
            numbered = (*place, numbers[place])
            numbers[place] += 1
            found[numbered].append((view.root.function, access))
            if lost.high:
                losses[numbered].add(lost, view.root, of_slots if loses_slots(access) else of_sectors)
    order = sorted(found, key=lambda place: (place[0], place[1], place[2].value, place[3]))
    return tuple(
        [_merged(found[place], losses[place].largest() if place in losses else None) for place in paced(order, 5)]
    )


def _merged(accesses: Sequence[tuple[Function, Access]], lost_part: PartOf | None) -> AccessFact:
    """Of all places where one access of the text was inlined."""
    return reduce(_worse, (_fact(function, access, lost_part) for function, access in accesses))


def _fact(function: Function, access: Access, lost_part: PartOf | None) -> AccessFact:
    return AccessFact(
        Span(access.span.start, access.span.end),
        access.kind,
        access.space,
        None if access.variable is None else function.symbols[access.variable].name,
        access.bytes,
        access.stride,
        access.pattern,
        access.participation,
        access.request,
        access.loops,
        access.used_bytes,
        access.outside,
        lost_part,
    )


def _worse(one: AccessFact, other: AccessFact) -> AccessFact:
    if one == other:
        return one
    return replace(
        one,
        space=one.space if one.space is other.space else MemorySpace.GENERIC,
        variable=one.variable if one.variable == other.variable else None,
        bytes=one.bytes if one.bytes == other.bytes else None,
        stride=one.stride if one.stride == other.stride else None,
        pattern=max(one.pattern, other.pattern, key=_PATTERN_RANK.__getitem__),
        participation=max(one.participation, other.participation, key=_PARTICIPATION_RANK.__getitem__),
        request=_highest([fact.request for fact in (one, other) if fact.request is not None]),
        loops=max(one.loops, other.loops),
        used_bytes=min((fact.used_bytes for fact in (one, other) if fact.used_bytes is not None), default=None),
        outside=one.outside or other.outside,
    )


def _highest(costs: Iterable[RequestCost]) -> RequestCost | None:
    """The sectors of the request that needs most of them, the passes of the one that needs most of those."""
    found = list(costs)
    if not found:
        return None
    sectors = max(found, key=lambda cost: (cost.sectors or 0, cost.sectors_max or 0))
    banks = max(found, key=lambda cost: (cost.bank_ways or 0, cost.bank_conflicts or 0))
    return replace(
        sectors,
        bank_ways=banks.bank_ways,
        bank_conflicts=banks.bank_conflicts,
        is_exact=sectors.is_exact and banks.is_exact,
        basis=max((cost.basis for cost in found), key=_BASIS_RANK.__getitem__),
    )
