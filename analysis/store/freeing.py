"""Something large is let go a part at a time, with turns for others.

Reason   The last reference to what is known of a function of 100,000 lines frees millions of objects in one go.
How      All parts are held, those that are nearer to the whole in front; then they are let go in that order.  Each is
         freed alone, since its own parts are still held, but for those behind the bound.
Limits   What is found on the way and still in use is held for that time, and stays.
"""

from __future__ import annotations

import gc
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Final

from analysis.ir.pace import paced, spend

MOST: Final = 200_000
"""Parts that are held."""
_PIECE: Final = 1_000
"""So many parts of one whole are looked at in a turn."""
_NO_PARTS: Final = (type, ModuleType, FunctionType, BuiltinFunctionType)


def free_in_turns(last: list[object]) -> None:
    """Empties a list that holds the last references."""
    held = last.copy()
    last.clear()
    seen = set(map(id, held))
    for part in held:  # grows on the way
        inner = gc.get_referents(part)
        for start in range(0, len(inner), _PIECE):
            piece = inner[start : start + _PIECE]
            spend(1 + len(piece))
            new = {id(one): one for one in piece if gc.is_tracked(one) and not isinstance(one, _NO_PARTS)}
            held += (one for key, one in new.items() if key not in seen)
            seen.update(new)
        if len(held) > MOST:
            break
    part = inner = piece = new = None
    held.reverse()
    for _ in paced(range(len(held))):
        held.pop()
