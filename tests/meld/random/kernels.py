"""Random CUDA kernels whose branches have arms that are alike; no schedule changes what they compute.

    kernel = random_kernel(Seeded(7))      # kernel.text is CUDA, kernel.launch what it runs with

Each thread writes only what it owns; shared tiles change hands at barriers between the branches; atomics commute.  What
is computed is defined by C++, so that native code computes the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

from analysis.divergence.levels import Level
from analysis.ir.index3 import Index3
from sim.specification import Budget, LaunchSpecification
from tests.meld.random.grow import Grower
from tests.meld.random.layout import Line, Piece, laid_out, random_style
from tests.meld.random.names import CELLS, HEADER, INPUTS, MACRO_VALUES, NAME, OUTPUTS, PARAMETERS, arguments
from tests.meld.random.regions import RegionWriter
from tests.meld.random.surroundings import Surroundings
from tests.sim.random.choices import Choices, Source
from tests.sim.random.scope import PAIR, S32, STORED, U32, Expression, FloatKind, Memory, Scope, Variable

WARP_SIZES: Final = (32, 8, 4, 64)


@final
@dataclass(frozen=True, slots=True)
class RandomKernel:
    """The kernel is called `k`; `features` names what it is made of."""

    text: str
    launch: LaunchSpecification
    features: frozenset[str]


def random_kernel(source: Source, *, warp_size: int | None = None) -> RandomKernel:
    """For warps of `warp_size` lanes, or of any width."""
    choices = Choices(source)
    width = choices.pick(WARP_SIZES) if warp_size is None else warp_size
    grid = choices.pick(((1, 1, 1), (2, 1, 1), (3, 1, 1)))
    scope = Scope(width, grid, _block(choices, width))
    scope.features.add(f"warp of {width}")
    style = random_style(choices)
    seed = choices.below(1000)
    pieces = _Body(choices, scope).pieces()
    head = f"__global__ void {NAME}({', '.join(PARAMETERS)}) {{"
    text = f"{HEADER}{head}\n".replace("\n", style.newline) + laid_out(pieces, style) + "}" + style.newline
    if style.newline != "\n":
        scope.features.add("CRLF")
    launch = LaunchSpecification(
        scope.grid,
        scope.block,
        arguments(seed, scope.threads * scope.blocks),
        warp_size=width,
        budget=Budget(seconds=60.0),
    )
    return RandomKernel(text, launch, frozenset(scope.features))


def _block(choices: Choices, width: int) -> Index3:
    """Whole warps or not."""
    half = width // 2
    return choices.pick(((width, 1, 1), (2 * width, 1, 1), (width + half, 1, 1), (width + 3, 1, 1), (half, 4, 1)))


@final
class _Body:
    def __init__(self, choices: Choices, scope: Scope) -> None:
        self._choices = choices
        self._scope = scope
        self._around = Surroundings(scope)
        self._pieces: list[Piece] = []

    def pieces(self) -> tuple[Piece, ...]:
        self._indices()
        self._variables()
        self._tiles()
        regions = RegionWriter(self._choices, self._around, Grower(self._choices))
        for number in range(self._choices.pick((1, 1, 1, 1, 2, 3))):
            if number and not self._around.returned and self._choices.chance(2):
                self._hand_over()
            self._pieces += regions.region()
        self._results()
        return tuple(self._pieces)

    def _add(self, *lines: str) -> None:
        self._pieces += [Line(line) for line in lines]

    def _indices(self) -> None:
        scope = self._scope
        thread = "threadIdx.x" if scope.block[1] == 1 else "threadIdx.y * blockDim.x + threadIdx.x"
        self._add(
            f"const int t = {thread};",
            "const int b = blockIdx.x;",
            f"const int i = b * {scope.threads} + t;",
            f"const int lane = t % {scope.warp_size};",
            f"const int warp = t / {scope.warp_size};",
        )
        last = scope.threads - 1
        scope.constants += [
            Expression("t", S32, 0, last, Level.VARYING),
            Expression("i", S32, 0, scope.threads * scope.blocks - 1, Level.VARYING),
            Expression("lane", S32, 0, min(last, scope.warp_size - 1), Level.VARYING),
            Expression("warp", S32, 0, last // scope.warp_size, Level.WARP),
            Expression("b", S32, 0, scope.blocks - 1, Level.BLOCK),
            Expression("n", S32, 0, 40, Level.GRID),
            Expression("m", U32, U32.low, U32.high, Level.GRID),
            Expression("threadIdx.x", U32, 0, scope.block[0] - 1, Level.VARYING),
            *MACRO_VALUES,
        ]
        scope.inputs += INPUTS

    def _variables(self) -> None:
        scope, around = self._scope, self._around
        kinds = (S32, S32, U32, *(self._choices.pick(STORED) for _ in range(self._choices.between(0, 3))))
        for index, kind in enumerate(kinds):
            start = self._choices.pick(("t", "n", "x[t & 63]", "x2[i & 63]", "1", "y[lane]"))
            self._add(f"{kind.name} a{index} = {start};")
            around.add_variable(f"a{index}", kind)
        for name, kind, start in (("e0", FloatKind.FLOAT, "fx[t & 63]"), ("e1", FloatKind.DOUBLE, "dx[t & 31]")):
            self._add(f"{kind.value} {name} = {start};")
            around.add_number(name, kind)
        self._add("Pair pair = {t, (unsigned char)n, 7};", "int w[4] = {t, n, 2, 3};")
        scope.variables += [Variable(f"pair.{name}", kind, Level.VARYING) for name, kind in PAIR]
        scope.locals.append(Memory("w", S32, (4,), level=Level.VARYING))
        self._add("Tally tally = {t, 0u}, score = {n, 1u};", "Level level = LOW;", "bool flag = n & 1;")
        around.has_lambda = self._choices.chance(4)
        if around.has_lambda:
            self._add("auto nudge = [&](int by) { a0 = (int)((unsigned)a0 + (unsigned)by); return a0; };")
        self._add(f"int *p = cells + i * {CELLS};", "int *q = p + 2;")
        around.cells = (
            Memory("p", S32, (CELLS,), level=Level.VARYING),
            Memory("q", S32, (CELLS - 2,), level=Level.VARYING),
        )

    def _tiles(self) -> None:
        """One that everybody reads, one in which each thread has an element."""
        if not self._choices.chance(2):
            return
        self._scope.features.add("tiles")
        threads = self._scope.threads
        self._add(f"__shared__ int filled[{threads}];", f"__shared__ int tile[{threads}];")
        self._add("filled[t] = x[t & 63];", "tile[t] = t;", "__syncthreads();")
        self._around.readable = (Memory("filled", S32, (threads,), level=Level.BLOCK),)
        self._around.own_tiles = (Memory("tile", S32, (threads,), own="[t]", level=Level.BLOCK),)

    def _hand_over(self) -> None:
        """What everybody wrote becomes what everybody reads."""
        if not self._around.own_tiles:
            return
        self._scope.features.add("tiles change hands")
        self._add("__syncthreads();", "filled[t] = tile[t];", "__syncthreads();")

    def _results(self) -> None:
        """Every variable reaches memory."""
        for index, variable in enumerate(self._scope.variables):
            place = self._around.output("out", index)
            self._add(f"{place} = (int)((unsigned){place} * 31u + (unsigned){variable.name});")
        for name, array in (("e0", "fout"), ("e1", "dout")):
            place = f"{array}[i * {OUTPUTS}]"
            self._add(f"{place} = {place} + {name};")
        self._add(*(f"{self._around.own_cell(str(index))} ^= w[{index}];" for index in range(4)))
        self._add("out[i] ^= (int)(tally.total * 5u + tally.steps + score.total * 3u + score.steps);")
        self._add("out[i] ^= (int)level * 64 + flag;")
        if self._around.own_tiles:
            self._add("out[i] ^= tile[t];")
