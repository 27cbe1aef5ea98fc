"""What the user can set about the analysis; every field has a default, all values are checked by who reads them."""

from __future__ import annotations

from typing import final

from analysis.divergence.launch_shape import BlockShape
from analysis.ir.record import record


@final
@record
class AnalysisSettings:
    """`block` overrides what launches and annotations say; `defines` are `NAME` or `NAME=VALUE`, as after `-D`.

    `built_for`: all architectures that the build compiles for; none where that is not known.
    """

    warp_size: int = 32
    architecture: int = 800
    built_for: tuple[int, ...] = ()
    block: BlockShape | None = None
    defines: tuple[str, ...] = ()
    undefines: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    forced_includes: tuple[str, ...] = ()
    is_linked: bool = False
    """Whether the build command has device code of several files linked."""
