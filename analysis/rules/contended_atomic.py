"""MEM505: an atomic operation with which all lanes of a warp update one address."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import ClassVar, Final, final

from analysis.access.model import Access, AccessKind, AccessPattern, Participation
from analysis.divergence.levels import Level
from analysis.facts.merge import FrameView
from analysis.facts.model import AccessFact, Location
from analysis.ir.function import BasicBlock
from analysis.ir.instructions import Atomic, Instruction, Phi, Terminator
from analysis.ir.operators import AtomicOperator
from analysis.ir.record import record
from analysis.ir.types import FloatType, IntegerType
from analysis.rules.diagnostic import KernelShare, Related, Severity
from analysis.rules.price import part_text
from analysis.rules.rule import Subject
from analysis.rules.source_text import one_line
from analysis.rules.stride_text import places
from analysis.verdict.barriers import Tier


@final
@record
class ContendedAtomic:
    """## What it does

    Reports an atomic operation with which sixteen lanes of a warp or more update one and the same address, when what
    they wait for each other is a share of the kernel that matters: 5 % of its issue slots, or what `shareThreshold`
    says.

    ## Why is this bad?

    Updates of one address follow each other. A warp that combines the values of its lanes first (five shuffles, or one
    `__reduce_add_sync`) needs one update instead of thirty-two; a block that does so, one for all its warps.

    ## Example

    ```cuda
    __global__ void total(const float *x, float *sum, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) atomicAdd(sum, x[i]);  //~ contended-atomic
    }
    ```

    ## Use instead

    ```cuda
    __global__ void total(const float *x, float *sum, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      float value = i < n ? x[i] : 0.0f;
      for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_down_sync(0xffffffff, value, distance);
      }
      if (threadIdx.x % 32 == 0) atomicAdd(sum, value);
    }
    ```

    ## Known noise

    Compilers combine some of these by themselves: where all lanes add the same integer they count lanes by a vote, and
    32-bit integers whose old value nobody reads they may reduce in one instruction. So the rule speaks of numbers with
    a floating point, which no compiler adds in another order, of 64-bit integers that differ between lanes, and of
    integers that differ where each lane keeps the old value (there a prefix sum over the warp and one update would do).
    It is silent where data decides which lanes come, since it may be one now and then, and where the address is
    computed from data, as in a histogram. Exchanges and compare-and-swap are not looked at.
    """

    code: ClassVar[str] = "MEM505"
    slug: ClassVar[str] = "contended-atomic"
    severity: ClassVar[Severity] = Severity.INFORMATION

    site: Location
    text: str
    """Of the operation."""
    lanes: int
    shape_is_known: bool
    keeps_old_value: bool
    part: str
    """In words: "about 12 % of this kernel's issue slots"."""
    cost: KernelShare

    @property
    def tier(self) -> Tier | None:
        return Tier.PROVEN

    @classmethod
    def find(cls, subject: Subject) -> Iterator[ContendedAtomic]:
        for access in subject.function.accesses:
            part, request = access.lost_part, access.request
            if not _is_of_whole_warps(access) or part is None or request is None or request.lanes < MIN_LANES:
                continue
            if 100 * part.share.expected < subject.share_threshold:
                continue
            uses = [_use_of(view, found) for view, found in places(subject.analysis, subject.function, access)]
            if uses and _Use.COMBINED not in uses:
                yield cls(
                    subject.text.location(access.span),
                    one_line(subject.text.bytes(access.span)),
                    request.lanes,
                    not request.assumes_row,
                    any(use is _Use.OLD_VALUE for use in uses),
                    part_text(part, subject.function),
                    KernelShare(part.whole, part.share.expected),
                )

    def message(self) -> str:
        up_to = "" if self.shape_is_known else "up to "
        instead = "a prefix sum" if self.keeps_old_value else "a reduction"
        return (
            f"{up_to.capitalize()}{self.lanes} lanes of a warp run `{self.text}` on one address, one after the other: "
            f"{self.part}. After {instead} over the warp one lane could do it once for all."
        )

    def related(self) -> tuple[Related, ...]:
        return ()


MIN_LANES: Final = 16
"""A request of fewer lanes is small."""
_COMBINING: Final = frozenset(
    {
        AtomicOperator.ADD,
        AtomicOperator.SUBTRACT,
        AtomicOperator.MINIMUM,
        AtomicOperator.MAXIMUM,
        AtomicOperator.AND,
        AtomicOperator.OR,
        AtomicOperator.XOR,
    }
)


class _Use(Enum):
    """What a warp would have to do instead."""

    COMBINED = "combined"
    """Nothing: a compiler may combine it, or it cannot be combined."""
    SUM = "sum"
    OLD_VALUE = "old value"
    """Each lane keeps what it was before, as if the others had come first."""


def _is_of_whole_warps(access: AccessFact) -> bool:
    return (
        access.kind is AccessKind.ATOMIC
        and access.pattern is AccessPattern.BROADCAST
        and access.participation is not Participation.UNKNOWN
    )


def _use_of(view: FrameView, access: Access) -> _Use:
    """In one context."""
    function, divergence = view.root.function, view.root.divergence
    items = function.blocks[access.block].instructions
    found = [item for item in items if isinstance(item, Atomic) and item.address == access.address]
    if access.pattern is not AccessPattern.BROADCAST or len(found) != 1 or found[0].operator not in _COMBINING:
        return _Use.COMBINED
    item, type_ = found[0], function.types[found[0].result]
    is_kept = any(item.result in one.operands for block in function.blocks for one in _users(block))
    use = _Use.OLD_VALUE if is_kept else _Use.SUM
    if isinstance(type_, FloatType):
        return use
    differs = divergence.use_level(item.arguments[0], access.block) is Level.VARYING
    if not isinstance(type_, IntegerType) or not differs or (type_.bits <= NARROW and not is_kept):
        return _Use.COMBINED
    return use


def _users(block: BasicBlock) -> Iterator[Instruction | Phi | Terminator]:
    yield from block.phis
    yield from block.instructions
    yield block.terminator


NARROW: Final = 32
"""Bits of the integers that a warp reduces in one instruction."""
