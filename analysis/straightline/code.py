"""A function whose instructions may change while its control flow stays: what the transformations of this package edit.

Values keep their ids from pass to pass, and new ones get new ids, so what is known of a value of the function stays
known.  A pass rewrites the blocks in preorder of the dominator tree (`rewrite`): what was visited before a block and
dominates it stands in front of it.  Integer constants stand once, at the start of the entry.

Invariants
1. A definition dominates its uses after every pass.
2. `names[v]` is the value that stands for `v` now; every instruction that a pass sees is renamed already.
3. Phis and terminators keep their places; only their operands are renamed.

Cost    O(instructions) for each pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol, final

from analysis.graph.control_flow import ControlFlow
from analysis.ir.cleanup import is_pure, unread
from analysis.ir.draft import Draft, with_operands
from analysis.ir.function import ENTRY, BasicBlock, Function
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Constant, Instruction, Phi
from analysis.ir.integers import wrapped
from analysis.ir.pace import paced
from analysis.ir.source import Span
from analysis.ir.types import VOID, IntegerType, Type


class Visitor(Protocol):
    """What a pass makes of one instruction: the instructions that take its place, in order."""

    def __call__(self, block: BasicBlockId, instruction: Instruction) -> Iterable[Instruction]: ...


@final
class Code:
    """The instructions of `function`, block by block; blocks that the entry does not reach are left alone."""

    def __init__(self, function: Function, control: ControlFlow) -> None:
        self.function = function
        self.control = control
        self.types: list[Type] = list(function.types)
        self.blocks: list[list[Instruction]] = [list(block.instructions) for block in function.blocks]
        self.phis: list[tuple[Phi, ...]] = [block.phis for block in function.blocks]
        self.terminators = [block.terminator for block in function.blocks]
        self.names: list[ValueId] = [ValueId(value) for value in range(len(function.types))]
        self.definitions: dict[ValueId, Instruction] = {}
        self.homes: dict[ValueId, BasicBlockId] = {}
        self.inexact: set[ValueId] = set()
        """Values that are computed anew from what may overflow on the way."""
        self._constants: dict[tuple[Type, int], ValueId] = {}
        self._new_constants: list[Constant] = []
        self.preorder = _preorder(control)
        self._gather_constants()

    def copy(self) -> Code:
        """Another one that can be changed on its own."""
        other = Code.__new__(Code)
        other.function, other.control, other.preorder = self.function, self.control, self.preorder
        other.types, other.names = list(self.types), list(self.names)
        other.blocks = [list(block) for block in self.blocks]
        other.phis, other.terminators = list(self.phis), list(self.terminators)
        other.definitions, other.homes = dict(self.definitions), dict(self.homes)
        other.inexact = set(self.inexact)
        other._constants, other._new_constants = dict(self._constants), []
        return other

    # -- building ---------------------------------------------------------------------------------------------------

    def value(self, type_: Type) -> ValueId:
        self.types.append(type_)
        value = ValueId(len(self.types) - 1)
        self.names.append(value)
        return value

    def constant(self, type_: IntegerType, number: int, span: Span) -> ValueId:
        """The number as the type holds it; it stands at the start of the entry."""
        number = wrapped(number, type_.bits, type_.signed)
        known = self._constants.get((type_, number))
        if known is None:
            known = self._constants[type_, number] = self.value(type_)
            constant = Constant(known, number, span)
            self._new_constants.append(constant)
            self.define(constant, ENTRY)
        return known

    def number(self, value: ValueId) -> int | None:
        """The integer that a value is known to be."""
        definition = self.definitions.get(value)
        if not isinstance(definition, Constant) or not isinstance(self.types[value], IntegerType):
            return None
        return definition.value if isinstance(definition.value, int) else None

    def define(self, instruction: Instruction, block: BasicBlockId) -> None:
        """Notes what a new instruction defines, and where it will stand."""
        if instruction.result is not None:
            self.definitions[instruction.result] = instruction
            self.homes[instruction.result] = block

    def replace(self, value: ValueId, by: ValueId) -> None:
        """`by` stands for `value` from here on."""
        self.names[value] = by

    # -- passes -----------------------------------------------------------------------------------------------------

    def rewrite(self, visit: Visitor) -> None:
        """Lets a pass look at every instruction; phis and terminators follow."""
        for block in self.preorder:
            kept: list[Instruction] = []
            for instruction in paced(self.blocks[block]):
                for one in visit(block, self.renamed(instruction)):
                    self.define(one, block)
                    kept.append(one)
            self.blocks[block] = kept
        self.settle()

    def renamed(self, instruction: Instruction) -> Instruction:
        names = self.names
        if all(names[value] == value for value in instruction.operands):
            return instruction
        result = instruction.result
        if result is not None and names[result] != result:
            names = list(names)
            names[result] = result
        return instruction.renamed(names, instruction.span)

    def settle(self) -> None:
        """Renames phis and terminators, puts new constants in front, and drops what nobody reads."""
        self.blocks[ENTRY] = [*self._new_constants, *self.blocks[ENTRY]]
        self._new_constants = []
        self._flatten_names()
        for block in self.control.order:
            self.phis[block] = tuple(
                Phi(phi.result, tuple((source, self.names[value]) for source, value in phi.incoming), phi.span)
                for phi in self.phis[block]
            )
            self.terminators[block] = with_operands(self.terminators[block], self.names)
            self.blocks[block] = [self.renamed(one) for one in self.blocks[block]]
        self._drop_dead()

    def _flatten_names(self) -> None:
        names = self.names
        for value in range(len(names)):
            target = names[value]
            while names[target] != target:
                target = names[target]
            names[value] = target

    def instructions(self) -> Iterator[tuple[BasicBlockId, Instruction]]:
        """All that the entry reaches, dominators first."""
        for block in self.preorder:
            for instruction in self.blocks[block]:
                yield block, instruction

    def readers(self) -> dict[ValueId, list[Instruction | None]]:
        """Who reads each value; None for a phi or a terminator."""
        found: dict[ValueId, list[Instruction | None]] = {}
        for block in self.preorder:
            for instruction in self.blocks[block]:
                for operand in instruction.operands:
                    found.setdefault(operand, []).append(instruction)
            others = [value for phi in self.phis[block] for value in phi.operands]
            for operand in (*others, *self.terminators[block].operands):
                found.setdefault(operand, []).append(None)
        return found

    # -- the end ----------------------------------------------------------------------------------------------------

    def finish(self) -> Function:
        """The function as it stands; the names of variables are not carried along."""
        blocks = [
            BasicBlock(self.phis[index], tuple(self.blocks[index]), self.terminators[index])
            if self.control.is_reachable(BasicBlockId(index))
            else block
            for index, block in enumerate(self.function.blocks)
        ]
        return renumbered(self.function, blocks, self.types)

    def _drop_dead(self) -> None:
        """Takes away pure instructions and phis that nothing needs."""
        inputs: dict[ValueId, tuple[ValueId, ...]] = {}
        read: list[ValueId] = []
        for block in self.preorder:
            read += self.terminators[block].operands
            for phi in self.phis[block]:
                inputs[phi.result] = phi.operands
            for instruction in self.blocks[block]:
                if instruction.result is not None and is_pure(instruction):
                    inputs[instruction.result] = instruction.operands
                else:
                    read += instruction.operands
        dead = unread(inputs, read)
        if not dead:
            return
        for block in self.preorder:
            self.phis[block] = tuple(phi for phi in self.phis[block] if phi.result not in dead)
            self.blocks[block] = [one for one in self.blocks[block] if one.result not in dead]
        self._constants = {key: value for key, value in self._constants.items() if value not in dead}

    def _gather_constants(self) -> None:
        for block in self.preorder:
            kept: list[Instruction] = []
            for instruction in paced(self.blocks[block]):
                self.define(instruction, block)
                type_ = self.types[instruction.result] if instruction.result is not None else VOID
                value = instruction.value if isinstance(instruction, Constant) else None
                if isinstance(type_, IntegerType) and isinstance(value, int) and instruction.result is not None:
                    self.names[instruction.result] = self.constant(type_, value, instruction.span)
                else:
                    kept.append(instruction)
            self.blocks[block] = kept
        self.settle()


def renumbered(function: Function, blocks: Sequence[BasicBlock], types: Sequence[Type]) -> Function:
    """`function` with these blocks, with the records of its variables dropped; it is well formed."""
    frames = tuple(replace(frame, arguments=(), block=None) for frame in function.frames)
    whole = replace(function, blocks=tuple(blocks), types=tuple(types), definitions=(), expressions=(), frames=frames)
    draft = Draft(whole)
    draft.changed = True
    return draft.finish()


def _preorder(control: ControlFlow) -> tuple[BasicBlockId, ...]:
    """The blocks in preorder of the dominator tree, children in the order of the function."""
    children: dict[BasicBlockId, list[BasicBlockId]] = {block: [] for block in control.order}
    for block in control.order:
        above = control.immediate_dominator(block)
        if above is not None:
            children[above].append(block)
    found: list[BasicBlockId] = []
    waiting = [ENTRY]
    while waiting:
        block = waiting.pop()
        found.append(block)
        waiting += reversed(children[block])
    return tuple(found)
