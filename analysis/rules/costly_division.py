"""ARI606: integer divisions and remainders by what the compiler does not know."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import ClassVar, Final, final

from analysis.divergence.levels import Level
from analysis.facts.merge import FrameView
from analysis.facts.model import Location
from analysis.facts.roots import RootAnalysis
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Compare, Constant, Convert, Instruction
from analysis.ir.object_members import numbers_of_members
from analysis.ir.operators import BinaryOperator
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import IntegerType
from analysis.rules.diagnostic import KernelShare, Related, Severity
from analysis.rules.operations import PricedOperation, integer_divisions, priced_operations
from analysis.rules.price import is_wide, part_text
from analysis.rules.rule import Subject
from analysis.verdict.barriers import Tier
from analysis.verdict.latency import DIVISION_BY_CONSTANT, INTEGER_DIVISION, SIMPLE, WIDE_INTEGER_DIVISION


class Divisor(Enum):
    """Why a division takes long."""

    PASSED = "passed"
    """It is the same in all threads, and only a launch says what it is."""
    ALWAYS = "always"
    """The same, and every launch passes one number."""
    SIGNED = "signed"
    """A power of two, of a number that is never negative, which the compiler does not see."""


@final
@record
class CostlyDivision:
    """## What it does

    Hints at divisions and remainders of integers by an argument of the kernel, and at those of signed numbers by powers
    of two where the number is never negative, if what could be saved is 5 % of the kernel's issue slots (10 % of the
    latter), or what `shareThreshold` says.

    ## Why is this bad?

    No device divides integers: about 20 instructions stand for a division, 70 in 64 bits. Of a divisor that the
    compiler knows it makes a multiplication, and a shift of a power of two.

    ## Example

    ```cuda
    __global__ void normalized(float *out, const float *in, const float *of_row, const float *of_column, int width) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      int row = i / width;  //~ costly-division
      int col = i % width;
      out[i] = in[i] * of_row[row] + of_column[col];
    }
    ```

    ## Use instead

    Let the grid have the axes that the data has; or make the divisor a template argument; or pass a multiplier and a
    shift that the host has worked out (`__umulhi(i, multiplier) >> shift`).

    ```cuda
    __global__ void normalized(float *out, const float *in, const float *of_row, const float *of_column, int width) {
      int row = blockIdx.y;
      int col = blockIdx.x * blockDim.x + threadIdx.x;
      int i = row * width + col;
      if (col < width) out[i] = in[i] * of_row[row] + of_column[col];
    }
    ```

    ## Known noise

    Kernels that wait for memory have slots to spare: a share of them is no share of the time. Divisors that differ from
    thread to thread or come from memory are not reported, since nothing takes their place.
    """

    code: ClassVar[str] = "ARI606"
    slug: ClassVar[str] = "costly-division"
    severity: ClassVar[Severity] = Severity.HINT

    site: Location
    text: str
    divisor: Divisor
    number: int | None
    """Of `ALWAYS`, what is passed."""
    slots: int
    part: str
    cost: KernelShare
    others: tuple[Related, ...]

    @property
    def tier(self) -> Tier | None:
        return None

    @classmethod
    def find(cls, subject: Subject) -> Iterator[CostlyDivision]:
        divisions = [*priced_operations(subject, integer_divisions, _saved)]
        text = Span(0, subject.function.end - subject.function.start)
        if not divisions or _WRITTEN.search(subject.text.bytes(text)) is None:
            return
        groups: dict[object, list[PricedOperation]] = {}
        for found in divisions:
            groups.setdefault(_group(found), []).append(found)
        for group in groups.values():
            finding = cls._of(subject, group)
            if finding is not None:
                yield finding

    @classmethod
    def _of(cls, subject: Subject, group: Sequence[PricedOperation]) -> CostlyDivision | None:
        """Of divisions by one number."""
        found, *others = group
        item = found.item
        assert isinstance(item, Binary)
        divisor, number = _divisor(found.view, found.block, item) or (Divisor.PASSED, None)
        share = found.part.share
        for other in others:
            share = share.plus(other.part.share) if other.part.whole == found.part.whole else share
        factor = SIGNED_FACTOR if divisor is Divisor.SIGNED else 1
        is_told = not is_wide(share) or 100 * share.low >= subject.share_threshold
        if 100 * share.expected < factor * subject.share_threshold or not is_told:
            return None
        return cls(
            subject.text.location(found.span),
            subject.text.quoted(found.span),
            divisor,
            number,
            _price(found.view, item),
            part_text(replace(found.part, share=share), subject.function),
            KernelShare(found.part.whole, share.expected),
            tuple(Related(subject.text.location(one.span), "the same divisor") for one in others[:MAX_PLACES]),
        )

    def message(self) -> str:
        match self.divisor:
            case Divisor.SIGNED:
                return (
                    f"`{self.text}` is rounded toward zero, with extra instructions for negative numbers, and there "
                    f"are none: as an unsigned number it would be one instruction, and save {self.part}."
                )
            case Divisor.ALWAYS:
                return (
                    f"`{self.text}` takes about {self.slots} instructions, and every launch passes {self.number} to "
                    f"divide by: as a constant or a template argument it would save {self.part}."
                )
            case Divisor.PASSED:
                return (
                    f"`{self.text}` takes about {self.slots} instructions, and all threads divide by the same number: "
                    f"an axis of the grid, a template argument, or a multiplier that the host works out would save "
                    f"{self.part}."
                )

    def related(self) -> tuple[Related, ...]:
        return self.others


_WRITTEN: Final = re.compile(rb"%|(?<![/*])/(?![/*])|(?m:^[ \t]*#)|\b[A-Z_]{3,}\b")
"""A division, or a macro that may be one."""
_DIVISIONS: Final = frozenset({BinaryOperator.DIVIDE, BinaryOperator.REMAINDER})
SIGNED_FACTOR: Final = 2
"""Times the threshold: a few instructions less are seldom worth another type."""
ROUNDING: Final = 2
"""More instructions for a shift that rounds toward zero."""
MAX_DEPTH: Final = 6
MAX_TERMS: Final = 16
MAX_PLACES: Final = 8


def _group(found: PricedOperation) -> object:
    """Equal where one change mends both."""
    item = found.item
    assert isinstance(item, Binary)
    decided = _divisor(found.view, found.block, item)
    argument = item.right
    while isinstance(source := found.view.root.divergence.definition(argument), Convert):
        argument = source.operand
    return (decided, item.left) if isinstance(source, Constant) else (id(found.view), argument)


def _price(view: FrameView, item: Binary) -> int:
    type_ = view.root.function.types[item.result]
    return WIDE_INTEGER_DIVISION if isinstance(type_, IntegerType) and type_.bits > 32 else INTEGER_DIVISION


def _saved(view: FrameView, block: BasicBlockId, item: Instruction) -> int | None:
    if not isinstance(item, Binary) or item.operator not in _DIVISIONS:
        return None
    if not isinstance(view.root.function.types[item.result], IntegerType):
        return None
    found = _divisor(view, block, item)
    if found is None:
        return 0
    divisor, number = found
    if divisor is Divisor.SIGNED:
        return ROUNDING
    is_power = number is not None and number > 0 and not number & (number - 1)
    return _price(view, item) - (SIMPLE if is_power else DIVISION_BY_CONSTANT)


def _divisor(view: FrameView, block: BasicBlockId, item: Binary) -> tuple[Divisor, int | None] | None:
    root = view.root
    type_ = root.function.types[item.result]
    argument = item.right
    while isinstance(source := root.divergence.definition(argument), Convert):
        argument = source.operand
    if isinstance(source, Constant):
        number = source.value
        is_power = isinstance(number, int) and number > 1 and not number & (number - 1)
        is_signed = isinstance(type_, IntegerType) and type_.signed
        is_positive = root.affine.range_at(item.left, block).low >= 0
        if not (is_power and is_signed and is_positive and _may_wrap(view, item.left)) or _is_compared_only(view, item):
            return None
        return Divisor.SIGNED, None
    if not root.is_of_kernel or root.divergence.level(argument) is not Level.GRID:
        return None
    positions = {one.value: position for position, one in enumerate(root.function.parameters)}
    if argument in positions:
        number = dict(root.launch.always).get(positions[argument])
        return (Divisor.PASSED, None) if number is None else (Divisor.ALWAYS, number)
    number = root.remembered(_always_in_objects).get(argument)
    if number is not None:
        return Divisor.ALWAYS, number
    return (Divisor.PASSED, None) if _is_of_arguments(view, argument) else None


def _always_in_objects(root: RootAnalysis) -> Mapping[ValueId, int]:
    """What every launch passes in objects."""
    return numbers_of_members(root.function, root.launch.always_members)


def _is_compared_only(view: FrameView, item: Binary) -> bool:
    """Of `i % 2 == 0` compilers ask the lowest bit, whatever the sign."""
    if item.operator is not BinaryOperator.REMAINDER:
        return False
    users = [one for _, one in view.root.function.instructions() if item.result in one.operands]
    return all(isinstance(one, Compare) and _is_zero(view, one.right) for one in users)


def _is_zero(view: FrameView, value: ValueId) -> bool:
    item = view.root.divergence.definition(value)
    return isinstance(item, Constant) and item.value == 0


def _is_of_arguments(view: FrameView, value: ValueId) -> bool:
    """Computed of arguments, an argument among them, and constants: the host could do it, and the compiler cannot."""
    arguments = {one.value for one in view.root.function.parameters}
    waiting, seen = [value], {value}
    is_passed = False
    while waiting:
        current = waiting.pop()
        item = view.root.divergence.definition(current)
        is_passed |= current in arguments
        if item is None or isinstance(item, Constant):
            continue
        if not isinstance(item, Binary | Convert) or len(seen) > MAX_TERMS:
            return False
        new = [one for one in item.operands if one not in seen]
        seen.update(new)
        waiting += new
    return is_passed


def _may_wrap(view: FrameView, value: ValueId, depth: int = 0) -> bool:
    """Whether a compiler must take it for negative: a sum or product of 32 bits without sign that becomes signed."""
    item = view.root.divergence.definition(value)
    if depth > MAX_DEPTH or not isinstance(item, Binary | Convert):
        return False
    if isinstance(item, Binary):
        is_sum = item.operator in (BinaryOperator.ADD, BinaryOperator.MULTIPLY)
        return is_sum and any(_may_wrap(view, one, depth + 1) for one in item.operands)
    types = view.root.function.types
    source, target = types[item.operand], types[item.result]
    if not isinstance(source, IntegerType) or not isinstance(target, IntegerType) or source.bits != target.bits:
        return False
    inner = view.root.divergence.definition(item.operand)
    is_computed = isinstance(inner, Binary) and inner.operator in (BinaryOperator.ADD, BinaryOperator.MULTIPLY)
    return is_computed and not source.signed and target.signed
