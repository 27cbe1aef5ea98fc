"""The figures that the paper reports, by kernel; everything here was measured on its GPU, with wavefronts of 64 lanes.

Speed-ups   medians over runs, of the kernel alone, by threads per block (figures 8 and 9).  Where the paper gives one
            figure for a kernel, it stands for every block size.
Utilisation the share of ALU lanes that were active, in percent, at the block size with the best speed-up (figure 10).
Source      Saumya, Sundararajah and Kulkarni, "DARM: Control-Flow Melding for SIMT Thread Divergence Reduction",
            CGO 2022, section VI.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final, final

from analysis.ir.record import record

LANES: Final = 64
"""Of a wavefront on the paper's GPU."""


@final
@record
class Utilisation:
    """Percent of ALU lanes, before and after melding."""

    before: int
    after: int


@final
@record
class PaperFigures:
    """`darm` and `fusion`: speed-ups by threads per block; `everywhere` stands for every block size."""

    darm: Mapping[int, float] = field(default_factory=dict[int, float])
    fusion: Mapping[int, float] = field(default_factory=dict[int, float])
    darm_everywhere: float | None = None
    fusion_everywhere: float | None = None
    utilisation: Utilisation | None = None

    def darm_at(self, threads: int) -> float | None:
        return self.darm.get(threads, self.darm_everywhere)

    def fusion_at(self, threads: int) -> float | None:
        return self.fusion.get(threads, self.fusion_everywhere)


_NOTHING: Final = PaperFigures()
_MERGE_SORT: Final = {32: 1.18, 64: 1.18, 128: 1.17, 256: 1.16}
_DIFFUSION: Final = PaperFigures({256: 0.97, 1024: 0.93}, {256: 1.22, 1024: 0.99}, utilisation=Utilisation(92, 98))

PAPER: Final[Mapping[str, PaperFigures]] = {
    "BIT": PaperFigures(
        {32: 1.11, 64: 1.46, 128: 1.30, 256: 1.24},
        {32: 0.98, 64: 0.97, 128: 0.98, 256: 1.00},
        utilisation=Utilisation(61, 57),
    ),
    "PCM": PaperFigures(
        {32: 1.37, 64: 1.31, 128: 1.24, 256: 1.12},
        {32: 1.26, 64: 1.18, 128: 1.23, 256: 1.03},
        utilisation=Utilisation(19, 36),
    ),
    "MS": PaperFigures(_MERGE_SORT, _MERGE_SORT, utilisation=Utilisation(34, 38)),
    "LUD": PaperFigures(
        {16: 1.16, 32: 1.08, 64: 1.10, 128: 0.99},
        {16: 1.15, 32: 1.08, 64: 1.07, 128: 1.01},
        utilisation=Utilisation(12, 22),
    ),
    "NQU": PaperFigures(darm_everywhere=1.19, fusion_everywhere=1.00, utilisation=Utilisation(31, 45)),
    "SRAD-1": _DIFFUSION,
    "SRAD-2": _DIFFUSION,
    "DCT": PaperFigures(darm_everywhere=1.00, fusion_everywhere=1.00, utilisation=Utilisation(64, 100)),
    "SB1": PaperFigures(darm_everywhere=1.27, utilisation=Utilisation(73, 99)),
    "SB1-R": PaperFigures(darm_everywhere=1.17),
    "SB2": PaperFigures(darm_everywhere=1.28, fusion_everywhere=1.00, utilisation=Utilisation(24, 35)),
    "SB2-R": PaperFigures(darm_everywhere=1.19),
    "SB3": PaperFigures(darm_everywhere=1.40, utilisation=Utilisation(26, 44)),
    "SB3-R": PaperFigures(darm_everywhere=1.33),
    "SB4": PaperFigures(darm_everywhere=1.87, fusion_everywhere=1.27, utilisation=Utilisation(38, 93)),
    "SB4-R": PaperFigures(darm_everywhere=1.55),
}


def figures_of(kernel: str) -> PaperFigures:
    return PAPER.get(kernel, _NOTHING)
