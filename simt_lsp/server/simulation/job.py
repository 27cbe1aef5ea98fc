"""What a simulation process is told: a kernel of a text, with its headers and its launch; all of it picklable data.

The text is the editor's, saved or not.  Headers come from the open documents and from disk, found as the analysis of
the editor found them: `files` has the paths that it looked at and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, final

from analysis.facts.settings import AnalysisSettings
from simt_lsp.workspace.file_index import FileIndex

DEFAULT_SECONDS: Final = 10.0

Extent = tuple[int, int, int]


@final
@dataclass(frozen=True, slots=True)
class LaunchOverrides:
    """What the client asked for; None and empty: chosen.  `seconds` bounds all runs of the simulation together."""

    grid: Extent | None = None
    block: Extent | None = None
    shared_bytes: int | None = None
    seed: int | None = None
    arguments: Mapping[str, str] = field(default_factory=dict[str, str])
    policies: tuple[str, ...] = ("ipdom",)
    seconds: float = DEFAULT_SECONDS
    max_steps: int | None = None
    havoc: bool = False
    html: bool = False


@final
@dataclass(frozen=True, slots=True)
class SimulationJob:
    """`start` is the byte offset of the kernel's definition; `on_disk` is False for a text without a place there."""

    path: str
    text: bytes
    start: int
    kernel: str
    on_disk: bool
    open_texts: Mapping[str, bytes]
    files: FileIndex
    settings: AnalysisSettings
    context: str | None
    overrides: LaunchOverrides
