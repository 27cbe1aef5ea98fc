"""A set of threads of a launch that only grows: one byte for each thread up to the highest."""

from __future__ import annotations

from typing import final

import numpy as np
from numpy.typing import NDArray


@final
class ThreadSet:
    def __init__(self) -> None:
        self._has: NDArray[np.bool_] = np.zeros(0, np.bool_)

    def add(self, threads: NDArray[np.int64]) -> None:
        needed = int(threads.max(initial=-1)) + 1
        if needed > len(self._has):
            grown = np.zeros(max(needed, 2 * len(self._has)), np.bool_)
            grown[: len(self._has)] = self._has
            self._has = grown
        self._has[threads] = True

    def __len__(self) -> int:
        return int(np.count_nonzero(self._has))
