"""Code as the paper writes it: `p3 = &p0[n]`, `x1 = x0 + n`, with what is read once written where it is read.

Names     parameters have their own; other addresses are p0, p1, ..., integers x0, x1, ..., anything else v0, v1, ...
Inline    constants and members, and arithmetic that one instruction of the same block reads; the widenings of indices
          are not written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final, final

from analysis.ir.function import BasicBlock
from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import (
    Binary,
    Branch,
    Compare,
    Constant,
    Convert,
    ElementAddress,
    ExtractElement,
    FieldAddress,
    Instruction,
    Jump,
    Load,
    Math,
    ReadSpecial,
    Return,
    Select,
    Store,
    Switch,
    SymbolAddress,
    Trap,
    Unary,
    Undefined,
)
from analysis.ir.operators import BinaryOperator, CompareOperator, UnaryOperator
from analysis.ir.types import IntegerType, PointerType
from analysis.straightline.code import Code

_SYMBOLS: Final = {
    BinaryOperator.ADD: "+",
    BinaryOperator.SUBTRACT: "-",
    BinaryOperator.MULTIPLY: "*",
    BinaryOperator.DIVIDE: "/",
    BinaryOperator.REMAINDER: "%",
    BinaryOperator.AND: "&",
    BinaryOperator.OR: "|",
    BinaryOperator.XOR: "^",
    BinaryOperator.SHIFT_LEFT: "<<",
    BinaryOperator.SHIFT_RIGHT: ">>",
    BinaryOperator.LOGICAL_AND: "&&",
    BinaryOperator.LOGICAL_OR: "||",
    CompareOperator.EQUAL: "==",
    CompareOperator.NOT_EQUAL: "!=",
    CompareOperator.LESS: "<",
    CompareOperator.LESS_EQUAL: "<=",
    CompareOperator.GREATER: ">",
    CompareOperator.GREATER_EQUAL: ">=",
    UnaryOperator.NEGATE: "-",
    UnaryOperator.COMPLEMENT: "~",
    UnaryOperator.LOGICAL_NOT: "!",
}
_REGISTERS: Final = {"thread": "threadIdx", "block": "blockIdx", "block_dim": "blockDim", "grid_dim": "gridDim"}
_ALWAYS_INLINE: Final = (Constant, FieldAddress, SymbolAddress, ReadSpecial, Undefined)
_INLINE: Final = (Binary, Compare, Convert, ExtractElement, Select, Unary)


def code_lines(code: Code) -> list[str]:
    """The whole function, a line for each instruction that has a name or an effect."""
    return list(_Listing(code).lines())


@final
class _Listing:
    def __init__(self, code: Code) -> None:
        self._code = code
        self._readers = code.readers()
        self._homes = {one.result: block for block, one in code.instructions() if one.result is not None}
        self._names: dict[ValueId, str] = {p.value: p.name or f"a{p.value}" for p in code.function.parameters}
        self._numbers = Counter[str]()
        self._labels = {block: f"L{number}" for number, block in enumerate(code.control.order)}

    def lines(self) -> Iterator[str]:
        code = self._code
        for block in code.preorder:
            for phi in code.phis[block]:
                self._name(phi.result)
        for block in code.control.order:
            if len(self._labels) > 1:
                yield f"{self._labels[block]}:"
            for phi in code.phis[block]:
                ways = ", ".join(f"{self._labels[s]}: {self._text(v)}" for s, v in phi.incoming if s in self._labels)
                yield f"  {self._names[phi.result]} = phi({ways})"
            for instruction in code.blocks[block]:
                if not self._is_inlined(instruction):
                    yield f"  {self._line(instruction)}"
            yield f"  {self._leaving(code.function.blocks[block], block)}"

    def _name(self, value: ValueId) -> str:
        type_ = self._code.types[value]
        letter = "p" if isinstance(type_, PointerType) else "x" if isinstance(type_, IntegerType) else "v"
        self._names[value] = f"{letter}{self._numbers[letter]}"
        self._numbers[letter] += 1
        return self._names[value]

    def _is_inlined(self, instruction: Instruction) -> bool:
        if isinstance(instruction, _ALWAYS_INLINE):
            return True
        if not isinstance(instruction, _INLINE):
            return False
        readers = self._readers.get(instruction.result, [])
        if isinstance(instruction, Convert) and isinstance(self._code.types[instruction.result], IntegerType):
            return True
        if len(readers) != 1:
            return False
        reader = readers[0]
        return reader is not None and (reader.result is None or self._home(reader) == self._home(instruction))

    def _home(self, instruction: Instruction) -> BasicBlockId | None:
        return None if instruction.result is None else self._homes.get(instruction.result)

    def _line(self, instruction: Instruction) -> str:
        match instruction:
            case Store(address=address, value=value):
                return f"*{self._text(address)} = {self._text(value)}"
            case _ if instruction.result is None:
                return self._general(instruction)
            case _:
                text = self._expression(instruction)
                return f"{self._name(instruction.result)} = {text}"

    def _leaving(self, block: BasicBlock, id: BasicBlockId) -> str:
        del block
        terminator = self._code.terminators[id]
        match terminator:
            case Jump(target=target):
                return f"goto {self._labels[target]}"
            case Branch(condition=condition, if_true=if_true, if_false=if_false):
                ways = f"goto {self._labels[if_true]}; else goto {self._labels[if_false]}"
                return f"if ({self._text(condition)}) {ways}"
            case Switch(value=value, successors=successors):
                return f"switch ({self._text(value)}) {', '.join(self._labels[one] for one in successors)}"
            case Return(value=value):
                return "return" if value is None else f"return {self._text(value)}"
            case Trap():
                return "trap"

    def _text(self, value: ValueId) -> str:
        """A name, or the expression of what is written where it is read."""
        known = self._names.get(value)
        if known is not None:
            return known
        definition = self._code.definitions.get(value)
        return "?" if definition is None else self._expression(definition)

    def _operand(self, value: ValueId) -> str:
        text = self._text(value)
        return text if text.replace("_", "").replace(".", "").isalnum() else f"({text})"

    def _expression(self, instruction: Instruction) -> str:
        match instruction:
            case Constant(value=value):
                return str(value).lower() if isinstance(value, bool) else "?" if value is None else str(value)
            case Undefined():
                return "undefined"
            case ReadSpecial(register=register):
                name, dot, axis = register.value.partition(".")
                return f"{_REGISTERS.get(name, name)}{dot}{axis}"
            case SymbolAddress(symbol=symbol):
                return self._code.function.symbols[symbol].name
            case FieldAddress(base=base, field=field):
                return f"&{self._operand(base)}->{field}"
            case ExtractElement(aggregate=aggregate, index=index):
                return f"{self._operand(aggregate)}.{index}"
            case ElementAddress(base=base, index=index):
                return f"&{self._operand(base)}[{self._text(index)}]"
            case Binary(operator=operator) | Compare(operator=operator):
                left, right = (self._operand(one) for one in instruction.operands)
                return f"{left} {_SYMBOLS[operator]} {right}"
            case Unary(operator=operator, operand=operand):
                return f"{_SYMBOLS[operator]}{self._operand(operand)}"
            case Convert(operand=operand):
                return self._converted(instruction, operand)
            case Select(condition=condition, if_true=if_true, if_false=if_false):
                return f"{self._operand(condition)} ? {self._operand(if_true)} : {self._operand(if_false)}"
            case Load(address=address):
                return f"*{self._operand(address)}"
            case Math(function=function, arguments=arguments):
                return f"{function.value}({', '.join(map(self._text, arguments))})"
            case _:
                return self._general(instruction)

    def _converted(self, instruction: Convert, operand: ValueId) -> str:
        """Widenings of integers are not written, narrower ones are casts."""
        source, target = self._code.types[operand], self._code.types[instruction.result]
        if isinstance(source, IntegerType) and isinstance(target, IntegerType) and target.bits >= source.bits:
            return self._text(operand)
        if isinstance(target, IntegerType):
            return f"({'int' if target.signed else 'unsigned'}{target.bits}) {self._operand(operand)}"
        return f"convert({self._text(operand)})"

    def _general(self, instruction: Instruction) -> str:
        return f"{type(instruction).__name__.lower()}({', '.join(map(self._text, instruction.operands))})"
