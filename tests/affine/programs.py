"""Random kernels full of index arithmetic: conversions, masks, windows of a warp, strided loops, pointers that move.

Built on the kernels of `tests/support/programs.py`: the same statements and control flow, other expressions.
"""

from __future__ import annotations

from random import Random

from analysis.ir.function import Function
from analysis.ir.parser import parse_function
from analysis.ir.promote import promote
from tests.support.programs import Writer, kernel_text

POINTERS = 2
MASKS = (1, 2, 3, 4, 6, 7, 8, 12, 15, -2, -4, -8)
INDICES = ("thread.x", "thread.x", "thread.x", "thread.y", "thread.z", "lane", "block.x")
SCALES = ("block_dim.x", "block_dim.y", "grid_dim.x", "warp_size", "warp_index")


def index_kernel(random: Random, structured: bool) -> Function:
    return promote(parse_function(kernel_text(random, structured, IndexWriter)))


class IndexWriter(Writer):
    """Expressions as kernels compute indices."""

    def begin(self) -> None:
        super().begin()
        for pointer in self.pointers:
            self.lines.append(f"  store {self.pointer_place(pointer)}, %x")

    @property
    def pointers(self) -> range:
        """Symbols of pointer variables."""
        return range(self.first_pointer, self.first_pointer + POINTERS)

    first_pointer = 1000

    def declarations(self) -> list[str]:
        found = super().declarations()
        count = len(found)
        text = "\n".join(self.lines)
        for offset, pointer in enumerate(self.pointers):
            text = text.replace(f"${pointer}", f"${count + offset}")
            found.append(f"local ${count + offset} q{offset}: ptr<global s32>")
        self.lines = text.split("\n")
        return found

    def pointer_place(self, pointer: int) -> str:
        return self.value("ptr<local ptr<global s32>>", f"address ${pointer}")

    def expression(self, depth: int = 0) -> str:
        pick = self.random.randrange(12)
        if depth < 3 and pick < 4:
            return self.index(depth)
        if depth < 3 and pick == 4:
            return self.low_bits(depth) if self.random.randrange(2) else self.linear_index()
        if depth < 3 and pick == 5:
            return self.windowed(depth)
        if depth < 3 and pick == 6:
            return self.converted(depth)
        if depth < 3 and pick == 7:
            word = self.random.choice(("min", "max"))
            return self.value("s32", f"math {word} {self.expression(depth + 1)}, {self.expression(depth + 1)}")
        return super().expression(depth)

    def register(self, names: tuple[str, ...]) -> str:
        return self.value("u32", f"special {self.random.choice(names)}")

    def index(self, depth: int) -> str:
        """`blockIdx.x * blockDim.x + threadIdx.x`, in both signednesses, perhaps scaled."""
        if self.random.randrange(2):
            return self.value("s32", f"convert {self.register(INDICES)}")
        scaled = self.value("u32", f"mul {self.register(INDICES)}, {self.register(SCALES)}")
        total = self.value("s32", f"convert {self.value('u32', f'add {scaled}, {self.register(INDICES)}')}")
        if self.random.randrange(2):
            return total
        return self.value("s32", f"{self.random.choice(('add', 'sub', 'mul'))} {total}, {self.expression(depth + 1)}")

    def windowed(self, depth: int) -> str:
        """A mask, shift, division or remainder."""
        word = self.random.choice(("and", "and", "or", "xor", "shr", "div", "rem", "shl"))
        sign = self.random.choice(("s32", "u32"))
        operand = self.value(sign, f"convert {self.expression(depth + 1)}")
        numbers = MASKS if word in ("and", "or", "xor") else (1, 2, 3) if word in ("shr", "shl") else (1, 2, 4, 8, 3)
        number = self.random.choice(numbers)
        right = self.value(sign, f"const {number % 2**32 if sign == 'u32' else number}")
        return self.value("s32", f"convert {self.value(sign, f'{word} {operand}, {right}')}")

    def linear_index(self) -> str:
        """The thread's number in its block, of any shape; one time in four without its planes."""
        columns, rows = self.register(("block_dim.x",)), self.register(("block_dim.y",))
        row = self.value("u32", f"mul {self.register(('thread.y',))}, {columns}")
        total = self.value("u32", f"add {row}, {self.register(('thread.x',))}")
        if self.random.randrange(4):
            plane = self.value("u32", f"mul {columns}, {rows}")
            planes = self.value("u32", f"mul {plane}, {self.register(('thread.z',))}")
            total = self.value("u32", f"add {total}, {planes}")
        if self.random.randrange(2):
            word, number = self.random.choice((("div", 4), ("div", 12), ("shr", 2), ("and", 3), ("rem", 8)))
            total = self.value("u32", f"{word} {total}, {self.value('u32', f'const {number}')}")
        return self.value("s32", f"convert {total}")

    def low_bits(self, depth: int) -> str:
        """An index that is masked or moved by what agrees in the warp, and then loses its low bits, or nearly so."""
        sign = self.random.choice(("s32", "u32"))
        operand = self.value(sign, f"convert {self.index(depth)}")
        agreeing = self.value(sign, f"convert {self.expression(3) if self.random.randrange(2) else '%n'}")
        if self.random.randrange(2):
            operand = self.value(sign, f"{self.random.choice(('and', 'or', 'xor', 'add'))} {operand}, {agreeing}")
        few = self.value(sign, f"and {agreeing}, {self.value(sign, f'const {self.random.choice((1, 3))}')}")
        several = self.value(sign, f"const {self.random.choice((1, 2, 2, 3))}")
        count = self.value(sign, f"add {few}, {several}")
        word = self.random.choice(("shr", "shr", "div", "rem", "and", "lt", "ge", "le", "gt"))
        divides = word in ("div", "rem")
        step = self.value(sign, f"shl {count if divides or self.random.randrange(2) else few}, {several}")
        if word in ("lt", "ge", "le", "gt"):
            sides = (operand, step) if self.random.randrange(2) else (step, operand)
            return self.value("s32", f"convert {self.value('bool', f'{word} {sides[0]}, {sides[1]}')}")
        right = count if word == "shr" else step
        return self.value("s32", f"convert {self.value(sign, f'{word} {operand}, {right}')}")

    def converted(self, depth: int) -> str:
        """Through another type and back, with an operation there."""
        type_ = self.random.choice(("u32", "s64", "u64", "u8", "s16"))
        wide = self.value(type_, f"convert {self.expression(depth + 1)}")
        other = self.value(type_, f"convert {self.expression(depth + 2)}")
        word = self.random.choice(("add", "sub", "mul"))
        return self.value("s32", f"convert {self.value(type_, f'{word} {wide}, {other}')}")

    def statement(self) -> None:
        pick = self.random.randrange(8)
        if pick < 2:
            self.move_pointer()
        elif pick == 2:
            pointer = self.random.choice(self.pointers)
            start = self.value("ptr<global s32>", f"load {self.pointer_place(pointer)}")
            place = self.value("ptr<global s32>", f"element {start}, {self.expression(1)}")
            self.value("s32", f"load {place}")
        else:
            super().statement()

    def move_pointer(self) -> None:
        source, target = self.random.choice(self.pointers), self.random.choice(self.pointers)
        start = self.value("ptr<global s32>", f"load {self.pointer_place(source)}")
        moved = self.value("ptr<global s32>", f"element {start}, {self.expression(1)}")
        self.lines.append(f"  store {self.pointer_place(target)}, {moved}")

    def counter_start(self) -> str:
        return self.constant(0) if self.random.randrange(2) else self.value("s32", f"convert {self.register(INDICES)}")

    def counter_step(self) -> str:
        pick = self.random.randrange(4)
        if pick == 0:
            return self.value("s32", f"convert {self.register(('block_dim.x',))}")
        return self.constant(self.random.randrange(1, 4))

    def counter_bound(self) -> str | None:
        return self.value("s32", f"const {self.random.randrange(2, 9)}") if self.random.randrange(2) else "%n"
