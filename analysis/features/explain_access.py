"""The accesses to memory of one line: the address, what a request costs and why, what would make it cheaper."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd
from typing import Final, final

from analysis.access.model import BANK_BYTES, BANKS, SECTOR_BYTES, AccessKind, AccessPattern
from analysis.facts.file_analysis import FileAnalysis
from analysis.facts.model import AccessFact
from analysis.features.access_address import Reason, address_formula, why_unpredictable
from analysis.features.access_hover import access_cost, kinds_in_words
from analysis.features.access_words import MIN_RATIO, SPACE_WORDS, has_bank_conflict, is_uncoalesced
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import MemorySpace
from analysis.rules.access_text import address_span
from analysis.rules.form_text import UNNAMED
from analysis.rules.source_text import FunctionText
from analysis.rules.uncoalesced_access import waste
from analysis.rules.wording import counted

NEIGHBOURS: Final = (
    "to fix: let threads that are neighbours along x touch neighbouring elements: exchange the roles of the indices, "
    "transpose the data, or go through shared memory"
)
MEMBERS: Final = "to fix: keep one array per member (a struct of arrays), or read whole elements"
PADDING: Final = "to fix: make the rows one element longer, so that a column lies in different banks"
ODD_STRIDE: Final = "to fix: let threads that are neighbours along x be an odd number of words apart, best one"
ATOMICS: Final = "to relieve: combine the values in the warp or block first, and let one lane update"
ONE_REMAINS: Final = "of the values that the lanes write, one remains"


@final
@record
class ExplainedAccess:
    """What stands at `span`, its cost, and sentences about it."""

    span: Span
    verdict: str
    details: tuple[str, ...]
    is_uniform: bool


def explain_accesses(analysis: FileAnalysis, text: FunctionText, start: int, end: int) -> Iterator[ExplainedAccess]:
    """Of the accesses between two file offsets, those about which there is something to say."""
    alike: dict[tuple[Span, str, str, tuple[str, ...]], list[AccessFact]] = {}
    for access in text.function.accesses:
        span = address_span(text, access)
        if start <= text.start(span) <= end and not _is_register(access):
            cost = access_cost(analysis, text.function, access)
            details = tuple(_details(analysis, text, access))
            if cost is not None or details:
                key = span, SPACE_WORDS[access.space], cost or "cost not known", details
                alike.setdefault(key, []).append(access)
    for (span, space, cost, details), found in alike.items():
        is_uniform = all(access.pattern is AccessPattern.BROADCAST for access in found)
        yield ExplainedAccess(span, f"{kinds_in_words(found)} {space}, {cost}", details, is_uniform)


def _is_register(access: AccessFact) -> bool:
    """A thread's own memory, at the same place in all lanes: as good as a register, and often one."""
    return access.space is MemorySpace.LOCAL and access.pattern is AccessPattern.WARP_SEQUENTIAL


def _details(analysis: FileAnalysis, text: FunctionText, access: AccessFact) -> Iterator[str]:
    formula = address_formula(analysis, text.function, access)
    if formula is not None and formula != UNNAMED:
        yield f"address in bytes: {formula}"
    elif access_cost(analysis, text.function, access) is None:
        blamed = why_unpredictable(analysis, text.function, access)
        if blamed is not None and blamed.reason is not Reason.CALLER:  # said of the parameters already
            yield blamed.words()
    request = access.request
    if request is None:
        return
    if request.is_exact and request.sectors == request.ideal_sectors and request.sectors_max != request.sectors:
        yield f"{request.sectors_max} sectors where the base is not a multiple of {SECTOR_BYTES} bytes"
    if is_uncoalesced(access) or (access.stride is None and waste(access, MIN_RATIO) is not None):
        yield from _about_sectors(text, access)
    elif has_bank_conflict(access):
        yield from _about_banks(text, access)
    elif access.pattern is AccessPattern.BROADCAST and request.lanes > 1:
        if access.kind is AccessKind.ATOMIC:
            yield ATOMICS
        elif access.kind is AccessKind.STORE:
            yield ONE_REMAINS


def _about_sectors(text: FunctionText, access: AccessFact) -> Iterator[str]:
    used = access.used_bytes
    if access.stride and used is not None and access.bytes is not None and used > access.bytes:
        yield f"of the {abs(access.stride)} bytes from one lane to the next, this function uses {used}"
    address = text.bytes(address_span(text, access))
    is_member = address.rpartition(b"]")[2].strip().startswith((b".", b"->"))
    yield MEMBERS if is_member else NEIGHBOURS


def _about_banks(text: FunctionText, access: AccessFact) -> Iterator[str]:
    if access.stride and access.stride % BANK_BYTES == 0:
        words = abs(access.stride) // BANK_BYTES
        used = BANKS // gcd(words, BANKS)
        yield f"lanes that are {counted(words, 'word')} apart use {used} of the {BANKS} banks"
    yield PADDING if text.bytes(address_span(text, access)).count(b"[") > 1 else ODD_STRIDE
