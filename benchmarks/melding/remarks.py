"""What differs from the paper's figures, kernel by kernel, as far as it is known why.

The figures are those of one run of this benchmark; whoever changes a kernel or a melder reads them again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

GENERAL: Final = (
    "Ours are issue slots, the paper's are times: the wait for memory, and what other warps do in it, is not counted.",
    "Loops are not unrolled and nothing is optimised but what melding leaves behind; the paper compiles with -O3.",
    "How much of a kernel stands in the arms decides its figure, and our kernels are written from descriptions.",
    "A block of 32 threads leaves half of 64 lanes idle, and one of 16 three quarters, whatever is melded.",
)

_REMARKS: Final[Mapping[str, Sequence[str]]] = {
    "BIT": (
        "The loads meld, both comparisons become one selected predicate, and one exchange is left, as in the paper.",
        "Utilisation rises; in the paper it falls, because later passes predicate what only one arm runs.",
        "The source gains more: it exchanges what it loaded for the comparison, where the melded IR loads again.",
    ),
    "PCM": (
        "DARM makes one loop of both; fusion, and the source melder, one step of the arms of each merge step.",
        "The guard of one arm is the bound of its loop; with an `if` around it, the merge steps alone would meld.",
    ),
    "MS": (
        "One merge step with a selected index, by every method but tail merging, as in the paper.",
        "The condition has short circuits that lead from one arm into the other: a landing block makes it one.",
    ),
    "LUD": (
        "Fusion melds nothing: the paper fuses what loop unrolling made of the arms, and here they are loops.",
        "Where a tile is as wide as a warp no warp parts, and melding costs selects for nothing; the paper loses 1 %.",
        "`best` knows the block and leaves that alone; the source was melded for blocks of 32.",
    ),
    "NQU": (
        "The arms share one subtraction.  By our count selects and guards cost more than it saves, so `best`",
        "and the source melder leave the kernel alone; the paper's gain in time is not explained by our counts.",
    ),
    "SRAD-1": (
        "DARM gains where the paper loses, and with blocks of 16 x 16 more than fusion; the paper's fusion gains 1.22.",
    ),
    "SRAD-2": ("DARM gains where the paper loses, and more than fusion; the paper's fusion gains 1.22.",),
    "DCT": (
        "What the arms share is an integer division, which weighs 20 slots here; the paper's time does not change.",
    ),
    "SB1": ("Identical arms leave no lane idle.  Tail merging makes one store of two, and no more.",),
    "SB1-R": ("Instructions hardly fall, since operands are selected, but half of the requests to shared memory do.",),
    "SB2": ("Fusion and tail merging meld nothing, as in the paper.",),
    "SB2-R": (
        "More instructions, of which fewer are requests to memory: selects are cheap, shared memory is not.",
        "`best` wants fewer instructions too, and leaves it alone; the source shares loads and stores alone.",
    ),
    "SB3": ("Several pairs of subgraphs meld, as in the paper.",),
    "SB3-R": ("The requests to shared memory halve; fusion and tail merging meld nothing.",),
    "SB4": (
        "DARM melds all three ways, fusion the last two, tail merging a store of these; in this order as in the paper.",
    ),
    "SB4-R": (
        "DARM melds all three ways by region replication, at the price of selects: more instructions, a third of the",
        "requests to shared memory.  Fusion melds the last two, and saves nearly as many slots; the paper gains 1.55.",
        "`best` leaves it alone, as SB2-R: fusion saves fewer instructions than its sample can be sure of.",
    ),
}


def remark_on(kernel: str) -> Sequence[str]:
    return _REMARKS.get(kernel, ())
