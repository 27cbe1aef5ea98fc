"""ARI602: index arithmetic that is done again because a compiler may not know that it need not be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, Final, TypeAlias, final

from analysis.facts.merge import FrameView
from analysis.facts.model import Location, PartOf
from analysis.facts.parts import Parts
from analysis.facts.roots import RootAnalysis
from analysis.graph.cycles import CycleId
from analysis.ir.record import record
from analysis.ir.source import FrameId, Span
from analysis.rules.diagnostic import Fix, Related, Severity
from analysis.rules.hoisting_fix import hoisting_fix
from analysis.rules.price import part_text
from analysis.rules.restricted import keeps_pointers_apart, may_alias
from analysis.rules.rule import Subject
from analysis.straightline.code import Code
from analysis.straightline.reloaded_indices import ReloadedIndex, reloaded_indices
from analysis.straightline.wrapping_indices import WrappingIndex, frames_with_unsigned_steps, wrapping_indices
from analysis.verdict.barriers import Tier


@final
@record
class RepeatedIndexArithmetic:
    """## What it does

    Points out index arithmetic that is done again although nothing changed, where a compiler may not know that: indices
    and bounds that are loaded again because of a store through another pointer, and addresses at constant distances
    that are computed one by one because an unsigned 32-bit index may wrap.

    ## Why is this bad?

    Compilers remove most repetition in index arithmetic themselves; `simt-lsp straightline` shows how. Two things stop
    them. A store may change whatever a pointer of the kernel leads to, so that a bound in memory is loaded in each
    round of a loop, which then waits for memory each time. And `a[t + 1]` with an `unsigned t` is no constant distance
    from `a[t]`: the sum may wrap, so it is added, widened and multiplied on its own. With an `int`, whose overflow is
    undefined, or with 64 bits it is an offset that costs nothing.

    ## Example

    ```cuda
    __global__ void rows(const int *start, const int *col, int *sum, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      for (int j = start[i]; j < start[i + 1]; j++)  //~ divergent-loop, repeated-index-arithmetic
        sum[i] += col[j];
    }
    ```

    ## Use instead

    A variable for what does not change. `const int *__restrict__ start` with `int *__restrict__ sum` says the same to
    the compiler.

    ```cuda
    __global__ void rows(const int *start, const int *col, int *sum, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      const int end = start[i + 1];
      for (int j = start[i]; j < end; j++)  //~ divergent-loop
        sum[i] += col[j];
    }
    ```

    ## Known noise

    The share is that of the instructions, from at least `shareThreshold` percent of the kernel on; memory may answer
    from a cache. Silent are loads behind barriers, atomics and calls, stores through the same pointer, and pointers
    that are `__restrict__`. If the two pointers do overlap, the repetition is meant. What a compiler does is what
    nvcc 13.0 was seen to do.
    """

    code: ClassVar[str] = "ARI602"
    slug: ClassVar[str] = "repeated-index-arithmetic"
    severity: ClassVar[Severity] = Severity.HINT

    site: Location
    sentence: str
    others: tuple[Related, ...]
    repair: Fix | None

    @property
    def tier(self) -> Tier | None:
        return None

    @classmethod
    def find(cls, subject: Subject) -> Iterator[RepeatedIndexArithmetic]:
        yield from _found_loads(cls, subject)
        yield from _found_addresses(cls, subject)

    def message(self) -> str:
        return self.sentence

    def related(self) -> tuple[Related, ...]:
        return self.others

    def fix(self) -> Fix | None:
        return self.repair


MAX_VIEWS: Final = 6
"""Of a function that is called from many places."""
MAX_PLACES: Final = 8
_Place: TypeAlias = tuple[int, int]


def _views(subject: Subject) -> tuple[FrameView, ...]:
    return subject.analysis.views(subject.function)[:MAX_VIEWS]


def _is_worth_it(part: PartOf | None, subject: Subject) -> bool:
    return part is not None and 100 * part.share.expected >= subject.share_threshold


def _own(span: Span) -> Span:
    return Span(span.start, span.end)


# -- loads -----------------------------------------------------------------------------------------------------------


def _found_loads(cls: type[RepeatedIndexArithmetic], subject: Subject) -> Iterator[RepeatedIndexArithmetic]:
    """A place counts if it is loaded again in every view; the loads of a loop are one finding."""
    found: dict[_Place, tuple[FrameView, ReloadedIndex]] = {}
    often: defaultdict[_Place, int] = defaultdict(int)
    prices: defaultdict[_Place, Parts] = defaultdict(Parts)
    views = _views(subject)
    for view in views:
        root = view.root
        for place, one in _loads_of(view).items():
            found.setdefault(place, (view, one))
            often[place] += 1
            cycle = root.control.innermost_cycle(one.block)
            share = root.weights.tree.share({None if cycle is None else cycle.id: one.slots})
            prices[place].add(share, root, view.part_of_slots)
    groups: dict[object, list[_Place]] = {}
    for place in sorted(place for place in found if often[place] == len(views)):
        view, one = found[place]
        groups.setdefault(place if one.loop is None else (id(view.root), one.loop.id), []).append(place)
    for first, *rest in groups.values():
        part = prices[first].largest()
        for place in rest:
            more = prices[place].largest()
            if part is not None and more is not None and more.whole == part.whole:
                part = replace(part, share=part.share.plus(more.share))
        if part is not None and _is_worth_it(part, subject):
            yield _of_load(cls, subject, *found[first], part, rest)


def _loads_of(view: FrameView) -> dict[_Place, ReloadedIndex]:
    root = view.root
    found: dict[_Place, ReloadedIndex] = {}
    for one in () if keeps_pointers_apart(view) else root.remembered(_reloads):
        if one.load.frame == view.frame and one.load.start < one.load.end and one.block not in root.weights.unreached:
            found.setdefault((one.load.start, one.load.end), one)
    return found


def _reloads(root: RootAnalysis) -> Sequence[ReloadedIndex]:
    return tuple(reloaded_indices(root.function, root.control, root.divergence, root.spaces, may_alias(root)))


def _of_load(
    cls: type[RepeatedIndexArithmetic],
    subject: Subject,
    view: FrameView,
    one: ReloadedIndex,
    part: PartOf,
    rest: Sequence[_Place],
) -> RepeatedIndexArithmetic:
    text = subject.text
    is_here = one.store.frame == view.frame and one.store.start < one.store.end
    store = f"`{text.quoted(_own(one.store))}`" if is_here else "a store"
    names = [f"`{text.quoted(span)}`" for span in dict.fromkeys((_own(one.load), *(Span(*place) for place in rest)))]
    them = "it" if len(names) == 1 else "them"
    listed = f"{names[0]} is" if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]} are"
    price = part_text(part, subject.function)
    when = "a second time" if one.loop is None else "again in each round of the loop"
    instead = f"Keep {them} in a variable" if one.loop is None else f"Load {them} into a variable in front of the loop"
    sentence = (
        f"{listed} loaded {when}, {price}: a compiler must expect that {store} changes {them}. "
        f"{instead}, or declare both pointers `__restrict__`."
    )
    others = (Related(text.location(_own(one.store)), "this store may change it"),) if is_here else ()
    others += tuple(Related(text.location(Span(*place)), "loaded again as well") for place in rest[:MAX_PLACES])
    fix = hoisting_fix(subject, view, one) if not rest else None
    return cls(text.location(_own(one.load)), sentence, others, fix)


# -- addresses -------------------------------------------------------------------------------------------------------


def _found_addresses(cls: type[RepeatedIndexArithmetic], subject: Subject) -> Iterator[RepeatedIndexArithmetic]:
    reported: set[_Place] = set()
    for view in _views(subject):
        if view.root.is_too_large or view.frame not in view.root.remembered(_frames_with_steps):
            continue
        for one in view.root.remembered(_wrapping):
            found = _of_addresses(cls, subject, view, one)
            if found is not None and (found.site.start, found.site.end) not in reported:
                reported.add((found.site.start, found.site.end))
                yield found


def _frames_with_steps(root: RootAnalysis) -> frozenset[FrameId]:
    return frames_with_unsigned_steps(root.function, root.spaces)


def _wrapping(root: RootAnalysis) -> Sequence[WrappingIndex]:
    return wrapping_indices(Code(root.function, root.control), root.spaces)


def _of_addresses(
    cls: type[RepeatedIndexArithmetic], subject: Subject, view: FrameView, one: WrappingIndex
) -> RepeatedIndexArithmetic | None:
    """None where it is not worth it, or where the addresses are not in the text of this function."""
    text, root = subject.text, view.root
    again = [step for step in one.again if step.span.frame == view.frame and step.span.start < step.span.end]
    if not again or one.first.frame != view.frame:
        return None
    slots: defaultdict[CycleId | None, float] = defaultdict(float)
    for step in again:
        slots[step.cycle] += step.slots
    parts = Parts()
    parts.add(root.weights.tree.share(dict(slots)), root, view.part_of_slots)
    part = parts.largest()
    if part is None or not _is_worth_it(part, subject):
        return None
    places = dict.fromkeys((step.span.start, step.span.end) for step in again)
    (start, end), *rest = places
    others = f" and {len(rest)} more addresses are" if len(rest) > 1 else " and another address are" if rest else " is"
    first = text.quoted(_own(one.first))
    sentence = (
        f"The address of `{text.quoted(Span(start, end))}`{others} computed anew, "
        f"{part_text(part, subject.function)}: "
        f"its unsigned 32-bit index may wrap, so to a compiler it is no offset from `{first}`. "
        "It is one with an `int`, with 64 bits, or from a pointer to the first element."
    )
    related = tuple(Related(text.location(Span(*place)), "computed anew as well") for place in rest[:MAX_PLACES])
    return cls(text.location(Span(start, end)), sentence, related, None)
