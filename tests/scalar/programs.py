"""Random kernels with accesses to memory at `base + scale * threadIdx.x`, through pointers that loops move on."""

from __future__ import annotations

from random import Random

from analysis.ir.function import Function
from analysis.ir.parser import parse_function
from analysis.ir.promote import promote
from tests.affine.programs import IndexWriter
from tests.support.programs import VARIABLES, kernel_text

POINTER = "ptr<global s32>"


def memory_kernel(random: Random, structured: bool) -> Function:
    return promote(parse_function(kernel_text(random, structured, MemoryWriter)))


class MemoryWriter(IndexWriter):
    """Every other statement loads or stores in global memory."""

    def statement(self) -> None:
        pick = self.random.randrange(6)
        if pick == 0:
            self.store(self.random.randrange(VARIABLES), self.value("s32", f"load {self.place()}"))
        elif pick == 1:
            place = self.place()
            self.lines.append(f"  store {place}, {self.expression(1)}")
        elif pick == 2:
            source, target = self.random.choice(self.pointers), self.random.choice(self.pointers)
            moved = self.value(POINTER, f"element {self.pointer(source)}, {self.uniform()}")
            self.lines.append(f"  store {self.pointer_place(target)}, {moved}")
        else:
            super().statement()

    def place(self) -> str:
        """`q + uniform + thread`, the thread's part sometimes left out or scaled."""
        base = "%x" if self.random.randrange(2) else self.pointer(self.random.choice(self.pointers))
        thread = self.value("s32", f"convert {self.register(('thread.x', 'thread.x', 'thread.x', 'lane'))}")
        pick = self.random.randrange(8)
        if pick == 0:
            return self.value(POINTER, f"element {base}, {self.uniform()}")
        if pick == 1:
            thread = self.value("s32", f"mul {thread}, {self.uniform()}")
        if pick < 5:
            thread = self.value("s32", f"{self.random.choice(('add', 'sub'))} {thread}, {self.uniform()}")
        if pick == 5:
            thread = self.value("s32", f"add {self.uniform()}, {thread}")
        return self.value(POINTER, f"element {base}, {thread}")

    def pointer(self, symbol: int) -> str:
        return self.value(POINTER, f"load {self.pointer_place(symbol)}")

    def uniform(self) -> str:
        pick = self.random.randrange(4)
        if pick == 0:
            return "%n"
        if pick == 1:
            return self.load(self.random.randrange(VARIABLES))
        if pick == 2:
            return self.value("s32", f"convert {self.register(('block.x', 'block_dim.x', 'warp_index'))}")
        return self.constant(self.random.randrange(-1, 4))
