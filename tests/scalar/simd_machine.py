"""Runs the vector form of a kernel as NumPy: one warp after the other, from barrier to barrier."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis.facts.analyzer import Analyzer
from analysis.facts.settings import AnalysisSettings
from analysis.features.scalarization.report import scalarization_report
from analysis.features.scalarization.simd import simd_view
from analysis.lower.layouts import size_of
from analysis.scalar.simd.model import NotVectorised, SimdCode, SimdLine
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader

LANES: Final = 32
TYPES: Final = {
    **{f"i{bits}": np.dtype(f"int{bits}").type for bits in (8, 16, 32, 64)},
    **{f"u{bits}": np.dtype(f"uint{bits}").type for bits in (8, 16, 32, 64)},
    "f32": np.float32,
    "f64": np.float64,
    "bool": np.bool_,
}
Values = dict[str, Any]


def simd_code(text: str) -> SimdCode | NotVectorised:
    """The vector form of the first kernel of a text."""
    analysis = Analyzer().analyze("k.cu", Document.open(text.encode()), DictLoader({}), AnalysisSettings())
    function = next(iter(analysis.facts.kernels()))
    report = scalarization_report(analysis, function)
    assert report is not None
    return simd_view(report)


def run_simd(
    code: SimdCode, arguments: Mapping[str, Any], *, grid: int = 1, block: int = LANES
) -> dict[str, NDArray[Any]]:
    """The arrays among the arguments, as the kernel leaves them."""
    arena = np.zeros(1 << 20, np.uint8)
    places: dict[str, tuple[int, NDArray[Any]]] = {}
    values: Values = {}
    top = 256
    for parameter in code.function.parameters:
        given = arguments[parameter.name]
        if isinstance(given, np.ndarray):
            arena[top : top + given.nbytes] = given.view(np.uint8)
            places[parameter.name] = top, given
            values[f"{parameter.name}_{parameter.value}"] = np.int64(top)
            top += -(-given.nbytes // 256) * 256
        else:
            values[f"{parameter.name}_{parameter.value}"] = given
    source = python_of(code)
    for number in range(grid):
        arena[top:] = 0xAB
        warps = [
            _warp(code, source, arena, top, values, (number, grid, block, first)) for first in range(0, block, LANES)
        ]
        while warps:
            warps = [warp for warp in warps if next(warp, "over") != "over"]
    return {
        name: arena[start : start + given.nbytes].view(given.dtype).copy() for name, (start, given) in places.items()
    }


def python_of(code: SimdCode) -> str:
    """The lines as a generator that stops at each barrier."""
    head = ["def warp():", *(f"    {name} = no_lanes" for name in code.masks)]
    head += [f"    {name} = full({type})" for name, type in (*code.vectors, *code.scalars)]
    types = dict(code.scalars)
    return "\n".join((*head, *(_python(line, types) for line in code.lines), "    if False: yield", ""))


def _python(line: SimdLine, scalars: Mapping[str, str]) -> str:
    indent = "    " * (line.depth + 1)
    if line.target is None:
        return indent + {"barrier()": "yield", "fence()": "pass"}.get(line.code, line.code)
    if line.mask is None:
        return f"{indent}{line.target} = {scalars[line.target]}({line.code})"
    return f"{indent}{line.target} = blend({line.mask}, {line.code}, {line.target})"


def _warp(
    code: SimdCode, source: str, arena: NDArray[np.uint8], top: int, values: Values, place: tuple[int, int, int, int]
) -> Generator[None, None, None]:
    number, grid, block, first = place
    lanes = np.arange(LANES)
    one = np.uint32(1)
    names: Values = {
        **TYPES,
        **{name: _converter(type) for name, type in TYPES.items()},
        **values,
        **_operations(arena),
        "all_lanes": first + lanes < block,
        "no_lanes": np.zeros(LANES, bool),
        "any": np.any,
        "thread_x": (first + lanes).astype(np.uint32),
        "thread_y": np.uint32(0),
        "thread_z": np.uint32(0),
        "block_x": np.uint32(number),
        "block_y": np.uint32(0),
        "block_z": np.uint32(0),
        "block_dim_x": np.uint32(block),
        "block_dim_y": one,
        "block_dim_z": one,
        "grid_dim_x": np.uint32(grid),
        "grid_dim_y": one,
        "grid_dim_z": one,
        "lane": lanes.astype(np.uint32),
        "warp_size": np.int32(LANES),
        **_memory(code, top, first),
    }
    exec(compile(source, "<simd>", "exec"), names)

    def run() -> Generator[None, None, None]:
        with np.errstate(all="ignore"):
            yield from names["warp"]()

    return run()


def _converter(type: Any) -> Any:
    def convert(value: Any) -> Any:
        found = np.asarray(value)
        if found.dtype.kind == "f" and np.dtype(type).kind in "iu":
            limits = np.iinfo(type)
            found = np.clip(np.nan_to_num(np.trunc(found)), float(limits.min), float(limits.max))
        return found.astype(type)[()]

    return convert


def _memory(code: SimdCode, top: int, first: int) -> Values:
    offsets: dict[str, tuple[int, int]] = {}
    start = top
    for number, symbol in enumerate(code.function.symbols):
        size = -(-(size_of(symbol.type, code.function.structs) or 0) // 16) * 16
        offsets[f"{symbol.name}#{number}"] = start, size
        start += size * 1024
    lanes = np.arange(LANES, dtype=np.int64) + first

    def shared(name: str) -> Any:
        return np.int64(offsets[name][0])

    def local(name: str) -> Any:
        return offsets[name][0] + lanes * offsets[name][1]

    return {"shared": shared, "local": local}


def _operations(arena: NDArray[np.uint8]) -> Values:
    def load(mask: NDArray[np.bool_], convert: Any, address: Any) -> Any:
        type = np.dtype(convert(0).dtype)
        cells = arena.view(type)
        if np.ndim(address) == 0:
            return cells[int(address) // type.itemsize]
        found = np.zeros(LANES, type)
        found[mask] = cells[address[mask] // type.itemsize]
        return found

    def store(mask: NDArray[np.bool_], convert: Any, address: Any, value: Any) -> None:
        type = np.dtype(convert(0).dtype)
        where = np.broadcast_to(address, LANES)[mask] // type.itemsize
        arena.view(type)[where] = np.broadcast_to(convert(value), LANES)[mask]

    def blend(mask: NDArray[np.bool_], new: Any, old: NDArray[Any]) -> NDArray[Any]:
        return np.where(mask, new, old).astype(old.dtype)

    def first(mask: NDArray[np.bool_], value: Any) -> Any:
        return value if np.ndim(value) == 0 else value[int(np.argmax(mask))]

    def full(convert: Any) -> NDArray[Any]:
        return np.zeros(LANES, np.dtype(convert(0).dtype))

    def div(left: Any, right: Any) -> Any:
        safe = np.where(np.asarray(right) == 0, 1, right).astype(np.asarray(right).dtype)
        return (left - rem(left, safe)) // safe

    def rem(left: Any, right: Any) -> Any:
        return np.fmod(left, np.where(np.asarray(right) == 0, 1, right).astype(np.asarray(right).dtype))

    return {
        "load": load,
        "store": store,
        "blend": blend,
        "div": div,
        "rem": rem,
        "where": np.where,
        "shl": np.left_shift,
        "shr": np.right_shift,
        "sqrt": np.sqrt,
        "abs": np.abs,
        "minimum": np.minimum,
        "maximum": np.maximum,
        "full": full,
        "first": first,
    }


def lines_with(code: SimdCode, word: str) -> Iterator[SimdLine]:
    """The lines whose text holds a word."""
    return (line for line in code.lines if word in line.text)
