"""Fully unrolls loops that run a small constant number of times, as compilers do before the other transformations.

Loops     innermost ones whose only exit is a comparison in the header, entered from one block and closed by one, where
          the header's phis are constants at first and each round's comparison folds to a constant.
Limits    `MAX_ROUNDS` rounds, `MAX_INSTRUCTIONS` instructions after unrolling; inner loops first, then what is left.
Result    another function: the blocks of the loop once for each round, the header once more.
Source    Wu et al., CGO 2016, section 3.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, final

from analysis.graph.control_flow import ControlFlow
from analysis.graph.cycles import Cycle
from analysis.ir.draft import with_operands, with_targets
from analysis.ir.function import BasicBlock, Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Binary, Branch, Compare, Constant, Convert, Instruction, Jump, Phi
from analysis.ir.integers import wrapped
from analysis.ir.operators import BinaryOperator
from analysis.ir.record import record
from analysis.ir.types import IntegerType, Type
from analysis.straightline.code import renumbered
from analysis.straightline.fold import compared

MAX_ROUNDS: Final = 32
MAX_INSTRUCTIONS: Final = 1000


def unrolled(function: Function) -> Function:
    """The function without its small constant loops; the one given where there are none."""
    while True:
        control = ControlFlow.of(function)
        found = next(_unrollable(function, control), None)
        if found is None:
            return function
        function = _joined(_Unrolling(function, control, found).run())


@final
@record
class _Loop:
    """`entry` is the block that enters it, `latch` the one that closes it, `rounds` how often the body runs."""

    cycle: Cycle
    entry: BasicBlockId
    latch: BasicBlockId
    exit: BasicBlockId
    rounds: int


def _unrollable(function: Function, control: ControlFlow) -> Iterator[_Loop]:
    """Innermost loops first: `ControlFlow.cycles` lists them so."""
    for cycle in control.cycles:
        if not cycle.reducible or any(other.parent == cycle.id for other in control.cycles):
            continue
        found = _shape(function, control, cycle)
        if found is not None:
            yield found


def _shape(function: Function, control: ControlFlow, cycle: Cycle) -> _Loop | None:
    header = cycle.header
    terminator = function.blocks[header].terminator
    before = [BasicBlockId(block) for block in control.predecessors[header]]
    entries = [block for block in before if block not in cycle.blocks]
    latches = [block for block in before if block in cycle.blocks]
    if not isinstance(terminator, Branch) or len(entries) != 1 or len(latches) != 1 or header in latches:
        return None
    outside = [target for target in terminator.successors if target not in cycle.blocks]
    leaving = [
        block for block in cycle.blocks if any(target not in cycle.blocks for target in control.successors[block])
    ]
    if len(outside) != 1 or leaving != [header]:
        return None
    rounds = _rounds(function, cycle, terminator, entries[0], latches[0])
    size = sum(len(function.blocks[block].instructions) for block in cycle.blocks)
    if rounds is None or size * (rounds + 1) > MAX_INSTRUCTIONS:
        return None
    return _Loop(cycle, entries[0], latches[0], outside[0], rounds)


def _rounds(function: Function, cycle: Cycle, branch: Branch, entry: BasicBlockId, latch: BasicBlockId) -> int | None:
    """How often the header's condition says to stay, if constants alone decide; None for too many or unknown."""
    definitions = {one.result: one for _, one in function.instructions()}
    phis = {phi.result: dict(phi.incoming) for phi in function.blocks[cycle.header].phis}
    evaluate = _Evaluator(function.types, definitions)
    now = {result: evaluate.number(sources[entry], {}, 0) for result, sources in phis.items()}
    stays = branch.if_true in cycle.blocks
    for rounds in range(MAX_ROUNDS + 1):
        holds = evaluate.number(branch.condition, now, 0)
        if holds is None:
            return None
        if bool(holds) is not stays:
            return rounds
        now = {result: evaluate.number(sources[latch], now, 0) for result, sources in phis.items()}
    return None


@final
class _Evaluator:
    """Integers that follow from constants and from the numbers of the header's phis."""

    def __init__(self, types: Sequence[Type], definitions: Mapping[ValueId | None, Instruction]) -> None:
        self._types = types
        self._definitions = definitions

    def number(self, value: ValueId, phis: Mapping[ValueId, int | None], depth: int) -> int | None:
        if value in phis:
            return phis[value]
        definition = self._definitions.get(value)
        if definition is None or depth > 8:
            return None
        if isinstance(definition, Constant):
            return int(definition.value) if isinstance(definition.value, bool | int) else None
        if not isinstance(definition, Binary | Compare | Convert):
            return None
        numbers = [self.number(operand, phis, depth + 1) for operand in definition.operands]
        known = [number for number in numbers if number is not None]
        return self._computed(definition, known) if len(known) == len(numbers) else None

    def _computed(self, definition: Binary | Compare | Convert, numbers: Sequence[int]) -> int | None:
        type_ = self._types[definition.result]
        match definition:
            case Compare(operator=operator):
                return int(compared(operator, numbers[0], numbers[1]))
            case Convert():
                is_number = isinstance(self._types[definition.operand], IntegerType)
                exact = numbers[0] if is_number else None
            case Binary(operator=BinaryOperator.ADD):
                exact = numbers[0] + numbers[1]
            case Binary(operator=BinaryOperator.SUBTRACT):
                exact = numbers[0] - numbers[1]
            case Binary(operator=BinaryOperator.MULTIPLY):
                exact = numbers[0] * numbers[1]
            case Binary(operator=BinaryOperator.SHIFT_LEFT) if 0 <= numbers[1] < 64:
                exact = numbers[0] << numbers[1]
            case Binary(operator=BinaryOperator.SHIFT_RIGHT) if 0 <= numbers[1] < 64:
                exact = numbers[0] >> numbers[1]
            case Binary():
                return None
        if exact is None or not isinstance(type_, IntegerType):
            return None
        return wrapped(exact, type_.bits, type_.signed)


@final
class _Unrolling:
    """Writes the rounds of one loop behind the other blocks."""

    def __init__(self, function: Function, control: ControlFlow, loop: _Loop) -> None:
        self._function = function
        self._loop = loop
        self._types = list(function.types)
        self._inside = sorted(loop.cycle.blocks, key=lambda block: control.rank[block])
        self._blocks: dict[BasicBlockId, BasicBlock] = {
            BasicBlockId(index): block
            for index, block in enumerate(function.blocks)
            if index not in loop.cycle.blocks and control.is_reachable(BasicBlockId(index))
        }
        self._free = len(function.blocks)
        self._header_of: list[BasicBlockId] = []

    def run(self) -> Function:
        loop, header = self._loop, self._loop.cycle.header
        phis = {phi.result: dict(phi.incoming) for phi in self._function.blocks[header].phis}
        arriving = {result: sources[loop.entry] for result, sources in phis.items()}
        self._header_of = [self._new() for _ in range(loop.rounds + 1)]
        names = self._identity()
        for turn in range(loop.rounds + 1):
            names = self._identity()
            for result, value in arriving.items():
                names[result] = value
            self._write(turn, names)
            arriving = {result: names[sources[loop.latch]] for result, sources in phis.items()}
        return self._assembled(names)

    def _new(self) -> BasicBlockId:
        self._free += 1
        return BasicBlockId(self._free - 1)

    def _identity(self) -> list[ValueId]:
        return [ValueId(value) for value in range(len(self._types))]

    def _write(self, turn: int, names: list[ValueId]) -> None:
        """One round; of the last one only the header."""
        loop, header, function = self._loop, self._loop.cycle.header, self._function
        is_last = turn == loop.rounds
        blocks = [header] if is_last else self._inside
        ids = {block: self._header_of[turn] if block == header else self._new() for block in blocks}
        for block in blocks:
            body = function.blocks[block]
            results = [one.result for one in body.instructions if one.result is not None]
            results += [] if block == header else [phi.result for phi in body.phis]
            for result in results:
                self._types.append(self._types[result])
                names[result] = ValueId(len(self._types) - 1)
        targets = {BasicBlockId(index): BasicBlockId(index) for index in range(len(function.blocks))} | ids
        if not is_last:
            targets[header] = self._header_of[turn + 1]
        for block in blocks:
            body = function.blocks[block]
            phis = () if block == header else tuple(_renamed_phi(phi, names, ids) for phi in body.phis)
            instructions = tuple(one.renamed(names, one.span) for one in body.instructions)
            if block == header:
                span = body.terminator.span
                inner = next(t for t in body.terminator.successors if t in loop.cycle.blocks)
                terminator = Jump(loop.exit if is_last else ids[inner], span)
            else:
                terminator = with_targets(with_operands(body.terminator, names), {**targets})
            self._blocks[ids[block]] = BasicBlock(phis, instructions, terminator)

    def _assembled(self, names: Sequence[ValueId]) -> Function:
        """What stands outside reads the values of the last header, and comes to the first one."""
        header = self._loop.cycle.header
        numbers = {old: BasicBlockId(new) for new, old in enumerate(sorted(self._blocks))}
        last = self._header_of[-1]
        outside = {BasicBlockId(index): BasicBlockId(index) for index in numbers} | {header: self._header_of[0]}
        finished: list[BasicBlock] = []
        for old in sorted(self._blocks):
            body = self._blocks[old]
            if old < len(self._function.blocks):
                names_here = {header: last}
                phis = tuple(_renamed_phi(phi, names, names_here) for phi in body.phis)
                instructions = tuple(self._read_outside(one, names) for one in body.instructions)
                terminator = with_targets(with_operands(body.terminator, names), {**outside})
                body = BasicBlock(phis, instructions, terminator)
            phis = tuple(
                Phi(phi.result, tuple(sorted((numbers[source], value) for source, value in phi.incoming)), phi.span)
                for phi in body.phis
            )
            finished.append(BasicBlock(phis, body.instructions, with_targets(body.terminator, {**numbers})))
        return renumbered(self._function, finished, self._types)

    @staticmethod
    def _read_outside(instruction: Instruction, names: Sequence[ValueId]) -> Instruction:
        return instruction.renamed(names, instruction.span)


def _renamed_phi(phi: Phi, names: Sequence[ValueId], blocks: Mapping[BasicBlockId, BasicBlockId]) -> Phi:
    incoming = tuple((blocks.get(source, source), names[value]) for source, value in phi.incoming)
    return Phi(names[phi.result], incoming, phi.span)


def _joined(function: Function) -> Function:
    """With blocks that only follow each other as one block."""
    control = ControlFlow.of(function)
    blocks = dict(enumerate(function.blocks))
    last = {block: block for block in blocks}
    for first in control.order:
        while first in blocks:
            body = blocks[first]
            after = body.terminator
            if not isinstance(after, Jump) or len(control.predecessors[after.target]) != 1:
                break
            if after.target == first or blocks[after.target].phis:
                break
            next_ = blocks.pop(after.target)
            blocks[first] = BasicBlock(body.phis, body.instructions + next_.instructions, next_.terminator)
            last[first] = last[after.target]
    if len(blocks) == len(function.blocks):
        return function
    numbers = {old: BasicBlockId(new) for new, old in enumerate(sorted(blocks))}
    ends = {BasicBlockId(last[old]): numbers[old] for old in blocks}
    finished = [
        BasicBlock(
            tuple(Phi(p.result, tuple(sorted((ends[s], v) for s, v in p.incoming)), p.span) for p in blocks[old].phis),
            blocks[old].instructions,
            with_targets(blocks[old].terminator, {**numbers}),
        )
        for old in sorted(blocks)
    ]
    return renumbered(function, finished, function.types)
