"""The textual form of a function; `analysis.ir.parser` documents the grammar and reads it back.

With `spans` the text says everything: `parse_function(print_function(f, spans=True)) == f` for every function that
`verify` accepts.  Without, it is for people: spans, records (variables, definitions, expressions) and frames are left
out, and each source branch stands where it is used.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never, final

from analysis.ir.function import Function, own_frame
from analysis.ir.instructions import (
    Allocate,
    Assert,
    Atomic,
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
    SymbolAddress,
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
from analysis.ir.operators import BarrierReduction, MemoryScope
from analysis.ir.source import NO_SPAN, OWN_FRAME, Span
from analysis.ir.types import (
    ArrayType,
    BooleanType,
    Field,
    FloatType,
    GroupType,
    HandleType,
    IntegerType,
    PointerType,
    StructLayout,
    StructType,
    TemplateType,
    Type,
    UnknownType,
    VectorType,
    VoidType,
)

_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def print_function(function: Function, spans: bool = False) -> str:
    """The function as text, one instruction per line, ending in a newline."""
    return "\n".join(_Printer(function, spans).lines()) + "\n"


def print_type(type: Type) -> str:
    match type:
        case VoidType():
            return "void"
        case BooleanType():
            return "bool"
        case IntegerType(bits=bits, signed=signed):
            return f"{'s' if signed else 'u'}{bits}"
        case FloatType(format=format):
            return format.value
        case VectorType(element=element, length=length, alignment=alignment):
            return f"<{length} x {print_type(element)} align {alignment}>"
        case PointerType(element=element, space=space, volatile=volatile):
            return f"ptr<{space.value} {'volatile ' if volatile else ''}{print_type(element)}>"
        case ArrayType(element=element, length=length):
            return f"[{'?' if length is None else length} x {print_type(element)}]"
        case StructType(name=name):
            return f"struct {_name(name)}"
        case GroupType(kind=kind, size=size):
            return f"group<{kind.value}>" if size is None else f"group<{kind.value} {size}>"
        case HandleType(name=name):
            return f"handle {_name(name)}"
        case TemplateType(name=name):
            return f"template {_name(name)}"
        case UnknownType(spelling=spelling):
            return f"unknown {_name(spelling)}"
        case _:
            assert_never(type)


@final
class _Printer:
    def __init__(self, function: Function, spans: bool) -> None:
        self._function = function
        self._spans = spans

    def lines(self) -> Iterator[str]:
        function = self._function
        parameters = ", ".join(
            f"%{p.value} {_name(p.name)}: {print_type(function.types[p.value])}{self._span(p.span)}"
            for p in function.parameters
        )
        named = "" if function.name == function.id else f" named {_name(function.name)}"
        returned = "" if isinstance(function.return_type, VoidType) else f" -> {print_type(function.return_type)}"
        yield f"{function.kind.value} @{_name(function.id)}{named}({parameters}){returned} {{"
        yield from (f"  {line}" for line in self._declarations())
        for index, block in enumerate(function.blocks):
            yield f"block{index}:"
            for phi in block.phis:
                yield f"  {self._result(phi.result)}{_phi_text(phi)}{self._span(phi.span)}"
            for instruction in block.instructions:
                text = self._instruction(instruction)
                yield f"  {self._result(instruction.result)}{text}{self._span(instruction.span)}"
            yield f"  {self._terminator(block.terminator)}{self._span(block.terminator.span)}"
        yield "}"

    def _declarations(self) -> Iterator[str]:
        function = self._function
        last = max(_defined_values(function), default=-1)
        if len(function.types) != last + 1:
            yield f"values {len(function.types)}"
        for layout in function.structs.values():
            yield _struct_text(layout)
        for index, symbol in enumerate(function.symbols):
            span = self._span(symbol.span)
            yield f"{symbol.kind.value} ${index} {_name(symbol.name)}: {print_type(symbol.type)}{span}"
        yield from self._branch_declarations()
        if self._spans:
            yield from self._records()

    def _branch_declarations(self) -> Iterator[str]:
        """All branches with their spans; without spans only those that no instruction mentions."""
        used: set[SourceBranchId | None] = set() if self._spans else set(_used_branches(self._function))
        for index, branch in enumerate(self._function.branches):
            if SourceBranchId(index) not in used:
                spans = f" {_span_text(branch.keyword)} {_span_text(branch.extent)}" if self._spans else ""
                yield f"!{index} {branch.kind.value}{spans}"

    def _records(self) -> Iterator[str]:
        function = self._function
        if function.frames != (own_frame(function.id),):
            yield f"frames {len(function.frames)}"
            for frame in function.frames:
                bases = f"values {frame.value_base} branches {frame.branch_base} variables {frame.variable_base}"
                yield f"frame @{_name(frame.function)} in {frame.parent} {bases} {_span_text(frame.call)}"
        for index, variable in enumerate(function.variables):
            yield f"variable #{index} {_name(variable.name)}: {print_type(variable.type)}{self._span(variable.span)}"
        for definition in function.definitions:
            yield f"define #{definition.variable} %{definition.value}{self._span(definition.span)}"
        for expression in function.expressions:
            yield f"expression %{expression.value}{self._span(expression.span)}"

    def _span(self, span: Span) -> str:
        return "" if not self._spans or span == NO_SPAN else f" {_span_text(span)}"

    def _result(self, value: ValueId | None) -> str:
        return "" if value is None else f"%{value}: {print_type(self._function.types[value])} = "

    def _branch(self, branch: SourceBranchId | None) -> str:
        if branch is None:
            return ""
        return f" !{branch}" if self._spans else f" !{branch} {self._function.branches[branch].kind.value}"

    # -- instructions -------------------------------------------------------------------------------------------

    def _instruction(self, instruction: Instruction) -> str:
        match instruction:
            case Select(branch=branch):
                return f"select {_values(instruction.operands)}{self._branch(branch)}"
            case Constant(value=value):
                return f"const {_literal(value)}"
            case TemplateArgument(name=name):
                return f"template {_name(name)}"
            case SymbolAddress(symbol=symbol):
                return f"address ${symbol}"
            case ExtractElement(aggregate=aggregate, index=index):
                return f"extract %{aggregate}, {index}"
            case InsertElement(aggregate=aggregate, index=index, value=value):
                return f"insert %{aggregate}, {index}, %{value}"
            case FieldAddress(base=base, field=field):
                return f"field %{base}, {field}"
            case Shuffle(mode=mode, mask=mask, value=value, lane=lane, width=width):
                return f"shuffle {mode.value} %{value}, %{lane}{_optional('mask', mask)}{_optional('width', width)}"
            case Vote(kind=kind, mask=mask, predicate=predicate):
                return f"vote {kind.value} %{predicate}{_optional('mask', mask)}"
            case Match(kind=kind, mask=mask, value=value):
                return f"match {kind.value} %{value}{_optional('mask', mask)}"
            case WarpReduce(operator=operator, mask=mask, value=value):
                return f"reduce {operator.value} %{value}{_optional('mask', mask)}"
            case Call(callee=callee, arguments=arguments):
                return f"call @{_name(callee)}({_values(arguments)})"
            case Print(format=format, arguments=arguments):
                return _spaced(f"print {'?' if format is None else json.dumps(format)}", _values(arguments))
            case Opaque(construct=construct, arguments=arguments, may_contain_barrier=may_contain_barrier):
                barrier = "barrier " if may_contain_barrier else ""
                return _spaced(f"opaque {barrier}{json.dumps(construct)}", _values(arguments))
            case _:
                return _spaced(_mnemonic(instruction), _values(instruction.operands))

    def _terminator(self, terminator: Terminator) -> str:
        match terminator:
            case Jump(target=target):
                return f"jump block{target}"
            case Branch(condition=condition, if_true=if_true, if_false=if_false, branch=branch):
                return f"branch %{condition}, block{if_true}, block{if_false}{self._branch(branch)}"
            case Switch(value=value, cases=cases, default=default, branch=branch):
                arms = "".join(f", {'?' if c.value is None else c.value}: block{c.target}" for c in cases)
                return f"switch %{value}{arms}, default: block{default}{self._branch(branch)}"
            case Return(value=value):
                return "return" if value is None else f"return %{value}"
            case Trap():
                return "trap"
            case _:
                assert_never(terminator)


_Regular = (
    Undefined
    | ReadSpecial
    | Unary
    | Binary
    | Compare
    | Convert
    | Bitcast
    | Math
    | BuildAggregate
    | ElementAddress
    | PointerDifference
    | Load
    | Store
    | Atomic
    | Texture
    | Allocate
    | BlockBarrier
    | NamedBarrier
    | PhaseWait
    | WarpBarrier
    | GridBarrier
    | Fence
    | Assert
    | DeviceLaunch
)


def _mnemonic(instruction: _Regular) -> str:
    """What stands before the operands of an instruction whose text is a mnemonic and its operands."""
    match instruction:
        case Undefined():
            return "undef"
        case ReadSpecial(register=register):
            return f"special {register.value}"
        case Unary(operator=operator) | Binary(operator=operator) | Compare(operator=operator):
            return operator.value
        case Convert():
            return "convert"
        case Bitcast():
            return "bitcast"
        case Math(function=function):
            return f"math {function.value}"
        case BuildAggregate():
            return "build"
        case ElementAddress():
            return "element"
        case PointerDifference():
            return "difference"
        case Load(volatile=volatile):
            return "load volatile" if volatile else "load"
        case Store(volatile=volatile):
            return "store volatile" if volatile else "store"
        case Atomic(operator=operator, scope=scope):
            return f"atomic {operator.value}" + (f" {scope.value}" if scope is not MemoryScope.DEVICE else "")
        case Texture(operation=operation):
            return f"texture {operation.value}"
        case Allocate():
            return "allocate"
        case BlockBarrier(reduction=reduction):
            return "barrier" if reduction is BarrierReduction.NONE else f"barrier {reduction.value}"
        case NamedBarrier(arrive_only=arrive_only):
            return "named_barrier arrive" if arrive_only else "named_barrier"
        case PhaseWait(question=question):
            return f"phase {question.value}"
        case WarpBarrier():
            return "warp_barrier"
        case GridBarrier():
            return "grid_barrier"
        case Fence(scope=scope):
            return f"fence {scope.value}"
        case Assert(of_callee=of_callee):
            return "assert_callee" if of_callee else "assert"
        case DeviceLaunch():
            return "device_launch"
        case _:
            assert_never(instruction)


# -- pieces -----------------------------------------------------------------------------------------------------------


def _name(text: str) -> str:
    """A word as it is, anything else quoted."""
    return text if _WORD.fullmatch(text) else json.dumps(text)


def _literal(value: int | float | bool | str | None) -> str:
    if value is None:
        return "?"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    return repr(value)


def _values(values: Sequence[ValueId]) -> str:
    return ", ".join(f"%{value}" for value in values)


def _optional(word: str, value: ValueId | None) -> str:
    return "" if value is None else f" {word} %{value}"


def _spaced(left: str, right: str) -> str:
    return f"{left} {right}" if right else left


def _phi_text(phi: Phi) -> str:
    return _spaced("phi", ", ".join(f"block{block}: %{value}" for block, value in phi.incoming))


def _span_text(span: Span) -> str:
    frame = "" if span.frame == OWN_FRAME else f"/{span.frame}"
    return f"[{span.start}:{span.end}{frame}]"


def _print_field(field: Field) -> str:
    bits = "" if field.bits is None else f" bits {field.bits.first} {field.bits.width}"
    return f"{_name(field.name)}: {print_type(field.type)} @{field.offset}{bits}"


def _struct_text(layout: StructLayout) -> str:
    fields = ", ".join(map(_print_field, layout.fields))
    keyword = "union" if layout.is_union else "struct"
    return f"{keyword} {_name(layout.name)} {{ {fields} }} size {layout.size} align {layout.alignment}"


def _defined_values(function: Function) -> Iterable[ValueId]:
    for parameter in function.parameters:
        yield parameter.value
    for block in function.blocks:
        for phi in block.phis:
            yield phi.result
        for instruction in block.instructions:
            if instruction.result is not None:
                yield instruction.result


def _used_branches(function: Function) -> Iterable[SourceBranchId | None]:
    for block in function.blocks:
        for instruction in block.instructions:
            if isinstance(instruction, Select):
                yield instruction.branch
        if isinstance(block.terminator, (Branch, Switch)):
            yield block.terminator.branch
