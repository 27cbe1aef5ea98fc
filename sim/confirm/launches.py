"""Launches of one kernel that differ in everything that was chosen: numbers, contents of arrays, the block.

What the user, the file or the settings say stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from analysis.ir.index3 import Index3
from analysis.ir.types import IntegerType
from sim.launch.planner import Plan, Planner
from sim.launch.request import Request

_INTEGER: Final = re.compile(r"[+-]?\d+")
_WHY: Final = "chosen, as another one"
_OTHER_BLOCKS: Final[dict[int, tuple[Index3, ...]]] = {
    1: ((32, 1, 1), (96, 1, 1)),
    2: ((8, 4, 1), (32, 8, 1)),
    3: ((4, 4, 2), (16, 4, 4)),
}
"""One warp, and several, by the axes that the kernel reads."""
_CHANGES: Final[Sequence[tuple[int, Callable[[int], int]]]] = (
    (2, lambda now: now - now // 3),
    (3, lambda now: now + 1),
)
"""A seed for contents, and what becomes of numbers: two thirds, so that no warp boundary is met; one more."""


def other_requests(planner: Planner, plan: Plan) -> Iterator[Request]:
    """What to ask for besides what `plan` was made of."""
    numbers = {
        choice.name: int(choice.value)
        for choice in plan.choices
        if choice.is_chosen
        and isinstance(planner.flow.leaves.get(choice.name), IntegerType)
        and _INTEGER.fullmatch(choice.value)  # elements of a constant array are leaves that bear its name
    }
    for seed, change in _CHANGES:
        changed = {name: str(change(now)) for name, now in numbers.items()}
        yield Request(_WHY, seed=seed, arguments=changed, is_general=True)
    if plan.block.is_chosen:
        for block in _OTHER_BLOCKS[plan.evidence.thread_axes]:
            if block != plan.block.extent:
                yield Request(_WHY, block=block)
