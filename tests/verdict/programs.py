"""Random kernels whose conditions look like guards: indices against bounds, joined, kept in variables, in loops."""

from __future__ import annotations

from random import Random

from analysis.ir.function import Function
from analysis.ir.parser import parse_function
from analysis.ir.promote import promote
from tests.affine.programs import IndexWriter
from tests.support.programs import COMPARE, VARIABLES, kernel_text


def guarded_kernel(random: Random, structured: bool) -> Function:
    return promote(parse_function(kernel_text(random, structured, GuardWriter)))


class GuardWriter(IndexWriter):
    """Mostly monotone functions of the thread index, compared with each other or with what agrees in the block."""

    def condition(self, depth: int = 0) -> str:
        pick = self.random.randrange(12)
        if pick < 2 and depth < 2:
            word = self.random.choice(("land", "lor", "xor"))
            return self.value("bool", f"{word} {self.condition(depth + 1)}, {self.condition(depth + 1)}")
        if pick == 2 and depth < 2:
            return self.value("bool", f"lnot {self.condition(depth + 1)}")
        if pick == 3 and depth < 2:
            sides = f"{self.condition(depth + 1)}, {self.condition(depth + 1)}"
            return self.value("bool", f"select {self.condition(depth + 1)}, {sides}")
        if pick == 4:
            zero = self.constant(0)
            return self.value("bool", f"ne {self.load(self.random.randrange(VARIABLES))}, {zero}")
        if pick == 5:
            return super().condition()
        right = self.moving() if self.random.randrange(3) == 0 else self.bound()
        return self.value("bool", f"{self.random.choice(COMPARE)} {self.moving()}, {right}")

    def moving(self, depth: int = 0) -> str:
        pick = self.random.randrange(10 if depth < 3 else 3)
        match pick:
            case 0 | 1:
                register = self.register(("thread.x", "thread.x", "thread.x", "thread.y", "lane"))
                return self.value("s32", f"convert {register}")
            case 2:
                return self.load(self.random.randrange(VARIABLES))
            case 3:
                word = self.random.choice(("div", "shr", "rem"))
                return self.value(
                    "s32", f"{word} {self.moving(depth + 1)}, {self.constant(self.random.randrange(1, 4))}"
                )
            case 4:
                return self.value("s32", f"neg {self.moving(depth + 1)}")
            case 5:
                word = self.random.choice(("min", "max"))
                return self.value("s32", f"math {word} {self.moving(depth + 1)}, {self.bound()}")
            case 6:
                return self.value("s32", f"mul {self.moving(depth + 1)}, {self.bound()}")
            case 7:
                return self.value("s32", f"sub {self.bound()}, {self.moving(depth + 1)}")
            case 8:
                word = self.random.choice(("add", "sub"))
                return self.value("s32", f"{word} {self.moving(depth + 1)}, {self.moving(depth + 1)}")
            case _:
                return self.value("s32", f"add {self.moving(depth + 1)}, {self.bound()}")

    def bound(self) -> str:
        pick = self.random.randrange(6)
        if pick < 3:
            return self.constant(self.random.randrange(-2, 10))
        if pick == 3:
            return self.value("s32", f"convert {self.register(('block_dim.x', 'block.x', 'warp_index'))}")
        return "%n" if pick == 4 else self.load(self.random.randrange(VARIABLES))

    def statement(self) -> None:
        pick = self.random.randrange(6)
        if pick == 0:
            self.store(self.random.randrange(VARIABLES), self.moving())
        elif pick == 1:
            self.store(self.random.randrange(VARIABLES), self.value("s32", f"convert {self.condition()}"))
        else:
            super().statement()
