"""Random CUDA kernels whose results do not depend on the order in which threads run.

    source = Seeded(7); kernel = random_kernel(source)    # kernel.text is CUDA, kernel.launch what it runs with

What they compute is defined by C++ (integers wrap through unsigned), so that native code computes the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np

from analysis.divergence.levels import Level
from analysis.ir.index3 import Index3
from sim.specification import Argument, Array, Budget, LaunchSpecification, Scalar
from tests.sim.random.choices import Choices, Source
from tests.sim.random.expressions import Expressions
from tests.sim.random.functions import Functions
from tests.sim.random.lines import Lines
from tests.sim.random.numbers import Numbers
from tests.sim.random.scope import (
    PAIR,
    S16,
    S32,
    S64,
    STORED,
    U8,
    U32,
    U64,
    Context,
    Expression,
    FloatKind,
    Memory,
    Number,
    Scope,
    Variable,
)
from tests.sim.random.statements import Statements
from tests.sim.random.together import Together

WARP_SIZES: Final = (32, 8, 4, 64)
NAME: Final = "k"
ELEMENTS: Final = 4
"""How many elements of each output a thread owns."""


@final
@dataclass(frozen=True, slots=True)
class RandomKernel:
    """The kernel is called `k`; `features` names what it is made of."""

    text: str
    launch: LaunchSpecification
    features: frozenset[str]


def random_kernel(source: Source, *, warp_size: int | None = None, has_numbers: bool = False) -> RandomKernel:
    """For warps of `warp_size` lanes, or of any width; with floating-point arithmetic or without."""
    return _Kernel(Choices(source), warp_size, has_numbers).kernel()


@final
class _Kernel:
    def __init__(self, choices: Choices, warp_size: int | None, has_numbers: bool) -> None:
        self._choices = choices
        self._has_numbers = has_numbers
        width = choices.pick(WARP_SIZES) if warp_size is None else warp_size
        self._scope = Scope(width, self._grid(), self._block(width))
        self._lines = Lines()
        self._expressions = Expressions(choices, self._scope)
        self._numbers = Numbers(choices, self._scope, self._expressions) if has_numbers else None
        self._expressions.numbers = self._numbers
        self._seed = choices.below(1000)

    def kernel(self) -> RandomKernel:
        scope = self._scope
        scope.features.add(f"warp of {scope.warp_size}")
        scope.features.add(f"{3 - scope.block.count(1) or 1}D block")
        if not scope.has_whole_warps:
            scope.features.add("part of a warp")
        functions = Functions(self._choices, scope, has_numbers=self._has_numbers).text()
        shared = self._shared()
        body = self._body(shared)
        parameters = ", ".join((*PARAMETERS, *(NUMBER_PARAMETERS if self._has_numbers else ())))
        parts = [HEADER, functions, f"__global__ void {NAME}({parameters}) {{", body, "}"]
        launch = LaunchSpecification(
            scope.grid,
            scope.block,
            self._arguments(),
            dynamic_shared_bytes=scope.threads * 4,
            warp_size=scope.warp_size,
            budget=Budget(seconds=60.0),
        )
        return RandomKernel("\n".join(parts) + "\n", launch, frozenset(scope.features))

    # -- shapes and arguments ---------------------------------------------------------------------------------------

    def _grid(self) -> Index3:
        return self._choices.pick(((2, 1, 1), (1, 1, 1), (3, 1, 1), (2, 2, 1)))

    def _block(self, width: int) -> Index3:
        """Of a few warps, whole ones or not."""
        half = width // 2
        return self._choices.pick(
            (
                (width, 1, 1),
                (2 * width, 1, 1),
                (width + half, 1, 1),
                (width + 3, 1, 1),
                (half, 4, 1),
                (half, 3, 1),
                (3, half, 1),
                (half, 2, 2),
                (2, 3, half),
                (2 * width, 2, 1),
            )
        )

    def _arguments(self) -> dict[str, Argument]:
        random = np.random.default_rng(self._seed)
        total = self._scope.threads * self._scope.blocks

        def numbers(kind: type[np.integer[Any]], shape: int | tuple[int, int]) -> Array:
            information = np.iinfo(kind)
            whole = random.integers(information.min, information.max, shape, kind, endpoint=True)
            small = random.integers(0, 9, shape).astype(kind)
            return Array(np.where(random.random(shape) < 0.5, whole, small))

        return {
            "n": Scalar(int(random.integers(0, 41))),
            "m": Scalar(int(random.integers(0, 1 << 32))),
            "x": numbers(np.int32, 64),
            "y": numbers(np.uint8, 100),
            "z": numbers(np.int64, 32),
            "h": numbers(np.int16, 48),
            "v": numbers(np.int32, (16, 4)),
            "out": Array(np.zeros(total * ELEMENTS, np.int32)),
            "wide": Array(np.zeros(total * ELEMENTS, np.uint64)),
            "bytes": Array(np.zeros(total * ELEMENTS, np.uint8)),
            "sums": Array(np.zeros(8, np.uint32)),
            "peaks": Array(np.zeros(8, np.int32)),
            "marks": Array(np.zeros(4, np.uint64)),
            "blocks": Array(np.zeros(self._scope.blocks, np.int32)),
            **(self._number_arguments(random, total) if self._has_numbers else {}),
        }

    def _number_arguments(self, random: np.random.Generator, total: int) -> dict[str, Argument]:
        def some(kind: type[np.floating[Any]], length: int) -> Array:
            wide = random.normal(size=length) * 2.0 ** random.integers(-12, 12, length)
            return Array(np.where(random.random(length) < 0.5, wide, random.integers(-9, 9, length)).astype(kind))

        return {
            "fx": some(np.float32, 64),
            "dx": some(np.float64, 32),
            "hx": some(np.float16, 48),
            "fout": Array(np.zeros(total * ELEMENTS, np.float32)),
            "dout": Array(np.zeros(total * ELEMENTS, np.float64)),
            "hout": Array(np.zeros(total * ELEMENTS, np.float16)),
        }

    # -- the body ---------------------------------------------------------------------------------------------------

    def _body(self, shared: tuple[Memory, ...]) -> str:
        scope, lines = self._scope, self._lines
        self._indices()
        scope.inputs += INPUTS
        self._variables()
        total = scope.threads * scope.blocks
        outputs = (
            Memory("out", S32, (), own=f"[# * {total} + i]"),
            Memory("wide", U64, (), own=f"[i * {ELEMENTS} + #]"),
            Memory("bytes", U8, (), own=f"[i * {ELEMENTS} + #]"),
        )
        totals = (
            (Memory("sums", U32, (8,)), "atomicAdd"),
            (Memory("peaks", S32, (8,)), "atomicMax"),
            (Memory("marks", U64, (4,)), self._choices.pick(("atomicOr", "atomicXor", "atomicMin"))),
        )
        together = Together(self._choices, scope, self._expressions, lines, outputs, totals)
        context = Context(Level.GRID, own_shared=shared)
        for array in shared:
            lines.add(f"{array.name}{array.own} = {self._expressions.leaf(context, Level.VARYING).text};")
        statements = Statements(self._choices, scope, self._expressions, lines, together, self._numbers)
        statements.left = self._choices.pick((2, 4, 8))
        for _ in range(self._choices.pick((1, 2, 2, 3, 5))):
            statements.one(context)
        self._results()
        return lines.text()

    def _shared(self) -> tuple[Memory, ...]:
        """Declared now, written by each thread before anything else."""
        scope, choices = self._scope, self._choices
        found: list[Memory] = []
        for index in range(choices.between(0, 2)):
            kind = choices.pick((S32, U32, U8, U64, S16))
            name = f"s{index}"
            if scope.block[2] == 1 and scope.block[1] > 1 and choices.chance(2):
                width, height = scope.block[:2]
                self._lines.declare(f"__shared__ {kind.name} {name}[{height}][{width + choices.below(2)}];")
                own = "[threadIdx.y][threadIdx.x]"
                found.append(Memory(name, kind, (height, width), own=own, level=Level.BLOCK))
            else:
                self._lines.declare(f"__shared__ {kind.name} {name}[{scope.threads}];")
                found.append(Memory(name, kind, (scope.threads,), own="[t]", level=Level.BLOCK))
        if choices.chance(3):
            scope.features.add("dynamic shared")
            self._lines.declare("extern __shared__ int dynamic[];")
            found.append(Memory("dynamic", S32, (scope.threads,), own="[t]", level=Level.BLOCK))
        return tuple(found)

    def _indices(self) -> None:
        """Names for who a thread is, spelled as programmers spell them."""
        scope, choices, lines = self._scope, self._choices, self._lines
        width, height, depth = scope.block
        if height == depth == 1:
            thread = "threadIdx.x"
        elif depth == 1:
            thread = "threadIdx.y * blockDim.x + threadIdx.x"
        else:
            thread = "(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x"
        block = "blockIdx.x" if scope.grid[1] == 1 else "blockIdx.y * gridDim.x + blockIdx.x"
        size = choices.pick((str(scope.threads), "blockDim.x * blockDim.y * blockDim.z"))
        per_warp = choices.pick((str(scope.warp_size), "warpSize"))
        lines.declare(f"const int t = {thread};")
        lines.declare(f"const int b = {block};")
        lines.declare(f"const int i = b * ({size}) + t;")
        lane = choices.pick((f"t % {per_warp}", f"t & ({per_warp} - 1)"))
        lines.declare(f"const int lane = {lane};")
        lines.declare(f"const int warp = t / {per_warp};")
        last = scope.threads - 1
        scope.constants += [
            Expression("t", S32, 0, last, Level.VARYING),
            Expression("i", S32, 0, scope.threads * scope.blocks - 1, Level.VARYING),
            Expression("lane", S32, 0, min(last, scope.warp_size - 1), Level.VARYING),
            Expression("warp", S32, 0, last // scope.warp_size, Level.WARP),
            Expression("b", S32, 0, scope.blocks - 1, Level.BLOCK),
            Expression("n", S32, 0, 40, Level.GRID),
            Expression("m", U32, U32.low, U32.high, Level.GRID),
            Expression("threadIdx.x", U32, 0, width - 1, Level.VARYING),
            Expression("((int)threadIdx.x)", S32, 0, width - 1, Level.VARYING),
            Expression("((int)blockDim.x)", S32, width, width, Level.GRID),
            Expression("blockIdx.x", U32, 0, scope.grid[0] - 1, Level.BLOCK),
        ]
        if height > 1:
            scope.constants.append(Expression("threadIdx.y", U32, 0, height - 1, Level.VARYING))

    def _variables(self) -> None:
        scope, choices = self._scope, self._choices
        context = Context(Level.GRID)
        levels = (Level.VARYING, Level.VARYING, Level.VARYING, Level.BLOCK, Level.WARP, Level.GRID)
        for index in range(choices.between(2, 6)):
            level = Level.VARYING if index == 0 else choices.pick(levels)
            kind = choices.pick((S32, S32, *STORED))
            start = self._expressions.leaf(context, level)
            self._lines.declare(f"{kind.name} a{index} = {start.text};")
            scope.variables.append(Variable(f"a{index}", kind, level))
        self._declare_numbers()
        if scope.struct_functions or choices.chance(3):
            scope.features.add("struct")
            self._lines.declare("Pair p = {(int)t, (unsigned char)n, (long long)m};")
            scope.variables += [Variable(f"p.{name}", kind, Level.VARYING) for name, kind in PAIR]
        if choices.chance(3):
            scope.features.add("vector")
            self._lines.declare("int4 q = v[t & 15];")
            scope.variables += [Variable(f"q.{name}", S32, Level.VARYING) for name in "xw"]
        if choices.chance(4):
            scope.features.add("vector of bytes")
            self._lines.declare("uchar4 u = make_uchar4(t, n, m, y[t % 100]);")
            scope.variables += [Variable(f"u.{name}", U8, Level.VARYING) for name in "xz"]
        if choices.chance(3):
            self._lines.declare("int w[4] = {t, n, 2, 3};")
            scope.locals.append(Memory("w", S32, (4,), level=Level.VARYING))
        if choices.chance(4):
            scope.features.add("array of structs")
            self._lines.declare("Pair r[2] = {{1, 2, 3}, {t, 5, 6}};")
            scope.locals += [Memory("r", kind, (2,), f".{name}", level=Level.VARYING) for name, kind in PAIR]

    def _declare_numbers(self) -> None:
        if self._numbers is None:
            return
        choices, scope = self._choices, self._scope
        for index in range(choices.between(2, 4)):
            levels = (Level.VARYING, Level.VARYING, Level.BLOCK, Level.GRID) if index else (Level.VARYING,)
            level = choices.pick(levels)
            kind = choices.pick(tuple(FloatKind))
            start = self._numbers.of(Context(Level.GRID), kind, level, 3)
            self._lines.declare(f"{kind.value} e{index} = {start.text};")
            scope.numbers.append(Number(f"e{index}", kind, level))
        if choices.chance(3):
            scope.features.add("vector of numbers")
            self._lines.declare("float4 e = make_float4(fx[t % 64], (float)t, 0.5f, (float)n);")
            scope.numbers += [Number(f"e.{name}", FloatKind.FLOAT, Level.VARYING) for name in "xw"]

    def _number_results(self) -> None:
        places = {FloatKind.FLOAT: "fout", FloatKind.DOUBLE: "dout", FloatKind.HALF: "hout"}
        for index, variable in enumerate(self._scope.numbers):
            place = f"{places[variable.kind]}[i * {ELEMENTS} + {index % ELEMENTS}]"
            self._lines.add(f"{place} = {place} + {variable.text};")

    def _results(self) -> None:
        """Every variable reaches memory."""
        self._number_results()
        scope = self._scope
        total = scope.threads * scope.blocks
        for index, variable in enumerate(scope.variables):
            place = f"out[{index % ELEMENTS} * {total} + i]"
            self._lines.add(f"{place} = (int)((unsigned){place} * 31u + (unsigned){variable.name});")
        uniform = [one for one in scope.variables if one.level <= Level.BLOCK]
        if uniform and scope.level <= Level.BLOCK:
            self._lines.add(f"if (t == 0) blocks[b] = (int){self._choices.pick(uniform).name};")


HEADER: Final = """#include <cuda_fp16.h>
struct Pair { int a; unsigned char b; long long c; };
__constant__ int table[8] = {3, -1, 4, 1, -5, 9, 2, 6};
"""
PARAMETERS: Final = (
    "int n",
    "unsigned m",
    "const int *x",
    "const unsigned char *y",
    "const long long *z",
    "const short *h",
    "const int4 *v",
    "int *out",
    "unsigned long long *wide",
    "unsigned char *bytes",
    "unsigned *sums",
    "int *peaks",
    "unsigned long long *marks",
    "int *blocks",
)
NUMBER_PARAMETERS: Final = (
    "const float *fx",
    "const double *dx",
    "const __half *hx",
    "float *fout",
    "double *dout",
    "__half *hout",
)
INPUTS: Final = (
    Memory("x", S32, (64,)),
    Memory("y", U8, (100,)),
    Memory("z", S64, (32,)),
    Memory("h", S16, (48,)),
    Memory("v", S32, (16,), ".y"),
    Memory("table", S32, (8,)),
)
