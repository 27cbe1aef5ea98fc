"""What checks of meldings ended with, by document, and for which text that holds.

Rules    A result holds as long as the function, everything that it uses and what decides its launch are as they were
         (`identity.py`), under the same settings; edits elsewhere only move it.
         Its edit holds for exactly the text that was checked: for another one the check runs again.
         The last `MAX_KEPT` results of a document are kept, until it is closed.
Threads  Written on the event loop, read on the worker's thread: the map is replaced, never changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Final, final

from analysis.ir.record import record
from analysis.ir.source import Span
from analysis.meld.settings import MeldSettings
from simt_lsp.server.simulations.edit_outcome import CheckedEdit
from simt_lsp.server.simulations.identity import FunctionKey

MAX_KEPT: Final = 64


@final
@record
class MeldIdentity:
    """A branch of a function: by its keyword, relative to the function."""

    function: FunctionKey
    launch: bytes
    keyword: Span
    settings: MeldSettings


@final
@record
class CheckedMeld:
    """`text` is the digest of the document that was checked, to which the edit belongs."""

    text: bytes
    melded: CheckedEdit

    def edits(self, text: bytes) -> bool:
        """Whether its edit may be applied to `text`."""
        return self.text == text_digest(text)


def text_digest(text: bytes) -> bytes:
    return blake2b(text, digest_size=16).digest()


@final
class CheckedMelds:
    """All results of one server."""

    def __init__(self) -> None:
        self._known: Mapping[str, Mapping[MeldIdentity, CheckedMeld]] = {}

    def put(self, uri: str, identity: MeldIdentity, checked: CheckedMeld) -> None:
        before = {key: value for key, value in self._known.get(uri, {}).items() if key != identity}
        kept = dict(list(before.items())[-MAX_KEPT + 1 :])
        self._known = {**self._known, uri: {**kept, identity: checked}}

    def of(self, uri: str, identity: MeldIdentity) -> CheckedMeld | None:
        return self._known.get(uri, {}).get(identity)

    def knows(self, uri: str) -> bool:
        """Whether anything of the document was checked."""
        return uri in self._known

    def forget(self, uri: str) -> None:
        self._known = {key: value for key, value in self._known.items() if key != uri}
