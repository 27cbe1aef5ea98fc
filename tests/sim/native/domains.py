"""Arguments for which CUDA promises nothing, so that nothing is compared: by function, a mask over the inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Columns = Sequence[NDArray[Any]]
Undefined = Callable[[Columns], NDArray[np.bool_]]


def _beyond_long(columns: Columns) -> NDArray[np.bool_]:
    return ~(np.abs(columns[0].astype(np.float64)) < 2.0**63)


def _far(columns: Columns) -> NDArray[np.bool_]:
    """The simulator reduces large angles in double precision."""
    return np.abs(columns[-1].astype(np.float64)) > 1e7


def _zero(columns: Columns) -> NDArray[np.bool_]:
    return columns[0] == 0


def _field_outside(columns: Columns) -> NDArray[np.bool_]:
    position, length = columns[-2].astype(np.int64), columns[-1].astype(np.int64)
    return (length > 31) | (position + length > 32)


UNDEFINED: Final[Mapping[str, Undefined]] = {
    **dict.fromkeys(("lround", "llround", "lrint", "llrint", "lroundf", "llroundf", "lrintf", "llrintf"), _beyond_long),
    **{f"__builtin_{name}{suffix}": _zero for name in ("clz", "ctz") for suffix in ("", "l", "ll")},
    **dict.fromkeys(("__bitinsert_u32", "__bitextract_u32"), _field_outside),
    **{f"{name}{suffix}": _far for name in ("j0", "j1", "jn", "y0", "y1", "yn") for suffix in ("", "f")},
    "__fns": lambda columns: columns[1] > 31,
}
