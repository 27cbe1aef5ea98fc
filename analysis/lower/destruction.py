"""Code at the ends of objects: destructors, and the exits of scopes and full expressions that run them.

Rules   A class with a destructor of its own ends by a call of it; the destructor ends the members and bases behind its
        body, each exit of the body included.  Any other class ends member by member, last to first, then base by base;
        an array ends element by element, last to first.
        An exit ends everything between the endings here and those of the place it goes to, the newest first.
        The call is attributed to the exit: the closing brace, or the `return`, `break`, `continue` or `goto`.
Limits  Library classes that end by code, and arrays of them, end by an opaque instruction.
Source  C++ standard, "Destructors", "Jump statements".
"""

from __future__ import annotations

from functools import partial
from typing import Final, final

from analysis.ir.ids import BasicBlockId, ValueId
from analysis.ir.instructions import Branch, Opaque
from analysis.ir.source import Span
from analysis.ir.types import BOOLEAN, S32, S64, ArrayType, PointerType, StructType
from analysis.lower.builder import Mark
from analysis.lower.calls import call_method
from analysis.lower.chosen_calls import Arm, call_one
from analysis.lower.class_numbers import class_of, number_of_class
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.conversions import truth
from analysis.lower.counted_loops import count_down
from analysis.lower.endings import Ending, Exit, FullExpression, Label, Temporary
from analysis.lower.expressions.members import downcast, member_place, upcast
from analysis.lower.lifetimes import ends_by_code, ends_somewhere
from analysis.lower.names import Record
from analysis.lower.records import destructors_of, has_destructor, has_virtual_destructor
from analysis.syntax.tree import Node

MAX_UNROLLED: Final = 64
"""Arrays of more elements end in a loop."""


def destroy(ctx: LoweringContext, object: LValue, span: Span) -> None:
    """The end of `object`, whose class is known."""
    type = object.type
    if not ends_by_code(ctx, type):
        return
    record = ctx.program.records.get(type.name) if isinstance(type, StructType) else None
    if isinstance(type, ArrayType) and type.length is not None:
        _destroy_elements(ctx, object, type, type.length, span)
    elif record is None:
        ends_somewhere(ctx, object.address, type, span)
    elif has_destructor(record) and destructors_of(record):
        call_method(ctx, object, record, destructors_of(record), (), (), span, is_exact=True)
    elif has_destructor(record):
        ends_somewhere(ctx, object.address, type, span)
    else:
        for ending in _parts(ctx, object, record, span):
            destroy(ctx, LValue(ending.address, ending.type), span)


def _destroy_elements(ctx: LoweringContext, array: LValue, type: ArrayType, length: int, span: Span) -> None:
    def end(number: ValueId) -> None:
        address = ctx.builder.element_address(array.address, number, type.element, span)
        destroy(ctx, LValue(address, type.element), span)

    if length > MAX_UNROLLED:
        count_down(ctx, ctx.builder.constant(length, S64, span), end, span)
        return
    for index in range(length - 1, -1, -1):
        end(ctx.builder.constant(index, S32, span))


def _parts(ctx: LoweringContext, whole: LValue, record: Record, span: Span) -> list[Ending]:
    """The bases and members that end by code, in the order in which they end."""
    begun: list[Ending] = []
    for base, _ in record.bases:
        if ends_by_code(ctx, base.type):
            part = upcast(ctx, whole, record, base, span)
            if part is not None:
                begun.append(Ending(part.address, base.type, None))
    for index in range(record.own_fields, len(record.fields)):
        declared = record.fields[index].declared
        if not declared.is_reference and ends_by_code(ctx, declared.type):
            member = member_place(ctx, whole, record, index, span)
            begun.append(Ending(member.address, declared.type, None))
    return begun[::-1]


def parts_end(ctx: LoweringContext, whole: LValue, record: Record, span: Span) -> None:
    """The body of a destructor begins: behind each of its exits the members and bases end."""
    if not record.is_union:
        for part in reversed(_parts(ctx, whole, record, span)):
            ctx.endings = Ending(part.address, part.type, ctx.endings)


def end_object(ctx: LoweringContext, object: LValue, span: Span) -> None:
    """`object.~T()`: of a class that may be derived from what is seen, where the object is not a variable itself."""
    is_exact = object.variable is not None
    record = ctx.program.records.get(object.type.name) if isinstance(object.type, StructType) else None
    if record is not None and not is_exact and has_virtual_destructor(record):
        _end_by_class(ctx, object, record, span)
    else:
        destroy(ctx, object, span)


def _end_by_class(ctx: LoweringContext, object: LValue, record: Record, span: Span) -> None:
    """The end of an object whose class it says itself."""

    def unknown() -> Operand:
        construct = f"virtual destructor of {record.name}"
        ctx.builder.emit(Opaque(None, construct, (object.address,), True, span))
        return None

    def end(whole: Record) -> Operand:
        seen = object if whole is record else downcast(ctx, object, whole, span)
        destroy(ctx, LValue(seen.address, whole.type), span)
        return None

    ctx.asks_for_functions = True
    hierarchy = ctx.program.hierarchy(record)
    number = class_of(ctx, object, record, span) if hierarchy.classes else None
    if number is None:
        unknown()
        return
    arms = [Arm((number_of_class(whole),), partial(end, whole)) for whole in hierarchy.classes]
    call_one(ctx, number, arms, None if hierarchy.is_known else unknown, span, span)


def end_pointee(ctx: LoweringContext, pointer: ValueId, type: PointerType, span: Span) -> None:
    """What `delete` does before it frees memory; nothing where the pointer is null."""
    record = ctx.program.records.get(type.element.name) if isinstance(type.element, StructType) else None
    if record is None or not (ends_by_code(ctx, type.element) or has_virtual_destructor(record)):
        return
    some, behind = ctx.builder.new_block(), ctx.builder.new_block()
    ctx.builder.terminate(Branch(truth(ctx.builder, pointer, span), some, behind, None, span))
    ctx.builder.continue_in(some)
    end_object(ctx, LValue(pointer, type.element), span)
    ctx.builder.jump(behind, span)
    ctx.builder.continue_in(behind)


# -- exits ---------------------------------------------------------------------------------------------------------


def leave(ctx: LoweringContext, until: Ending | None, span: Span, *, kept: ValueId | None = None) -> None:
    """Ends all that is in the endings here and not in `until`; `kept` becomes what the function gives back."""
    outer = ctx.endings
    while ctx.endings is not until and ctx.endings is not None and not ctx.builder.is_terminated:
        ending = ctx.endings
        ctx.endings = ending.before
        if ending.address != kept:
            destroy(ctx, LValue(ending.address, ending.type), span)
    ctx.endings = outer


def go(ctx: LoweringContext, exit: Exit, span: Span) -> None:
    """A jump out of the scopes here."""
    leave(ctx, exit.endings, span)
    ctx.builder.jump(exit.block, span)


def scope(ctx: LoweringContext, node: Node) -> _InnerScope:
    """Names declared inside are forgotten afterwards, and objects end where control falls out at the end of `node`."""
    return _InnerScope(ctx, node)


@final
class _InnerScope:
    __slots__ = ("_around", "_ctx", "_node", "_outer")  # each statement has one: a generator takes four times as long

    def __init__(self, ctx: LoweringContext, node: Node) -> None:
        self._ctx = ctx
        self._node = node

    def __enter__(self) -> None:
        ctx = self._ctx
        self._outer, self._around = ctx.endings, ctx.scope
        ctx.scope = ctx.scope.inside()

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        ctx, outer, node = self._ctx, self._outer, self._node
        if ctx.endings is not outer and failure is None:
            leave(ctx, outer, ctx.token_span(max(node.end - 1, node.start), node.end))
            ctx.endings = outer
        ctx.scope = self._around


def leave_on_edge(ctx: LoweringContext, mark: Mark, exit: Exit, span: Span) -> None:
    """Jumps to the exit that were built since `mark` end what ends on the way there."""
    if ctx.endings is exit.endings:
        return
    landing = ctx.builder.redirect(mark, exit.block)
    ctx.builder.continue_in(landing)
    go(ctx, exit, span)


def go_to_label(ctx: LoweringContext, label: Label, span: Span) -> None:
    """`goto`; where the label has not come yet, what ends on the way is decided when it does."""
    if label.is_found or ctx.endings is None:
        go(ctx, Exit(label.block, label.endings), span)
        return
    landing = ctx.builder.new_block()
    ctx.builder.jump(landing, span)
    label.jumps.append((Exit(landing, ctx.endings), span))


def find_label(ctx: LoweringContext, label: Label, span: Span) -> None:
    """The label stands here: control goes on in its block."""
    ctx.builder.jump(label.block, span)
    here = ctx.endings
    label.is_found, label.endings = True, here
    for jump, at in label.jumps:
        ctx.builder.continue_in(jump.block)
        ctx.endings = jump.endings
        go(ctx, Exit(label.block, here), at)
    label.jumps.clear()
    ctx.endings = here
    ctx.builder.continue_in(label.block)


# -- full expressions ----------------------------------------------------------------------------------------------


def full_expression(ctx: LoweringContext, span: Span) -> _WholeExpression:
    """The temporaries that are made inside end behind it."""
    return _WholeExpression(ctx, span)


@final
class _WholeExpression:
    __slots__ = ("_ctx", "_mine", "_outer", "_span")

    def __init__(self, ctx: LoweringContext, span: Span) -> None:
        self._ctx = ctx
        self._span = span

    def __enter__(self) -> None:
        ctx = self._ctx
        self._outer = ctx.full_expression
        ctx.full_expression = self._mine = FullExpression()

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        if failure is not None:
            return
        self._ctx.full_expression = self._outer
        if self._mine.temporaries:
            _end_temporaries(self._ctx, self._mine, self._span)


def full_condition(ctx: LoweringContext, if_true: BasicBlockId, if_false: BasicBlockId, span: Span) -> _WholeCondition:
    """The temporaries that are made inside end behind it, on the way to either of the blocks that it goes to."""
    return _WholeCondition(ctx, (if_true, if_false), span)


@final
class _WholeCondition:
    __slots__ = ("_blocks", "_ctx", "_mark", "_mine", "_outer", "_span")

    def __init__(self, ctx: LoweringContext, blocks: tuple[BasicBlockId, BasicBlockId], span: Span) -> None:
        self._ctx = ctx
        self._blocks = blocks
        self._span = span

    def __enter__(self) -> None:
        ctx = self._ctx
        self._outer = ctx.full_expression
        ctx.full_expression = self._mine = FullExpression()
        self._mark = ctx.builder.mark()

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        ctx, mine, span = self._ctx, self._mine, self._span
        if failure is not None:
            return
        ctx.full_expression = self._outer
        if mine.temporaries:
            for target in self._blocks:
                landing = ctx.builder.redirect(self._mark, target)
                ctx.builder.continue_in(landing)
                _end_temporaries(ctx, mine, span)
                ctx.builder.jump(target, span)


def _end_temporaries(ctx: LoweringContext, full: FullExpression, span: Span) -> None:
    for temporary in reversed(full.temporaries):
        if ctx.builder.is_terminated:
            return
        if temporary.flag is None:
            destroy(ctx, LValue(temporary.address, temporary.type), span)
        else:
            _end_if_made(ctx, temporary, span)


def _end_if_made(ctx: LoweringContext, temporary: Temporary, span: Span) -> None:
    assert temporary.flag is not None
    builder = ctx.builder
    address = builder.symbol_address(temporary.flag, span)
    made, behind = builder.new_block(), builder.new_block()
    builder.terminate(Branch(builder.load(address, BOOLEAN, span), made, behind, temporary.branch, span))
    builder.continue_in(made)
    destroy(ctx, LValue(temporary.address, temporary.type), span)
    builder.store(address, builder.constant(False, BOOLEAN, span), span)  # the next time, it may not be made
    builder.jump(behind, span)
    builder.continue_in(behind)
