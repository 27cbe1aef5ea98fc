"""A witness in words: which threads arrive, which do not, and in what launch."""

from __future__ import annotations

from typing import Final

from analysis.verdict.witness import Witness

MAX_RANGES: Final = 3


def launch_text(witness: Witness) -> str:
    """In words: for blocks of 64 threads and n = 32."""
    extent = (witness.shape.x, witness.shape.y, witness.shape.z)
    if extent[1:] == (1, 1):
        shape = f"blocks of {witness.shape.threads} threads"
    else:
        shape = f"blocks of {' x '.join(map(str, extent))} threads"
    arguments = [f"{name} = {value}" for name, value in witness.arguments]
    if witness.block:
        arguments.append(f"blockIdx.x = {witness.block}")
    return ", ".join((shape, *arguments))


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
