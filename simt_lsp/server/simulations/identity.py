"""Which function is which from version to version of a text, and what decides how a kernel is launched.

A function is known by its name, its fingerprint (its text, and everything that it uses, transitively) and its number
among those that agree in both; so what was counted on its lines moves with them, and is gone when one of them changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, final
from weakref import WeakKeyDictionary

from analysis.ir.record import record
from simt_lsp.workspace.settings.simulation import LaunchSettings

if TYPE_CHECKING:
    from analysis.facts.file_analysis import FileAnalysis
    from analysis.facts.model import FunctionFacts
    from analysis.facts.settings import AnalysisSettings
    from analysis.launches import Launch

FunctionKey = tuple[str, bytes, int]


@final
@record
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


@final
class HostCode:
    """The launches of a file's kernels, in it and in the file around a header; keeps those of host functions that did
    not change.  For one thread."""

    def __init__(self) -> None:
        from analysis.launches.host_memo import HostMemo

        self._known = HostMemo()
        self._found: WeakKeyDictionary[FileAnalysis, Mapping[str, Sequence[Launch]]] = WeakKeyDictionary()

    def launches(self, analysis: FileAnalysis) -> Mapping[str, Sequence[Launch]]:
        """By the kernel's name."""
        from analysis.launches import launches_around

        found = self._found.get(analysis)
        if found is None:
            found = self._found[analysis] = launches_around(analysis.program.unit, self._known)
        return found


def launch_digest(
    analysis: FileAnalysis,
    function: FunctionFacts,
    settings: AnalysisSettings,
    said: Sequence[LaunchSettings],
    launches: Sequence[Launch] | None,
) -> bytes:
    """What decides a launch besides the function's own text: the comment above it, the settings, and host code, unless
    `launches` is None."""
    from analysis.launches.annotation import annotation_above

    annotation = annotation_above(analysis.document.text, function.start)
    host: object = None
    if launches is not None:
        shapes = [launch.moved(-launch.span.start) for launch in launches]
        host = shapes, host_digest(analysis) if is_template(analysis, function) else b""
    decided = (annotation, settings.warp_size, settings.block, said, host)
    return _digest(repr(decided).encode("utf-8", "replace"))


def is_template(analysis: FileAnalysis, function: FunctionFacts) -> bool:
    return bool(analysis.program.declaration_of(function.id).template_parameters)


def host_digest(analysis: FileAnalysis) -> bytes:
    """Of all host code that the file sees: a template may be instantiated, or called through other templates, in any of
    it."""
    unit = analysis.program.unit
    host = [item.text for item in (*unit.items, *unit.included_items) if item.active and not item.is_device]
    return _digest(b"\0".join(host))


def _digest(said: bytes) -> bytes:
    return blake2b(said, digest_size=12).digest()


def _fingerprint(analysis: FileAnalysis, function: FunctionFacts) -> bytes:
    unit = analysis.program.unit
    return unit.fingerprint(analysis.program.item_of(function.id))
