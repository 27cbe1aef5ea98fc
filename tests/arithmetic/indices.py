"""Random kernels with an index in some mixture of 32 and 64 bits, with a launch, and what their threads compute.

The index of each thread is evaluated here twice, in Python integers as written and with C's types, so that it is known
of each kernel whether the launch overflows it.  Extents are small and factors large: all threads are evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Final, TypeAlias, final

from tests.arithmetic.passing import Passing, by_themselves, in_constants, in_object, through_shared_memory

_SIZES: Final = (3, 5, 1000, 20000, 46340, 46341, 65536, 100000, 1 << 20, 1 << 28, (1 << 30) - 1, 1 << 30)
_RANKS: Final = {"int": 0, "unsigned": 1, "long long": 2, "size_t": 3}
_BITS: Final = {"int": (32, True), "unsigned": (32, False), "long long": (64, True), "size_t": (64, False)}
Names: TypeAlias = Mapping[str, int]


@final
@dataclass(frozen=True, slots=True)
class Leaf:
    """A variable, an argument or a literal."""

    text: str
    type: str


@final
@dataclass(frozen=True, slots=True)
class Cast:
    type: str
    operand: Expression


@final
@dataclass(frozen=True, slots=True)
class Operation:
    """`+`, `-`, `*`."""

    operator: str
    left: Expression
    right: Expression

    @property
    def type(self) -> str:
        return max(self.left.type, self.right.type, key=_RANKS.__getitem__)


Expression: TypeAlias = Leaf | Cast | Operation


@final
@dataclass(frozen=True, slots=True)
class IndexKernel:
    """`text` is the kernel with what says how it is launched; `overflows` if some thread's index is not as written.

    `shown` is the same kernel, which writes the indices to `out` instead of using them: `meant` says which index is to
    stand at which place there.
    """

    text: str
    overflows: bool
    shown: str
    meant: Mapping[int, int]
    block: tuple[int, int]
    grid: tuple[int, int]
    numbers: Names


def wrapped(number: int, type_: str) -> int:
    """As a value of the type."""
    bits, is_signed = _BITS[type_]
    number &= (1 << bits) - 1
    return number - (1 << bits) if is_signed and number >> (bits - 1) else number


def written(expression: Expression) -> str:
    match expression:
        case Leaf(text=text):
            return text
        case Cast(type=type_, operand=operand):
            return f"({type_}){_in_parentheses(operand)}"
        case Operation(operator=operator, left=left, right=right):
            return f"{_in_parentheses(left)} {operator} {_in_parentheses(right)}"


def _in_parentheses(expression: Expression) -> str:
    return f"({written(expression)})" if isinstance(expression, Operation) else written(expression)


def meant(expression: Expression, names: Names) -> int:
    """In the integers of mathematics."""
    match expression:
        case Leaf(text=text):
            return names[text] if text in names else int(text.rstrip("uL"))
        case Cast(operand=operand):
            return meant(operand, names)
        case Operation():
            return _operated(expression.operator, meant(expression.left, names), meant(expression.right, names))


def computed(expression: Expression, names: Names) -> int:
    """As C does."""
    match expression:
        case Leaf(text=text):
            return names[text] if text in names else int(text.rstrip("uL"))
        case Cast(type=type_, operand=operand):
            return wrapped(computed(operand, names), type_)
        case Operation(operator=operator, left=left, right=right):
            type_ = expression.type
            sides = (wrapped(computed(side, names), type_) for side in (left, right))
            return wrapped(_operated(operator, *sides), type_)


def _is_countable(expression: Expression, names: Names) -> bool:
    """Whether 64 bits hold every part of it."""
    match expression:
        case Leaf():
            return True
        case Cast(operand=operand):
            return _is_countable(operand, names)
        case Operation(left=left, right=right):
            parts = _is_countable(left, names) and _is_countable(right, names)
            return parts and abs(meant(expression, names)) < 1 << 62


def _operated(operator: str, left: int, right: int) -> int:
    return left + right if operator == "+" else left - right if operator == "-" else left * right


@final
class _Maker:
    def __init__(self, random: Random) -> None:
        self._random = random
        self.block = random.choice([(4, 1), (4, 2), (8, 2)])
        self.grid = random.choice([(3, 1), (2, 3), (3, 3)]) if self.block[1] > 1 else random.choice([(3, 1), (7, 1)])
        self.sizes = {"n": random.choice(_SIZES), "m": random.choice(_SIZES)}
        self.bounds = {"w": random.randint(1, 30), "h": random.randint(1, 8), "c": random.randint(1, 6)}
        self.index_type = random.choice(["int", "int", "unsigned"])
        self.has_loop = random.random() < 0.4

    def leaves(self) -> list[Leaf]:
        found = [Leaf("col", self.index_type), Leaf("n", "int"), Leaf("m", "int")]
        if self.block[1] > 1:
            found.append(Leaf("row", self.index_type))
        if self.has_loop:
            found.append(Leaf("k", "int"))
        return found

    def index(self) -> Expression:
        terms = [self._term() for _ in range(self._random.randint(1, 3))]
        found = terms[0]
        for term in terms[1:]:
            # A difference of unsigned numbers may wrap below zero, which is no overflow.
            operator = "-" if self.index_type == "int" and self._random.random() < 0.2 else "+"
            found = Operation(operator, found, term)
        return found

    def _term(self) -> Expression:
        found = self._leaf()
        for _ in range(self._random.choice([0, 1, 1, 2])):
            found = Operation("*", found, self._leaf())
        return found

    def _leaf(self) -> Expression:
        leaf: Expression = self._random.choice(self.leaves())
        if self._random.random() < 0.12:
            leaf = Leaf(str(self._random.choice(_SIZES)), "int")
        return Cast(self._random.choice(["long long", "size_t"]), leaf) if self._random.random() < 0.15 else leaf

    def place(self, names: Names) -> int:
        """Of a thread and a round in the array that shows the indices."""
        rounds = self.bounds["c"] if self.has_loop else 1
        return (names["row"] * self.grid[0] * self.block[0] + names["col"]) * rounds + names["k"]

    def threads(self) -> Iterator[dict[str, int]]:
        (width, height), (columns, rows) = self.block, self.grid
        rounds = range(self.bounds["c"] if self.has_loop else 1)
        for row, col, k in product(range(rows * height), range(columns * width), rounds):
            if col < self.bounds["w"] and row < self.bounds["h"]:
                yield {"row": row, "col": col, "k": k, **self.sizes, **self.bounds}


def random_kernel(seed: int, name: str = "k") -> IndexKernel:
    random = Random(seed)
    maker = _Maker(random)
    index = maker.index()
    while any(not _is_countable(index, names) for names in maker.threads()):
        index = maker.index()
    through = random.choice(["", "", "int", "long long"])
    kept = Cast(through, index) if through else index
    overflows = any(wrapped(computed(kept, names), "long long") != meant(kept, names) for names in maker.threads())
    meant_at = {maker.place(names): meant(kept, names) for names in maker.threads()}
    numbers = {**maker.sizes, **maker.bounds}
    passing = random.choice(_PASSING)(random, name, numbers)
    text, shown = _texts(maker, random, name, written(index), through, passing)
    return IndexKernel(text, overflows, shown, meant_at, maker.block, maker.grid, numbers)


_PASSING: Final = (by_themselves, by_themselves, in_object, in_object, in_constants, through_shared_memory)


def _texts(maker: _Maker, random: Random, name: str, index: str, through: str, passing: Passing) -> tuple[str, str]:
    """With what says how it is launched, and as one that shows its indices."""
    has_rows = maker.block[1] > 1
    type_ = maker.index_type
    store = f"a[{index}] = 1.0f;" if not through else f"{through} at = {index};\n  a[at] = 1.0f;"
    show = f"out[PLACE] = {index};" if not through else f"{through} at = {index};\n  out[PLACE] = at;"
    place = "y * gridDim.x * blockDim.x + x"
    if maker.has_loop:
        place = f"({place}) * c + k"
        store, show = (f"for (int k = 0; k < c; k++) {{ {one} }}" for one in (store, show))
    rows = f"  {type_} row = blockIdx.y * blockDim.y + threadIdx.y;\n" if has_rows else ""
    inside = "col < w && row < h" if has_rows else "col < w"
    if random.random() < 0.5:
        outside = "col >= w || row >= h" if has_rows else "col >= w"
        around = f"  if ({outside}) return;\n  STORE\n"
    else:
        around = f"  if ({inside}) {{\n  STORE\n  }}\n"
    numbers = {**maker.sizes, **maker.bounds}
    takes = "int n, int m, int w, int h, int c"
    first = f"  {type_} col = blockIdx.x * blockDim.x + threadIdx.x;\n{rows}"
    kernel = f"__global__ void {name}(float *a, {takes}) {{\n{first}{around.replace('STORE', store)}}}\n"
    own = "  long long x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
    inner = around.replace("STORE", show.replace("PLACE", place))
    shown = f"__global__ void {name}(long long *out, {takes}) {{\n{own}{first}{inner}}}\n"
    blocks, threads = (", ".join(map(str, extents)) for extents in (maker.grid, maker.block))
    if not passing.made and random.random() < 0.5:
        said = " ".join(f"{key}={number}" for key, number in numbers.items())
        comment = f"// simt: grid={blocks.replace(' ', '')} block={threads.replace(' ', '')} {said}\n"
        return comment + kernel, shown
    launch = f"{name}<<<dim3({blocks}), dim3({threads})>>>(a, {passing.passed});"
    return f"{passing.in_kernel(kernel)}void run_{name}(float *a) {{ {passing.made} {launch} }}\n", shown
