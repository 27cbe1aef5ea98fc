"""What runs said of findings, by document, and what of it still holds for a version of the text.

Rules    An answer on a finding of a kernel holds as long as the kernel, everything that it uses and what decides its
         launch are as they were, and the finding stands where it stood in it; edits elsewhere only move it.  One on a
         function that kernels call holds for the very text that was run.
Threads  Written on the event loop, read on the worker's thread: the map is replaced, never changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

from analysis.ir.record import record
from simt_lsp.run_check import RunCheck
from simt_lsp.server.simulations.identity import FunctionKey


@final
@record
class FindingIdentity:
    """`state` is a digest of what decides the runs besides the function's own text; `start` and `end` are relative to
    the function."""

    function: FunctionKey
    state: bytes
    code: str
    start: int
    end: int


@final
class RunChecks:
    """All answers of one server."""

    def __init__(self) -> None:
        self._known: dict[str, Mapping[FindingIdentity, RunCheck]] = {}

    def put(self, uri: str, finding: FindingIdentity, check: RunCheck) -> None:
        """Answers on other states of the same function make room."""
        kept = {
            key: value
            for key, value in self._known.get(uri, {}).items()
            if key.function[0] != finding.function[0] or (key.function, key.state) == (finding.function, finding.state)
        }
        self._known = {**self._known, uri: {**kept, finding: check}}

    def of(self, uri: str) -> Mapping[FindingIdentity, RunCheck]:
        return self._known.get(uri, {})

    def forget(self, uri: str) -> None:
        self._known = {key: value for key, value in self._known.items() if key != uri}
