"""What files pass to the functions of those that they include, kept with all that it rests on.

Rules    One entry per file, in memory and in the user's cache folder: what it passes, with the questions that were
         asked for it and hashes of their answers (`surroundings.py`).  It holds while the answers are these, whatever
         else changes; nothing is ever assumed of a file for which it does not hold.
         On disk it is of one version of the tool, and has a hash of its own: what is not as it was written is not
         there.  Never in a project; written beside its place and then moved there; the oldest go beyond `MAX_FILES`.
Limits   Only classes that are meant to be there are read.
"""

from __future__ import annotations

import os
import pickle
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from analysis.ir.record import record
from simt_lsp.workspace.disk_loader import Question, path_key
from simt_lsp.workspace.project_index.saved import is_below
from simt_lsp.workspace.surroundings import Surroundings, Trace, names_in
from simt_lsp.workspace.tool_identity import tool_identity

if TYPE_CHECKING:
    from analysis.facts.calls import CallsOfFile

MAX_FILES: Final = 4_000
MAX_BYTES: Final = 1_000_000
"""Of one file."""
MAX_SHARED: Final = 300_000
_FOLDER: Final = "callers"
_DIGEST: Final = 16
_PRUNED_EVERY: Final = 500
_CLASSES: Final = frozenset(
    {
        ("analysis.facts.calls", "CallsOfFile"),
        ("analysis.facts.calls", "FunctionKey"),
        ("analysis.facts.calls", "Calls"),
        ("analysis.facts.calls", "CallSite"),
        ("analysis.facts.model", "Taken"),
        ("analysis.facts.model", "PartOf"),
        ("analysis.verdict.shares", "Share"),
        ("analysis.divergence.call_context", "CallContext"),
        ("analysis.divergence.call_context", "Argument"),
        ("analysis.divergence.launch_shape", "BlockShape"),
        ("analysis.divergence.levels", "Level"),
        ("analysis.ir.launch_relation", "ArgumentRelation"),
        ("analysis.ir.launch_relation", "RelationKind"),
        ("analysis.ir.operators", "SpecialRegister"),
        ("analysis.ir.types", "MemorySpace"),
    }
)


@final
@record
class Passed:
    """What a file passes to the functions of those that it includes.

    `touched` are the paths that its analysis looked at, `asked` the names that it asked other files for.
    """

    calls: CallsOfFile
    touched: frozenset[str]
    asked: frozenset[str]


@final
class KeptCalls:
    """See the top of the file; belongs to one thread."""

    def __init__(self, folder: Path | None, roots: Callable[[], Sequence[str]]) -> None:
        """`folder`: the user's cache folder; nothing is written below one of `roots`."""
        self._folder = None if folder is None else folder / _FOLDER
        self._roots = roots
        self._kept: dict[str, tuple[Trace, Passed]] = {}
        self._same: dict[Any, Any] = {}
        """Questions and hashes that many traces share."""
        self._written = 0

    def get(self, path: str, around: Surroundings) -> Passed | None:
        """What `path` passes, if it was found with what is around it now."""
        known = self._kept.get(path)
        if known is not None and around.tell(known[0]):
            return known[1]
        written = self._read(path)
        if written is None or not around.tell(written[0]):
            return None
        return self._keep(path, *written)

    def put(self, path: str, trace: Trace, calls: CallsOfFile) -> Passed:
        """It was worked out now."""
        self._write(path, trace, calls)
        return self._keep(path, trace, calls)

    def _keep(self, path: str, trace: Trace, calls: CallsOfFile) -> Passed:
        shared = {self._one(question): self._one(answer) for question, answer in trace.items()}
        passed = passed_with(shared, calls)
        self._kept[path] = shared, passed
        return passed

    def _one(self, value: Any) -> Any:
        if len(self._same) >= MAX_SHARED:
            self._same.clear()
        return self._same.setdefault(value, value)

    # -- on disk ----------------------------------------------------------------------------------------------------

    def _place(self, folder: Path, path: str) -> Path:
        name = blake2b(path.encode("utf-8", "surrogateescape"), digest_size=_DIGEST).hexdigest()
        return folder / f"{name}.calls"

    def _read(self, path: str) -> tuple[Trace, CallsOfFile] | None:
        if self._folder is None:
            return None
        place = self._place(self._folder, path)
        try:
            if place.stat().st_size > MAX_BYTES:
                return None
            text = place.read_bytes()
        except OSError:
            return None
        head, hash, body = text[:_DIGEST], text[_DIGEST : 2 * _DIGEST], text[2 * _DIGEST :]
        if head != tool_identity() or hash != blake2b(body, digest_size=_DIGEST).digest():
            return None
        try:
            owner, trace, calls = _Reader(BytesIO(body)).load()
        except Exception:  # whatever a damaged file makes of the reader, it is as if it were not there
            return None
        return (trace, calls) if owner == path else None

    def _write(self, path: str, trace: Trace, calls: CallsOfFile) -> None:
        folder = self._folder
        if folder is None or any(is_below(folder, root) for root in self._roots()):
            return
        body = pickle.dumps((path, dict(trace), calls), protocol=5)
        text = tool_identity() + blake2b(body, digest_size=_DIGEST).digest() + body
        if len(text) > MAX_BYTES:
            return
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, written = tempfile.mkstemp(".tmp", "calls-", folder)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(text)
                os.replace(written, self._place(folder, path))
            except BaseException:
                with suppress(OSError):
                    os.unlink(written)
                raise
            if self._written % _PRUNED_EVERY == 0:
                _prune(folder)
            self._written += 1


def passed_with(trace: Mapping[Question, bytes], calls: CallsOfFile) -> Passed:
    """What a file passes, with the paths and names that this rests on."""
    paths = (question[1] for question in trace if question[0] in ("text", "exists"))
    return Passed(calls, frozenset(map(path_key, paths)), names_in(trace))


class _Reader(pickle.Unpickler):
    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if (module_name, global_name) not in _CLASSES:
            raise pickle.UnpicklingError(global_name)
        return super().find_class(module_name, global_name)


def _prune(folder: Path) -> None:
    """Leaves the newest files."""
    found: list[tuple[float, str]] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                found.append((entry.stat().st_mtime, entry.path))
    for _, path in sorted(found)[:-MAX_FILES]:
        with suppress(OSError):
            os.unlink(path)
