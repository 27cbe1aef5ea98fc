"""What the user can set: a tree of frozen dataclasses in which every field has a default.

Rules    A field that is None has no opinion: the build command of the file decides, then the default of the analysis.
         The tree holds only checked values; `reader` reads them and answers bad ones with a `SettingProblem`.
"""

from __future__ import annotations

from dataclasses import field
from typing import Final, final

from analysis.facts.model import Location
from analysis.features.inlay_hints import InlayHintMode, MemoryHintMode
from analysis.ir.record import record
from analysis.rules.settings import RuleSettings
from simt_lsp.workspace.settings.simulation import SimulationOptions

Block = tuple[int, int, int]
"""Threads of a block along x, y and z."""


@final
@record
class AnalysisOptions:
    """How the code is compiled and launched."""

    warp_size: int | None = None
    architecture: int | None = None
    """As in `__CUDA_ARCH__`: 800 for sm_80."""
    other_architectures: bool = True
    """Rules look at what other architectures compile, too."""
    block: Block | None = None
    defines: tuple[str, ...] = ()
    undefines: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    project: bool = True
    """Launches and calls in the other files of the project are seen."""


@final
@record
class InlayHintOptions:
    """Hints between the characters."""

    mode: InlayHintMode = InlayHintMode.FORMS
    memory: MemoryHintMode = MemoryHintMode.COSTLY


@final
@record
class Exclusion:
    """A glob of paths below `folder`, which is absolute (`simt_lsp/workspace/excluded.py`)."""

    folder: str
    glob: str


@final
@record
class Configuration:
    """Everything the user can set."""

    analysis: AnalysisOptions = AnalysisOptions()
    rules: RuleSettings = field(default_factory=RuleSettings)
    inlay_hints: InlayHintOptions = InlayHintOptions()
    code_lens: bool = True
    """There is a line above each kernel."""
    navigation: bool = True
    """Definitions and references of kernels and device functions are answered."""
    semantic_tokens: bool = True
    """Names are marked, for themes that tint them by what the warp sees."""
    simulation: SimulationOptions = field(default_factory=SimulationOptions)
    exclude: tuple[Exclusion, ...] = ()
    """Files that a check of a folder or a workspace leaves out."""


DEFAULT: Final = Configuration()


@final
@record
class SettingProblem:
    """A value that was not taken, in words for the user; `source` is the file or client it came from.

    `location` is where it stands; None for what stands in no file.
    """

    source: str
    key: str
    message: str
    location: Location | None = None

    def __str__(self) -> str:
        return f"{self.source}: {self.message}"
