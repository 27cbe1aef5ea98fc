"""One link of a `why` chain as a person reads it: line, source text, words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from analysis.facts.model import Location


@final
@dataclass(frozen=True, slots=True)
class SourceStep:
    """`line` (from 1) and `source` (its text, trimmed) are None for a place in a file whose text is not at hand."""

    location: Location
    line: int | None
    source: str | None
    text: str
