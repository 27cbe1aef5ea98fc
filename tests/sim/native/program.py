"""A compiled program of kernels: launches go in, memory comes out (the protocol stands in `include/simt/serve.h`)."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from analysis.ir.index3 import Index3

Value: TypeAlias = NDArray[Any] | np.void | int | float
"""An array, a struct (a scalar of a structured dtype), or a number."""

_INTEGER, _FLOATING, _ARRAY, _OBJECT = range(4)
_SECONDS: Final = 120


@final
@dataclass(frozen=True, slots=True)
class NativeLaunch:
    """`arguments` in the order of the kernel's parameters; `backwards` runs the last thread first."""

    unit: str
    grid: Index3
    block: Index3
    arguments: Mapping[str, Value]
    variables: Mapping[str, NDArray[Any]] = field(default_factory=dict[str, NDArray[Any]])
    backwards: bool = False


@final
@dataclass(frozen=True, slots=True)
class NativeResult:
    """Arrays by parameter name, variables as bytes, and what was printed, one text per call."""

    arrays: Mapping[str, NDArray[Any]]
    variables: Mapping[str, NDArray[np.uint8]]
    printed: Sequence[str]


class NativeFailure(Exception):
    """The program ended before it answered; the message is what it wrote to standard error."""


@final
@dataclass(frozen=True, slots=True)
class NativeProgram:
    """`units` gives, by name, a unit's number and the variables that it hands back."""

    path: Path
    units: Mapping[str, tuple[int, Sequence[str]]]

    def run(self, launches: Sequence[NativeLaunch]) -> list[NativeResult]:
        """All launches in one process, one after another; NativeFailure where it ends early."""
        request = b"".join(self._request(launch) for launch in launches)
        done = subprocess.run([self.path], input=request, capture_output=True, timeout=_SECONDS, check=False)
        if done.returncode:
            raise NativeFailure(f"status {done.returncode}: {done.stderr.decode(errors='replace')[-2000:]}")
        reply = _Reply(done.stdout)
        return [self._result(launch, reply) for launch in launches]

    def _request(self, launch: NativeLaunch) -> bytes:
        number, _ = self.units[launch.unit]
        words = struct.pack("<8Q", number, launch.backwards, *launch.grid, *launch.block)
        variables = b"".join(
            _contents(name.encode()) + _contents(value.tobytes()) for name, value in launch.variables.items()
        )
        arguments = b"".join(_argument(value) for value in launch.arguments.values())
        return words + struct.pack("<Q", len(launch.variables)) + variables + arguments

    def _result(self, launch: NativeLaunch, reply: _Reply) -> NativeResult:
        arrays = {
            name: np.frombuffer(reply.contents(), value.dtype).reshape(value.shape)
            for name, value in launch.arguments.items()
            if isinstance(value, np.ndarray)
        }
        _, names = self.units[launch.unit]
        variables = {name: np.frombuffer(reply.contents(), np.uint8) for name in names}
        return NativeResult(arrays, variables, reply.contents().decode().split("\0")[:-1])


@final
class _Reply:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def contents(self) -> bytes:
        (size,) = struct.unpack_from("<Q", self._data, self._at)
        start = self._at + 8
        self._at = start + size
        return self._data[start : self._at]


def _argument(value: Value) -> bytes:
    match value:
        case np.ndarray():
            return struct.pack("<Q", _ARRAY) + _contents(np.ascontiguousarray(value).tobytes())
        case np.void():
            return struct.pack("<Q", _OBJECT) + _contents(value.tobytes())
        case float():
            return struct.pack("<Qd", _FLOATING, value)
        case _:
            return struct.pack("<QQ", _INTEGER, int(value) & 0xFFFF_FFFF_FFFF_FFFF)


def _contents(data: bytes) -> bytes:
    return struct.pack("<Q", len(data)) + data + bytes(-len(data) % 8)
