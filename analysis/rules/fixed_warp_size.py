"""WRP212: lanes and warps that are counted as if a warp had 32 lanes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, final

from analysis.facts.warp_records import WarpRecord
from analysis.ir.instructions import Binary
from analysis.ir.operators import BinaryOperator
from analysis.ir.record import record
from analysis.rules.diagnostic import Severity
from analysis.rules.rule import Subject
from analysis.rules.warp_finding import WarpFinding
from analysis.rules.warp_text import records_of
from analysis.warp.model import WarpProblemKind

_LANE: Final = (BinaryOperator.AND, BinaryOperator.REMAINDER)


@final
@record
class FixedWarpSize(WarpFinding):
    """## What it does

    Where warps have 64 lanes (`warp-size = 64`): reports a number of a thread, or of the threads of a block, that is
    divided by 32 or masked with 31 in a function whose lanes exchange something, and shuffles over the distances 16, 8,
    4, 2, 1 that are not preceded by one over 32. Constants by any name count (`WARP_SIZE`).

    ## Why is this bad?

    `threadIdx.x & 31` is the lane of a warp of 32. With 64 lanes two lanes of one warp get the same number, `/ 32`
    counts half warps, and a reduction that starts with a distance of 16 leaves out half of the warp.

    ## Example

    ```cuda
    //! warp-size = 64
    __global__ void sum(float *out, const float *in) {
      float v = in[threadIdx.x];
      for (int d = 16; d > 0; d /= 2) v += __shfl_down(v, d);  //~ fixed-warp-size
      if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = v;  //~ fixed-warp-size, fixed-warp-size
    }
    ```

    ## Use instead

    ```cuda
    //! warp-size = 64
    __global__ void sum(float *out, const float *in) {
      float v = in[threadIdx.x];
      for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_down(v, d);
      if (threadIdx.x % warpSize == 0) out[threadIdx.x / warpSize] = v;
    }
    ```

    ## Known noise

    Groups of 32 lanes that are meant, such as rows of a tile. Shuffles with a width of 32 are not reported.
    """

    code: ClassVar[str] = "WRP212"
    slug: ClassVar[str] = "fixed-warp-size"
    severity: ClassVar[Severity] = Severity.WARNING

    @classmethod
    def find(cls, subject: Subject) -> Iterator[FixedWarpSize]:
        for found in records_of(subject, WarpProblemKind.OF_32):
            yield cls(found.site, found.problem.tier, _text(found), ())


def _text(found: WarpRecord) -> str:
    size = found.warp_size
    match found.problem.instruction:
        case Binary(operator=operator) if operator in _LANE:
            return f"This counts lanes of a warp of 32: in a warp of {size}, lanes 0 and 32 get the same number."
        case Binary():
            return f"This counts warps of 32 lanes: a warp of {size} gets {size // 32} numbers."
        case _:
            return f"The shuffles that start with a distance of 16 cover 32 of the {size} lanes of a warp."
