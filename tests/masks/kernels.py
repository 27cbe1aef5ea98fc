"""Random kernels in which lanes of a warp meet, with masks that fit and masks that were changed.

One operation stands in each line.  While a kernel is written, the lanes that come are kept as a set where they are
known, so the mask that fits is known as well; some are then planted: a bit is taken out or put in, the mask made whole
or cut in half, or different from lane to lane.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Final

WARP: Final = 32
FULL: Final = (1 << WARP) - 1
_DEPTH: Final = 3


@dataclass(slots=True)
class RandomKernel:
    """`planted`: the lines whose mask was changed; `by_data`: those of them where data decide which lanes come.

    `numbers`: what the kernel compares `n` with.
    """

    text: str = ""
    planted: dict[int, str] = field(default_factory=dict[int, str])
    by_data: set[int] = field(default_factory=set[int])
    numbers: list[int] = field(default_factory=list[int])


@dataclass(slots=True)
class _Writer:
    draw: random.Random
    lines: list[str]
    planted: dict[int, str]
    numbers: list[int]
    by_data: set[int]
    arrays: int = 0
    data: int = 0

    def line(self, depth: int, text: str) -> None:
        self.lines.append("  " * depth + text)

    # -- statements -------------------------------------------------------------------------------------------------

    def body(self, depth: int, lanes: int | None) -> None:
        """`lanes`: who comes in every warp that comes at all; None where data decide."""
        for _ in range(self.draw.randint(1, 3)):
            kind = self.draw.randrange(11)
            if kind < 4 or depth > _DEPTH:
                self.operation(depth, lanes)
            elif kind < 7:
                self.branch(depth, lanes)
            elif kind == 7:
                self.loop(depth, lanes)
            elif kind == 8:
                self.exchange(depth, lanes)
            elif kind == 9:
                self.vote(depth, lanes)
            else:
                self.line(depth, f"v += t * {self.draw.randint(1, 5)};")

    def branch(self, depth: int, lanes: int | None) -> None:
        condition, chosen = self.condition()
        other = chosen if chosen in (None, FULL) else FULL & ~chosen
        self.line(depth, f"if ({condition}) {{")
        self.body(depth + 1, _both(lanes, chosen))
        if self.draw.random() < 0.4:
            self.line(depth, "} else {")
            self.body(depth + 1, _both(lanes, other))
        self.line(depth, "}")

    def condition(self) -> tuple[str, int | None]:
        """Text, and the lanes for which it holds; all of them for what agrees in a warp, None where data decide."""
        a, b = self.draw.randint(1, 31), self.draw.randint(0, 3)
        self.data += 1
        match self.draw.randrange(9):
            case 0:
                return f"lane < {a}", (1 << a) - 1
            case 1:
                return f"lane > {a}", FULL & ~((1 << (a + 1)) - 1)
            case 2:
                return f"(lane & 3) == {b}", 0x11111111 << b & FULL
            case 3:
                return f"t / 32 == {b % 2}", FULL
            case 4:
                self.numbers.append(a)
                return f"n > {a}", FULL
            case 5:
                self.numbers.append(a)
                return f"t < n + {a}", None
            case 6:
                return f"y[t] > {b}", None
            case 7:
                return f"z[{self.data % 64}] > {b}", FULL
            case _:
                return f"lane % 8 < {a % 8}", sum(1 << lane for lane in range(WARP) if lane % 8 < a % 8)

    def loop(self, depth: int, lanes: int | None) -> None:
        name, count = f"i{len(self.lines)}", self.draw.randint(1, 4)
        if self.draw.random() < 0.6:
            self.line(depth, f"for (int {name} = 0; {name} < {count}; {name}++) {{")
            self.body(depth + 1, lanes)
        else:
            self.line(depth, f"for (int {name} = lane; {name} < {16 * count}; {name} += 32) {{")
            self.body(depth + 1, lanes if 16 * count % 32 == 0 else None)
        self.line(depth, "}")

    def vote(self, depth: int, lanes: int | None) -> None:
        """A mask that the lanes vote, used by those who voted for it or, planted, by others."""
        condition, chosen = self.condition()
        if lanes != FULL or chosen is None or depth != 1:
            self.operation(depth, lanes)
            return
        name = f"m{len(self.lines)}"
        self.line(depth, f"unsigned {name} = __ballot_sync({FULL:#x}u, {condition});")
        if self.draw.random() < 0.5:
            condition, coming = self.condition()
            if coming != chosen:
                self.planted[len(self.lines) + 2] = "voted by others"
            if coming is None:
                self.by_data.add(len(self.lines) + 2)
        self.line(depth, f"if ({condition}) {{")
        operations = (
            f"__syncwarp({name});",
            f"v += __shfl_xor_sync({name}, v, 1);",
            f"v += __any_sync({name}, v > 4);",
        )
        self.line(depth + 1, self.draw.choice(operations))
        self.line(depth, "}")

    # -- operations of the warp ---------------------------------------------------------------------------------------

    def operation(self, depth: int, lanes: int | None) -> None:
        mask = self.mask(lanes)
        a = self.draw.randint(0, 31)
        match self.draw.randrange(8):
            case 0:
                self.line(depth, f"v += __shfl_sync({mask}, v, {a});")
            case 1:
                self.line(depth, f"v += __shfl_down_sync({mask}, v, {a % 16});")
            case 2:
                self.line(depth, f"v += __shfl_xor_sync({mask}, v, {a % 16 + 1}{self.width()});")
            case 3:
                self.line(depth, f"v += __any_sync({mask}, v > {a});")
            case 4:
                self.line(depth, f"v += __popc(__ballot_sync({mask}, v > {a}));")
            case 5:
                self.line(depth, f"v += __reduce_add_sync({mask}, v);")
            case _:
                self.line(depth, f"__syncwarp({mask});")

    def width(self) -> str:
        if self.draw.random() < 0.7:
            return ""
        return f", {self.draw.choice((2, 4, 8, 16, 32, 32, 12, 33, 0))}"

    def mask(self, lanes: int | None) -> str:
        """The mask that fits, or with some probability another one."""
        number = FULL if lanes is None else lanes
        if self.draw.random() > 0.35:
            return f"{number:#x}u"
        line = len(self.lines) + 1
        if lanes is None:
            self.by_data.add(line)
        bit = 1 << self.draw.randrange(WARP)
        match self.draw.randrange(6):
            case 0:
                self.planted[line] = "narrowed"
                return f"{number & ~bit:#x}u"
            case 1:
                self.planted[line] = "widened"
                return f"{number | bit:#x}u"
            case 2:
                self.planted[line] = "whole"
                return f"{FULL:#x}u"
            case 3:
                self.planted[line] = "half"
                return f"{number & 0xFFFF:#x}u"
            case 4:
                self.planted[line] = "per lane"
                return f"(lane == {self.draw.randrange(WARP)} ? {number & ~bit:#x}u : {number:#x}u)"
            case _:
                self.planted[line] = "parity"
                return "(lane % 2 ? 0xaaaaaaaau : 0x55555555u)"

    def exchange(self, depth: int, lanes: int | None) -> None:
        """Volatile shared memory, with or without what orders it."""
        if depth != 1:
            self.operation(depth, lanes)
            return
        name = f"s{self.arrays}"
        self.arrays += 1
        k = self.draw.choice((0, 1, 2, 16))
        self.line(depth, f"__shared__ volatile int {name}[128]; {name}[t] = v;")
        if self.draw.random() < 0.5 and lanes == FULL:
            self.line(depth, "__syncwarp();")
        self.line(depth, f"v += {name}[t ^ {k}];")


def _both(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one & other


def random_kernel(seed: int) -> RandomKernel:
    draw = random.Random(seed)
    writer = _Writer(draw, ["__global__ void k(int *x, const int *y, const int *z, int n) {"], {}, [], set())
    writer.line(1, "int t = threadIdx.x, lane = threadIdx.x % 32; int v = x[t];")
    if draw.random() < 0.2:
        writer.line(1, f"if (lane >= {draw.randint(1, 31)}) return;")
    writer.body(1, FULL)
    writer.line(1, "x[t] = v;")
    writer.lines.append("}")
    if draw.random() < 0.5:
        writer.lines.append("void host(int *x, int *y, int *z, int n) { k<<<1, 64>>>(x, y, z, n); }")
    return RandomKernel("\n".join(writer.lines) + "\n", writer.planted, writer.by_data, writer.numbers)
