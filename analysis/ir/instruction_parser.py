"""Reads single instructions, phis and terminators of the textual form."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final, TypeVar, final

from analysis.ir.function import SourceBranch, SourceBranchKind
from analysis.ir.instructions import (
    Allocate,
    Assert,
    Atomic,
    BasicBlockId,
    Binary,
    Bitcast,
    BlockBarrier,
    Branch,
    BuildAggregate,
    Call,
    Compare,
    Constant,
    Convert,
    DeviceLaunch,
    ElementAddress,
    ExtractElement,
    Fence,
    FieldAddress,
    FunctionId,
    GridBarrier,
    InsertElement,
    Instruction,
    Jump,
    Load,
    Match,
    Math,
    NamedBarrier,
    Opaque,
    PhaseWait,
    Phi,
    PointerDifference,
    Print,
    ReadSpecial,
    Return,
    Select,
    Shuffle,
    SourceBranchId,
    Store,
    Switch,
    SwitchCase,
    SymbolAddress,
    SymbolId,
    TemplateArgument,
    Terminator,
    Texture,
    Trap,
    Unary,
    Undefined,
    ValueId,
    Vote,
    WarpBarrier,
    WarpReduce,
)
from analysis.ir.operators import (
    AtomicOperator,
    BarrierOperator,
    BarrierReduction,
    BinaryOperator,
    CompareOperator,
    MatchKind,
    MathFunction,
    MemoryScope,
    PhaseQuestion,
    ShuffleMode,
    SpecialRegister,
    TextureOperation,
    UnaryOperator,
    VoteKind,
)
from analysis.ir.source import NO_SPAN, FrameId, Span
from analysis.ir.text_tokens import Cursor, Token, TokenKind

_UNARY = {operator.value: operator for operator in UnaryOperator}
_BINARY = {operator.value: operator for operator in BinaryOperator}
_COMPARE = {operator.value: operator for operator in CompareOperator}
_ATOMIC_OPERATORS: Final[Mapping[str, AtomicOperator | BarrierOperator]] = {
    operator.value: operator for operator in (*AtomicOperator, *BarrierOperator)
}
TERMINATORS = frozenset(("jump", "branch", "switch", "return", "trap"))

E = TypeVar("E", bound=Enum)


@final
class Names:
    """What the names of one text stand for: `%tid` and `$tile` are numbered as they appear, `%3` is itself."""

    def __init__(self) -> None:
        self.values: dict[str, ValueId] = {}
        self.symbols: dict[str, SymbolId] = {}
        self.blocks: dict[str, BasicBlockId] = {}
        self.branches: dict[SourceBranchId, SourceBranch] = {}

    def value(self, text: str) -> ValueId:
        name = text[1:]
        return ValueId(int(name)) if name.isdigit() else self.values.setdefault(name, ValueId(len(self.values)))


@final
class InstructionParser:
    def __init__(self, cursor: Cursor, names: Names) -> None:
        self._cursor = cursor
        self._names = names

    # -- pieces -------------------------------------------------------------------------------------------------

    def value(self) -> ValueId:
        return self._names.value(self._cursor.take_kind(TokenKind.VALUE).text)

    def span(self) -> Span:
        """`[12:17]`, `[12:17/3]` in frame 3, or nothing."""
        cursor = self._cursor
        if not cursor.accept("["):
            return NO_SPAN
        start = cursor.integer()
        cursor.take(":")
        end = cursor.integer()
        frame = cursor.integer() if cursor.accept("/") else 0
        cursor.take("]")
        return Span(start, end, FrameId(frame))

    def branch(self) -> SourceBranchId | None:
        """`!3`, or `!3 if`, which also says what branch 3 is."""
        cursor = self._cursor
        if not cursor.at_kind(TokenKind.BRANCH):
            return None
        branch = SourceBranchId(int(cursor.take_kind(TokenKind.BRANCH).text[1:]))
        if cursor.at_kind(TokenKind.WORD):
            kind = self.one_of(SourceBranchKind, "a kind of source branch")
            self._names.branches.setdefault(branch, SourceBranch(kind, NO_SPAN, NO_SPAN))
        return branch

    def one_of(self, vocabulary: type[E], expected: str) -> E:
        token = self._cursor.token
        word = self._cursor.word(expected)
        try:
            return vocabulary(word)
        except ValueError:
            raise self._cursor.error(expected, token) from None

    def _values(self) -> tuple[ValueId, ...]:
        """Any number of values between commas."""
        if not self._cursor.at_kind(TokenKind.VALUE):
            return ()
        values = [self.value()]
        while self._cursor.accept(","):
            values.append(self.value())
        return tuple(values)

    def _two(self) -> tuple[ValueId, ValueId]:
        first = self.value()
        self._cursor.take(",")
        return first, self.value()

    def _after_comma(self) -> ValueId:
        self._cursor.take(",")
        return self.value()

    def _member(self) -> int:
        self._cursor.take(",")
        return self._cursor.integer()

    def _optional(self, word: str) -> ValueId | None:
        return self.value() if self._cursor.accept(word) else None

    def _needed(self, word: str) -> ValueId:
        self._cursor.take(word)
        return self.value()

    def _target(self) -> BasicBlockId:
        token = self._cursor.token
        name = self._cursor.word("a block")
        block = self._names.blocks.get(name)
        if block is None:
            raise self._cursor.error("a block of this function", token)
        return block

    # -- instructions -------------------------------------------------------------------------------------------

    def phi(self, result: ValueId) -> Phi:
        """`phi block0: %1, block2: %3`"""
        self._cursor.take("phi")
        incoming: list[tuple[BasicBlockId, ValueId]] = []
        while self._cursor.at_kind(TokenKind.WORD) or incoming:
            if incoming and not self._cursor.accept(","):
                break
            block = self._target()
            self._cursor.take(":")
            incoming.append((block, self.value()))
        return Phi(result, tuple(incoming), self.span())

    def effect(self) -> Instruction:
        """An instruction that defines nothing."""
        cursor = self._cursor
        token = cursor.token
        match cursor.word("an instruction"):
            case "store":
                volatile = cursor.accept("volatile")
                address, value = self._two()
                return Store(address, value, volatile, self.span())
            case "named_barrier":
                arrive_only = cursor.accept("arrive")
                barrier = self.value()
                count = self._after_comma() if cursor.at(",") else None
                return NamedBarrier(barrier, count, arrive_only, self.span())
            case "warp_barrier":
                return WarpBarrier(self.value(), self.span())
            case "grid_barrier":
                return GridBarrier(self.span())
            case "fence":
                return Fence(self.one_of(MemoryScope, "a fence scope"), self.span())
            case "assert" | "assert_callee" as word:
                return Assert(self.value(), self.span(), word == "assert_callee")
            case "device_launch":
                return DeviceLaunch(self._values(), self.span())
            case word:
                return self._perhaps_without_result(word, None, token)

    def definition(self, result: ValueId) -> Instruction:
        """What stands to the right of `%3: s32 =`."""
        token = self._cursor.token
        word = self._cursor.word("an instruction")
        if word in _UNARY:
            return Unary(result, _UNARY[word], self.value(), self.span())
        if word in _BINARY:
            return Binary(result, _BINARY[word], *self._two(), self.span())
        if word in _COMPARE:
            return Compare(result, _COMPARE[word], *self._two(), self.span())
        return (
            self._source_value(word, result)
            or self._memory_value(word, result)
            or self._collective_value(word, result)
            or self._perhaps_without_result(word, result, token)
        )

    def _source_value(self, word: str, result: ValueId) -> Instruction | None:
        cursor = self._cursor
        match word:
            case "const":
                return Constant(result, self._literal(), self.span())
            case "undef":
                return Undefined(result, self.span())
            case "special":
                return ReadSpecial(result, self.one_of(SpecialRegister, "a special register"), self.span())
            case "template":
                return TemplateArgument(result, cursor.name(), self.span())
            case "address":
                return SymbolAddress(result, self._symbol(), self.span())
            case "select":
                values = (self.value(), self._after_comma(), self._after_comma())
                return Select(result, *values, self.branch(), self.span())
            case "convert":
                return Convert(result, self.value(), self.span())
            case "bitcast":
                return Bitcast(result, self.value(), self.span())
            case "math":
                function = self.one_of(MathFunction, "a math function")
                return Math(result, function, self._values(), self.span())
            case _:
                return None

    def _memory_value(self, word: str, result: ValueId) -> Instruction | None:
        match word:
            case "build":
                return BuildAggregate(result, self._values(), self.span())
            case "extract":
                return ExtractElement(result, self.value(), self._member(), self.span())
            case "insert":
                return InsertElement(result, self.value(), self._member(), self._after_comma(), self.span())
            case "element":
                return ElementAddress(result, *self._two(), self.span())
            case "field":
                return FieldAddress(result, self.value(), self._member(), self.span())
            case "difference":
                return PointerDifference(result, *self._two(), self.span())
            case "load":
                volatile = self._cursor.accept("volatile")
                return Load(result, self.value(), volatile, self.span())
            case "atomic":
                operator = self._atomic_operator()
                scopes = (one for one in MemoryScope if self._cursor.accept(one.value))
                scope = next(scopes, MemoryScope.DEVICE)
                address, *arguments = (self.value(), *self._rest())
                return Atomic(result, operator, address, tuple(arguments), self.span(), scope)
            case "allocate":
                return Allocate(result, self.value(), self.span())
            case _:
                return None

    def _atomic_operator(self) -> AtomicOperator | BarrierOperator:
        token = self._cursor.token
        operator = _ATOMIC_OPERATORS.get(self._cursor.word("an atomic operator"))
        if operator is None:
            raise self._cursor.error("an atomic operator", token)
        return operator

    def _collective_value(self, word: str, result: ValueId) -> Instruction | None:
        match word:
            case "shuffle":
                mode = self.one_of(ShuffleMode, "a shuffle mode")
                value, lane = self._two()
                return Shuffle(result, mode, self._optional("mask"), value, lane, self._optional("width"), self.span())
            case "vote":
                kind = self.one_of(VoteKind, "a kind of vote")
                predicate = self.value()
                return Vote(result, kind, self._optional("mask"), predicate, self.span())
            case "phase":
                question = self.one_of(PhaseQuestion, "a question")
                return PhaseWait(result, question, *self._two(), self.span())
            case "match":
                kind = self.one_of(MatchKind, "a kind of match")
                value = self.value()
                return Match(result, kind, self._needed("mask"), value, self.span())
            case "reduce":
                operator = self.one_of(AtomicOperator, "a reduction operator")
                value = self.value()
                return WarpReduce(result, operator, self._needed("mask"), value, self.span())
            case _:
                return None

    def _perhaps_without_result(self, word: str, result: ValueId | None, token: Token) -> Instruction:
        cursor = self._cursor
        match word:
            case "barrier":
                has_reduction = cursor.at_kind(TokenKind.WORD)
                reduction = self.one_of(BarrierReduction, "a reduction") if has_reduction else BarrierReduction.NONE
                predicate = self.value() if cursor.at_kind(TokenKind.VALUE) else None
                return BlockBarrier(result, reduction, predicate, self.span())
            case "texture":
                operation = self.one_of(TextureOperation, "a texture operation")
                return Texture(result, operation, self._values(), self.span())
            case "call":
                cursor.take("@")
                callee = FunctionId(cursor.name())
                cursor.take("(")
                arguments = self._values()
                cursor.take(")")
                return Call(result, callee, arguments, self.span())
            case "print":
                format = None if cursor.accept("?") else cursor.string()
                return Print(result, format, self._values(), self.span())
            case "opaque":
                may_contain_barrier = cursor.accept("barrier")
                construct = cursor.string()
                return Opaque(result, construct, self._values(), may_contain_barrier, self.span())
            case _:
                kind = "an instruction that defines nothing" if result is None else "an instruction with a result"
                raise cursor.error(kind, token)

    def _rest(self) -> tuple[ValueId, ...]:
        return self._values() if self._cursor.accept(",") else ()

    def _symbol(self) -> SymbolId:
        token = self._cursor.take_kind(TokenKind.SYMBOL)
        name = token.text[1:]
        if name.isdigit():
            return SymbolId(int(name))
        if name not in self._names.symbols:
            raise self._cursor.error("a declared symbol", token)
        return self._names.symbols[name]

    def _literal(self) -> int | float | bool | str | None:
        cursor = self._cursor
        if cursor.at_kind(TokenKind.STRING):
            return cursor.string()
        if cursor.at_kind(TokenKind.NUMBER):
            text = cursor.take_kind(TokenKind.NUMBER).text
            return int(text) if text.lstrip("-").isdigit() else float(text)
        if cursor.accept("?"):
            return None
        token = cursor.token
        match cursor.word("a literal"):
            case "true":
                return True
            case "false":
                return False
            case "inf" | "nan" as word:
                return float(word)
            case _:
                raise cursor.error("a literal", token)

    # -- terminators --------------------------------------------------------------------------------------------

    def terminator(self) -> Terminator:
        cursor = self._cursor
        token = cursor.token
        match cursor.word("a terminator"):
            case "jump":
                return Jump(self._target(), self.span())
            case "branch":
                condition = self.value()
                cursor.take(",")
                if_true = self._target()
                cursor.take(",")
                return Branch(condition, if_true, self._target(), self.branch(), self.span())
            case "switch":
                return self._switch()
            case "return":
                value = self.value() if cursor.at_kind(TokenKind.VALUE) else None
                return Return(value, self.span())
            case "trap":
                return Trap(self.span())
            case _:
                raise cursor.error("a terminator", token)

    def _switch(self) -> Switch:
        """`switch %1, 0: block1, ?: block2, default: block3`"""
        cursor = self._cursor
        value = self.value()
        cases: list[SwitchCase] = []
        cursor.take(",")
        while not cursor.accept("default"):
            label = None if cursor.accept("?") else cursor.integer()
            cursor.take(":")
            cases.append(SwitchCase(label, self._target()))
            cursor.take(",")
        cursor.take(":")
        return Switch(value, tuple(cases), self._target(), self.branch(), self.span())
