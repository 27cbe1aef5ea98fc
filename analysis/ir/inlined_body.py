"""Copies bodies into one function: the mechanics of `inline`, without its decisions.

While bodies are copied, blocks have provisional numbers (their index in `_blocks`) and phis are postponed to the end of
their body, when it is known in which block each predecessor ended: a block with an inlined call may end somewhere else
than it began.  `finish` keeps the blocks that are reached, in the order in which they were begun.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, cast, final

from analysis.ir.control_flow import block_order
from analysis.ir.deferred import Deferred
from analysis.ir.draft import with_targets
from analysis.ir.function import (
    BasicBlock,
    Definition,
    Expression,
    Frame,
    Function,
    SourceBranch,
    Symbol,
    SymbolKind,
    Variable,
    VariableId,
    own_frame,
)
from analysis.ir.instructions import (
    BasicBlockId,
    Branch,
    Call,
    FunctionId,
    Instruction,
    Jump,
    Phi,
    Return,
    Select,
    SourceBranchId,
    Switch,
    SwitchCase,
    SymbolAddress,
    SymbolId,
    Terminator,
    Trap,
    Undefined,
    ValueId,
)
from analysis.ir.pace import paced, spend
from analysis.ir.source import FrameId, Span
from analysis.ir.types import VOID, StructLayout, Type

_COPIED_IN_A_ROUND: Final = 20
"""Instructions that stay as they are."""
CallHandler = Callable[["Inlining", Call, "OpenBlock"], "OpenBlock"]
"""Deals with a call (operands renamed) at the end of a block; returns the block in which the body goes on."""


@final
@dataclass(slots=True, eq=False)
class OpenBlock:
    """A block of the result; `terminator` is set when it ends."""

    id: BasicBlockId
    phis: list[Phi] = field(default_factory=list[Phi])
    instructions: list[Instruction] = field(default_factory=list[Instruction])
    terminator: Terminator | None = None


@final
@dataclass(slots=True)
class _Body:
    """How the names of one body translate: `frame_base + f`, `branch_base + b`, `names[v]`, and so on.

    `names` starts as `value_base + v`; an argument replaces its parameter, a returned value the call's result.
    """

    function: Function
    frame_base: int
    branch_base: int
    variable_base: int
    names: list[ValueId]
    symbols: Sequence[SymbolId]
    frames: Sequence[FrameId]
    is_callee: bool
    returns: list[tuple[OpenBlock, ValueId | None, Span]] = field(
        default_factory=list[tuple[OpenBlock, "ValueId | None", Span]]
    )
    spans: dict[int, Span] = field(default_factory=dict[int, Span])
    """What `span` answered, by identity: the instructions of one expression share one span object."""

    def span(self, span: Span) -> Span:
        """The same range in this body's frame."""
        if not self.is_callee:
            return span
        moved = self.spans.get(id(span))
        if moved is None:
            moved = self.spans[id(span)] = Span(span.start, span.end, self.frames[span.frame])
        return moved

    def branch(self, branch: SourceBranchId | None) -> SourceBranchId | None:
        return None if branch is None else SourceBranchId(self.branch_base + branch)

    def definitions(self, defined: bytearray) -> Iterator[Definition]:
        """The records of values that still exist."""
        names = self.names
        for record in self.function.definitions:
            value = names[record.value]
            if not defined[value]:
                continue
            if value == record.value and not self.is_callee:
                yield record
            else:
                yield Definition(VariableId(self.variable_base + record.variable), value, self.span(record.span))


@final
class Inlining:
    """The function under construction; `handle_call` decides about each call."""

    def __init__(self, caller: Function, handle_call: CallHandler) -> None:
        self._caller = caller
        self._handle_call = handle_call
        self._blocks: list[OpenBlock] = []
        self._types: list[Type] = list(caller.types)
        self._frames: list[Frame] = list(caller.frames or (own_frame(caller.id),))
        self._structs: dict[str, StructLayout] = dict(caller.structs)
        self._symbols: list[Symbol] = list(caller.symbols)
        self._branches: list[SourceBranch] = list(caller.branches)
        self._variables: list[Variable] = list(caller.variables)
        self._bodies: list[_Body] = []
        self._results: dict[ValueId, ValueId] = {}
        self._shared: dict[tuple[FunctionId, int], SymbolId] = {}
        self._named = {
            (symbol.kind, symbol.name): SymbolId(index)
            for index, symbol in enumerate(caller.symbols)
            if symbol.kind not in (SymbolKind.LOCAL, SymbolKind.SHARED)
        }

    def copy_caller(self) -> None:
        body = _Body(self._caller, 0, 0, 0, _ids(0, len(self._types)), (), (), is_callee=False)
        self._bodies.append(body)
        self._copy(body, self._open_block())

    def copy_callee(self, callee: Function, call: Call, block: OpenBlock) -> OpenBlock:
        """Appends the callee's body to `block`; returns the block in which the caller goes on."""
        body = self._enter(callee, call, block)
        for parameter, argument in zip(callee.parameters, call.arguments, strict=True):
            body.names[parameter.value] = argument
        self._copy(body, block)
        return self._leave(body, call)

    def finish(self) -> Function:
        kept = self._reached()
        ids: dict[int, BasicBlockId] | None = None
        if len(kept) < len(self._blocks):
            ids = {block.id: BasicBlockId(index) for index, block in enumerate(kept)}
        defined = self._defined(kept)
        numbers = {block.id: BasicBlockId(index) for index, block in enumerate(kept)}
        types = [type if defined[value] else VOID for value, type in enumerate(self._types)]
        return replace(
            self._caller,
            blocks=tuple(self._closed(block, ids) for block in kept),
            types=tuple(types),
            structs=self._structs,
            symbols=tuple(self._symbols),
            branches=tuple(self._branches),
            variables=tuple(self._variables),
            definitions=tuple(record for body in self._bodies for record in body.definitions(defined)),
            expressions=_expressions(self._bodies, defined),
            frames=tuple(_settled(frame, defined, numbers) for frame in self._frames),
        )

    # -- entering and leaving a body --------------------------------------------------------------------------

    def _enter(self, callee: Function, call: Call, block: OpenBlock) -> _Body:
        frame_base = len(self._frames)
        value_base = len(self._types)
        branch_base = len(self._branches)
        variable_base = len(self._variables)
        inner = callee.frames or (own_frame(callee.id),)
        frames = [FrameId(frame_base + index) for index in range(len(inner))]
        for index, frame in enumerate(inner):
            self._frames.append(
                Frame(
                    frame.function,
                    frames[frame.parent] if index else call.span.frame,
                    Span(frame.call.start, frame.call.end, frames[frame.call.frame]) if index else call.span,
                    value_base + frame.value_base,
                    branch_base + frame.branch_base,
                    variable_base + frame.variable_base,
                    () if index else call.arguments,
                    None if index else block.id,
                )
            )
        self._types += callee.types
        for name, layout in callee.structs.items():
            self._structs.setdefault(name, layout)
        symbols = [self._symbol_for(callee, index, symbol, frames) for index, symbol in enumerate(callee.symbols)]
        names = _ids(value_base, len(callee.types))
        body = _Body(callee, frame_base, branch_base, variable_base, names, symbols, frames, is_callee=True)
        self._bodies.append(body)
        self._branches += [
            SourceBranch(branch.kind, body.span(branch.keyword), body.span(branch.extent)) for branch in callee.branches
        ]
        self._variables += [Variable(v.name, v.type, body.span(v.span)) for v in callee.variables]
        return body

    def _symbol_for(self, callee: Function, index: int, symbol: Symbol, frames: Sequence[FrameId]) -> SymbolId:
        match symbol.kind:
            case SymbolKind.LOCAL:
                known = None
            case SymbolKind.SHARED:
                known = self._shared.get((callee.id, index))
            case SymbolKind.DYNAMIC_SHARED | SymbolKind.GLOBAL | SymbolKind.CONSTANT | SymbolKind.TEXTURE:
                known = self._named.get((symbol.kind, symbol.name))
        if known is not None:
            return known
        id = SymbolId(len(self._symbols))
        span = Span(symbol.span.start, symbol.span.end, frames[symbol.span.frame])
        self._symbols.append(Symbol(symbol.name, symbol.kind, symbol.type, span))
        if symbol.kind is SymbolKind.SHARED:
            self._shared[(callee.id, index)] = id
        elif symbol.kind is not SymbolKind.LOCAL:
            self._named[(symbol.kind, symbol.name)] = id
        return id

    def _leave(self, body: _Body, call: Call) -> OpenBlock:
        """Joins the callee's returns; the call's result becomes what they return."""
        if len(body.returns) == 1:
            block, value, span = body.returns[0]
            if call.result is not None:
                self._results[call.result] = self._returned(block, value, call.result, span)
            return block
        after = self._open_block()
        incoming: list[tuple[BasicBlockId, ValueId]] = []
        for block, value, span in body.returns:
            if call.result is not None:
                incoming.append((block.id, self._returned(block, value, call.result, span)))
            block.terminator = Jump(after.id, span)
        if call.result is not None and incoming:
            values = {value for _, value in incoming}
            if len(values) == 1:
                self._results[call.result] = values.pop()
            else:
                after.phis.append(Phi(call.result, tuple(incoming), call.span))
        return after

    def _returned(self, block: OpenBlock, value: ValueId | None, result: ValueId, span: Span) -> ValueId:
        """`value`, or an undefined value where the callee forgets to return one."""
        if value is not None:
            return value
        undefined = ValueId(len(self._types))
        self._types.append(self._types[result])
        block.instructions.append(Undefined(undefined, span))
        return undefined

    # -- copying ----------------------------------------------------------------------------------------------

    def _copy(self, body: _Body, entry: OpenBlock) -> None:
        """Copies all blocks; the body's entry continues `entry`."""
        source = body.function.blocks
        begun: dict[int, OpenBlock] = {}
        ended: dict[int, OpenBlock] = {}
        for index in block_order(source):
            # Definitions come before uses, so a call's result is known when it is read; only phis must wait.
            begun[index] = self._open_block() if index else entry
            ended[index] = self._copy_instructions(body, source[index].instructions, begun[index])
        starts = {index: block.id for index, block in begun.items()}
        names = body.names
        for index, block in begun.items():
            for phi in source[index].phis:
                incoming = tuple((ended[before].id, names[value]) for before, value in phi.incoming if before in ended)
                block.phis.append(Phi(names[phi.result], incoming, body.span(phi.span)))
            self._terminate(body, ended[index], source[index].terminator, starts)

    def _copy_instructions(self, body: _Body, instructions: Sequence[Instruction], block: OpenBlock) -> OpenBlock:
        names, results = body.names, self._results
        if not body.is_callee and not results and Call not in set(map(type, instructions)):
            spend(len(instructions) // _COPIED_IN_A_ROUND)
            block.instructions += instructions
            return block
        frames, spans, is_callee, returned = body.frames, body.spans, body.is_callee, results.keys()
        append = block.instructions.append
        for instruction in paced(instructions, 3):
            if type(instruction) is Call:
                block = self._copy_call(body, instruction, block)
                append = block.instructions.append
            elif not is_callee:
                is_same = returned.isdisjoint(instruction.operands)
                append(instruction if is_same else instruction.renamed(names, instruction.span))
            else:
                own = instruction.span
                span = spans.get(id(own))
                if span is None:  # not `body.span`: a call for each instruction is a tenth of the copying
                    span = spans[id(own)] = Span(own.start, own.end, frames[own.frame])
                if type(instruction) is SymbolAddress:
                    append(SymbolAddress(names[instruction.result], body.symbols[instruction.symbol], span))
                elif type(instruction) is Select and instruction.branch is not None:
                    append(replace(instruction.renamed(names, span), branch=body.branch(instruction.branch)))
                else:
                    append(instruction.renamed(names, span))
        return block

    def _copy_call(self, body: _Body, call: Call, block: OpenBlock) -> OpenBlock:
        renamed = call.renamed(body.names, body.span(call.span))
        after = self._handle_call(self, renamed, block)
        if call.result is not None and renamed.result is not None:
            body.names[call.result] = self._results.get(renamed.result, renamed.result)
        return after

    def _terminate(
        self, body: _Body, block: OpenBlock, terminator: Terminator, number: Mapping[int, BasicBlockId]
    ) -> None:
        span, names = body.span(terminator.span), body.names
        match terminator:
            case Jump(target=target):
                block.terminator = Jump(number[target], span)
            case Branch(condition=condition, if_true=if_true, if_false=if_false, branch=branch):
                targets = number[if_true], number[if_false]
                block.terminator = Branch(names[condition], *targets, body.branch(branch), span)
            case Switch(value=value, cases=cases, default=default, branch=branch):
                renumbered = tuple([SwitchCase(case.value, number[case.target]) for case in cases])
                block.terminator = Switch(names[value], renumbered, number[default], body.branch(branch), span)
            case Return(value=value):
                returned = None if value is None else names[value]
                if body.is_callee:
                    body.returns.append((block, returned, span))
                else:
                    block.terminator = Return(returned, span)
            case Trap():
                block.terminator = Trap(span)

    # -- the end ----------------------------------------------------------------------------------------------

    def _open_block(self) -> OpenBlock:
        block = OpenBlock(BasicBlockId(len(self._blocks)))
        self._blocks.append(block)
        return block

    def _reached(self) -> list[OpenBlock]:
        """The blocks that the entry reaches; a callee that never returns leaves the rest of its caller unreached."""
        seen = {BasicBlockId(0)}
        pending = [self._blocks[0]]
        while pending:
            terminator = pending.pop().terminator
            # A block after a call that never returns stays open; nothing reaches it.
            assert terminator is not None
            for successor in terminator.successors:
                if successor not in seen:
                    seen.add(successor)
                    pending.append(self._blocks[successor])
        return [block for block in self._blocks if block.id in seen]

    def _defined(self, kept: Sequence[OpenBlock]) -> bytearray:
        defined = bytearray(len(self._types))
        for parameter in self._caller.parameters:
            defined[parameter.value] = 1
        for block in kept:
            for phi in block.phis:
                defined[phi.result] = 1
            for instruction in block.instructions:
                if instruction.result is not None:
                    defined[instruction.result] = 1
        return defined

    def _closed(self, block: OpenBlock, ids: dict[int, BasicBlockId] | None) -> BasicBlock:
        """The block with its final number (None: all keep theirs) in place of the provisional one."""
        assert block.terminator is not None
        if ids is None:
            return BasicBlock(tuple(block.phis), tuple(block.instructions), block.terminator)
        phis = tuple(
            Phi(phi.result, tuple((ids[b], value) for b, value in phi.incoming if b in ids), phi.span)
            for phi in block.phis
        )
        return BasicBlock(phis, tuple(block.instructions), with_targets(block.terminator, ids))


def _settled(frame: Frame, defined: bytearray, numbers: Mapping[BasicBlockId, BasicBlockId]) -> Frame:
    """With the final number of its block."""
    if frame.block is None:
        return frame
    arguments = tuple(None if value is None or not defined[value] else value for value in frame.arguments)
    block = numbers.get(frame.block)
    bases = frame.value_base, frame.branch_base, frame.variable_base
    return Frame(frame.function, frame.parent, frame.call, *bases, arguments, block)


def _ids(first: int, count: int) -> list[ValueId]:
    return cast("list[ValueId]", [*range(first, first + count)])  # a call of `ValueId` for each is the half of a copy


def _expressions(bodies: Sequence[_Body], defined: bytearray) -> Sequence[Expression]:
    """The records of values that still exist, in all bodies."""
    parts = [(body.function.expressions, body.names, body.frames) for body in bodies]

    def moved() -> Iterator[Expression]:
        for records, names, frames in parts:
            for record in records:
                value, span = names[record.value], record.span
                if defined[value]:
                    yield Expression(Span(span.start, span.end, frames[span.frame]) if frames else span, value)

    return Deferred(lambda: tuple(moved()))
