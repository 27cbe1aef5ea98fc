"""Runs the vector form of a kernel as NumPy: one warp after the other, from barrier to barrier.

What single operations compute is asked of the simulator (`sim/values`), where NumPy alone would do otherwise; which
lanes do what, and when, is what the lines say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.features.scalarization.report import scalarization_report
from analysis.features.scalarization.simd import simd_view
from analysis.ir.index3 import Index3
from analysis.ir.operators import AtomicOperator, MathFunction, TextureOperation
from analysis.lower.layouts import size_of
from analysis.scalar.simd.model import NotVectorised, SimdCode, SimdLine
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader
from sim.arrays import Values
from sim.code.namespace import namespace
from sim.memory.arena import Arena
from sim.memory.arguments import stored
from sim.memory.textures import Textures
from sim.specification import TextureImage
from sim.values import exchange
from sim.values.scalars import parts_of
from tests.sim.running import kernel_of

TYPES: Final[Mapping[str, Any]] = {
    **{f"i{bits}": np.dtype(f"int{bits}").type for bits in (8, 16, 32, 64)},
    **{f"u{bits}": np.dtype(f"uint{bits}").type for bits in (8, 16, 32, 64)},
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "bool": np.bool_,
}
Names = dict[str, Any]


@final
class Element:
    """`f32`: a type, and the conversion to it."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind

    def __call__(self, value: Any) -> Any:
        return convert(self, value)


ELEMENTS: Final = {name: Element(kind) for name, kind in TYPES.items()}
Warp = Generator[tuple[str, Any, Any] | None, Any, None]


def simd_code(text: str, warp_size: int = 32) -> SimdCode | NotVectorised:
    """The vector form of the first kernel of a text."""
    settings = AnalysisSettings(warp_size=warp_size)
    analysis = Analyzer().analyze("k.cu", Document.open(text.encode()), DictLoader({}), settings)
    function = next(iter(analysis.facts.kernels()))
    report = scalarization_report(analysis, function)
    assert report is not None
    return simd_view(report)


def run_simd(
    text: str,
    arguments: Mapping[str, Any],
    *,
    grid: int | Index3 = 1,
    block: int | Index3 = 32,
    shared: int = 0,
    warp_size: int = 32,
    variables: Mapping[str, TextureImage] | None = None,
) -> dict[str, NDArray[Any]]:
    """The arrays among the arguments, as the first kernel of a text leaves them, and the images."""
    code = simd_code(text, warp_size)
    assert isinstance(code, SimdCode), (code, text)
    contents = kernel_of(text, code.function.name, warp_size).contents
    launch = _Launch(
        (grid, 1, 1) if isinstance(grid, int) else grid,
        (block, 1, 1) if isinstance(block, int) else block,
        shared,
        warp_size,
    )
    return _Machine(code, arguments, contents, launch, variables or {}).run()


class _Launch:
    def __init__(self, grid: Index3, block: Index3, shared: int, lanes: int) -> None:
        self.grid = grid
        self.block = block
        self.shared = shared
        self.lanes = lanes
        self.threads = int(np.prod(block))


class _Machine:
    def __init__(
        self,
        code: SimdCode,
        arguments: Mapping[str, Any],
        contents: Mapping[str, Any],
        launch: _Launch,
        variables: Mapping[str, TextureImage],
    ) -> None:
        self._code = code
        self._launch = launch
        self._arena = np.zeros(1 << 22, np.uint8)
        self._top = 256
        self._names: Names = {}
        self._clock = count()
        self._places: dict[str, tuple[int, NDArray[Any]]] = {}
        self._variables: dict[str, tuple[int, int]] = {}
        images: list[TextureImage] = []
        for parameter in code.function.parameters:
            given = arguments[parameter.name]
            name = f"{parameter.name}_{parameter.value}"
            if isinstance(given, np.ndarray):
                start = self._placed(given.nbytes)
                self._arena[start : start + given.nbytes] = given.reshape(-1).view(np.uint8)
                self._places[parameter.name] = start, given
                self._names[name] = np.int64(start)
            elif isinstance(given, TextureImage):
                images.append(given)
                self._names[name] = np.int64(len(images))
            else:
                self._names[name] = given
        self._place_variables(contents, variables, images)
        self._compiled = compile(python_of(code), "<simd>", "exec")
        self._operations = {**operations(self._arena, launch.lanes), **_textures(images, launch.lanes)}

    def run(self) -> dict[str, NDArray[Any]]:
        wide, high, deep = self._launch.grid
        for number in range(wide * high * deep):
            at = number % wide, number // wide % high, number // (wide * high)
            warps = [self._warp(at, first) for first in range(0, self._launch.threads, self._launch.lanes)]
            with np.errstate(all="ignore"):
                _together(warps)
        return {
            name: self._arena[start : start + given.nbytes].view(given.dtype).reshape(given.shape).copy()
            for name, (start, given) in self._places.items()
        }

    def _placed(self, size: int) -> int:
        start, self._top = self._top, self._top + -(-size // 256) * 256
        return start

    def _place_variables(
        self, contents: Mapping[str, Any], variables: Mapping[str, TextureImage], images: list[TextureImage]
    ) -> None:
        function = self._code.function
        for number, symbol in enumerate(function.symbols):
            size = -(-(size_of(symbol.type, function.structs) or self._launch.shared) // 16) * 16
            start = self._placed(size * (1 + self._launch.threads if symbol.kind.value == "local" else 1))
            self._variables[f"{symbol.name}#{number}"] = start, size
            if symbol.name in variables:
                images.append(variables[symbol.name])
                self._arena[start : start + 8].view(np.int64)[0] = len(images)
            for one in contents.get(symbol.name, ()) or ():
                (part,) = parts_of(one.type, function.structs)
                octets = stored(part, one.value)
                self._arena[start + one.offset : start + one.offset + len(octets)] = octets

    def _warp(self, at: Index3, first: int) -> Warp:
        launch, lanes = self._launch, np.arange(self._launch.lanes)
        thread = first + lanes
        wide, high, _ = launch.block

        def place(name: str) -> Any:
            return np.int64(self._variables[name][0])

        def local(name: str) -> Any:
            start, size = self._variables[name]
            return start + np.minimum(thread, launch.threads).astype(np.int64) * size

        first_bit, bits = np.uint64(1), lanes.astype(np.uint64)
        every = np.uint64((1 << launch.lanes) - 1)
        registers = {
            "thread": (thread % wide, thread // wide % high, thread // (wide * high)),
            "block": at,
            "block_dim": launch.block,
            "grid_dim": launch.grid,
        }
        names: Names = {
            **ELEMENTS,
            **self._operations,
            **self._names,
            "all_lanes": thread < launch.threads,
            "no_lanes": np.zeros(launch.lanes, bool),
            "any": np.any,
            "lane": bits,
            "lane_mask_eq": first_bit << bits,
            "lane_mask_lt": (first_bit << bits) - first_bit,
            "lane_mask_le": (first_bit << bits) | ((first_bit << bits) - first_bit),
            "lane_mask_gt": every & ~((first_bit << bits) | ((first_bit << bits) - first_bit)),
            "lane_mask_ge": every & ~((first_bit << bits) - first_bit),
            "warp_size": np.uint32(launch.lanes),
            "warp_index": np.uint32(first // launch.lanes),
            "dynamic_shared_size": np.uint32(launch.shared),
            **dict.fromkeys(("shared", "constant", "device", "texture"), place),
            "local": local,
            **dict.fromkeys(("clock", "global_timer"), partial(next, self._clock)),
        }
        for word, numbers in registers.items():
            names |= {
                f"{word}_{axis}": np.asarray(one).astype(np.uint32)[()]
                for axis, one in zip("xyz", numbers, strict=True)
            }
        exec(self._compiled, names)
        return names["warp"]()


def _together(warps: list[Warp]) -> None:
    """From barrier to barrier; a question to the block is answered when all that are left have come to it."""
    answers: list[Any] = [None] * len(warps)
    while warps:
        asked = [(warp, _next(warp, answer)) for warp, answer in zip(warps, answers, strict=True)]
        left = [(warp, question) for warp, question in asked if question is not False]
        questions = [question for _, question in left if question is not None]
        yes = sum(int((np.broadcast_to(truth, mask.shape) & mask).sum()) for _, mask, truth in questions)
        number = sum(int(mask.sum()) for _, mask, _ in questions)
        result = {"count": yes, "and": yes == number, "or": yes > 0}
        warps = [warp for warp, _ in left]
        answers = [None if question is None else result[question[0]] for _, question in left]


def _next(warp: Warp, answer: Any) -> Any:
    """What it asks at the barrier that it comes to; False where it ends."""
    try:
        return warp.send(answer)
    except StopIteration:
        return False


def python_of(code: SimdCode) -> str:
    """The lines as a generator that stops at each barrier."""
    head = ["def warp():", *(f"    {name} = no_lanes" for name in code.masks)]
    head += [f"    {name} = full({type})" for name, type in (*code.vectors, *code.scalars)]
    types = dict((*code.vectors, *code.scalars))
    return "\n".join((*head, *(_python(line, types) for line in code.lines), "    if False: yield", ""))


_OF_BLOCK: Final = re.compile(r"(?:first\(\w+, )?block_(count|and|or)\(([^()]*)\)+")
_STATEMENTS: Final = {"barrier()": "yield", "fence()": "pass"}


def _python(line: SimdLine, types: Mapping[str, str]) -> str:
    indent, written = "    " * (line.depth + 1), line.code
    asked = _OF_BLOCK.fullmatch(written)
    if asked is not None:
        written = f'(yield ("{asked[1]}", {asked[2]}))'
    if line.target is None:
        return indent + _STATEMENTS.get(written, written)
    if line.mask is None:
        return f"{indent}{line.target} = convert({types[line.target]}, {written})"
    return f"{indent}{line.target} = blend({line.mask}, convert({types[line.target]}, {written}), {line.target})"


def convert(to: Element, value: Any) -> Any:
    """As C converts."""
    found, kind = np.asarray(value), to.kind
    if found.dtype.kind == "f" and np.dtype(kind).kind in "iu":
        if found.dtype == np.float16 and np.dtype(kind).itemsize < 4:
            return namespace()["math_convert_trunc"](kind, found)[()]
        return namespace()["from_float"](np.atleast_1d(found), kind).reshape(found.shape)[()]
    return found.astype(kind)[()]


def number(value: Any) -> Any:
    """A literal of Python as what it is in C."""
    if isinstance(value, bool):
        return np.bool_(value)
    if isinstance(value, int):
        return np.int32(value)
    return np.float64(value) if type(value) is float else value


def _on_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the simulator, whose arrays have a row for each warp."""

    def on_lanes(*arguments: Any) -> Any:
        given = [one.kind if isinstance(one, Element) else np.atleast_1d(number(one))[None, :] for one in arguments]
        found = np.asarray(function(*given))[0]
        return found if any(np.ndim(one) for one in arguments if not isinstance(one, Element)) else found[0]

    return on_lanes


def operations(arena: NDArray[np.uint8], lanes: int) -> Names:
    """What lines call."""
    of_simulator, shape = namespace(), (1, lanes)
    names: Names = {
        function.value.replace(".", "_"): _on_arrays(found)
        for function in MathFunction
        if (found := of_simulator.get(f"math_{function.name.lower()}")) is not None
    }
    names |= {"minimum": names["min"], "maximum": names["max"], "where": np.where, "fmod": np.fmod}
    words = {"div": "divide", "rem": "remainder", "shl": "shift_left", "shr": "shift_right"}
    names |= {word: _on_arrays(of_simulator[name]) for word, name in words.items()}

    def row(value: Any) -> Values:
        return np.broadcast_to(number(value), lanes)[None, :]

    def shuffled(mode: str) -> Callable[..., Any]:
        source = getattr(exchange, f"shuffle_{mode}")

        def shuffle(mask: NDArray[np.bool_], value: Any, lane: Any, width: Any) -> Any:
            wanted = source(row(lane), row(width), shape)
            return exchange.take_lanes(row(value), wanted, mask[None, :], shape)[0]

        return shuffle

    def meeting(function: Callable[..., Values]) -> Callable[..., Any]:
        def meet(mask: NDArray[np.bool_], named: Any, value: Any) -> Any:
            asked = None if named is None else row(named).astype(np.uint64)
            return np.broadcast_to(function(row(value), asked, mask[None, :], shape), shape)[0]

        return meet

    def reducing(operator: str) -> Callable[..., Any]:
        return meeting(partial(exchange.warp_reduce, operator))

    names |= {f"shuffle_{mode}": shuffled(mode) for mode in ("idx", "up", "down", "xor")}
    for name in ("vote_any", "vote_all", "vote_ballot", "vote_uni", "match_any", "match_all"):
        names[name] = meeting(getattr(exchange, name))
    names |= {f"reduce_{operator}": reducing(operator) for operator in ("add", "min", "max", "and", "or", "xor")}
    names |= {f"atomic_{one.value}": _atomic(arena, one, lanes) for one in AtomicOperator}
    return {**names, **_memory(arena, lanes), "convert": convert, "bits": _bits}


def _bits(to: Element, value: Any) -> Any:
    return np.asarray(number(value)).view(to.kind)[()]


def _memory(arena: NDArray[np.uint8], lanes: int) -> Names:
    def load(mask: NDArray[np.bool_], of: Element, address: Any) -> Any:
        width = np.dtype(of.kind).itemsize
        cells = arena.view(of.kind)
        if np.ndim(address) == 0:
            return cells[int(address) // width]
        found = np.zeros(lanes, of.kind)
        found[mask] = cells[address[mask] // width]
        return found

    def store(mask: NDArray[np.bool_], of: Element, address: Any, value: Any) -> None:
        where = np.broadcast_to(address, lanes)[mask] // np.dtype(of.kind).itemsize
        arena.view(of.kind)[where] = np.broadcast_to(of(value), lanes)[mask]

    def blend(mask: NDArray[np.bool_], new: Any, old: NDArray[Any]) -> NDArray[Any]:
        return np.where(mask, new, old)

    def first(mask: NDArray[np.bool_], value: Any) -> Any:
        return value if np.ndim(value) == 0 else value[int(np.argmax(mask))]

    def full(of: Element) -> NDArray[Any]:
        return np.zeros(lanes, of.kind)

    def warp_barrier(mask: NDArray[np.bool_], named: Any) -> None:
        del mask, named

    def expect(mask: NDArray[np.bool_], condition: Any) -> None:
        assert np.all(np.broadcast_to(condition, lanes)[mask])

    return {
        "load": load,
        "store": store,
        "blend": blend,
        "first": first,
        "full": full,
        "warp_barrier": warp_barrier,
        "expect": expect,
    }


def _textures(images: Sequence[TextureImage], lanes: int) -> Names:
    """Handle 1 is the first image; surfaces are written in place."""
    textures, shape = Textures(images, Arena(1 << 20)), (1, lanes)

    def row(value: Any) -> Values:
        return np.broadcast_to(number(value), lanes)[None, :]

    def fetching(operation: str) -> Callable[..., Any]:
        def fetch(mask: NDArray[np.bool_], of: Element, channel: int, *arguments: Any) -> Any:
            rows = tuple((row(one),) for one in arguments)
            found = textures.operate(operation, mask[None, :], shape, rows, (np.dtype(of.kind).name,) * 4)
            assert found is not None
            whole = np.broadcast_to(found[channel], shape)[0]
            return whole if any(np.ndim(one) for one in arguments) else whole[int(np.argmax(mask))]

        return fetch

    def write(mask: NDArray[np.bool_], handle: Any, values: tuple[Any, ...], *place: Any) -> None:
        rows = ((row(handle),), tuple(map(row, values)), *((row(one),) for one in place))
        assert textures.operate("surface_write", mask[None, :], shape, rows, ()) is not None

    names: Names = {f"texture_{one.value}": fetching(one.value) for one in TextureOperation}
    return {**names, "texture_surface_write": write}


_COMBINED: Final[Mapping[AtomicOperator, Callable[..., Any]]] = {
    AtomicOperator.ADD: np.add,
    AtomicOperator.SUBTRACT: np.subtract,
    AtomicOperator.MINIMUM: np.fmin,
    AtomicOperator.MAXIMUM: np.fmax,
    AtomicOperator.AND: np.bitwise_and,
    AtomicOperator.OR: np.bitwise_or,
    AtomicOperator.XOR: np.bitwise_xor,
}


def _changed(operator: AtomicOperator, old: Any, *given: Any) -> Any:
    """What an atomic leaves in memory."""
    match operator:
        case AtomicOperator.LOAD:
            return old
        case AtomicOperator.EXCHANGE | AtomicOperator.STORE:
            return given[0]
        case AtomicOperator.COMPARE_AND_SWAP:
            return given[1] if old == given[0] else old
        case AtomicOperator.INCREMENT:
            return 0 if old >= given[0] else old + 1
        case AtomicOperator.DECREMENT:
            return given[0] if old == 0 or old > given[0] else old - 1
        case _:
            return _COMBINED[operator](old, given[0])


def _atomic(arena: NDArray[np.uint8], operator: AtomicOperator, lanes: int) -> Callable[..., Any]:
    """The lanes have their turns in their order."""

    def run(mask: NDArray[np.bool_], of: Element, address: Any, *arguments: Any) -> Any:
        cells, old = arena.view(of.kind), np.zeros(lanes, of.kind)
        places = np.broadcast_to(address, lanes) // np.dtype(of.kind).itemsize
        given = [np.broadcast_to(of(one), lanes) for one in arguments]
        for lane in np.flatnonzero(mask):
            old[lane] = cells[places[lane]]
            cells[places[lane]] = _changed(operator, old[lane], *(one[lane] for one in given))
        return old

    return run


def lines_with(code: SimdCode, word: str) -> Iterator[SimdLine]:
    """The lines whose text holds a word."""
    return (line for line in code.lines if word in line.text)
