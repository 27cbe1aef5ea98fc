"""The hand-written kernels with their launches: seeded inputs, shapes that leave warps and blocks partly filled.

The text of each kernel lies in `kernels/<name>.cu`; it is ours and written for this comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from analysis.ir.index3 import Index3
from tests.sim.native.comparison import Case
from tests.sim.native.compiler import Unit
from tests.sim.native.program import Value

_FOLDER: Final = Path(__file__).with_name("kernels")
_MAKERS: Final[dict[str, Callable[[np.random.Generator], Case]]] = {}


def hand_written() -> list[Case]:
    """Every kernel of the folder, in the order of their names."""
    return [_MAKERS[path.stem](np.random.default_rng(7)) for path in sorted(_FOLDER.glob("*.cu"))]


def _case(
    name: str,
    arguments: Mapping[str, Value],
    grid: int | Index3,
    block: int | Index3,
    *,
    shared: int = 0,
    ulps: Mapping[str, float] | None = None,
    variables: tuple[str, ...] = (),
    set_variables: Mapping[str, NDArray[Any]] | None = None,
) -> Case:
    return Case(
        Unit(f"{name}.cu", (_FOLDER / f"{name}.cu").read_text(), name, variables),
        arguments,
        (grid, 1, 1) if isinstance(grid, int) else grid,
        (block, 1, 1) if isinstance(block, int) else block,
        shared,
        ulps or {},
        set_variables or {},
    )


def _maker(function: Callable[[np.random.Generator], Case]) -> Callable[[np.random.Generator], Case]:
    _MAKERS[function.__name__] = function
    return function


def _ints(random: np.random.Generator, low: int, high: int, size: int, kind: str = "int32") -> NDArray[Any]:
    return random.integers(low, high, size, dtype=kind, endpoint=True)


def _floats(random: np.random.Generator, low: float, high: float, size: int, kind: str = "float32") -> NDArray[Any]:
    return random.uniform(low, high, size).astype(kind)


def _zeros(size: int, kind: str = "int32") -> NDArray[Any]:
    return np.zeros(size, kind)


def _int3(x: int, y: int, z: int) -> np.void:
    return np.void((x, y, z), dtype=[("x", "i4"), ("y", "i4"), ("z", "i4")])


# -- patterns over a block and the grid -------------------------------------------------------------------------------


@_maker
def reduce_shared(random: np.random.Generator) -> Case:
    given = {"input": _ints(random, -(2**30), 2**30, 1000), "sums": _zeros(3), "total": _zeros(1, "int64"), "n": 1000}
    return _case("reduce_shared", given, 3, 256)


@_maker
def reduce_shuffle(random: np.random.Generator) -> Case:
    given = {"x": _floats(random, -5, 5, 200), "out": _zeros(6, "float32"), "n": 190}
    return _case("reduce_shuffle", given, 2, 100)


@_maker
def scan_block(random: np.random.Generator) -> Case:
    given = {"input": _ints(random, 0, 2**31, 512, "uint32"), "output": _zeros(512, "uint32")}
    return _case("scan_block", {**given, "sums": _zeros(2, "uint32")}, 2, 128, shared=4 * 264)


@_maker
def bit_fields(random: np.random.Generator) -> Case:
    n = 70
    x = _floats(random, -1000.0, 1000.0, n)
    return _case("bit_fields", {"x": x, "out": np.zeros(11 * n, np.int32), "n": n}, 3, 32)


@_maker
def bitonic_sort(random: np.random.Generator) -> Case:
    keys = _ints(random, -40, 40, 256, "int16")
    return _case("bitonic_sort", {"keys": keys, "values": np.arange(256, dtype=np.uint32)}, 2, 64)


@_maker
def histogram(random: np.random.Generator) -> Case:
    data = np.minimum(random.geometric(0.02, 1500), 255).astype(np.uint8)
    given = {"data": data, "counts": _zeros(256, "uint32"), "least": _zeros(1), "most": _zeros(1), "n": 1500}
    return _case("histogram", given, 2, 96)


@_maker
def transpose(random: np.random.Generator) -> Case:
    given = {"to": _zeros(33 * 21, "float64"), "from": random.normal(size=33 * 21), "width": 33, "height": 21}
    return _case("transpose", given, (3, 2, 1), (16, 4, 1))


@_maker
def matmul_tiled(random: np.random.Generator) -> Case:
    a, b = (_floats(random, -2, 2, 19 * 19) for _ in range(2))
    given = {"a": a, "b": b, "fused": _zeros(361, "float32"), "split": _zeros(361, "float32"), "n": 19}
    return _case("matmul_tiled", given, (3, 3, 1), (8, 8, 1))


@_maker
def stencil_2d(random: np.random.Generator) -> Case:
    given = {"from": _floats(random, 0, 100, 16 * 14), "to": _zeros(16 * 14, "float32"), "width": 16, "height": 14}
    return _case("stencil_2d", {**given, "rate": 0.2, "steps": 5}, 1, (16, 16, 1))


@_maker
def stencil_3d(random: np.random.Generator) -> Case:
    given = {"in": random.normal(size=7 * 6 * 8), "out": _zeros(7 * 6 * 8, "float64"), "size": _int3(7, 6, 8)}
    return _case("stencil_3d", {**given, "centre": 1.5, "side": 0.25}, (2, 2, 2), (4, 4, 2))


@_maker
def fir_filter(random: np.random.Generator) -> Case:
    given = {"signal": _ints(random, -32768, 32767, 250, "int16"), "filtered": _zeros(250, "int16"), "n": 250}
    return _case("fir_filter", given, 3, 96, shared=2 * (96 + 16))


@_maker
def lu_factor(random: np.random.Generator) -> Case:
    given = {"matrices": random.normal(size=2 * 49), "pivots": _zeros(14), "n": 7}
    return _case("lu_factor", given, 2, 32, shared=8 * 49)


# -- numbers ----------------------------------------------------------------------------------------------------------


@_maker
def mandelbrot(random: np.random.Generator) -> Case:
    given = {"single": _zeros(20 * 12, "uint16"), "twofold": _zeros(20 * 12, "uint16"), "width": 20, "height": 12}
    return _case("mandelbrot", {**given, "limit": 30}, (3, 2, 1), (8, 8, 1))


@_maker
def n_body(random: np.random.Generator) -> Case:
    given = {"bodies": _floats(random, -1, 1, 200), "forces": _zeros(200, "float32"), "n": 50, "softening": 0.01}
    return _case("n_body", given, 2, 32, shared=16 * 32)


@_maker
def black_scholes(random: np.random.Generator) -> Case:
    given = {"prices": _zeros(200, "float64"), "spot": _floats(random, 5, 30, 100, "float64")}
    given |= {"strike": _floats(random, 1, 100, 100, "float64"), "years": _floats(random, 0.25, 10, 100)}
    # `exp` and `log` are off by an ulp at most, and the difference by more where prices cancel.
    return _case("black_scholes", {**given, "rate": 0.02, "volatility": 0.3, "n": 100}, 2, 32, ulps={"prices": 16})


@_maker
def monte_carlo(random: np.random.Generator) -> Case:
    given = {"inside": _zeros(64, "uint32"), "states": _zeros(128, "uint64"), "last": _zeros(128, "float32")}
    return _case("monte_carlo", {**given, "seed": 0x123456789ABCDEF0, "draws": 40}, 2, 32)


@_maker
def sha256(random: np.random.Generator) -> Case:
    given = {"messages": _ints(random, 0, 255, 48 * 37, "uint8"), "digests": _zeros(48 * 8, "uint32"), "length": 37}
    return _case("sha256", given, 3, 16)


@_maker
def crc_table(random: np.random.Generator) -> Case:
    starts = np.cumsum([0, *random.integers(0, 40, 50)]).astype(np.int32)
    given = {"text": _ints(random, -128, 127, int(starts[-1]), "int8"), "starts": starts}
    given |= {"crc32": _zeros(50, "uint32"), "crc16": _zeros(50, "uint16")}
    return _case("crc_table", {**given, "count": 50}, 2, 32)


@_maker
def wide_multiply(random: np.random.Generator) -> Case:
    left, right = (random.integers(0, 2**64, 70 * 4, np.uint64, endpoint=False) for _ in range(2))
    left[:8], right[4:12] = 2**64 - 1, 2**64 - 1
    given: dict[str, Value] = {"left": left, "right": right}
    given |= {name: _zeros(280, "uint64") for name in ("sums", "products", "shifted")}
    return _case("wide_multiply", {**given, "facts": _zeros(70), "n": 70}, 3, 32)


@_maker
def float_bits(random: np.random.Generator) -> Case:
    x = _floats(random, -1000, 1000, 60)
    x[:8] = [0.0, -0.0, 1e-42, -1.5, 3e38, 0.5, -7e-45, 8388609.0]
    given = {"x": x, "out": _zeros(360, "float32"), "bits": _zeros(180, "uint32"), "wide": _zeros(60, "int64"), "n": 60}
    return _case("float_bits", given, 2, 32)


@_maker
def half_arithmetic(random: np.random.Generator) -> Case:
    x, y = (random.normal(scale=30, size=90).astype(np.float16) for _ in range(2))
    x[:4], y[2:6] = [65504, 6e-8, -6e-5, 0.1], [2, 3e-5, 7e-8, -65504]
    given = {"x": x, "y": y, "out": _zeros(720, "float16"), "pairs": _zeros(360, "float16")}
    return _case(
        "half_arithmetic", {**given, "z": _floats(random, -3, 3, 90), "wide": _zeros(270, "float32"), "n": 90}, 3, 32
    )


@_maker
def double_precision(random: np.random.Generator) -> Case:
    given = {"x": random.normal(scale=100, size=50), "out": _zeros(6 * 64, "float64"), "whole": _zeros(128, "int64")}
    return _case("double_precision", {**given, "n": 50}, 2, 32)


# -- irregular --------------------------------------------------------------------------------------------------------


@_maker
def string_search(random: np.random.Generator) -> Case:
    text = np.frombuffer(b"The needle, the NEEDLE and the need: a nEEdLe is no needl but needle." * 3, np.int8)
    pattern = np.frombuffer(b"needle\0", np.int8)
    given = {"text": text, "length": len(text), "pattern": pattern, "size": 6, "found": _zeros(len(text))}
    return _case("string_search", {**given, "count": _zeros(1), "first": np.array([999], np.int32)}, 2, 48)


@_maker
def spmv_csr(random: np.random.Generator) -> Case:
    starts = np.cumsum([0, *random.integers(0, 70, 11)]).astype(np.int32)
    count = int(starts[-1])
    given = {"starts": starts, "columns": _ints(random, 0, 49, count), "values": _floats(random, -1, 1, count)}
    return _case("spmv_csr", {**given, "x": _floats(random, -1, 1, 50), "y": _zeros(11, "float32"), "rows": 11}, 3, 128)


@_maker
def bfs_level(random: np.random.Generator) -> Case:
    starts = np.cumsum([0, *random.integers(0, 6, 100)]).astype(np.int32)
    levels = np.where(np.arange(100) < 40, 1, -1).astype(np.int32)
    given = {"starts": starts, "edges": _ints(random, 0, 99, int(starts[-1])), "levels": levels}
    given |= {"frontier": random.permutation(40).astype(np.int32)}
    return _case("bfs_level", {**given, "size": 40, "level": 2}, 2, 32, variables=("frontier_size", "changed"))


@_maker
def group_prefix(random: np.random.Generator) -> Case:
    given = {"values": _ints(random, 0, 99, 100), "prefix": _zeros(384), "sums": _zeros(256)}
    return _case("group_prefix", {**given, "votes": _zeros(256, "uint32"), "turned": _zeros(128), "n": 100}, 2, 64)


@_maker
def ballot_compact(random: np.random.Generator) -> Case:
    given = {"input": _ints(random, -50, 50, 180), "output": np.full(256, -7, np.int32), "counts": _zeros(2), "n": 180}
    return _case("ballot_compact", given, 2, 128)


@_maker
def match_aggregate(random: np.random.Generator) -> Case:
    given = {"keys": _ints(random, 0, 255, 90, "uint8"), "weights": _ints(random, -99, 99, 90), "sums": _zeros(8)}
    return _case("match_aggregate", {**given, "peers": _zeros(90, "uint32"), "flags": _zeros(90), "n": 90}, 2, 64)


@_maker
def quick_sort(random: np.random.Generator) -> Case:
    given = {"numbers": _ints(random, -20, 20, 48 * 9), "depths": _zeros(96), "each": 9}
    return _case("quick_sort", given, 2, 24)


@_maker
def interpreter(random: np.random.Generator) -> Case:
    push, add, subtract, multiply, duplicate, swap, jump_if_zero, loop, over, end = range(10)
    factorial = [push, 1, swap, duplicate, jump_if_zero, 11, duplicate, push, 1, subtract, swap, add, loop, 11, end]
    squares = [duplicate, multiply, push, 251, over, multiply, add, end]
    endless = [duplicate, loop, 2]
    shrinking = [push, 1, subtract, duplicate, jump_if_zero, 3, loop, 7, end, push, 77, end]
    programs = np.zeros((4, 20), np.uint8)
    for row, code in zip(programs, (factorial, squares, endless, shrinking), strict=True):
        row[: len(code)] = code
    given = {"programs": programs, "size": 20, "inputs": _ints(random, 0, 12, 40), "results": _zeros(40)}
    return _case("interpreter", {**given, "steps": _zeros(40)}, 1, 40)


@_maker
def unions_and_casts(random: np.random.Generator) -> Case:
    record = np.dtype([("tag", "i1"), ("number", "f8"), ("small", "i2"), ("wide", "i4", 2)], align=True)
    records = np.zeros(40, record)
    records["number"], records["small"] = random.normal(size=40), _ints(random, -99, 99, 40, "int16")
    given = {"records": records.view(np.uint8), "bytes": _ints(random, 0, 255, 160, "uint8")}
    given |= {"words": _zeros(40, "uint32"), "quads": _zeros(160), "sums": _zeros(40, "uint64")}
    return _case("unions_and_casts", given, 2, 20)


@_maker
def local_arrays(random: np.random.Generator) -> Case:
    given = {"input": _ints(random, -30, 30, 48 * 11), "sorted": _zeros(48 * 11), "inverse": _zeros(48 * 11)}
    return _case("local_arrays", {**given, "determinant": _zeros(48, "float32"), "each": 11}, 2, 24)


@_maker
def blocks_of_three(random: np.random.Generator) -> Case:
    given = {"order": np.full(9 * 5 * 5, -1, np.int32), "warps": _zeros(12 * 40), "sums": _zeros(12)}
    return _case("blocks_of_three", {**given, "limit": _int3(9, 5, 5)}, (2, 2, 3), (5, 4, 2))


@_maker
def early_return(random: np.random.Generator) -> Case:
    x = _ints(random, 0, 200, 80)
    x[::17] = 0
    return _case("early_return", {"x": x, "out": np.full(80, -5, np.int32), "n": 36}, 1, 40)


@_maker
def device_printf(random: np.random.Generator) -> Case:
    given = {"x": _floats(random, -99, 99, 64), "wide": _ints(random, -(2**62), 2**62, 64, "int64"), "n": 50}
    return _case("device_printf", given, 2, 32)


@_maker
def compare_and_swap(random: np.random.Generator) -> Case:
    given = {"x": _floats(random, -1, 1, 100), "products": np.ones(6), "most": np.zeros(3, np.float32)}
    given |= {"lock": _zeros(1), "list": _zeros(2), "counters": np.array([5, 0, 3, 0, 255, 9], np.uint32)}
    return _case("compare_and_swap", {**given, "n": 100}, 2, 64)


@_maker
def device_globals(random: np.random.Generator) -> Case:
    given = {"x": _floats(random, -9, 9, 60), "out": _zeros(60), "n": 60}
    variables = ("settings", "visits", "results", "ticket")
    set_variables = {"visits": np.array([5, 6, 7, 8], np.int32)}
    return _case("device_globals", given, 2, 32, variables=variables, set_variables=set_variables)


@_maker
def goto_machine(random: np.random.Generator) -> Case:
    given = {"seeds": _ints(random, 0, 2**32 - 1, 40, "uint32"), "out": _zeros(40, "uint32"), "rounds": 7}
    return _case("goto_machine", given, 1, 40)


@_maker
def warp_sort(random: np.random.Generator) -> Case:
    given = {"input": _ints(random, -(2**40), 2**40, 64, "int64"), "sorted": _zeros(64, "int64")}
    return _case("warp_sort", {**given, "segments": _zeros(64), "sums": _zeros(64, "float64")}, 1, 64)


@_maker
def hash_table(random: np.random.Generator) -> Case:
    given = {"keys": _ints(random, 0, 30, 90, "uint32"), "table": _zeros(16, "uint32"), "counts": _zeros(16, "uint32")}
    return _case("hash_table", {**given, "found": _zeros(90), "n": 90, "size": 16}, 2, 64)


@_maker
def k_means(random: np.random.Generator) -> Case:
    x, y = (_floats(random, -2, 2, 100) for _ in range(2))
    given = {"x": x, "y": y, "centres": _floats(random, -2, 2, 12), "nearest": _zeros(100)}
    return _case("k_means", {**given, "distance": _zeros(100, "float32"), "sums": _zeros(18), "n": 100, "k": 6}, 2, 64)


# -- classes ----------------------------------------------------------------------------------------------------------


@_maker
def base_classes(random: np.random.Generator) -> Case:
    a, b = (_ints(random, -20, 20, 70).astype(np.float32) for _ in range(2))
    return _case("base_classes", {"a": a, "b": b, "out": _zeros(70, "float32"), "n": 67}, 2, 40)


@_maker
def range_loops(random: np.random.Generator) -> Case:
    return _case("range_loops", {"in": _ints(random, 0, 1000, 150), "out": _zeros(150), "n": 140}, 2, 48)


@_maker
def parameter_packs(random: np.random.Generator) -> Case:
    return _case("parameter_packs", {"in": _ints(random, -50, 50, 40), "out": _zeros(800)}, 1, 40)


@_maker
def standard_library(random: np.random.Generator) -> Case:
    return _case("standard_library", {"in": _ints(random, -40, 40, 40), "out": _zeros(1600)}, 1, 40)


@_maker
def function_tables(random: np.random.Generator) -> Case:
    return _case("function_tables", {"which": _ints(random, 0, 90, 64), "o": _zeros(64), "n": 60}, 1, 64)


@_maker
def macro_sums(random: np.random.Generator) -> Case:
    given = {"in": _ints(random, -99, 99, 8 * 4 * 3), "out": _zeros(8 * 4 * 3), "nx": 8, "ny": 4, "nz": 3}
    return _case("macro_sums", given, 1, (8, 4, 1))
