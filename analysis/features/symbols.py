"""The outline of a file: its kernels and device functions, methods below their records."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import final

from analysis.facts.analyzer import FileAnalysis


class SymbolNodeKind(Enum):
    """What an outline entry stands for."""

    KERNEL = "kernel"
    DEVICE = "device"
    SCOPE = "scope"


@final
@dataclass(frozen=True, slots=True)
class SymbolNode:
    """`start`/`end` cover the whole item, `name_start`/`name_end` its name; `detail` is a few words."""

    name: str
    kind: SymbolNodeKind
    detail: str
    start: int
    end: int
    name_start: int
    name_end: int
    children: tuple[SymbolNode, ...]


def document_symbols(analysis: FileAnalysis) -> tuple[SymbolNode, ...]:
    """The outline in text order."""
    raise NotImplementedError
