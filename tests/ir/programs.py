"""Random memory-form functions: random control flow, reducible or not, over loads and stores of locals.

All results of one block are used in that block only, as in lowered C; values travel between blocks through memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from hypothesis import strategies as st

HEADER = """\
  struct Pair { x: s32 @0, y: s32 @4 } size 8 align 4
  local $a: s32
  local $b: s32
  local $p: struct Pair
  local $q: struct Pair
  local $t: [3 x s32]
  local $r: ptr<local s32>
  local $e: s32
"""

PLACES = ("a", "b", "p.0", "p.1", "q.0", "q.1", "t.0", "t.1", "t.2", "e")


@final
class _Writer:
    """Writes the instructions of one block; names are unique through a counter."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count = 0

    def name(self) -> str:
        self._count += 1
        return f"%v{self._count}"

    def define(self, type: str, text: str) -> str:
        name = self.name()
        self.lines.append(f"  {name}: {type} = {text}")
        return name

    def place(self, place: str) -> str:
        """The address of a scalar: a symbol, or one member of it."""
        symbol, _, index = place.partition(".")
        if symbol in ("p", "q"):
            base = self.define("ptr<local struct Pair>", f"address ${symbol}")
            return self.define("ptr<local s32>", f"field {base}, {index}")
        if symbol == "t":
            base = self.define("ptr<local [3 x s32]>", "address $t")
            return self.define("ptr<local s32>", f"element {base}, {self.define('s32', f'const {index}')}")
        return self.define("ptr<local s32>", f"address ${symbol}")

    def load(self, place: str) -> str:
        return self.define("s32", f"load {self.place(place)}")

    def store(self, place: str, value: str) -> None:
        self.lines.append(f"  store {self.place(place)}, {value}")


def _constant(writer: _Writer, draw: Callable[[int], int]) -> None:
    writer.store(PLACES[draw(len(PLACES))], writer.define("s32", f"const {draw(4)}"))


def _copy(writer: _Writer, draw: Callable[[int], int]) -> None:
    writer.store(PLACES[draw(len(PLACES))], writer.load(PLACES[draw(len(PLACES))]))


def _sum(writer: _Writer, draw: Callable[[int], int]) -> None:
    left, right = writer.load(PLACES[draw(len(PLACES))]), writer.load(PLACES[draw(len(PLACES))])
    writer.store(PLACES[draw(len(PLACES))], writer.define("s32", f"add {left}, {right}"))


def _print(writer: _Writer, draw: Callable[[int], int]) -> None:
    writer.lines.append(f'  print "{len(writer.lines)}" {writer.load(PLACES[draw(len(PLACES))])}')


def _copy_struct(writer: _Writer, draw: Callable[[int], int]) -> None:
    target, source = "pq"[draw(2)], "pq"[draw(2)]
    value = writer.define("struct Pair", f"load {writer.define('ptr<local struct Pair>', f'address ${source}')}")
    address = writer.define("ptr<local struct Pair>", f"address ${target}")
    writer.lines.append(f"  store {address}, {value}")


def _pointer(writer: _Writer, draw: Callable[[int], int]) -> None:
    """Sets `r` to the address of a scalar and writes through it."""
    address = writer.define("ptr<local ptr<local s32>>", "address $r")
    writer.lines.append(f"  store {address}, {writer.place(PLACES[draw(len(PLACES))])}")
    pointer = writer.define("ptr<local s32>", f"load {address}")
    writer.lines.append(f"  store {pointer}, {writer.define('s32', f'const {10 + draw(4)}')}")


_STATEMENTS = (_constant, _copy, _copy, _sum, _print, _print, _copy_struct)


def _terminator(writer: _Writer, index: int, count: int, draw: Callable[[int], int]) -> str:
    """Every block can fall through to the next one, so that all are reached; the other target is any but the entry."""
    if index == count - 1:
        return "return"
    kind = draw(5)
    if kind == 0:
        return f"jump b{index + 1}"
    other = 1 + draw(count - 1)
    value = writer.load(PLACES[draw(len(PLACES))])
    if kind == 1:
        third = 1 + draw(count - 1)
        return f"switch {value}, 0: b{other}, 1: b{third}, default: b{index + 1}"
    condition = writer.define("bool", f"lt {value}, {writer.define('s32', f'const {draw(4)}')}")
    targets = (f"b{index + 1}", f"b{other}")
    return f"branch {condition}, {targets[kind % 2]}, {targets[1 - kind % 2]}"


@st.composite
def memory_programs(draw_from: st.DrawFn, pointers: bool = False) -> str:
    def draw(limit: int) -> int:
        return draw_from(st.integers(0, limit - 1))

    statements = (*_STATEMENTS, _pointer) if pointers else _STATEMENTS
    writer = _Writer()
    count = 1 + draw(8)
    for index in range(count):
        writer.lines.append(f"b{index}:")
        for _ in range(draw(6)):
            statements[draw(len(statements))](writer, draw)
        if index == count - 1:
            _print(writer, draw)
        writer.lines.append(f"  {_terminator(writer, index, count, draw)}")
    return "kernel @random() {\n" + HEADER + "\n".join(writer.lines) + "\n}\n"
