"""Functions of CUDA that only device code has: nvcc refuses calls of them in host code.

Source   What nvcc 13.0 said of each in a function of the host, and in one of both sides.
Limits   Names that programs define for the host as well, and be it in another file, count only where every header was
         read.
"""

from __future__ import annotations

from typing import Final

from analysis.sides.sides import Sides

_OF_THREADS: Final = frozenset(
    [
        "__syncthreads",
        "__syncthreads_count",
        "__syncthreads_and",
        "__syncthreads_or",
        "__syncwarp",
        "__activemask",
        "__threadfence",
        "__threadfence_block",
        "__threadfence_system",
        "__ballot_sync",
        "__any_sync",
        "__all_sync",
        "__shfl_sync",
        "__shfl_up_sync",
        "__shfl_down_sync",
        "__shfl_xor_sync",
        "__match_any_sync",
        "__match_all_sync",
        "__reduce_add_sync",
        "__reduce_min_sync",
        "__reduce_max_sync",
        "__reduce_and_sync",
        "__reduce_or_sync",
        "__reduce_xor_sync",
        "__nanosleep",
    ]
)
"""About other threads: on the host they mean nothing."""
_OTHERS: Final = frozenset(
    [
        "atomicAdd",
        "atomicSub",
        "atomicExch",
        "atomicMin",
        "atomicMax",
        "atomicInc",
        "atomicDec",
        "atomicCAS",
        "atomicAnd",
        "atomicOr",
        "atomicXor",
        "__ldg",
        "clock64",
        "__trap",
        "__brkpt",
        "__popc",
        "__popcll",
        "__clz",
        "__clzll",
        "__ffs",
        "__ffsll",
        "__brev",
        "__byte_perm",
        "__mul24",
        "__mulhi",
        "__umulhi",
        "__saturatef",
        "__fmaf_rn",
        "__fdividef",
        "__expf",
        "__sinf",
        "__cosf",
        "__int_as_float",
        "__float_as_int",
    ]
)
_ALL: Final = _OF_THREADS | _OTHERS
DEVICE_BUILTINS: Final = frozenset(name.encode() for name in _ALL)
INDICES: Final = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"})
"""Variables that every kernel has."""
SHARED: Final = b"__shared__"
ARCHITECTURE: Final = "__CUDA_ARCH__"
DEVICE_NAMES: Final = frozenset({SHARED, *(name.encode() for name in (*INDICES, ARCHITECTURE))})


def is_device_builtin(sides: Sides, name: str, scopes: tuple[str, ...]) -> bool:
    """Whether a call by that name can mean nothing but the function of CUDA."""
    if name not in _ALL or any(scopes) or sides.is_declared(name):
        return False
    return name in _OF_THREADS or not sides.is_incomplete
