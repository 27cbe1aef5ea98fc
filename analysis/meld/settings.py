"""What a user may choose about melding; the defaults are the published ones.

Source    Saumya et al., CGO 2022, sections IV and V, and its artifact: the threshold, the latencies and the gaps.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, final

from analysis.ir.record import record


class MeldMethod(Enum):
    """Which melder works; the values are those of the command line and of the `meld` contract."""

    DARM = "darm"
    """Hierarchical: subgraphs by their shape, then the instructions of corresponding blocks (Saumya et al. 2022)."""
    FUSION = "fusion"
    """DARM restricted to diamonds whose arms are one basic block each (Coutinho et al. 2011)."""
    TAIL = "tail"
    """Fusion restricted to equal instructions at the end of both arms (Chen et al. 2003)."""
    LINEAR = "linear"
    """Both arms as one sequence each, whatever their shapes (what HyBF adds, CC 2023)."""
    BEST = "best"
    """Whichever of the others saves most at each branch."""


@final
@record
class Latencies:
    """The published cost of instructions, in cycles; everything that is not named costs `other`."""

    add: int = 5
    multiply: int = 10
    divide: int = 20
    memory: int = 100
    other: int = 3


@final
@record
class MeldSettings:
    """`threshold` is the least melding profitability (MP_S) of a pair of subgraphs, a share between 0 and 0.5."""

    method: MeldMethod = MeldMethod.BEST
    threshold: float = 0.2
    latencies: Latencies = Latencies()
    instruction_gap: int = 2
    subgraph_gap: int = 0
    unpredication: bool = True
    """Whether instructions of one side alone get a block of their own, or run under a condition where they stand."""
    max_rounds: int = 64
    """How often Algorithm 1 may start again; where it is cut off, the result says so."""


MAX_THRESHOLD: Final = 0.5
"""The score of two blocks that are equal: more than half of what both cost cannot be saved."""
DEFAULT_MELD_SETTINGS: Final = MeldSettings()
