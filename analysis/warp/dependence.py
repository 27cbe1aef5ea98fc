"""What values are computed from, as far as data flow goes: not through memory."""

from __future__ import annotations

from collections.abc import Iterable

from analysis.divergence.result import DivergenceResult
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Atomic, Load


def rests_on(divergence: DivergenceResult, values: Iterable[ValueId], result: ValueId) -> bool:
    """Is one of the values computed from `result`?"""
    waiting = list(values)
    seen: set[ValueId] = set()
    while waiting:
        value = waiting.pop()
        if value == result:
            return True
        item = divergence.definition(value)
        if value not in seen and item is not None and not isinstance(item, Load | Atomic):
            seen.add(value)
            waiting.extend(item.operands)
    return False
