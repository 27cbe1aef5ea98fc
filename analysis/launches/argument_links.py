"""Arguments of a launch that host code computes from another argument: `tiles = (bodies + 255) / 256`.

Rules    Found by what the one would be for several numbers of the other: a multiple or a quotient, rounded up or down,
         that holds for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Final

from analysis.launches.host_values import HostValues
from analysis.launches.model import ArgumentLink
from analysis.syntax.tree import Node

_FAR: Final = 3 << 24
_TRIED: Final = (1, 100, 1000, 4097, _FAR, _FAR + 1, 5 * _FAR)
_LARGEST_DIVISOR: Final = 1 << 12


def argument_links(arguments: Sequence[Node], values: HostValues) -> tuple[ArgumentLink, ...]:
    """Of arguments whose values are not known."""
    unknown = [position for position, one in enumerate(arguments) if values.number(one) is None]
    found: list[ArgumentLink] = []
    for of in unknown:
        source = _plain(arguments[of])
        name = source.text.decode("utf-8", "replace") if source.kind == "identifier" else ""
        for position in unknown if name else ():
            if position != of and _plain(arguments[position]).text != source.text:
                one = partial(_value, values, name, arguments[position])
                link = _link(position, of, one)
                found += [] if link is None else [link]
    return tuple(found)


def _value(values: HostValues, name: str, argument: Node, number: int) -> int | float | None:
    return values.number_if(name, number, argument)


def _link(argument: int, of: int, value: Callable[[int], int | float | None]) -> ArgumentLink | None:
    known: list[tuple[int, int]] = []
    for number in _TRIED:
        result = value(number)
        if not isinstance(result, int):
            return None  # as most that do not hang together: the other numbers would tell no more
        known.append((number, result))
    ratio = Fraction(known[-1][1] - known[-3][1], _TRIED[-1] - _TRIED[-3]).limit_denominator(_LARGEST_DIVISOR)
    if ratio <= 0:
        return None
    for rounds_up in (False, True):
        link = ArgumentLink(argument, of, ratio.numerator, ratio.denominator, rounds_up=rounds_up)
        if all(link.of_number(number) == result for number, result in known):
            return link
    return None


def _plain(node: Node) -> Node:
    """Without casts and parentheses."""
    while True:
        inner = node.field("value") if node.kind == "cast_expression" else None
        if node.kind == "parenthesized_expression" and len(node.children) == 1:
            inner = node.children[0]
        if inner is None:
            return node
        node = inner
