"""Do predicted savings and simulated ones agree on what is worth more?  Spearman's rank correlation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def rank_correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Between -1 and 1; None where one side is the same everywhere, or where there are fewer than three pairs."""
    if len(pairs) < 3:
        return None
    left, right = (_ranks(np.array(side)) for side in zip(*pairs, strict=True))
    if np.ptp(left) == 0.0 or np.ptp(right) == 0.0:
        return None
    return float(np.corrcoef(left, right)[0, 1])


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Equal values share the middle of their places."""
    ordered = np.sort(values)
    first, last = np.searchsorted(ordered, values, "left"), np.searchsorted(ordered, values, "right")
    return (first + last) / 2.0
