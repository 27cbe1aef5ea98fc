"""Reads the textual form of a function, so that examples from papers can be typed into a test.

```
kernel @saxpy(%n: s32, %a: f32, %x: ptr<global f32>, %y: ptr<global f32>) {
  shared $tile: [32 x f32]
entry:
  %i: u32 = special thread.x          // a comment
  %inside: bool = lt %i, %n
  branch %inside, then, end !0 if
then:
  ...
  jump end
end:
  return
}
```

Grammar, one item per line (`spans` may follow most of them: `[12:17]`, or `[12:17/3]` in frame 3):

- header        `kernel|device @id named name(%0 name: type, ...) -> type {`; `named` where the name is not the id
- declarations  `struct|union Name { field: type @offset, ... } size n align n`; `shared|local|... $0 name: type`;
                `!0 if [keyword] [extent]`; `values n` where ids above the last definition exist;
                `variable #0 name: type`; `define #0 %1`; `expression %1`;
                `frames n`, `frame @id in parent values n branches n variables n [call]`
- blocks        `label:`, then phis, instructions, one terminator; see `printer` for their spelling

Values are numbers (`%3`, as printed) or words, which are numbered in order of appearance; one text keeps to one kind.
Labels are words; a label of the printed form (`block3`) must stand on the block of that number.
A name that is not a word is quoted.  A source branch may be declared where it is first used (`!0 if`).
The parser checks the form only; `verify` says whether the function makes sense.
"""

from __future__ import annotations

import re
from typing import final

from analysis.ir.function import (
    BasicBlock,
    Definition,
    Expression,
    Frame,
    Function,
    FunctionKind,
    Parameter,
    SourceBranch,
    SourceBranchKind,
    Symbol,
    SymbolKind,
    Variable,
    VariableId,
    own_frame,
)
from analysis.ir.instruction_parser import TERMINATORS, InstructionParser, Names
from analysis.ir.instructions import BasicBlockId, FunctionId, Instruction, Phi, SourceBranchId, SymbolId, ValueId
from analysis.ir.source import FrameId
from analysis.ir.text_tokens import Cursor, IrSyntaxError, TokenKind, tokenize
from analysis.ir.type_parser import parse_layout, parse_type
from analysis.ir.types import VOID, StructLayout, Type

_SYMBOL_KINDS = {kind.value: kind for kind in SymbolKind}
_PRINTED_LABEL = re.compile(r"block(\d+)")

__all__ = ["IrSyntaxError", "parse_function"]


def parse_function(text: str) -> Function:
    """The function that `text` describes; raises `IrSyntaxError`."""
    return _FunctionParser(text).function()


@final
class _FunctionParser:
    def __init__(self, text: str) -> None:
        tokens = list(tokenize(text))
        self._cursor = Cursor(tokens)
        self._names = Names()
        self._names.blocks = _labels(Cursor(tokens))
        self._parts = InstructionParser(self._cursor, self._names)
        self._types: dict[ValueId, Type] = {}
        self._value_count = 0
        self._structs: dict[str, StructLayout] = {}
        self._symbols: list[Symbol] = []
        self._variables: list[Variable] = []
        self._definitions: list[Definition] = []
        self._expressions: list[Expression] = []
        self._frames: list[Frame] | None = None

    def function(self) -> Function:
        cursor = self._cursor
        cursor.skip_newlines()
        kind = self._parts.one_of(FunctionKind, "'kernel' or 'device'")
        id = self._function_id()
        name = cursor.name() if cursor.accept("named") else str(id)
        parameters = self._parameters()
        return_type = parse_type(cursor) if cursor.accept("->") else VOID
        cursor.take("{")
        cursor.end_line()
        while not cursor.at("}") and not self._at_label():
            self._declaration()
            cursor.end_line()
        blocks: list[BasicBlock] = []
        while not cursor.accept("}"):
            blocks.append(self._block())
        cursor.skip_newlines()
        cursor.take_kind(TokenKind.END)
        return Function(
            id=id,
            name=name,
            kind=kind,
            parameters=parameters,
            return_type=return_type,
            blocks=tuple(blocks),
            types=self._type_table(),
            structs=self._structs,
            symbols=tuple(self._symbols),
            branches=self._branch_table(),
            variables=tuple(self._variables),
            definitions=tuple(self._definitions),
            expressions=tuple(self._expressions),
            frames=(own_frame(id),) if self._frames is None else tuple(self._frames),
        )

    def _function_id(self) -> FunctionId:
        self._cursor.take("@")
        return FunctionId(self._cursor.name())

    def _parameters(self) -> tuple[Parameter, ...]:
        cursor = self._cursor
        parameters: list[Parameter] = []
        cursor.take("(")
        cursor.skip_newlines()
        while not cursor.accept(")"):
            if parameters:
                cursor.take(",")
                cursor.skip_newlines()
            spelled = cursor.token.text[1:]
            value = self._parts.value()
            name = spelled if cursor.at(":") else cursor.name()
            cursor.take(":")
            self._types[value] = parse_type(cursor)
            parameters.append(Parameter(value, name, self._parts.span()))
            cursor.skip_newlines()
        return tuple(parameters)

    # -- declarations -------------------------------------------------------------------------------------------

    def _declaration(self) -> None:
        cursor = self._cursor
        if cursor.at_kind(TokenKind.BRANCH):
            self._branch()
        elif cursor.at("struct") or cursor.at("union"):
            layout = parse_layout(cursor)
            self._structs[layout.name] = layout
        elif cursor.token.text in _SYMBOL_KINDS:
            self._symbol(_SYMBOL_KINDS[cursor.word()])
        elif cursor.accept("values"):
            self._value_count = cursor.integer()
        elif cursor.accept("variable"):
            self._variable_id(len(self._variables))
            name = cursor.name()
            cursor.take(":")
            self._variables.append(Variable(name, parse_type(cursor), self._parts.span()))
        elif cursor.accept("define"):
            variable = self._variable_id()
            self._definitions.append(Definition(variable, self._parts.value(), self._parts.span()))
        elif cursor.accept("expression"):
            value = self._parts.value()
            self._expressions.append(Expression(self._parts.span(), value))
        elif cursor.accept("frames"):
            cursor.integer()
            self._frames = []
        elif cursor.accept("frame"):
            self._frame()
        else:
            raise cursor.error("a declaration or a label")

    def _branch(self) -> None:
        token = self._cursor.take_kind(TokenKind.BRANCH)
        kind = self._parts.one_of(SourceBranchKind, "a kind of source branch")
        branch = SourceBranch(kind, self._parts.span(), self._parts.span())
        self._names.branches[SourceBranchId(int(token.text[1:]))] = branch

    def _symbol(self, kind: SymbolKind) -> None:
        """`$0 tile: type` as printed, or `$tile: type`."""
        cursor = self._cursor
        token = cursor.take_kind(TokenKind.SYMBOL)
        spelled = token.text[1:]
        if spelled.isdigit():
            if int(spelled) != len(self._symbols):
                raise cursor.error(f"${len(self._symbols)}", token)
            name = cursor.name()
        else:
            name = spelled
            self._names.symbols[name] = SymbolId(len(self._symbols))
        cursor.take(":")
        self._symbols.append(Symbol(name, kind, parse_type(cursor), self._parts.span()))

    def _variable_id(self, wanted: int | None = None) -> VariableId:
        token = self._cursor.take_kind(TokenKind.VARIABLE)
        number = int(token.text[1:])
        if wanted is not None and number != wanted:
            raise self._cursor.error(f"#{wanted}", token)
        return VariableId(number)

    def _frame(self) -> None:
        cursor = self._cursor
        if self._frames is None:
            raise cursor.error("'frames' before the first frame")
        function = self._function_id()
        cursor.take("in")
        parent = FrameId(cursor.integer())
        bases: list[int] = []
        for word in ("values", "branches", "variables"):
            cursor.take(word)
            bases.append(cursor.integer())
        value_base, branch_base, variable_base = bases
        self._frames.append(Frame(function, parent, self._parts.span(), value_base, branch_base, variable_base))

    # -- blocks -------------------------------------------------------------------------------------------------

    def _at_label(self) -> bool:
        cursor = self._cursor
        return cursor.at_kind(TokenKind.WORD) and cursor.following.text == ":"

    def _block(self) -> BasicBlock:
        cursor = self._cursor
        if not self._at_label():
            raise cursor.error("a label")
        cursor.word()
        cursor.take(":")
        cursor.end_line()
        phis: list[Phi] = []
        instructions: list[Instruction] = []
        while cursor.token.text not in TERMINATORS:
            if cursor.at_kind(TokenKind.VALUE):
                result = self._result()
                if cursor.at("phi") and not instructions:
                    phis.append(self._parts.phi(result))
                else:
                    instructions.append(self._parts.definition(result))
            else:
                instructions.append(self._parts.effect())
            cursor.end_line()
        terminator = self._parts.terminator()
        cursor.end_line()
        return BasicBlock(tuple(phis), tuple(instructions), terminator)

    def _result(self) -> ValueId:
        """`%3: s32 =`"""
        token = self._cursor.token
        result = self._parts.value()
        if result in self._types:
            raise self._cursor.error("a value that is not defined yet", token)
        self._cursor.take(":")
        self._types[result] = parse_type(self._cursor)
        self._cursor.take("=")
        return result

    # -- tables -------------------------------------------------------------------------------------------------

    def _type_table(self) -> tuple[Type, ...]:
        count = max(self._value_count, max(self._types, default=-1) + 1, len(self._names.values))
        return tuple(self._types.get(ValueId(value), VOID) for value in range(count))

    def _branch_table(self) -> tuple[SourceBranch, ...]:
        branches = self._names.branches
        missing = next((index for index in range(len(branches)) if index not in branches), None)
        if missing is not None:
            raise self._cursor.error(f"a declaration of !{missing}")
        return tuple(branches[SourceBranchId(index)] for index in range(len(branches)))


def _labels(cursor: Cursor) -> dict[str, BasicBlockId]:
    """The number of each label; a label stands alone on its line."""
    labels: dict[str, BasicBlockId] = {}
    at_line_start = True
    while not cursor.at_kind(TokenKind.END):
        token = cursor.token
        is_label = at_line_start and token.kind is TokenKind.WORD and cursor.following.text == ":"
        if is_label:
            number = len(labels)
            printed = _PRINTED_LABEL.fullmatch(token.text)
            if token.text in labels:
                raise cursor.error("a label that is not used yet")
            if printed is not None and int(printed[1]) != number:
                raise cursor.error(f"block{number}")
            labels[token.text] = BasicBlockId(number)
        at_line_start = cursor.at_kind(TokenKind.NEWLINE)
        cursor.advance()
    return labels
