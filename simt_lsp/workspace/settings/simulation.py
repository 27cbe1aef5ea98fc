"""Settings of simulations, as the table `simulate` of a settings file or of an editor holds them.

Rules    A source speaks about all kernels, or about one by its name (`simulate.kernels.NAME`).  What is said about a
         kernel wins over what is said about all; of two sources the later one does.
         Sources are kept side by side, not merged: each has a folder that the files it names must lie below.
         Names of arguments and of policies are checked when a kernel is simulated; only then it is known what it has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final, final

from analysis.ir.record import record
from simt_lsp.workspace.settings.values import Extent

WARP_SIZES: Final = (4, 8, 16, 32, 64)
MAX_SECONDS: Final = 3600


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
