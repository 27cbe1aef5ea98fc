"""Device printf: C's formats, thread by thread in the order of rows and lanes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, final

import numpy as np

from sim.arrays import Lanes, Values
from sim.memory.arena import Arena
from sim.state.deadline import Deadline

MAX_LINES: Final = 10_000
"""Calls that are kept, all threads together; CUDA's buffer is finite, too."""
MAX_CHARACTERS: Final = 1 << 20
"""Of all that is kept: the size of CUDA's buffer unless the host asks for more."""
MAX_WIDTH: Final = 1 << 10
"""Wider fields, longer strings and more digits are cut."""

_DIRECTIVE: Final = re.compile(r"%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?(hh|h|ll|l|z|t|j|L)?([diouxXcsfFeEgGaAp%])")


@final
class Printf:
    """What all threads of a launch print, call by call, as far as it is kept."""

    def __init__(self, arena: Arena, deadline: Deadline) -> None:
        self.lines: list[str] = []
        self._arena = arena
        self._deadline = deadline
        self._characters = 0

    def print(self, text: str, arguments: tuple[Values, ...], lanes: Lanes) -> None:
        """One call by each of the lanes."""
        if self._is_full:
            return
        columns = [np.broadcast_to(argument, lanes.shape)[lanes] for argument in arguments]
        for index in range(int(np.count_nonzero(lanes))):
            self._deadline.check()
            line = _formatted(text, [column[index].item() for column in columns], self._string_at)
            self.lines.append(line)
            self._characters += len(line)
            if self._is_full:
                return

    @property
    def _is_full(self) -> bool:
        return len(self.lines) >= MAX_LINES or self._characters >= MAX_CHARACTERS

    def _string_at(self, address: int) -> str:
        found = self._arena.find(address)
        if found is None:
            return "(null)"
        region, _, offset = found
        octets = self._arena.data[address : address + min(region.size - offset, MAX_WIDTH)]
        return octets.tobytes().split(b"\0")[0].decode(errors="replace")


def is_full(lines: Sequence[str]) -> bool:
    """Whether more may have been printed than these lines, which were kept."""
    return len(lines) >= MAX_LINES or sum(map(len, lines)) >= MAX_CHARACTERS


def _formatted(text: str, values: list[int | float | bool], string_at: Callable[[int], str]) -> str:
    rest = iter(values)

    def directive(found: re.Match[str]) -> str:
        flags, width, precision, length, kind = found.groups(default="")
        if kind == "%":
            return "%"
        width = _bounded(next(rest, 0) if width == "*" else width)
        precision = _bounded(next(rest, 0) if precision == "*" else precision)
        precision = "" if precision.startswith("-") else precision  # as C has it
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


def _bounded(number: float | str) -> str:
    return str(max(-MAX_WIDTH, min(int(number), MAX_WIDTH))) if number != "" else ""


def _wrapped(value: int, length: str, *, signed: bool) -> int:
    """The number as the directive's type sees it."""
    bits = {"hh": 8, "h": 16, "l": 64, "ll": 64, "z": 64, "t": 64, "j": 64}.get(length, 32)
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value
