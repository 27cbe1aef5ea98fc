"""Findings that stay while their function is being typed.

A statement that is half written can hide what follows it: a declaration, a brace.  What was found there has not gone
away, and would be back with the next key.  So as long as a function cannot be read, the findings of its last readable
version stay, where their text is still the same; nothing is held that was changed itself, or that is found again.

Rules    Changed is what lies between the common beginning and the common end of one text and the next.
         A held finding offers no repair and names no other places: these were checked for another text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, final

from analysis.ir.record import record
from analysis.syntax.changed_text import common_ends

if TYPE_CHECKING:
    from analysis.facts.file_analysis import FileAnalysis
    from analysis.rules.diagnostic import Diagnostic

MAX_DOCUMENTS: Final = 256


@final
@record
class _Version:
    """The last text, with the findings of the last readable one as far as they still stand in it.

    `errors`: what could not be read in that one; a version with more of them is not readable.
    """

    text: bytes
    errors: int
    findings: tuple[Diagnostic, ...]


@final
class HeldFindings:
    """Of all documents; the least recently analysed are forgotten."""

    def __init__(self) -> None:
        self._versions: dict[str, _Version] = {}

    def after(self, uri: str, analysis: FileAnalysis, found: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
        """The findings of a new version, with those that are held."""
        text, errors = analysis.document.text, analysis.facts.parse_errors
        last = self._versions.pop(uri, None)
        if last is None or errors <= last.errors:
            self._keep(uri, _Version(text, errors, found))
            return found
        kept = tuple(standing(last.text, last.findings, text))
        self._keep(uri, _Version(text, last.errors, kept))
        readable = {facts.name for facts in analysis.facts.functions if facts.unreadable is None}
        known = {(one.code, one.start) for one in found}
        held = [one for one in kept if one.function not in readable and (one.code, one.start) not in known]
        return tuple(sorted((*found, *held), key=lambda one: (one.start, one.end, one.code))) if held else found

    def _keep(self, uri: str, version: _Version) -> None:
        self._versions[uri] = version
        while len(self._versions) > MAX_DOCUMENTS:
            del self._versions[next(iter(self._versions))]


def standing(before: bytes, findings: Sequence[Diagnostic], text: bytes) -> Iterator[Diagnostic]:
    """The findings that the change did not touch, where they stand in the new text."""
    if not findings:
        return
    begin, end = common_ends(before, text)
    after = len(before) - end
    moved = len(text) - len(before)
    for one in findings:
        if one.end <= begin:
            yield replace(one, related=(), fix=None)
        elif one.start >= after:
            yield replace(one, start=one.start + moved, end=one.end + moved, related=(), fix=None)
