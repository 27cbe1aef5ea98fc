"""What decides how many rounds of a loop a lane makes, and does that say that the lanes of a warp lie far apart?

Question  Where neither bounds nor steps are known numbers, a loop's text still tells *what* lets a lane leave.  Some
          of it differs from lane to lane by its nature (rows of a table, lists, trees), some seldom does.
Apart     LENGTHS     a counter meets a bound, or begins at a number, that each lane loaded: rows of different length.
          WALK        where the next round reads was decided by what this one read: lists, trees, merges of two rows.
          SEARCH      each round looks at a place that was known before, until what stands there fits.
          LOOKUP      until a table that all lanes read alike passes a value loaded at the own index (`lookups.py`).
          RETRY       until an atomic or a volatile access succeeds, which other lanes prevent.
          NUMBERS     until arithmetic that starts from a lane's own number, loaded or an integer, comes to its end.
          INDEX       the thread's index, in a way that is not linear.
Close     NEIGHBOURS  floating-point arithmetic, or samples along a line, that start from the thread's index alone:
                      pixels of an escape fractal, rays through a volume.  Neighbours have nearly the same numbers.
                      The place of such a number in a table that all lanes read alike, too.
          MERGED      two counters of which each round moves one (`merged_counters.py`): about the sum of two lengths.
          CLIPPED     the thread's index through a choice: bounds of one width that are cut where the data end.
          HALVING     what halves (or doubles) in each round: twice the length is one round more.
          UNKNOWN     calls, local memory, exchanges, counters of a type that a template was not told: nothing is known.
Method    backwards from the condition of each exit, through data and through the choices inside the loop that decide
          which value a phi takes, as far as lanes differ.  Loads whose address stays in the loop count as read before.
Order     A loop with several ways out is as far apart as the worst of them.
Cost      O(values of the slice) for each exit, at most `MAX_VALUES`.
Source    Classes of loops as in Ball and Larus, PLDI 1993, who predict branches by what is compared; the shares by
          class were counted (`python -m benchmarks.branch_costs`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias, final

from analysis.divergence.levels import Level
from analysis.divergence.nodes import PURE
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, SymbolId, ValueId
from analysis.ir.instructions import (
    Atomic,
    Binary,
    Bitcast,
    Compare,
    Constant,
    ElementAddress,
    FieldAddress,
    Instruction,
    Load,
    Math,
    Phi,
    ReadSpecial,
    Select,
    Store,
    SymbolAddress,
    Texture,
)
from analysis.ir.operators import BinaryOperator, CompareOperator, MathFunction
from analysis.ir.types import BooleanType, IntegerType, MemorySpace, PointerType, TemplateType, UnknownType, VectorType
from analysis.memory.spaces import SpaceResult
from analysis.verdict.lookups import Lookups, Sought
from analysis.verdict.merged_counters import MergedCounters
from analysis.verdict.steady import Steadiness


class RoundsBy(Enum):
    """What lets lanes leave; the values are those of the `facts` contract."""

    LENGTHS = "lengths"
    WALK = "walk"
    SEARCH = "search"
    LOOKUP = "lookup"
    RETRY = "retry"
    NUMBERS = "numbers"
    INDEX = "index"
    UNKNOWN = "unknown"
    NEIGHBOURS = "neighbours"
    MERGED = "merged"
    CLIPPED = "clipped"
    HALVING = "halving"


ORDER: Final = tuple(RoundsBy)
"""The worst first."""
APART: Final = frozenset(ORDER[: ORDER.index(RoundsBy.UNKNOWN)])
"""Those that say that lanes lie apart."""
MAX_VALUES: Final = 400

ADDITIVE: Final = frozenset({BinaryOperator.ADD, BinaryOperator.SUBTRACT})
HALVING: Final = frozenset({BinaryOperator.SHIFT_RIGHT, BinaryOperator.DIVIDE})
DOUBLING: Final = frozenset({BinaryOperator.SHIFT_LEFT, BinaryOperator.MULTIPLY})
CLIPPING: Final = frozenset({MathFunction.MINIMUM, MathFunction.MAXIMUM, MathFunction.CLAMP})
EQUALITIES: Final = frozenset({CompareOperator.EQUAL, CompareOperator.NOT_EQUAL})


def worse_rounds(one: RoundsBy | None, other: RoundsBy | None) -> RoundsBy | None:
    """Of two views of one loop."""
    known = [each for each in (one, other) if each is not None]
    return min(known, key=ORDER.index, default=None)


_Read: TypeAlias = tuple[ValueId, BasicBlockId]


@final
@dataclass(slots=True)
class _Seen:
    """What some values depend on, as far as lanes differ in it: inside a loop, or outside of it."""

    items: dict[ValueId, Instruction | Phi] = field(default_factory=dict[ValueId, "Instruction | Phi"])
    entries: list[_Read] = field(default_factory=list["_Read"])
    """Values from before the loop, and parameters, with the place that reads them."""
    loads: list[Load | Texture | Atomic] = field(default_factory=list["Load | Texture | Atomic"])
    """Whose addresses are not looked at."""
    phis: list[ValueId] = field(default_factory=list[ValueId])
    """Values that go from one round to the next."""
    reads_before: bool = False
    """Whether lanes loaded, or were passed, numbers that stay the same in all rounds."""
    retries: bool = False
    chooses: bool = False
    is_unknown: bool = False


@final
class RoundSources:
    """Answers about the loops of one function."""

    def __init__(
        self, function: Function, control: ControlFlow, divergence: DivergenceResult, spaces: SpaceResult
    ) -> None:
        self._function = function
        self._control = control
        self._divergence = divergence
        self._spaces = spaces
        self._steady = Steadiness(function, divergence)
        self._lookups = Lookups(function, control, divergence, spaces)
        self._merges = MergedCounters(function, control, divergence)

    def of(self, cycle: Cycle, exits: Iterable[BasicBlockId]) -> RoundsBy:
        """`exits`: the decisions at which lanes leave apart, in a way that is not known."""
        found = [self._of_exit(cycle, block) for block in exits]
        if RoundsBy.WALK in found and self._merges.share_rounds(cycle):
            return RoundsBy.MERGED
        return min(found, key=ORDER.index, default=RoundsBy.UNKNOWN)

    def _of_exit(self, cycle: Cycle, block: BasicBlockId) -> RoundsBy:
        conditions = self._function.blocks[block].terminator.operands
        seen = self._inside(conditions, block, cycle)
        if seen.retries and not seen.is_unknown:
            return RoundsBy.RETRY if all(map(self._is_equality, conditions)) else RoundsBy.UNKNOWN
        if seen.is_unknown:
            return RoundsBy.UNKNOWN
        if self._halves(conditions, block, cycle):
            return RoundsBy.HALVING
        if any(self._leads(load, cycle) for load in seen.loads):
            return RoundsBy.WALK
        starts = self._outside(seen.entries)
        if seen.loads:
            return self._of_reading(seen, starts, cycle)
        if self._reads_in_each_round(conditions, cycle):
            return self._of_search(block, cycle)
        return self._of_arithmetic(seen, starts, cycle)

    def _of_reading(self, seen: _Seen, starts: _Seen, cycle: Cycle) -> RoundsBy:
        places = [self._inside(load.operands, cycle.header, cycle) for load in seen.loads]
        begins = [starts, *(self._outside(place.entries) for place in places)]
        own = [self._inside((phi,), cycle.header, cycle, with_choices=False) for phi in seen.phis]
        is_summed = any(one.loads and _computes_with(one, phi) for one, phi in zip(own, seen.phis, strict=True))
        is_smooth = all(map(self._is_sampled, seen.loads)) or (is_summed and any(map(self._has_floats, own)))
        if is_smooth and not any(begin.loads or begin.is_unknown for begin in begins):
            return RoundsBy.NEIGHBOURS
        return RoundsBy.NUMBERS if is_summed else RoundsBy.SEARCH

    def _of_search(self, block: BasicBlockId, cycle: Cycle) -> RoundsBy:
        """Where all lanes read the same in each round."""
        match self._lookups.of(cycle, (block,)):
            case Sought.INDEXED:
                return RoundsBy.NEIGHBOURS
            case Sought.LOADED:
                return RoundsBy.LOOKUP
            case None:
                return RoundsBy.SEARCH

    def _of_arithmetic(self, seen: _Seen, starts: _Seen, cycle: Cycle) -> RoundsBy:
        """Where no round reads anything new."""
        is_loaded = bool(starts.loads) or seen.reads_before
        own = self._inside(seen.phis, cycle.header, cycle)
        if any(item.operator not in ADDITIVE for item in _binaries(own)):
            return RoundsBy.NEIGHBOURS if self._has_floats(own) and not is_loaded else RoundsBy.NUMBERS
        if is_loaded:
            return RoundsBy.LENGTHS
        if starts.is_unknown or any(map(self._is_open, seen.phis)):
            return RoundsBy.UNKNOWN
        return RoundsBy.CLIPPED if starts.chooses or seen.chooses else RoundsBy.INDEX

    def _reads_in_each_round(self, conditions: Sequence[ValueId], cycle: Cycle) -> bool:
        """Whether something new is read in each round, be it the same for all lanes, and compared."""
        done: set[ValueId] = set()
        waiting = [*conditions]
        while waiting and len(done) < MAX_VALUES:
            value = waiting.pop()
            if value in done or self._divergence.home(value) not in cycle.blocks:
                continue
            done.add(value)
            item = self._divergence.definition(value)
            if isinstance(item, Texture) or (isinstance(item, Load) and not self._stays(item.address, cycle)):
                return True
            if isinstance(item, Phi) or type(item) in PURE:
                assert item is not None
                waiting += item.operands
        self._control.spend(len(done))
        return False

    def _halves(self, conditions: Sequence[ValueId], block: BasicBlockId, cycle: Cycle) -> bool:
        """Does what is compared shrink, or grow, by a factor in each round?"""
        seen = self._inside(conditions, block, cycle, with_choices=False, of_all=True)
        if seen.loads:
            return False
        own = self._inside(seen.phis, cycle.header, cycle, with_choices=False, of_all=True)
        factors = [item for item in _binaries(own) if item.operator not in ADDITIVE]
        if not factors or not all(isinstance(self._divergence.definition(item.right), Constant) for item in factors):
            return False
        return any(all(item.operator in kind for item in factors) for kind in (HALVING, DOUBLING))

    def _leads(self, load: Load | Texture | Atomic, cycle: Cycle) -> bool:
        """Does it read where an earlier round sent it?"""
        place = self._inside(load.operands, cycle.header, cycle)
        return not self._is_sampled(load) and bool(self._inside(place.phis, cycle.header, cycle).loads)

    def _is_equality(self, value: ValueId) -> bool:
        item = self._divergence.definition(value)
        return not isinstance(item, Compare) or item.operator in EQUALITIES

    def _is_sampled(self, load: Load | Texture | Atomic) -> bool:
        """At coordinates between elements: a field that was made to be interpolated."""
        return isinstance(load, Texture) and any(map(self._is_float, load.arguments[1:]))

    def _has_floats(self, seen: _Seen) -> bool:
        return any(map(self._is_float, seen.items))

    def _is_float(self, value: ValueId) -> bool:
        """Or of a type that a template was not told."""
        type_ = self._function.types[value]
        element = type_.element if isinstance(type_, VectorType) else type_
        return not isinstance(element, IntegerType | BooleanType | PointerType)

    def _is_open(self, value: ValueId) -> bool:
        """Whether a value is of a type that a template was not told: `for (T i = threadIdx.x; i < n; i += step)`."""
        return isinstance(self._function.types[value], TemplateType | UnknownType)

    # -- slices -----------------------------------------------------------------------------------------------------

    def _inside(
        self,
        values: Sequence[ValueId],
        reader: BasicBlockId,
        cycle: Cycle,
        *,
        with_choices: bool = True,
        of_all: bool = False,
    ) -> _Seen:
        """What the values depend on in the rounds of the loop: of each at most `MAX_VALUES`.

        `with_choices`: and on what decides which value a phi takes.  `of_all`: also what lanes agree on.
        """
        seen = _Seen()
        done: set[ValueId] = set()
        most = MAX_VALUES * len(values)
        waiting = [(value, reader) for value in values]
        while waiting:
            value, reader = waiting.pop()
            if value in done or not (of_all or self._divergence.use_level(value, reader) > Level.WARP):
                continue
            done.add(value)
            if len(done) > most:
                seen.is_unknown = True
                break
            home, item = self._divergence.home(value), self._divergence.definition(value)
            if item is None or home not in cycle.blocks:
                seen.entries.append((value, reader))
                continue
            if not of_all and self._divergence.agrees_in_warp(
                value
            ):  # and yet not for who reads it behind an inner loop
                waiting += self._ways_out_between(home, reader)
            waiting += self._behind(value, item, cycle, seen, with_choices=with_choices)
        self._control.spend(len(done))
        return seen

    def _behind(
        self, value: ValueId, item: Instruction | Phi, cycle: Cycle, seen: _Seen, *, with_choices: bool
    ) -> Iterator[_Read]:
        """Takes note of the value, and gives what it depends on with the place that reads it."""
        home = self._divergence.home(value)
        seen.items[value] = item
        match item:
            case Load(volatile=True) | Atomic():
                seen.retries = True
            case Load(address=address) if self._spaces.space(address) is MemorySpace.LOCAL:
                yield from self._stored(value, address, cycle, seen)
            case Load(address=address) if self._stays(address, cycle):
                seen.reads_before = True
            case Load() | Texture():
                seen.loads.append(item)
            case Phi(incoming=incoming):
                if any(home == one.header for one in self._control.cycles_around(home)):
                    seen.phis.append(value)
                else:
                    seen.chooses = True
                yield from ((taken, source) for source, taken in incoming)
                if with_choices:
                    yield from self._choices(item, cycle)
            case _ if type(item) in PURE:
                seen.chooses |= isinstance(item, Select) or (isinstance(item, Math) and item.function in CLIPPING)
                yield from ((operand, home) for operand in item.operands)
            case Constant() | ReadSpecial():
                pass
            case _:
                seen.is_unknown = True

    def _stays(self, address: ValueId, cycle: Cycle) -> bool:
        """Is the same place read in each round, which the loop does not write through the same pointer?"""
        root = self._root(address)
        return self._steady.is_steady(address, cycle) and not any(
            self._root(item.address) == root for item in self._stores(cycle)
        )

    def _stores(self, cycle: Cycle) -> Iterator[Store]:
        return (item for block, _, item in self._control.placed(Store) if block in cycle.blocks)

    def _root(self, address: ValueId) -> tuple[ValueId | None, SymbolId | None]:
        """The pointer or the variable that an address was derived from."""
        item = self._divergence.definition(address)
        while isinstance(item, ElementAddress | FieldAddress | Bitcast):
            address = item.operands[0]
            item = self._divergence.definition(address)
        return (None, item.symbol) if isinstance(item, SymbolAddress) else (address, None)

    def _stored(self, value: ValueId, address: ValueId, cycle: Cycle, seen: _Seen) -> Iterator[_Read]:
        """A variable in memory is what the loop stores there, from one round to the next."""
        variable = self._spaces.variable(address)
        if variable is None:
            seen.is_unknown = True
            return
        seen.phis.append(value)
        for block, _, item in self._control.placed(Store):
            if block in cycle.blocks and self._spaces.variable(item.address) == variable:
                yield item.value, block

    def _choices(self, phi: Phi, cycle: Cycle) -> Iterator[_Read]:
        """The conditions in the loop that decide by which way lanes come to a phi; ways out of the loop are none."""
        out = self._control.exit_branches(cycle)
        for source, _ in phi.incoming:
            if source not in cycle.blocks:
                continue
            for block in {source, *self._control.controllers(source)}:
                if block in cycle.blocks and block not in out:
                    yield from ((value, block) for value in self._function.blocks[block].terminator.operands)

    def _ways_out_between(self, home: BasicBlockId, reader: BasicBlockId) -> Iterator[_Read]:
        """What decides when lanes leave the loops around `home` that end before `reader`."""
        for cycle in self._control.cycles_around(home):
            if reader in cycle.blocks:
                break
            for block in self._control.exit_branches(cycle):
                yield from ((value, block) for value in self._function.blocks[block].terminator.operands)

    def _outside(self, entries: Iterable[_Read]) -> _Seen:
        """What came into the loop: whether lanes loaded it, or chose it."""
        seen = _Seen()
        done: set[ValueId] = set()
        waiting = [*entries]
        while waiting and len(done) < MAX_VALUES:
            value, reader = waiting.pop()
            if value in done or self._divergence.use_level(value, reader) <= Level.WARP:
                continue
            done.add(value)
            item, home = self._divergence.definition(value), self._divergence.home(value)
            if self._divergence.agrees_in_warp(value):
                waiting += self._ways_out_between(home, reader)
            match item:
                case Load() | Texture() | Atomic():
                    seen.loads.append(item)
                case None:  # a parameter of a function of which no caller is known
                    seen.is_unknown |= not self._is_float(value)
                case Phi(incoming=incoming):
                    seen.chooses = True
                    waiting += ((taken, source) for source, taken in incoming)
                case Select() | Math():
                    seen.chooses |= isinstance(item, Select) or item.function in CLIPPING
                    waiting += ((operand, home) for operand in item.operands)
                case Constant() | ReadSpecial():
                    pass
                case _ if type(item) in PURE:
                    waiting += ((operand, home) for operand in item.operands)
                case _:
                    seen.is_unknown = True
        self._control.spend(len(done))
        return seen


def _computes_with(seen: _Seen, phi: ValueId) -> bool:
    """Whether arithmetic takes the value of the round before; to keep it is none."""
    return any(phi in item.operands for item in seen.items.values() if isinstance(item, Binary | Math))


def _binaries(seen: _Seen) -> Iterator[Binary]:
    return (item for item in seen.items.values() if isinstance(item, Binary))
