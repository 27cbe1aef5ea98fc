"""Calls of builtins written as text, and the IR they become.

`check("min(s32, u32)", "...")` makes one undefined value per argument and compares what the call emits.  An argument
is a type in the notation of signatures: `T*` is a pointer to global memory, `T&` an lvalue in local memory, `=5` a
literal.  Values of arguments are `%0`, `%1`, …; addresses of lvalues come before them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import dedent

from analysis.ir.calls import Opaque
from analysis.ir.function import Function, FunctionKind, SymbolKind
from analysis.ir.ids import FunctionId, ValueId
from analysis.ir.printer import print_function
from analysis.ir.source import Span
from analysis.ir.types import (
    VOID,
    GroupKind,
    GroupType,
    HandleType,
    MemorySpace,
    PointerType,
    Type,
)
from analysis.ir.verifier import verify
from analysis.lower.builder import FunctionBuilder
from analysis.lower.builtins import (
    BuiltinCall,
    BuiltinFunction,
    Literal,
    TemplateArgumentValue,
    builtin_function,
    builtin_layout,
    builtin_method,
    builtin_type,
)
from analysis.lower.builtins.spelling import spelled_type

SPAN = Span(0, 1)

GROUPS = {
    "block": GroupType(GroupKind.BLOCK),
    "grid": GroupType(GroupKind.GRID),
    "multi_grid": GroupType(GroupKind.MULTI_GRID),
    "cluster": GroupType(GroupKind.CLUSTER),
    "coalesced": GroupType(GroupKind.COALESCED),
    "tile": GroupType(GroupKind.TILE),
    "any_group": HandleType("cooperative_groups::thread_group"),
}


FRAGMENTS = {
    "fragment_a": "nvcuda::wmma::fragment<matrix_a,16,16,16,f16,row_major>",
    "fragment_b": "nvcuda::wmma::fragment<matrix_b,16,16,16,f16,col_major>",
    "fragment_c": "nvcuda::wmma::fragment<accumulator,16,16,16,f32>",
}


@dataclass(frozen=True)
class Argument:
    type: Type
    is_lvalue: bool = False
    literal: Literal = None


@dataclass(frozen=True)
class Lowered:
    function: Function
    result: Type | None

    @property
    def lines(self) -> list[str]:
        """The instructions that the call emitted."""
        lines = [line.strip() for line in print_function(self.function).splitlines()]
        return [line for line in lines[lines.index("block0:") + 1 : -1] if line]

    @property
    def opaque(self) -> list[str]:
        return [found.construct for _, found in self.function.instructions() if isinstance(found, Opaque)]


def type_named(text: str) -> Type:
    text = text.strip()
    if text.endswith("*"):
        return PointerType(type_named(text[:-1]), MemorySpace.GLOBAL)
    if text.startswith("tile") and text[4:].isdigit():
        return GroupType(GroupKind.TILE, int(text[4:]))
    type = GROUPS.get(text) or spelled_type(text) or builtin_type(FRAGMENTS.get(text, text), ())
    assert type is not None, f"no such type: {text}"
    return type


def argument(text: str) -> Argument:
    text, _, literal = text.strip().partition("=")
    value = int(literal) if literal.lstrip("-").isdigit() else literal.strip('"') or None
    return Argument(type_named(text.removesuffix("&")), text.endswith("&"), value)


def split(text: str) -> list[str]:
    """At commas outside brackets."""
    return [part for part in re.split(r",(?![^<(]*[>)])", text) if part.strip()]


def lower_call(
    function: BuiltinFunction,
    arguments: list[Argument],
    template_arguments: tuple[TemplateArgumentValue, ...] = (),
    receiver: Argument | None = None,
    warp_size: int = 32,
) -> Lowered:
    """The call in a function of its own."""
    builder = FunctionBuilder()

    def place(item: Argument) -> tuple[ValueId, ValueId | None]:
        layout = builtin_layout(item.type)
        if layout is not None:
            builder.structs[layout.name] = layout
        if not item.is_lvalue:
            return builder.undefined(item.type, SPAN), None
        symbol = builder.symbol("x", SymbolKind.LOCAL, item.type, SPAN)
        address = builder.symbol_address(symbol, SPAN)
        return builder.undefined(item.type, SPAN), address

    places = [place(item) for item in arguments]
    own = (None, None) if receiver is None else place(receiver)
    call = BuiltinCall(
        builder,
        function.name,
        tuple(value for value, _ in places),
        tuple(address for _, address in places),
        template_arguments,
        own[0],
        own[1],
        SPAN,
        warp_size,
        lambda index: arguments[index].literal if index < len(arguments) else None,
    )
    value = function.lower(call)
    result = None if value is None else builder.type_of(value)
    return Lowered(builder.finish(FunctionId("f"), "f", FunctionKind.DEVICE, VOID, SPAN), result)


_CALL = re.compile(r"(?:([\w:<>,@&]+?)\.)?(operator[-+*/=<>!]+|[\w:]+?)(?:<([^()]*)>)?\((.*)\)", re.DOTALL)


def lowered(call: str, warp_size: int = 32) -> Lowered:
    """`min(s32, u32)`, `tex2D<float4>(…)`, `tile32.shfl(f32, s32)`."""
    match = _CALL.fullmatch(call.strip())
    assert match is not None, call
    receiver = argument(match[1]) if match[1] else None
    explicit = tuple(int(word) if word.strip().isdigit() else type_named(word) for word in split(match[3] or ""))
    found = builtin_method(receiver.type, match[2]) if receiver else builtin_function(match[2])
    assert found is not None, f"no builtin {match[2]}"
    return lower_call(found, [argument(word) for word in split(match[4])], explicit, receiver, warp_size)


def check(call: str, expected: str, result: str | None = None, warp_size: int = 32) -> None:
    """The call emits exactly these lines, after the values of its arguments; the IR is well formed."""
    found = lowered(call, warp_size)
    assert verify(found.function) == ()
    lines = [line for line in found.lines if not re.search(r"= (?:undef|address \$)", line) and line != "return"]
    assert lines == dedent(expected).strip().splitlines(), "\n".join(lines)
    if result is not None:
        assert found.result == type_named(result)


def result_of(call: str) -> Type | None:
    found = lowered(call)
    assert found.opaque == [], call
    assert verify(found.function) == ()
    return found.result
