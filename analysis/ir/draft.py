"""A function taken apart for rewriting: passes change it in place, `finish` puts it together once.

Values are not renamed while a pass works.  `replaced` says which value stands for which other one now, and every
instruction is rebuilt at most once, at the end, however many passes touched its operands.

Invariants
1. `replaced` has no cycles; a replaced value's definition is dropped by `finish`.
2. Only blocks that the entry reaches are in `order`; the others are dropped by `finish`.
3. Value ids are renumbered densely, in order of appearance, unless bodies were inlined: the frames of inlined bodies
   refer to value ids, so there a value that vanished leaves a hole, an id without definition, of type void.

Cost    O(instructions); about one microsecond for each instruction that survives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import assert_never, final

from analysis.ir.control_flow import block_order, predecessors
from analysis.ir.function import BasicBlock, Definition, Expression, Function, Parameter, Symbol, SymbolKind
from analysis.ir.instructions import (
    BasicBlockId,
    Branch,
    Instruction,
    Jump,
    Phi,
    Return,
    Switch,
    SwitchCase,
    SymbolAddress,
    SymbolId,
    Terminator,
    Trap,
    ValueId,
)
from analysis.ir.source import Span
from analysis.ir.types import VOID, Type


@final
@dataclass(slots=True)
class PhiDraft:
    """A phi whose inputs may still change; `blocks` and `values` run in parallel."""

    result: ValueId
    blocks: list[int]
    values: list[ValueId]
    span: Span


@final
class Draft:
    """The mutable parts of `function`; what is not mentioned here is taken from `function` at the end."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.order = block_order(function.blocks)
        self.before = predecessors(function.blocks, self.order)
        self.types: list[Type] = list(function.types)
        self.instructions: list[list[Instruction]] = [[] for _ in function.blocks]
        self.phis: list[list[PhiDraft]] = [[] for _ in function.blocks]
        self.replaced: dict[ValueId, ValueId] = {}
        self.changed = len(self.order) != len(function.blocks)
        for index in self.order:
            block = function.blocks[index]
            self.instructions[index] = list(block.instructions)
            for phi in block.phis:
                self.phis[index].append(self._draft_of(phi, self.before[index]))

    def value(self, type: Type) -> ValueId:
        self.types.append(type)
        return ValueId(len(self.types) - 1)

    def find(self, value: ValueId) -> ValueId:
        """The value that stands for `value` now."""
        replaced = self.replaced
        while value in replaced:
            value = replaced[value]
        return value

    def replace(self, value: ValueId, by: ValueId) -> None:
        self.replaced[value] = by
        self.changed = True

    def finish(self) -> Function:
        """The function as it stands now; the one given where nothing changed."""
        return _Assembly(self).function() if self.changed else self.function

    def _draft_of(self, phi: Phi, before: Sequence[int]) -> PhiDraft:
        incoming = phi.incoming
        if len(before) != len(incoming):
            incoming = tuple(entry for entry in incoming if entry[0] in before)
        return PhiDraft(phi.result, [block for block, _ in incoming], [value for _, value in incoming], phi.span)


@final
class _Assembly:
    """Renumbers values, blocks and symbols and rebuilds what they occur in."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._source = draft.function
        self._kept_blocks = sorted(draft.order)
        self._block_ids = {old: BasicBlockId(new) for new, old in enumerate(self._kept_blocks)}
        self._types: list[Type] = []
        self._values: list[ValueId | None] = self._numbered_values()
        self._symbol_ids, self._symbols = self._kept_symbols()

    def function(self) -> Function:
        source = self._source
        if len(self._block_ids) == len(source.blocks):
            terminators = [block.terminator for block in source.blocks]
        else:
            terminators = [with_targets(source.blocks[old].terminator, self._block_ids) for old in self._kept_blocks]
        blocks = tuple(
            BasicBlock(self._phis(old), self._instructions(old), self._terminator(terminator))
            for old, terminator in zip(self._kept_blocks, terminators, strict=True)
        )
        return replace(
            source,
            blocks=blocks,
            types=tuple(self._types),
            symbols=self._symbols,
            parameters=tuple(Parameter(self._value(p.value), p.name, p.span) for p in source.parameters),
            definitions=self._definitions(),
            expressions=self._expressions(),
        )

    def _value(self, value: ValueId) -> ValueId:
        number = self._values[value]
        assert number is not None
        return number

    def _numbered_values(self) -> list[ValueId | None]:
        """The new id of every old value, replacements included; None for what is gone."""
        draft = self._draft
        defined: list[ValueId] = [parameter.value for parameter in self._source.parameters]
        for index in self._kept_blocks:
            defined += [phi.result for phi in draft.phis[index] if phi.result not in draft.replaced]
            defined += [
                result
                for instruction in draft.instructions[index]
                if (result := instruction.result) is not None and result not in draft.replaced
            ]
        values: list[ValueId | None] = [None] * len(draft.types)
        if len(self._source.frames) > 1:
            self._types = [VOID] * len(draft.types)
            for value in defined:
                values[value] = value
                self._types[value] = draft.types[value]
        else:
            self._types = [draft.types[value] for value in defined]
            for number, value in enumerate(defined):
                values[value] = ValueId(number)
        for value in draft.replaced:
            values[value] = values[draft.find(value)]
        return values

    def _kept_symbols(self) -> tuple[dict[SymbolId, SymbolId], tuple[Symbol, ...]]:
        """Drops the LOCAL symbols that nothing mentions any more."""
        draft = self._draft
        used = {
            instruction.symbol
            for index in self._kept_blocks
            for instruction in draft.instructions[index]
            if type(instruction) is SymbolAddress and instruction.result not in draft.replaced
        }
        ids: dict[SymbolId, SymbolId] = {}
        kept: list[Symbol] = []
        for index, symbol in enumerate(self._source.symbols):
            if symbol.kind is not SymbolKind.LOCAL or index in used:
                ids[SymbolId(index)] = SymbolId(len(kept))
                kept.append(symbol)
        return ids, tuple(kept)

    def _phis(self, block: int) -> tuple[Phi, ...]:
        draft = self._draft
        return tuple(
            Phi(
                self._value(phi.result),
                tuple(
                    (self._block_ids[before], self._value(value))
                    for before, value in zip(phi.blocks, phi.values, strict=True)
                ),
                phi.span,
            )
            for phi in draft.phis[block]
            if phi.result not in draft.replaced
        )

    def _instructions(self, block: int) -> tuple[Instruction, ...]:
        values = self._values
        replaced = self._draft.replaced
        rebuilt: list[Instruction] = []
        append = rebuilt.append
        for instruction in self._draft.instructions[block]:
            result = instruction.result
            if result is not None and result in replaced:
                continue
            operands = instruction.operands
            renamed = [values[operand] for operand in operands]
            number = None if result is None else values[result]
            if type(instruction) is SymbolAddress:
                assert number is not None
                append(SymbolAddress(number, self._symbol_ids[instruction.symbol], instruction.span))
            elif number == result and renamed == [*operands]:
                append(instruction)
            else:
                # Only values that are kept are operands of instructions that are kept.
                append(instruction.rebuilt(number, renamed, instruction.span))  # pyright: ignore[reportArgumentType]
        return tuple(rebuilt)

    def _terminator(self, terminator: Terminator) -> Terminator:
        match terminator:
            case Jump() | Trap():
                return terminator
            case Branch(condition=condition, if_true=if_true, if_false=if_false, branch=branch, span=span):
                return Branch(self._value(condition), if_true, if_false, branch, span)
            case Switch(value=value, cases=cases, default=default, branch=branch, span=span):
                return Switch(self._value(value), cases, default, branch, span)
            case Return(value=value, span=span):
                return terminator if value is None else Return(self._value(value), span)
            case _:
                assert_never(terminator)

    def _definitions(self) -> tuple[Definition, ...]:
        values = self._values
        return tuple(
            Definition(record.variable, value, record.span)
            for record in self._source.definitions
            if (value := values[record.value]) is not None
        )

    def _expressions(self) -> tuple[Expression, ...]:
        values = self._values
        return tuple(
            Expression(record.span, value)
            for record in self._source.expressions
            if (value := values[record.value]) is not None
        )


def with_targets(terminator: Terminator, number: dict[int, BasicBlockId]) -> Terminator:
    """The terminator with its targets renumbered."""
    match terminator:
        case Jump(target=target, span=span):
            return Jump(number[target], span)
        case Branch(condition=condition, if_true=if_true, if_false=if_false, branch=branch, span=span):
            return Branch(condition, number[if_true], number[if_false], branch, span)
        case Switch(value=value, cases=cases, default=default, branch=branch, span=span):
            renumbered = tuple(SwitchCase(case.value, number[case.target]) for case in cases)
            return Switch(value, renumbered, number[default], branch, span)
        case Return() | Trap():
            return terminator
        case _:
            assert_never(terminator)
