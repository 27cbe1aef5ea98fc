"""What a kernel does with integers, read off its instructions: comparisons, products in addresses, divisors, masks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, final

from analysis.inputs.estimate import Estimate
from analysis.inputs.flow import Flow, Leaf
from analysis.ir.function import Function
from analysis.ir.ids import ValueId
from analysis.ir.instructions import (
    Atomic,
    Binary,
    Branch,
    Compare,
    Constant,
    Convert,
    ElementAddress,
    FieldAddress,
    Math,
    Phi,
    Select,
    Texture,
    Unary,
)
from analysis.ir.operators import AtomicOperator, BinaryOperator, MathFunction
from analysis.ir.types import ArrayType, IntegerType, PointerType, Type

_DIVISIONS: Final = (BinaryOperator.DIVIDE, BinaryOperator.REMAINDER)
_GEOMETRIC: Final = (BinaryOperator.MULTIPLY, BinaryOperator.SHIFT_LEFT, BinaryOperator.SHIFT_RIGHT)
_SHIFTS: Final = (BinaryOperator.SHIFT_LEFT, BinaryOperator.SHIFT_RIGHT)


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
        self._sums: dict[tuple[ValueId, ValueId], list[tuple[ValueId, ...]]] = {}
        self._lengths: dict[ValueId, int] = {}
        self._collect()

    def added_to(self, index: ValueId, pitch: ValueId) -> list[tuple[ValueId, ...]]:
        """What is added to `index * pitch`, in each address."""
        return self._sums.get((index, pitch), [])

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

    def step(self, index: ValueId, estimate: Estimate) -> int:
        """By how much a loop variable grows; 1 if that is not known."""
        phi = self._definition(index)
        for operand in phi.operands if isinstance(phi, Phi) else ():
            match self._definition(operand):
                case Binary(operator=BinaryOperator.ADD, left=left, right=right):
                    for one, other in ((left, right), (right, left)):
                        if self._plain(one) == self._plain(index):
                            known = estimate.range(other)
                            return max(1, known.high) if known is not None else 1
                case _:
                    pass
        return 1

    def _collect(self) -> None:
        function = self._flow.function
        exits = {block for cycle in self._flow.control.cycles for block in self._flow.control.exit_branches(cycle)}
        deciding = {value for block in exits for value in self._conditions(function, block)}
        for block in self._flow.control.order:
            for instruction in function.blocks[block].instructions:
                match instruction:
                    case Compare(left=left) if isinstance(function.type_of(left), IntegerType):
                        self.compares.append((instruction, instruction.result in deciding))
                    case Binary(operator=operator, left=left, right=right) if operator in _DIVISIONS:
                        self.divisions.append((left, right))
                        self.divisors |= self._leaf_names(right)
                    case Binary(operator=operator, right=right) if operator in _SHIFTS:
                        shift = self._flow.leaf(self._plain(right))
                        self.shifts |= set() if shift is None else {shift}
                    case Binary(operator=BinaryOperator.AND, left=left, right=right):
                        self.masks |= self._decremented(left) | self._decremented(right)
                    case ElementAddress(base=base, index=index):
                        self._address(index, 0)
                        self._of_fixed_length(function.type_of(base), index)
                    case Atomic(operator=AtomicOperator.COMPARE_AND_SWAP, address=address):
                        self._table(address)
                    case Texture(arguments=(_, *coordinates)):
                        for coordinate in coordinates:
                            self._address(coordinate, 0)
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

    def _address(self, index: ValueId, depth: int) -> None:
        """Terms of an index: offsets, and products with what is added to them."""
        terms = list(self._terms(index, depth))
        for term in terms:
            others = tuple(other for other in terms if other != term)
            for start, growth in self._growths(term):
                self.products.append((term, growth))
                self._sums.setdefault((term, growth), []).append((*others, *self._terms(start, depth)))
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
                    self._sums.setdefault((counted, pitch), []).append(others)
                if depth < 4:  # (z * height + y) * width
                    self._address(counted, depth + 1)

    def _growths(self, term: ValueId) -> Iterator[tuple[ValueId, ValueId]]:
        """Where a loop variable starts and what is added to it in each round, if that depends on leaves alone."""
        phi = self._definition(term)
        if not isinstance(phi, Phi):
            return
        for operand in phi.operands:
            match self._definition(operand):
                case Binary(operator=BinaryOperator.ADD, left=left, right=right):
                    for one, growth in ((left, right), (right, left)):
                        if self._plain(one) == self._plain(term) and self._is_leafy(growth):
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
