"""A launch as the GPU gets it, and what came of it: bytes and arrays, so that it can travel to another machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

Index3 = tuple[int, int, int]


@final
@dataclass(frozen=True, slots=True)
class GpuLaunch:
    """`module` names the file of machine code, `space` the namespace in it that holds the kernel.

    `arguments` by parameter name, in order: arrays are copied to the device and back, bytes are passed by value.
    `variables` are set before the launch; `read_back` names those that are handed back.  `timed` runs are measured.
    """

    module: str
    space: str
    kernel: str
    grid: Index3
    block: Index3
    shared: int
    arguments: Mapping[str, NDArray[Any] | bytes]
    variables: Mapping[str, NDArray[Any]] = field(default_factory=dict[str, NDArray[Any]])
    read_back: Sequence[str] = ()
    timed: int = 0


@final
@dataclass(frozen=True, slots=True)
class GpuResult:
    """`problem` says why there are no arrays: the driver's error, or that the kernel did not end."""

    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict[str, NDArray[Any]])
    variables: Mapping[str, NDArray[np.uint8]] = field(default_factory=dict[str, NDArray[np.uint8]])
    problem: str | None = None
    milliseconds: Sequence[float] = ()
    """Of each timed run."""


def mangled(space: str, name: str) -> str:
    """How the name of something in a namespace begins in machine code."""
    return f"_ZN{len(space)}{space}{len(name)}{name}"
