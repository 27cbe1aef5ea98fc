"""How large numbers of a kernel get, those that depend on contents of arrays included.

Rules    A loaded element lies in the range that would be chosen for it; what shared or local memory holds, in that of
         the elements stored there.  A variable that a loop adds to grows `TRIPS` times.
         What is not known has no span.
Use      Choosing inputs only (`comparisons.py`): nothing that is claimed about the program rests on these numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias, final

from analysis.affine.interval import Interval
from analysis.inputs.array_uses import ArrayUse, Role
from analysis.inputs.element_bounds import default_bounds
from analysis.inputs.flow import ElementMember, Flow, NamedObject, RootKind
from analysis.ir.ids import ValueId
from analysis.ir.instructions import (
    Atomic,
    Binary,
    Constant,
    Convert,
    ExtractElement,
    Load,
    Math,
    Phi,
    ReadSpecial,
    Select,
    Shuffle,
    Texture,
    Unary,
)
from analysis.ir.operators import BinaryOperator, MathFunction, SpecialRegister, UnaryOperator
from analysis.ir.types import BooleanType, FloatType, IntegerType, Type

MAX_DEPTH: Final = 100
TRIPS: Final = 16

Span: TypeAlias = tuple[float, float]
"""The least and the greatest number."""

_ROUNDING: Final = (
    MathFunction.FLOOR,
    MathFunction.CEIL,
    MathFunction.TRUNC,
    MathFunction.ROUND,
    MathFunction.RINT,
    MathFunction.CONVERT_ROUND,
    MathFunction.CONVERT_FLOOR,
    MathFunction.CONVERT_CEIL,
    MathFunction.CONVERT_TRUNC,
)


def keeps_number(function: MathFunction) -> bool:
    """Whether the result is the argument, rounded."""
    return function in _ROUNDING


def loaded_places(flow: Flow, value: ValueId) -> list[ElementMember]:
    """The elements that the value depends on, in a fixed order."""
    found = [one for one in flow.sources(value) if isinstance(one, ElementMember)]
    return sorted((one for one in found if one.root.kind in MEMORY), key=lambda one: (one.root.name, one.path))


MEMORY: Final = (RootKind.ARGUMENT, RootKind.VARIABLE)


@final
class Spans:
    """Under one shape and one set of numbers."""

    def __init__(
        self,
        flow: Flow,
        uses: Mapping[NamedObject, ArrayUse],
        registers: Mapping[SpecialRegister, Interval],
        numbers: Mapping[str, int | float],
        threads: int,
    ) -> None:
        self._flow = flow
        self._uses = uses
        self._registers = registers
        self._numbers = numbers
        self._threads = threads
        self._known: dict[ValueId, Span | None] = {}
        self._depth = 0

    def of(self, value: ValueId) -> Span | None:
        if value not in self._known:
            self._known[value] = None  # for loops that come back to it
            self._depth += 1
            self._known[value] = self._computed(value) if self._depth < MAX_DEPTH else None
            self._depth -= 1
        return self._known[value]

    def of_place(self, place: ElementMember, type: Type) -> Span:
        """What an element would hold by default."""
        use = self._uses.get(place.root)
        low, high = default_bounds(type, *(_plain(use, place, self._threads)))
        return low, high - isinstance(type, IntegerType | BooleanType)

    def _computed(self, value: ValueId) -> Span | None:
        leaf = self._flow.leaf(value)
        if leaf is not None:
            number = self._numbers.get(leaf)
            return None if number is None else (number, number)
        match self._flow.definitions.get(value):
            case Constant(value=bool() | int() | float() as number):
                return float(number), float(number)
            case ReadSpecial(register=register):
                known = self._registers.get(register)
                return None if known is None else (known.low, known.high)
            case Convert(operand=operand):
                return self.of(operand)
            case Load() | Atomic() | Texture() | Shuffle() | ExtractElement():
                return self._loaded(value)
            case Binary(operator=operator, left=left, right=right):
                return _combined(operator, self.of(left), self.of(right))
            case Unary(operator=UnaryOperator.NEGATE, operand=operand):
                span = self.of(operand)
                return None if span is None else (-span[1], -span[0])
            case Math(function=function, arguments=arguments):
                return _applied(function, [self.of(argument) for argument in arguments])
            case Phi() as phi:
                return self._merged(phi)
            case Select(if_true=if_true, if_false=if_false):
                return _joined([self.of(if_true), self.of(if_false)])
            case _:
                return None

    def _loaded(self, value: ValueId) -> Span | None:
        type = self._flow.function.type_of(value)
        if not isinstance(type, IntegerType | FloatType | BooleanType):
            return None
        return _joined([self.of_place(place, type) for place in loaded_places(self._flow, value)])

    def _merged(self, phi: Phi) -> Span | None:
        """What arrives from outside of the loop, and what the loop adds to it."""
        spans = [self.of(operand) for operand in phi.operands]
        start = _joined(spans)
        for operand in phi.operands if start is not None else ():
            added = self.added(phi, operand)
            step = None if added is None else self.of(added)
            if step is not None and start is not None:
                start = start[0] + min(0.0, TRIPS * step[0]), start[1] + max(0.0, TRIPS * step[1])
        return start

    def added(self, phi: Phi, operand: ValueId) -> ValueId | None:
        """`x` where the loop computes `sum + x` for the next round of `sum`."""
        definition = self._flow.definitions.get(operand)
        match definition:
            case Binary(operator=BinaryOperator.ADD, left=left, right=right):
                return right if left == phi.result else left if right == phi.result else None
            case _:
                return None


def _plain(use: ArrayUse | None, place: ElementMember, threads: int) -> tuple[Role, int]:
    if use is None:
        return Role.DATA, threads
    return use.role(place.path), use.limits.get(place.path, threads)


def _joined(spans: list[Span | None]) -> Span | None:
    known = [span for span in spans if span is not None]
    return (min(low for low, _ in known), max(high for _, high in known)) if known else None


def _combined(operator: BinaryOperator, left: Span | None, right: Span | None) -> Span | None:
    if operator is BinaryOperator.REMAINDER and right is not None and right[1] > 0:
        return 0, right[1] - 1
    if operator is BinaryOperator.AND:
        masks = [span[1] for span in (left, right) if span is not None and span[0] >= 0]
        return (0, min(masks)) if masks else None
    if left is None or right is None:
        return None
    match operator:
        case BinaryOperator.ADD:
            return left[0] + right[0], left[1] + right[1]
        case BinaryOperator.SUBTRACT:
            return left[0] - right[1], left[1] - right[0]
        case BinaryOperator.MULTIPLY:
            return _hull([one * other for one in left for other in right])
        case BinaryOperator.DIVIDE if right[0] > 0 or right[1] < 0:
            return _hull([one / other for one in left for other in right])
        case BinaryOperator.SHIFT_LEFT if 0 <= right[0] <= right[1] < 64:
            return _hull([one * 2.0**other for one in left for other in right])
        case BinaryOperator.SHIFT_RIGHT if 0 <= right[0] <= right[1] < 64:
            return _hull([one / 2.0**other for one in left for other in right])
        case _:
            return None


def _applied(function: MathFunction, spans: list[Span | None]) -> Span | None:
    known = [span for span in spans if span is not None]
    if len(known) < len(spans) or not known:
        return None
    if keeps_number(function):
        return known[0]
    match function:
        case MathFunction.ABSOLUTE:
            low, high = known[0]
            return 0.0 if low <= 0 <= high else min(abs(low), abs(high)), max(abs(low), abs(high))
        case MathFunction.SQRT if known[0][0] >= 0:
            return known[0][0] ** 0.5, known[0][1] ** 0.5
        case MathFunction.MINIMUM:
            return min(low for low, _ in known), min(high for _, high in known)
        case MathFunction.MAXIMUM:
            return max(low for low, _ in known), max(high for _, high in known)
        case MathFunction.MULTIPLY_24:
            return _combined(BinaryOperator.MULTIPLY, known[0], known[1])
        case MathFunction.FUSED_MULTIPLY_ADD:
            product = _combined(BinaryOperator.MULTIPLY, known[0], known[1])
            return _combined(BinaryOperator.ADD, product, known[2])
        case _:
            return None


def _hull(numbers: list[float]) -> Span:
    return min(numbers), max(numbers)
