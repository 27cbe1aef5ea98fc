"""Conditions: `&&`, `||`, `!`, `?:`, and when they become control flow.

Question  Which source branch does a piece of a condition belong to, and is it a jump or an operation?
Rules     Inside the condition of an `if`, a loop or a `?:`, the operators `&&`, `||` and `!` belong to that branch.
          Elsewhere `&&` and `||` are branches of their own, and so is every `?:`.
          The right side of `&&` and `||` and the arms of `?:` are jumped around when they can trap, read memory, call
          or change something; otherwise both sides are computed: logical operations in conditions, selects elsewhere.
Words     An expression is *quiet* when computing it needlessly cannot be noticed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from analysis.cpp.conversions.model import Argument, ValueCategory
from analysis.cpp.expressions.conditional import conditional
from analysis.cpp.expressions.model import Operation, is_known, promoted_value
from analysis.cpp.types.model import BOOL
from analysis.ir.function import SourceBranch, SourceBranchKind, SymbolKind
from analysis.ir.ids import BasicBlockId, SourceBranchId, SymbolId, ValueId
from analysis.ir.instructions import Branch, Select
from analysis.ir.operators import BinaryOperator, UnaryOperator
from analysis.ir.source import Span
from analysis.ir.types import (
    BOOLEAN,
    ArrayType,
    GroupType,
    HandleType,
    MemorySpace,
    PointerType,
    StructType,
    Type,
    UnknownType,
    VectorType,
)
from analysis.lower.builtins.atomic_objects import is_atomic_reference
from analysis.lower.class_knowledge import RecordClasses
from analysis.lower.constants import evaluate
from analysis.lower.context import LoweringContext, LValue, Operand
from analysis.lower.conversions import arithmetic_type, is_arithmetic, is_vague, truth
from analysis.lower.convert import implicit
from analysis.lower.cpp_types import ir_type
from analysis.lower.exact_arguments import named, structured_argument
from analysis.lower.expressions.declared_operators import is_declared
from analysis.lower.expressions.dispatch import (
    converted_from,
    decayed,
    handles,
    handles_object,
    load,
    lower,
    lower_object,
    object_behind,
    selected_object,
    unsupported,
    used_value,
)
from analysis.lower.expressions.made_objects import made_object
from analysis.lower.expressions.members import upcast
from analysis.lower.lifetimes import conditionally, ends_somewhere
from analysis.lower.names import BuiltinName, ConstantName, LocalVariable, TemplateValue
from analysis.lower.overloads import argument_of
from analysis.lower.records import conversion_operators, is_derived
from analysis.lower.virtual_calls import whole_class
from analysis.syntax.tree import Node

_AND: Final = frozenset({"&&", "and"})
_OR: Final = frozenset({"||", "or"})


def branch_on(
    ctx: LoweringContext, node: Node, if_true: BasicBlockId, if_false: BasicBlockId, branch: SourceBranchId
) -> None:
    """Ends the current block: goes to `if_true` or `if_false`, as part of the source branch `branch`."""
    node = _bare(node)
    sign = node.field("operator") if node.kind in ("binary_expression", "unary_expression") else None
    kind = "" if sign is None or _is_call(ctx, node, sign.kind) else sign.kind
    if kind in ("!", "not"):
        argument = node.field("argument")
        if argument is not None:
            return branch_on(ctx, argument, if_false, if_true, branch)
    if kind in _AND or kind in _OR:
        left, right = node.field("left"), node.field("right")
        if left is not None and right is not None and _needs_jump(ctx, node):
            middle = ctx.builder.new_block()
            if kind in _AND:
                branch_on(ctx, left, middle, if_false, branch)
            else:
                branch_on(ctx, left, if_true, middle, branch)
            ctx.builder.continue_in(middle)
            with conditionally(ctx, branch):
                branch_on(ctx, right, if_true, if_false, branch)
            return None
    value = condition_value(ctx, node)
    ctx.builder.terminate(Branch(value, if_true, if_false, branch, ctx.span(node)))
    return None


def _needs_jump(ctx: LoweringContext, node: Node) -> bool:
    """Whether some right side of the `&&` and `||` that make up a condition may not be computed needlessly."""
    node = _bare(node)
    if node.kind == "unary_expression":
        sign, argument = node.field("operator"), node.field("argument")
        is_not = sign is not None and sign.kind in ("!", "not")
        is_not = is_not and not is_declared(ctx, node, "!")
        return is_not and argument is not None and _needs_jump(ctx, argument)
    sign = node.field("operator") if node.kind == "binary_expression" else None
    if sign is None or (sign.kind not in _AND and sign.kind not in _OR) or is_declared(ctx, node, sign.kind):
        return False
    left, right = node.field("left"), node.field("right")
    if left is None or right is None:
        return False
    return not is_quiet(ctx, right) or _needs_jump(ctx, left)


def condition_value(ctx: LoweringContext, node: Node) -> ValueId:
    """A condition as one boolean; its quiet `&&` and `||` are logical operations."""
    bare = _bare(node)
    sign = bare.field("operator") if bare.kind in ("binary_expression", "unary_expression") else None
    kind = "" if sign is None or _is_call(ctx, bare, sign.kind) else sign.kind
    span = ctx.span(bare)
    builder = ctx.builder
    if kind in _AND or kind in _OR:
        left, right = bare.field("left"), bare.field("right")
        if left is not None and right is not None and is_quiet(ctx, right):
            first, second = condition_value(ctx, left), condition_value(ctx, right)
            operator = BinaryOperator.LOGICAL_AND if kind in _AND else BinaryOperator.LOGICAL_OR
            value = builder.binary(operator, first, second, BOOLEAN, span)
            builder.expression(span, value)
            return value
    if kind in ("!", "not"):
        argument = bare.field("argument")
        if argument is not None and is_quiet(ctx, argument):
            value = builder.unary(UnaryOperator.LOGICAL_NOT, condition_value(ctx, argument), BOOLEAN, span)
            builder.expression(span, value)
            return value
    return boolean(ctx, converted_from(ctx, lower(ctx, bare), bare), span)


def boolean(ctx: LoweringContext, operand: Operand, span: Span) -> ValueId:
    """An object or a value contextually converted to bool."""
    type = ctx.type_of(operand)
    if isinstance(type, StructType) or is_atomic_reference(type):
        return implicit(ctx, operand, BOOLEAN, span, BOOL, is_direct=True)
    return truth(ctx.builder, load(ctx, operand, span), span)


def lower_logical(ctx: LoweringContext, node: Node) -> Operand:
    """A `&&` or `||` whose value is used: a source branch of its own."""
    left, sign, right = node.field("left"), node.field("operator"), node.field("right")
    if left is None or sign is None or right is None:
        return unsupported(ctx, node)
    span = ctx.span(node)
    builder = ctx.builder
    keyword = ctx.span(sign)
    branch = builder.source_branch(SourceBranch(SourceBranchKind.SHORT_CIRCUIT, keyword, span))
    is_and = sign.kind in _AND
    if not _needs_jump(ctx, node):
        first, second = condition_value(ctx, left), condition_value(ctx, right)
        other = builder.constant(not is_and, BOOLEAN, span)
        result = builder.value(BOOLEAN)
        sides = (second, other) if is_and else (other, second)
        builder.emit(Select(result, first, sides[0], sides[1], branch, span))
        return result
    if_true, if_false, end = builder.new_block(), builder.new_block(), builder.new_block()
    symbol = builder.symbol("", SymbolKind.LOCAL, BOOLEAN, span)
    branch_on(ctx, node, if_true, if_false, branch)
    for block, value in ((if_true, True), (if_false, False)):
        builder.continue_in(block)
        builder.store(builder.symbol_address(symbol, span), builder.constant(value, BOOLEAN, span), span)
        builder.jump(end, span)
    builder.continue_in(end)
    return builder.load(builder.symbol_address(symbol, span), BOOLEAN, span)


@handles("conditional_expression")
def _conditional(ctx: LoweringContext, node: Node) -> Operand:
    condition, if_true, if_false = node.field("condition"), node.field("consequence"), node.field("alternative")
    if condition is None or if_false is None:
        return unsupported(ctx, node)
    if_true = condition if if_true is None else if_true  # GNU's `a ?: b`
    branch = ctx.builder.source_branch(
        SourceBranch(SourceBranchKind.CONDITIONAL, _question_mark(ctx, condition, if_true), ctx.span(node))
    )
    if is_quiet(ctx, if_true) and is_quiet(ctx, if_false) and is_quiet(ctx, condition):
        result: Operand = _select(ctx, condition, if_true, if_false, branch, ctx.span(node))
    else:
        result = _diamond(ctx, condition, if_true, if_false, branch, ctx.span(node))
    if isinstance(result, int) and _may_be_object(if_true) and _may_be_object(if_false):
        ctx.chosen[result] = node
    return result


@handles_object("conditional_expression")
def _conditional_object(ctx: LoweringContext, node: Node) -> Operand:
    """`(c ? a : b) = value`: the address of the object that is chosen."""
    condition, if_true, if_false = node.field("condition"), node.field("consequence"), node.field("alternative")
    if condition is None or if_true is None or if_false is None:
        return lower(ctx, node)
    if not (_may_be_object(if_true) and _may_be_object(if_false)):
        return lower(ctx, node)
    keyword = _question_mark(ctx, condition, if_true)
    branch = ctx.builder.source_branch(SourceBranch(SourceBranchKind.CONDITIONAL, keyword, ctx.span(node)))
    return _diamond(ctx, condition, if_true, if_false, branch, ctx.span(node), is_object=True)


@handles_object("parenthesized_expression")
def _parenthesized_object(ctx: LoweringContext, node: Node) -> Operand:
    return lower_object(ctx, node.children[0]) if len(node.children) == 1 else lower(ctx, node)


def _may_be_object(node: Node) -> bool:
    bare = _bare(node)
    is_address = bare.kind == "pointer_expression" and bare.child("&") is not None
    return bare.kind in _OBJECTS and not is_address


def _question_mark(ctx: LoweringContext, condition: Node, if_true: Node) -> Span:
    between = condition.source[condition.end : if_true.start]
    at = condition.end + max(between.find(b"?"), 0)
    return ctx.token_span(at, at + 1)


def _select(
    ctx: LoweringContext, condition: Node, if_true: Node, if_false: Node, branch: SourceBranchId, span: Span
) -> ValueId:
    builder = ctx.builder
    test = condition_value(ctx, condition)
    operands = lower(ctx, if_true), lower(ctx, if_false)
    first, second = (used_value(ctx, operand, arm) for operand, arm in zip(operands, (if_true, if_false), strict=True))
    joined = joined_arms(ctx, operands)
    type = _stored(joined) or _common_type(builder.types[first], builder.types[second])
    first, second = implicit(ctx, first, type, span), implicit(ctx, second, type, span)
    result = _as_joined(ctx, builder.value(type), joined)
    builder.emit(Select(result, test, first, second, branch, span))
    if_object, else_object = operands
    if isinstance(if_object, LValue) and isinstance(else_object, LValue) and if_object.type == else_object.type:
        ctx.objects[result] = partial(selected_object, ctx, test, if_object, else_object, span)
    return result


def _diamond(
    ctx: LoweringContext,
    condition: Node,
    if_true: Node,
    if_false: Node,
    branch: SourceBranchId,
    span: Span,
    *,
    is_object: bool = False,
) -> Operand:
    """Both arms as blocks; the result goes through a local symbol, or is an address when both arms are objects that
    are large or wanted as objects."""
    builder = ctx.builder
    blocks = builder.new_block(), builder.new_block()
    end = builder.new_block()
    branch_on(ctx, condition, blocks[0], blocks[1], branch)
    ends: list[tuple[BasicBlockId, Operand, Span]] = []
    for block, arm in zip(blocks, (if_true, if_false), strict=True):
        builder.continue_in(block)
        lower_arm = lower_object if is_object else lower
        with conditionally(ctx, branch):
            operand = None if arm.kind == "throw_statement" else lower_arm(ctx, arm)
        if is_object and isinstance(operand, int) and operand in ctx.objects:
            operand = object_behind(ctx, operand, ctx.span(arm))
        ends.append((builder.current, operand, ctx.span(arm)))
    _see_as_base(ctx, ends)
    first, second = ends[0][1], ends[1][1]
    made = made_object(ctx, ends, end, branch, span)
    if made is not None:
        return made
    if _same_object_type(ctx, first, second, is_object=is_object):
        return _joined_places(ctx, ends, end, span)
    value = _joined_values(ctx, ends, end, span)
    if is_object and isinstance(first, LValue) and isinstance(second, LValue) and (first.bits or second.bits):
        return _chosen_bits(ctx, first, second, span)
    return value


def _see_as_base(ctx: LoweringContext, ends: list[tuple[BasicBlockId, Operand, Span]]) -> None:
    """Of two objects that are there, one of a class derived from the other's is seen as that ([expr.cond])."""
    for at, other in ((0, 1), (1, 0)):
        (block, object, span), base = ends[at], ends[other][1]
        if not isinstance(object, LValue) or not isinstance(base, LValue) or object.is_temporary:
            return
        if object.category is None or object.category is not base.category:
            return
        record, wanted = (whole_class(ctx.program, one.type) for one in (object, base))
        if record is None or wanted is None or record is wanted or not is_derived(record, wanted):
            continue
        ctx.builder.continue_in(block)
        seen = upcast(ctx, object, record, wanted, span)
        if seen is not None:
            ends[at] = (ctx.builder.current, seen, span)
        return


def _chosen_bits(ctx: LoweringContext, first: LValue, second: LValue, span: Span) -> LValue:
    """One of two bit-fields has no address: what is written to it may change either unit."""
    addresses = tuple(ctx.builder.bitcast(found.address, _generic(found), span) for found in (first, second))
    address = ctx.builder.opaque("a choice between bit-fields", addresses, _generic(first), span)
    return LValue(address, first.type, category=ValueCategory.LVALUE)


def _same_object_type(ctx: LoweringContext, first: Operand, second: Operand, *, is_object: bool) -> bool:
    if not (isinstance(first, LValue) and isinstance(second, LValue)) or first.type != second.type:
        return False
    if first.bits or second.bits:
        units = ctx.builder.types[first.address], ctx.builder.types[second.address]
        return is_object and first.bits == second.bits and units[0] == units[1]
    return isinstance(first.type, StructType | ArrayType) or is_object


def _joined_places(
    ctx: LoweringContext, ends: list[tuple[BasicBlockId, Operand, Span]], end: BasicBlockId, span: Span
) -> LValue:
    builder = ctx.builder
    places = [operand for _, operand, _ in ends if isinstance(operand, LValue)]
    spaces = {builder.types[found.address] for found in places}
    type = builder.types[places[0].address] if len(spaces) == 1 else _generic(places[0])
    symbol = builder.symbol("", SymbolKind.LOCAL, type, span)
    for block, operand, arm in ends:
        assert isinstance(operand, LValue)
        builder.continue_in(block)
        address = builder.bitcast(operand.address, type, arm)
        builder.store(builder.symbol_address(symbol, arm), address, arm)
        builder.jump(end, arm)
    builder.continue_in(end)
    address = builder.load(builder.symbol_address(symbol, span), type, span)
    first, second = places
    joined = joined_arms(ctx, places)
    return LValue(
        address,
        first.type,
        first.volatile or second.volatile,
        bits=first.bits,
        category=first.category if first.category is second.category and not first.is_temporary else None,
        spelled=None if joined is None else joined.type,
    )


def _generic(found: LValue) -> Type:
    return PointerType(found.type, MemorySpace.GENERIC, found.volatile)


def _joined_values(
    ctx: LoweringContext, ends: list[tuple[BasicBlockId, Operand, Span]], end: BasicBlockId, span: Span
) -> Operand:
    builder = ctx.builder
    types = [ctx.type_of(operand) for _, operand, _ in ends]
    known = [decayed(type) for type in types if type is not None]
    if not known:
        for block, _, arm in ends:
            builder.continue_in(block)
            builder.jump(end, arm)
        builder.continue_in(end)
        return None
    joined = joined_arms(ctx, [operand for _, operand, _ in ends])
    type = _stored(joined) or (known[0] if len(known) == 1 else _common_type(known[0], known[1]))
    symbol = builder.symbol("", SymbolKind.LOCAL, type, span)
    address = _address_symbol(ctx, [operand for _, operand, _ in ends], span)
    for block, operand, arm in ends:
        builder.continue_in(block)
        if address is not None and isinstance(operand, LValue):
            pointer = builder.bitcast(operand.address, builder.symbols[address].type, arm)
            builder.store(builder.symbol_address(address, arm), pointer, arm)
        if operand is not None:
            if not (isinstance(operand, LValue) and isinstance(operand.type, StructType)):
                operand = load(ctx, operand, arm)
                builder.expression(arm, operand)
            value = implicit(ctx, operand, type, arm, None if joined is None else joined.type)
            builder.store(builder.symbol_address(symbol, arm), value, arm)
        builder.jump(end, arm)
    builder.continue_in(end)
    ends_somewhere(ctx, builder.symbol_address(symbol, span), type, span)
    result = _as_joined(ctx, builder.load(builder.symbol_address(symbol, span), type, span), joined)
    if address is not None:
        pointer = builder.symbols[address].type
        loaded = builder.load(builder.symbol_address(address, span), pointer, span)
        place = LValue(loaded, type, category=ValueCategory.LVALUE, spelled=None if joined is None else joined.type)
        ctx.objects[result] = lambda: place
    return result


def _address_symbol(ctx: LoweringContext, operands: Sequence[Operand], span: Span) -> SymbolId | None:
    """Holds which object was read; None where there may be none, or where it may be a local variable.

    The address of a local variable is not kept for a reference that will hardly ever be made: nothing would be known
    about the variable any more.
    """
    places = [operand for operand in operands if isinstance(operand, LValue) and operand.held is None]
    if len(places) < len(operands) or len({found.type for found in places}) != 1:
        return None
    spaces = {ctx.builder.space_of(found.address) for found in places}
    if MemorySpace.LOCAL in spaces or any(found.bits or found.volatile for found in places):
        return None
    space = spaces.pop() if len(spaces) == 1 else MemorySpace.GENERIC
    return ctx.builder.symbol("", SymbolKind.LOCAL, PointerType(places[0].type, space), span)


def joined_arms(ctx: LoweringContext, operands: Sequence[Operand]) -> Argument | None:
    """What a choice between two operands is by the rules of the standard; None where a type is not known."""
    arms = [structured_argument(ctx.program, argument_of(ctx, operand)) for operand in operands]
    if any(arm.is_assumed or not is_known(arm.type) for arm in arms):
        return None
    found = conditional(RecordClasses(ctx.program), *arms)
    return replace(found.result, type=named(found.result.type)) if isinstance(found, Operation) else None


def _stored(joined: Argument | None) -> Type | None:
    """What the value of a choice is stored as: numbers and objects of classes are converted to one type."""
    type = None if joined is None else ir_type(promoted_value(joined) if joined.bits is not None else joined.type)
    return type if isinstance(type, StructType) or (type is not None and is_arithmetic(type)) else None


def _as_joined(ctx: LoweringContext, value: ValueId, joined: Argument | None) -> ValueId:
    """The value of a choice, of which `joined` says what it is."""
    if joined is None:
        return ctx.typed(value, None)
    ctx.chosen_between[value] = joined
    return ctx.typed(value, promoted_value(joined) if joined.bits is not None else joined.type)


def _common_type(first: Type, second: Type) -> Type:
    """The type of `c ? first : second`."""
    if first == second:
        return first
    if isinstance(first, PointerType) and isinstance(second, PointerType):
        return _common_pointer(first, second)
    if is_arithmetic(first) and is_arithmetic(second):
        return arithmetic_type(first, second)
    if isinstance(first, UnknownType):
        return second
    if isinstance(second, UnknownType) or isinstance(first, PointerType):
        return first
    if isinstance(second, PointerType) or is_vague(second):
        return second
    return first if isinstance(first, StructType | VectorType) or is_vague(first) else second


def _common_pointer(first: PointerType, second: PointerType) -> PointerType:
    space = first.space if first.space is second.space else MemorySpace.GENERIC
    return PointerType(first.element, space, first.volatile or second.volatile)


# -- what may be computed needlessly -------------------------------------------------------------------------------


def is_quiet(ctx: LoweringContext, node: Node) -> bool:
    """Whether `node` reads only local variables, constants and indices, and can neither trap nor change anything."""
    kind = node.kind
    if kind in _ALWAYS_QUIET:
        return True
    if kind == "identifier":
        return _is_quiet_name(ctx, node)
    if kind == "parenthesized_expression":
        return len(node.children) == 1 and is_quiet(ctx, node.children[0])
    if kind == "binary_expression":
        return _is_quiet_operator(ctx, node)
    if kind == "unary_expression":
        argument = node.field("argument")
        return argument is not None and is_quiet(ctx, argument)
    if kind == "cast_expression":
        value = node.field("value")
        return value is not None and is_quiet(ctx, value)
    if kind == "field_expression":
        argument, operator = node.field("argument"), node.field("operator")
        if argument is None or operator is None or operator.kind != ".":
            return False
        is_quiet_base = argument.kind == "identifier" and _is_quiet_name(ctx, argument, is_base=True)
        return is_quiet_base and not _is_converted(ctx, argument, node.field("field"))
    if kind == "call_expression":
        return _is_quiet_conversion(ctx, node)
    if kind == "qualified_identifier":
        return evaluate(ctx.scope, node) is not None
    return False


def _is_quiet_name(ctx: LoweringContext, node: Node, *, is_base: bool = False) -> bool:
    entity = ctx.scope.find(node.text.decode("utf-8", "replace"))
    if isinstance(entity, LocalVariable):
        declared = entity.declared
        if declared.is_reference or declared.is_volatile:
            return False
        type = ctx.builder.symbols[entity.symbol].type
        return is_base or not isinstance(type, StructType | VectorType | GroupType | HandleType)
    return isinstance(entity, ConstantName | TemplateValue | BuiltinName)


def _is_converted(ctx: LoweringContext, whole: Node, name: Node | None) -> bool:
    """Whether a member of a local object is of a class with conversion functions, which may do anything."""
    entity = ctx.scope.find(whole.text.decode("utf-8", "replace"))
    type = ctx.builder.symbols[entity.symbol].type if isinstance(entity, LocalVariable) else None
    records = ctx.program.records
    record = records.get(type.name) if isinstance(type, StructType) else None
    index = None if record is None or name is None else record.field_index(name.text.decode("utf-8", "replace"))
    member = None if record is None or index is None else record.fields[index].declared.type
    inner = records.get(member.name) if isinstance(member, StructType) else None
    return inner is not None and bool(conversion_operators(inner))


def _is_quiet_operator(ctx: LoweringContext, node: Node) -> bool:
    left, sign, right = node.field("left"), node.field("operator"), node.field("right")
    if left is None or sign is None or right is None:
        return False
    if not (is_quiet(ctx, left) and is_quiet(ctx, right)):
        return False
    if sign.kind not in ("/", "%"):
        return True
    divisor = evaluate(ctx.scope, right, is_required=False)
    return divisor is not None and bool(divisor.value)


def _is_quiet_conversion(ctx: LoweringContext, node: Node) -> bool:
    """`int(x)` and `static_cast<int>(x)`."""
    function, arguments = node.field("function"), node.field("arguments")
    if function is None or arguments is None or len(arguments.children) != 1:
        return False
    is_cast = function.kind == "primitive_type"
    if function.kind == "template_function":
        name = function.field("name")
        is_cast = name is not None and name.text == b"static_cast"
    return is_cast and is_quiet(ctx, arguments.children[0])


def _is_call(ctx: LoweringContext, node: Node, sign: str) -> bool:
    """Whether a logical operator is a call of a function."""
    return (sign in _AND or sign in _OR or sign in ("!", "not")) and is_declared(ctx, node, sign)


def _bare(node: Node) -> Node:
    while node.kind in ("parenthesized_expression", "condition_clause") and len(node.children) == 1:
        node = node.children[0]
    return node


_OBJECTS: Final = frozenset(
    {
        "identifier",
        "qualified_identifier",
        "field_expression",
        "subscript_expression",
        "pointer_expression",
        "assignment_expression",
        "update_expression",
        "conditional_expression",
        "comma_expression",
        "call_expression",
    }
)
"""What may denote an object that can be written to."""
_ALWAYS_QUIET: Final = frozenset(
    {"number_literal", "char_literal", "true", "false", "null", "sizeof_expression", "alignof_expression"}
)
