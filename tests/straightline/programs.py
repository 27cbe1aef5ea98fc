"""Random functions full of index arithmetic that is partly redundant: products, sums and addresses a few steps apart.

Built on the kernels of `tests/support/programs.py`: the same control flow, other statements.  What a thread computes is
stored to places of its own, so that nothing is computed in vain.
"""

from __future__ import annotations

from random import Random
from typing import Final

from analysis.ir.function import Function
from analysis.ir.parser import parse_function
from analysis.ir.promote import promote
from tests.support.programs import VARIABLES, Writer, kernel_text

TYPES: Final = ("s32", "s32", "s32", "u32", "u32", "s64", "u64")
STEPS: Final = (-2, -1, 1, 1, 1, 2, 2, 3, 4)
POINTER: Final = "ptr<global s32>"


def arithmetic_function(random: Random, structured: bool) -> Function:
    return promote(parse_function(kernel_text(random, structured, ArithmeticWriter)))


class ArithmeticWriter(Writer):
    """`fresh` values of the open block are used again and again."""

    def begin(self) -> None:
        self.known: dict[str, list[str]] = {}
        self.addresses: list[str] = []
        self.places = 0
        super().begin()

    def label(self, name: str) -> None:
        super().label(name)
        self.known, self.addresses = {}, []

    def statement(self) -> None:
        match self.random.randrange(9):
            case 0:
                super().statement()
            case 1:
                self.store(self.random.randrange(VARIABLES), self.number("s32"))
            case 2:
                self.observe(self.number(self.random.choice(TYPES)))
            case 3:
                self.keep_twice()
            case 5 | 6:
                self.family()
            case 4:
                type_ = self.random.choice(("s64", "u64"))
                word = self.random.choice(("div", "rem"))
                self.observe(self.value(type_, f"{word} {self.number(type_)}, {self.number(type_)}"))
            case _:
                self.observe(self.value("s32", f"load {self.address()}"))

    def observe(self, value: str) -> None:
        """Stores the value, as 32 bits, where nothing else does."""
        self.places += 1
        place = self.value("ptr<shared s32>", f"element %y, {self.constant(self.places)}")
        self.lines.append(f"  store {place}, {self.value('s32', f'convert {value}')}")

    def keep_twice(self) -> None:
        """Two stores to one place, perhaps with a load between them."""
        place = self.address() if self.random.randrange(2) else self.element(self.constant(self.random.randrange(4)))
        self.lines.append(f"  store {place}, {self.number('s32')}")
        if self.random.randrange(3) == 0:
            self.value("s32", f"load {self.address()}")
        self.lines.append(f"  store {place}, {self.number('s32')}")

    def family(self) -> None:
        """Products, sums or addresses that differ by steps of one variable, as an unrolled loop has them."""
        type_ = self.random.choice(TYPES)
        base, step, other = (self.number(type_, 2) for _ in range(3))
        form = self.random.randrange(4)
        for _ in range(self.random.randrange(2, 5)):
            factor = self.value(type_, f"const {self._fitting(self.random.choice(STEPS), type_)}")
            if form == 0:
                factor, by = base, factor
                factor = self.value(type_, f"add {factor}, {by}")
            product = self.value(type_, f"mul {factor}, {step}")
            total = product if form == 1 else self.value(type_, f"add {other}, {product}")
            if self.random.randrange(3) == 0:
                total = self.value(type_, f"add {total}, {self.number(type_, 2)}")
            if self.random.randrange(3):
                self.addresses.append(self.value(POINTER, f"element %x, {total}"))
                self.observe(self.value("s32", f"load {self.addresses[-1]}"))
            else:
                self.observe(total)

    def address(self) -> str:
        base = self.random.choice(self.addresses) if self.addresses and self.random.randrange(3) == 0 else "%x"
        self.addresses.append(self.value(POINTER, f"element {base}, {self.number(self.random.choice(TYPES))}"))
        return self.addresses[-1]

    def number(self, type_: str, depth: int = 0) -> str:
        """An operand: something known, or a step from it, a product, a sum."""
        known = self.known.setdefault(type_, [])
        pick = self.random.randrange(10)
        if depth > 2 or (known and pick < 4):
            return self.random.choice(known) if known else self.leaf(type_)
        if pick < 6:
            found = self.leaf(type_)
        elif pick == 6:
            left, right = self.number(type_, depth + 1), self.number(type_, depth + 1)
            found = self.value(type_, f"mul {left}, {right}")
        elif pick == 7:
            step = self.value(type_, f"const {self._fitting(self.random.choice(STEPS), type_)}")
            word = self.random.choice(("add", "add", "sub", "mul"))
            found = self.value(type_, f"{word} {self.number(type_, depth + 1)}, {step}")
        else:
            word = self.random.choice(("add", "add", "add", "sub", "and", "xor"))
            found = self.value(type_, f"{word} {self.number(type_, depth + 1)}, {self.number(type_, depth + 1)}")
        known.append(found)
        return found

    def leaf(self, type_: str) -> str:
        pick = self.random.randrange(5)
        if pick == 0:
            found = self.value(
                "u32", f"special {self.random.choice(('thread.x', 'thread.y', 'block.x', 'block_dim.x'))}"
            )
            return found if type_ == "u32" else self.value(type_, f"convert {found}")
        if pick == 1:
            return self.value(type_, f"const {self._fitting(self.random.randrange(-1, 5), type_)}")
        found = "%n" if pick == 2 else self.load(self.random.randrange(VARIABLES))
        return found if type_ == "s32" else self.value(type_, f"convert {found}")

    @staticmethod
    def _fitting(number: int, type_: str) -> int:
        return number % 2 ** int(type_[1:]) if type_.startswith("u") else number

    def text(self) -> str:
        return (
            super()
            .text()
            .replace("(%n: s32, %x: ptr<global s32>)", "(%n: s32, %x: ptr<global s32>, %y: ptr<shared s32>)")
        )
