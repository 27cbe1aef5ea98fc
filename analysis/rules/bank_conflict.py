"""MEM502: lanes that want different words of one bank of shared memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, final

from analysis.access.model import AccessKind, Basis, Participation, RequestCost
from analysis.facts.model import AccessFact, Location
from analysis.ir.record import record
from analysis.ir.types import MemorySpace
from analysis.rules.access_price import at_dearest, lost_at
from analysis.rules.access_text import address_text, location_of, other_places, sites_by_array
from analysis.rules.diagnostic import Fix, KernelShare, Related, Severity
from analysis.rules.padding_fix import padding_fix
from analysis.rules.price import part_text
from analysis.rules.rule import Subject
from analysis.verdict.barriers import Tier


@final
@record
class BankConflict:
    """## What it does

    Reports an access to shared memory for which four or more lanes of a warp want different words of one bank, when
    all such accesses to the array take a share of the kernel that matters: 5 % of its issue slots, or what
    `shareThreshold` says.

    ## Why is this bad?

    Shared memory has 32 banks, 4 bytes wide, and serves one word of each per pass (and every lane that wants that
    word). Lanes that want different words of one bank wait for each other: an n-way conflict takes n passes.

    ## Example

    ```cuda
    __global__ void transpose(float *out, const float *in) {
      __shared__ float tile[32][32];
      tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
      __syncthreads();
      out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];  //~ bank-conflict
    }
    void host(float *out, const float *in) { transpose<<<1, dim3(32, 32)>>>(out, in); }
    ```

    ## Use instead

    Make the rows one element longer, so that a column lies in 32 different banks. The editor offers this where the
    array is declared in the function, all its uses are subscripts, and counting again shows no new conflict.

    ```cuda
    __global__ void transpose(float *out, const float *in) {
      __shared__ float tile[32][32 + 1];
      tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
      __syncthreads();
      out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
    }
    void host(float *out, const float *in) { transpose<<<1, dim3(32, 32)>>>(out, in); }
    ```

    ## Known noise

    The share counts the passes beyond the first, and no wait for memory that hides them. Where the block shape is not
    known, rows of at least 8 threads are assumed. Two- and three-way conflicts are not reported: in published kernels
    about half of them cannot be avoided without making something else slower.
    """

    code: ClassVar[str] = "MEM502"
    slug: ClassVar[str] = "bank-conflict"
    severity: ClassVar[Severity] = Severity.INFORMATION

    site: Location
    address: str
    ways: int
    stride: int | None
    shape_is_known: bool
    part: str
    """What all accesses of the site wait, in words: "about 12 % of this kernel's issue slots"."""
    cost: KernelShare
    others: tuple[Related, ...]
    padding: Fix | None
    tier: Tier | None

    @classmethod
    def find(cls, subject: Subject) -> Iterator[BankConflict]:
        text = subject.text
        conflicting = [access for access in subject.function.accesses if conflicts(access)]
        for site in map(at_dearest, sites_by_array(text, conflicting)):
            lost = lost_at(site)
            if lost is None or 100 * lost.share.expected < subject.share_threshold:
                continue
            request = site.first.request
            assert request is not None
            assert request.bank_ways is not None
            yield cls(
                location_of(text, site.first),
                address_text(text, site.first),
                request.bank_ways,
                site.first.stride,
                not request.assumes_row,
                part_text(lost, subject.function),
                KernelShare(lost.whole, lost.share.expected),
                other_places(text, site),
                padding_fix(subject, site.first),
                Tier.PROVEN if is_proven(site.first, request) else Tier.POSSIBLE,
            )

    def message(self) -> str:
        neighbours = "neighbouring lanes" if self.shape_is_known else "neighbours along x"
        apart = "" if self.stride is None else f", where {neighbours} are {abs(self.stride)} bytes apart"
        up_to = "" if self.shape_is_known else "up to "
        want = "want" if self.tier is Tier.PROVEN else "may want"
        return (
            f"{up_to.capitalize()}{self.ways}-way bank conflict: in `{self.address}`{apart}, {up_to}{self.ways} lanes "
            f"of a warp {want} different words of one bank of shared memory and wait for each other: "
            f"{self.part}."
        )

    def fix(self) -> Fix | None:
        return self.padding

    def related(self) -> tuple[Related, ...]:
        return self.others


MIN_WAYS: Final = 4


def conflicts(access: AccessFact, ways: int = MIN_WAYS) -> bool:
    """Do so many lanes want different words of one bank, or more?"""
    request = access.request
    if access.space is not MemorySpace.SHARED or access.kind is AccessKind.ATOMIC or request is None:
        return False
    return (request.bank_ways or 1) >= ways


def is_proven(access: AccessFact, request: RequestCost, ways: int = MIN_WAYS) -> bool:
    """Is the number of passes certain to be that high, or higher, whatever the block shape?"""
    stays = request.basis is Basis.KNOWN_SHAPE or (request.in_short_rows or 0) >= ways
    return request.is_exact and stays and access.participation is not Participation.UNKNOWN
