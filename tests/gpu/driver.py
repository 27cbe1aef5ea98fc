"""The part of the CUDA driver that runs kernels from machine code; no compiler and no toolkit is needed for it."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from tests.gpu.launch import GpuLaunch, GpuResult, mangled

_LIBRARIES: Final = ("libcuda.so.1", "libcuda.so")
_NOT_READY: Final = 600
_SECONDS: Final = float(os.environ.get("SIMT_LSP_GPU_SECONDS", "10"))
"""After which a kernel is said not to end."""
_DYNAMIC_SHARED_LIMIT: Final = 8
_UNDER: Final = 48 << 10
_ALIGNMENT: Final = 512
_WARMING_UP: Final = 3
"""Launches that warm up before runs are timed."""


class DriverError(Exception):
    """What the driver refused, in its own words."""


class NoKernel(Exception):
    """The machine code has no such kernel, or several."""


class NoDevice(Exception):
    """There is no driver or no GPU here."""


@final
class Driver:
    """One GPU, with the modules that were loaded."""

    def __init__(self) -> None:
        self._library = _library()
        self._modules: dict[Path, dict[str, ctypes.c_void_p]] = {}
        self._handles: dict[Path, ctypes.c_void_p] = {}
        if self._library.cuInit(0) != 0:
            raise NoDevice("the driver finds no GPU")
        device = ctypes.c_int()
        self._call("cuDeviceGet", ctypes.byref(device), 0)
        context = ctypes.c_void_p()
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self._call("cuCtxSetCurrent", context)
        name = ctypes.create_string_buffer(256)
        self._call("cuDeviceGetName", name, 256, device)
        self.name = name.value.decode()

    def run(self, launch: GpuLaunch, folder: Path) -> GpuResult:
        """Raises DriverError where the launch fails, TimeoutError where the kernel does not end."""
        path = folder / launch.module
        function = self._function(path, launch.space, launch.kernel)
        with self._arrays(launch.arguments) as addresses:
            for name, value in launch.variables.items():
                address, _ = self._variable(path, launch.space, name)
                self._to_device(address, value)
            if launch.shared > _UNDER:
                self._call("cuFuncSetAttribute", function, _DYNAMIC_SHARED_LIMIT, launch.shared)
            arguments = _Arguments(launch, addresses)
            self._launch(function, launch, arguments)
            self._wait()
            arrays = {name: self._from_device(addresses[name], like) for name, like in _arrays_of(launch).items()}
            variables = {name: self._read(path, launch.space, name) for name in launch.read_back}
            times = self._timed(function, launch, arguments, addresses)
        return GpuResult(arrays, variables, None, times)

    # -- launching ----------------------------------------------------------------------------------------------------

    def _launch(self, function: ctypes.c_void_p, launch: GpuLaunch, arguments: _Arguments) -> None:
        self._call("cuLaunchKernel", function, *launch.grid, *launch.block, launch.shared, None, arguments.table, None)

    def _wait(self) -> None:
        """Polls, so that a kernel that does not end is noticed."""
        end = time.monotonic() + _SECONDS
        while (status := self._library.cuStreamQuery(None)) == _NOT_READY:
            if time.monotonic() > end:
                raise TimeoutError(f"it did not end within {_SECONDS:.0f} s")
        self._check("the kernel", status)

    def _timed(
        self,
        function: ctypes.c_void_p,
        launch: GpuLaunch,
        arguments: _Arguments,
        addresses: Mapping[str, ctypes.c_uint64],
    ) -> Sequence[float]:
        """Each run starts with the arrays as they were given; only the kernel is measured."""
        if not launch.timed:
            return ()
        begin, end = self._event(), self._event()
        times: list[float] = []
        with self._arrays(launch.arguments) as pristine:
            for number in range(launch.timed + _WARMING_UP):
                for name, like in _arrays_of(launch).items():
                    if like.nbytes:
                        self._call(
                            "cuMemcpyDtoDAsync_v2", addresses[name], pristine[name], ctypes.c_size_t(like.nbytes), None
                        )
                self._call("cuEventRecord", begin, None)
                self._launch(function, launch, arguments)
                self._call("cuEventRecord", end, None)
                self._call("cuEventSynchronize", end)
                elapsed = ctypes.c_float()
                self._call("cuEventElapsedTime", ctypes.byref(elapsed), begin, end)
                if number >= _WARMING_UP:
                    times.append(elapsed.value)
        return times

    def _event(self) -> ctypes.c_void_p:
        event = ctypes.c_void_p()
        self._call("cuEventCreate", ctypes.byref(event), 0)
        return event

    # -- modules ------------------------------------------------------------------------------------------------------

    def _functions(self, path: Path) -> Mapping[str, ctypes.c_void_p]:
        """All kernels of a module, by their names in machine code."""
        if path not in self._modules:
            module = ctypes.c_void_p()
            self._call("cuModuleLoadData", ctypes.byref(module), path.read_bytes())
            count = ctypes.c_uint()
            self._call("cuModuleGetFunctionCount", ctypes.byref(count), module)
            found = (ctypes.c_void_p * count.value)()
            self._call("cuModuleEnumerateFunctions", found, count, module)
            self._handles[path] = module
            self._modules[path] = {}
            for one in found:
                name = ctypes.c_char_p()
                self._call("cuFuncGetName", ctypes.byref(name), ctypes.c_void_p(one))
                self._modules[path][(name.value or b"").decode()] = ctypes.c_void_p(one)
        return self._modules[path]

    def _function(self, path: Path, space: str, kernel: str) -> ctypes.c_void_p:
        plain = kernel.partition("<")[0]
        if space == "":
            return self._functions(path)[kernel]
        begin = mangled(space, plain)
        all_of_them = self._functions(path)
        found = [one for name, one in all_of_them.items() if name.startswith(begin)]
        found = found or [one for name, one in all_of_them.items() if begin in name]
        if len(found) != 1:
            raise NoKernel(f"{len(found)} kernels are called {space}::{kernel}")
        return found[0]

    def _variable(self, path: Path, space: str, name: str) -> tuple[ctypes.c_uint64, int]:
        self._functions(path)
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        symbol = f"{mangled(space, name)}E".encode() if space else name.encode()
        self._call("cuModuleGetGlobal_v2", ctypes.byref(address), ctypes.byref(size), self._handles[path], symbol)
        return address, size.value

    def _read(self, path: Path, space: str, name: str) -> NDArray[np.uint8]:
        address, size = self._variable(path, space, name)
        return self._from_device(address, np.zeros(size, np.uint8))

    # -- memory -------------------------------------------------------------------------------------------------------

    @contextmanager
    def _arrays(self, arguments: Mapping[str, NDArray[Any] | bytes]) -> Generator[dict[str, ctypes.c_uint64]]:
        """Device memory with the contents of all arrays."""
        addresses: dict[str, ctypes.c_uint64] = {}
        try:
            for name, value in arguments.items():
                if isinstance(value, np.ndarray):
                    addresses[name] = self._allocated(max(1, value.nbytes))
                    self._to_device(addresses[name], value)
            yield addresses
        finally:
            for address in addresses.values():
                self._library.cuMemFree_v2(address)

    def _allocated(self, size: int) -> ctypes.c_uint64:
        address = ctypes.c_uint64()
        self._call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address

    def _to_device(self, address: ctypes.c_uint64, value: NDArray[Any]) -> None:
        data = np.ascontiguousarray(value)
        if data.nbytes:
            self._call("cuMemcpyHtoD_v2", address, data.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(data.nbytes))

    def _from_device(self, address: ctypes.c_uint64, like: NDArray[Any]) -> NDArray[Any]:
        data = np.empty(like.shape, like.dtype)
        if data.nbytes:
            self._call("cuMemcpyDtoH_v2", data.ctypes.data_as(ctypes.c_void_p), address, ctypes.c_size_t(data.nbytes))
        return data

    def _call(self, name: str, *arguments: Any) -> None:
        self._check(name, getattr(self._library, name)(*arguments))

    def _check(self, name: str, status: int) -> None:
        if status == 0:
            return
        text = ctypes.c_char_p()
        self._library.cuGetErrorName(status, ctypes.byref(text))
        raise DriverError(f"{name}: {(text.value or b'').decode() or status}")


@final
class _Arguments:
    """What `cuLaunchKernel` takes: a table of addresses of values."""

    def __init__(self, launch: GpuLaunch, addresses: Mapping[str, ctypes.c_uint64]) -> None:
        self._kept: list[Any] = []
        for name, value in launch.arguments.items():
            if isinstance(value, bytes):
                self._kept.append(ctypes.create_string_buffer(value + bytes(16), len(value) + 16))
            else:
                self._kept.append(addresses[name])
        self.table = (ctypes.c_void_p * max(1, len(self._kept)))(*(ctypes.addressof(one) for one in self._kept))


def _arrays_of(launch: GpuLaunch) -> dict[str, NDArray[Any]]:
    return {name: value for name, value in launch.arguments.items() if isinstance(value, np.ndarray)}


def _library() -> ctypes.CDLL:
    for name in _LIBRARIES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise NoDevice("there is no CUDA driver here")


def device_name() -> str | None:
    """The first GPU's; None where there is none."""
    try:
        return Driver().name
    except (NoDevice, DriverError):
        return None
