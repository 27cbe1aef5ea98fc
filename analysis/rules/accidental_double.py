"""ARI604: arithmetic in double precision that comes of literals without `f`, in code that is about floats."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Final, final

from analysis.facts.merge import FrameView
from analysis.facts.model import Location, PartOf
from analysis.facts.parts import Parts
from analysis.facts.roots import RootAnalysis
from analysis.ir.instructions import Constant
from analysis.ir.record import record
from analysis.ir.source import FrameId, Span
from analysis.refactor.edit import Replacement
from analysis.rules.diagnostic import Applicability, Fix, KernelShare, Related, Severity
from analysis.rules.operations import views_by_root
from analysis.rules.price import is_wide, part_text
from analysis.rules.rule import Subject
from analysis.verdict.barriers import Tier
from analysis.verdict.doubles import DoubleIsland, accidental_doubles
from analysis.verdict.shares import Share


@final
@record
class AccidentalDouble:
    """## What it does

    Reports literals without suffix (`0.1`) that make a kernel compute in double precision, although its arguments,
    variables and arrays hold none, if that matters where double precision is slow: 20 % of the issue slots, or four
    times what `shareThreshold` says.

    ## Why is this bad?

    `0.1` is a `double`, and so is each sum and product with it. Devices that are not made for data centres compute
    doubles at 1/64 of the rate of floats; the others at half of it, with a conversion before and after.

    ## Example

    ```cuda
    __global__ void blend(float *a, const float *b, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) a[i] = 0.9 * a[i] + 0.1 * b[i];  //~ accidental-double
    }
    ```

    ## Use instead

    ```cuda
    __global__ void blend(float *a, const float *b, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) a[i] = 0.9f * a[i] + 0.1f * b[i];
    }
    ```

    ## Known noise

    What compilers compute in floats anyway is left out, since the result is the same: `x > 0.0`, `c ? x : 0.0`, and one
    product, sum or quotient of a float and a number that a float holds exactly (`float y = 0.5 * x;`). So is code with
    a cast to `double`, and all of a kernel that has doubles in an argument, a variable, or in memory. The repair rounds
    in between, so that results differ in the last digits: somebody has to want that.
    """

    code: ClassVar[str] = "ARI604"
    slug: ClassVar[str] = "accidental-double"
    severity: ClassVar[Severity] = Severity.INFORMATION

    site: Location
    literal: str
    part: str
    """In words, with what joins it to the next: "about 12 % of this kernel's issue slots, and "."""
    percent: int
    """The same where doubles are slow."""
    cost: KernelShare
    others: tuple[Related, ...]
    repair: Fix | None

    @property
    def tier(self) -> Tier | None:
        return None

    @classmethod
    def find(cls, subject: Subject) -> Iterator[AccidentalDouble]:
        fast, slow = Parts(), Parts()
        literals: dict[tuple[int, int], bool] = {}
        for frames in views_by_root(subject):
            root = next(iter(frames.values())).root
            for island in root.remembered(_islands):
                here = [one for one in island.literals if one.span.frame in frames]
                if not here or _is_cast(subject, frames, island):
                    continue
                can_be_repaired = len(here) == len(island.literals) and all(_suffixed(subject, one) for one in here)
                for one in here:
                    place = one.span.start, one.span.end
                    literals[place] = literals.get(place, True) and can_be_repaired
                whole = frames[here[0].span.frame].part_of_slots
                share = root.weights.tree.share(island.slots)
                fast.add(share, root, whole)
                slow.add(_where_slow(share, root.weights.tree.share(island.slow_slots)), root, whole)
        part, where_slow = fast.largest(), slow.largest()
        if part is None or where_slow is None:
            return
        if 100 * where_slow.share.expected < SLOW_FACTOR * subject.share_threshold:
            return
        yield cls._of(subject, sorted(literals.items()), part, where_slow)

    @classmethod
    def _of(
        cls, subject: Subject, literals: Sequence[tuple[tuple[int, int], bool]], part: PartOf, slow: PartOf
    ) -> AccidentalDouble:
        spans = [Span(*place) for place, _ in literals]
        first, *others = spans
        percent = round(100 * min(0.99, slow.share.expected))
        return cls(
            subject.text.location(first),
            subject.text.quoted(first),
            "" if is_wide(part.share) else f"{part_text(part, subject.function)}, and ",
            percent,
            KernelShare(part.whole, part.share.expected),
            tuple(Related(subject.text.location(one), "another one") for one in others[:MAX_PLACES]),
            _fix(subject, [Span(*place) for place, can_be_repaired in literals if can_be_repaired]),
        )

    def message(self) -> str:
        others = f" and {len(self.others)} more like it" if self.others else ""
        makes = "make" if self.others else "makes"
        return (
            f"`{self.literal}`{others} {makes} this code compute in double precision, which nothing else in it asks "
            f"for: {self.part}about {self.percent} % where doubles run at 1/64 of the rate of floats."
        )

    def related(self) -> tuple[Related, ...]:
        return self.others

    def fix(self) -> Fix | None:
        return self.repair


def _islands(root: RootAnalysis) -> Sequence[DoubleIsland]:
    return accidental_doubles(root.function, root.control, root.divergence, root.spaces)


SLOW_FACTOR: Final = 4
MAX_PLACES: Final = 8
_LITERAL: Final = re.compile(rb"[+-]?\s*(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?\Z")
_LEAST: Final = 1.2e-38
_MOST: Final = 3.4e38


def _where_slow(fast: Share, slow: Share) -> Share:
    """Of a kernel that grows by what takes longer."""
    return Share(*(more / (max(0.0, 1 - once) + more) for once, more in zip(fast.ends, slow.ends, strict=True)))


def _is_cast(subject: Subject, frames: Mapping[FrameId, FrameView], island: DoubleIsland) -> bool:
    """Did somebody write that it is to be a double?"""
    spans = {(one.span.start, one.span.end) for one in island.conversions if one.span.frame in frames}
    return any(_DOUBLE.search(subject.text.bytes(Span(*place))) for place in spans)


_DOUBLE: Final = re.compile(rb"\bdouble\b|__dmul|__dadd|__fma_r|__double")


def _suffixed(subject: Subject, literal: Constant) -> bool:
    """Whether it stands in the text as it is, and a float can be near to it."""
    assert isinstance(literal.value, float)
    number = abs(literal.value)
    is_near = number == 0 or _LEAST < number < _MOST
    return is_near and _LITERAL.match(subject.text.bytes(literal.span)) is not None


def _fix(subject: Subject, spans: Sequence[Span]) -> Fix | None:
    if not spans:
        return None
    ends = sorted({subject.text.end(span) for span in spans})
    first = subject.text.quoted(spans[0])
    title = f"Write `{first}f`" if len(ends) == 1 else f"Write `{first}f`, and {len(ends) - 1} more like it"
    return Fix(title, tuple(Replacement(end, end, "f") for end in ends), Applicability.UNSAFE)
