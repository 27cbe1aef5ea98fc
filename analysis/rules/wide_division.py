"""ARI601: a division of 64 bits whose operands fit 32 bits, where a compiler does not see it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, Final, final

from analysis.facts.merge import FrameView
from analysis.facts.model import Location, PartOf
from analysis.facts.parts import Parts
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Constant, Convert
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import U32, IntegerType, Type
from analysis.refactor.edit import Replacement
from analysis.rules.diagnostic import Applicability, Fix, Related, Severity
from analysis.rules.operations import integer_divisions
from analysis.rules.price import part_text
from analysis.rules.rule import Subject
from analysis.straightline.code import Code
from analysis.straightline.divisions import is_wide_division, narrow_type
from analysis.straightline.wrapping_indices import KnownToCompilers
from analysis.verdict.barriers import Tier
from analysis.verdict.latency import INTEGER_DIVISION
from analysis.verdict.shares import Share


@final
@record
class WideDivision:
    """## What it does

    Reports a division or remainder of 64-bit integers whose operands fit 32 bits, by what is known of the launches and
    by the comparisons on the way there, where it does not follow from their types.

    ## Why is this bad?

    No GPU divides in hardware. 32 bits take about 20 instructions, 64 bits about 70, which are a function that is
    called, with the registers it needs. Where a compiler does not know that 32 bits are enough, it asks at run time:
    a test and a branch in front of each division, and the long way stays in the code. Negative numbers take the long
    way always.

    ## Example

    ```cuda
    __global__ void fold(long long *out, const int *in, long long rows) {
      long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
      long long j = (long long)blockIdx.y * blockDim.y + 1;
      out[i] = in[i / j];  //~ wide-division
    }
    void host(long long *out, const int *in) { fold<<<dim3(64, 4), 128>>>(out, in, 64); }
    ```

    ## Use instead

    A division of 32 bits, whose result is widened.

    ```cuda
    __global__ void fold(long long *out, const int *in, long long rows) {
      long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
      long long j = (long long)blockIdx.y * blockDim.y + 1;
      out[i] = in[(unsigned)i / (unsigned)j];
    }
    void host(long long *out, const int *in) { fold<<<dim3(64, 4), 128>>>(out, in, 64); }
    ```

    ## Known noise

    Silent is what compilers narrow themselves, since types and the limits of the hardware say that it fits
    (`(long long)threadIdx.x / n` with an `unsigned n`), divisors that are constants, what takes less than
    `shareThreshold` percent of the kernel, and operands that may need more than 32 bits, as where a number is compared
    with an argument of 64 bits: for those the test at run time is right. What a compiler does is what nvcc 13.0 was
    seen to do; clang also looks at comparisons. Grids are taken to have fewer than 2^31 threads along each axis.
    """

    code: ClassVar[str] = "ARI601"
    slug: ClassVar[str] = "wide-division"
    severity: ClassVar[Severity] = Severity.HINT

    site: Location
    expression: str
    is_unsigned: bool
    part: str
    repair: Fix | None

    @property
    def tier(self) -> Tier | None:
        return None

    @classmethod
    def find(cls, subject: Subject) -> Iterator[WideDivision]:
        views = subject.analysis.views(subject.function)[:MAX_VIEWS]
        found: dict[tuple[int, int], _Found] = {}
        for view in views:
            for place, narrow in _divisions(view).items():
                known = found.setdefault(place, _Found([], Parts()))
                known.types.append(narrow)
                if narrow is not None:
                    known.parts.add(_share(view, narrow.block), view.root, view.part_of_slots)
        for (start, end), one in sorted(found.items()):
            part = one.parts.largest()
            narrows = [narrow for narrow in one.types if narrow is not None]
            if part is None or len(narrows) < len(one.types) or not _is_worth_it(part, subject):
                continue
            span = Span(start, end)
            is_unsigned = all(narrow.type == U32 for narrow in narrows)
            yield cls(
                subject.text.location(span),
                subject.text.quoted(span),
                is_unsigned,
                part_text(part, subject.function),
                _casts(subject, span, "unsigned" if is_unsigned else "int", narrows[0].result),
            )

    def message(self) -> str:
        name = "`unsigned`" if self.is_unsigned else "`int`"
        return (
            f"`{self.expression}` divides 64-bit integers that fit {name}, which a compiler does not see: it tests at "
            f"run time and keeps a way of about 70 instructions beside the one of about 20, {self.part}. "
            f"Cast both operands to {name}."
        )

    def related(self) -> tuple[Related, ...]:
        return ()

    def fix(self) -> Fix | None:
        return self.repair


MAX_VIEWS: Final = 6
TEST: Final = 4
"""Instructions of the test in front of a division."""


@final
@record
class _Narrow:
    """A division that fits, and where."""

    type: IntegerType
    result: IntegerType
    block: BasicBlockId


@final
@record
class _Found:
    """One place over all views; None where it does not fit."""

    types: list[_Narrow | None]
    parts: Parts


def _is_worth_it(part: PartOf, subject: Subject) -> bool:
    return 100 * part.share.expected >= subject.share_threshold


def _share(view: FrameView, block: BasicBlockId) -> Share:
    cycle = view.root.control.innermost_cycle(block)
    return view.root.weights.tree.share({None if cycle is None else cycle.id: INTEGER_DIVISION + TEST})


def _divisions(view: FrameView) -> dict[tuple[int, int], _Narrow | None]:
    """The wide divisions in the text of a view that a compiler does not narrow."""
    root, found = view.root, dict[tuple[int, int], _Narrow | None]()
    compilers: KnownToCompilers | None = None
    for block, one in root.remembered(integer_divisions):
        if not isinstance(one, Binary) or not root.control.is_reachable(block) or not _is_asked(view, one):
            continue
        place = one.span.start, one.span.end
        left, right = (root.affine.range_at(value, block) for value in one.operands)
        type_ = narrow_type(left, right)
        if type_ is not None and block not in root.weights.unreached and not _may_be_large(view, block, one.left):
            compilers = compilers or KnownToCompilers(Code(root.function, root.control))
            if narrow_type(compilers.range(one.left), compilers.range(one.right)) is not None:
                continue
            result = root.function.types[one.result]
            assert isinstance(result, IntegerType)
            found.setdefault(place, _Narrow(type_, result, block))
        else:
            found[place] = None
    return found


def _may_be_large(view: FrameView, block: BasicBlockId, value: ValueId) -> bool:
    """Whether a term of it is compared with an argument of 64 bits, whose number nobody knows: ARI603 takes that for a
    size that may be so large."""
    root = view.root
    sizes = {one.value for one in root.function.parameters if _bits(root.function.types[one.value]) > U32.bits}
    seen, waiting = {value}, [value]
    while waiting and sizes:
        current = waiting.pop()
        for _, (_, other) in root.affine.ranges.guards.in_block.get(current, ()):
            while isinstance(item := root.divergence.definition(other), Convert):
                other = item.operand
            if other in sizes and root.affine.range_at(other, block).high >= 1 << U32.bits:
                return True
        item = root.divergence.definition(current)
        new = [one for one in item.operands if one not in seen] if isinstance(item, Binary | Convert) else []
        seen.update(new)
        waiting.extend(new)
    return False


def _bits(type_: Type) -> int:
    return type_.bits if isinstance(type_, IntegerType) else 0


def _casts(subject: Subject, span: Span, narrow: str, result: IntegerType) -> Fix | None:
    """Of two operands that are names, members, elements or in parentheses; the result keeps its type, unless it is all
    that a variable is set to or an index."""
    match = _SIMPLE.fullmatch(subject.text.bytes(span))
    if match is None:
        return None
    left, operator, right = (part.decode() for part in match.groups())
    text = f"({narrow}){left} {operator} ({narrow}){right}"
    start = subject.function.start
    before = subject.text.bytes(Span(0, span.start))
    after = subject.text.bytes(Span(span.end, subject.function.end - start))
    is_index = before.endswith(b"[") and after.startswith(b"]")
    is_assigned = _ASSIGNED.search(before) is not None and _DEDUCED.search(before) is None
    if not is_index and not (is_assigned and after.lstrip().startswith(b";")):
        text = f"({'long long' if result.signed else 'unsigned long long'})({text})"
    place = subject.text.location(span)
    return Fix(
        f"Divide in 32 bits, as `{narrow}`",
        (Replacement(place.start, place.end, text),),
        Applicability.UNSAFE,
    )


_OPERAND: Final = rb"(?:[A-Za-z_]\w*(?:(?:\.|->)\w+|\[[\w.]+\])*|\([\w\s+*.-]+\))"
_SIMPLE: Final = re.compile(rb"\s*(" + _OPERAND + rb")\s*([/%])\s*(" + _OPERAND + rb")\s*")


_ASSIGNED: Final = re.compile(rb"[\w\]\s]=\s*\Z")
_DEDUCED: Final = re.compile(rb"\bauto\b[^;{}]*=\s*\Z")


def _is_asked(view: FrameView, one: Binary) -> bool:
    if one.span.frame != view.frame or one.span.start == one.span.end:
        return False
    types = view.root.function.types
    return is_wide_division(one, types) and not _is_constant(view, one.right)


def _is_constant(view: FrameView, value: ValueId) -> bool:
    definition = view.root.divergence.definition(value)
    while isinstance(definition, Convert):
        definition = view.root.divergence.definition(definition.operand)
    return isinstance(definition, Constant)
