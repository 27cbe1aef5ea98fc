"""Which objects in global memory does a kernel write, and by which accesses?

Left out  accesses whose address was computed from what was loaded: no thread is followed to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from analysis.access.model import AccessKind
from analysis.divergence.result import DivergenceResult
from analysis.ir.function import Function, SymbolKind
from analysis.ir.ids import SymbolId, ValueId
from analysis.ir.instructions import Atomic, ExtractElement, Load, Phi, Select, SymbolAddress
from analysis.ir.pace import paced, popped
from analysis.memory.roots import pointer_root
from analysis.races.model import MemoryUse

UsedObject: TypeAlias = SymbolId | tuple[ValueId, int]
"""A variable of the program, or what an argument points to, or a member of an argument (-1: all of it)."""
_READS: Final = (Load, Atomic)
_CHOICES: Final = (Phi, Select)


def written_groups(
    function: Function, divergence: DivergenceResult, uses: Iterable[MemoryUse]
) -> Sequence[Sequence[MemoryUse]]:
    """The uses of each object that is written, without those whose address was loaded; of one that only atomics change,
    these where some are for the block alone: who reads it in between mostly asks whether an update is worth it."""
    by_object: dict[UsedObject, list[MemoryUse]] = {}
    clean: set[ValueId] = set()
    for use in paced(uses, 5):
        used = used_object(function, divergence, use)
        if used is not None and not _rests_on_memory(divergence, use.address, clean):
            by_object.setdefault(used, []).append(use)
    found: list[Sequence[MemoryUse]] = []
    for group in by_object.values():
        if any(use.kind is AccessKind.STORE for use in group):
            found.append(group)
        elif any(use.is_for_block for use in group):
            found.append([use for use in group if use.kind is AccessKind.ATOMIC])
    return found


def used_object(function: Function, divergence: DivergenceResult, use: MemoryUse) -> UsedObject | None:
    """None for what is neither."""
    root = pointer_root(divergence, use.address)
    item = divergence.definition(root)
    if isinstance(item, SymbolAddress):
        return item.symbol if function.symbols[item.symbol].kind is SymbolKind.GLOBAL else None
    if isinstance(item, ExtractElement):
        return (item.aggregate, item.index) if divergence.definition(item.aggregate) is None else None
    return (root, -1) if item is None else None


def _rests_on_memory(divergence: DivergenceResult, address: ValueId, clean: set[ValueId]) -> bool:
    """Is it computed from what was loaded, whichever way the thread takes?  `clean`: what is not, and grows."""
    waiting = [address]
    seen: set[ValueId] = set()
    for value in popped(waiting):
        if value in seen or value in clean:
            continue
        seen.add(value)
        item = divergence.definition(value)
        if isinstance(item, _READS):
            return True
        if item is not None and not isinstance(item, _CHOICES):
            waiting.extend(item.operands)
    clean |= seen
    return False
