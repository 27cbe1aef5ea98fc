"""Masks, shifts, divisions and remainders of linear forms, seen through the window of one warp.

Question  `tid & 31`, `tid >> 5`, `(blockIdx.x * blockDim.x + threadIdx.x) / 32`: not linear over a block, but over a
          warp, where the thread index is a multiple of the warp plus the lane.
Rules     In a warp the operand is `A + e(lane)`, with `A` a multiple of `2^a` that agrees in the warp and
          `e(lane) = c + s * lane` numbers.  If no `e(lane)` leaves `0 .. 2^a - 1`, the operation acts on the bits of
          `A` and of `e` apart, so it is enough to apply it to the few numbers `e(lane)`: if the results are linear in
          the lane, so is the result, with a rest that agrees in the warp.  A mask below `2^a` sees nothing of `A`.
          `/` and `%` by powers of two are shifts and masks where the operand is not negative.  So they act on the bits
          below `2^b` apart if the divisor is a multiple `m * 2^b` and no `e(lane)` leaves `0 .. 2^b - 1`:
          `(q * 2^b + e) / (m * 2^b) = q / m` and `(q * 2^b + e) % (m * 2^b) = (q % m) * 2^b + e`.
Exact     two's complement keeps the low bits under wrap-around, so nothing need be known about overflow.
Gives up  where the block shape is not known (the lane is then no function of the thread index), but for the thread's
          number in its block (`projection.py`).
"""

from __future__ import annotations

from typing import final

from analysis.affine.atoms import Axis
from analysis.affine.facts import AffineFacts
from analysis.affine.linear_form import LinearForm
from analysis.affine.projection import follows_linear_index, lane_stride, spans_rows
from analysis.ir.integers import power_of_two_in
from analysis.ir.operators import BinaryOperator
from analysis.ir.record import record


@final
@record
class Window:
    """A value in one warp: `A + offset + stride * lane`, where `A` is a multiple of `alignment`."""

    alignment: int
    offset: int
    stride: int


@final
@record
class WarpLinear:
    """`rest + step * lane`; the rest agrees in the warp and is a multiple of `alignment`.

    `rest` is None where it is not a known number.
    """

    step: int
    rest: int | None
    alignment: int


def window_of(facts: AffineFacts, form: LinearForm) -> Window | None:
    """None where the value is not linear in the lane, or the form rests on an assumption."""
    launch = facts.divergence.launch
    stride = lane_stride(form, launch) if form.exact else None
    if stride is None:
        return None
    constant = form.base.constant_term
    alignment = min(1 << form.bits, facts.polynomial_alignment(form.base.without_constant))
    is_linear = follows_linear_index(form, launch)
    for axis, coefficient in form.coefficients:
        if axis is Axis.THREAD_X or (axis is not Axis.LANE and not is_linear):
            # A warp starts at a multiple of the warp along x, or along the rows that it spans.
            steps = launch.warp_size if axis is Axis.THREAD_X or spans_rows(axis, launch) else 1
            alignment = min(alignment, facts.polynomial_alignment(coefficient) * power_of_two_in(steps))
    return Window(alignment, constant % alignment, stride)


def through_window(facts: AffineFacts, form: LinearForm, operator: BinaryOperator, right: int) -> WarpLinear | None:
    """`form operator right` in a warp; None if that is not linear in the lane.

    DIVIDE and REMAINDER: the caller knows that the left side is not negative.
    """
    window = window_of(facts, form)
    if window is None:
        return None
    if operator is BinaryOperator.DIVIDE and _is_power_of_two(right):
        operator, right = BinaryOperator.SHIFT_RIGHT, right.bit_length() - 1
    elif operator is BinaryOperator.REMAINDER and _is_power_of_two(right):
        operator, right = BinaryOperator.AND, right - 1
    images = _images(window, facts.divergence.launch.warp_size, operator, right)
    if images is None:
        return None
    step = images[1] - images[0] if len(images) > 1 else 0
    if any(image != images[0] + step * lane for lane, image in enumerate(images)):
        return None
    if _hides_rest(window, operator, right):
        return WarpLinear(step, images[0], power_of_two_in(images[0]))
    alignment = min(_rest_alignment(window, operator, right), power_of_two_in(images[0]))
    return WarpLinear(step, None, alignment)


def _is_power_of_two(number: int) -> bool:
    return number > 0 and not number & (number - 1)


def _hides_rest(window: Window, operator: BinaryOperator, right: int) -> bool:
    return operator is BinaryOperator.AND and 0 <= right < window.alignment


def _images(window: Window, warp: int, operator: BinaryOperator, right: int) -> list[int] | None:
    """The operation on the part of the operand that differs among lanes."""
    numbers = [window.offset + window.stride * lane for lane in range(warp)]
    low = window.alignment - 1
    if _hides_rest(window, operator, right):
        return [value & right for value in numbers]
    if min(numbers) < 0 or max(numbers) > low:
        return None
    match operator:
        case BinaryOperator.AND:
            return [value & right for value in numbers]
        case BinaryOperator.OR:
            return [value | right & low for value in numbers]
        case BinaryOperator.XOR:
            return [value ^ right & low for value in numbers]
        case BinaryOperator.SHIFT_RIGHT:
            return [value >> right for value in numbers] if right >= 0 else None
        case BinaryOperator.DIVIDE | BinaryOperator.REMAINDER if right and max(numbers) < power_of_two_in(right):
            return [0] * warp if operator is BinaryOperator.DIVIDE else numbers
        case _:
            return None


def _rest_alignment(window: Window, operator: BinaryOperator, right: int) -> int:
    """Of the operation on the part of the operand that agrees in the warp."""
    match operator:
        case BinaryOperator.AND:
            return max(window.alignment, power_of_two_in(right))
        case BinaryOperator.SHIFT_RIGHT:
            return max(1, window.alignment >> right)
        case BinaryOperator.DIVIDE:
            return 1
        case BinaryOperator.REMAINDER:
            return min(window.alignment, power_of_two_in(right))
        case _:
            return window.alignment
