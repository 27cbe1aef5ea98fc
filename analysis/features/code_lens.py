"""One line over each kernel: what its warps meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from analysis.facts.analyzer import FileAnalysis


@final
@dataclass(frozen=True, slots=True)
class CodeLens:
    """`start`/`end` cover the kernel's name; `title` is what to show."""

    start: int
    end: int
    function: str
    divergent_branches: int
    unsafe_barriers: int
    opaque: int
    title: str


def code_lenses(analysis: FileAnalysis) -> tuple[CodeLens, ...]:
    """One lens per active kernel, in text order."""
    raise NotImplementedError
