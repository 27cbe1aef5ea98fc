"""Random kernels whose lanes exchange numbers through volatile shared memory, as if they ran in step.

Every store has its own element for each lane, so that what lanes leave that run in step follows from the text alone.
Some barriers are there already; statements stand with braces and without, in lines of their own and in one.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

_DEPTH: Final = 2
_HEAD: Final = """__device__ void put(volatile int *w, int i, int v) { w[i] = v; }
__device__ int get(volatile int *w, int i) {
  return w[i];
}
__global__ void k(int *x, const int *y, int n) {
  __shared__ volatile int s[2][64];
  int t = threadIdx.x, lane = t % 32, v = y[t];
  s[t / 32][lane] = x[t];
  s[t / 32][lane + 32] = t;
  __syncthreads();
"""
_TAIL: Final = """  __syncthreads();
  x[t] = v + s[t / 32][lane];
}
void host(int *x, const int *y, int n) { k<<<2, 64>>>(x, y, 64); }
"""


def random_kernel(seed: int) -> str:
    writer = _Writer(random.Random(seed), [])
    writer.body(1, writer.draw.randint(2, 4))
    return _HEAD + "".join(f"{line}\n" for line in writer.lines) + _TAIL


@dataclass(slots=True)
class _Writer:
    draw: random.Random
    lines: list[str]
    loops: int = 0

    def line(self, depth: int, text: str) -> None:
        self.lines.append("  " * depth + text)

    def body(self, depth: int, count: int, step: str | None = None) -> None:
        """`step`: a variable that changes from round to round."""
        for _ in range(count):
            kind = self.draw.randrange(12)
            if kind < 7 or depth > _DEPTH:
                self.line(depth, self.statement(step))
            elif kind < 9:
                self.branch(depth, step)
            elif kind < 11:
                self.loop(depth)
            else:
                self.line(depth, "__syncwarp();" if depth == 1 else "v ^= lane;")

    def statement(self, step: str | None) -> str:
        to, source = f"s[t / 32][{self.index(step)}]", f"s[t / 32][{self.index(step)}]"
        match self.draw.randrange(8):
            case 0 | 1 | 2:
                return f"{to} {self.draw.choice(('+=', '-=', '^='))} {source};"
            case 3:
                return f"{to} = {source} + {self.draw.randint(1, 9)};  // all of them"
            case 4:
                return f"{to} = v = v + {source};"
            case 5:
                return f"put(s[t / 32], {self.index(step)}, v);"
            case 6:
                return f"v += get(s[t / 32], {self.index(step)});"
            case _:
                return f"v += {source};"

    def index(self, step: str | None) -> str:
        number = self.draw.choice((1, 2, 4, 8, 16))
        offset = number if step is None or self.draw.random() < 0.3 else step
        return self.draw.choice((f"lane + {offset}", f"lane ^ {offset}", "lane", "lane", "31 - lane"))

    def condition(self) -> str:
        number = self.draw.choice((4, 8, 16, 24))
        some = (f"lane < {number}", f"lane < {number}", f"t < {number}", "lane % 2 == 0", "y[t] > 3")
        return self.draw.choice((*some, "t < 32", f"n > {number}"))

    def branch(self, depth: int, step: str | None) -> None:
        match self.draw.randrange(4):
            case 0:
                self.line(depth, f"if ({self.condition()}) {self.statement(step)}")
            case 1:
                self.line(depth, f"if ({self.condition()})")
                self.line(depth + 1, self.statement(step))
            case 2:
                self.line(depth, f"if ({self.condition()}) {{ {self.plain(step)} {self.plain(step)} }}")
            case _:
                self.line(depth, f"if ({self.condition()}) {{")
                self.body(depth + 1, self.draw.randint(1, 3), step)
                if self.draw.random() < 0.3:
                    self.line(depth, "} else {")
                    self.body(depth + 1, 1, step)
                self.line(depth, "}")

    def plain(self, step: str | None) -> str:
        """A statement without a comment, for a line that goes on."""
        return self.statement(step).partition("  //")[0]

    def loop(self, depth: int) -> None:
        self.loops += 1
        step = f"k{self.loops}"
        head = f"for (int {step} = {self.draw.choice((4, 16))}; {step} > 0; {step} >>= 1)"
        if self.draw.random() < 0.4:
            self.line(depth, f"{head} {self.statement(step)}")
            return
        self.line(depth, f"{head} {{")
        self.body(depth + 1, self.draw.randint(1, 2), step)
        self.line(depth, "}")
