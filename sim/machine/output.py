"""Device printf: C's formats, thread by thread in the order of rows and lanes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import numpy as np

from sim.arrays import Lanes, Values

MAX_LINES: Final = 10_000
"""Calls that are kept, all threads together; CUDA's buffer is finite, too."""

_DIRECTIVE: Final = re.compile(r"%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?(hh|h|ll|l|z|t|j|L)?([diouxXcsfFeEgGaAp%])")


def printed(
    text: str, arguments: tuple[Values, ...], lanes: Lanes, string_at: Callable[[int], str], room: int
) -> list[str]:
    """The output of each active thread, at most `room` of them."""
    columns = [np.broadcast_to(argument, lanes.shape)[lanes] for argument in arguments]
    count = min(int(np.count_nonzero(lanes)), room)
    return [_formatted(text, [column[index].item() for column in columns], string_at) for index in range(count)]


def _formatted(text: str, values: list[int | float | bool], string_at: Callable[[int], str]) -> str:
    rest = iter(values)

    def directive(found: re.Match[str]) -> str:
        flags, width, precision, length, kind = found.groups(default="")
        if kind == "%":
            return "%"
        width = str(next(rest, 0)) if width == "*" else width
        precision = str(next(rest, 0)) if precision == "*" else precision
        value = next(rest, 0)
        point = f".{precision}" if precision else ""
        match kind:
            case "s":
                return f"%{flags}{width}{point}s" % string_at(int(value))
            case "c":
                return f"%{flags}{width}c" % (int(value) & 0x7F)
            case "p":
                return f"%{flags}{width}s" % hex(int(value))
            case "d" | "i":
                return f"%{flags}{width}{point}d" % _wrapped(int(value), length, signed=True)
            case "o" | "u" | "x" | "X":
                kind = "d" if kind == "u" else kind
                return f"%{flags}{width}{point}{kind}" % _wrapped(int(value), length, signed=False)
            case "a" | "A":
                return float(value).hex()
            case _:
                return f"%{flags}{width}{point}{kind}" % float(value)

    return _DIRECTIVE.sub(directive, text)


def _wrapped(value: int, length: str, *, signed: bool) -> int:
    """The number as the directive's type sees it."""
    bits = {"hh": 8, "h": 16, "l": 64, "ll": 64, "z": 64, "t": 64, "j": 64}.get(length, 32)
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value
