"""CUDA text with claims in its comments, checked in both directions.

`//~ slug, slug`       these rules report on this line, and no others do
`//= name: level`      the variable declared on this line has this level (`grid-uniform` ... `varying`)
`//! warp-size = 64`   warps have this many lanes
`$0`                   the cursor, for features that answer about a place
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from analysis.divergence.levels import Level
from analysis.facts.analyzer import Analyzer, FileAnalysis
from analysis.facts.settings import AnalysisSettings
from analysis.rules.check import check
from analysis.rules.diagnostic import Diagnostic
from analysis.rules.settings import RuleSettings
from analysis.syntax.document import Document
from analysis.syntax.includes import DictLoader

LEVELS: Final[Mapping[str, Level]] = {
    "grid-uniform": Level.GRID,
    "block-uniform": Level.BLOCK,
    "warp-uniform": Level.WARP,
    "varying": Level.VARYING,
}

PATH: Final = "fixture.cu"

_REPORTED: Final = re.compile(r"//~ *([a-z0-9, -]+)")
_LEVEL: Final = re.compile(r"//= *(\w+): *([a-z-]+)")
_WARP_SIZE: Final = re.compile(r"//! *warp-size *= *(\d+)")
_ANALYSIS: Final = AnalysisSettings()
_RULES: Final = RuleSettings(ignore=frozenset({"ARI602", "DIV403", "RAC", "SYN107", "CAL708"}))
"""Most divergent branches with two arms can be melded to some degree, and kernels of a few lines leave barriers out,
have barriers that order nothing or load bounds again, launches of tests are small: only the tests of those rules ask
for them."""


def analyze(
    text: str, settings: AnalysisSettings = _ANALYSIS, path: str = PATH, files: Mapping[str, bytes] | None = None
) -> FileAnalysis:
    """The analysis of one file, with `files` beside it."""
    return Analyzer().analyze(path, Document.open(text.encode()), DictLoader(dict(files or {})), settings)


def analyze_at_cursor(marked: str) -> tuple[FileAnalysis, int]:
    """The analysis of a text without its `$0`, and the offset where that stood."""
    offset = len(marked[: marked.index("$0")].encode())
    return analyze(marked.replace("$0", "")), offset


def check_fixture(
    text: str, settings: RuleSettings = _RULES, path: str = PATH, files: Mapping[str, bytes] | None = None
) -> tuple[Diagnostic, ...]:
    """Every diagnostic is claimed on its line, every claim is reported; the diagnostics, for further questions."""
    size = _WARP_SIZE.search(text)
    analysis = analyze(text, AnalysisSettings(warp_size=int(size[1])) if size else _ANALYSIS, path, files)
    diagnostics = check(analysis, settings)
    reported = sorted((_line_of(analysis, found.start), found.name) for found in diagnostics)
    assert reported == sorted(claimed_reports(text)), [(found.name, found.message) for found in diagnostics]
    assert variable_levels(analysis, text) == claimed_levels(text)
    return diagnostics


def claimed_reports(text: str) -> list[tuple[int, str]]:
    """(line, slug) of each `//~`."""
    return [
        (number, slug.strip())
        for number, line in enumerate(text.splitlines(), 1)
        for match in _REPORTED.finditer(line)
        for slug in match[1].split(",")
    ]


def claimed_levels(text: str) -> dict[tuple[int, str], Level]:
    """The level of each variable that a `//=` names."""
    return {
        (number, match[1]): LEVELS[match[2]]
        for number, line in enumerate(text.splitlines(), 1)
        for match in _LEVEL.finditer(line)
    }


def variable_levels(analysis: FileAnalysis, text: str) -> dict[tuple[int, str], Level]:
    """What the analysis says about the variables that the text makes claims about."""
    claimed = claimed_levels(text)
    found = {
        (_line_of(analysis, function.start + variable.span.start), variable.name): variable.level
        for function in analysis.facts.functions
        for variable in function.variables
    }
    return {key: level for key, level in found.items() if key in claimed}


def _line_of(analysis: FileAnalysis, offset: int) -> int:
    return analysis.document.lines.line_of(offset) + 1
