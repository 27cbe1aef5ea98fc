"""What loaded numbers are compared with, traced back to the elements: where the result of a comparison changes.

Words     A *threshold* of an element is a number on whose sides a comparison of the element has different results, or
          that the element is tested for equality with (`==`, `case`).
          It is *due* where hardly any of the elements that would be chosen lie on one side of it.
Rules     From each side of a comparison back to the elements in it, through casts, arithmetic, `min`, `max`, `abs`,
          roundings and what is kept in shared memory; the other operands in the middle of their range.
          A sum that a loop builds is taken to reach a number when each of its terms has its share, in `TRIPS` rounds.
Limits    Thresholds of sums and products of several elements, and of elements that are compared with each other, are
          approximate.
          Equality of floating-point numbers and of two elements of large ranges says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias, final

from analysis.inputs.flow import ElementMember, Flow, Leaf, Register
from analysis.inputs.spans import TRIPS, Span, Spans, keeps_number, loaded_places
from analysis.ir.control import Switch
from analysis.ir.ids import ValueId
from analysis.ir.instructions import (
    Atomic,
    Binary,
    Compare,
    Convert,
    ExtractElement,
    Load,
    Math,
    Phi,
    Select,
    Shuffle,
    Texture,
    Unary,
)
from analysis.ir.operators import BinaryOperator, CompareOperator, MathFunction, UnaryOperator
from analysis.ir.record import record
from analysis.ir.types import FloatType, IntegerType, StructType, Type

MAX_STEPS: Final = 200
"""Values that one comparison is traced through."""
FEW: Final = 8
"""Among so many different numbers a given one is chosen often enough."""

_EQUALITIES: Final = (CompareOperator.EQUAL, CompareOperator.NOT_EQUAL)
_INCLUDING: Final = (CompareOperator.LESS_EQUAL, CompareOperator.GREATER)
"""`x <= 3` and `x > 3` change their result between 3 and 4, the others between 2 and 3."""


@final
@record
class Threshold:
    """`at` lies between two integers where the order is asked for; `against` names the other side."""

    at: float
    is_equality: bool
    is_due: bool
    against: str


Found: TypeAlias = "tuple[Leaf | ElementMember, Type, float]"
"""An element or a number that nobody gave, and where the comparison changes its result."""


@final
class Comparisons:
    """All of a kernel: `thresholds` of its elements, and `inside`, numbers that nobody gave and that should lie among
    what they are compared with, each with the name of that."""

    def __init__(self, flow: Flow, spans: Spans) -> None:
        self._flow = flow
        self._spans = spans
        self.thresholds: dict[ElementMember, tuple[Type, list[Threshold]]] = {}
        self.inside: dict[str, tuple[float, str]] = {}
        exits = {block for cycle in flow.control.cycles for block in flow.control.exit_branches(cycle)}
        self._bounds_of_loops = {
            operand for block in exits for operand in flow.function.blocks[block].terminator.operands
        }
        for block in flow.control.order:
            for instruction in flow.function.blocks[block].instructions:
                if isinstance(instruction, Compare):
                    self._compare(instruction)
            terminator = flow.function.blocks[block].terminator
            if isinstance(terminator, Switch):
                for case in terminator.cases:
                    if case.value is not None:
                        self._look_for(terminator.value, float(case.value), str(case.value))

    def _compare(self, compare: Compare) -> None:
        left, right = compare.left, compare.right
        type = self._flow.function.type_of(left)
        is_bound = compare.result in self._bounds_of_loops and isinstance(type, IntegerType)
        if is_bound or not isinstance(type, IntegerType | FloatType):
            return
        for one, other in ((left, right), (right, left)):
            if self._is_loaded(one) and not self._is_loaded(other):
                self._among(one, other, is_equality=compare.operator in _EQUALITIES)
        if compare.operator in _EQUALITIES:
            if isinstance(type, IntegerType):
                self._equal(left, right)
        else:
            self._ordered(compare, is_integer=isinstance(type, IntegerType))

    def _among(self, data: ValueId, other: ValueId, *, is_equality: bool) -> None:
        """Numbers that nobody gave, in the middle of what they are compared with; 1 to look for, beside other marks."""
        span = self._spans.of(data)
        if span is not None and self._spans.of(other) is None:
            target = 1.0 if is_equality and span[0] <= 1 <= span[1] else _middle(span)
            for source, _, number in self._back(other, target):
                if isinstance(source, Leaf):
                    self.inside.setdefault(source.name, (number, self._named(data)))

    def _equal(self, left: ValueId, right: ValueId) -> None:
        for one, other in ((left, right), (right, left)):
            span = self._spans.of(other)
            if self._is_loaded(one) and not self._is_loaded(other) and span is not None:
                self._look_for(one, float(round(_middle(span))), self._named(other))

    def _look_for(self, data: ValueId, number: float, against: str) -> None:
        span = self._spans.of(data)
        is_due = span is None or not (span[1] - span[0] < FEW and span[0] <= number <= span[1])
        self._cut(data, number, is_equality=True, is_due=is_due, against=against)

    def _ordered(self, compare: Compare, *, is_integer: bool) -> None:
        left, right = compare.left, compare.right
        above = self._spans.of(left)
        below = self._spans.of(right)
        is_met = above is not None and below is not None and _is_met(above, below)
        both = self._is_loaded(left) and self._is_loaded(right)
        sides = ((left, right, compare.operator in _INCLUDING), (right, left, compare.operator not in _INCLUDING))
        for one, other, includes in sides:
            span = self._spans.of(other)
            if self._is_loaded(one) and span is not None and not (both and is_met):
                half = (0.5 if includes else -0.5) if is_integer else 0.0
                self._cut(one, _middle(span) + half, is_equality=False, is_due=not is_met, against=self._named(other))
                if both:
                    return

    def _cut(self, data: ValueId, number: float, *, is_equality: bool, is_due: bool, against: str) -> None:
        for source, type, at in self._back(data, number):
            if isinstance(source, ElementMember) and isinstance(type, IntegerType | FloatType):
                _, thresholds = self.thresholds.setdefault(source, (type, []))
                thresholds.append(Threshold(at, is_equality, is_due, against))

    # -- from a comparison back to the elements ------------------------------------------------------------------------

    def _back(self, value: ValueId, target: float) -> Iterator[Found]:
        """Elements and open numbers in `value`, with what would make it `target`."""
        pending = [(value, target)]
        seen: set[ValueId] = set()
        while pending and len(seen) < MAX_STEPS:
            value, target = pending.pop()
            if value in seen:
                continue
            seen.add(value)
            leaf = self._flow.leaf(value)
            if leaf is not None:
                if self._spans.of(value) is None:
                    yield Leaf(leaf), self._flow.function.type_of(value), target
                continue
            match self._flow.definitions.get(value):
                case Load() | Atomic() | Texture() | ExtractElement():
                    for place in self._elements(value):
                        yield place, self._flow.function.type_of(value), target
                case Phi() as phi:
                    pending += self._of_phi(phi, target)
                case definition:
                    pending += self._operands(definition, target)

    def _elements(self, value: ValueId) -> Sequence[ElementMember]:
        definition = self._flow.definitions.get(value)
        if isinstance(definition, ExtractElement):
            whole = self._flow.function.type_of(definition.aggregate)
            layout = self._flow.function.structs.get(whole.name) if isinstance(whole, StructType) else None
            if layout is not None:
                name = layout.fields[definition.index].name
                return [
                    ElementMember(at.root, (*at.path, name)) for at in loaded_places(self._flow, definition.aggregate)
                ]
        return loaded_places(self._flow, value)

    def _of_phi(self, phi: Phi, target: float) -> Iterator[tuple[ValueId, float]]:
        for operand in phi.operands:
            term = self._spans.added(phi, operand)
            yield (operand, target) if term is None else (term, target / TRIPS)

    def _operands(self, definition: object, target: float) -> Iterator[tuple[ValueId, float]]:
        """What each operand has to be, the others as they are."""
        match definition:
            case Convert(operand=operand) | Shuffle(value=operand):
                yield operand, target
            case Select(if_true=if_true, if_false=if_false):
                yield from ((if_true, target), (if_false, target))
            case Unary(operator=UnaryOperator.NEGATE, operand=operand):
                yield operand, -target
            case Binary(operator=operator, left=left, right=right):
                yield from self._undone(operator, left, right, target)
            case Math(function=MathFunction.ABSOLUTE, arguments=(operand,)) if target > 0:
                yield operand, target
            case Math(function=MathFunction.SQRT, arguments=(operand,)) if target > 0:
                yield operand, target * target
            case Math(function=MathFunction.MINIMUM | MathFunction.MAXIMUM, arguments=arguments):
                yield from ((argument, target) for argument in arguments)
            case Math(function=MathFunction.FUSED_MULTIPLY_ADD, arguments=(left, right, third)):
                added = self._spans.of(third)
                if added is not None:
                    yield from self._undone(BinaryOperator.MULTIPLY, left, right, target - _middle(added))
            case Math(function=function, arguments=(operand,)) if keeps_number(function):
                yield operand, target
            case _:
                return

    def _undone(
        self, operator: BinaryOperator, left: ValueId, right: ValueId, target: float
    ) -> Iterator[tuple[ValueId, float]]:
        if left == right:
            if operator is BinaryOperator.MULTIPLY and target > 0:
                yield left, target**0.5
            return
        one, other = self._spans.of(left), self._spans.of(right)
        if other is not None:
            wanted = _left_operand(operator, target, _middle(other))
            if wanted is not None:
                yield left, wanted
        if one is not None:
            wanted = _right_operand(operator, target, _middle(one))
            if wanted is not None:
                yield right, wanted

    # -- helpers -----------------------------------------------------------------------------------------------------

    def _is_loaded(self, value: ValueId) -> bool:
        return bool(loaded_places(self._flow, value))

    def _named(self, value: ValueId) -> str:
        """What stands on that side, for the report."""
        names = {source.name for source in self._flow.sources(value) if isinstance(source, Leaf)}
        names |= {place.root.name for place in loaded_places(self._flow, value)}
        if not names and any(isinstance(source, Register) for source in self._flow.sources(value)):
            return "indices of threads"
        span = self._spans.of(value)
        if not names and span is not None and span[0] == span[1]:
            return f"{span[0]:g}"
        return " and ".join(sorted(names)) if 0 < len(names) < 3 else "other numbers"


def _middle(span: Span) -> float:
    return (span[0] + span[1]) / 2


def _is_met(left: Span, right: Span) -> bool:
    """Whether the difference is likely to have either sign: 0 lies in the middle third of it."""
    low, high = left[0] - right[1], left[1] - right[0]
    third = (high - low) / 3
    return low + third <= 0 <= high - third


def _left_operand(operator: BinaryOperator, target: float, right: float) -> float | None:
    """`x` for which `x operator right` is `target`."""
    match operator:
        case BinaryOperator.ADD:
            return target - right
        case BinaryOperator.SUBTRACT:
            return target + right
        case BinaryOperator.MULTIPLY if right:
            return target / right
        case BinaryOperator.DIVIDE:
            return target * right
        case BinaryOperator.SHIFT_LEFT if 0 <= right < 64:
            return target / 2.0**right
        case BinaryOperator.SHIFT_RIGHT if 0 <= right < 64:
            return target * 2.0**right
        case _:
            return None


def _right_operand(operator: BinaryOperator, target: float, left: float) -> float | None:
    match operator:
        case BinaryOperator.ADD:
            return target - left
        case BinaryOperator.SUBTRACT:
            return left - target
        case BinaryOperator.MULTIPLY if left:
            return target / left
        case BinaryOperator.DIVIDE if target:
            return left / target
        case _:
            return None
