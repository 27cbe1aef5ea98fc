"""Does each round of a loop take one step of one counter, so that all lanes need about as many rounds?

Question  A merge of two rows goes where its data lead, but each round advances one of two counters: when both rows are
          done, every lane has made as many rounds as both are long together, whatever stands in them.
Counters  what an exit of the loop, or what decides whether lanes come to one, compares with something that stays:
          values that go from round to round.
Rules     The sum of the counters changes by one constant on every way through a round.  Of each counter one
          comparison, at least, has a distance from start to bound that lanes of a warp agree on; others cut it off
          where the data end.
Method    sums are kept linear, in what a round begins with; at a join, and at selects of one condition, each way in is
          followed for all terms together, so that `i += t; j += !t` and `if (t) i++; else j++;` are alike.
Limits    a loop that ends with the first row, not with both, ends earlier in some lanes: by up to the longer row.
Gives up  at inner loops, and after `MAX_STEPS` terms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias, final

from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Binary,
    Bitcast,
    Compare,
    Constant,
    Convert,
    ElementAddress,
    Instruction,
    Math,
    Phi,
    Select,
    Unary,
)
from analysis.ir.operators import BinaryOperator, MathFunction, UnaryOperator
from analysis.ir.types import BooleanType, IntegerType, PointerType
from analysis.verdict.exit_conditions import ExitConditions
from analysis.verdict.steady import Steadiness

MAX_STEPS: Final = 400
CLIPPING: Final = frozenset({MathFunction.MINIMUM, MathFunction.MAXIMUM})

_Sum: TypeAlias = Mapping[ValueId | None, int]
"""Factors of values; of None: the constant."""


@final
class MergedCounters:
    """Answers about the loops of one function."""

    def __init__(self, function: Function, control: ControlFlow, divergence: DivergenceResult) -> None:
        self._function = function
        self._control = control
        self._divergence = divergence
        self._steady = Steadiness(function, divergence)
        self._conditions = ExitConditions(function, control, divergence)
        self._steps = 0

    def share_rounds(self, cycle: Cycle) -> bool:
        """Whether the rounds of a loop are about the sum of bounds that the lanes of a warp agree on."""
        self._steps = 0
        counters: dict[ValueId, bool] = {}
        for item in self._conditions.of(cycle, self._control.exit_branches(cycle)) or ():
            found = self._counter(item, cycle)
            if found is None:
                return False
            counter, distance = found
            counters[counter] = counters.get(counter, False) or self._is_alike(distance, counter, cycle)
        is_merge = len(counters) > 1 and all(counters.values()) and self._moves_steadily(frozenset(counters), cycle)
        self._control.spend(self._steps)
        return is_merge and self._steps < MAX_STEPS

    # -- what ends the loop -----------------------------------------------------------------------------------------

    def _counter(self, item: Instruction, cycle: Cycle) -> tuple[ValueId, _Sum] | None:
        """A counter, and how far it is from what it is compared with, if that stays the same in all rounds."""
        if not isinstance(item, Compare):
            return None
        distance = self._linear({item.left: 1, item.right: -1}, cycle)
        own = [value for value in distance if value is not None and self._is_counter(value, cycle)]
        if len(own) != 1 or abs(distance[own[0]]) != 1:
            return None
        others = [value for value in distance if value is not None and value != own[0]]
        return (own[0], distance) if all(self._steady.is_steady(value, cycle) for value in others) else None

    def _is_counter(self, value: ValueId, cycle: Cycle) -> bool:
        is_whole = isinstance(self._function.types[value], IntegerType | PointerType)
        return is_whole and self._divergence.home(value) == cycle.header and self._phi(value) is not None

    def _phi(self, value: ValueId) -> Phi | None:
        item = self._divergence.definition(value)
        return item if isinstance(item, Phi) else None

    def _is_alike(self, distance: _Sum, counter: ValueId, cycle: Cycle) -> bool:
        """Do lanes agree on how far it is from the counter's start to its bound?"""
        phi = self._phi(counter)
        assert phi is not None
        starts = {value for source, value in phi.incoming if source not in cycle.blocks}
        if len(starts) != 1:
            return False
        waiting = [self._linear(_put(distance, {counter: {starts.pop(): 1}}), None)]
        while waiting and self._steps < MAX_STEPS:
            self._steps += 1
            found = waiting.pop()
            if all(value is None or self._agrees(value, cycle) for value in found):
                return True
            for value in found:
                item = None if value is None else self._divergence.definition(value)
                if value is not None and isinstance(item, Math) and item.function in CLIPPING:
                    waiting += [self._linear(_put(found, {value: {one: 1}}), None) for one in item.arguments]
        return False

    def _agrees(self, value: ValueId, cycle: Cycle) -> bool:
        return self._divergence.use_level(value, cycle.header) <= Level.WARP

    # -- what a round does ------------------------------------------------------------------------------------------

    def _moves_steadily(self, counters: frozenset[ValueId], cycle: Cycle) -> bool:
        """Does their sum change by the same constant in each round, however it goes?"""
        moves: set[int] = set()
        begin: _Sum = dict.fromkeys(counters, 1)
        phis = [phi for phi in map(self._phi, counters) if phi is not None]
        for source in {source for phi in phis for source, _ in phi.incoming if source in cycle.blocks}:
            for end in self._ways(_put(begin, _incoming(phis, source)), cycle):
                if {value: factor for value, factor in end.items() if value is not None} != begin:
                    return False
                moves.add(end.get(None, 0))
        return len(moves) == 1 and moves != {0}

    def _ways(self, value: _Sum, cycle: Cycle) -> Iterator[_Sum]:
        """What it is at the begin of the round, for each way through the joins and selects behind it."""
        waiting = [value]
        while waiting and self._steps < MAX_STEPS:
            self._steps += 1
            found = self._linear(waiting.pop(), cycle)
            chosen = [(one, item) for one, item in self._items(found) if self._is_choice(one, item, cycle)]
            if not chosen:
                yield found
                continue
            last = max(chosen, key=lambda one: self._control.rank[self._divergence.home(one[0])])
            waiting += [_put(found, way) for way in self._alternatives(last, chosen)]

    def _alternatives(
        self, last: tuple[ValueId, Instruction | Phi], chosen: list[tuple[ValueId, Instruction | Phi]]
    ) -> Iterator[Mapping[ValueId, _Sum]]:
        """For each way into the last join, or each side of the last select, what all that choose there become."""
        value, item = last
        if isinstance(item, Select):
            alike = [one for _, one in chosen if isinstance(one, Select) and one.condition == item.condition]
            yield {one.result: {one.if_true: 1} for one in alike}
            yield {one.result: {one.if_false: 1} for one in alike}
            return
        assert isinstance(item, Phi)
        home = self._divergence.home(value)
        phis = [one for at, one in chosen if isinstance(one, Phi) and self._divergence.home(at) == home]
        for source, _ in item.incoming:
            yield _incoming(phis, source)

    def _is_choice(self, value: ValueId, item: Instruction | Phi, cycle: Cycle) -> bool:
        home = self._divergence.home(value)
        if home not in cycle.blocks:
            return False
        if isinstance(item, Select):
            return True
        around = self._control.innermost_cycle(home)
        return isinstance(item, Phi) and around is not None and home != around.header

    # -- sums -------------------------------------------------------------------------------------------------------

    def _items(self, value: _Sum) -> Iterator[tuple[ValueId, Instruction | Phi]]:
        for one in value:
            item = None if one is None else self._divergence.definition(one)
            if one is not None and item is not None:
                yield one, item

    def _linear(self, value: _Sum, cycle: Cycle | None) -> _Sum:
        """The same without additions, in the loop, or everywhere."""
        while self._steps < MAX_STEPS:
            found = next(
                (
                    (one, parts)
                    for one, item in self._items(value)
                    if (cycle is None or isinstance(item, Constant) or self._divergence.home(one) in cycle.blocks)
                    and (parts := self._parts(item)) is not None
                ),
                None,
            )
            if found is None:
                break
            self._steps += 1
            value = _put(value, dict([found]))
        return value

    def _parts(self, item: Instruction | Phi) -> _Sum | None:
        match item:
            case Constant(value=int() as number):
                return {None: int(number)}
            case Binary(operator=BinaryOperator.ADD, left=left, right=right):
                return _plus({left: 1}, {right: 1})
            case Binary(operator=BinaryOperator.SUBTRACT, left=left, right=right):
                return _plus({left: 1}, {right: -1})
            case ElementAddress(base=base, index=index):
                return _plus({base: 1}, {index: 1})
            case Unary(operator=UnaryOperator.NEGATE, operand=operand):
                return {operand: -1}
            case Unary(operator=UnaryOperator.LOGICAL_NOT, operand=operand):
                return {None: 1, operand: -1}
            case Convert(operand=operand) if isinstance(self._function.types[item.result], IntegerType):
                is_whole = isinstance(self._function.types[operand], IntegerType | BooleanType)
                return {operand: 1} if is_whole else None
            case Bitcast(operand=operand):
                return {operand: 1}
            case _:
                return None


def _incoming(phis: list[Phi], source: BasicBlockId) -> Mapping[ValueId, _Sum]:
    return {phi.result: {value: 1} for phi in phis for begin, value in phi.incoming if begin == source}


def _plus(one: _Sum, other: _Sum) -> _Sum:
    found = {value: one.get(value, 0) + other.get(value, 0) for value in {**one, **other}}
    return {value: factor for value, factor in found.items() if factor}


def _put(value: _Sum, parts: Mapping[ValueId, _Sum]) -> _Sum:
    """The sum with other sums in the place of some of its values."""
    found: _Sum = {one: factor for one, factor in value.items() if one not in parts}
    for one, part in parts.items():
        factor = value.get(one, 0)
        found = _plus(found, {inner: factor * times for inner, times in part.items()})
    return found
