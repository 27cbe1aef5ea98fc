"""WRP211: a set of 64 lanes that is kept in 32 bits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, final

from analysis.ir.instructions import Match, Vote
from analysis.ir.record import record
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.rule import Subject
from analysis.rules.warp_finding import WarpFinding
from analysis.rules.warp_text import records_of
from analysis.warp.model import WarpProblemKind


@final
@record
class NarrowBallot(WarpFinding):
    """## What it does

    Where warps have 64 lanes (`warp-size = 64`): reports a ballot, a match or an active mask that is converted to 32
    bits. Not where the program also shifts it to the right, to reach the upper half, or masks what it keeps.

    ## Why is this bad?

    Lanes 32 to 63 are lost. Nothing warns: the conversion is implicit, and results are only slightly wrong. `__popc`
    takes 32 bits as well.

    ## Example

    ```cuda
    //! warp-size = 64
    __global__ void count(int *out, const int *in) {
      unsigned votes = __ballot(in[threadIdx.x] > 0);  //~ narrow-ballot
      out[threadIdx.x] = __popc(votes);
    }
    ```

    ## Use instead

    ```cuda
    //! warp-size = 64
    __global__ void count(int *out, const int *in) {
      unsigned long long votes = __ballot(in[threadIdx.x] > 0);
      out[threadIdx.x] = __popcll(votes);
    }
    ```

    ## Known noise

    None is known.
    """

    code: ClassVar[str] = "WRP211"
    slug: ClassVar[str] = "narrow-ballot"
    severity: ClassVar[Severity] = Severity.ERROR

    @classmethod
    def find(cls, subject: Subject) -> Iterator[NarrowBallot]:
        for found in records_of(subject, WarpProblemKind.NARROWED):
            match found.problem.instruction:
                case Vote():
                    noun = "ballot"
                case Match():
                    noun = "match"
                case _:
                    noun = "active mask"
            places = ()
            if found.other is not None and found.other.start != found.operation.start:
                places = (Related(found.other, "It is converted to 32 bits here."),)
            yield cls(
                found.site,
                found.problem.tier,
                f"This {noun} of {found.warp_size} lanes is kept in 32 bits: lanes 32-{found.warp_size - 1} are lost.",
                places,
            )
