"""MEM501: a request to global memory that moves many more sectors than it needs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, Final, final

from analysis.access.model import SECTOR_BYTES, Access, AccessKind, Basis, Participation, RequestCost
from analysis.affine.atoms import ValueAtom
from analysis.affine.linear_form import Coefficients
from analysis.facts.merge import FrameView
from analysis.facts.model import AccessFact, Location, PartOf
from analysis.ir.function import FunctionKind
from analysis.ir.record import record
from analysis.ir.source import OWN_FRAME, FrameId
from analysis.ir.types import MemorySpace
from analysis.rules.access_price import SECTOR_FACTOR, at_dearest, lost_at, sectors_text
from analysis.rules.access_text import Site, address_text, location_of, other_places, sites_by_array
from analysis.rules.array_argument import argument_of
from analysis.rules.diagnostic import Related, Severity
from analysis.rules.one_index import by_one_index
from analysis.rules.rule import Subject
from analysis.rules.source_text import FunctionText
from analysis.rules.stride_text import SymbolicStride, launched_strides, symbolic_stride
from analysis.rules.wording import counted
from analysis.verdict.barriers import Tier


@final
@record
class UncoalescedAccess:
    """## What it does

    Reports an access to global memory whose lanes are so far apart that most of what is moved is not used: in a loop
    from four times as many 32-byte sectors as needed, elsewhere from eight times. What the function itself reads or
    writes next to it, like the other members of a struct, counts as used.

    Accesses of several arrays whose lanes are equally far apart, in one loop or in neighbouring statements, are one
    finding: it is the index that a person would change.

    It has to matter: what is not used, by all accesses of the array at this stride together, is 15 % of all that the
    kernel moves (three times `shareThreshold`). A boundary that is filled once beside the loop that does the work, or
    by one block of the grid, is left alone.

    The distance may be a size that is only known at run time, like the `width` of a matrix. The message then says how
    small that would have to be for the number of sectors not to hold.

    ## Why is this bad?

    A warp's request is served in sectors of 32 bytes. Thirty-two neighbouring floats are four sectors; thirty-two
    floats at a stride of 32 bytes or more are thirty-two, for the same work.

    ## Example

    ```cuda
    __global__ void column_sums(const float *matrix, float *sums) {
      int row = blockIdx.x * blockDim.x + threadIdx.x;
      float sum = 0.0f;
      for (int k = 0; k < 1024; k++) {
        sum += matrix[row * 1024 + k];  //~ uncoalesced-access
      }
      sums[row] = sum;
    }
    ```

    ## Use instead

    Let neighbouring threads touch neighbouring elements: exchange the roles of the indices, store the array
    transposed or as a struct of arrays, or go through shared memory.

    ```cuda
    __global__ void column_sums(const float *transposed, float *sums) {
      int row = blockIdx.x * blockDim.x + threadIdx.x;
      float sum = 0.0f;
      for (int k = 0; k < 1024; k++) {
        sum += transposed[k * 1024 + row];
      }
      sums[row] = sum;
    }
    ```

    ## Known noise

    Proven is the sentence as it stands: with a distance like `4*width` it says for which `width` it does not hold.
    Where all launches of the file pass the same number as `width`, that number decides.
    Sizes that are small by nature, like the step of a pooling layer, make noise: 3 of 49 such findings on 285,000 lines
    of samples and benchmarks. A distance that a loop changes (`tid * s` in a reduction) or that has no name is
    *possible* and shown on request. Where the block shape is not known, rows of at least 8 threads are assumed. Caches
    may keep the unused part of a sector until a later round of the loop uses it. Indices that come from data are not
    reported.
    """

    code: ClassVar[str] = "MEM501"
    slug: ClassVar[str] = "uncoalesced-access"
    severity: ClassVar[Severity] = Severity.INFORMATION

    site: Location
    address: str
    kind: AccessKind
    stride: int | None
    symbolic: SymbolicStride | None
    """The words for a stride that is no known number."""
    lanes: int
    sectors: int
    needed: int
    distance: int | None
    """With a symbolic stride: from so many bytes on the sectors are certain."""
    shape_is_known: bool
    part: str
    """What the site loses, in words: "about 43 % of all sectors that this kernel moves"."""
    others: tuple[Related, ...]
    tier: Tier | None

    @classmethod
    def find(cls, subject: Subject) -> Iterator[UncoalescedAccess]:
        sites = [one for one in _sites(subject) if not _is_told_of_kernel(subject, one.site.first)]
        for group in by_one_index(subject.text, sites, _site, _distance):
            first, *others = sorted(group, key=lambda one: -one.lost.share.expected)
            yield cls._of(subject, first, others)

    @classmethod
    def _of(cls, subject: Subject, one: _WastefulSite, others: Sequence[_WastefulSite]) -> UncoalescedAccess:
        text, first, request = subject.text, one.site.first, one.site.first.request
        assert request is not None
        lost = one.lost
        for other in others:
            lost = replace(lost, share=lost.share.plus(other.lost.share))
        return cls(
            location_of(text, first),
            address_text(text, first),
            first.kind,
            first.stride,
            one.symbolic,
            request.lanes,
            one.waste.sectors,
            one.waste.needed,
            one.distance,
            not request.assumes_row,
            sectors_text(lost, subject.function),
            (*other_places(text, one.site), *_places(text, others)),
            one.tier,
        )

    def message(self) -> str:
        neighbours = "neighbouring lanes" if self.shape_is_known else "neighbours along x"
        moves = _MOVES[self.kind] if self.tier is Tier.PROVEN else f"may {_MOVES[self.kind].removesuffix('s')}"
        up_to = "" if self.shape_is_known else "up to "
        unless = "" if self.symbolic is None or self.distance is None else f", {self.symbolic.unless(self.distance)}"
        return (
            f"In `{self.address}`, {neighbours} are {self._apart()}: one request of {self.lanes} lanes {moves} "
            f"{up_to}{counted(self.sectors, 'sector')} of 32 bytes where {self.needed} would do{unless}. "
            f"What is not used is {self.part}."
        )

    def _apart(self) -> str:
        if self.stride is not None:
            return f"{counted(abs(self.stride), 'byte')} apart"
        if self.symbolic is not None:
            return f"`{self.symbolic.text}` bytes apart"
        return "at a distance that is not a known number"

    def related(self) -> tuple[Related, ...]:
        return self.others


@final
@record
class _WastefulSite:
    """A site that is worth a report; `distance` as in the finding."""

    site: Site
    lost: PartOf
    waste: Waste
    symbolic: SymbolicStride | None
    distance: int | None
    tier: Tier


def _sites(subject: Subject) -> Iterator[_WastefulSite]:
    wasteful = [access for access in subject.function.accesses if waste(access) is not None]
    for site in map(at_dearest, sites_by_array(subject.text, wasteful)):
        lost, found = lost_at(site), waste(site.first)
        if lost is None or found is None or 100 * lost.share.expected < SECTOR_FACTOR * subject.share_threshold:
            continue
        symbolic = symbolic_stride(subject.analysis, subject.function, site.first)
        distance = found.distance
        if distance is not None:
            launched = launched_strides(subject.analysis, subject.function, site.first)
            if _are_near(launched, distance):
                continue
            distance = distance if None in launched or not launched else None
        # From which distance on it holds must be said to be checked.
        is_nameless = found.distance is not None and symbolic is None
        yield _WastefulSite(site, lost, found, symbolic, distance, Tier.POSSIBLE if is_nameless else found.tier)


def _is_told_of_kernel(subject: Subject, access: AccessFact) -> bool:
    """Whether each kernel that comes to a function tells the same array at the same stride in its own text."""
    if subject.function.kind is FunctionKind.KERNEL:
        return False
    views, place = subject.analysis.views(subject.function), (access.span.start, access.span.end)
    functions = {one.id: one for one in subject.analysis.facts.functions}
    for view in views:
        here = {_array(view, one) for one in _records(view, view.frame) if (one.span.start, one.span.end) == place}
        kernel = functions.get(view.root.function.frames[OWN_FRAME].function)
        if kernel is None or kernel.kind is not FunctionKind.KERNEL or None in here or len(here) != 1:
            return False
        in_kernel = replace(subject, function=kernel)
        told = {(one.site.first.span.start, one.site.first.span.end) for one in _sites(in_kernel)}
        same = {(one.span.start, one.span.end) for one in _records(view, OWN_FRAME) if {_array(view, one)} == here}
        if told.isdisjoint(same):
            return False
    return bool(views)


def _records(view: FrameView, frame: FrameId) -> Sequence[Access]:
    return view.root.records[frame].accesses


def _array(view: FrameView, access: Access) -> tuple[ValueAtom, Coefficients] | None:
    """The argument that an address begins with, and how far apart threads are there."""
    form = access.form
    found = None if form is None else argument_of(view, form.base.without_constant)
    return None if found is None or form is None else (found, form.coefficients)


def _site(one: _WastefulSite) -> Site:
    return one.site


def _distance(one: _WastefulSite) -> object:
    """Equal where one change of the index mends both; what has no name is like nothing else."""
    stride = one.site.first.stride
    apart = stride if stride is not None else one.symbolic or one
    return apart, one.tier, one.lost.whole


def _places(text: FunctionText, others: Sequence[_WastefulSite]) -> Iterator[Related]:
    for other in others:
        for access in (other.site.first, *other.site.others):
            yield Related(location_of(text, access), "another array at the same stride")


MIN_LANES: Final = 16
"""A request of fewer lanes is small whatever it looks like."""
RATIO_IN_LOOP: Final = 4
RATIO: Final = 8
RATIO_IN_SHORT_ROWS: Final = 2

_MOVES: Final = {AccessKind.LOAD: "reads", AccessKind.STORE: "writes", AccessKind.ATOMIC: "updates"}


@final
@record
class Waste:
    """Sectors moved and needed; `tier` holds if lanes whose distance is no known number are `distance` bytes apart."""

    sectors: int
    needed: int
    tier: Tier
    distance: int | None


def waste(access: AccessFact, ratio: int | None = None) -> Waste | None:
    """If that is out of proportion: `ratio` times what is used, or as the rule has it."""
    request = access.request
    if request is None or request.lanes < MIN_LANES or access.bytes is None or request.sectors_max is None:
        return None
    if access.space is not MemorySpace.GLOBAL or access.participation is Participation.UNKNOWN:
        return None
    sectors = request.sectors if request.is_exact else request.sectors_max
    if sectors is None:
        return None
    needed = -(-request.lanes * access.bytes // SECTOR_BYTES)
    used = -(-request.lanes * max(access.bytes, access.used_bytes or 0) // SECTOR_BYTES)
    wanted = (ratio or (RATIO_IN_LOOP if access.loops else RATIO)) * max(needed, used)
    if sectors < wanted:
        return None
    far = request.far_apart
    if not request.is_exact and far is not None and far.sectors >= wanted:
        # A column of a matrix, whose neighbours along y share sectors: less in short rows, and still a multiple.
        is_proven = _stays(request, far.in_short_rows, RATIO_IN_SHORT_ROWS * max(needed, used))
        return Waste(far.sectors, needed, Tier.PROVEN if is_proven else Tier.POSSIBLE, far.distance)
    is_proven = request.is_exact and _stays(request, request.in_short_rows, wanted)
    return Waste(sectors, needed, Tier.PROVEN if is_proven else Tier.POSSIBLE, None)


def _are_near(steps: Collection[int | None], distance: int) -> bool:
    """Are they known, and all smaller?"""
    return bool(steps) and all(step is not None and abs(step) < distance for step in steps)


def _stays(request: RequestCost, in_short_rows: int | None, wanted: int) -> bool:
    """Does it need as many sectors in short rows, too?  Half a warp needs half of it."""
    share = 2 if request.basis is Basis.LINE else 1
    return request.basis is Basis.KNOWN_SHAPE or share * (in_short_rows or 0) >= wanted
