"""What a kernel says that its launch has to fulfil: assertions, and conditions under which it traps.

Forms    `assert(blockDim.x == 64)`, `assert(n % 4 == 0 && n >= 32)`, `if (C % 8) __trap();`,
         `if (n != gridDim.x * 64) __trap();`: comparisons of registers, numbers that are passed and constants, joined
         by `&&`, or by `||` where they lead to a trap.
Rules    A register of the block's extent that has to equal a constant gives that extent.
         A number that nobody gave has to be what it is compared with for equality, at least or at most what it is
         compared with otherwise, and a multiple of what its remainder has to be 0 for.
Limits   What depends on contents of arrays or on indices requires nothing here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import lcm
from typing import Final, final

from analysis.inputs.estimate import Estimate
from analysis.inputs.flow import Flow, Leaf, Register
from analysis.ir.control import Branch, Trap
from analysis.ir.ids import ValueId
from analysis.ir.instructions import (
    Assert,
    Binary,
    Compare,
    Constant,
    Convert,
    Instruction,
    Phi,
    ReadSpecial,
    Select,
    Unary,
)
from analysis.ir.operators import MIRRORED, NEGATED, BinaryOperator, CompareOperator, SpecialRegister, UnaryOperator
from analysis.ir.record import record

MAX_DEPTH: Final = 20
MAX_NUMBER: Final = 1 << 22
ROUNDS: Final = 3
"""Numbers that depend on each other settle in so many."""

_AXES: Final = {SpecialRegister.BLOCK_DIM_X: 0, SpecialRegister.BLOCK_DIM_Y: 1, SpecialRegister.BLOCK_DIM_Z: 2}
_EXTENTS: Final = frozenset(
    Register(register)
    for register in (
        *_AXES,
        SpecialRegister.GRID_DIM_X,
        SpecialRegister.GRID_DIM_Y,
        SpecialRegister.GRID_DIM_Z,
        SpecialRegister.WARP_SIZE,
    )
)


@final
@record
class Requirement:
    """`left operator right` has to hold; both depend on the launch alone."""

    left: ValueId
    operator: CompareOperator
    right: ValueId


def requirements(flow: Flow) -> Sequence[Requirement]:
    """In the order of the program."""
    found: list[Requirement] = []
    for block in flow.control.order:
        for instruction in flow.function.blocks[block].instructions:
            if isinstance(instruction, Assert):
                found += _holding(flow, instruction.condition, is_true=True, depth=0)
        match flow.function.blocks[block].terminator:
            case Branch(condition=condition, if_true=if_true, if_false=if_false):
                for target, is_true in ((if_true, False), (if_false, True)):
                    if isinstance(flow.function.blocks[target].terminator, Trap):
                        found += _holding(flow, condition, is_true=is_true, depth=0)
            case _:
                pass
    return [one for one in found if _is_of_launch(flow, one.left) and _is_of_launch(flow, one.right)]


def required_extents(flow: Flow, found: Sequence[Requirement]) -> Mapping[int, int]:
    """Extents of the block by axis."""
    extents: dict[int, int] = {}
    for one in found:
        for side, other in ((one.left, one.right), (one.right, one.left)):
            register, number = _uncast(flow, side), _uncast(flow, other)
            match register, number:
                case ReadSpecial(register=read), Constant(value=int() as extent) if read in _AXES and extent > 0:
                    if one.operator is CompareOperator.EQUAL:
                        extents.setdefault(_AXES[read], extent)
                case _:
                    pass
    return extents


def required_numbers(
    flow: Flow, found: Sequence[Requirement], estimate: Estimate, numbers: dict[str, int | float], open: frozenset[str]
) -> Mapping[str, int]:
    """What the `open` ones of the `numbers` have to be instead; `estimate` reads `numbers`, which are changed here."""
    changed: dict[str, int] = {}
    for _ in range(ROUNDS):
        for one in found:
            for name, number in _wished(flow, one, estimate):
                if name in open and 0 < number <= MAX_NUMBER and number != numbers.get(name):
                    changed[name] = numbers[name] = number
    return changed


def _wished(flow: Flow, one: Requirement, estimate: Estimate) -> Iterator[tuple[str, int]]:
    """Numbers with which the requirement holds; nothing where it does."""
    for side, operator, other in (
        (one.left, one.operator, one.right),
        (one.right, MIRRORED[one.operator], one.left),
    ):
        now, bound = estimate.range(side), estimate.range(other)
        if bound is None or bound.low != bound.high:
            continue
        match _uncast(flow, side):
            case Binary(operator=BinaryOperator.REMAINDER, left=left, right=right) if (
                bound.high == 0 and operator is CompareOperator.EQUAL
            ):
                dividend, divisor = estimate.range(left), estimate.range(right)
                if dividend is not None and divisor is not None and divisor.low == divisor.high > 0:
                    step = _step(flow, left, divisor.high, estimate)
                    wanted = -(-dividend.high // step) * step
                    if dividend.high % divisor.high:
                        yield from estimate.wishes(left, wanted)
            case _:
                wanted = _nearest(operator, None if now is None else now.high, bound.high)
                if wanted is not None:
                    yield from estimate.wishes(side, wanted)


def _step(flow: Flow, value: ValueId, divisor: int, estimate: Estimate) -> int:
    """The divisor, times what else a remainder of the number is taken by: it should be a multiple of all that."""
    leaf = flow.leaf(value)
    step = divisor
    for definition in flow.definitions.values():
        if isinstance(definition, Binary) and definition.operator is BinaryOperator.REMAINDER and leaf is not None:
            other = estimate.range(definition.right) if flow.leaf(definition.left) == leaf else None
            if other is not None and other.low == other.high > 0 and lcm(step, other.high) <= MAX_NUMBER:
                step = lcm(step, other.high)
    return step


def _nearest(operator: CompareOperator, now: int | None, bound: int) -> int | None:
    """The number next to `now` that compares so; None where `now` does, or nothing is known of it."""
    match operator:
        case CompareOperator.EQUAL:
            return None if now == bound else bound
        case CompareOperator.NOT_EQUAL:
            return bound + 1 if now == bound else None
        case CompareOperator.GREATER_EQUAL:
            return bound if now is not None and now < bound else None
        case CompareOperator.GREATER:
            return bound + 1 if now is not None and now <= bound else None
        case CompareOperator.LESS_EQUAL:
            return bound if now is not None and now > bound else None
        case CompareOperator.LESS:
            return bound - 1 if now is not None and now >= bound else None


# -- conditions --------------------------------------------------------------------------------------------------------


def _holding(flow: Flow, value: ValueId, *, is_true: bool, depth: int) -> Iterator[Requirement]:
    """Comparisons that all have to hold for the condition to be what is wanted; nothing for alternatives."""
    if depth > MAX_DEPTH:
        return
    match _uncast(flow, value):
        case Compare(operator=operator, left=left, right=right):
            inner = _uncast(flow, left)
            is_truth = _number(flow, right) == 0 and isinstance(inner, Compare | Unary | Select)
            if is_truth and operator in (CompareOperator.EQUAL, CompareOperator.NOT_EQUAL):
                wanted = is_true == (operator is CompareOperator.NOT_EQUAL)
                yield from _holding(flow, left, is_true=wanted, depth=depth + 1)
            else:
                yield Requirement(left, operator if is_true else NEGATED[operator], right)
        case Unary(operator=UnaryOperator.LOGICAL_NOT, operand=operand):
            yield from _holding(flow, operand, is_true=not is_true, depth=depth + 1)
        case Binary(operator=BinaryOperator.LOGICAL_AND, left=left, right=right) if is_true:
            for side in (left, right):
                yield from _holding(flow, side, is_true=True, depth=depth + 1)
        case Binary(operator=BinaryOperator.LOGICAL_OR, left=left, right=right) if not is_true:
            for side in (left, right):
                yield from _holding(flow, side, is_true=False, depth=depth + 1)
        case Select(condition=condition, if_true=if_true, if_false=if_false):
            if is_true and _number(flow, if_false) == 0:
                for side in (condition, if_true):
                    yield from _holding(flow, side, is_true=True, depth=depth + 1)
            elif not is_true and _number(flow, if_true) == 1:
                for side in (condition, if_false):
                    yield from _holding(flow, side, is_true=False, depth=depth + 1)
        case _:
            return


def _is_of_launch(flow: Flow, value: ValueId) -> bool:
    """Whether the value depends on numbers that are passed, extents and constants alone."""
    sources = flow.sources(value)
    return bool(sources or _number(flow, value) is not None) and all(
        isinstance(source, Leaf) or source in _EXTENTS for source in sources
    )


def _number(flow: Flow, value: ValueId) -> int | None:
    definition = _uncast(flow, value)
    return int(definition.value) if isinstance(definition, Constant) and isinstance(definition.value, int) else None


def _uncast(flow: Flow, value: ValueId) -> Instruction | Phi | None:
    definition = flow.definitions.get(value)
    while isinstance(definition, Convert):
        definition = flow.definitions.get(definition.operand)
    return definition
