"""Arrays that `new T[n]` makes and `delete[]` ends, element by element.

Rules   The elements of the list come first, in order; what is left is made by default, and zero where a list or `()`
        stands behind the type.
        An array whose elements end by code has its length in front of it, where `delete[]` finds it; elements end last
        to first.
Limits  That there may be no memory left is not looked at: then lengths and elements are written to null.
Source  C++20 standard, [expr.new], [expr.delete]; Itanium C++ ABI, "Array operator new cookies".
"""

from __future__ import annotations

from typing import Final

from analysis.ir.function import SymbolKind
from analysis.ir.ids import ValueId
from analysis.ir.instructions import Branch
from analysis.ir.source import Span
from analysis.ir.types import S64, U8, U64, PointerType, StructType, Type
from analysis.lower.construct import default_object, initialise, initialise_zero, needs_construction
from analysis.lower.context import LoweringContext, LValue
from analysis.lower.conversions import truth
from analysis.lower.counted_loops import count_down, count_from
from analysis.lower.destruction import destroy
from analysis.lower.layouts import size_and_alignment
from analysis.lower.lifetimes import ends_by_code
from analysis.lower.packs import expanded
from analysis.syntax.tree import Node

_LENGTH_BYTES: Final = 8


def bytes_in_front(ctx: LoweringContext, element: Type) -> int:
    """How many bytes lie in front of an allocated array, in whose last eight its length stands; 0 where none do."""
    if not ends_by_code(ctx, element):
        return 0
    return max(_LENGTH_BYTES, size_and_alignment(element, ctx.program.layouts)[1])


def behind_length(ctx: LoweringContext, memory: ValueId, element: Type, count: ValueId, span: Span) -> ValueId:
    """The address of the first element in memory that begins with what stands in front of the array."""
    front = bytes_in_front(ctx, element)
    ctx.builder.store(_length_address(ctx, memory, front, span), count, span)
    first = _moved(ctx, memory, front, span)
    return ctx.builder.bitcast(first, PointerType(element, ctx.builder.space_of(first)), span)


def make_elements(
    ctx: LoweringContext,
    first: ValueId,
    element: Type,
    count: ValueId,
    length: int | None,
    given: Node | None,
    span: Span,
) -> None:
    """Makes `count` elements, `length` where that is constant; `given` is the list or the brackets behind the type."""
    listed = () if given is None or given.kind != "initializer_list" else expanded(ctx.scope, given.children)
    for index, node in enumerate(listed):
        number = ctx.builder.constant(index, S64, span)
        initialise(ctx, _element(ctx, first, number, element, span), node, ctx.span(node))
    record = ctx.program.records.get(element.name) if isinstance(element, StructType) else None
    is_left = given is not None or needs_construction(ctx, element)
    if not is_left or (length is not None and length <= len(listed)):
        return

    def make(index: ValueId) -> None:
        place = _element(ctx, first, index, element, span)
        if given is not None or record is None:
            initialise_zero(ctx, place, span)
        else:
            default_object(ctx, place, record, span)

    count_from(ctx, ctx.builder.constant(len(listed), S64, span), count, make, span)


def end_elements(ctx: LoweringContext, first: ValueId, element: Type, span: Span) -> ValueId:
    """Ends the elements, unless the pointer is null; gives the address of the memory to free."""
    front = bytes_in_front(ctx, element)
    builder = ctx.builder
    memory = builder.bitcast(first, PointerType(U8, builder.space_of(first)), span)
    if not front:
        return memory
    kept = builder.symbol("", SymbolKind.LOCAL, builder.types[memory], span)
    builder.store(builder.symbol_address(kept, span), memory, span)
    some, behind = builder.new_block(), builder.new_block()
    builder.terminate(Branch(truth(builder, first, span), some, behind, None, span))
    builder.continue_in(some)
    begin = _moved(ctx, memory, -front, span)
    length = builder.load(_length_address(ctx, begin, front, span), S64, span)
    count_down(ctx, length, lambda number: destroy(ctx, _element(ctx, first, number, element, span), span), span)
    builder.store(builder.symbol_address(kept, span), begin, span)
    builder.jump(behind, span)
    builder.continue_in(behind)
    return builder.load(builder.symbol_address(kept, span), builder.types[memory], span)


def _element(ctx: LoweringContext, first: ValueId, index: ValueId, element: Type, span: Span) -> LValue:
    return LValue(ctx.builder.element_address(first, index, element, span), element)


def _moved(ctx: LoweringContext, memory: ValueId, distance: int, span: Span) -> ValueId:
    bytes_ = ctx.builder.bitcast(memory, PointerType(U8, ctx.builder.space_of(memory)), span)
    return ctx.builder.element_address(bytes_, ctx.builder.constant(distance, S64, span), U8, span)


def _length_address(ctx: LoweringContext, memory: ValueId, front: int, span: Span) -> ValueId:
    at = _moved(ctx, memory, front - _LENGTH_BYTES, span)
    return ctx.builder.bitcast(at, PointerType(U64, ctx.builder.space_of(at)), span)
