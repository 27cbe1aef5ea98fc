"""Ranges of chosen contents in which comparisons go either way.

Rules    Elements stay in their usual range if all their thresholds lie in the middle of it.  Otherwise:
         around 0 where they are compared with 0 ([-1, 1), [-50, 51)); up to twice the number that they are compared
         with, down to twice a negative one; around all of several numbers, with half of their distance at either end;
         1 below to 1 above where they are only tested for equality (`==`, `case`), 0 and 1 for 0.
         Indices, links and offsets stay what they are, counts grow to `MOST_COUNTED` at most, operands of `%` are not
         negative, numbers beyond `LARGEST` are taken for marks ("infinite") that no range should reach.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, final

from analysis.inputs.array_uses import ArrayUse, Role
from analysis.inputs.comparisons import Comparisons, Threshold
from analysis.inputs.element_bounds import MAX_COUNT, MAX_DATA, Bounds, Path, default_bounds
from analysis.inputs.flow import ElementMember, Flow, NamedObject
from analysis.inputs.spans import loaded_places
from analysis.ir.instructions import Binary
from analysis.ir.operators import BinaryOperator
from analysis.ir.record import record
from analysis.ir.types import FloatType, IntegerType, Type

LARGEST: Final = 1 << 20
MOST_COUNTED: Final = 64
SMALL: Final = 0.01
"""A real threshold below this one asks for the sign."""
_MOST_NAMED: Final = 3


@final
@record
class Straddling:
    """Ranges [low, high) by member of one array, and what they are compared with there."""

    ranges: Mapping[Path, Bounds]
    why: str


def straddling_ranges(
    flow: Flow, uses: Mapping[NamedObject, ArrayUse], comparisons: Comparisons
) -> Mapping[NamedObject, Straddling]:
    """Only arrays whose usual range would not do."""
    signed_only = _kept_positive(flow)
    ranges: dict[NamedObject, dict[Path, Bounds]] = {}
    reasons: dict[NamedObject, list[str]] = {}
    for place, (type, found) in comparisons.thresholds.items():
        thresholds = [threshold for threshold in found if math.isfinite(threshold.at) and abs(threshold.at) <= LARGEST]
        use = uses.get(place.root)
        role = Role.DATA if use is None else use.role(place.path)
        if not any(threshold.is_due for threshold in thresholds) or role in (Role.INDEX, Role.OFFSETS, Role.LINK):
            continue
        bounds = _range(type, thresholds, role, may_be_negative=place not in signed_only)
        if bounds is not None and bounds != default_bounds(type, role, 0):
            ranges.setdefault(place.root, {})[place.path] = bounds
            reasons.setdefault(place.root, []).extend(_reasons(place.path, thresholds))
    return {root: Straddling(found, _sentence(reasons[root])) for root, found in ranges.items()}


def _kept_positive(flow: Flow) -> frozenset[ElementMember]:
    """Elements of which a remainder is taken: that of a negative number is no index."""
    dividends = (
        instruction.left
        for _, instruction in flow.function.instructions()
        if isinstance(instruction, Binary) and instruction.operator is BinaryOperator.REMAINDER
    )
    return frozenset(place for value in dividends for place in loaded_places(flow, value))


def _range(type: Type, thresholds: Sequence[Threshold], role: Role, *, may_be_negative: bool) -> Bounds | None:
    match type:
        case FloatType():
            return _reals([threshold.at for threshold in thresholds])
        case IntegerType(bits=bits, signed=signed):
            low, high = _integers(thresholds, may_be_negative=signed and may_be_negative)
            if role is Role.COUNT:
                low, high = 0, max(MAX_COUNT, min(high, MOST_COUNTED))
            least, most = -(1 << bits - 1) if signed else 0, 1 << bits - signed
            low, high = max(low, least), min(high, most)
            return (low, high) if high - low > 1 else None
        case _:
            return None


def _reals(thresholds: Sequence[float]) -> Bounds:
    low, high = min(thresholds), max(thresholds)
    if high - low > SMALL:
        return _around(low, high)
    if abs(high) < SMALL:
        return -1.0, 1.0
    return (0.0, 2 * high) if high > 0 else (2 * low, -low)


def _integers(thresholds: Sequence[Threshold], *, may_be_negative: bool) -> tuple[int, int]:
    """Thresholds of an order are ends of ranges here: that of `x < 3` is 3."""
    ordered = [math.ceil(threshold.at) for threshold in thresholds if not threshold.is_equality]
    wanted = [round(threshold.at) for threshold in thresholds if threshold.is_equality]
    if not ordered:
        low, high = min(wanted) - 1, max(wanted) + 2
        return (max(low, 0) if min(wanted) >= 0 or not may_be_negative else low), high
    low, high = min([*ordered, *wanted]), max([*ordered, *(number + 1 for number in wanted)])
    if high - low > 1:
        least, most = _around(low, high)
        low, high = math.floor(least), math.ceil(most)
    elif low < 0:
        low, high = 2 * low, -low
    elif low <= 1 and may_be_negative:
        low, high = -(MAX_DATA // 2), MAX_DATA // 2 + 1
    else:
        low, high = 0, max(2 * high, 3)
    return (low if may_be_negative else max(low, 0)), high


def _around(low: float, high: float) -> Bounds:
    margin = (high - low) / 2
    return (max(0.0, low - margin) if low > 0 else low - margin), high + margin


# -- words -------------------------------------------------------------------------------------------------------------


def _reasons(path: Path, thresholds: Sequence[Threshold]) -> Iterator[str]:
    member = "".join(f"{name} with " for name in path[-1:] if name.isidentifier())
    return (f"{member}{threshold.against}" for threshold in thresholds)


def _sentence(reasons: Sequence[str]) -> str:
    """`compared with 0, 3`; of structs `compared: state with 0`."""
    different = list(dict.fromkeys(reasons))
    more = len(different) - _MOST_NAMED
    named = ", ".join(different[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
    return f"compared: {named}" if " with " in named else f"compared with {named}"
