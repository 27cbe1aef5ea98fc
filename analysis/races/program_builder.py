"""How a kernel becomes the program of its threads: what has a say, and the steps that are left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final, final

from analysis.affine.addresses import element_size, field_offset
from analysis.affine.launch_bounds import BLOCK_EXTENTS, GRID_EXTENTS
from analysis.divergence.launch_shape import LaunchKnowledge
from analysis.divergence.levels import Level
from analysis.divergence.result import DivergenceResult
from analysis.graph.control_flow import ControlFlow
from analysis.ir.function import Function, SymbolKind
from analysis.ir.ids import BasicBlockId, SymbolId, ValueId
from analysis.ir.instructions import (
    Assert,
    Binary,
    Bitcast,
    Branch,
    Compare,
    Constant,
    Convert,
    DeviceLaunch,
    ElementAddress,
    ExtractElement,
    FieldAddress,
    Instruction,
    Math,
    Opaque,
    Phi,
    ReadSpecial,
    Select,
    SymbolAddress,
    TemplateArgument,
    Unary,
)
from analysis.ir.operators import SpecialRegister
from analysis.ir.types import U64, ArrayType, BooleanType, IntegerType, PointerType
from analysis.lower.layouts import size_of
from analysis.memory.roots import member_name
from analysis.races.long_loops import find_long_loops
from analysis.races.model import MemoryUse
from analysis.races.program import (
    BLOCK_MEETINGS,
    DYNAMIC_REGION,
    FIRST_REGION,
    FOLLOWED,
    HALTING,
    MOST_MEMBERS,
    NOWHERE,
    ORDERING,
    WARP_MEETINGS,
    Mark,
    Member,
    Origin,
    OutOfBounds,
    Program,
    Scalar,
    StepKind,
    Way,
    address_of,
    may_wait,
    place_of,
)
from analysis.verdict.evaluation import Evaluate, LaunchedBlock, Values, evaluator
from analysis.verdict.slice import BLOCK_INDICES

ANY_LAUNCH: Final = LaunchKnowledge()
_ARITHMETIC: Final = (Binary, Unary, Compare, Convert, Select, Math)
_PURE: Final = frozenset((*_ARITHMETIC, Constant, ReadSpecial, SymbolAddress, FieldAddress, Bitcast))
_MARKED: Final = (*ORDERING, Assert, DeviceLaunch, Opaque)
_OF_INTEGERS: Final = frozenset((Binary, Unary, Constant, Math, ReadSpecial))
_INTEGERS: Final = (IntegerType, BooleanType)  # `IntegerType | BooleanType` would be made for each value
_KNOWABLE: Final = (*_INTEGERS, PointerType)
_OF_THE_BLOCK: Final = frozenset((*BLOCK_EXTENTS, *GRID_EXTENTS, *BLOCK_INDICES, SpecialRegister.WARP_SIZE))


def build_program(
    function: Function,
    control: ControlFlow,
    divergence: DivergenceResult,
    uses: Sequence[MemoryUse],
    also: Iterable[ValueId] = (),
    *,
    goes_on: bool = False,
    launch: LaunchKnowledge = ANY_LAUNCH,
) -> Program:
    """`also`: further values that are to be known where they can be.  `goes_on`: see `Program`."""
    program = Program(function, control, divergence, uses, _evaluate, goes_on)
    parameters = function.parameters
    program.passed = {(parameters[at].value, -1): number for at, number in launch.passed if at < len(parameters)}
    program.relations = {
        (parameter.value, -1): relations
        for position, parameter in enumerate(parameters)
        if (relations := launch.relations_of(position))
    }
    program.multiples = {(parameters[at].value, -1): divisor for at, divisor in launch.multiples}
    _Builder(program).build(also)
    return program


@final
class _Builder:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._function = program.function
        self._divergence = program.divergence
        self._waiting: list[ValueId] = []
        self._parameters = {parameter.value: parameter.name for parameter in program.function.parameters}
        self._marks: dict[BasicBlockId, dict[int, list[Mark]]] = {}
        """What is done besides computing, by block and index."""
        for use in program.uses:
            self._marks.setdefault(use.block, {})[use.index] = [(StepKind.USE, use.number)]
        placed = program.control.placed(*_MARKED)
        program.ordering = {block for block, _, item in placed if _may_meet(item)}
        self._mattering = {
            *self._marks,
            *program.ordering,
            *(block for block, _, item in placed if type(item) is Assert),
        }
        for block, index, item in placed:
            mark = _mark(block, index, item)
            if mark is not None:
                self._marks.setdefault(block, {}).setdefault(index, []).append(mark)
        self._fixed: set[ValueId] = set()

    def build(self, also: Iterable[ValueId]) -> None:
        program = self._program
        self._waiting.extend(also)
        for block in program.control.order:
            if block in self._mattering:
                self._decide_with(block)
        self._waiting.extend(use.address for use in program.uses)
        self._waiting.extend(item.condition for _, _, item in program.control.placed(Assert))
        while self._waiting:
            self._need(self._waiting.pop())
        with_say = {*self._marks, *map(self._divergence.home, program.needed)}
        for block in program.control.order:
            if block not in with_say:
                continue
            phis = tuple(phi for phi in self._function.blocks[block].phis if phi.result in program.needed)
            program.unknowable.update(phi.result for phi in phis if program.unknowable.issuperset(phi.operands))
            marks = self._marks_of(block)
            if phis:
                program.phis[block] = phis
            if marks:
                program.marks[block] = marks
        program.ways = [self._way(BasicBlockId(number)) for number in range(len(self._function.blocks))]
        program.long_loops = find_long_loops(
            self._function, program.control, self._divergence, program.needed, program.ordering
        )
        self._find_trips()

    def _way(self, block: BasicBlockId) -> Way | None:
        successors = self._program.control.successors[block]
        if not successors:
            return None
        terminator = self._function.blocks[block].terminator
        if len(successors) == 1:
            return None, successors[0], successors[0]
        if isinstance(terminator, Branch) and block in self._program.deciders:
            return terminator.condition, terminator.if_true, terminator.if_false
        return NOWHERE, successors[0], successors[0]

    def _is_fixed(self, instruction: Instruction) -> bool:
        """Is it the same for all threads, every time?  Then it is computed once for a launch."""
        kind = type(instruction)
        if kind not in _PURE:
            return False
        if isinstance(instruction, ReadSpecial):
            return instruction.register in _OF_THE_BLOCK
        return kind is Constant or self._fixed.issuperset(instruction.operands)

    def _find_trips(self) -> None:
        """Scalars that say how often loops run for the whole block, and are compared with nothing of a thread."""
        program, divergence = self._program, self._divergence
        if not program.scalars or not program.control.cycles:
            return
        trips = self._scalars_behind(
            operand
            for cycle in program.control.cycles
            for block in program.control.exit_branches(cycle)
            if divergence.terminator_level(block) <= Level.BLOCK
            for operand in self._function.blocks[block].terminator.operands
        )
        if trips:
            compared = (divergence.definition(value) for value in program.needed)
            varying = [item for item in compared if isinstance(item, Compare) and self._varies(item)]
            trips -= self._scalars_behind(operand for item in varying for operand in item.operands)
        program.trips = trips

    def _varies(self, compare: Compare) -> bool:
        return any(self._divergence.level(operand) > Level.BLOCK for operand in compare.operands)

    def _scalars_behind(self, values: Iterable[ValueId]) -> set[Origin]:
        program = self._program
        seen: set[ValueId] = set()
        waiting = list(values)
        while waiting:
            value = waiting.pop()
            if value in program.needed and value not in seen:
                seen.add(value)
                item = self._divergence.definition(value)
                if item is not None:
                    waiting.extend(item.operands)
        return {program.scalars[value].origin for value in seen if value in program.scalars}

    # -- what has a say ---------------------------------------------------------------------------------------------

    def _need(self, value: ValueId) -> None:
        program = self._program
        if value in program.needed:
            return
        type_ = self._function.types[value]
        if not isinstance(type_, _KNOWABLE):
            return
        program.needed.add(value)
        if value in self._parameters:
            self._take_argument(value, self._parameters[value], (value, -1))
            return
        item = self._divergence.definition(value)
        if item is None or type(item) not in FOLLOWED:
            return
        if isinstance(item, ExtractElement):
            if item.aggregate in self._parameters and item.index < MOST_MEMBERS - 1:
                name = member_name(self._function, item.aggregate, item.index)
                self._take_argument(value, name or "…", (item.aggregate, item.index))
            return
        if isinstance(item, TemplateArgument):
            boolean = isinstance(type_, BooleanType)
            program.scalars[value] = Scalar(item.name, item.name, boolean)
        if isinstance(item, ReadSpecial):
            program.reads_block_index |= item.register in BLOCK_INDICES
        self._waiting.extend(item.operands)
        if isinstance(item, Phi):
            for source, _ in item.incoming:
                self._decide_with(source)

    def _take_argument(self, value: ValueId, name: str, origin: Member) -> None:
        type_ = self._function.types[value]
        if isinstance(type_, PointerType):
            first = FIRST_REGION + len(self._function.symbols)
            self._program.regions[value] = _named(self._program, first + place_of(origin), name)
        else:
            self._program.scalars[value] = Scalar(name, origin, isinstance(type_, BooleanType))

    def _decide_with(self, block: BasicBlockId) -> None:
        """What decides whether and how often `block` runs, and which way it is left, has a say."""
        for decider in self._program.control.deciders(block) - self._program.deciders:
            self._program.deciders.add(decider)
            self._waiting.extend(self._function.blocks[decider].terminator.operands)

    # -- steps ------------------------------------------------------------------------------------------------------

    def _marks_of(self, block: BasicBlockId) -> list[Mark]:
        """What has a say in the block; what is the same for all threads goes to `Program.fixed`.

        Asked in reverse post-order, so that of operands it is known whether they can be known; what comes around a
        loop is taken to be knowable.
        """
        needed, marks, found = self._program.needed, self._marks.get(block, {}), list[Mark]()
        for index, instruction in enumerate(self._function.blocks[block].instructions):
            if index in marks:
                found += marks[index]
            result = instruction.result
            if result is None or result not in needed:
                continue
            if self._is_unknowable(instruction, result):
                self._program.unknowable.add(result)
            if type(instruction) in FOLLOWED:
                if type(instruction) is Constant and isinstance(instruction.value, int):
                    self._program.constants.append(instruction.value)
                if self._is_fixed(instruction):
                    self._fix(result)
                else:
                    found.append((StepKind.VALUE, result))
        return found

    def _is_unknowable(self, item: Instruction, result: ValueId) -> bool:
        program = self._program
        if result in program.scalars or result in program.regions:
            return False
        if type(item) not in FOLLOWED or type(item) is ExtractElement:
            return True
        return not program.unknowable.isdisjoint(item.operands[:1] if type(item) is Select else item.operands)

    def _fix(self, result: ValueId) -> None:
        evaluate = _evaluate(self._program, result)
        if evaluate is not None:
            self._fixed.add(result)
            self._program.fixed.append((result, evaluate))


def _evaluate(program: Program, result: ValueId) -> Evaluate | None:
    instruction, types = program.divergence.definition(result), program.function.types
    type_ = types[result]
    if instruction is None or isinstance(instruction, Phi):
        return None
    if type(instruction) in _OF_INTEGERS and isinstance(type_, _INTEGERS):
        return evaluator(instruction, type_)
    match instruction:
        case SymbolAddress(symbol=symbol):
            return _symbol(program, symbol)
        case ElementAddress(base=base, index=index):
            size = element_size(program.function, result)
            return None if size is None else _element(program.function, base, index, size)
        case FieldAddress(base=base):
            offset = field_offset(program.function, instruction)
            return None if offset is None else partial(_moved, base, offset)
        case Bitcast(operand=operand):
            same = isinstance(types[operand], PointerType) and isinstance(types[result], PointerType)
            return partial(_moved, operand, 0) if same else None
        case ExtractElement():
            return None
        case Compare() | Convert() if isinstance(types[instruction.operands[0]], PointerType):
            return None
        case _:
            if isinstance(type_, PointerType):
                return evaluator(instruction, U64) if isinstance(instruction, Select) else None
            assert isinstance(type_, IntegerType | BooleanType)
            return evaluator(instruction, type_)


def _symbol(program: Program, number: SymbolId) -> Evaluate | None:
    symbol = program.function.symbols[number]
    match symbol.kind:
        case SymbolKind.DYNAMIC_SHARED:
            region = _named(program, DYNAMIC_REGION, symbol.name)
        case SymbolKind.SHARED | SymbolKind.GLOBAL:
            region = _named(program, FIRST_REGION + number, symbol.name)
            size = size_of(symbol.type, program.function.structs)
            if size is not None:
                program.sizes[region] = size
        case _:
            return None
    start = address_of(region)
    return lambda values, launch, thread: start


def _element(function: Function, base: ValueId, index: ValueId, size: int) -> Evaluate:
    length = row_length(function, base, size)

    def evaluate(values: Values, launch: LaunchedBlock, thread: int) -> int | None:
        start, number = values.get(base), values.get(index)
        if start is None or number is None:
            return None
        if length is not None and not 0 <= number <= length:
            raise OutOfBounds
        return start + number * size

    return evaluate


def _named(program: Program, region: int, name: str) -> int:
    program.names[region] = name
    return region


def row_length(function: Function, base: ValueId, size: int) -> int | None:
    """How many elements of that size the array has that `base` points to, if it points to one."""
    pointer = function.types[base]
    array = pointer.element if isinstance(pointer, PointerType) else None
    if not isinstance(array, ArrayType) or size_of(array.element, function.structs) != size:
        return None
    return array.length


def _mark(block: BasicBlockId, index: int, instruction: Instruction) -> Mark | None:
    """Where a thread meets others, gives up, or may show that the launch is not meant."""
    kind = type(instruction)
    if kind in BLOCK_MEETINGS:
        return StepKind.BLOCK_BARRIER, block << 16 | index
    if kind in WARP_MEETINGS:
        return StepKind.WARP_BARRIER, 0
    if kind in HALTING or may_wait(instruction, in_loop=False):
        return StepKind.HALT, 0
    if isinstance(instruction, Assert):
        return StepKind.ASSERT, instruction.condition
    return None


def _may_meet(instruction: Instruction) -> bool:
    return type(instruction) in ORDERING or may_wait(instruction, in_loop=False)


def _moved(base: ValueId, offset: int, values: Values, launch: LaunchedBlock, thread: int) -> int | None:
    start = values.get(base)
    return None if start is None else start + offset
