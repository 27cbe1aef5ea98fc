"""What a launch may ask for, and how large GPUs are.

Source   CUDA C++ Programming Guide, "Compute Capabilities", tables of technical specifications; data sheets for the
         numbers of multiprocessors.
"""

from __future__ import annotations

from typing import Final, NamedTuple, final

MAX_THREADS: Final = 1024
"""Of a block."""
MAX_BLOCK: Final = (1024, 1024, 64)
MAX_GRID: Final = (2**31 - 1, 65_535, 65_535)
MAX_STATIC_SHARED: Final = 48 * 1024
"""Bytes that a block may have without being asked for, and of `__shared__` arrays at all."""
MAX_SHARED: Final = 227 * 1024
"""The most that a kernel may ask for on any GPU, compute capability 9.0 and 10.0."""


@final
class Gpu(NamedTuple):
    """A large GPU: how many multiprocessors it has, and how many threads one of them holds."""

    name: str
    multiprocessors: int
    threads: int


def large_gpu(architecture: int) -> Gpu:
    """One with a compute capability of at most that (`__CUDA_ARCH__`)."""
    known = [gpu for least, gpu in _GPUS if least <= architecture]
    return known[-1] if known else _GPUS[0][1]


_GPUS: Final = (
    (500, Gpu("GTX Titan X", 24, 2048)),
    (600, Gpu("P100", 56, 2048)),
    (610, Gpu("P40", 30, 2048)),
    (700, Gpu("V100", 80, 2048)),
    (750, Gpu("T4", 40, 1024)),
    (800, Gpu("A100", 108, 2048)),
    (860, Gpu("A40", 84, 1536)),
    (890, Gpu("L40", 142, 1536)),
    (900, Gpu("H100", 132, 2048)),
    (1000, Gpu("B200", 148, 2048)),
    (1200, Gpu("RTX PRO 6000", 188, 1536)),
)
