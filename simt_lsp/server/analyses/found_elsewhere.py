"""Findings for other architectures than the analysed one, in open documents: looked for when nobody types.

To analyse what other architectures compile costs up to as much again, so an edit does not wait for it.  Of a document
that asks for the architecture the others come when there is nothing else to do; until then their findings stay where
the text does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, TypeVar, final

from analysis.ir.record import record
from simt_lsp.server.analyses.held_findings import standing
from simt_lsp.server.documents.store import OpenDocument

if TYPE_CHECKING:
    from analysis.rules.diagnostic import Diagnostic

MAX_DOCUMENTS: Final = 256

Value = TypeVar("Value")


@final
@record
class _Version:
    text: bytes
    findings: tuple[Diagnostic, ...]


@final
class FoundElsewhere:
    """Of all open documents; the least recently analysed are forgotten."""

    def __init__(self) -> None:
        self._found: dict[str, _Version] = {}
        self._waiting: dict[str, OpenDocument] = {}
        self._due: dict[str, OpenDocument] = {}

    def is_due(self, item: OpenDocument) -> bool:
        """Whether this version is to be analysed for all architectures."""
        return self._due.get(item.uri) is item

    def later(self, item: OpenDocument, found: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
        """The findings of a version that was not: with those for others that still stand."""
        _put(self._waiting, item.uri, item)
        last = self._found.pop(item.uri, None)
        if last is None:
            return found
        text = item.document.text
        kept = tuple(standing(last.text, last.findings, text))
        _put(self._found, item.uri, _Version(text, kept))
        known = {(one.code, one.start) for one in found}
        others = (one for one in kept if (one.code, one.start) not in known)
        return tuple(sorted((*found, *others), key=lambda one: (one.start, one.end, one.code)))

    def put(self, item: OpenDocument, found: Iterable[Diagnostic]) -> None:
        """The findings of a version that was."""
        self._waiting.pop(item.uri, None)
        _put(self._found, item.uri, _Version(item.document.text, tuple(one for one in found if one.architectures)))

    def forget(self, uri: str) -> None:
        """It asks for no architecture, or is not looked at for others."""
        for known in (self._found, self._waiting, self._due):
            known.pop(uri, None)

    def take_waiting(self) -> tuple[OpenDocument, ...]:
        """What was put off, and is due from now on."""
        waiting = tuple(self._waiting.values())
        self._waiting.clear()
        for item in waiting:
            _put(self._due, item.uri, item)
        return waiting


def _put(known: dict[str, Value], uri: str, value: Value) -> None:
    known.pop(uri, None)
    known[uri] = value
    while len(known) > MAX_DOCUMENTS:
        del known[next(iter(known))]
