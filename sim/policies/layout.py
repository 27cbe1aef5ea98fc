"""In which order code lies in memory: the program counters that min(PC) compares.

Lanes further behind come first, and loops are contiguous (`analysis/graph/layout.py`).

Source    Diamos et al., "SIMD re-convergence at thread frontiers", MICRO 2011, section 4 (why such an order).
Cost      kept per graph.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from analysis.graph.layout import loop_layout
from sim.policies.protocol import SegmentGraph


@lru_cache(maxsize=16)
def code_addresses(graph: SegmentGraph) -> NDArray[np.int64]:
    """For each segment its place in the layout."""
    order = loop_layout(range(len(graph.successors)), graph.successors)
    addresses = np.empty(len(order), np.int64)
    addresses[order] = np.arange(len(order))
    return addresses
