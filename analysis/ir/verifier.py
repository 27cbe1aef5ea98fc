"""Is a function well formed?

Invariants
 1. There is a block; the entry (block 0) has no predecessors and no phis; every block is reached from the entry.
 2. Every target of a terminator is a block.
 3. A value is defined at most once, by a parameter, a phi or an instruction, and its id is an index into `types`.
 4. Ids are dense: an id without a definition (a hole) occurs only where bodies were inlined, and has type void.
 5. A definition dominates its uses; a phi uses its inputs at the end of the predecessor they come from.
 6. A phi has exactly one input for each predecessor, and is not its own only input.
 7. Operands and results have the types that their instruction asks for (see `type_rules`).
 8. Symbols, source branches, variables and frames that are mentioned exist; records name values that are defined.
 9. A span starts before it ends; its frame exists.
10. Frame 0 is the function itself; every other frame has an earlier parent, its call lies in the parent, and its bases
    are within the function's tables.
11. A struct layout stands under its own name.

Errors carry location, context and message.  With a broken control-flow graph (1, 2) or a value defined twice (3) the
later checks are skipped: their answers would be noise.

Cost    O(instructions + blocks), plus the dominators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import final

from analysis.ir.control_flow import block_order, immediate_dominators, predecessors
from analysis.ir.function import Function, own_frame
from analysis.ir.instructions import (
    Branch,
    Phi,
    Select,
    SourceBranchId,
    Switch,
    SymbolAddress,
    ValueId,
)
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.type_rules import instruction_complaints, phi_complaints, terminator_complaints
from analysis.ir.types import VoidType

_END = 1 << 60
"""The position of a terminator, and of a phi's use in its predecessor."""


@final
@record
class VerifierError:
    """`location` is `block3:2` (the third instruction), `block3:phi0`, `block3:end` or the name of a table."""

    location: str
    context: str
    message: str


def verify(function: Function) -> tuple[VerifierError, ...]:
    """Everything that is wrong with `function`; empty when it is well formed."""
    verifier = _Verifier(function)
    verifier.run()
    return tuple(verifier.errors)


@final
@record
class _Definition:
    block: int
    position: int


@final
class _Verifier:
    def __init__(self, function: Function) -> None:
        self._function = function
        self.errors: list[VerifierError] = []
        self._definitions: dict[ValueId, _Definition] = {}
        self._before: list[list[int]] = []

    def run(self) -> None:
        self._layouts()
        self._frames()
        self._spans_and_branches()
        if not self._blocks() or not self._single_definitions():
            return
        self._holes()
        self._records_are_defined()
        self._types()
        self._dominance()

    def _error(self, location: str, context: object, message: str) -> None:
        self.errors.append(VerifierError(location, str(context), message))

    # -- control flow ---------------------------------------------------------------------------------------------

    def _blocks(self) -> bool:
        blocks = self._function.blocks
        if not blocks:
            self._error("blocks", self._function.id, "there is no block")
            return False
        count = len(self.errors)
        for index, block in enumerate(blocks):
            for target in block.terminator.successors:
                if not 0 <= target < len(blocks):
                    self._error(f"block{index}:end", block.terminator, f"block{target} does not exist")
        if len(self.errors) > count:
            return False
        order = block_order(blocks)
        self._before = predecessors(blocks, order)
        for index in sorted(set(range(len(blocks))) - set(order)):
            self._error(f"block{index}", "", "the entry does not reach this block")
        if self._before[0]:
            self._error("block0", self._before[0], "the entry has predecessors")
        if blocks[0].phis:
            self._error("block0", blocks[0].phis[0], "the entry has phis")
        return len(self.errors) == count

    # -- values ---------------------------------------------------------------------------------------------------

    def _single_definitions(self) -> bool:
        count = len(self.errors)
        for parameter in self._function.parameters:
            self._define(parameter.value, 0, -2, "parameters", parameter)
        for index, block in enumerate(self._function.blocks):
            for number, phi in enumerate(block.phis):
                self._define(phi.result, index, -1, f"block{index}:phi{number}", phi)
            for number, instruction in enumerate(block.instructions):
                if instruction.result is not None:
                    self._define(instruction.result, index, number, f"block{index}:{number}", instruction)
        return len(self.errors) == count

    def _define(self, value: ValueId, block: int, position: int, location: str, context: object) -> None:
        if not 0 <= value < len(self._function.types):
            self._error(location, context, f"%{value} has no type")
        elif value in self._definitions:
            self._error(location, context, f"%{value} is defined twice")
        self._definitions[value] = _Definition(block, position)

    def _holes(self) -> None:
        has_inlined = len(self._function.frames) > 1
        for value, type in enumerate(self._function.types):
            if ValueId(value) in self._definitions:
                continue
            if not has_inlined:
                self._error("types", type, f"%{value} is not defined")
            elif not isinstance(type, VoidType):
                self._error("types", type, f"%{value} is not defined but has a type")

    def _dominance(self) -> None:
        dominators = immediate_dominators(block_order(self._function.blocks), self._before)
        enter, leave = _intervals(dominators)

        def is_available(value: ValueId, block: int, position: int) -> bool:
            definition = self._definitions.get(value)
            if definition is None:
                return False
            if definition.block == block:
                return definition.position < position
            outer = definition.block
            return enter[outer] <= enter[block] and leave[block] <= leave[outer]

        for index, block in enumerate(self._function.blocks):
            for number, phi in enumerate(block.phis):
                self._phi(f"block{index}:phi{number}", index, phi, is_available)
            for number, instruction in enumerate(block.instructions):
                for value in instruction.operands:
                    if not is_available(value, index, number):
                        self._error(f"block{index}:{number}", instruction, f"%{value} is not available here")
            for value in block.terminator.operands:
                if not is_available(value, index, _END):
                    self._error(f"block{index}:end", block.terminator, f"%{value} is not available here")

    def _phi(self, location: str, block: int, phi: Phi, is_available: Callable[[ValueId, int, int], bool]) -> None:
        sources = [int(source) for source, _ in phi.incoming]
        if sorted(sources) != self._before[block]:
            self._error(location, phi, f"the predecessors are {self._before[block]}")
            return
        if all(value == phi.result for value in phi.operands):
            self._error(location, phi, "a phi without any value but its own")
        for source, value in phi.incoming:
            if not is_available(value, source, _END):
                self._error(location, phi, f"%{value} is not available at the end of block{source}")

    # -- types and tables -------------------------------------------------------------------------------------------

    def _types(self) -> None:
        """Only where all operands have types: what they lack in is reported already."""
        function = self._function
        for index, block in enumerate(function.blocks):
            for number, phi in enumerate(block.phis):
                if self._is_typed(phi.operands):
                    self._complain(f"block{index}:phi{number}", phi, phi_complaints(function, phi))
            for number, instruction in enumerate(block.instructions):
                if isinstance(instruction, SymbolAddress) and not 0 <= instruction.symbol < len(function.symbols):
                    self._error(f"block{index}:{number}", instruction, f"${instruction.symbol} does not exist")
                elif self._is_typed(instruction.operands):
                    complaints = instruction_complaints(function, instruction)
                    self._complain(f"block{index}:{number}", instruction, complaints)
            if self._is_typed(block.terminator.operands):
                complaints = terminator_complaints(function, block.terminator)
                self._complain(f"block{index}:end", block.terminator, complaints)

    def _is_typed(self, values: Iterable[ValueId]) -> bool:
        return all(0 <= value < len(self._function.types) for value in values)

    def _complain(self, location: str, context: object, complaints: Iterable[str]) -> None:
        for message in complaints:
            self._error(location, context, message)

    def _spans_and_branches(self) -> None:
        function = self._function
        for index, block in enumerate(function.blocks):
            for number, phi in enumerate(block.phis):
                self._span(f"block{index}:phi{number}", phi.span)
            for number, instruction in enumerate(block.instructions):
                self._span(f"block{index}:{number}", instruction.span)
                if isinstance(instruction, Select):
                    self._branch(f"block{index}:{number}", instruction.branch)
            self._span(f"block{index}:end", block.terminator.span)
            if isinstance(block.terminator, (Branch, Switch)):
                self._branch(f"block{index}:end", block.terminator.branch)
        for parameter in function.parameters:
            self._span("parameters", parameter.span)
        for symbol in function.symbols:
            self._span("symbols", symbol.span)
        for branch in function.branches:
            self._span("branches", branch.keyword)
            self._span("branches", branch.extent)
        for variable in function.variables:
            self._span("variables", variable.span)
        for definition in function.definitions:
            self._span("definitions", definition.span)
            if not 0 <= definition.variable < len(function.variables):
                self._error("definitions", definition, f"variable #{definition.variable} does not exist")
        for expression in function.expressions:
            self._span("expressions", expression.span)

    def _records_are_defined(self) -> None:
        for definition in self._function.definitions:
            if definition.value not in self._definitions:
                self._error("definitions", definition, f"%{definition.value} is not defined")
        for expression in self._function.expressions:
            if expression.value not in self._definitions:
                self._error("expressions", expression, f"%{expression.value} is not defined")

    def _span(self, location: str, span: Span) -> None:
        if not 0 <= span.start <= span.end:
            self._error(location, span, "the span ends before it starts")
        if not 0 <= span.frame < len(self._function.frames):
            self._error(location, span, f"frame {span.frame} does not exist")

    def _branch(self, location: str, branch: SourceBranchId | None) -> None:
        if branch is not None and not 0 <= branch < len(self._function.branches):
            self._error(location, branch, f"!{branch} does not exist")

    def _frames(self) -> None:
        function = self._function
        if not function.frames or function.frames[0] != own_frame(function.id):
            self._error("frames", function.frames[:1], "frame 0 is not the function itself")
        limits = (len(function.types), len(function.branches), len(function.variables))
        for index, frame in enumerate(function.frames[1:], 1):
            if not 0 <= frame.parent < index:
                self._error("frames", frame, "the parent is not an earlier frame")
            if frame.call.frame != frame.parent:
                self._error("frames", frame, "the call does not lie in the parent")
            bases = (frame.value_base, frame.branch_base, frame.variable_base)
            if any(not 0 <= base <= limit for base, limit in zip(bases, limits, strict=True)):
                self._error("frames", frame, "a base lies outside its table")
            self._span("frames", frame.call)

    def _layouts(self) -> None:
        for name, layout in self._function.structs.items():
            if layout.name != name:
                self._error("structs", layout, f"the layout stands under {name!r}")


def _intervals(dominators: list[int]) -> tuple[list[int], list[int]]:
    """When a walk over the dominator tree enters and leaves each block: ancestors enclose descendants."""
    children: list[list[int]] = [[] for _ in dominators]
    for block, dominator in enumerate(dominators):
        if block != dominator:
            children[dominator].append(block)
    enter, leave = [0] * len(dominators), [0] * len(dominators)
    clock = 0
    stack = [(0, False)]
    while stack:
        block, is_done = stack.pop()
        clock += 1
        if is_done:
            leave[block] = clock
            continue
        enter[block] = clock
        stack.append((block, True))
        stack.extend((child, False) for child in children[block])
    return enter, leave
