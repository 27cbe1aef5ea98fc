"""Random kernels some of whose threads miss barriers, each beside what its author meant.

A kernel is a tree of statements that is written down twice.  The *faulty* text has early returns, barriers under
conditions on which threads disagree, barriers in both arms of such branches and in loops that threads leave at
different times.  The *meant* text runs every statement under a flag that says whether the thread still has work, and
leaves all barriers outside; it shares nothing with what the repair writes.
Threads exchange numbers through shared memory between two barriers and nowhere else, so no order of threads matters.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Final

THREADS: Final = 64
"""Of the one block that is launched."""
MOST_ROUNDS: Final = 12
_DEPTH: Final = 3
_HEAD: Final = """  __shared__ int s[64];
  int t = threadIdx.x, i = t;
  int v = x[t], w = t;
  s[t] = x[t];
  __syncthreads();
"""
_HOST: Final = "void host(int *x, const int *y, int n) { k<<<1, 64>>>(x, y, n); }\n"
_SIGNATURE: Final = "__global__ void k(int *x, const int *y, int n) {\n"


@dataclass(frozen=True)
class Kernel:
    faulty: str
    meant: str


def random_kernel(seed: int) -> Kernel:
    generator = _Generator(random.Random(seed))
    faulty = [_HEAD]
    generator.sequence(1, 0, faulty, generator.meant, "g0", generator.draw.randint(3, 6))
    names = "".join(f"  int {name} = 0;\n" for name in generator.declared)
    flags = "".join(f"  bool g{number} = true;\n" for number in range(generator.flags + 1))
    tail = "x[t] = v + 100 * w + s[t];"
    return Kernel(
        f"{_SIGNATURE}{''.join(faulty)}  {tail}\n}}\n{_HOST}",
        f"{_SIGNATURE}{_HEAD}{names}{flags}{''.join(generator.meant)}  if (g0) {tail}\n}}\n{_HOST}",
    )


@dataclass(slots=True)
class _Generator:
    """`visible` are the variables that the faulty text may use where the walk is."""

    draw: random.Random
    meant: list[str] = field(default_factory=list[str])
    declared: list[str] = field(default_factory=list[str])
    visible: list[str] = field(default_factory=lambda: ["v", "w"])
    fixed: set[str] = field(default_factory=set[str])
    """Variables that steer a loop: nothing else changes them."""
    around: list[str] = field(default_factory=list[str])
    """The flags of the branches and loops around, the outermost first."""
    flags: int = 0
    names: int = 0

    def sequence(self, depth: int, loops: int, out: list[str], meant: list[str], flag: str, count: int) -> None:
        known = len(self.visible)
        for _ in range(count):
            kind = self.draw.randrange(16)
            if kind < 4 or (depth > _DEPTH and kind > 8):
                self.statement(depth, out, meant, flag)
            elif kind < 6:
                self.declaration(depth, out, meant, flag)
            elif kind < 9:
                self.exchange(depth, out, meant, flag)
            elif kind < 11 and (depth == 1 or self.draw.random() < 0.15):
                self.exit(depth, out, meant, flag)
            elif kind < 13:
                self.branch(depth, loops, out, meant, flag)
            elif kind < 14:
                self.arms(depth, out, meant, flag)
            elif loops < 2:
                self.loop(depth, loops, out, meant, flag)
        del self.visible[known:]

    def inside(self, flag: str, depth: int, loops: int, out: list[str], meant: list[str], inner: str) -> None:
        self.around.append(flag)
        self.sequence(depth + 1, loops, out, meant, inner, self.draw.randint(1, 3))
        self.around.pop()

    # -- statements ---------------------------------------------------------------------------------------------------

    def statement(self, depth: int, out: list[str], meant: list[str], flag: str) -> None:
        line = self.draw.choice(
            [
                f"{self.target()} = {self.value()};",
                f"{self.target()} += {self.value()};",
                f"x[t] = {self.value()};",
                f"if ({self.condition()}) {self.target()} += {self.value()};",
                f"for (int q = 0; q < t % 3; q++) {self.target()} += q;",
            ]
        )
        comment = self.draw.choice(["", "", "  // work", "  /* work */"])
        out.append(f"{'  ' * depth}{line}{comment}\n")
        meant.append(f"  if ({flag}) {{ {line} }}\n")

    def declaration(self, depth: int, out: list[str], meant: list[str], flag: str) -> None:
        name, value = self.fresh("u"), self.value()
        self.declared.append(name)
        self.visible.append(name)
        is_constant = self.draw.random() < 0.3
        if is_constant:
            self.fixed.add(name)
        out.append(f"{'  ' * depth}{'const ' if is_constant else ''}int {name} = {value};\n")
        meant.append(f"  if ({flag}) {name} = {value};\n")

    def exchange(self, depth: int, out: list[str], meant: list[str], flag: str) -> None:
        """A number goes to another thread; both barriers are part of it."""
        put, get = f"s[t] = {self.value()};", f"{self.target()} += s[(t + {self.draw.randrange(1, 64)}) % 64];"
        for line in (put, None, get, None):
            out.append(f"{'  ' * depth}{line or '__syncthreads();'}\n")
            meant.append(f"  if ({flag}) {line}\n" if line else "  __syncthreads();\n")

    def exit(self, depth: int, out: list[str], meant: list[str], flag: str) -> None:
        """Who leaves an inner branch leaves all that are around it."""
        condition, indent = self.condition(), "  " * depth
        if self.draw.random() < 0.3:
            work: list[str] = []
            stopping = self.flag()
            meant.append(f"  {stopping} = {flag} && ({condition});\n")
            for _ in range(self.draw.randint(1, 2)):
                self.statement(depth + 1, work, meant, stopping)
            out.append(f"{indent}if ({condition}) {{\n{''.join(work)}{indent}  return;\n{indent}}}\n")
        else:
            stopping = self.flag()
            out.append(f"{indent}if ({condition}) return;\n")
            meant.append(f"  {stopping} = {flag} && ({condition});\n")
        meant += [f"  {around} = {around} && !{stopping};\n" for around in (*self.around, flag)]

    # -- branches and loops -------------------------------------------------------------------------------------------

    def branch(self, depth: int, loops: int, out: list[str], meant: list[str], flag: str) -> None:
        inner, condition = self.flag(), self.draw.choice([self.condition(), self.condition(), "n > 50"])
        meant.append(f"  {inner} = {flag} && ({condition});\n")
        out.append(f"{'  ' * depth}if ({condition}) {{\n")
        self.inside(flag, depth, loops, out, meant, inner)
        if self.draw.random() < 0.3:
            other = self.flag()
            out.append(f"{'  ' * depth}}} else {{\n")
            meant.append(f"  {other} = {flag} && !{inner};\n")
            self.statement(depth + 1, out, meant, other)
        out.append(f"{'  ' * depth}}}\n")

    def arms(self, depth: int, out: list[str], meant: list[str], flag: str) -> None:
        """Both arms exchange a number, in step."""
        one, other, condition = self.flag(), self.flag(), self.condition()
        meant.append(f"  {one} = {flag} && ({condition});\n  {other} = {flag} && !{one};\n")
        sides: list[tuple[list[str], list[str]]] = []
        for mine in (one, other):
            lines, parts = list[str](), list[str]()
            self.statement(depth + 1, lines, parts, mine)
            self.exchange(depth + 1, lines, parts, mine)
            self.statement(depth + 1, lines, parts, mine)
            sides.append((lines, parts))
        out.append(f"{'  ' * depth}if ({condition}) {{\n{''.join(sides[0][0])}{'  ' * depth}}} else {{\n")
        out.append(f"{''.join(sides[1][0])}{'  ' * depth}}}\n")
        for mine, theirs in zip(sides[0][1], sides[1][1], strict=True):
            meant += [mine] if mine == theirs else [mine, theirs]

    def loop(self, depth: int, loops: int, out: list[str], meant: list[str], flag: str) -> None:
        name, indent = self.fresh("j"), "  " * depth
        start, condition, step = self.draw.choice(
            [
                ("0", f"{name} < 3", f"{name}++"),
                ("t", f"{name} < n", f"{name} += 32"),
                ("t % 16", f"{name} < n / 4", f"{name} += 8"),
                ("0", f"{name} < t % 5", f"{name}++"),
                ("y[t]", f"{name} > 0", f"{name} -= 2"),
            ]
        )
        is_for = self.draw.random() < 0.7
        self.declared.append(name)
        self.visible.append(name)
        self.fixed.add(name)
        if is_for:
            out.append(f"{indent}for (int {name} = {start}; {condition}; {step}) {{\n")
        else:
            out.append(f"{indent}int {name} = {start};\n{indent}while ({condition}) {{\n")
        inner = self.flag()
        meant.append(f"  {inner} = {flag};\n  if ({flag}) {name} = {start};\n")
        meant.append(f"  for (int r{name} = 0; r{name} < {MOST_ROUNDS}; r{name}++) {{\n")
        meant.append(f"  {inner} = {inner} && ({condition});\n")
        self.inside(flag, depth, loops + 1, out, meant, inner)
        meant.append(f"  if ({inner}) {step};\n  }}\n")
        out.append(f"{indent}}}\n" if is_for else f"{indent}  {step};\n{indent}}}\n")
        if is_for:
            self.visible.remove(name)

    # -- parts --------------------------------------------------------------------------------------------------------

    def value(self) -> str:
        name = self.draw.choice([*self.visible, "t", "i"])
        return self.draw.choice(
            [name, f"{name} + {self.draw.randrange(9)}", f"{name} * 3 - t", "y[t]", "y[(t + 1) % 64] + w", "x[t] % 7"]
        )

    def target(self) -> str:
        return self.draw.choice([name for name in self.visible if name not in self.fixed])

    def condition(self) -> str:
        name = self.draw.choice([*self.visible, "t", "t"])
        simple = [f"{name} > {self.draw.randrange(4, 60)}", f"t % {self.draw.randrange(2, 5)} == 0", "i >= n / 2"]
        more = [f"t < {self.draw.randrange(1, 64)} && {name} > 3", "y[t] > 2", f"{name} % 2 || t > 40", "!(t < 20)"]
        return self.draw.choice([*simple, *simple, *more])

    def fresh(self, letter: str) -> str:
        self.names += 1
        return f"{letter}{self.names}"

    def flag(self) -> str:
        self.flags += 1
        return f"g{self.flags}"
