"""What a pass does not look at, since nobody would wait for it; the value is what the opaque says that stands for it.

Rules    Work is counted and never timed, so the same text gives the same answer on every machine.
         What a limit cuts off counts as unknown, and is a problem of the file that names the place.
"""

from __future__ import annotations

from enum import Enum
from typing import Final


class Limit(Enum):
    NESTING = "code nested more than 400 levels deep"
    DECLARATIONS = "declarations that nest too deeply"
    TYPE_NAME = "a type whose name is longer than 10,000 characters"
    PARTS = "a class of more than 4,096 members"
    MACRO = "a macro that grows without bound"
    VALUES = "more than 150,000 values in one function"
    STEPS = "control flow that would take too long to follow"


CUT_OFF: Final = frozenset(limit.value for limit in Limit)
