"""Random small kernels: structured ones with loops, jumps and switches, and arbitrary control-flow graphs.

A program is drawn from a source of random numbers, written as textual IR over variables in memory, and promoted to SSA.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from analysis.ir.function import Function
from analysis.ir.parser import parse_function
from analysis.ir.promote import promote

VARIABLES = 4
ARRAY = VARIABLES
"""Symbol of a local array that dynamic indices keep in memory."""
BINARY = ("add", "sub", "xor", "and", "or", "mul")
COMPARE = ("lt", "le", "gt", "ge", "eq", "ne")
REGISTERS = ("thread.x", "thread.x", "thread.y", "block.x", "warp_index", "lane", "block_dim.x")


def random_kernel(random: Random, structured: bool) -> Function:
    return promote(parse_function(kernel_text(random, structured)))


def kernel_text(random: Random, structured: bool, kind: type[Writer] | None = None) -> str:
    writer = (kind or Writer)(random)
    writer.begin()
    if structured:
        _Structured(writer, random).body(depth=0)
        writer.end("return")
    else:
        _tangle(writer, random)
    return writer.text()


@dataclass
class _Loop:
    step: str
    after: str


class Writer:
    """Blocks of textual IR; a block is open until `end`."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.names = 0
        self.symbols = ARRAY + 1

    def text(self) -> str:
        declared = self.declarations()
        return "\n".join(["kernel @k(%n: s32, %x: ptr<global s32>) {", *declared, *self.lines, "}"])

    def declarations(self) -> list[str]:
        """Of all symbols, in order."""
        declared = [f"local ${index} v{index}: s32" for index in range(self.symbols) if index != ARRAY]
        declared.append(f"local ${ARRAY} a: [4 x s32]")
        return sorted(declared, key=lambda line: int(line.split()[1][1:]))

    def begin(self) -> None:
        self.label("entry")
        for variable in range(VARIABLES):
            self.store(variable, self.constant(self.random.randrange(4)))
        for index in range(4):
            place = self.element(self.constant(index))
            self.lines.append(f"  store {place}, {self.constant(0)}")

    def fresh(self, word: str = "t") -> str:
        self.names += 1
        return f"{word}{self.names}"

    def value(self, type_: str, text: str) -> str:
        name = f"%{self.fresh()}"
        self.lines.append(f"  {name}: {type_} = {text}")
        return name

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")

    def end(self, terminator: str) -> None:
        self.lines.append(f"  {terminator}")

    def constant(self, number: int) -> str:
        return self.value("s32", f"const {number}")

    def variable(self) -> int:
        self.symbols += 1
        return self.symbols - 1

    def load(self, variable: int) -> str:
        return self.value("s32", f"load {self.value('ptr<local s32>', f'address ${variable}')}")

    def store(self, variable: int, value: str) -> None:
        address = self.value("ptr<local s32>", f"address ${variable}")
        self.lines.append(f"  store {address}, {value}")

    def element(self, index: str) -> str:
        base = self.value("ptr<local [4 x s32]>", f"address ${ARRAY}")
        return self.value("ptr<local s32>", f"element {base}, {index}")

    def expression(self, depth: int = 0) -> str:
        pick = self.random.randrange(12 if depth < 2 else 5)
        match pick:
            case 0:
                return self.constant(self.random.randrange(-2, 6))
            case 1:
                return self.value("s32", f"convert {self.value('u32', f'special {self.random.choice(REGISTERS)}')}")
            case 2 | 3:
                return self.load(self.random.randrange(VARIABLES))
            case 4:
                return "%n"
            case 5:
                mask = self.value("s32", f"and {self.expression(depth + 1)}, {self.constant(7)}")
                place = self.value("ptr<global s32>", f"element %x, {mask}")
                return self.value("s32", f"load {place}")
            case 6:
                mask = self.value("s32", f"and {self.expression(depth + 1)}, {self.constant(3)}")
                return self.value("s32", f"load {self.element(mask)}")
            case 7:
                word = self.random.choice(("div", "rem", "shr", "shl"))
                right = self.constant(self.random.randrange(1, 5))
                return self.value("s32", f"{word} {self.expression(depth + 1)}, {right}")
            case 8:
                sides = f"{self.expression(depth + 1)}, {self.expression(depth + 1)}"
                return self.value("s32", f"select {self.condition()}, {sides}")
            case 9:
                return self.value("s32", f"convert {self.condition()}")
            case _:
                sides = f"{self.expression(depth + 1)}, {self.expression(depth + 1)}"
                return self.value("s32", f"{self.random.choice(BINARY)} {sides}")

    def counter_start(self) -> str:
        return self.constant(0)

    def counter_step(self) -> str:
        return self.constant(1)

    def counter_bound(self) -> str | None:
        """What a loop counts up to; None: a small number of the writer's choice."""
        return None

    def condition(self) -> str:
        """Of every level, so that uniform and varying decisions alternate."""
        pick = self.random.randrange(7)
        if pick < 3:
            left = self.value("s32", f"convert {self.value('u32', f'special {self.random.choice(REGISTERS)}')}")
        elif pick == 3:
            left = "%n"
        elif pick < 6:
            left = self.load(self.random.randrange(VARIABLES))
        else:
            left = self.expression(1)
        if self.random.randrange(4) == 0:
            left = self.value("s32", f"and {left}, {self.constant(self.random.choice((1, 2)))}")
        right = self.constant(self.random.randrange(4)) if self.random.randrange(4) else self.expression(2)
        return self.value("bool", f"{self.random.choice(COMPARE)} {left}, {right}")

    def statement(self) -> None:
        """Mostly constants and steps, so that most variables are uniform until control flow makes them vary."""
        pick = self.random.randrange(8)
        variable = self.random.randrange(VARIABLES)
        if pick < 3:
            self.store(variable, self.constant(self.random.randrange(4)))
        elif pick < 5:
            step = self.constant(self.random.randrange(1, 3))
            self.store(variable, self.value("s32", f"add {self.load(self.random.randrange(VARIABLES))}, {step}"))
        elif pick == 5:
            mask = self.value("s32", f"and {self.expression(1)}, {self.constant(3)}")
            place, value = self.element(mask), self.expression(1)
            self.lines.append(f"  store {place}, {value}")
        else:
            self.store(self.random.randrange(VARIABLES), self.expression())


class _Structured:
    """C-like statements; loops run at most three times."""

    def __init__(self, writer: Writer, random: Random) -> None:
        self.writer = writer
        self.random = random
        self.loops: list[_Loop] = []
        self.left = 10
        """How many more compound statements may be written."""

    def body(self, depth: int) -> None:
        for _ in range(self.random.randrange(1, 4)):
            pick = self.random.randrange(9)
            if pick < 3 or depth >= 4 or self.left <= 0:
                self.writer.statement()
                continue
            self.left -= 1
            if pick < 6:
                self.conditional(depth)
            elif pick < 8:
                self.loop(depth, at_least_once=bool(self.random.randrange(2)))
            else:
                self.switch(depth)
        if self.random.randrange(6) == 0:
            self.jump()

    def jump(self) -> None:
        """break, continue or return; what follows is never reached."""
        targets = ["return"]
        if self.loops:
            targets += [f"jump {self.loops[-1].step}", f"jump {self.loops[-1].after}", f"jump {self.loops[0].after}"]
        self.writer.end(self.random.choice(targets))
        self.writer.label(self.writer.fresh("dead"))

    def conditional(self, depth: int) -> None:
        writer = self.writer
        then, other, after = writer.fresh("then"), writer.fresh("else"), writer.fresh("after")
        two_sided = self.random.randrange(2)
        writer.end(f"branch {writer.condition()}, {then}, {other if two_sided else after}")
        writer.label(then)
        self.body(depth + 1)
        writer.end(f"jump {after}")
        if two_sided:
            writer.label(other)
            self.body(depth + 1)
            writer.end(f"jump {after}")
        writer.label(after)

    def loop(self, depth: int, at_least_once: bool) -> None:
        writer = self.writer
        counter = writer.variable()
        writer.store(counter, writer.counter_start())
        head, body, step, after = (writer.fresh(word) for word in ("head", "body", "step", "after"))
        writer.end(f"jump {body if at_least_once else head}")
        if not at_least_once:
            writer.label(head)
            self.test(counter, body, after)
        writer.label(body)
        self.loops.append(_Loop(step, after))
        self.body(depth + 1)
        self.loops.pop()
        writer.end(f"jump {step}")
        writer.label(step)
        writer.store(counter, writer.value("s32", f"add {writer.load(counter)}, {writer.counter_step()}"))
        if at_least_once:
            self.test(counter, body, after)
        else:
            writer.end(f"jump {head}")
        writer.label(after)

    def test(self, counter: int, stay: str, leave: str) -> None:
        writer = self.writer
        bound = writer.counter_bound()
        if bound is not None:
            pass
        elif self.random.randrange(2):
            bound = writer.value("s32", f"and {writer.expression(1)}, {writer.constant(3)}")
        else:
            bound = writer.constant(self.random.randrange(1, 4))
        below = writer.value("bool", f"lt {writer.load(counter)}, {bound}")
        writer.end(f"branch {below}, {stay}, {leave}")

    def switch(self, depth: int) -> None:
        """Some arms fall through into the next."""
        writer = self.writer
        arms = [writer.fresh("arm") for _ in range(self.random.randrange(2, 4))]
        after = writer.fresh("after")
        value = writer.value("s32", f"and {writer.expression(1)}, {writer.constant(3)}")
        cases = ", ".join(f"{number}: {arm}" for number, arm in enumerate(arms))
        writer.end(f"switch {value}, {cases}, default: {after}")
        for index, arm in enumerate(arms):
            writer.label(arm)
            self.body(depth + 1)
            falls = index + 1 < len(arms) and self.random.randrange(3) == 0
            writer.end(f"jump {arms[index + 1] if falls else after}")
        writer.label(after)


def _tangle(writer: Writer, random: Random) -> None:
    """Any blocks, any edges: irreducible loops, several exits, endless loops."""
    count = random.randrange(3, 9)
    labels = [f"b{index}" for index in range(count)]
    writer.end(f"jump {labels[0]}")
    for index, label in enumerate(labels):
        writer.label(label)
        for _ in range(random.randrange(0, 3)):
            writer.statement()
        clock = random.randrange(VARIABLES)
        if random.randrange(2):
            writer.store(clock, writer.value("s32", f"add {writer.load(clock)}, {writer.constant(1)}"))
        pick = random.randrange(8)
        if index == count - 1 or pick == 0:
            writer.end("return")
        elif pick == 1:
            writer.end(f"jump {random.choice(labels)}")
        elif pick == 2:
            value = writer.value("s32", f"and {writer.expression(1)}, {writer.constant(3)}")
            cases = ", ".join(f"{number}: {random.choice(labels)}" for number in range(2))
            writer.end(f"switch {value}, {cases}, default: {random.choice(labels)}")
        else:
            forward = labels[random.randrange(index + 1, count)]
            ends = [forward, random.choice(labels)]
            random.shuffle(ends)
            writer.end(f"branch {writer.condition()}, {ends[0]}, {ends[1]}")
