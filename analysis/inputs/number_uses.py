"""What a kernel does with integers, read off its instructions: comparisons, products in addresses, divisors, masks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeGuard, final

from analysis.inputs.estimate import Estimate
from analysis.inputs.flow import Flow, Leaf
from analysis.ir.function import Function
from analysis.ir.ids import ValueId
from analysis.ir.instructions import (
    Atomic,
    Binary,
    Bitcast,
    Branch,
    Compare,
    Constant,
    Convert,
    ElementAddress,
    FieldAddress,
    Load,
    Math,
    Phi,
    Select,
    Store,
    Texture,
    Unary,
)
from analysis.ir.operators import AtomicOperator, BinaryOperator, CompareOperator, MathFunction
from analysis.ir.record import record
from analysis.ir.types import ArrayType, IntegerType, PointerType, Type, VectorType
from analysis.lower.layouts import size_of

_DIVISIONS: Final = (BinaryOperator.DIVIDE, BinaryOperator.REMAINDER)
_GEOMETRIC: Final = (BinaryOperator.MULTIPLY, BinaryOperator.SHIFT_LEFT, BinaryOperator.SHIFT_RIGHT)
_SHIFTS: Final = (BinaryOperator.SHIFT_LEFT, BinaryOperator.SHIFT_RIGHT)
_ORDERED: Final = {
    CompareOperator.LESS: False,
    CompareOperator.LESS_EQUAL: False,
    CompareOperator.GREATER: True,
    CompareOperator.GREATER_EQUAL: True,
}
"""Comparisons of the order, with whether the left side is to be the larger one."""
MAX_UNIT: Final = 1 << 10
MAX_STEPS: Final = 8
"""From one element to another in an address: `base + y * pitch + 4 * x`, then `[3]`."""


@final
@record
class Row:
    """What is added in one address to a product of an index with the length of a row.

    `size`: of what the row is counted in, in bytes; `accessed`: of the element that the address leads to; `columns`:
    values, each with the size of what it counts.
    """

    size: int
    accessed: int
    columns: tuple[tuple[ValueId, int], ...]


@final
class NumberUses:
    """What a kernel does with integers, read off its instructions once."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self.compares: list[tuple[Compare, bool]] = []
        """With whether the comparison decides about leaving a loop."""
        self.products: list[tuple[ValueId, ValueId]] = []
        """Factors of products in addresses, in both orders, where the second depends on leaves alone; also an index
        that grows by the second in each round of a loop."""
        self.divisions: list[tuple[ValueId, ValueId]] = []
        self.divisors: set[str] = set()
        self.shifts: set[str] = set()
        self.masks: set[str] = set()
        self.offsets: set[str] = set()
        self.tables: dict[str, int] = {}
        """What bounds the index of a compare-and-swap (`x & (n - 1)`, `x % n`, `x & mask`): a table that threads fill;
        with how much less than the length of the table it is."""
        self.differences: list[tuple[str, str]] = []
        """Numbers that are subtracted from others (`a - b`, `a - i * 4 - b`) or are to be smaller (`b < a`): the larger
        one first."""
        self.multiples: dict[str, int] = {}
        """What lengths of rows are multiples of, as vectors are accessed in these rows."""
        self._rows: dict[tuple[ValueId, ValueId], list[Row]] = {}
        self._lengths: dict[ValueId, int] = {}
        self._collect()

    def rows(self, index: ValueId, pitch: ValueId) -> list[Row]:
        """What is added to `index * pitch`, in each address."""
        return self._rows.get((index, pitch), [])

    def shortest_array(self, index: ValueId) -> int | None:
        """The length of the shortest array of fixed length that has this index."""
        return self._lengths.get(self._plain(index))

    def is_geometric(self, index: ValueId) -> bool:
        """Whether a loop variable is multiplied or shifted from one iteration to the next."""
        phi = self._definition(index)
        return isinstance(phi, Phi) and any(
            isinstance(step := self._definition(operand), Binary) and step.operator in _GEOMETRIC
            for operand in phi.operands
        )

    def unit(self, index: ValueId) -> int:
        """What an index is counted in: 16 of `tile * 16`."""
        match self._definition(index):
            case Binary(operator=BinaryOperator.MULTIPLY, left=left, right=right):
                factors = [self._definition(side) for side in (left, right)]
                return next((one.value for one in factors if isinstance(one, Constant) and _is_unit(one.value)), 1)
            case _:
                return 1

    def step(self, index: ValueId, estimate: Estimate) -> int:
        """By how much a loop variable grows; 1 if that is not known."""
        for _, growth in self._steps(index):
            known = estimate.range(growth)
            return max(1, known.high) if known is not None else 1
        return 1

    def _collect(self) -> None:
        function = self._flow.function
        exits = {block for cycle in self._flow.control.cycles for block in self._flow.control.exit_branches(cycle)}
        deciding = {value for block in exits for value in self._conditions(function, block)}
        for block in self._flow.control.order:
            for instruction in function.blocks[block].instructions:
                match instruction:
                    case Compare(left=left, right=right) if isinstance(function.type_of(left), IntegerType):
                        self.compares.append((instruction, instruction.result in deciding))
                        if instruction.operator in _ORDERED and self._flow.leaf(left) and self._flow.leaf(right):
                            self._differ(*((left, right) if _ORDERED[instruction.operator] else (right, left)))
                    case Binary(operator=BinaryOperator.SUBTRACT, left=left, right=right):
                        self._differ(left, right)
                    case Binary(operator=operator, left=left, right=right) if operator in _DIVISIONS:
                        self.divisions.append((left, right))
                        self.divisors |= self._leaf_names(right)
                    case Binary(operator=operator, right=right) if operator in _SHIFTS:
                        shift = self._flow.leaf(self._plain(right))
                        self.shifts |= set() if shift is None else {shift}
                    case Binary(operator=BinaryOperator.AND, left=left, right=right):
                        self.masks |= self._decremented(left) | self._decremented(right)
                    case ElementAddress(base=base, index=index):
                        self._address(self._steps_to(instruction), 0)
                        self._of_fixed_length(function.type_of(base), index)
                    case Load(result=accessed, address=address) | Store(value=accessed, address=address):
                        self._aligned(address, function.type_of(accessed))
                    case Atomic(operator=AtomicOperator.COMPARE_AND_SWAP, address=address):
                        self._table(address)
                    case Texture(arguments=(_, *coordinates)):
                        for coordinate in coordinates:
                            self._address([(term, 1) for term in self._terms(coordinate, 0)], 0)
                    case _:
                        pass

    def _of_fixed_length(self, base: Type, index: ValueId) -> None:
        array = base.element if isinstance(base, PointerType) else None
        if isinstance(array, ArrayType) and array.length:
            index = self._plain(index)
            self._lengths[index] = min(array.length, self._lengths.get(index, array.length))

    def _table(self, address: ValueId) -> None:
        """The numbers that bound the index in the address of a compare-and-swap."""
        place = self._definition(address)
        while isinstance(place, FieldAddress):
            place = self._definition(place.base)
        waiting = [place.index] if isinstance(place, ElementAddress) else []
        seen: set[ValueId] = set()
        while waiting:
            value = waiting.pop()
            if value in seen:
                continue
            seen.add(value)
            match self._definition(value):
                case Phi() as phi:
                    waiting.extend(phi.operands)
                case Binary(operator=BinaryOperator.AND, left=left, right=right):
                    for side in (left, right):
                        mask = self._flow.leaf(self._plain(side))
                        self.tables |= dict.fromkeys(self._decremented(side), 0)
                        self.tables |= {} if mask is None else {mask: 1}
                case Binary(operator=BinaryOperator.REMAINDER, right=right):
                    length = self._flow.leaf(self._plain(right))
                    self.tables |= {} if length is None else {length: 0}
                case _:
                    pass

    def _decremented(self, value: ValueId) -> set[str]:
        """The leaf in `leaf - 1`."""
        match self._definition(value):
            case Binary(operator=BinaryOperator.ADD | BinaryOperator.SUBTRACT, left=left, right=right) if isinstance(
                self._definition(right), Constant
            ):
                leaf = self._flow.leaf(self._plain(left))
                return set() if leaf is None else {leaf}
            case _:
                return set()

    def _conditions(self, function: Function, block: int) -> Iterator[ValueId]:
        """The comparisons that a branch's condition consists of."""
        terminator = function.blocks[block].terminator
        waiting = [terminator.condition] if isinstance(terminator, Branch) else []
        seen: set[ValueId] = set()
        while waiting:
            value = waiting.pop()
            if value in seen:
                continue
            seen.add(value)
            match self._flow.definitions.get(value):
                case Compare():
                    yield value
                case Binary() | Unary() | Phi() | Select() | Convert() as definition:
                    waiting.extend(definition.operands)
                case _:
                    pass

    def _differ(self, larger: ValueId, smaller: ValueId) -> None:
        name = self._flow.leaf(self._plain(smaller))
        if name is not None:
            others = sorted(self._leaf_names(larger) - {name})
            self.differences += [(other, name) for other in others if (other, name) not in self.differences]

    def _steps_to(self, address: ElementAddress) -> list[tuple[ValueId, int]]:
        """The terms of all indices in an address, each with the size in bytes of what it counts."""
        found: list[tuple[ValueId, int]] = []
        place: object = address
        for depth in range(MAX_STEPS):
            if not isinstance(place, ElementAddress):
                break
            type = self._flow.function.type_of(place.result)
            size = size_of(type.element, self._flow.function.structs) if isinstance(type, PointerType) else None
            if depth and not size:
                break
            found += [(term, size or 1) for term in self._terms(place.index, 0)]
            if not size:
                break
            place = self._flow.definitions.get(place.base)
            while isinstance(place, Bitcast | Convert):
                place = self._flow.definitions.get(place.operand)
        return found

    def _aligned(self, address: ValueId, accessed: Type) -> None:
        """Rows start where a vector may start."""
        if not isinstance(accessed, VectorType):
            return
        place = self._flow.definitions.get(address)
        while isinstance(place, Bitcast | Convert):
            place = self._flow.definitions.get(place.operand)
        for term, size in self._steps_to(place) if isinstance(place, ElementAddress) else ():
            factors = self._factors(term) or ()
            for name in (self._flow.leaf(self._plain(factor)) for factor in factors):
                if name is not None and accessed.alignment > size:
                    self.multiples[name] = max(accessed.alignment // size, self.multiples.get(name, 1))

    def _address(self, terms: list[tuple[ValueId, int]], depth: int) -> None:
        """Terms of an index: offsets, and products with what is added to them."""
        for term, size in terms:
            others = tuple(other for other in terms if other[0] != term)
            for start, growth in self._steps(term):
                if self._is_leafy(growth):
                    self.products.append((term, growth))
                    starts = tuple((one, size) for one in self._terms(start, depth))
                    self._rows.setdefault((term, growth), []).append(Row(size, terms[0][1], (*others, *starts)))
            factors = self._factors(term)
            if factors is None:
                leaf = self._flow.leaf(term)
                if leaf is not None:
                    self.offsets.add(leaf)
                continue
            for pitch, counted in (factors, factors[::-1]):
                if isinstance(self._definition(counted), Constant):
                    self.offsets |= self._leaf_names(pitch) if self._is_leafy(pitch) else set()
                elif self._is_leafy(pitch):
                    self.products.append((counted, pitch))
                    self._rows.setdefault((counted, pitch), []).append(Row(size, terms[0][1], others))
                if depth < 4:  # (z * height + y) * width
                    self._address([(one, 1) for one in self._terms(counted, depth + 1)], depth + 1)

    def _steps(self, term: ValueId) -> Iterator[tuple[ValueId, ValueId]]:
        """Where a loop variable starts, and what is added to it in each round."""
        phi = self._definition(term)
        if not isinstance(phi, Phi):
            return
        for operand in phi.operands:
            match self._definition(operand):
                case Binary(operator=BinaryOperator.ADD, left=left, right=right):
                    for one, growth in ((left, right), (right, left)):
                        if self._plain(one) == self._plain(term):
                            yield from ((start, growth) for start in phi.operands if start != operand)
                case _:
                    pass

    def _terms(self, value: ValueId, depth: int) -> Iterator[ValueId]:
        match self._definition(value):
            case Binary(operator=BinaryOperator.ADD | BinaryOperator.SUBTRACT, left=left, right=right) if depth < 40:
                yield from self._terms(left, depth + 1)
                yield from self._terms(right, depth + 1)
            case Convert(operand=operand) if depth < 40:
                yield from self._terms(operand, depth + 1)
            case _:
                yield value

    def _factors(self, value: ValueId) -> tuple[ValueId, ValueId] | None:
        match self._definition(value):
            case Binary(operator=BinaryOperator.MULTIPLY, left=left, right=right):
                return left, right
            case Math(function=MathFunction.MULTIPLY_24, arguments=(left, right)):
                return left, right
            case _:
                return None

    def _definition(self, value: ValueId) -> object:
        return self._flow.definitions.get(self._plain(value))

    def _plain(self, value: ValueId) -> ValueId:
        """Through casts."""
        definition = self._flow.definitions.get(value)
        while isinstance(definition, Convert):
            value = definition.operand
            definition = self._flow.definitions.get(value)
        return value

    def _is_leafy(self, value: ValueId) -> bool:
        sources = self._flow.sources(value)
        return bool(sources) and all(isinstance(source, Leaf) for source in sources)

    def _leaf_names(self, value: ValueId) -> set[str]:
        return {source.name for source in self._flow.sources(value) if isinstance(source, Leaf)}


def _is_unit(number: object) -> TypeGuard[int]:
    return isinstance(number, int) and not isinstance(number, bool) and 1 < number <= MAX_UNIT
