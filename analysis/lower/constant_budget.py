"""How much may be run for one constant expression, and how running it ends without a result."""

from __future__ import annotations

from typing import Final, final

MAX_STEPS: Final = 20_000


class NotConstant(Exception):
    """Something in the function is not known, or takes too long."""


@final
class Budget:
    """Shared by a call and all that it calls."""

    def __init__(self) -> None:
        self.steps = MAX_STEPS
        self.depth = 0

    def take(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise NotConstant
