"""Settings of simulations, as the table `simulate` of a settings file or of an editor holds them.

Rules    A source speaks about all kernels, or about one by its name (`simulate.kernels.NAME`).  What is said about a
         kernel wins over what is said about all; of two sources the later one does.
         Sources are kept side by side, not merged: each has a folder that the files it names must lie below.
         Names of arguments and of policies are checked when a kernel is simulated; only then it is known what it has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Final, TypeVar, final

from analysis.ir.record import record
from simt_lsp.workspace.setting_values import (
    Extent,
    NotAllowedError,
    Source,
    listed,
    normalized,
    read_block,
    read_flag,
    read_grid,
    read_strings,
    read_table,
    read_whole,
    shown,
)

WARP_SIZES: Final = (4, 8, 16, 32, 64)
MAX_SECONDS: Final = 3600.0


@final
@record
class LaunchSettings:
    """What one source says about one kernel, or about all (`kernel` is None); None and empty: nothing.

    `folder` is where the files of `arguments` are looked for, and below which they must lie; None for a source that
    has none: then they lie below the kernel's source.
    """

    source: str
    folder: str | None = None
    kernel: str | None = None
    grid: Extent | None = None
    block: Extent | None = None
    shared_bytes: int | None = None
    seed: int | None = None
    arguments: Mapping[str, str] = field(default_factory=dict[str, str])
    policies: tuple[str, ...] | None = None
    warp_size: int | None = None
    seconds: float | None = None
    max_steps: int | None = None


@final
@record
class SimulationOptions:
    """`launches`: the most important first; `keep_ready`: whether the server keeps a process that waits for work."""

    keep_ready: bool = True
    launches: tuple[LaunchSettings, ...] = ()

    def of(self, kernel: str) -> tuple[LaunchSettings, ...]:
        """What is said about a kernel, the most important first."""
        return tuple(launch for name in (kernel, None) for launch in self.launches if launch.kernel == name)


Value = TypeVar("Value")
Problem = Callable[[str, object, NotAllowedError], None]


def read_simulation(
    before: SimulationOptions, table: Mapping[str, object], source: Source, problem: Problem
) -> SimulationOptions:
    """`before` with what the table of a later source says; each value that is not allowed costs only itself.

    `problem(key, value, error)` is told about those.
    """
    general = LaunchSettings(source.name, source.directory)
    keep_ready = before.keep_ready
    kernels: list[LaunchSettings] = []
    for key, value in table.items():
        match normalized(key):
            case _ if value is None:  # clients send null for "not set"
                continue
            case "keepready":
                keep_ready = _guarded(lambda value=value: read_flag(value), keep_ready, (key, value), problem)
            case "kernels":
                kernels += _kernels(general, key, value, problem)
            case _:
                general = _with(general, key, value, (key, value), problem)
    said = [*kernels, *([] if general == LaunchSettings(source.name, source.directory) else [general])]
    return SimulationOptions(keep_ready, (*said, *before.launches))


def simulation_key_names() -> tuple[str, ...]:
    """The keys of the table, as they are documented."""
    return (*_READERS, "keepReady", "kernels")


def _kernels(general: LaunchSettings, key: str, value: object, problem: Problem) -> list[LaunchSettings]:
    found: list[LaunchSettings] = []
    try:
        kernels = read_table(value, "use a table from kernel to its settings")
    except NotAllowedError as error:
        problem(key, value, error)
        return []
    for name, values in kernels.items():
        one = LaunchSettings(general.source, general.folder, name)
        try:
            entries = read_table(values, "use a table of settings")
        except NotAllowedError as error:
            problem(f"{key}.{name}", values, error)
            continue
        for entry, given in entries.items():
            if given is not None:
                one = _with(one, entry, given, (f"{key}.{name}.{entry}", given), problem)
        found.append(one)
    return found


def _with(
    launch: LaunchSettings, key: str, value: object, about: tuple[str, object], problem: Problem
) -> LaunchSettings:
    def read() -> LaunchSettings:
        name = _KEYS.get(normalized(key))
        if name is None:
            raise NotAllowedError(f"there is no such setting; there are {listed(list(_READERS))}")
        return _READERS[name](launch, value)

    return _guarded(read, launch, about, problem)


def _guarded(read: Callable[[], Value], otherwise: Value, about: tuple[str, object], problem: Problem) -> Value:
    try:
        return read()
    except NotAllowedError as error:
        problem(*about, error)
        return otherwise


def _arguments(value: object) -> Mapping[str, str]:
    table = read_table(value, 'use a table from argument to value, as { n = 2048, x = "random(0,1)" }')
    found: dict[str, str] = {}
    for name, given in table.items():
        if isinstance(given, bool):
            found[name] = str(given).lower()
        elif isinstance(given, (str, int, float)) and str(given).strip():
            found[name] = str(given).strip()
        else:
            raise NotAllowedError(f"{name} = {shown(given)}: use a number or a text such as random(0,1) or zeros[4096]")
    return found


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= MAX_SECONDS:
        raise NotAllowedError(f"use a number of seconds up to {MAX_SECONDS:g}")
    return float(value)


def _warp_size(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value not in WARP_SIZES:
        raise NotAllowedError(f"use {listed([str(size) for size in WARP_SIZES])}")
    return value


_READERS: Final[Mapping[str, Callable[[LaunchSettings, object], LaunchSettings]]] = {
    "grid": lambda launch, value: replace(launch, grid=read_grid(value)),
    "block": lambda launch, value: replace(launch, block=read_block(value)),
    "sharedBytes": lambda launch, value: replace(launch, shared_bytes=read_whole(value, 0, "of bytes")),
    "seed": lambda launch, value: replace(launch, seed=read_whole(value, 0, "as the seed")),
    "arguments": lambda launch, value: replace(launch, arguments=_arguments(value)),
    "policies": lambda launch, value: replace(launch, policies=read_strings(value, "use names of policies, or all")),
    "warpSize": lambda launch, value: replace(launch, warp_size=_warp_size(value)),
    "seconds": lambda launch, value: replace(launch, seconds=_seconds(value)),
    "maxSteps": lambda launch, value: replace(launch, max_steps=read_whole(value, 1, "of warp instructions")),
}
_KEYS: Final = {normalized(name): name for name in _READERS}
