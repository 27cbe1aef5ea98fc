"""Which function is which from version to version of a text, and where it stands now.

A function is known by its name, its fingerprint (its text, and everything that it uses, transitively) and its number
among those that agree in both; so what was counted on its lines moves with them, and is gone when one of them changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    from analysis.facts.file_analysis import FileAnalysis
    from analysis.facts.model import FunctionFacts
    from analysis.facts.settings import AnalysisSettings

FunctionKey = tuple[str, bytes, int]


@final
@dataclass(frozen=True, slots=True)
class FunctionLines:
    """Lines count from 0."""

    first: int
    last: int


def function_lines(analysis: FileAnalysis) -> Mapping[FunctionKey, FunctionLines]:
    """All functions of the file, where they stand in this version."""
    line_of = analysis.document.lines.line_of
    found: dict[FunctionKey, FunctionLines] = {}
    seen: Counter[tuple[str, bytes]] = Counter()
    for function in analysis.facts.functions:
        named = function.name, _fingerprint(analysis, function)
        key = *named, seen[named]
        seen[named] += 1
        found[key] = FunctionLines(line_of(function.start), line_of(max(function.start, function.end - 1)))
    return found


def launch_digest(analysis: FileAnalysis, function: FunctionFacts, settings: AnalysisSettings) -> bytes:
    """What decides a launch besides the function's own text: the comment above it, and the settings."""
    from analysis.facts.functions import annotation_above

    annotation = annotation_above(analysis.document.text, function.start)
    shape = settings.warp_size, settings.block
    return blake2b(repr((annotation, shape)).encode("utf-8", "replace"), digest_size=12).digest()


def _fingerprint(analysis: FileAnalysis, function: FunctionFacts) -> bytes:
    unit = analysis.program.unit
    return unit.fingerprint(analysis.program.item_of(function.id))
