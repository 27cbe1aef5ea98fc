"""Settings of simulations as the simulator takes them: one piece of code for the shell and the server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from sim.launch.request import Request
from simt_lsp.workspace.settings.simulation import LaunchSettings

Value = TypeVar("Value")


def settings_requests(settings: Sequence[LaunchSettings], folder: str) -> Sequence[Request]:
    """In the order of `settings`; files of a source without a folder of its own must lie below `folder`."""
    return [
        Request(
            "the settings" if one.kernel is None else f"the settings for {one.kernel}",
            one.grid,
            one.block,
            one.shared_bytes,
            one.seed,
            one.arguments,
            one.folder or folder,
            is_general=one.kernel is None,
        )
        for one in settings
    ]


def first_said(settings: Sequence[LaunchSettings], of: Callable[[LaunchSettings], Value | None]) -> Value | None:
    """What the most important source says that says anything."""
    return next((value for one in settings if (value := of(one)) is not None), None)


def launch_name(path: str, line: int) -> str:
    """How a launch that somebody asked for is called in reports; lines count from 1."""
    return f"the launch in {path.rpartition('/')[2]}:{line}"
