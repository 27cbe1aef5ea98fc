"""Which arithmetic in double precision comes of literals without suffix alone, and what does it cost?

Island   values of type `double` that are computed from each other.  One is accidental where all that goes into it are
         floats, integers and constants, a literal among them, and all that comes out are floats, integers and
         comparisons.
Folded   a sum, difference, product, quotient or selection of two floats, or of one and a constant that a float holds,
         whose result becomes a float again, is the same in both precisions, so compilers compute it in floats; likewise
         comparisons of floats with such constants.  These cost nothing.
Deliberate  is what a function does that has doubles in its arguments, in memory or in variables.
Cost     with the throughput of devices for data centres, and with that of others: 1/64 of the rate of floats.
Source   LLVM `InstCombineCasts.cpp`, `visitFPTrunc`; CUDA C++ Programming Guide, "Arithmetic Instructions".
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, final

from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import CycleId
from analysis.ir.function import Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Binary,
    Compare,
    Constant,
    Convert,
    Instruction,
    Load,
    Math,
    Phi,
    Select,
    Store,
    Unary,
)
from analysis.ir.operators import BinaryOperator, UnaryOperator
from analysis.ir.pace import paced
from analysis.ir.record import record
from analysis.ir.types import ArrayType, FloatFormat, FloatType, PointerType, StructType, Type, VectorType
from analysis.memory.spaces import SpaceResult
from analysis.verdict.latency import CONVERSION, DOUBLE, latency

SLOW_RATE: Final = 64
"""Issue slots of an addition of doubles where few units do it."""
_FOLDABLE: Final = frozenset(
    {BinaryOperator.ADD, BinaryOperator.SUBTRACT, BinaryOperator.MULTIPLY, BinaryOperator.DIVIDE}
)
_COMPUTED: Final = (Binary, Unary, Math, Select, Compare, Phi)


@final
@record
class DoubleIsland:
    """`literals`: its constants; `operations`: what a compiler leaves in double precision.

    `slots` and `slow_slots` by the innermost loop around: with fast units and with few.
    """

    literals: tuple[Constant, ...]
    operations: tuple[Instruction | Phi, ...]
    conversions: tuple[Convert, ...]
    slots: Mapping[CycleId | None, float]
    slow_slots: Mapping[CycleId | None, float]


def is_double(type_: Type) -> bool:
    return isinstance(type_, FloatType) and type_.format is FloatFormat.DOUBLE


def accidental_doubles(
    function: Function, control: ControlFlow, divergence: DivergenceResult, spaces: SpaceResult
) -> tuple[DoubleIsland, ...]:
    """Those that cost anything; none in a function that uses doubles on purpose."""
    doubles = _doubles(function.types)
    if not doubles or _uses_doubles(function, control):
        return ()
    return tuple(_Islands(function, control, divergence, spaces, doubles).found())


def _doubles(types: Sequence[Type]) -> frozenset[ValueId]:
    """The values of a function that are doubles."""
    kinds = {id(type_) for type_ in _different(types) if is_double(type_)}
    return frozenset([ValueId(value) for value, type_ in enumerate(types) if id(type_) in kinds] if kinds else ())


def _different(types: Iterable[Type]) -> Iterable[Type]:
    """Types are shared: there are few different ones."""
    return {id(type_): type_ for type_ in types}.values()


def _uses_doubles(function: Function, control: ControlFlow) -> bool:
    """In arguments, variables, or memory."""
    types = [function.types[one.value] for one in function.parameters]
    types += [one.type for one in (*function.symbols, *function.variables)]
    # A method that is called often has its variables each time.
    if any(_holds_doubles(type_, function) for type_ in _different(types)):
        return True
    loaded = (function.types[item.result] for _, _, item in control.placed(Load))
    stored = (function.types[item.value] for _, _, item in control.placed(Store))
    return any(map(is_double, _different((*loaded, *stored))))


def _holds_doubles(type_: Type, function: Function, depth: int = 0) -> bool:
    if depth > 4:
        return False
    match type_:
        case FloatType():
            return is_double(type_)
        case PointerType(element=element) | ArrayType(element=element) | VectorType(element=element):
            return _holds_doubles(element, function, depth + 1)
        case StructType(name=name):
            layout = function.structs.get(name)
            fields = () if layout is None else layout.fields
            return any(_holds_doubles(one.type, function, depth + 1) for one in fields)
        case _:
            return False


@final
class _Islands:
    def __init__(
        self,
        function: Function,
        control: ControlFlow,
        divergence: DivergenceResult,
        spaces: SpaceResult,
        doubles: frozenset[ValueId],
    ) -> None:
        self._function = function
        self._doubles = doubles
        self._control = control
        self._divergence = divergence
        self._spaces = spaces
        self._users: defaultdict[ValueId, list[Instruction | Phi]] = defaultdict(list)
        self._parent: dict[ValueId, ValueId] = {}

    def found(self) -> Iterator[DoubleIsland]:
        groups: defaultdict[ValueId, list[tuple[BasicBlockId, Instruction | Phi]]] = defaultdict(list)
        for value, block, item in self._members():
            groups[self._root(value)].append((block, item))
        for members in groups.values():
            island = self._island(members)
            if island is not None:
                yield island

    def _members(self) -> Sequence[tuple[ValueId, BasicBlockId, Instruction | Phi]]:
        """All that computes or reads doubles, each with one of these: the others are joined to it."""
        wide = self._doubles
        found: list[tuple[ValueId, BasicBlockId, Instruction | Phi]] = []
        for block in paced(self._control.order, 4):
            body = self._function.blocks[block]
            for item in (*body.phis, *body.instructions):
                operands, result = item.operands, item.result
                if result not in wide and wide.isdisjoint(operands):
                    continue
                doubles = [value for value in operands if value in wide]
                for value in doubles:
                    self._users[value].append(item)
                if result is not None and result in wide:
                    doubles.append(result)
                found.append((doubles[0], block, item))
                first = self._root(doubles[0])
                for value in doubles[1:]:
                    self._parent[self._root(value)] = first
                    first = self._root(first)
        return found

    def _root(self, value: ValueId) -> ValueId:
        while (above := self._parent.get(value, value)) != value:
            value = above
        return value

    def _island(self, members: Sequence[tuple[BasicBlockId, Instruction | Phi]]) -> DoubleIsland | None:
        literals: list[Constant] = []
        conversions: list[Convert] = []
        operations: list[tuple[BasicBlockId, Instruction | Phi]] = []
        has_float = False
        for block, item in members:
            if isinstance(item, Constant):
                if isinstance(item.value, float):
                    literals.append(item)
            elif isinstance(item, Convert):
                other = item.operand if item.result in self._doubles else item.result
                has_float |= _is_float(self._function.types[other])
                conversions.append(item)
            elif isinstance(item, _COMPUTED):
                operations.append((block, item))
            else:
                return None  # it is stored, passed on, or whatever else somebody wants a double for
        if not literals or not has_float:
            return None
        left = [one for one in operations if not self._is_folded(one[1]) and not self._is_constant(one[1])]
        if not left:
            return None
        fast, slow = self._slots(left)
        return DoubleIsland(tuple(literals), tuple(item for _, item in left), tuple(conversions), fast, slow)

    def _slots(
        self, operations: Sequence[tuple[BasicBlockId, Instruction | Phi]]
    ) -> tuple[Mapping[CycleId | None, float], Mapping[CycleId | None, float]]:
        """Of the operations and of the conversions of their operands."""
        fast: defaultdict[CycleId | None, float] = defaultdict(float)
        slow: defaultdict[CycleId | None, float] = defaultdict(float)
        for block, item in operations:
            if isinstance(item, Phi):
                continue
            around = self._control.innermost_cycle(block)
            cycle = None if around is None else around.id
            own = max(latency(self._divergence, self._spaces, item), DOUBLE)
            fast[cycle] += own
            slow[cycle] += own / DOUBLE * SLOW_RATE
            for operand in item.operands:
                source = self._divergence.definition(operand)
                if isinstance(source, Convert) and operand in self._doubles:
                    fast[cycle] += CONVERSION
                    slow[cycle] += SLOW_RATE
        return fast, slow

    def _is_folded(self, item: Instruction | Phi) -> bool:
        if isinstance(item, Compare):
            return all(map(self._is_narrow, item.operands))
        if isinstance(item, Select):
            chosen = (item.if_true, item.if_false)
        elif isinstance(item, Binary) and item.operator in _FOLDABLE:
            chosen = (item.left, item.right)
        elif isinstance(item, Unary) and item.operator is UnaryOperator.NEGATE:
            chosen = (item.operand,)
        else:
            return False
        return all(map(self._is_narrow, chosen)) and self._becomes_float(item)

    def _is_narrow(self, value: ValueId) -> bool:
        """A float, or a constant that a float holds."""
        item = self._divergence.definition(value)
        if isinstance(item, Convert):
            return _is_float(self._function.types[item.operand])
        return isinstance(item, Constant) and isinstance(item.value, int | float) and fits_float(item.value)

    def _becomes_float(self, item: Instruction) -> bool:
        users = [] if item.result is None else self._users[item.result]
        return len(users) == 1 and all(
            isinstance(user, Convert) and _is_float(self._function.types[user.result]) for user in users
        )

    def _is_constant(self, item: Instruction | Phi, depth: int = 0) -> bool:
        """Computed by the compiler."""
        if isinstance(item, Constant):
            return True
        if depth > 8 or not isinstance(item, Binary | Unary | Convert):
            return False
        for value in item.operands:
            source = self._divergence.definition(value)
            if source is None or not self._is_constant(source, depth + 1):
                return False
        return True


def _is_float(type_: Type) -> bool:
    return isinstance(type_, FloatType) and type_.format is FloatFormat.SINGLE


def fits_float(number: float) -> bool:
    """Whether a float holds exactly that number."""
    try:
        return struct.unpack("f", struct.pack("f", number))[0] == number
    except (OverflowError, struct.error):
        return False
