"""Random CUDA kernels without races: what they compute does not depend on the order in which lanes run.

Lanes share memory only across barriers that all of a block reach, and talk by shuffles that all of a warp reach.
"""

from __future__ import annotations

from random import Random
from typing import final

VARIABLES = ("a", "b", "c")


def random_kernel_text(seed: int) -> str:
    return _Writer(Random(seed)).kernel()


@final
class _Writer:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._lines: list[str] = []
        self._loops = 0

    def kernel(self) -> str:
        self._lines = [
            "__global__ void k(int n, const int *x, int *out) {",
            "  __shared__ int s[64];",
            "  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;",
            "  int a = t, b = x[i & 63], c = n;",
        ]
        for _ in range(self._random.randint(1, 3)):
            self._statements(depth=0, in_loop=False)
            self._together()
        if self._random.random() < 0.5:
            # From here on nobody meets anybody.
            self._lines.append(f"  out[i] = c; if ({self._condition()}) return;")
            self._statements(depth=0, in_loop=False)
        self._lines += ["  out[i] = a ^ (b * 3) ^ (c * 5);", "}"]
        return "\n".join(self._lines)

    def _together(self) -> None:
        """Something in which all threads take part."""
        self._lines.append(
            self._random.choice(
                (
                    "  s[t] = a; __syncthreads(); b += s[t ^ 1]; __syncthreads();",
                    "  a += __shfl_xor_sync(0xffffffffu, b, 3);",
                    "  c += __popc(__ballot_sync(0xffffffffu, a > b));",
                    "  __syncwarp();",
                    "  atomicAdd(out + 256, a & 15);",
                )
            )
        )

    def _statements(self, depth: int, in_loop: bool) -> None:
        for _ in range(self._random.randint(1, 3)):
            self._statement(depth, in_loop)

    def _statement(self, depth: int, in_loop: bool) -> None:
        pick = self._random.randrange(9 if depth < 3 else 3)
        add = self._lines.append
        if pick < 3:
            add(f"{self._variable()} = {self._expression()};")
        elif pick < 5:
            add(f"if ({self._condition()}) {{")
            self._statements(depth + 1, in_loop)
            if self._random.random() < 0.5:
                add("} else {")
                self._statements(depth + 1, in_loop)
            add("}")
        elif pick < 7:
            self._loops += 1
            add(f"for (int j{self._loops} = 0; j{self._loops} < ({self._expression()} & 3); ++j{self._loops}) {{")
            self._statements(depth + 1, True)
            add("}")
        elif pick == 7 and in_loop:
            add(f"if ({self._condition()}) {self._random.choice(('break', 'continue'))};")
        else:
            self._switch(depth, in_loop)

    def _switch(self, depth: int, in_loop: bool) -> None:
        self._lines.append(f"switch ({self._expression()} & 3) {{")
        for label in ("case 0:", "case 2:", "default:"):
            self._lines.append(label)
            # A `continue` in a switch would be the loop's, a `break` the switch's: neither is written here.
            self._statements(depth + 1, False)
            if self._random.random() < 0.7:
                self._lines.append("break;")
        self._lines.append("}")

    def _variable(self) -> str:
        return self._random.choice(VARIABLES)

    def _expression(self) -> str:
        left, right = self._variable(), self._random.choice((*VARIABLES, "t", "1", "3", f"x[{self._variable()} & 63]"))
        return f"({left} {self._random.choice(('+', '-', '*', '^', '&', '|'))} {right})"

    def _condition(self) -> str:
        return f"{self._expression()} {self._random.choice(('<', '>', '==', '!='))} {self._variable()}"
