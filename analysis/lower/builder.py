"""Builds one function block by block: the only place in `lower/` that creates value ids and appends instructions.

Variables live in symbols: a declaration makes a LOCAL symbol, a use loads it, an assignment stores it.
`analysis.ir.promote` turns symbols whose address does not escape into SSA values afterwards, so that lowering
never thinks about phis.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, assert_never, final

from analysis.ir.function import (
    BasicBlock,
    Definition,
    Expression,
    Function,
    FunctionKind,
    Parameter,
    SourceBranch,
    Symbol,
    SymbolKind,
    Variable,
    VariableId,
    own_frame,
)
from analysis.ir.instructions import (
    BasicBlockId,
    Binary,
    Bitcast,
    Branch,
    Compare,
    Constant,
    Convert,
    ElementAddress,
    ExtractElement,
    FieldAddress,
    FunctionId,
    Instruction,
    Jump,
    Load,
    Math,
    Opaque,
    ReadSpecial,
    Return,
    SourceBranchId,
    Store,
    Switch,
    SwitchCase,
    SymbolAddress,
    SymbolId,
    Terminator,
    Trap,
    Unary,
    Undefined,
    ValueId,
)
from analysis.ir.operators import BinaryOperator, CompareOperator, MathFunction, SpecialRegister, UnaryOperator
from analysis.ir.pace import paced, spend
from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.ir.types import BOOLEAN, U32, MemorySpace, PointerType, StructLayout, Type

SYMBOL_SPACE: Mapping[SymbolKind, MemorySpace] = {
    SymbolKind.LOCAL: MemorySpace.LOCAL,
    SymbolKind.SHARED: MemorySpace.SHARED,
    SymbolKind.DYNAMIC_SHARED: MemorySpace.SHARED,
    SymbolKind.GLOBAL: MemorySpace.GLOBAL,
    SymbolKind.CONSTANT: MemorySpace.CONSTANT,
    SymbolKind.TEXTURE: MemorySpace.CONSTANT,
}


MAX_VALUES: Final = 150_000
"""Of one function in memory form, about 16,000 lines.  A larger one is not analysed: a few seconds would not do."""


VALUES_AT_ONCE: Final = 50
ROUNDS_OF_VALUES: Final = 4 * VALUES_AT_ONCE
"""Of `analysis.ir.pace`.  One statement may have any number of values: the initialiser of a table."""


class FunctionTooLarge(Exception):
    """The function that is lowered has more than `MAX_VALUES` values."""


@final
@record
class Mark:
    """A point while a function is built: the current block, and how many there were."""

    block: BasicBlockId
    blocks: int


@final
class _OpenBlock:
    __slots__ = ("instructions", "terminator")

    def __init__(self) -> None:
        self.instructions: list[Instruction] = []
        self.terminator: Terminator | None = None


@final
class FunctionBuilder:
    """Appends to the *current* block; `span` arguments are the source text an instruction stands for."""

    def __init__(self) -> None:
        self.types: list[Type] = []
        self.symbols: list[Symbol] = []
        self.branches: list[SourceBranch] = []
        self.variables: list[Variable] = []
        self.definitions: list[Definition] = []
        self.expressions: list[Expression] = []
        self.parameters: list[Parameter] = []
        self.structs: dict[str, StructLayout] = {}
        self._blocks: list[_OpenBlock] = [_OpenBlock()]
        self._current = BasicBlockId(0)
        self._open = self._blocks[0]
        self._addresses: dict[SymbolId, ValueId] = {}

    # -- blocks -----------------------------------------------------------------------------------------------

    @property
    def current(self) -> BasicBlockId:
        return self._current

    def new_block(self) -> BasicBlockId:
        self._blocks.append(_OpenBlock())
        return BasicBlockId(len(self._blocks) - 1)

    def mark(self) -> Mark:
        """This point, for `redirect`."""
        return Mark(self._current, len(self._blocks))

    def redirect(self, mark: Mark, target: BasicBlockId) -> BasicBlockId:
        """A new block that all jumps to `target` now go to that were built since `mark`."""
        landing = self.new_block()
        number = {index: BasicBlockId(index) for index in range(len(self._blocks))} | {int(target): landing}
        for index in paced((mark.block, *range(mark.blocks, landing))):
            terminator = self._blocks[index].terminator
            if terminator is not None:
                self._blocks[index].terminator = _renumbered(terminator, number)
        return landing

    def continue_in(self, block: BasicBlockId) -> None:
        """Makes `block` current; the block before must have been terminated."""
        self._current = block
        self._open = self._blocks[block]

    @property
    def is_terminated(self) -> bool:
        """True after `return`, `break` and the like: what follows is unreachable until the next `continue_in`."""
        return self._open.terminator is not None

    def terminate(self, terminator: Terminator) -> None:
        """Ends the current block; ignored where it has already ended (dead code after `return`)."""
        if self._open.terminator is None:
            self._open.terminator = terminator

    def jump(self, target: BasicBlockId, span: Span) -> None:
        self.terminate(Jump(target, span))

    # -- values -----------------------------------------------------------------------------------------------

    def value(self, type: Type) -> ValueId:
        """A fresh value id of that type; the caller emits the instruction that defines it.

        Raises FunctionTooLarge behind the last value that a function may have.
        """
        types = self.types
        count = len(types)
        if count >= MAX_VALUES:
            raise FunctionTooLarge
        if not count % VALUES_AT_ONCE:
            spend(ROUNDS_OF_VALUES)
        types.append(type)
        return ValueId(count)

    def type_of(self, value: ValueId) -> Type:
        return self.types[value]

    def emit(self, instruction: Instruction) -> None:
        """Appends to the current block; dropped where the block has already ended."""
        if self._open.terminator is None:
            self._open.instructions.append(instruction)
        elif instruction.result is not None:
            # Dead code may still be read by later dead code: give the value a definition in a block of its own.
            self.continue_in(self.new_block())
            self._open.instructions.append(instruction)

    def constant(self, value: int | float | bool | str | None, type: Type, span: Span) -> ValueId:
        result = self.value(type)
        self.emit(Constant(result, value, span))
        return result

    def undefined(self, type: Type, span: Span) -> ValueId:
        result = self.value(type)
        self.emit(Undefined(result, span))
        return result

    def special(self, register: SpecialRegister, span: Span, type: Type = U32) -> ValueId:
        result = self.value(type)
        self.emit(ReadSpecial(result, register, span))
        return result

    def unary(self, operator: UnaryOperator, operand: ValueId, type: Type, span: Span) -> ValueId:
        result = self.value(type)
        self.emit(Unary(result, operator, operand, span))
        return result

    def binary(self, operator: BinaryOperator, left: ValueId, right: ValueId, type: Type, span: Span) -> ValueId:
        """The operands must already have the type of the result (conversions are the caller's)."""
        result = self.value(type)
        self.emit(Binary(result, operator, left, right, span))
        return result

    def compare(self, operator: CompareOperator, left: ValueId, right: ValueId, span: Span) -> ValueId:
        result = self.value(BOOLEAN)
        self.emit(Compare(result, operator, left, right, span))
        return result

    def math(self, function: MathFunction, arguments: tuple[ValueId, ...], type: Type, span: Span) -> ValueId:
        result = self.value(type)
        self.emit(Math(result, function, arguments, span))
        return result

    def convert(self, value: ValueId, type: Type, span: Span) -> ValueId:
        """C's conversion to `type`; the value itself where it has that type already."""
        own = self.types[value]
        if own is type or own == type:
            return value
        result = self.value(type)
        self.emit(Convert(result, value, span))
        return result

    def bitcast(self, value: ValueId, type: Type, span: Span) -> ValueId:
        own = self.types[value]
        if own is type or own == type:
            return value
        result = self.value(type)
        self.emit(Bitcast(result, value, span))
        return result

    def extract(self, aggregate: ValueId, index: int, type: Type, span: Span) -> ValueId:
        result = self.value(type)
        self.emit(ExtractElement(result, aggregate, index, span))
        return result

    def opaque(
        self,
        construct: str,
        arguments: tuple[ValueId, ...],
        type: Type,
        span: Span,
        *,
        may_contain_barrier: bool = False,
    ) -> ValueId:
        """Something not understood whose result has (or is assumed to have) `type`."""
        result = self.value(type)
        self.emit(Opaque(result, construct, arguments, may_contain_barrier, span))
        return result

    # -- memory -----------------------------------------------------------------------------------------------

    def symbol(self, name: str, kind: SymbolKind, type: Type, span: Span) -> SymbolId:
        self.symbols.append(Symbol(name, kind, type, span))
        return SymbolId(len(self.symbols) - 1)

    def flag(self, span: Span) -> SymbolId:
        """A local truth value, false where the function begins."""
        flag = self.symbol("", SymbolKind.LOCAL, BOOLEAN, span)
        address, value = self.symbol_address(flag, span), self.value(BOOLEAN)
        self._blocks[0].instructions += [Constant(value, False, span), Store(address, value, False, span)]
        return flag

    def symbol_address(self, symbol: SymbolId, span: Span) -> ValueId:
        """A local object's address is taken once, in the entry block; promotion removes most of these again."""
        known = self._addresses.get(symbol)
        if known is not None:
            return known
        entry = self.symbols[symbol]
        result = self.value(PointerType(entry.type, SYMBOL_SPACE[entry.kind]))
        if entry.kind is SymbolKind.LOCAL:
            self._addresses[symbol] = result
            self._blocks[0].instructions.append(SymbolAddress(result, symbol, span))
        else:
            self.emit(SymbolAddress(result, symbol, span))
        return result

    def load(self, address: ValueId, type: Type, span: Span, *, volatile: bool = False) -> ValueId:
        result = self.value(type)
        self.emit(Load(result, address, volatile, span))
        return result

    def store(self, address: ValueId, value: ValueId, span: Span, *, volatile: bool = False) -> None:
        self.emit(Store(address, value, volatile, span))

    def element_address(self, base: ValueId, index: ValueId, element: Type, span: Span) -> ValueId:
        """`base + index * sizeof(element)` in the space of `base`."""
        result = self.value(PointerType(element, self.space_of(base)))
        self.emit(ElementAddress(result, base, index, span))
        return result

    def field_address(self, base: ValueId, index: int, type: Type, span: Span) -> ValueId:
        result = self.value(PointerType(type, self.space_of(base)))
        self.emit(FieldAddress(result, base, index, span))
        return result

    def space_of(self, pointer: ValueId) -> MemorySpace:
        type = self.types[pointer]
        return type.space if isinstance(type, PointerType) else MemorySpace.GENERIC

    # -- source records -----------------------------------------------------------------------------------------

    def source_branch(self, branch: SourceBranch) -> SourceBranchId:
        self.branches.append(branch)
        return SourceBranchId(len(self.branches) - 1)

    def variable(self, name: str, type: Type, span: Span) -> VariableId:
        self.variables.append(Variable(name, type, span))
        return VariableId(len(self.variables) - 1)

    def defined(self, variable: VariableId, value: ValueId, span: Span) -> None:
        """Records that `variable` holds `value` from `span` on."""
        self.definitions.append(Definition(variable, value, span))

    def expression(self, span: Span, value: ValueId) -> None:
        """Records that the source expression at `span` has `value` (for hovers)."""
        self.expressions.append(Expression(span, value))

    # -- the end ------------------------------------------------------------------------------------------------

    def finish(self, id: FunctionId, name: str, kind: FunctionKind, return_type: Type, end: Span) -> Function:
        """The function in memory form: blocks left open return; blocks that nothing reaches are removed."""
        for block in self._blocks:
            if block.terminator is None:
                block.terminator = Return(None, end)
        kept = self._reachable()
        definitions, expressions = tuple(self.definitions), tuple(self.expressions)
        if len(kept) < len(self._blocks):  # else every value is defined where it was made
            defined = self._defined_in(kept)
            self._define_dead(defined, end)
            definitions = tuple(record for record in definitions if record.value in defined)
            expressions = tuple(record for record in expressions if record.value in defined)
        return Function(
            id=id,
            name=name,
            kind=kind,
            parameters=tuple(self.parameters),
            return_type=return_type,
            blocks=self._closed(kept),
            types=tuple(self.types),
            structs=self.structs,
            symbols=tuple(self.symbols),
            branches=tuple(self.branches),
            variables=tuple(self.variables),
            definitions=definitions,
            expressions=expressions,
            frames=(own_frame(id),),
        )

    def _reachable(self) -> list[int]:
        """Blocks that the entry reaches, in the order they were made."""
        seen = {0}
        stack = [0]
        while stack:
            terminator = self._blocks[stack.pop()].terminator
            assert terminator is not None
            for successor in terminator.successors:
                if successor not in seen:
                    seen.add(successor)
                    stack.append(successor)
        return sorted(seen)

    def _defined_in(self, blocks: list[int]) -> set[ValueId]:
        """The values that exist once unreachable blocks are gone; records of others would dangle."""
        defined = {parameter.value for parameter in self.parameters}
        for index in blocks:
            spend(len(self._blocks[index].instructions) // 5)
            defined.update([each.result for each in self._blocks[index].instructions if each.result is not None])
        return defined

    def _define_dead(self, defined: set[ValueId], end: Span) -> None:
        """Values of unreachable blocks are still numbered: the entry defines them as undefined."""
        dead = [Undefined(ValueId(value), end) for value in range(len(self.types)) if value not in defined]
        self._blocks[0].instructions.extend(dead)

    def _closed(self, kept: list[int]) -> tuple[BasicBlock, ...]:
        number = {old: BasicBlockId(new) for new, old in enumerate(kept)}
        is_same = len(kept) == len(self._blocks)
        blocks: list[BasicBlock] = []
        for index in paced(kept, 2):
            block, terminator = self._blocks[index], self._blocks[index].terminator
            assert terminator is not None
            terminator = terminator if is_same else _renumbered(terminator, number)
            blocks.append(BasicBlock((), tuple(block.instructions), terminator))
        return tuple(blocks)


def _renumbered(terminator: Terminator, number: Mapping[int, BasicBlockId]) -> Terminator:
    match terminator:
        case Jump(target=target, span=span):
            return Jump(number[target], span)
        case Branch(condition=condition, if_true=if_true, if_false=if_false, branch=branch, span=span):
            return Branch(condition, number[if_true], number[if_false], branch, span)
        case Switch(value=value, cases=cases, default=default, branch=branch, span=span):
            renumbered = tuple(SwitchCase(case.value, number[case.target]) for case in paced(cases))
            return Switch(value, renumbered, number[default], branch, span)
        case Return() | Trap():
            return terminator
        case _:
            assert_never(terminator)
