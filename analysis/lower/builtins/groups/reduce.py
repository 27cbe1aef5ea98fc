"""Reductions and scans over the threads of a group inside a warp.

A reduction by one of CUDA's function objects is one instruction, by another function a butterfly of shuffles.  A scan
is the usual ladder of shuffles, one step for each power of two.
Limits   Tiles larger than a warp stay opaque, and so do coalesced groups that reduce by a function of the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from analysis.ir.collectives import WarpReduce
from analysis.ir.ids import ValueId
from analysis.ir.operators import AtomicOperator, BinaryOperator, CompareOperator, MathFunction, ShuffleMode
from analysis.ir.types import FloatType, GroupKind
from analysis.lower.builtins.core import opaque_bound
from analysis.lower.builtins.functors import Combine, combiner
from analysis.lower.builtins.groups.exchange import GroupOperation, shuffled
from analysis.lower.builtins.groups.group import Group
from analysis.lower.builtins.groups.ranks import thread_rank
from analysis.lower.builtins.operations import Operator
from analysis.lower.builtins.standard import functor_operator

_REDUCTIONS: Final[Mapping[Operator, AtomicOperator]] = {
    BinaryOperator.ADD: AtomicOperator.ADD,
    BinaryOperator.AND: AtomicOperator.AND,
    BinaryOperator.OR: AtomicOperator.OR,
    BinaryOperator.XOR: AtomicOperator.XOR,
    MathFunction.MINIMUM: AtomicOperator.MINIMUM,
    MathFunction.MAXIMUM: AtomicOperator.MAXIMUM,
}
_ZERO_IS_NEUTRAL: Final = frozenset((BinaryOperator.ADD, BinaryOperator.OR, BinaryOperator.XOR))


def reduce(group: Group, arguments: tuple[ValueId, ...]) -> ValueId | None:
    """`reduce(group, value, function)`, the last two arguments of the call."""
    value, functor = arguments
    operator = functor_operator(group.emit.type_of(functor))
    reduction = _REDUCTIONS.get(operator) if operator is not None else None
    if not group.fits_a_warp:
        return opaque_bound(group.call, may_contain_barrier=True)
    if reduction is not None:
        return warp_reduced(group, reduction, value)
    found = _folded(group, combiner(group.call, _place(group, functor)), value)
    return opaque_bound(group.call) if found is None else found


def warp_reduced(group: Group, reduction: AtomicOperator, value: ValueId) -> ValueId:
    result = group.call.builder.value(group.emit.type_of(value))
    group.call.builder.emit(WarpReduce(result, reduction, group.mask(), value, group.call.span))
    return result


def _folded(group: Group, combine: Combine, value: ValueId) -> ValueId | None:
    """The butterfly of shuffles: every thread of a tile gets the same."""
    if group.kind is not GroupKind.TILE or group.size is None:
        return None
    total: ValueId | None = value
    distance = group.size // 2
    while distance and total is not None:
        total = combine(total, shuffled(group, ShuffleMode.XOR, total, group.emit.constant(distance)))
        distance //= 2
    return total


def _place(group: Group, functor: ValueId) -> int:
    """Which argument of the call the function object is."""
    return group.call.arguments.index(functor)


def scan(*, inclusive: bool) -> GroupOperation:
    """`inclusive_scan(group, value, function = plus)`."""

    def lower(group: Group, arguments: tuple[ValueId, ...]) -> ValueId | None:
        value, *functors = arguments
        if not group.fits_a_warp:
            return opaque_bound(group.call, may_contain_barrier=True)
        combine = combiner(group.call, _place(group, functors[0]) if functors else None)
        operator = functor_operator(group.emit.type_of(functors[0])) if functors else BinaryOperator.ADD
        found = scanned(group, combine, value)
        if found is None:
            return opaque_bound(group.call)
        return found if inclusive else shifted(group, operator, found, value)

    return lower


def scanned(group: Group, combine: Combine, value: ValueId) -> ValueId | None:
    """The inclusive scan of a group inside a warp by shuffles from 1, 2, 4, … ranks below."""
    emit = group.emit
    rank = thread_rank(group, ())
    assert rank is not None  # `thread_group` does not fit a warp
    total = value
    distance = 1
    while distance < (group.size or group.call.warp_size):
        below = shuffled(group, ShuffleMode.UP, total, emit.constant(distance))
        sum = combine(below, total)
        if sum is None:
            return None
        has_below = emit.compare(CompareOperator.GREATER_EQUAL, rank, emit.constant(distance))
        total = emit.select(has_below, sum, total)
        distance *= 2
    return total


def shifted(group: Group, operator: Operator | None, inclusive: ValueId, value: ValueId) -> ValueId:
    """The exclusive scan from the inclusive one."""
    emit = group.emit
    rank = thread_rank(group, ())
    assert rank is not None
    before = shuffled(group, ShuffleMode.UP, inclusive, emit.constant(1))
    is_first = emit.compare(CompareOperator.EQUAL, rank, emit.constant(0))
    return emit.select(is_first, _neutral(group, operator, value), before)


def _neutral(group: Group, operator: Operator | None, value: ValueId) -> ValueId:
    """What the first thread of an exclusive scan gets; not specified for operators without a zero."""
    type = group.emit.type_of(value)
    if operator in _ZERO_IS_NEUTRAL:
        return group.emit.constant(0.0 if isinstance(type, FloatType) else 0, type)
    return group.call.builder.undefined(type, group.call.span)


def invoke_one(group: Group, arguments: tuple[ValueId, ...]) -> ValueId | None:
    """Runs a function object on one thread: what it does is not visible here."""
    return opaque_bound(group.call)
