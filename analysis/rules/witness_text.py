"""A witness in words: which threads arrive, which do not, and in what launch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.divergence.launch_shape import BlockShape
from analysis.verdict.witness import Witness

MAX_RANGES: Final = 3


def launch_text(witness: Witness) -> str:
    """In words: for blocks of 64 threads and n = 32."""
    block = [f"blockIdx.x = {witness.block}"] if witness.block else []
    return ", ".join((launch_words(witness.shape, witness.arguments), *block))


def launch_words(shape: BlockShape, arguments: Sequence[tuple[str, int]]) -> str:
    """`blocks of 64 threads, n = 32`."""
    return ", ".join((f"blocks of {extent_text(shape)} threads", *(f"{name} = {value}" for name, value in arguments)))


def extent_text(shape: BlockShape) -> str:
    """`64`, `16 x 8`, `8 x 8 x 4`."""
    extent = [shape.x, shape.y, shape.z]
    while len(extent) > 1 and extent[-1] == 1:
        extent.pop()
    return " x ".join(map(str, extent))


def threads_text(ranges: tuple[tuple[int, int], ...]) -> str:
    """`thread 3`, `threads 0-15`, `threads 0, 2, 4, … (32 threads)`."""
    return f"{'thread' if is_single(ranges) else 'threads'} {ranges_text(ranges)}"


def is_single(ranges: tuple[tuple[int, int], ...]) -> bool:
    """Whether one thread is meant, for the verb."""
    return len(ranges) == 1 and ranges[0][0] == ranges[0][1]


def ranges_text(ranges: tuple[tuple[int, int], ...]) -> str:
    """Inclusive ranges of thread numbers; the first few, and how many threads there are in all."""
    shown = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges[:MAX_RANGES])
    if len(ranges) <= MAX_RANGES:
        return shown
    return f"{shown}, … ({sum(last - first + 1 for first, last in ranges)} threads)"
