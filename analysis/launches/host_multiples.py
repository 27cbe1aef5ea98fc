"""By which power of two is a number of host code surely divisible, whatever the number is?

    const int n = atoi(argv[1]) * 1024;  k<<<blocks, 256>>>(x, n);        n is a multiple of 1024
    n *= 64;  run(x, n);                                                  so is the parameter of `run`, of 64
    k<<<blocks, 256>>>(x, (n + 31) / 32 * 32);                            the second argument is one of 32

Rules     A product is divisible by the product of what its factors are divisible by, a shift to the left by what it
          moves in, a sum, a difference, a remainder and a choice by what both sides are, `x & y` by what either is.
          A variable is divisible by what all that may have been written last is, a parameter by what all calls pass.
Exact     Powers of two alone: what wraps at any width keeps its low bits, so nothing need be known about overflow.
Limits    Integers alone: where a name or a call may be a floating number, nothing is said of what it is part of.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.ir.integers import power_of_two_in
from analysis.ir.types import IntegerType
from analysis.launches.file_constants import Number
from analysis.launches.grid_quotients import operands_of, plain
from analysis.launches.host_objects import called_name
from analysis.launches.host_values import HostValues
from analysis.syntax.tree import Node

MAX_MULTIPLE: Final = 1 << 20
"""More is not told: a number that stands for all multiples has to fit its type."""
_MAX_DEPTH: Final = 8
_READERS: Final = frozenset({"atoi", "atol", "atoll", "stoi", "stol", "stoll", "stoul", "stoull", "strtol", "strtoul"})
"""Functions of the C and C++ libraries that give an integer."""
_OF_BOTH: Final = (b"+", b"-", b"%", b"|", b"^")
_BITS: Final = 32


def argument_multiples(arguments: Sequence[Node], values: HostValues) -> tuple[int, ...]:
    """By argument: the largest power of two that is known to divide it in every run; empty where that is 1 of all.

    A number says nothing here: another program may pass another one, and the text of the launch allows it.
    """
    found = tuple(unknown_multiple(argument, values) for argument in arguments)
    return found if any(one > 1 for one in found) else ()


def unknown_multiple(argument: Node, values: HostValues) -> int:
    """The largest power of two that is known to divide it; 1 where its number is known."""
    return 1 if values.number(argument) is not None else _divisor(argument, values, 0) or 1


def _divisor(node: Node, values: HostValues, depth: int) -> int | None:
    """None: it may be no integer."""
    node = plain(node)
    if depth > _MAX_DEPTH:
        return None
    match node.kind:
        case "binary_expression":
            return _of_operation(node, values, depth)
        case "conditional_expression":
            return _least(node.field("consequence"), node.field("alternative"), values, depth)
        case _:
            number = values.number(node)
            if number is not None:
                return min(MAX_MULTIPLE, power_of_two_in(number)) if isinstance(number, int) else None
            return _of_leaf(node, values, depth)


def _of_leaf(node: Node, values: HostValues, depth: int) -> int | None:
    name = called_name(node) if node.kind == "call_expression" else node.text.decode("utf-8", "replace")
    if node.kind == "call_expression":
        return 1 if name in _READERS and values.is_of_language(name) else None
    if not isinstance(values.type_of(name), IntegerType):
        return None
    last = values.of_last_writes(name, lambda written: _of_written(written, name, values, depth + 1))
    if last is None:
        return 1
    return min(last[0]) if last[1] else min((*last[0], values.divisor_passed(name)))


def _of_written(node: Node, name: str, values: HostValues, depth: int) -> int:
    """Of what a variable holds behind a write; what is stored in an integer is one, whatever was computed."""
    target, right, sign = node.field("left") or node.field("argument"), node.field("right"), node.field("operator")
    is_change = node.kind in ("assignment_expression", "update_expression") and sign is not None and sign.text != b"="
    if not is_change or target is None or target.text != name.encode():
        return _divisor(node, values, depth) or 1
    if right is None or sign is None:
        return 1
    match sign.text:
        case b"*=" | b"&=":
            return _divisor(right, values, depth) or 1
        case b"<<=":
            return _shifted(1, values.number(right))
        case _:
            return 1


def _of_operation(node: Node, values: HostValues, depth: int) -> int | None:
    for sign in _OF_BOTH:
        if (sides := operands_of(node, sign)) is not None:
            return _least(*sides, values, depth)
    if (sides := operands_of(node, b"*")) is not None:
        one = _divisor(sides[0], values, depth + 1)
        other = None if one is None else _divisor(sides[1], values, depth + 1)
        return None if one is None or other is None else min(MAX_MULTIPLE, one * other)
    if (sides := operands_of(node, b"&")) is not None:
        return max(_divisor(side, values, depth + 1) or 1 for side in sides)
    if (sides := operands_of(node, b"<<")) is not None:
        moved = _divisor(sides[0], values, depth + 1)
        return None if moved is None else _shifted(moved, values.number(sides[1]))
    sides = operands_of(node, b"/") or operands_of(node, b">>")
    return None if sides is None or _least(*sides, values, depth) is None else 1


def _shifted(divisor: int, count: Number | None) -> int:
    return min(MAX_MULTIPLE, divisor << count) if isinstance(count, int) and 0 <= count < _BITS else divisor


def _least(one: Node | None, other: Node | None, values: HostValues, depth: int) -> int | None:
    first = None if one is None else _divisor(one, values, depth + 1)
    second = None if first is None or other is None else _divisor(other, values, depth + 1)
    return None if first is None or second is None else min(first, second)
