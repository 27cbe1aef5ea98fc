"""Random kernels that exchange values through shared memory, and changes that may plant a race in them.

A kernel is a list of statements, each with its text and with what it uses as a function of the thread.  As they are
made, kernels have no race: whatever one thread writes and another one uses stands in different intervals, or is
another element.  A plant takes a barrier out, moves one, shifts an index or drops a guard; whether that is a race is
for the oracle to say (`oracle.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias, final

from tests.sim.random.choices import Choices

Environment: TypeAlias = Mapping[str, int]
"""The thread as `t`, and the variables of the loops around."""
Number: TypeAlias = Callable[[Environment], int]

ROUNDS: Final = 3
"""What the argument `n` and the variable `rounds` are in runs that decide."""
SLACK: Final = 8
"""Elements behind the last one that a shifted index may reach."""
WARP: Final = 32


@final
@dataclass(frozen=True, slots=True)
class Index:
    """An index in C, and what it is."""

    text: str
    of: Number

    def shifted(self, by: int) -> Index:
        return Index(f"({self.text}) + {by}", lambda env: self.of(env) + by)


@final
@dataclass(frozen=True, slots=True)
class Use:
    """One use of an element of `array`; a statement reads what it reads before it writes."""

    array: str
    index: Index
    is_write: bool


@final
@dataclass(frozen=True, slots=True)
class Statement:
    """`text` has a `{}` for each use, in order; `guard` says which threads run it."""

    text: str
    uses: tuple[Use, ...]
    guard: Index | None = None


@final
@dataclass(frozen=True, slots=True)
class BlockBarrier:
    text: str = "__syncthreads();"


@final
@dataclass(frozen=True, slots=True)
class WarpBarrier:
    text: str = "__syncwarp();"


@final
@dataclass(frozen=True, slots=True)
class Loop:
    """`values`: what the variable is, round by round; None: as many rounds as `n` says."""

    head: str
    variable: str
    values: tuple[int, ...] | None
    body: tuple[Item, ...]


Item: TypeAlias = "Statement | BlockBarrier | WarpBarrier | Loop"


@final
@dataclass(frozen=True, slots=True)
class ExchangeKernel:
    """`arrays`: elements by name, of shared memory or `is_global`; blocks have `width` x `height` threads."""

    arrays: Mapping[str, int]
    body: tuple[Item, ...]
    width: int
    height: int
    is_global: bool = False

    @property
    def threads(self) -> int:
        return self.width * self.height

    def lines(self) -> list[str]:
        linear = "threadIdx.x" if self.height == 1 else f"threadIdx.y * {self.width} + threadIdx.x"
        head = [f"__device__ int rounds = {ROUNDS};"]
        first = "__global__ void k(float *out, const float *in, int n) {"
        if self.is_global:
            head += [*(f"__device__ float {name}[{size}];" for name, size in self.arrays.items()), first]
        else:
            head += [first, *(f"  __shared__ float {name}[{size}];" for name, size in self.arrays.items())]
        head += [f"  int t = {linear};", "  float v = in[t];"]
        body = [line for _, line in rendered(self.body, 1)]
        return [*head, *body, f"  out[blockIdx.x * {self.threads} + t] = v;", "}"]

    @property
    def text(self) -> str:
        return "\n".join(self.lines()) + "\n"

    @property
    def first_line(self) -> int:
        """The line, from 1, of the first item."""
        return len(self.arrays) + 5


def rendered(items: Sequence[Item], depth: int) -> Iterator[tuple[Item, str]]:
    """Each line of the text with the item that it belongs to."""
    blank = "  " * depth
    for item in items:
        match item:
            case Statement():
                text = item.text.format(*(f"{use.array}[{use.index.text}]" for use in item.uses))
                guard = "" if item.guard is None else f"if ({item.guard.text}) "
                yield item, f"{blank}{guard}{text}"
            case BlockBarrier() | WarpBarrier():
                yield item, f"{blank}{item.text}"
            case Loop():
                yield item, f"{blank}{item.head} {{"
                yield from rendered(item.body, depth + 1)
                yield item, f"{blank}}}"


# -- making kernels ---------------------------------------------------------------------------------------------------


def exchange_kernel(choices: Choices) -> ExchangeKernel:
    """A kernel without a race."""
    width, height = choices.pick(((64, 1), (128, 1), (96, 1), (32, 1), (16, 4), (8, 8)))
    maker = _Maker(choices, width, height)
    return ExchangeKernel(maker.arrays, tuple(maker.body()), width, height)


@final
class _Maker:
    def __init__(self, choices: Choices, width: int, height: int) -> None:
        self._choices = choices
        self._threads = width * height
        self.arrays: dict[str, int] = {}
        self._loops = 0

    def body(self) -> list[Item]:
        found: list[Item] = []
        for _ in range(self._choices.between(1, 3)):
            found += self._choices.pick(self._PHASES)(self)
        return found

    def _array(self, size: int) -> str:
        name = f"s{len(self.arrays)}"
        if self.arrays and self._choices.chance(2):
            name = self._choices.pick(list(self.arrays))
        self.arrays[name] = max(self.arrays.get(name, 0), size + SLACK)
        return name

    def _own(self) -> Index:
        """An element for each thread."""
        threads = self._threads
        constant = self._choices.between(1, threads - 1)
        power = 1 << self._choices.below(5)
        return self._choices.pick(
            (
                Index("t", lambda env: env["t"]),
                Index("t", lambda env: env["t"]),
                Index(f"{threads - 1} - t", lambda env: threads - 1 - env["t"]),
                Index(f"(t + {constant}) % {threads}", lambda env: (env["t"] + constant) % threads),
                Index(f"t ^ {power}", lambda env: env["t"] ^ power),
            )
        )

    def _any(self) -> Index:
        threads = self._threads
        constant = self._choices.below(threads)
        return self._choices.pick(
            (
                self._own(),
                self._own(),
                Index(f"{constant}", lambda env: constant),
                Index("t / 2", lambda env: env["t"] // 2),
                Index(f"t & {threads // 2 - 1}", lambda env: env["t"] & (threads // 2 - 1)),
            )
        )

    def _write(self, array: str, index: Index, guard: Index | None = None) -> Statement:
        value = self._choices.pick(("v", "v", "(float)t", "in[t + 64] * 2.0f"))
        return Statement(f"{{}} = {value};", (Use(array, index, True),), guard)

    def _read(self, array: str, index: Index, guard: Index | None = None) -> Statement:
        return Statement("v += {};", (Use(array, index, False),), guard)

    def _guard(self) -> Index | None:
        if not self._choices.chance(3):
            return None
        bound = self._choices.between(1, self._threads)
        return Index(f"t < {bound}", lambda env: int(env["t"] < bound))

    def _exchange(self) -> list[Item]:
        array = self._array(self._threads)
        write, read = self._write(array, self._own(), self._guard()), self._read(array, self._any(), self._guard())
        return [write, BlockBarrier(), read, BlockBarrier()]

    def _two_arrays(self) -> list[Item]:
        one, other = self._array(self._threads), self._array(self._threads)
        if one == other:
            return self._exchange()
        writes = [self._write(one, self._own()), self._write(other, self._own())]
        return [*writes, BlockBarrier(), self._read(one, self._any()), self._read(other, self._any()), BlockBarrier()]

    def _update(self) -> list[Item]:
        index = Index("t", lambda env: env["t"])
        array = self._array(self._threads)
        uses = (Use(array, index, False), Use(array, index, True))
        return [self._write(array, index), Statement("{1} = {0} * 0.5f;", uses), BlockBarrier()]

    def _halo(self) -> list[Item]:
        last = self._threads - 1
        array = self._array(self._threads + 2)
        behind = Index("t + 1", lambda env: env["t"] + 1)
        ends = (
            self._write(array, Index("0", lambda env: 0), Index("t == 0", lambda env: int(env["t"] == 0))),
            self._write(
                array,
                Index(f"{last + 2}", lambda env: last + 2),
                Index(f"t == {last}", lambda env: int(env["t"] == last)),
            ),
        )
        both = (
            Use(array, Index("t", lambda env: env["t"]), False),
            Use(array, Index("t + 2", lambda env: env["t"] + 2), False),
        )
        return [self._write(array, behind), *ends, BlockBarrier(), Statement("v += {} - {};", both), BlockBarrier()]

    def _reduction(self) -> list[Item]:
        if self._threads & (self._threads - 1):
            return self._exchange()
        array = self._array(self._threads)
        own = Index("t", lambda env: env["t"])
        halves = tuple(self._threads >> shift for shift in range(1, self._threads.bit_length()))
        far = Index("t + k", lambda env: env["t"] + env["k"])
        uses = (Use(array, own, False), Use(array, far, False), Use(array, own, True))
        step = Statement("{2} = {0} + {1};", uses, Index("t < k", lambda env: int(env["t"] < env["k"])))
        head = f"for (int k = {self._threads // 2}; k > 0; k >>= 1)"
        loop = Loop(head, "k", halves, (step, BlockBarrier()))
        result = self._read(array, Index("0", lambda env: 0))
        return [self._write(array, own), BlockBarrier(), loop, result, BlockBarrier()]

    def _tiles(self) -> list[Item]:
        array, variable = self._array(self._threads), self._variable()
        inner = self._variable()
        threads = self._threads
        read = self._read(
            array, Index(f"(t + {inner}) % {threads}", lambda env, inner=inner: (env["t"] + env[inner]) % threads)
        )
        heads = {
            f"for (int {inner} = 0; {inner} < 4; {inner}++)": range(4),
            f"for (int {inner} = 0; {inner} <= 60; {inner} += 3)": range(0, 61, 3),
            f"for (int {inner} = {threads - 1}; {inner} > 0; {inner}--)": range(threads - 1, 0, -1),
        }
        head = self._choices.pick(list(heads))
        body = (
            self._write(array, self._own()),
            BlockBarrier(),
            Loop(head, inner, tuple(heads[head]), (read,)),
            BlockBarrier(),
        )
        values = None if self._choices.chance(2) else (0, 1, 2)
        bound = self._choices.pick(("n", "rounds")) if values is None else "3"
        return [Loop(f"for (int {variable} = 0; {variable} < {bound}; {variable}++)", variable, values, body)]

    def _one_writer(self) -> list[Item]:
        array, writer = self._array(1), self._choices.below(self._threads)
        first = Index("0", lambda env: 0)
        guard = Index(f"t == {writer}", lambda env: int(env["t"] == writer))
        return [self._write(array, first, guard), BlockBarrier(), self._read(array, first), BlockBarrier()]

    def _inside_warps(self) -> list[Item]:
        array, power = self._array(self._threads), 1 << self._choices.below(3)
        partner = Index(f"t ^ {power}", lambda env: env["t"] ^ power)
        write = self._write(array, Index("t", lambda env: env["t"]))
        return [write, WarpBarrier(), self._read(array, partner), BlockBarrier()]

    def _two_buffers(self) -> list[Item]:
        threads, variable = self._threads, self._variable()
        array = self._array(2 * threads)

        def half(index: Index) -> Index:
            text = f"({variable} & 1) * {threads} + ({index.text})"
            return Index(text, lambda env: (env[variable] & 1) * threads + index.of(env))

        body = (self._write(array, half(self._own())), BlockBarrier(), self._read(array, half(self._own())))
        head = f"for (int {variable} = 0; {variable} < 4; {variable}++)"
        return [Loop(head, variable, (0, 1, 2, 3), body), BlockBarrier()]

    def _variable(self) -> str:
        self._loops += 1
        return f"r{self._loops}"

    _PHASES: Final = (
        *(_exchange, _exchange, _two_arrays, _update, _halo, _reduction, _tiles, _one_writer, _inside_warps),
        _two_buffers,
    )


# -- planting ---------------------------------------------------------------------------------------------------------


def planted(kernel: ExchangeKernel, choices: Choices) -> ExchangeKernel:
    """The kernel with one change."""
    change = choices.pick((_without_barrier, _without_barrier, _moved_barrier, _shifted, _unguarded))
    places = [place for place, item in _places(kernel.body, ()) if change(item, choices) is not item]
    if not places:
        return kernel
    place = choices.pick(places)
    if change is _moved_barrier:
        return replace(kernel, body=_swapped(kernel.body, place, choices))
    return replace(kernel, body=_changed(kernel.body, place, lambda item: change(item, choices)))


def without_barrier(kernel: ExchangeKernel, choices: Choices) -> ExchangeKernel | None:
    """The kernel without one of its barriers of the block; None if it has none."""
    places = [place for place, item in _places(kernel.body, ()) if isinstance(item, BlockBarrier)]
    if not places:
        return None
    return replace(kernel, body=_changed(kernel.body, choices.pick(places), lambda item: None))


_Place: TypeAlias = tuple[int, ...]


def _places(items: Sequence[Item], above: _Place) -> Iterator[tuple[_Place, Item]]:
    for index, item in enumerate(items):
        yield (*above, index), item
        if isinstance(item, Loop):
            yield from _places(item.body, (*above, index))


def _changed(items: Sequence[Item], place: _Place, change: Callable[[Item], Item | None]) -> tuple[Item, ...]:
    first, *rest = place
    item = items[first]
    new: Item | None = change(item)
    if rest:
        assert isinstance(item, Loop)
        new = replace(item, body=_changed(item.body, tuple(rest), change))
    return (*items[:first], *(() if new is None else (new,)), *items[first + 1 :])


def _swapped(items: Sequence[Item], place: _Place, choices: Choices) -> tuple[Item, ...]:
    """The item at the place changes places with a neighbour."""
    first, *rest = place
    if rest:
        loop = items[first]
        assert isinstance(loop, Loop)
        body = _swapped(loop.body, tuple(rest), choices)
        return (*items[:first], replace(loop, body=body), *items[first + 1 :])
    found = list(items)
    other = first + 1 if first == 0 or (choices.chance(2) and first + 1 < len(found)) else first - 1
    if other < len(found):
        found[first], found[other] = found[other], found[first]
    return tuple(found)


def _without_barrier(item: Item, choices: Choices) -> Item | None:
    del choices
    return None if isinstance(item, BlockBarrier | WarpBarrier) else item


_moved_barrier = _without_barrier
"""Which items can be moved: the same."""


def _shifted(item: Item, choices: Choices) -> Item:
    if not isinstance(item, Statement):
        return item
    number = choices.below(len(item.uses))
    uses = list(item.uses)
    uses[number] = replace(uses[number], index=uses[number].index.shifted(choices.between(1, SLACK - 2)))
    return replace(item, uses=tuple(uses))


def _unguarded(item: Item, choices: Choices) -> Item:
    del choices
    return replace(item, guard=None) if isinstance(item, Statement) and item.guard is not None else item
