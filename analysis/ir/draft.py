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
from typing import assert_never, cast, final

from analysis.ir.control_flow import block_order, predecessors
from analysis.ir.deferred import Deferred
from analysis.ir.function import BasicBlock, Definition, Expression, Frame, Function, Parameter, Symbol, SymbolKind
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
from analysis.ir.pace import paced
from analysis.ir.source import Span
from analysis.ir.types import VOID, Type

_GONE = ValueId(-1)
"""The new number of a value that nobody needs any more."""


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
        self.instructions: list[Sequence[Instruction]] = [block.instructions for block in function.blocks]
        self.phis: list[list[PhiDraft]] = [[] for _ in function.blocks]
        self.replaced: dict[ValueId, ValueId] = {}
        self.changed = len(self.order) != len(function.blocks)
        for index in self.order:
            for phi in function.blocks[index].phis:
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

    def settle(self) -> None:
        """Makes `replaced` lead from each value to the one that stands for it now, in one step."""
        replaced = self.replaced
        for value, by in replaced.items():
            if by in replaced:
                replaced[value] = self.find(by)

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
        self._keeps_numbers = len(draft.function.frames) > 1
        self._types: list[Type] = []
        self._values: list[ValueId] = self._numbered_values()
        self._symbol_ids, self._symbols = self._kept_symbols()

    def function(self) -> Function:
        source = self._source
        if len(self._block_ids) == len(source.blocks):
            terminators = [block.terminator for block in source.blocks]
        else:
            terminators = [with_targets(source.blocks[old].terminator, self._block_ids) for old in self._kept_blocks]
        blocks = tuple(
            BasicBlock(self._phis(old), self._instructions(old), with_operands(terminator, self._values))
            for old, terminator in zip(self._kept_blocks, terminators, strict=True)
        )
        return replace(
            source,
            blocks=blocks,
            types=tuple(self._types),
            symbols=self._symbols,
            parameters=tuple(Parameter(self._values[p.value], p.name, p.span) for p in source.parameters),
            definitions=self._definitions(),
            expressions=self._expressions(),
            frames=tuple([self._frame(frame) for frame in source.frames]),
        )

    def _frame(self, frame: Frame) -> Frame:
        if frame.block is None:
            return frame
        arguments = (None if value is None else self._values[value] for value in frame.arguments)
        return Frame(
            frame.function,
            frame.parent,
            frame.call,
            frame.value_base,
            frame.branch_base,
            frame.variable_base,
            tuple([None if value is None or value == _GONE else value for value in arguments]),
            self._block_ids.get(frame.block),
        )

    def _numbered_values(self) -> list[ValueId]:
        """The new id of every old value, replacements included; `_GONE` for what is gone."""
        draft = self._draft
        replaced = draft.replaced
        defined: list[ValueId] = [parameter.value for parameter in self._source.parameters]
        for index in self._kept_blocks:
            defined += [phi.result for phi in draft.phis[index] if phi.result not in replaced]
            defined += [
                result
                for instruction in paced(draft.instructions[index])
                if (result := instruction.result) is not None and result not in replaced
            ]
        values = [_GONE] * len(draft.types)
        if self._keeps_numbers:
            self._types = [VOID] * len(draft.types)
            for value in defined:
                values[value] = value
                self._types[value] = draft.types[value]
        else:
            self._types = [draft.types[value] for value in defined]
            for number, value in enumerate(defined):
                values[value] = cast("ValueId", number)  # a call of `ValueId` for each is the half of it
        for value, by in replaced.items():
            values[value] = values[draft.find(by) if by in replaced else by]
        return values

    def _kept_symbols(self) -> tuple[dict[SymbolId, SymbolId], tuple[Symbol, ...]]:
        """Drops the LOCAL symbols that nothing mentions any more."""
        draft, symbols = self._draft, self._source.symbols
        if not any(symbol.kind is SymbolKind.LOCAL for symbol in symbols):
            return {SymbolId(index): SymbolId(index) for index in range(len(symbols))}, symbols
        used = {
            instruction.symbol
            for index in self._kept_blocks
            for instruction in draft.instructions[index]
            if type(instruction) is SymbolAddress and instruction.result not in draft.replaced
        }
        kept = [index for index, symbol in enumerate(symbols) if symbol.kind is not SymbolKind.LOCAL or index in used]
        ids = {SymbolId(old): SymbolId(new) for new, old in enumerate(kept)}
        return ids, tuple([symbols[index] for index in kept])

    def _phis(self, block: int) -> tuple[Phi, ...]:
        values, blocks, replaced = self._values, self._block_ids, self._draft.replaced
        if not self._draft.phis[block]:
            return ()
        return tuple(
            [
                Phi(
                    values[phi.result],
                    tuple(zip(map(blocks.__getitem__, phi.blocks), map(values.__getitem__, phi.values), strict=True)),
                    phi.span,
                )
                for phi in self._draft.phis[block]
                if phi.result not in replaced
            ]
        )

    def _instructions(self, block: int) -> tuple[Instruction, ...]:
        values, replaced = self._values, self._draft.replaced
        rebuilt: list[Instruction] = []
        append = rebuilt.append
        for instruction in paced(self._draft.instructions[block]):
            if instruction.result in replaced:
                continue
            if type(instruction) is SymbolAddress:
                symbol = self._symbol_ids[instruction.symbol]
                append(SymbolAddress(values[instruction.result], symbol, instruction.span))
            elif self._keeps_numbers and replaced.keys().isdisjoint(instruction.operands):
                append(instruction)
            else:
                append(instruction.renamed(values, instruction.span))
        return tuple(rebuilt)

    def _definitions(self) -> tuple[Definition, ...]:
        values = self._values
        return tuple(
            [
                Definition(record.variable, values[record.value], record.span)
                for record in paced(self._source.definitions)
                if values[record.value] != _GONE
            ]
        )

    def _expressions(self) -> Sequence[Expression]:
        values, records = self._values, self._source.expressions
        return Deferred(
            lambda: tuple(
                [
                    Expression(record.span, values[record.value])
                    for record in paced(records)
                    if values[record.value] != _GONE
                ]
            )
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


def with_operands(terminator: Terminator, names: Sequence[ValueId]) -> Terminator:
    """The terminator with `names[v]` for each value `v` that it reads."""
    match terminator:
        case Jump() | Trap():
            return terminator
        case Branch(condition=condition, if_true=if_true, if_false=if_false, branch=branch, span=span):
            return Branch(names[condition], if_true, if_false, branch, span)
        case Switch(value=value, cases=cases, default=default, branch=branch, span=span):
            return Switch(names[value], cases, default, branch, span)
        case Return(value=value, span=span):
            return terminator if value is None else Return(names[value], span)
        case _:
            assert_never(terminator)
