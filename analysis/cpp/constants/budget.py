"""How much may be run for one constant expression."""

from __future__ import annotations

from typing import Final, final

from analysis.cpp.constants.values import NotConstant
from analysis.ir.pace import spend

MAX_STEPS: Final = 60_000
MAX_DEPTH: Final = 96
"""Calls in one another; a C++ call is about twenty of Python's."""
_TURN: Final = 500


@final
class Budget:
    """Shared by an expression and all that is evaluated because of it."""

    __slots__ = ("_left", "_turns", "depth")

    def __init__(self) -> None:
        self._left = _TURN
        self._turns = MAX_STEPS // _TURN
        self.depth = 0

    def take(self, steps: int = 1) -> None:
        """Raises `NotConstant` where nothing is left; others have their turn now and then."""
        self._left -= steps
        while self._left < 0:
            self._left += _TURN
            self._turns -= 1
            if self._turns < 0:
                raise NotConstant
            spend(_TURN)
