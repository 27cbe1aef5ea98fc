"""ARI603: an index that is computed in 32 bits and needs more, for sizes that somebody says there are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import ClassVar, Final, TypeAlias, final

from analysis.facts.merge import FrameView
from analysis.facts.model import Location
from analysis.facts.roots import RootAnalysis
from analysis.facts.spelling import spell_type
from analysis.graph.work import TooMuchWork, Work
from analysis.ir.function import FunctionKind, SymbolKind
from analysis.ir.ids import ValueId
from analysis.ir.object_members import MemberPlace, constants_read, members_read, spelled_member
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import IntegerType
from analysis.launches.annotation import annotation_above
from analysis.overflow.analysis import find_overflows
from analysis.overflow.inlined import Inlined
from analysis.overflow.model import Admitted, Extents, Launched, Overflow
from analysis.rules.diagnostic import Fix, Related, Severity
from analysis.rules.rule import Subject
from analysis.rules.widening_fix import widening_fix
from analysis.verdict.barriers import Tier


@final
@record
class IndexOverflow:
    """## What it does

    Reports an index into global memory that is computed in 32 bits and needs more of them, and says which launch
    shows it. The sizes are those of the launches in the project, in objects that are passed and in `__constant__`
    variables too, of the comment above the kernel (`// simt: grid=... block=... n=... p.width=...`), or of constants
    that the thread's place is compared with. Where they are not known, an index of 32 bits that is compared with a size
    of 64 bits is a hint.

    ## Why is this bad?

    `row * width + col` is an `int` if its parts are, whatever it indexes. Beyond 2,147,483,647 it is negative, and the
    kernel reads or overwrites what lies before the array. Tests with small arrays never see it.

    ## Example

    ```cuda
    __global__ void scale(float *a, int n) {
      int row = blockIdx.y * blockDim.y + threadIdx.y;
      int col = blockIdx.x * blockDim.x + threadIdx.x;
      if (row < n && col < n) a[row * n + col] *= 2.0f;  //~ index-overflow
    }
    void host(float *a) {
      int n = 65536;
      scale<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, n);
    }
    ```

    ## Use instead

    Widen the first operand: what it is multiplied with and added to is then computed in 64 bits, too.

    ```cuda
    __global__ void scale(float *a, int n) {
      int row = blockIdx.y * blockDim.y + threadIdx.y;
      int col = blockIdx.x * blockDim.x + threadIdx.x;
      if (row < n && col < n) a[(size_t)row * n + col] *= 2.0f;
    }
    void host(float *a) {
      int n = 65536;
      scale<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, n);
    }
    ```

    ## Known noise

    Each report is the result of evaluating a thread in the integers of mathematics and in 32 bits: the index differs.
    *Possible* is a thread of which memory decides whether it comes there, and a size in a `__constant__` variable that
    is perhaps not set yet. Nothing is said for sizes that are not
    known, of wrapping that changes no index (`i - 1u + 1`), and of remainders and masks of wrapped numbers, as hashes
    take them. Sizes of 64 bits may be a habit, so that what is only compared with them is a hint.
    """

    code: ClassVar[str] = "ARI603"
    slug: ClassVar[str] = "index-overflow"
    severity: ClassVar[Severity] = Severity.WARNING

    site: Location
    expression: str
    type: str
    most: int
    overflow: Overflow
    names: tuple[tuple[str, int], ...]
    """Of the arguments that are known, in the smallest launch."""
    repair: Fix | None

    @property
    def tier(self) -> Tier | None:
        return Tier.POSSIBLE if self.overflow.is_assumed else Tier.PROVEN

    @property
    def is_hint(self) -> bool:
        return self.overflow.launched.admitted is Admitted.WIDE

    @classmethod
    def find(cls, subject: Subject) -> Iterator[IndexOverflow]:
        text = subject.text.bytes(Span(0, subject.function.end - subject.function.start))
        if _COMPUTED.search(text) is not None:
            with suppress(TooMuchWork):  # nothing is said of what is left
                yield from cls._found(subject)

    @classmethod
    def _found(cls, subject: Subject) -> Iterator[IndexOverflow]:
        reported: set[tuple[int, int]] = set()
        known, guessed = Work(MAX_STEPS), Work(MAX_GUESSED_STEPS)
        for view in subject.analysis.views(subject.function)[:MAX_VIEWS]:
            root = view.root
            inlined = root.remembered(_inlined)
            shapes = root.launch.shapes
            shape = (shapes[0].x, shapes[0].y, shapes[0].z) if len(shapes) == 1 else None
            launches = _launches(subject, view)
            for found in find_overflows(inlined, view.frame, launches, shape, known if launches else guessed):
                place = found.span.start, found.span.end
                if place not in reported and place[0] < place[1]:
                    reported.add(place)
                    yield cls._of(subject, view, found)

    @classmethod
    def _of(cls, subject: Subject, view: FrameView, found: Overflow) -> IndexOverflow:
        span, shown = Span(found.span.start, found.span.end), found.shown
        is_here = shown.frame == view.frame and shown.start < shown.end
        scalars = found.launched.scalars
        read = ((scalar.name, value) for scalar in _scalars(view) for value in scalar.values if value in scalars)
        named = {name: scalars[value] for name, value in read}
        return cls(
            subject.text.location(span),
            subject.text.quoted(Span(shown.start, shown.end) if is_here else span),
            spell_type(found.type),
            _most(found.type),
            found,
            tuple(named.items()),
            widening_fix(subject, view, found),
        )

    def message(self) -> str:
        found = self.overflow
        smallest, thread, block = found.launched, found.point.thread, found.point.at
        with_numbers = ", ".join(f"{name} = {number}" for name, number in self.names)
        with_ = f" with `{with_numbers}`" if with_numbers else ""
        rounds = [round_ for round_ in found.point.rounds.values() if round_]
        when = f" in round {rounds[-1] + 1} of the loop" if rounds else ""
        ends = f"ends at {self.most}" if found.number > 0 else f"begins at {-self.most - 1}"
        return (
            f"`{self.expression}` does not fit into 32 bits: launched as `{_written(smallest)}`{with_}, thread "
            f"{_place(thread, smallest.block)} of block {_place(block, smallest.grid)} comes to {found.number}{when}, "
            f"and `{self.type}` {ends}. {self._why()}"
        )

    def _why(self) -> str:
        of = self.overflow.of
        match of.admitted:
            case Admitted.LAUNCH:
                return f"The kernel is launched as `{_written(of)}`."
            case Admitted.COMMENT:
                return "The comment above the kernel says that it is launched so, or larger."
            case Admitted.BOUND:
                return "The bounds that are compared with let these threads through."
            case Admitted.WIDE:
                return "It is compared with a size of 64 bits, which may be so large."

    def related(self) -> tuple[Related, ...]:
        return ()

    def fix(self) -> Fix | None:
        return self.repair


_COMPUTED: Final = re.compile(rb"[-+*]|<<")
MAX_VIEWS: Final = 4
"""Of a function that is called from many places."""
MAX_STEPS: Final = 1_000_000
"""For all views of one function whose launches are known: about two seconds."""
MAX_GUESSED_STEPS: Final = 20_000
"""Where comparisons with constants are all that is known: some hundredths of a second."""


def _most(type_: IntegerType) -> int:
    return (1 << (type_.bits - type_.signed)) - 1


def _written(launched: Launched) -> str:
    return f"<<<{_dim(launched.grid)}, {_dim(launched.block)}>>>"


def _dim(extents: Extents) -> str:
    x, y, z = extents
    return str(x) if y == z == 1 else f"dim3({x}, {y})" if z == 1 else f"dim3({x}, {y}, {z})"


def _place(place: Extents, extents: Extents) -> str:
    x, y, z = place
    return str(x) if extents[1] == extents[2] == 1 else f"({x}, {y})" if extents[2] == 1 else f"({x}, {y}, {z})"


def _inlined(root: RootAnalysis) -> Inlined:
    return Inlined(root.control, root.divergence, root.affine, root.spaces)


def _launches(subject: Subject, view: FrameView) -> list[Launched]:
    """Those that are known with their grids; a comment above the kernel is the only one where it says so."""
    knowledge = view.root.launch
    said = _of_comment(subject, view)
    if said is not None:
        return [said]
    always: dict[_Place, int] = {(at, ()): number for at, number in knowledge.passed}
    always |= {(at, place): number for at, place, number in knowledge.passed_members}
    found: list[Launched] = []
    for known in knowledge.launches:
        if known.grid is not None and min(known.grid) > 0:
            block = (known.shape.x, known.shape.y, known.shape.z)
            numbers = {**always, **{(at, ()): one for at, one in enumerate(known.arguments) if one is not None}}
            numbers |= {(at, place): number for at, place, number in known.members}
            numbers |= {(one.name, one.place): one.number for one in known.constants}
            doubtful = {(one.name, one.place) for one in known.constants if not one.is_certain}
            scalars: dict[ValueId, int] = {}
            assumed: set[ValueId] = set()
            for scalar in _scalars(view):
                if scalar.place in numbers:
                    scalars |= dict.fromkeys(scalar.values, numbers[scalar.place])
                    assumed.update(scalar.values if scalar.place in doubtful else ())
            size = knowledge.warp_size
            found.append(Launched(block, known.grid, scalars, warp_size=size, assumed=frozenset(assumed)))
    return sorted(found, key=lambda one: -_threads(one))


_Place: TypeAlias = tuple[int | str, MemberPlace]
"""The position of a parameter, or the name of a variable in constant memory, and the place in it."""


@final
@record
class _Scalar:
    """An integer that is passed, by itself or in an object, or that stands in constant memory; `values` read it."""

    name: str
    place: _Place
    values: tuple[ValueId, ...]


def _scalars(view: FrameView) -> tuple[_Scalar, ...]:
    return view.root.remembered(_scalars_of)


def _scalars_of(root: RootAnalysis) -> tuple[_Scalar, ...]:
    function = root.function
    numbers = [
        _Scalar(parameter.name, (position, ()), (parameter.value,))
        for position, parameter in enumerate(function.parameters)
        if isinstance(function.types[parameter.value], IntegerType)
    ]
    for (position, place), values in members_read(function).items():
        parameter = function.parameters[position]
        name = parameter.name + spelled_member(function, function.types[parameter.value], place)
        numbers.append(_Scalar(name, (position, place), tuple(values)))
    types = {one.name.rpartition("::")[2]: one.type for one in function.symbols if one.kind is SymbolKind.CONSTANT}
    for (constant, place), values in constants_read(function).items():
        name = constant + spelled_member(function, types[constant], place)
        numbers.append(_Scalar(name, (constant, place), tuple(values)))
    return tuple(numbers)


def _threads(launched: Launched) -> int:
    x, y, z = (a * b for a, b in zip(launched.block, launched.grid, strict=True))
    return x * y * z


def _of_comment(subject: Subject, view: FrameView) -> Launched | None:
    """Of the kernel itself: a device function does not see the text of those that call it."""
    function = subject.function
    if function.kind is not FunctionKind.KERNEL:
        return None
    noted = annotation_above(subject.analysis.document.text, function.start)
    if noted is None or noted.grid is None:
        return None
    shapes = view.root.launch.shapes
    if noted.block is None and len(shapes) != 1:
        return None
    block = tuple(noted.block) if noted.block is not None else (shapes[0].x, shapes[0].y, shapes[0].z)
    x, y, z = block
    scalars = {
        value: number
        for scalar in _scalars(view)
        if (number := _number(noted.parameters.get(scalar.name))) is not None
        for value in scalar.values
    }
    return Launched((x, y, z), (noted.grid.x, noted.grid.y, noted.grid.z), scalars, Admitted.COMMENT)


def _number(text: str | None) -> int | None:
    try:
        return None if text is None else int(text, 0)
    except ValueError:
        return None
